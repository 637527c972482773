"""The sessions that live in TrustGraph, of agents and of retrievals, asked for as those of the local store are."""

from __future__ import annotations

import logging
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from datetime import datetime, timezone
from itertools import islice
from typing import Any, Final

from otel_prov import names
from otel_prov.describe import Quad, recognise, uris
from otel_prov.describe import vocabulary as v
from otel_prov.describe.pattern import Pattern, labels
from otel_prov.fetch.gateway import Gateway
from otel_prov.fetch.graph import MOST, RemoteGraph
from otel_prov.fetch.summary import outcome, summary
from otel_prov.fetch.texts import with_texts
from otel_prov.keep import Summary
from otel_prov.read.nesting import outer_of
from otel_prov.steps import Session

__all__ = ["TrustGraph", "trustgraph"]

_log = logging.getLogger("otel_prov")

_QUESTIONS: Final = (v.AGENT_SESSION, v.AGENT_QUESTION, v.QUESTION, v.GRAPH_RAG_QUESTION, v.DOC_RAG_QUESTION)
_STEPS: Final = (
    v.AGENT_ITERATION,
    v.ANALYSIS,
    v.OBSERVATION,
    v.AGENT_FINAL,
    v.CONCLUSION,
    v.EXPLORATION,
    v.SYNTHESIS,
    v.PLAN,
    v.STEP_RESULT,
    v.DECOMPOSITION,
    v.FINDING,
)
_KINDS: Final = (names.AGENT, names.GRAPH_RAG, names.DOCUMENT_RAG)
_TOGETHER: Final = 24  # sessions of which it is asked at once what they derive from
_NAMES: Final = (uris.ITERATION, uris.OBSERVATION, uris.CONCLUSION, uris.PART, uris.WHOLE)
_LONG_AGO: Final = datetime.min.replace(tzinfo=timezone.utc)
_MEANT: Final = 10  # URIs that find gives at most


@contextmanager
def trustgraph(url: str, collection: str | None = None) -> Iterator[TrustGraph]:
    """The sessions behind a gateway, as the environment lets us in.

    ``TRUSTGRAPH_TOKEN`` and ``TRUSTGRAPH_WORKSPACE`` count as for TrustGraph's own programs; where they are not set,
    what the exporter for Pulsar goes by (``OTEL_EXPORTER_PROV_LIBRARIAN_TOKEN``, ``_WORKSPACE``, ``_FLOW``) does.

    Raises:
        FetchError: There is no way in.
    """
    token = _variable("TRUSTGRAPH_TOKEN", "OTEL_EXPORTER_PROV_LIBRARIAN_TOKEN")
    workspace = _variable("TRUSTGRAPH_WORKSPACE", "OTEL_EXPORTER_PROV_WORKSPACE")
    flow = _variable("OTEL_EXPORTER_PROV_FLOW") or "default"
    with Gateway(url, token, workspace or None) as gateway:
        yield TrustGraph(gateway, collection or names.DEFAULT_COLLECTION, flow)


