"""A slice of real TrustGraph on a broker: it stores triples that come on its topic, and its own programs show them.

Its programs come from PyPI and run here without containers. What differs by store is in
:mod:`tests.integration.servers.falkordb` and :mod:`tests.integration.servers.cassandra`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote
from urllib.request import ProxyHandler, Request, build_opener

from tests.integration.servers.cache import Missing, once
from tests.integration.servers.process import Process, free_port, until
from tests.integration.servers.pulsar import Broker

__all__ = ["TrustGraph"]

VERSION: Final = "2.11.1"
WORKSPACE: Final = "default"
FLOW: Final = "default"
TOPIC: Final = f"persistent://tg/flow/triples-store:{WORKSPACE}:{FLOW}"

_PACKAGES: Final = (
    f"trustgraph-base=={VERSION}",
    f"trustgraph-cli=={VERSION}",
    "pulsar-client==3.13.0",
    "cryptography",
)
_BARE: Final = f"trustgraph-flow=={VERSION}"  # without what it depends on: LLM and vector packages
_UP: Final = 180.0  # seconds, for each service, on a machine that is busy
_FOREIGN: Final = ("PUBSUB_", "PULSAR_", "RABBITMQ_", "KAFKA_", "CASSANDRA_", "OBJECT_STORE_", "IAM_", "TRUSTGRAPH_")
_DIRECT: Final = build_opener(ProxyHandler({}))
_BRIEF: Final = {"retention_policies": {"retentionSizeInMB": -1, "retentionTimeInMinutes": 3}}
_NAMESPACES: Final[dict[str, Any]] = {"flow": {}, "request": {}, "response": _BRIEF, "notify": _BRIEF}


class TrustGraph:
    """Its services, started by a subclass for each store."""

    store: str
    packages: Sequence[str]

    def __init__(self, work: Path, broker: Broker) -> None:
        """
        Args:
            work: Where logs and data are.
            broker: It must be up, and nobody else's TrustGraph on it.

        Raises:
            Missing: Something that it needs isn't here.
        """
        self._venv = self.environment()
        self._work = work
        self.broker = broker
        self.services: dict[str, Process] = {}
        self.token = ""
        port = free_port()
        self.gateway = f"http://127.0.0.1:{port}/"
        self.bus = ["--pubsub-backend", "pulsar", "--pulsar-host", broker.url, "--pulsar-admin-url", broker.admin_url]
        self.bus += ["--no-metrics", "--no-loki-enabled"]
        self.gateway_options = [*self.bus, "--port", str(port)]

    @classmethod
    def environment(cls) -> Path:
        """The virtual environment with its programs.

        Raises:
            Missing: Something that it needs isn't here.
        """
        if sys.platform != "linux":
            raise Missing("TrustGraph runs here on Linux only")
        return once(f"trustgraph-{VERSION}-{cls.store}-py3{sys.version_info[1]}", cls._install)

    @classmethod
    def _install(cls, place: Path) -> None:
        venv.create(place, with_pip=True, symlinks=True)
        pip = [str(place / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        try:
            for what in ([*_PACKAGES, *cls.packages], ["--no-deps", _BARE]):
                subprocess.run([*pip, *what], check=True, capture_output=True, text=True)
        except subprocess.CalledProcessError as error:
            raise Missing(f"TrustGraph could not be installed: {error.stderr[-500:]}") from None

    @property
    def python(self) -> str:
        return str(self._venv / "bin" / "python")

    def run(self, name: str, command: Sequence[str], env: Mapping[str, str] | None = None) -> Process:
        """Start a service of that name."""
        clean = {key: value for key, value in os.environ.items() if not key.startswith(_FOREIGN)}
        env = {**clean, "NO_PROXY": "*", "no_proxy": "*", **(env or {})}
        self.services[name] = Process(command, self._work / f"{name}.log", env, self._work)
        return self.services[name]

    def module(self, program: str) -> list[str]:
        """The command of an installed program; its script names the folder that it was installed in before a rename."""
        script = (self._venv / "bin" / program).read_text()
        module = next(line.split()[1] for line in script.splitlines() if line.startswith("from "))
        name = next(line.split()[3] for line in script.splitlines() if line.startswith("from "))
        return [self.python, "-c", f"import sys; from {module} import {name} as f; sys.exit(f())"]

    def start(self) -> None:
        """Start everything, and wait until it answers."""
        self._topology()
        self.start_services()
        gateway = self.services["api-gateway"]
        subscription = f"triples-write--{WORKSPACE}--{FLOW}--input"
        gateway.wait("TrustGraph's writer", lambda: self.consumers(TOPIC, subscription), _UP)
        for part in (f"triples:{WORKSPACE}:{FLOW}", f"librarian:{WORKSPACE}"):
            topic = f"non-persistent://tg/request/{part}"
            gateway.wait(f"TrustGraph's {part}", lambda topic=topic: self.consumers(topic), _UP)  # type: ignore[misc]
        gateway.wait("TrustGraph's gateway", self._answers, _UP)

    def start_services(self) -> None:
        """Start the services that the store needs, ``api-gateway`` last."""
        raise NotImplementedError

    def _topology(self) -> None:
        """Tenant and namespaces, as TrustGraph's bootstrapper makes them."""
        self.broker.admin("PUT", "tenants/tg", {"adminRoles": [], "allowedClusters": ["standalone"]})
        for name, policies in _NAMESPACES.items():
            self.broker.admin("PUT", f"namespaces/tg/{name}", policies)

    def consumers(self, topic: str, subscription: str | None = None) -> int:
        """How many listen to a topic; an OSError where there is no such topic yet."""
        kind, _, rest = topic.partition("://")
        tenant, namespace, name = rest.split("/")
        told = self.broker.admin("GET", f"{kind}/{tenant}/{namespace}/{quote(name, safe='')}/stats")["subscriptions"]
        return sum(len(each["consumers"]) for key, each in told.items() if subscription in (None, key))

    def _answers(self) -> bool:
        documents = self.post("api/v1/librarian", {"operation": "list-documents", "workspace": WORKSPACE})
        triples = self.post(f"api/v1/flow/{FLOW}/service/triples", {"limit": 1})
        return "error" not in documents and "error" not in triples

    def post(self, path: str, body: Any) -> Any:
        """What the gateway answers."""
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        with _DIRECT.open(Request(self.gateway + path, json.dumps(body).encode(), headers), timeout=30) as reply:
            return json.loads(reply.read())

    def triples(self, subject: str, predicate: str | None = None) -> list[Any]:
        """What the store has about a subject, in the gateway's form."""
        query: dict[str, Any] = {"collection": "default", "limit": 10_000, "s": {"t": "i", "i": subject}}
        if predicate:
            query["p"] = {"t": "i", "i": predicate}
        answer = self.post(f"api/v1/flow/{FLOW}/service/triples", query)
        if "error" in answer:
            raise OSError(str(answer["error"]))
        found: list[Any] = answer["response"]
        return found

    def wait_for(self, subject: str, seconds: float = 60) -> list[Any]:
        """What the store has about a subject, once it has anything."""
        return until(f"{subject} in TrustGraph's store", lambda: self.triples(subject), seconds)

    def backlog(self) -> int:
        """Messages that the writer has not yet taken for good."""
        kind, _, rest = TOPIC.partition("://")
        tenant, namespace, name = rest.split("/")
        told = self.broker.admin("GET", f"{kind}/{tenant}/{namespace}/{quote(name, safe='')}/stats")
        count: int = told["subscriptions"][f"triples-write--{WORKSPACE}--{FLOW}--input"]["msgBacklog"]
        return count

    def tool(self, name: str, *arguments: str) -> str:
        """What one of TrustGraph's own programs prints."""
        command = [*self.module(name), "-u", self.gateway, "-w", WORKSPACE, "-f", FLOW, *arguments]
        env = {**os.environ, "TRUSTGRAPH_TOKEN": self.token, "NO_PROXY": "*", "no_proxy": "*"}
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=env)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def stop(self) -> None:
        for service in reversed(self.services.values()):
            service.stop()
