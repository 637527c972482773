"""TrustGraph on Cassandra, its default store, with its whole control plane; only the object store is a stand-in (moto).

Up in 14 s on an idle machine, 1.5 GB of memory.
"""

from __future__ import annotations

import json
import random
import secrets
import socket
from pathlib import Path
from typing import Any, Final

from tests.integration.servers.cache import BRIEF, Missing, java, maven, once
from tests.integration.servers.process import free_port
from tests.integration.servers.pulsar import Broker
from tests.integration.servers.trustgraph import FLOW, WORKSPACE, TrustGraph

__all__ = ["OnCassandra"]

VERSION: Final = "5.0.8"
_PORT: Final = 9042  # TrustGraph takes a host without a port
_UP: Final = 180.0

_POM: Final = f"""<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>test</groupId><artifactId>test</artifactId><version>1</version><packaging>pom</packaging><dependencies>
<dependency><groupId>org.apache.cassandra</groupId><artifactId>cassandra-all</artifactId><version>{VERSION}</version>
</dependency></dependencies></project>
"""
_LOGBACK: Final = """<configuration><appender name="OUT" class="ch.qos.logback.core.ConsoleAppender"><encoder>
<pattern>%-5level %d %msg%n</pattern></encoder></appender><root level="INFO"><appender-ref ref="OUT"/></root>
</configuration>
"""
# What Cassandra's own start script opens for it (conf/jvm17-server.options).
_OPENS: Final = (
    "java.base/java.io java.base/java.lang java.base/java.lang.module java.base/java.lang.reflect java.base/java.math "
    "java.base/java.net java.base/java.nio java.base/java.util java.base/java.util.concurrent "
    "java.base/java.util.concurrent.atomic java.base/jdk.internal.loader java.base/jdk.internal.math "
    "java.base/jdk.internal.module java.base/jdk.internal.ref java.base/jdk.internal.util.jar java.base/sun.nio.ch "
    "java.rmi/sun.rmi.transport.tcp jdk.management/com.sun.management.internal"
)
_EXPORTS: Final = (
    "java.base/java.lang.ref java.base/jdk.internal.misc java.base/jdk.internal.ref java.base/sun.nio.ch "
    "java.management.rmi/com.sun.jmx.remote.internal.rmi java.rmi/sun.rmi.registry java.rmi/sun.rmi.server "
    "java.sql/java.sql jdk.attach/sun.tools.attach jdk.unsupported/sun.misc jdk.compiler/com.sun.tools.javac.file"
)


