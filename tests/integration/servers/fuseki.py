"""A real Apache Jena Fuseki, with a dataset ``/ds``, the same ``/read-only``. It keeps literals as they are written.

Fetched once, by Maven (56 MB). Up in 2 to 4 seconds, 185 MB of memory.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
from pathlib import Path
from typing import Final
from urllib.parse import quote

from tests.integration.servers.cache import BRIEF, Missing, java, maven, once, sha256
from tests.integration.servers.process import Process, free_port
from tests.integration.servers.tokens import certificates

__all__ = ["PASSWORD", "USER", "Fuseki"]

USER: Final = "ann"
PASSWORD: Final = "pass word:/@"

_VERSION: Final = "5.6.0"  # the last one for Java 17
_SHA256: Final = "d28c1eaf703122ee628895a460c20fa4aa60a892f435d403ea8c036f241da1f8"
_JAR: Final = f"jena-fuseki-server-{_VERSION}.jar"
_MAIN: Final = "org.apache.jena.fuseki.main.cmds.FusekiMainCmd"
_UP: Final = 120.0  # seconds, on a machine that is busy

_CONFIGURATION: Final = """\
@prefix : <#> .
@prefix fuseki: <http://jena.apache.org/fuseki#> .
@prefix tdb2: <http://jena.apache.org/2016/tdb#> .

:data a tdb2:DatasetTDB2 ; tdb2:location "data" .

[] a fuseki:Service ; fuseki:name "ds" ; fuseki:dataset :data ;
   fuseki:endpoint [ fuseki:operation fuseki:query ] , [ fuseki:operation fuseki:query ; fuseki:name "query" ] ,
                   [ fuseki:operation fuseki:update ] , [ fuseki:operation fuseki:update ; fuseki:name "update" ] .

[] a fuseki:Service ; fuseki:name "read-only" ; fuseki:dataset :data ;
   fuseki:endpoint [ fuseki:operation fuseki:query ; fuseki:name "query" ] .
"""


class Fuseki:
    """A Fuseki, which keeps its data over restarts. It wants a name and a password, by digest authentication."""

    def __init__(self, work: Path) -> None:
        """
        Args:
            work: Where its data, its log and its certificates are.

        Raises:
            Missing: Java, Maven or openssl is missing.
        """
        self._java = java()
        self._jar = once(f"fuseki-{_VERSION}", _fetch) / _JAR
        self._work = work
        self._port, self._tls_port = free_port(), free_port()
        self._process: Process | None = None
        self.certificates = work / "certificates"
        """Where ``ca.pem`` is, which vouches for it, and ``other-ca.pem``, which does not."""
        self.place = f"127.0.0.1:{self._port}"
        self.tls_place = f"localhost:{self._tls_port}"
        let_in = f"sparql+http://{USER}:{quote(PASSWORD, safe='')}@{self.place}"
        self.update_url = f"{let_in}/ds/update"
        self.read_only_url = f"{let_in}/read-only/update"
        self.query_url = f"http://{self.place}/ds/query"
        self._configure()

    def _configure(self) -> None:
        certificates(self.certificates)
        made = "pkcs12 -export -in server.pem -inkey server.key -out server.p12 -passout pass:test"
        subprocess.run(["openssl", *made.split()], check=True, cwd=self.certificates, capture_output=True)
        keystore = {"keystore": str(self.certificates / "server.p12"), "passwd": "test"}
        (self._work / "https.json").write_text(json.dumps(keystore))
        (self._work / "passwords").write_text(f"{USER}: {PASSWORD}\n", encoding="utf-8")
        (self._work / "fuseki.ttl").write_text(_CONFIGURATION)
        (self._work / "data").mkdir()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [self._java, "-Xmx512m", *BRIEF, "-cp", str(self._jar), _MAIN]
        command += ["--localhost", "--port", str(self._port), "--config=fuseki.ttl"]
        command += ["--passwd=passwords", "--auth=digest", "--https=https.json", f"--httpsPort={self._tls_port}"]
        self._process = Process(command, self._work / "fuseki.log", os.environ, self._work)
        self._process.wait("Fuseki", self._answers, _UP)

    def _answers(self) -> bool:
        with socket.create_connection(("127.0.0.1", self._port), 30):
            return True

    @property
    def process(self) -> Process:
        assert self._process is not None, "not started"
        return self._process

    def stop(self) -> None:
        if self._process is not None:
            self._process.stop()


def _fetch(place: Path) -> None:
    artifact = f"org.apache.jena:jena-fuseki-server:{_VERSION}:jar"
    maven("dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={place}")
    if sha256(place / _JAR) != _SHA256:
        raise Missing(f"{artifact} is not what it was: {sha256(place / _JAR)}")
