"""The statements of sessions, asked for by a pattern: each session is described when it is looked at, and let go."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final, Protocol

from otel_prov.describe import DEFAULT_SHAPE, DEFAULT_VIEW, Quad, describe
from otel_prov.describe.pattern import Pattern, labels, matching
from otel_prov.describe.uris import retrieval_of
from otel_prov.describe.vocabulary import RETRIEVAL
from otel_prov.steps import Session
from otel_prov.uris import DOCUMENTS, GRAPH, PROV

__all__ = ["Statements", "owner"]

_OF_PROV: Final = re.compile("(.+)#prov", re.DOTALL)
"""The graph of a session's PROV view."""
_SELECTION: Final = re.compile(f"{PROV}(?:edge|chunk):(.+):[0-9]+", re.DOTALL)
_STEP: Final = re.compile(r"[/#][^/#]*")


class _Sessions(Protocol):
    """Where sessions are: the store, or another place."""

    def session(self, uri: str) -> Session | None: ...


class Statements:
    """The statements of all sessions of a place, as they are described."""

    def __init__(
        self, there: _Sessions, uris: Iterable[str], shape: str = DEFAULT_SHAPE, view: str = DEFAULT_VIEW
    ) -> None:
        """
        Args:
            there: The place.
            uris: All sessions of it, asked for one by one, and only if it takes all.
            shape: One of :data:`otel_prov.describe.SHAPES`.
            view: One of :data:`otel_prov.describe.VIEWS`; a pattern that names a graph looks into that one.
        """
        self._there = there
        self._uris = uris
        self._shape = shape
        self._view = view

    def match(self, pattern: Pattern, limit: int | None = None) -> Iterator[Quad]:
        """The statements that a pattern means; one session after the other, and only the one that the subject, or the
        graph, belongs to, if it is one of these. ``limit`` is how many will be asked for, at most."""
        view, uris = self._view, self._uris
        if pattern.graph is not None:
            own = _OF_PROV.fullmatch(pattern.graph)
            if pattern.graph != RETRIEVAL and not own:
                return
            view = "explanation" if own is None else "prov"
            uris = uris if own is None else [own[1]]
        if pattern.subject is not None and (found := owner(self._there, pattern.subject)) is not None:
            uris = [found]
        for uri in uris:
            session = self._there.session(uri)
            if session is not None:  # not pruned meanwhile
                yield from matching(pattern, describe(session, self._shape, view))

    def labels(self, nodes: Collection[str]) -> dict[str, str]:
        """What nodes of sessions are called, as far as that is known."""
        found: dict[str, str] = {}
        for uri in {owner(self._there, node) for node in nodes} - {None}:
            session = self._there.session(str(uri))
            quads = describe(session, self._shape, "both") if session is not None else []
            found |= labels(quads)
        return {node: found[node] for node in nodes if node in found}


def owner(there: _Sessions, node: str) -> str | None:
    """The session that a node belongs to, by the node's name; ``None`` if there is none such."""
    named = retrieval_of(node)
    selected = _SELECTION.fullmatch(node)
    guesses = [named[0]] if named else []
    guesses += [GRAPH + selected[1], DOCUMENTS + selected[1]] if selected else []
    return next((uri for uri in (*guesses, *_beginnings(node)) if there.session(uri) is not None), None)


def _beginnings(node: str) -> Iterator[str]:
    """The node, and what its name begins with, up to each ``/`` and ``#``, the longest first."""
    yield node
    for match in reversed(list(_STEP.finditer(node))):
        yield node[: match.start()]
