"""What goes wrong with ``--from`` is one line with the remedy, and soon."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from click.testing import Result

from otel_prov.describe import describe
from otel_prov.fetch import gateway as fetch_gateway
from otel_prov.fetch.gateway import Gateway
from tests.show.sessions import a_session, uri

pytest.importorskip("websockets", reason="not installed; pip install 'otel-prov[trustgraph]'")

from websockets.sync.server import ServerConnection

from .gateway import GatewayOfTests, serving

Call = Callable[..., Result]


def complaint(call: Call, *arguments: object, expect: int = 1) -> str:
    """The one line on standard error."""
    result = call(*arguments, expect=expect)
    assert result.stdout == ""
    assert result.stderr.startswith("otel-prov: ")
    assert result.stderr.count("\n") == 1
    return str(result.stderr)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch_gateway, "PATIENCE", 0.5)


@pytest.fixture
def deaf() -> Iterator[str]:
    """A server that takes connections, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@contextlib.contextmanager
def web_server(status: int) -> Iterator[str]:
    """Some other web server."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_nobody_there(call: Call) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    for command in (["list"], ["show", "latest"], ["export", "-o", "-"]):
        assert complaint(call, *command, "--from", f"{url}/") == (
            f"otel-prov: {url}: cannot be reached: Connection refused; is TrustGraph's gateway there?\n"
        )


def test_a_name_that_is_none(call: Call) -> None:
    assert "cannot be reached" in complaint(call, "list", "--from", "http://gateway.invalid:8888")


@pytest.mark.usefixtures("impatient")
def test_a_server_that_says_nothing(call: Call, deaf: str) -> None:
    assert "no answer within 0.5 s" in complaint(call, "list", "--from", deaf)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("service", ["auth", "triples"])
def test_a_gateway_that_stops_answering(call: Call, gateway: GatewayOfTests, service: str) -> None:
    gateway.silent = (service,)
    assert "no answer within 0.5 s" in complaint(call, "list", "--from", gateway.url)


@pytest.mark.usefixtures("impatient")
def test_a_gateway_that_answers_something_else_for_ever(call: Call) -> None:
    def talk(client: ServerConnection) -> None:
        client.recv()
        client.send(json.dumps({"type": "auth-ok"}))
        with contextlib.suppress(Exception):
            while True:
                client.send(json.dumps({"id": "another", "response": {}, "complete": True}))

    with serving(talk) as url:
        assert "no answer within 0.5 s" in complaint(call, "list", "--from", url)


@pytest.mark.parametrize("status", [200, 404, 502])
def test_another_web_server(call: Call, status: int) -> None:
    with web_server(status) as url:
        assert complaint(call, "list", "--from", url) == (
            f"otel-prov: {url}: does not answer as TrustGraph's gateway does; "
            "give the address and port of the gateway\n"
        )


@pytest.mark.parametrize("greeting", ["hello", "[]", "{}", "[" * 100_000, b"\xff"])
def test_another_websocket_server(call: Call, greeting: str | bytes) -> None:
    def talk(client: ServerConnection) -> None:
        client.recv()
        client.send(greeting)

    with serving(talk) as url:
        assert "does not answer as TrustGraph's gateway does" in complaint(call, "list", "--from", url)


def test_a_connection_that_is_cut(call: Call) -> None:
    with serving(lambda client: client.close()) as url:
        assert "the connection was cut" in complaint(call, "list", "--from", url)


def test_a_wrong_token(call: Call, gateway: GatewayOfTests) -> None:
    gateway.token = "right"
    assert complaint(call, "list", "--from", gateway.url) == (
        f"otel-prov: {gateway.url}: refuses the token; set TRUSTGRAPH_TOKEN to one that it knows\n"
    )


@pytest.mark.parametrize("status", [401, 403])
def test_a_server_before_the_gateway_that_refuses_the_token(call: Call, status: int) -> None:
    with web_server(status) as url:
        assert "refuses the token" in complaint(call, "list", "--from", url)


@pytest.mark.parametrize("variable", ["TRUSTGRAPH_TOKEN", "OTEL_EXPORTER_PROV_LIBRARIAN_TOKEN"])
def test_the_right_token_from_either_variable(
    call: Call, gateway: GatewayOfTests, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    gateway.token = "right"
    gateway.put(describe(a_session(1)))
    monkeypatch.setenv(variable, "right")
    assert "00000001" in call("list", "--from", gateway.url).stdout


def test_the_workspace_is_the_one_of_the_token_or_the_one_that_is_named(
    call: Call, gateway: GatewayOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway.workspaces = ("own", "other")
    gateway.put(describe(a_session(1)))
    for named, used in ((None, "own"), ("other", "other")):
        if named:
            monkeypatch.setenv("TRUSTGRAPH_WORKSPACE", named)
        call("list", "--from", gateway.url)
        assert gateway.asked[-1]["workspace"] == used
    monkeypatch.setenv("TRUSTGRAPH_WORKSPACE", "none")
    assert "has no workspace 'none'; set TRUSTGRAPH_WORKSPACE" in complaint(call, "list", "--from", gateway.url)


def test_an_unknown_flow(call: Call, gateway: GatewayOfTests, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_FLOW", "night")
    assert "flow 'night'): Invalid flow default/night" in complaint(call, "list", "--from", gateway.url)


def test_an_unknown_collection_and_no_match(call: Call, gateway: GatewayOfTests) -> None:
    gateway.put(describe(a_session(1)))
    there = ("--from", gateway.url)
    for command in (["list"], ["show", "latest"], ["export", "-o", "-"]):
        assert complaint(call, *command, *there, "--collection", "none") == (
            f"otel-prov: no sessions in collection 'none' of workspace 'default' at {gateway.url}; "
            "--collection and TRUSTGRAPH_WORKSPACE name others\n"
        )
    assert "no session matches" in complaint(call, "list", *there, "--since", "2030-01-01")


def test_what_trustgraph_does_not_keep_cannot_be_asked_for(call: Call, gateway: GatewayOfTests) -> None:
    there = ("--from", gateway.url)
    assert "leave out --agent" in complaint(call, "list", *there, "--agent", "clerk", expect=2)
    assert "leave out --outcome" in complaint(call, "list", *there, "--outcome", "error", expect=2)
    assert "--collection goes with --from" in complaint(call, "show", "latest", "--collection", "x", expect=2)
    assert "not both" in complaint(call, "export", uri(1), *there, "--text", "x", "-o", "-", expect=2)


@pytest.mark.parametrize(
    "url", ["gateway:8888", "ws://gateway", "http://", "http://g:x", "http://g:0", "http://g/?token=x", "http://a b"]
)
def test_an_address_that_is_none(call: Call, url: str) -> None:
    assert "write it like http://gateway:8888" in complaint(call, "list", "--from", url, expect=2)


def test_a_secret_in_an_address_is_not_repeated(call: Call) -> None:
    said = complaint(call, "list", "--from", "http://me:hidden@gateway", expect=2)
    assert "TRUSTGRAPH_TOKEN" in said
    assert "hidden" not in said


def test_without_the_websocket_client_the_extra_is_named(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "websockets.sync.client", None)
    assert complaint(call, "list", "--from", "http://127.0.0.1:1") == (
        "otel-prov: reading from TrustGraph needs a WebSocket client: pip install 'otel-prov[trustgraph]'\n"
    )


def test_the_websocket_client_is_loaded_by_who_reads_from_a_gateway_only() -> None:
    program = "import sys, otel_prov.show.cli, otel_prov.fetch.graph; print('websockets' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "False\n"


def test_answers_find_their_requests_in_whatever_order_and_pieces() -> None:
    def talk(client: ServerConnection) -> None:
        client.recv()
        client.send(json.dumps({"type": "auth-ok", "default_workspace": "w"}))
        asked = [json.loads(client.recv()) for _ in range(3)]
        for complete in (False, True):
            for frame in reversed(asked):
                part = {"echo": frame["request"]["n"], "last": complete}
                client.send(json.dumps({"id": frame["id"], "response": part, "complete": complete}))
            client.send(json.dumps({"id": "stray", "response": {}, "complete": True}))

    with serving(talk) as url, Gateway(url) as gateway:
        answers = gateway.ask("anything", [{"n": number} for number in range(3)])
    assert [answer.error for answer in answers] == [None] * 3
    assert [answer.parts for answer in answers] == [
        [{"echo": number, "last": False}, {"echo": number, "last": True}] for number in range(3)
    ]


def test_the_gateway_never_has_more_requests_at_once_than_it_takes() -> None:
    waiting: list[int] = []

    def talk(client: ServerConnection) -> None:
        client.recv()
        client.send(json.dumps({"type": "auth-ok"}))
        while sum(waiting) < 40:
            asked = []
            with contextlib.suppress(TimeoutError):
                while True:
                    asked.append(json.loads(client.recv(timeout=0.2))["id"])
            waiting.append(len(asked))
            for name in asked:
                client.send(json.dumps({"id": name, "response": {}, "complete": True}))

    with serving(talk) as url, Gateway(url) as gateway:
        answers = gateway.ask("anything", [{}] * 40)
    assert [answer.error for answer in answers] == [None] * 40
    assert max(waiting) <= 15