class OnCassandra(TrustGraph):
    store = "cassandra"
    packages = ("scylla-driver==3.29.12", "minio==7.2.20", "moto[server]==5.2.5")

    def __init__(self, work: Path, broker: Broker) -> None:
        self._jars = once(f"cassandra-{VERSION}", _fetch)
        self._host = _free_host()
        super().__init__(work, broker)
        self.token = f"tg_{secrets.token_urlsafe(24)}"

    def start_services(self) -> None:
        self._database()
        objects = self._objects()
        cassandra = ["--cassandra-host", self._host]
        # Requests that nobody listens to are lost, so each waits for those that it asks.
        config = self.run("config-svc", [*self.module("config-svc"), *self.bus, *cassandra])
        first = {"IAM_BOOTSTRAP_MODE": "token", "IAM_BOOTSTRAP_TOKEN": self.token}
        iam = self.run("iam-svc", [*self.module("iam-svc"), *self.bus, *cassandra], first)
        config.wait("config-svc", lambda: self.consumers("non-persistent://tg/request/config"), _UP)
        flow = self.run("flow-svc", [*self.module("flow-svc"), *self.bus])
        iam.wait("iam-svc", lambda: self.consumers("non-persistent://tg/request/iam"), _UP)
        flow.wait("flow-svc", lambda: "Applied startup config" in flow.log.read_text(errors="replace"), _UP)
        command = [*self.module("bootstrap"), *self.bus, "--initialisers-file", self._initialisers()]
        bootstrap = self.run("bootstrap", command)
        storing = ["--object-store-endpoint", objects, "--object-store-region", "us-east-1"]
        self.run("librarian", [*self.module("librarian"), *self.bus, *cassandra, *storing])
        for what in ("write", "query"):
            options = [*self.bus, "--id", f"triples-{what}", *cassandra]
            self.run(f"triples-{what}", [*self.module(f"triples-{what}-cassandra"), *options])
        # The gateway looks once which workspaces there are; what comes into being at that moment it never knows.
        started = f"Flow '{FLOW}' started"
        bootstrap.wait("bootstrap", lambda: started in bootstrap.log.read_text(errors="replace"), _UP)
        self.run("api-gateway", [*self.module("api-gateway"), *self.gateway_options])

    def _database(self) -> None:
        conf, data = self._work / "cassandra-conf", self._work / "cassandra-data"
        conf.mkdir()
        storage = free_port(self._host)
        settings = {
            "cluster_name": "test",
            "num_tokens": 1,
            "partitioner": "org.apache.cassandra.dht.Murmur3Partitioner",
            "data_file_directories": [str(data / "data")],
            **{f"{what}_directory": str(data / what) for what in ("commitlog", "saved_caches", "hints", "cdc_raw")},
            "commitlog_sync": "periodic",
            "commitlog_sync_period": "10000ms",
            "endpoint_snitch": "SimpleSnitch",
            "listen_address": self._host,
            "rpc_address": self._host,
            "storage_port": storage,
            "ssl_storage_port": free_port(self._host),
            "native_transport_port": _PORT,
            "auto_snapshot": False,
            "seed_provider": [
                {
                    "class_name": "org.apache.cassandra.locator.SimpleSeedProvider",
                    "parameters": [{"seeds": f"{self._host}:{storage}"}],
                }
            ],
        }
        (conf / "cassandra.yaml").write_text(json.dumps(settings))  # JSON is YAML
        (conf / "logback.xml").write_text(_LOGBACK)
        database = self.run("cassandra", self._java(conf, data))

        def listening() -> bool:
            with socket.create_connection((self._host, _PORT), timeout=1):
                return True

        database.wait("Cassandra", listening, _UP)

    def _java(self, conf: Path, data: Path) -> list[str]:
        (jamm,) = self._jars.glob("jamm-*.jar")
        command = [java(), *BRIEF, f"-javaagent:{jamm}", "-Xms512m", "-Xmx512m", "-XX:MaxDirectMemorySize=256m"]
        for option, packages in (("--add-opens", _OPENS), ("--add-exports", _EXPORTS)):
            for package in packages.split():
                command += [option, f"{package}=ALL-UNNAMED"]
        properties = {
            "jdk.attach.allowAttachSelf": "true",
            "cassandra.config": (conf / "cassandra.yaml").as_uri(),
            "cassandra.storagedir": str(data),
            "java.io.tmpdir": str(self._work),
            "logback.configurationFile": str(conf / "logback.xml"),
            "cassandra.skip_wait_for_gossip_to_settle": "0",
            "cassandra.ring_delay_ms": "100",
            "cassandra.superuser_setup_delay_ms": "0",
            "cassandra-foreground": "yes",
        }
        command += [f"-D{name}={value}" for name, value in properties.items()]
        return [*command, "-cp", f"{conf}:{self._jars}/*", "org.apache.cassandra.service.CassandraDaemon"]

    def _objects(self) -> str:
        """The address of an object store."""
        address = f"127.0.0.1:{free_port()}"
        host, port = address.split(":")
        served = {"MOTO_S3_CUSTOM_ENDPOINTS": f"http://{address}"}
        store = self.run("object-store", [*self.module("moto_server"), "-H", host, "-p", port], served)

        def listening() -> bool:
            with socket.create_connection((host, int(port)), timeout=1):
                return True

        store.wait("the object store", listening, _UP)
        return address

    def _initialisers(self) -> str:
        """The file that tells TrustGraph's bootstrapper to make one workspace, with one flow for triples only."""

        def queue(kind: str, name: str) -> str:
            return f"{kind}:tg:{name}:{{workspace}}:{{id}}"

        store = {"flow": queue("flow", "triples-store")}
        triples = {"request": queue("request", "triples"), "response": queue("response", "triples")}
        processors = {
            "triples-write:{id}": {"topics": {"input": store["flow"]}, "parameters": {}},
            "triples-query:{id}": {"topics": triples, "parameters": {}},
        }
        blueprint: dict[str, Any] = {
            "description": "triples only",
            "tags": [],
            "parameters": {},
            "interfaces": {"triples-store": store, "triples": triples},
            "blueprint": {},
            "flow": processors,
        }
        collection = {"collection": "default", "name": "default", "description": "", "tags": []}
        seed = self._work / "seed.json"
        seed.write_text(json.dumps({"collection": {"default": collection}, "flow-blueprint": {"test": blueprint}}))
        steps = (
            ("PulsarTopology", {"admin_url": self.broker.admin_url, "tenant": "tg"}),
            ("TemplateSeed", {"config_file": str(seed)}),
            ("WorkspaceInit", {"workspace": WORKSPACE, "source": "template"}),
            ("DefaultFlowStart", {"workspace": WORKSPACE, "flow_id": FLOW, "blueprint": "test"}),
        )
        classes = "trustgraph.bootstrap.initialisers"
        told = [{"class": f"{classes}.{name}", "name": name, "flag": "1", "params": params} for name, params in steps]
        file = self._work / "initialisers.json"
        file.write_text(json.dumps({"initialisers": told}))
        return str(file)


def _free_host() -> str:
    """An address of the loopback network where Cassandra's port is free.

    One at random: Cassandra takes the port after many seconds, and others who run these tests look for one, too.
    """
    for last in random.sample(range(2, 255), 200):
        host = f"127.0.{random.randrange(256)}.{last}"
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, _PORT))
                return host
            except OSError:
                continue
    raise Missing(f"port {_PORT} is taken on every loopback address; end what listens there")


def _fetch(place: Path) -> None:
    pom = place / "pom.xml"
    pom.write_text(_POM)
    maven("-f", str(pom), "dependency:copy-dependencies", f"-DoutputDirectory={place}")
