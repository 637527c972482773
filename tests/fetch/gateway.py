"""A gateway of TrustGraph's as the tests need it: a real server of its protocol, with a graph and a librarian."""

from __future__ import annotations

import base64
import contextlib
import json
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from otel_prov.describe import Literal, Quad, QuotedTriple

__all__ = ["GatewayOfTests", "serving"]

_TERMS = {"i": "i", "l": "v"}


@dataclass
class GatewayOfTests:
    """What it holds, how it behaves, and what it was asked."""

    graph: dict[str, list[Quad]] = field(default_factory=dict)
    """Statements by collection."""
    documents: dict[str, str] = field(default_factory=dict)
    token: str = ""
    workspaces: tuple[str, ...] = ("default",)
    """The first belongs to the token."""
    forgetful: bool = False
    """Whether it forgets which objects are IRIs, and all named graphs, as TrustGraph on FalkorDB does."""
    page: int = 5_000
    """How many statements it finds at most, in the order of subjects, as TrustGraph on Cassandra does."""
    silent: tuple[str, ...] = ()
    """Services that don't answer; ``auth`` is one."""
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)

    def put(self, quads: Iterable[Quad], collection: str = "default") -> None:
        """Add statements."""
        self.graph.setdefault(collection, []).extend(quads)

    def talk(self, socket: ServerConnection) -> None:
        """Answer one client until it goes."""
        let_in = False
        with contextlib.suppress(ConnectionClosed):
            for text in socket:
                frame = json.loads(text)
                self.asked.append(frame)
                if frame.get("type") == "auth":
                    let_in = frame["token"] == self.token
                    ok = {"type": "auth-ok", "default_workspace": self.workspaces[0]}
                    answers = [ok if let_in else {"type": "auth-failed", "error": "auth failure"}]
                    service = "auth"
                else:
                    service = frame["service"]
                    answers = [{"id": frame["id"], **answer} for answer in self._answers(frame, let_in)]
                for answer in answers if service not in self.silent else ():
                    socket.send(json.dumps(answer))

    def _answers(self, frame: dict[str, Any], let_in: bool) -> Iterator[dict[str, Any]]:
        if not let_in:
            yield _failed("auth failure", "auth-required")
        elif frame["workspace"] not in self.workspaces:
            yield _failed("workspace not found", "workspace-not-found")
        elif frame["service"] == "librarian" and frame["request"]["operation"] == "get-document-content":
            yield self._document(frame["request"]["document-id"])
        elif frame["service"] != "triples":
            yield _failed("unknown service", "unknown-service")
        elif frame.get("flow") != "default":
            yield _failed(f"Invalid flow {frame['workspace']}/{frame.get('flow')}", "error")
        else:
            yield from self._triples(frame["request"])

    def _document(self, name: str) -> dict[str, Any]:
        if name not in self.documents:
            error = {"type": "unexpected-error", "message": "No such document row?"}
            return {"response": {"error": error}, "complete": True}
        content = base64.b64encode(self.documents[name].encode()).decode()
        return {"response": {"content": content}, "complete": True}

    def _triples(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        wanted = [request[key][_TERMS[request[key]["t"]]] if key in request else None for key in "spo"]
        known = self.graph.get(request["collection"], [])
        if self.forgetful:
            known = [quad for quads in self.graph.values() for quad in quads]
        found = [quad for quad in dict.fromkeys(known) if _matches(quad, wanted)]
        found = sorted(found, key=lambda quad: quad.subject)[: min(self.page, request["limit"])]
        size = request["batch-size"] if request["streaming"] else len(found) or 1
        batches = [found[start : start + size] for start in range(0, len(found), size)] or [[]]
        for batch in batches:
            triples = [self._triple(quad) for quad in batch]
            yield {"response": {"response": triples}, "complete": batch is batches[-1]}

    def _triple(self, quad: Quad) -> dict[str, Any]:
        told = {"s": {"t": "i", "i": quad.subject}, "p": {"t": "i", "i": quad.predicate}, "o": self._term(quad.object)}
        return told if self.forgetful or not quad.graph else {**told, "g": quad.graph}

    def _term(self, target: str | Literal | QuotedTriple) -> dict[str, Any]:
        if isinstance(target, QuotedTriple):
            return {"t": "t", "tr": dict(zip("spo", map(self._term, target), strict=True))}
        text = target.text if isinstance(target, Literal) else target
        is_iri = text.startswith(("http://", "https://")) if self.forgetful else isinstance(target, str)
        if is_iri or not isinstance(target, Literal):
            return {"t": "i" if is_iri else "l", "i" if is_iri else "v": text}
        return {"t": "l", "v": text, **({"ln": target.language} if target.language and not self.forgetful else {})}


def _matches(quad: Quad, wanted: list[str | None]) -> bool:
    told = (quad.subject, quad.predicate, quad.object.text if isinstance(quad.object, Literal) else quad.object)
    return all(want in (None, value) for want, value in zip(wanted, told, strict=True))


def _failed(message: str, kind: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind}, "complete": True}


@contextlib.contextmanager
def serving(talk: Callable[[ServerConnection], None]) -> Iterator[str]:
    """A WebSocket server that talks so, on loopback; gives its URL as a user would write it."""
    with serve(talk, "127.0.0.1", 0, compression=None) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.socket.getsockname()[1]}"
        finally:
            server.shutdown()
            thread.join()
