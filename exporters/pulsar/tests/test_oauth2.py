"""Tokens from an issuer: asked for with a time limit, and believed by a real broker."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from otel_prov.deliver.destination import Parcel, Unreachable
from otel_prov.describe.quads import Literal, Quad
from tests.integration.servers.pulsar import Broker

from otel_prov_exporter_pulsar.oauth2 import Key, Tokens


class Issuer:
    """Gives the tokens that it is told to give."""

    def __init__(self) -> None:
        self.forms: list[dict[str, list[str]]] = []
        self.token: Callable[[], dict[str, Any]] = lambda: {"access_token": "t", "expires_in": 3600}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                assert self.path == "/.well-known/openid-configuration"
                self.reply({"token_endpoint": f"{outer.url}/token"})

            def do_POST(self) -> None:
                form = self.rfile.read(int(self.headers["Content-Length"])).decode()
                outer.forms.append(parse_qs(form))
                self.reply(outer.token())

            def reply(self, told: Any) -> None:
                body = json.dumps(told).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    made = Issuer()
    yield made
    made.close()


def test_a_token_is_asked_for_with_all_of_the_key_and_only_when_needed(issuer: Issuer) -> None:
    tokens = Tokens(Key(issuer.url, "me", "secret", "urn:broker", "produce"))
    tokens.renew()
    tokens.renew()
    assert tokens.now() == "t"
    assert issuer.forms == [
        {
            "grant_type": ["client_credentials"],
            "client_id": ["me"],
            "client_secret": ["secret"],
            "audience": ["urn:broker"],
            "scope": ["produce"],
        }
    ]


def test_a_token_that_ends_soon_is_renewed(issuer: Issuer) -> None:
    issuer.token = lambda: {"access_token": f"t{len(issuer.forms)}", "expires_in": 30}
    tokens = Tokens(Key(issuer.url, "me", "secret"))
    tokens.renew()
    tokens.renew()
    assert tokens.now() == "t2"


def test_an_issuer_that_gives_no_token_is_named(issuer: Issuer) -> None:
    issuer.token = lambda: {"error": "no"}
    with pytest.raises(OSError, match=rf"{issuer.url} answers without an access_token"):
        Tokens(Key(issuer.url, "me", "secret")).renew()
    with pytest.raises(OSError, match=r"http://127\.0\.0\.1:9/\.well-known/openid-configuration: .*refused"):
        Tokens(Key("http://127.0.0.1:9", "me", "secret")).renew()


@pytest.mark.integration
def test_a_real_broker_believes_the_issuers_token(
    pulsar_broker_secure: Broker, sender: Callable[..., Any], issuer: Issuer, tmp_path: Path
) -> None:
    name = pulsar_broker_secure.namespace("oauth2") + "triples"
    key = tmp_path / "key.json"
    key.write_text(json.dumps({"issuer_url": issuer.url, "client_id": "me", "client_secret": "secret"}))
    told = {
        "topic": name,
        "oauth2_file": str(key),
        "certificate": str(pulsar_broker_secure.certificates / "ca.pem"),
    }
    target = sender(pulsar_broker_secure.tls_url, **told)
    parcel = Parcel(1, "urn:s", "urn:s", "default", [Quad("urn:s", "urn:p", Literal("x"))])
    issuer.token = lambda: {"error": "not yet"}
    with pytest.raises(Unreachable, match=r"there is no token for .* answers without an access_token"):
        target.send([parcel])
    issuer.token = lambda: {"access_token": pulsar_broker_secure.token(seconds=8), "expires_in": 8}
    assert target.send([parcel]) == [None]
    expired = time.monotonic() + 11
    while time.monotonic() < expired:  # beyond the end of the first token, and the broker's look at it
        assert target.send([parcel]) == [None]
