"""OTLP and the graph do not wait for each other: one may be away, refuse, hang or be full, the other has all."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from otel_prov.keep import Store
from tests.keep.conftest import mount

pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="pip install opentelemetry-exporter-otlp")

SESSIONS = 20
SPANS = 2 * SESSIONS
LONGEST = 60.0  # seconds that anything may take
AGENT = f"""
import otel_prov
otel_prov.install()
for number in range({SESSIONS}):
    with otel_prov.session(f"Why {{number}}?", session_id=f"s-{{number}}") as run:
        with otel_prov.iteration() as step:
            step.record(thought="Hm. " * 200, action="look", arguments={{}}, observation="seen")
        run.record(answer="Because.")
print("done", sum(otel_prov.losses().values()), flush=True)
"""


class Otlp:
    """Listens where OTLP is sent to over HTTP. ``status`` is what it answers; with none it takes the connection, and
    never answers while the test runs."""

    def __init__(self, status: int | None) -> None:
        self.spans = 0
        self.asked, self._end = threading.Event(), threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.asked.set()
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if status is None:
                    outer._end.wait(LONGEST)
                    return
                outer.spans += _spans(body) if status == 200 else 0
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._end.set()
        self._server.shutdown()
        self._server.server_close()


def _spans(body: bytes) -> int:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    request = ExportTraceServiceRequest.FromString(body)
    return sum(len(scope.spans) for resource in request.resource_spans for scope in resource.scope_spans)


@pytest.fixture
def otlp() -> Iterator[Callable[[int | None], Otlp]]:
    """Starts one; all are ended in the end."""
    with contextlib.ExitStack() as stack:

        def start(status: int | None) -> Otlp:
            server = Otlp(status)
            stack.callback(server.close)
            return server

        yield start


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts the agent, which exports at once, and gives OTLP so many seconds."""
    started: list[subprocess.Popen[str]] = []

    def start(store: Path, url: str, timeout: float) -> subprocess.Popen[str]:
        environment = {
            **os.environ,
            "NO_PROXY": "*",
            "OTEL_TRACES_EXPORTER": "otlp,prov",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
            "OTEL_EXPORTER_OTLP_ENDPOINT": url,
            "OTEL_EXPORTER_OTLP_TIMEOUT": str(timeout),
            "OTEL_BSP_SCHEDULE_DELAY": "1",
            "OTEL_EXPORTER_PROV_STORE": str(store),
        }
        process = subprocess.Popen(
            [sys.executable, "-c", AGENT], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def said(process: subprocess.Popen[str]) -> str:
    """What the agent says when its work is done, before OpenTelemetry ends its own."""
    assert process.stdout is not None
    return process.stdout.readline()


def answers(store: Path) -> int:
    """How many sessions the store knows that have ended well."""
    with Store(store) as kept:
        kept.take_in()
        return [summary.outcome for summary in kept.sessions(limit=None)].count("final")


def nobody() -> str:
    """Where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


@pytest.mark.parametrize("status", [None, 400, 503], ids=["silent", "refusing", "overloaded"])
def test_the_graph_is_complete_before_the_agent_ends_whatever_otlp_does(
    tmp_path: Path,
    otlp: Callable[[int | None], Otlp],
    start: Callable[..., subprocess.Popen[str]],
    status: int | None,
) -> None:
    server = otlp(status)
    process = start(tmp_path / "store", server.url, 30 if status is None else 1)
    assert said(process) == "done 0\n", "while a batch hangs for thirty seconds"
    assert answers(tmp_path / "store") == SESSIONS
    assert server.asked.wait(LONGEST)
    if status is None:
        assert process.poll() is None, "OpenTelemetry waits for an answer, and we for nothing"
    else:
        process.communicate(timeout=LONGEST)
        assert process.returncode == 0


def full(tmp_path: Path) -> Path:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount(disk, "-t", "tmpfs", "-o", "size=16k", "tmpfs")
    return disk


def not_writable(tmp_path: Path) -> Path:
    store = tmp_path / "store"
    store.write_text("a file where the folder should be")
    return store


@pytest.fixture(params=[full, not_writable])
def unfit(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A store that can't be written, or not for long."""
    yield request.param(tmp_path)
    if (tmp_path / "disk").exists():
        subprocess.run(["umount", "--lazy", tmp_path / "disk"], check=False)


def test_otlp_gets_every_span_though_the_store_can_not_be_written(
    unfit: Path, otlp: Callable[[int | None], Otlp], start: Callable[..., subprocess.Popen[str]]
) -> None:
    server = otlp(200)
    out, err = start(unfit, server.url, 10).communicate(timeout=LONGEST)
    assert int(out.removeprefix("done ")) > 0, "and what the graph has not is counted"
    assert "span not recorded: journal not writable" in err
    assert server.spans == SPANS


@pytest.mark.parametrize("is_silent", [True, False])
def test_with_both_away_the_agent_runs_on_and_ends_in_the_time_that_otlp_has(
    tmp_path: Path,
    otlp: Callable[[int | None], Otlp],
    start: Callable[..., subprocess.Popen[str]],
    is_silent: bool,
) -> None:
    process = start(not_writable(tmp_path), otlp(None).url if is_silent else nobody(), 1)
    assert said(process).startswith("done "), "long before anybody has answered"
    process.communicate(timeout=LONGEST)
    assert process.returncode == 0
