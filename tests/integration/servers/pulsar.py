"""A real Apache Pulsar broker (standalone): one Java process of about 350 MB, up in 6 s on an idle machine."""

from __future__ import annotations

import json
import os
import secrets
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from tests.integration.servers.cache import BRIEF, Missing, java, maven, once, sha256
from tests.integration.servers.process import Process, free_port
from tests.integration.servers.tokens import certificates, token

__all__ = ["Broker"]

VERSION: Final = "4.0.8"
_ARTIFACT: Final = f"org.apache.pulsar:pulsar-server-distribution:{VERSION}:tar.gz:bin"
_SHA256: Final = "35c7d064c9e0928edbf2e708989faba0379662f98aa84ce0d4190c59efb6765e"
_UP: Final = 180.0  # seconds, on a machine that is busy
_MEMORY: Final = "-Xms64m -Xmx384m -XX:MaxDirectMemorySize=384m"
_DIRECT: Final = build_opener(ProxyHandler({}))

# The listeners stay on loopback (the embedded bookie goes by interface), and little memory is used.
_SMALL: Final = {
    "clusterName": "standalone",
    "bindAddress": "127.0.0.1",
    "bindAddresses": "",
    "allowLoopback": "true",
    "listeningInterface": "lo0" if sys.platform == "darwin" else "lo",
    "forceDeleteNamespaceAllowed": "true",
    "webSocketServiceEnabled": "false",
    "managedLedgerCacheSizeMB": "16",
    "dbStorage_writeCacheMaxSizeMb": "16",
    "dbStorage_readAheadCacheMaxSizeMb": "8",
    "dbStorage_rocksDB_blockCacheSize": "8388608",
    "journalPreAllocSizeMB": "4",
    "numIOThreads": "2",
    "numHttpServerThreads": "8",
    "diskUsageThreshold": "0.99",
    "diskUsageWarnThreshold": "0.98",
}