class TrustGraph:
    """The sessions of one collection, as they were when they were first asked for.

    TrustGraph keeps neither an agent's name nor the end of a session; its outcome is ``final`` where it has a
    conclusion, and else ``None``. Every method raises :class:`~otel_prov.fetch.FetchError`.
    """

    def __init__(self, gateway: Gateway, collection: str, flow: str = "default") -> None:
        self._gateway = gateway
        self._graph = RemoteGraph(gateway, collection, flow)
        self._all: list[Session] | None = None  # the listed ones, newest first, with their question
        self._counted = True  # whether they have all of their steps, too, though without texts
        self._whole: dict[str, list[Quad]] = {}
        self._inside: dict[str, list[str]] = {}
        self.collection = collection
        self.place = f"collection {collection!r} of workspace {gateway.workspace!r} at {gateway.url}; "
        self.place += "--collection and TRUSTGRAPH_WORKSPACE name others"

    def sessions(
        self,
        *,
        collection: str | None = None,
        agent: str | None = None,
        text: str | None = None,
        outcome: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        nested: bool = True,
        limit: int | None = 50,
    ) -> list[Summary]:
        """The newest sessions, by start, that meet all conditions: see :meth:`otel_prov.keep.Store.sessions`.

        Looking for a ``text`` reads every session that meets the others, newest first, until there are enough.
        """
        if agent is not None or collection not in (None, self.collection):
            return []
        found = (
            listed
            for session in (self._listed() if nested else self._outermost())
            if _within(session.question.started, since, until)
            if not text or self._mentions(session.uri, text)
            if outcome in (None, (listed := self._summary(session)).outcome)
        )
        return list(islice(found, limit))

    def session(self, uri: str) -> Session | None:
        """One session, with its texts from the librarian where they are there; ``None`` if there is none."""
        return self._recognised(uri, with_texts(self._gateway, self._about(uri)))

    def inside(self, uri: str) -> list[str]:
        """URIs of the sessions that ran inside of one: see :meth:`otel_prov.keep.Store.inside`."""
        self._about(uri)
        return self._inside[uri]

    def match(self, pattern: Pattern, limit: int | None = None) -> Iterator[Quad]:
        """All statements of the collection that a pattern means, also those that are about no session."""
        return (quad for quad in self._graph.stream(pattern, limit) if not quad.graph or pattern.matches(quad))

    def labels(self, nodes: Collection[str]) -> dict[str, str]:
        """What nodes are called, as far as the collection has names for them."""
        answers = self._graph.match([Pattern(node, v.RDFS_LABEL) for node in nodes])
        return labels(quad for quads in answers for quad in quads)

    def find(self, reference: str) -> list[str]:
        """URIs of the sessions that a person may mean: ``latest``, a URI or an id, whole or its beginning."""
        if not reference:
            return []
        if reference == "latest":
            return [session.uri for session in islice(self._outermost(), 1)]
        starts = (reference, *(names.session_uri(reference, kind) for kind in _KINDS))
        for uri in starts:
            if self._exists(uri):
                return [uri]
        return sorted(session.uri for session in self._listed() if session.uri.startswith(starts))[:_MEANT]

    def _exists(self, uri: str) -> bool:
        if self._all is not None:
            return any(session.uri == uri for session in self._all)
        return self._recognised(uri, self._about(uri)) is not None

    def _listed(self) -> list[Session]:
        """All sessions, newest first."""
        if self._all is None:
            sessions = self._outlines()
            self._all = sorted(sessions, key=lambda s: (s.question.started or _LONG_AGO, s.uri), reverse=True)
        return self._all

    def _outermost(self) -> Iterator[Session]:
        """All sessions, newest first, but for those that ran inside of others that are here."""
        sessions = self._listed()
        known = {session.uri for session in sessions}
        for start in range(0, len(sessions), _TOGETHER):
            some = sessions[start : start + _TOGETHER]
            answers = self._graph.match([Pattern(session.uri, v.PROV_DERIVED) for session in some])
            for session, quads in zip(some, answers, strict=True):
                if not any(isinstance(q.object, str) and outer_of(q.object) in known for q in quads):
                    yield session

    def _outlines(self) -> list[Session]:
        """All sessions by a dozen patterns for the whole collection, and what these leave open one by one."""
        kinds = [Pattern(predicate=v.RDF_TYPE, object=kind) for kind in (*_QUESTIONS, *_STEPS)]
        texts = [Pattern(predicate=predicate) for predicate in (v.TG_QUERY, v.PROV_STARTED)]
        answers = dict(zip([*kinds, *texts], self._graph.match([*kinds, *texts]), strict=True))
        full = {pattern.object for pattern, quads in answers.items() if len(quads) == MOST}
        if not full.isdisjoint(_QUESTIONS):
            _log.warning("TrustGraph tells of %d sessions at once; it may have more than are listed", MOST)
        self._counted = full.isdisjoint(_STEPS)
        quads = [quad for answer in answers.values() for quad in answer]
        quads += self._graph.above(quads, _strays(answers))
        unknown = [s.uri for s in recognise(quads) if None in (s.question.text, s.question.started)]
        return recognise(quads + self._graph.about(unknown))

    def _about(self, uri: str) -> list[Quad]:
        if uri not in self._whole:
            self._whole[uri], self._inside[uri] = self._graph.below(uri)
        return self._whole[uri]

    def _recognised(self, uri: str, quads: list[Quad]) -> Session | None:
        for session in recognise(quads):
            if session.uri == uri:
                return replace(session, collection=self.collection, outcome=outcome(session))
        return None

    def _mentions(self, uri: str, text: str) -> bool:
        session = self.session(uri)
        return session is not None and any(text.casefold() in told.casefold() for told in _texts(session.steps))

    def _summary(self, session: Session) -> Summary:
        if not self._counted:
            session = self._recognised(session.uri, self._about(session.uri)) or session
        return summary(session, self.collection)


def _within(started: datetime | None, since: datetime | None, until: datetime | None) -> bool:
    if started is None:
        return since is None and until is None
    return (since is None or started >= _in_utc(since)) and (until is None or started < _in_utc(until))


def _in_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)


def _strays(answers: dict[Pattern, list[Quad]]) -> set[str]:
    """The steps whose names don't tell which of the sessions they belong to."""
    questions = {q.subject for pattern in answers if pattern.object not in _STEPS for q in answers[pattern]}
    steps = {q.subject for pattern in answers if pattern.object in _STEPS for q in answers[pattern]}
    placed = {step for step in steps for name in _NAMES if (match := name.fullmatch(step)) and match[1] in questions}
    placed |= {step for step in steps if (found := uris.retrieval_of(step)) and found[0] in questions}
    return steps - placed


def _texts(value: Any) -> Iterator[str]:
    """All texts in a session, or in a part of it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _texts(part)
    elif is_dataclass(value):
        for each in fields(value):
            yield from _texts(getattr(value, each.name))


def _variable(*variables: str) -> str:
    """The first of these that is set."""
    return next((value for name in variables if (value := os.environ.get(name, "").strip())), "")
