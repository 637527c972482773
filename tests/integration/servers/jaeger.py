"""A real Jaeger, with its receivers for OTLP and its query API; without web pages, which its Go module doesn't carry.

Built once, by Go, from what ``jaeger/go.mod`` and ``jaeger/go.sum`` pin. Up in a fraction of a second, 55 MB of memory.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final
from urllib.request import ProxyHandler, build_opener

from tests.integration.servers.cache import Missing, once
from tests.integration.servers.process import Process, free_port, until

__all__ = ["Jaeger", "get"]

VERSION: Final = "1.76.0"  # of the Go module; the program calls itself 2.13.0
_MODULE: Final = Path(__file__).with_name("jaeger")
_PACKAGE: Final = "github.com/jaegertracing/jaeger/cmd/jaeger"
_GO: Final = (1, 24)
_UP: Final = 60.0  # seconds, on a machine that is busy
_DIRECT: Final = build_opener(ProxyHandler({}))

_CONFIGURATION: Final = """\
service:
  extensions: [jaeger_storage, jaeger_query, healthcheckv2]
  pipelines:
    traces: {{receivers: [otlp], exporters: [jaeger_storage_exporter]}}
  telemetry:
    metrics: {{level: none}}
    logs: {{level: warn}}
extensions:
  jaeger_query:
    storage: {{traces: memory}}
    http: {{endpoint: "127.0.0.1:{query}"}}
    grpc: {{endpoint: "127.0.0.1:{query_grpc}"}}
  jaeger_storage:
    backends: {{memory: {{memory: {{max_traces: 100000}}}}}}
  healthcheckv2:
    use_v2: true
    http: {{endpoint: "127.0.0.1:{health}"}}
receivers:
  otlp:
    protocols:
      grpc: {{endpoint: "127.0.0.1:{grpc}"}}
      http: {{endpoint: "127.0.0.1:{http}"}}
exporters:
  jaeger_storage_exporter: {{trace_storage: memory}}
"""


class Jaeger:
    """A Jaeger that keeps traces in memory."""

    def __init__(self, work: Path) -> None:
        """
        Args:
            work: Where its configuration and its log are.

        Raises:
            Missing: It can't be built here.
        """
        self._program = once(f"jaeger-{VERSION}", _build) / "jaeger"
        self._work = work
        self._ports = {name: free_port() for name in ("grpc", "http", "query", "query_grpc", "health")}
        self._process: Process | None = None
        self.query_url = f"http://127.0.0.1:{self._ports['query']}"

    def otlp(self, protocol: str) -> dict[str, str]:
        """The variables that have an exporter send here, by ``grpc`` or ``http/protobuf``."""
        port = self._ports["grpc" if protocol == "grpc" else "http"]
        return {
            "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
        }

    def start(self) -> None:
        """Start it, and wait until it answers."""
        configuration = self._work / "jaeger.yaml"
        configuration.write_text(_CONFIGURATION.format(**self._ports))
        clean = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
        command = [str(self._program), "--config", f"file:{configuration}"]
        self._process = Process(command, self._work / "jaeger.log", clean, self._work)
        health = f"http://127.0.0.1:{self._ports['health']}/status"
        self._process.wait("Jaeger", lambda: get(health), _UP)

    @property
    def process(self) -> Process:
        assert self._process is not None, "not started"
        return self._process

    def stop(self) -> None:
        """End it at once: what it has is in memory, and it would take its time."""
        if self._process is not None:
            self._process.kill()

    def trace(self, trace_id: str, spans: int) -> bytes:
        """A trace as OTLP/JSON, once it has that many spans."""

        def look() -> bytes:
            trace = get(f"{self.query_url}/api/v3/traces/{trace_id}")["result"]
            found = [span for each in trace["resourceSpans"] for scope in each["scopeSpans"] for span in scope["spans"]]
            return json.dumps(trace).encode() if len(found) == spans else b""

        return until(f"{spans} spans of {trace_id} in Jaeger", look, _UP)

    def traces(self, service: str) -> dict[str, list[str]]:
        """The names of the spans of each trace of a service."""
        found = get(f"{self.query_url}/api/traces?service={service}&limit=100000&lookback=1h")["data"]
        return {trace["traceID"]: [span["operationName"] for span in trace["spans"]] for trace in found}


def get(url: str) -> Any:
    """What a server answers, which is JSON."""
    with _DIRECT.open(url, timeout=30) as reply:
        return json.loads(reply.read())


def _build(place: Path) -> None:
    go = _go()
    for name in ("go.mod", "go.sum"):
        shutil.copy(_MODULE / name, place)
    command = [go, "build", "-mod=readonly", "-trimpath", "-ldflags=-s -w", "-o", str(place / "jaeger"), _PACKAGE]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True)
    if done.returncode:
        raise Missing(f"Go could not build Jaeger: {done.stderr[-500:]}")


def _go() -> str:
    """The Go program.

    Raises:
        Missing: There is none, or it is too old.
    """
    wanted = ".".join(map(str, _GO))
    advice = f"install Go {wanted} or later (https://go.dev/dl/)"
    try:
        told = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True).stdout
    except OSError as error:
        raise Missing(f"no Go: {error}; {advice}") from None
    found = re.search(r"go(\d+)\.(\d+)", told)
    if not found or (int(found[1]), int(found[2])) < _GO:
        raise Missing(f"Go {told.strip() or 'of an unknown version'}; {advice}")
    return "go"
