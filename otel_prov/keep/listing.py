"""Finding sessions."""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice
from typing import Any

from otel_prov.keep import rows
from otel_prov.keep.standing import INTERRUPTED, RUNNING, WAITING, Standing
from otel_prov.names import AGENT, DOCUMENT_RAG, GRAPH_RAG, session_uri
from otel_prov.steps import Session

__all__ = ["Filter", "Summary", "find", "inside", "page", "session", "summaries"]

_MEANT = 10  # URIs that find gives at most
_PAGE = 500  # sessions that are read at once
_SPAN_ID = re.compile("[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Summary:
    """A row of the list of sessions."""

    uri: str
    type: str
    """``agent``, ``graph-rag`` or ``document-rag``."""
    pattern: str | None
    """Of an agent, ``plan`` or ``supervisor`` where it works so."""
    question: str | None
    started: datetime | None
    """Start of the session, or of the earliest of its spans that is known. In UTC."""
    ended: datetime | None
    iterations: int
    """How many iterations are known."""
    outcome: str | None
    """As recorded (``OUTCOME_*`` of :mod:`otel_prov.names`), else ``running``, ``interrupted`` or ``waiting``; ``None``
    where that isn't known: of an imported session, or one without a span of its own yet."""
    collection: str | None
    agent: str | None
    trace_id: str | None


@dataclass(frozen=True, slots=True)
class Filter:
    """Which sessions; ``None`` is all."""

    collection: str | None = None
    agent: str | None = None
    text: str | None = None
    outcome: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    nested: bool = True

    def conditions(self) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """SQL conditions with their values."""
        if self.collection is not None:
            yield "collection = ?", (rows.writable(self.collection),)
        if self.agent is not None:
            yield "agent = ?", (rows.writable(self.agent),)
        if self.outcome in (RUNNING, INTERRUPTED):
            yield "outcome IS NULL AND EXISTS (SELECT 1 FROM span WHERE session = session.id AND ended = 0)", ()
        elif self.outcome == WAITING:
            yield "outcome IS NULL AND EXISTS (SELECT 1 FROM span WHERE session = session.id)", ()
        elif self.outcome is not None:
            yield "outcome = ?", (rows.writable(self.outcome),)
        if self.since is not None:
            yield "started >= ?", (rows.micros(self.since),)
        if self.until is not None:
            yield "started < ?", (rows.micros(self.until),)
        if not self.nested:
            known = "EXISTS (SELECT 1 FROM session AS known WHERE known.uri = session.parent)"
            yield f"(parent IS NULL OR NOT {known})", ()
        if self.text:
            yield "EXISTS (SELECT 1 FROM step WHERE session = session.id AND mentions(body))", ()


def summaries(db: sqlite3.Connection, wanted: Filter, standing: Standing) -> Iterator[Summary]:
    """The sessions that a filter lets through, newest first; read as they are asked for."""
    db.create_function("mentions", 1, _mentions(wanted.text or ""), deterministic=True)
    conditions, values = zip(*wanted.conditions(), ("true", ()), strict=True)
    found = db.execute(
        "SELECT id, uri, type, pattern, question, started, ended, iterations, outcome, collection, agent, trace_id "
        f"FROM session WHERE {' AND '.join(conditions)} ORDER BY started DESC, uri DESC",
        list(chain(*values)),
    )
    for number, uri, kind, pattern, question, started, ended, iterations, recorded, *others in found:
        outcome = standing.outcome(number, recorded)
        if wanted.outcome in (None, outcome):
            times = rows.moment(started), rows.moment(ended)
            yield Summary(uri, kind, pattern, question, *times, iterations, outcome, *others)


def session(db: sqlite3.Connection, uri: str, standing: Standing) -> Session | None:
    """One session with all its steps."""
    facts = "id, ended, outcome, collection, agent, user, model, trace_id, error, type, caller, version"
    row = db.execute(f"SELECT {facts} FROM session WHERE uri = ?", (rows.writable(uri),)).fetchone()
    if row is None:
        return None
    number, ended, recorded, collection, agent, user, model, trace_id, error, kind, caller, version = row
    steps = [rows.decode(*step) for step in db.execute("SELECT kind, body FROM step WHERE session = ?", (number,))]
    return Session(
        uri,
        tuple(sorted(steps, key=rows.position)),
        kind=kind,
        caller=caller,
        collection=collection,
        agent=agent,
        user=user,
        model=model,
        version=version,
        trace_id=trace_id,
        ended=rows.moment(ended),
        outcome=standing.outcome(number, recorded),
        error=error,
    )


def page(db: sqlite3.Connection, before: int) -> list[tuple[int, str]]:
    """Numbers and URIs of the sessions that came in before one, the last ones first; empty behind the first one."""
    return db.execute("SELECT id, uri FROM session WHERE id < ? ORDER BY id DESC LIMIT ?", (before, _PAGE)).fetchall()


def inside(db: sqlite3.Connection, uri: str) -> list[str]:
    """URIs of the sessions that ran inside of one, by start."""
    found = db.execute("SELECT uri FROM session WHERE parent = ? ORDER BY started, uri", (rows.writable(uri),))
    return [uri for (uri,) in found]


def find(db: sqlite3.Connection, reference: str, standing: Standing) -> list[str]:
    """URIs of the sessions that a person may mean, see :meth:`otel_prov.keep.Store.find`."""
    if reference == "latest":
        return [newest.uri for newest in islice(summaries(db, Filter(nested=False), standing), 1)]
    if not (reference := rows.writable(reference)):
        return []
    starts = [reference, *(session_uri(reference, kind) for kind in (AGENT, GRAPH_RAG, DOCUMENT_RAG))]
    for start in starts:
        if db.execute("SELECT 1 FROM session WHERE uri = ?", (start,)).fetchone():
            return [start]
    found = [*_of_trace(db, reference.lower()), *_of_span(db, reference.lower())]
    for start in starts:
        after = start + chr(sys.maxunicode)
        found += db.execute(
            "SELECT uri FROM session WHERE uri BETWEEN ? AND ? ORDER BY uri LIMIT ?", (start, after, _MEANT)
        )
    return list(dict.fromkeys(uri for (uri,) in found))[:_MEANT]


def _of_trace(db: sqlite3.Connection, trace_id: str) -> list[tuple[str]]:
    """A session that went on in another process has a trace of each; an imported one has no spans here."""
    return db.execute(
        "SELECT uri FROM session WHERE trace_id = :trace OR id IN (SELECT session FROM span WHERE trace_id = :trace) "
        "ORDER BY uri LIMIT :most",
        {"trace": trace_id, "most": _MEANT},
    ).fetchall()


def _of_span(db: sqlite3.Connection, span_id: str) -> list[tuple[str]]:
    """The index has span ids behind trace ids, so this reads all of it: 0.1 s for a million spans, and asked rarely."""
    if not _SPAN_ID.fullmatch(span_id):
        return []
    return db.execute(
        "SELECT DISTINCT uri FROM span JOIN session ON session.id = session WHERE span_id = ? ORDER BY uri LIMIT ?",
        (span_id, _MEANT),
    ).fetchall()


def _mentions(text: str) -> Callable[[bytes], bool]:
    """Whether an encoded step has a text in any of its texts, whatever its case.

    Most steps have it nowhere, so that one look at the whole will do.
    """
    wanted = text.casefold()
    in_json = json.dumps(wanted, ensure_ascii=False)[1:-1]

    def mentions(body: bytes) -> bool:
        return in_json in body.decode().casefold() and any(wanted in text.casefold() for text in rows.texts(body))

    return mentions