class Broker:
    """A broker with its data in a folder; started again, it has the same ports and data."""

    def __init__(
        self, work: Path, *, secure: bool = False, for_long: bool = False, settings: Mapping[str, str] | None = None
    ) -> None:
        """
        Args:
            work: Where its data is.
            secure: Whether it wants tokens, and has a port for TLS, too.
            for_long: Whether it is to be fast once it is warm, as for a benchmark, not up soon.
            settings: More of ``standalone.conf``.

        Raises:
            Missing: Something that it needs isn't here.
        """
        java()
        self._home = once(f"pulsar-{VERSION}", _fetch)
        self._work = work
        self._process: Process | None = None
        self._java_options = ["-XX:+UseSerialGC"] if for_long else BRIEF
        self.secure = secure
        self.host = "localhost" if secure else "127.0.0.1"
        self.port, web, self.tls_port = free_port(), free_port(), free_port()
        self.url = f"pulsar://{self.host}:{self.port}"
        self.tls_url = f"pulsar+ssl://localhost:{self.tls_port}"
        self.admin_url = f"http://127.0.0.1:{web}"
        self.key = secrets.token_bytes(32)
        self.certificates = work / "certificates"
        self._settings = {
            **_SMALL,
            "advertisedAddress": self.host,
            "brokerServicePort": str(self.port),
            "webServicePort": str(web),
            **(self._security() if secure else {}),
            **(settings or {}),
        }

    def token(self, subject: str = "admin", seconds: float | None = None) -> str:
        """A token that this broker believes; ``admin`` may do everything."""
        return token(self.key, subject, seconds)

    def _security(self) -> dict[str, str]:
        certificates(self.certificates)
        key = self._work / "secret.key"
        key.write_bytes(self.key)
        return {
            "authenticationEnabled": "true",
            "authorizationEnabled": "true",
            "superUserRoles": "admin",
            "authenticationProviders": "org.apache.pulsar.broker.authentication.AuthenticationProviderToken",
            "authenticationRefreshCheckSeconds": "2",
            "tokenSecretKey": key.as_uri(),
            "brokerClientAuthenticationPlugin": "org.apache.pulsar.client.impl.auth.AuthenticationToken",
            "brokerClientAuthenticationParameters": f"token:{self.token()}",
            "brokerServicePortTls": str(self.tls_port),
            "tlsCertificateFilePath": str(self.certificates / "server.pem"),
            "tlsKeyFilePath": str(self.certificates / "server.key"),
            "tlsTrustCertsFilePath": str(self.certificates / "ca.pem"),
            "brokerClientTrustCertsFilePath": str(self.certificates / "ca.pem"),
        }

    def start(self) -> None:
        """Start it, and wait until it answers."""
        stock = (self._home / "conf" / "standalone.conf").read_text().splitlines()
        kept = [line for line in stock if line.split("=")[0].strip() not in self._settings]
        configuration = self._work / "standalone.conf"
        configuration.write_text("\n".join([*kept, *(f"{k}={v}" for k, v in self._settings.items())]) + "\n")
        env = {name: value for name, value in os.environ.items() if not name.startswith(("PULSAR_", "OPTS"))}
        env |= {
            "PULSAR_STANDALONE_CONF": str(configuration),
            "PULSAR_LOG_DIR": str(self._work / "logs"),
            "PULSAR_LOG_APPENDER": "Console",
            "PULSAR_GC": " ".join(self._java_options),
            "PULSAR_GC_LOG": "-Xshare:auto",
            "PULSAR_MEM": _MEMORY,
        }
        data = self._work / "data"
        command = ["bash", str(self._home / "bin" / "pulsar"), "standalone", "-nfw", "-nss", "-a", self.host]
        command += ["--metadata-dir", str(data / "metadata"), "--bookkeeper-dir", str(data / "bookkeeper")]
        self._process = Process(command, self._work / "broker.log", env, self._work)  # execs java: the same process
        self._process.wait("Pulsar", lambda: self.admin("GET", "brokers/health") == "ok", _UP)

    @property
    def process(self) -> Process:
        assert self._process is not None, "not started"
        return self._process

    def restart(self) -> None:
        """Start it again after it was ended."""
        assert not self.process.alive
        self.start()

    def stop(self) -> None:
        if self._process is not None:
            self._process.stop()

    def admin(self, method: str, path: str, body: Any = None) -> Any:
        """The answer of its admin API, JSON where it is JSON."""
        headers = {"Content-Type": "application/json"}
        if self.secure:
            headers["Authorization"] = f"Bearer {self.token()}"
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.admin_url}/admin/v2/{path}", data, headers, method=method)
        try:
            with _DIRECT.open(request, timeout=10) as reply:
                text = reply.read().decode()
        except HTTPError as error:
            raise OSError(f"{method} {path}: {error.code} {error.read().decode(errors='replace')[:300]}") from None
        try:
            return json.loads(text)
        except ValueError:
            return text

    def namespace(self, name: str, *, deduplicated: bool = False) -> str:
        """Make a namespace of its own for a test; the start of the names of its topics."""
        keep = {"retentionTimeInMinutes": -1, "retentionSizeInMB": -1}  # what nobody has subscribed to, too
        self.admin("PUT", f"namespaces/public/{name}", {"retention_policies": keep})
        if deduplicated:
            self.admin("POST", f"namespaces/public/{name}/deduplication", True)
        return f"persistent://public/{name}/"


def _fetch(place: Path) -> None:
    fetched = place / "fetched"
    maven("dependency:copy", f"-DoutputDirectory={fetched}", f"-Dartifact={_ARTIFACT}")
    (archive,) = fetched.glob("*.tar.gz")
    if (found := sha256(archive)) != _SHA256:
        raise Missing(f"{archive.name} has checksum {found}, not {_SHA256}; empty the cache, and try again")
    with tarfile.open(archive) as content:
        if hasattr(tarfile, "data_filter"):
            content.extraction_filter = tarfile.data_filter
        content.extractall(place)
    archive.unlink()
    fetched.rmdir()
    (inner,) = place.iterdir()
    for item in list(inner.iterdir()):
        item.rename(place / item.name)
    inner.rmdir()
