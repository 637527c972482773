"""How terms of a knowledge graph are called: by their label where one is known, else by what their IRI ends with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import unquote

from otel_prov.describe.vocabulary import RDFS_LABEL
from otel_prov.fetch import Statements
from otel_prov.show.elsewhere import Sessions
from otel_prov.steps import Exploration, Focus, Session, Text, Triple
from otel_prov.uris import is_iri

__all__ = ["Name", "naming", "short"]

Name = Callable[[str | Text], str]
"""Gives the name of a term."""

_LAST_PART: Final = re.compile(r"(?:[^/#]+[/#](?=[^A-Za-z/#]+[/#]*\Z))?[^/#]+(?=[/#]*\Z)")
_MOST: Final = 100
"""Terms that a place is asked for the labels of: as many as a page shows that isn't asked for in full."""


def short(term: str | Text) -> str:
    """A text or a name as it is, an IRI by the last part of its path, or by two where the last is but a number."""
    if isinstance(term, Text):
        return " ".join(term.value.split())
    if not is_iri(term):
        return term
    match = _LAST_PART.search(term) if term.startswith(("http://", "https://")) else None
    return unquote(match[0]) if match else term.removeprefix("urn:")


def naming(there: Sessions, sessions: Sequence[Session], *, full: bool) -> Name:
    """How terms in what these sessions found are to be called: with ``full``, IRIs stand there whole, too.

    Labels are looked for in the graph that the sessions are in, and among the edges that they selected.
    """
    terms = dict.fromkeys(term for session in sessions for term in _terms(session))
    iris = [term for term in terms if isinstance(term, str) and is_iri(term)]
    labels = {
        edge.subject: edge.object.value
        for session in sessions
        for edge in _edges(session)
        if edge.predicate == RDFS_LABEL and isinstance(edge.object, Text)
    }
    if isinstance(there, Statements) and iris:
        labels |= there.labels(iris if full else iris[:_MOST])
    return lambda term: _named(term, labels, full=full)


def _named(term: str | Text, labels: Mapping[str, str], *, full: bool) -> str:
    label = " ".join(labels.get(term, "").split()) if isinstance(term, str) else ""
    if not full or isinstance(term, Text) or not is_iri(term):
        return label or short(term)
    return f"{label} <{term}>" if label else term


def _edges(session: Session) -> Iterator[Triple]:
    return (each.edge for step in session.of(Focus) for each in step.selections if each.edge is not None)


def _terms(session: Session) -> Iterator[str | Text]:
    for step in session.of(Exploration):
        yield from step.entities
    for edge in _edges(session):
        yield from (edge.subject, edge.predicate, edge.object)
