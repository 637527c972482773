"""Whether OTLP arrives is told by sending an empty request, in a bounded time."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from otel_prov.checks import otlp as otlp_check
from otel_prov.checks import reach
from otel_prov.checks.check import Check
from otel_prov.checks.otlp import otlp

PROTOCOLS = ("grpc", "http/protobuf")


@pytest.fixture
def closed() -> int:
    """A port on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Check]:
    """What is said of an endpoint."""
    pytest.importorskip("opentelemetry.exporter.otlp", reason="pip install opentelemetry-exporter-otlp")
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp,prov")
    monkeypatch.setenv("NO_PROXY", "*")

    def ask(protocol: str, port: int, **variables: str) -> Check:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{port}")
        for name, value in variables.items():
            monkeypatch.setenv(f"OTEL_EXPORTER_OTLP_{name}", value)
        (check,) = otlp()
        return check

    return ask


class Receiver(ThreadingHTTPServer):
    """Answers every request with a status, and keeps what was asked."""

    def __init__(self, status: int) -> None:
        asked = self.asked = list[tuple[str, str | None, bytes]]()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                asked.append((self.path, self.headers["Authorization"], body))
                self.send_response(status)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)


@pytest.fixture
def receiver() -> Iterator[Callable[[int], Receiver]]:
    """Starts receivers for OTLP over HTTP."""
    made: list[Receiver] = []

    def make(status: int) -> Receiver:
        made.append(Receiver(status))
        threading.Thread(target=made[-1].serve_forever, daemon=True).start()
        return made[-1]

    yield make
    for each in made:
        each.shutdown()
        each.server_close()


def test_an_empty_request_goes_where_spans_would_go_with_the_same_credentials(
    ask: Callable[..., Check], receiver: Callable[[int], Receiver]
) -> None:
    server = receiver(200)
    check = ask("http/protobuf", server.server_port, HEADERS="Authorization=Bearer%20hush")
    assert (check.ok, check.found) == (True, f"127.0.0.1:{server.server_port} takes OTLP over HTTP")
    assert server.asked == [("/v1/traces", "Bearer hush", b"")]


@pytest.mark.parametrize(("status", "said"), [(401, "Unauthorized"), (404, "Not Found")])
def test_what_refuses_is_told_with_what_it_says(
    ask: Callable[..., Check], receiver: Callable[[int], Receiver], status: int, said: str
) -> None:
    check = ask("http/protobuf", receiver(status).server_port)
    assert not check.ok
    assert "listens, but does not take OTLP over HTTP" in check.found
    assert said in check.found
    assert "OTEL_EXPORTER_OTLP_ENDPOINT and _HEADERS" in check.remedy
    assert logging.getLogger("opentelemetry.exporter").handlers == []


def test_the_wrong_protocol_is_told_with_the_other_one(
    monkeypatch: pytest.MonkeyPatch, ask: Callable[..., Check], receiver: Callable[[int], Receiver]
) -> None:
    monkeypatch.setattr(reach, "PATIENCE", 2.0)
    check = ask("grpc", receiver(200).server_port)
    assert "listens, but does not take OTLP over gRPC" in check.found
    assert "_PROTOCOL=http/protobuf" in check.remedy


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_listens_and_says_nothing_is_waited_for_no_longer_than_allowed(
    monkeypatch: pytest.MonkeyPatch, ask: Callable[..., Check], protocol: str
) -> None:
    monkeypatch.setattr(reach, "PATIENCE", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        check = ask(protocol, server.getsockname()[1])
    assert not check.ok
    assert "listens, but does not take OTLP" in check.found


def test_without_the_exporter_it_is_only_seen_whether_something_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(otlp_check, "entry_points", lambda **_: ())
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp")
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.getsockname()[1]}")
        (check,) = otlp()
    assert check.ok
    assert check.found.endswith("listens; whether it takes OTLP can't be told without the exporter")


def test_otlp_is_looked_at_only_where_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "console,prov")
    assert list(otlp()) == []


def test_what_does_not_listen_is_told_with_the_remedy(monkeypatch: pytest.MonkeyPatch, closed: int) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp_proto_http")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{closed}")
    (check,) = otlp()
    assert not check.ok
    assert f"127.0.0.1:{closed} can't be reached" in check.found
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in check.remedy


@pytest.mark.parametrize("url", ["http://", "http://host:port", "http://[::1"])
def test_what_is_no_endpoint_is_told(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
    (check,) = otlp()
    assert not check.ok
    assert repr(url) in check.found


@pytest.mark.parametrize(("insecure", "scheme"), [("", "https"), ("true", "http")])
def test_grpc_without_a_scheme_is_secure_unless_it_is_said_otherwise(
    monkeypatch: pytest.MonkeyPatch, insecure: str, scheme: str
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_INSECURE", insecure)
    assert otlp_check._parts("jaeger:4317") == (scheme, "jaeger", 4317)
