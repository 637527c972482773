"""A store that answers as a test tells it: Oxigraph in this process, behind HTTP that can go wrong."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Final
from urllib.parse import parse_qs

import pyoxigraph

__all__ = ["Answer", "StandIn"]

Answer = tuple[int, dict[str, str], bytes]
"""Status, headers, body."""

_TEXT: Final = {"Content-Type": "text/plain; charset=utf-8"}


class StandIn:
    """Answers ``POST /update`` and ``POST /query``; ``refuse`` comes first, and says what goes wrong."""

    def __init__(self) -> None:
        self.store = pyoxigraph.Store()
        self.refuse: Callable[[bytes, dict[str, str]], Answer | None] = lambda body, headers: None
        """Given body and headers of an update (names in lower case), the answer to it; ``None`` lets it through."""
        self.updates: list[bytes] = []
        """The bodies of all updates, in their order."""
        self.connections = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"sparql+http://127.0.0.1:{self._server.server_port}/update"

    def __enter__(self) -> StandIn:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, headers: dict[str, str], body: bytes) -> Answer:
        if path == "/query":
            found = self.store.query(parse_qs(body.decode())["query"][0])
            return 200, {}, bytes(found.serialize(format=pyoxigraph.QueryResultsFormat.JSON) or b"")  # type: ignore[union-attr]
        self.updates.append(body)
        if (refusal := self.refuse(body, headers)) is not None:
            return refusal
        try:
            self.store.update(body.decode())
        except SyntaxError as error:
            return 400, _TEXT, str(error).encode()
        return 204, {}, b""

    def refusing(self, mark: str, status: int, reason: str = "no") -> None:
        """Refuse each update that has this text in it."""
        self.refuse = lambda body, headers: (status, _TEXT, reason.encode()) if mark.encode() in body else None


def _handler(store: StandIn) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16  # headers and body in one piece

        def setup(self) -> None:
            store.connections += 1
            super().setup()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            try:
                status, told, text = store.answer(self.path, headers, body)
            except ConnectionAbortedError:
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in told.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is said."""

    return Handler
