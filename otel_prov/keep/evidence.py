"""From what is known of a session, its spans and what was imported, to its rows in the tables that people read.

Evidence is only ever added. Whatever is added, the rows are made anew from all of it, so that they never depend on
the order in which it came. While a session goes on, that is all that bears on what is new: its own iterations, the one
before them, and what belongs to none; so a step of a long session costs what one of a short session does.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

import orjson

from otel_prov.keep import rows, sources
from otel_prov.keep.standing import INTERRUPTED, RUNNING, WAITING
from otel_prov.read import Span, read
from otel_prov.read.nesting import last_node, outer_of, with_sub_traces
from otel_prov.steps import Analysis, Session, Step

__all__ = ["Evidence", "Key", "Rows", "add", "completed", "derive", "link", "load", "save", "spans"]

Key = tuple[str, str]
"""Trace id and span id."""
T = TypeVar("T", Session, Step)

_COLUMNS = (
    "uri, type, question, started, ended, active, iterations, outcome, collection, agent, user, model, trace_id, "
    "error, parent, caller, last, version, pattern"
)
_ACTIVE, _OUTCOME = (_COLUMNS.split(", ").index(name) for name in ("active", "outcome"))
_INSERT = f"INSERT INTO session ({_COLUMNS}) VALUES ({', '.join('?' * len(_COLUMNS.split(', ')))})"
_UPDATE = f"UPDATE session SET ({_COLUMNS}) = ({', '.join('?' * len(_COLUMNS.split(', ')))}) WHERE id = ?"


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that the database knows of one session."""

    uri: str
    id: int | None = None
    """Number of its row; ``None`` for a session that is new."""
    spans: Mapping[Key, Span] = field(default_factory=dict)
    imported: Session | None = None
    inner: Mapping[str, str] = field(default_factory=dict)
    """The last node of the session inside of an iteration, by the IRI of the iteration."""
    since: int | None = None
    """Number of the first iteration whose spans are here; ``None`` where all spans are."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What the evidence reads as."""

    session: tuple[Any, ...]
    steps: dict[str, tuple[str, bytes]]
    """Kind and body, by key, in their natural order."""

    @property
    def goes_on(self) -> bool:
        """Whether the session began here and has not concluded: what is new of it then changes nothing before it."""
        over = self.session[_OUTCOME] is not None or not self.steps.keys().isdisjoint(("final", "synthesis"))
        return "question" in self.steps and not over


def load(db: sqlite3.Connection, uri: str, since: int = 0) -> Evidence:
    """What is known of a session so far; while it goes on, only of iterations from a number on, if one is given."""
    row = db.execute("SELECT id, outcome FROM session WHERE uri = ?", (uri,)).fetchone()
    inner = _inner(db, uri)
    if row is None:
        return Evidence(uri, inner=inner)
    number, outcome = row
    imported = db.execute("SELECT body FROM imported WHERE session = ?", (number,)).fetchone()
    since = since if since > 1 and outcome is None and not imported else 0
    return Evidence(
        uri,
        number,
        {(span.trace_id, span.span_id): span for span in spans(db, number, since)},
        rows.load_session(imported[0]) if imported else None,
        inner,
        since or None,
    )


def spans(db: sqlite3.Connection, session: int, since: int = 0) -> Iterator[Span]:
    """The spans of a session; of its iterations only those from a number on."""
    some = "number IS NULL UNION ALL SELECT body FROM span WHERE session = :session AND number >= :since"
    query = f"SELECT body FROM span WHERE session = :session AND {some if since > 1 else 'TRUE'}"
    for (body,) in db.execute(query, {"session": session, "since": since}):
        yield Span.of(orjson.loads(body))


def _inner(db: sqlite3.Connection, uri: str) -> dict[str, str]:
    found = db.execute("SELECT caller, last FROM session WHERE parent = ? ORDER BY started, uri", (uri,))
    return dict(found.fetchall())


def derive(evidence: Evidence) -> Rows:
    """Read the evidence. Raises whatever a reader raises for a span that makes no sense."""
    known = evidence.spans.values()
    found = read(known)
    session = completed(*found, *([evidence.imported] if evidence.imported else []))
    session = with_sub_traces(session, evidence.inner)
    started = session.question.started or rows.moment(min((span.start // 1000 for span in known), default=None))
    seen = rows.moment(max((max(span.start, span.end) // 1000 for span in known), default=None))
    active = max((time for time in (started, session.ended, seen) if time), default=None)
    summary = (
        session.uri,
        session.kind,
        session.question.text,
        rows.micros(started),
        rows.micros(session.ended),
        rows.micros(active),
        sum(1 for _ in session.of(Analysis)),
        session.outcome,
        session.collection,
        session.agent,
        session.user,
        session.model,
        session.trace_id,
        session.error,
        None if session.caller is None else outer_of(session.caller),
        session.caller,
        None if session.caller is None else last_node(session),
        session.version,
        session.pattern,
    )
    return Rows(summary, {rows.key(step): rows.encode(step) for step in session.steps})


def save(db: sqlite3.Connection, evidence: Evidence, derived: Rows) -> int:
    """Write a session's row, and those of its steps that have changed. Gives the number of its row."""
    if evidence.id is not None and evidence.since is not None:
        _save_part(db, evidence.id, evidence.since, derived)
        return evidence.id
    if evidence.id is None:
        number = db.execute(_INSERT, derived.session).lastrowid
        assert number is not None
        known: dict[str, bytes] = {}
    else:
        number = evidence.id
        db.execute(_UPDATE, (*derived.session, number))
        known = dict(db.execute("SELECT key, body FROM step WHERE session = ?", (number,)))
    _save_steps(db, number, known, derived.steps)
    return number


def _save_part(db: sqlite3.Connection, session: int, since: int, derived: Rows) -> None:
    """Write what is new of iterations from a number on; all else stays as it is."""
    some = "key GLOB 'i[0-9]*' AND CAST(substr(key, 2) AS INTEGER) >= ?"
    known = dict(db.execute(f"SELECT key, body FROM step WHERE session = ? AND {some}", (session, since)))
    steps = {key: step for key, step in derived.steps.items() if key[0] == "i" and key[1:2].isdigit()}
    more = sum("/" not in key for key in steps) - sum("/" not in key for key in known)
    _save_steps(db, session, known, steps)
    db.execute(
        "UPDATE session SET active = max(active, ?), iterations = iterations + ? WHERE id = ?",
        (derived.session[_ACTIVE], more, session),
    )


def _save_steps(
    db: sqlite3.Connection, session: int, known: Mapping[str, bytes], steps: Mapping[str, tuple[str, bytes]]
) -> None:
    """Write the steps that say something else than before.

    One that says the same with more around it (times, span ids, which don't count when steps are compared) keeps its
    number, so that it isn't sent again.
    """
    gone = known.keys() - steps.keys()
    changed = {key: step for key, step in steps.items() if known.get(key) != step[1]}
    read = {key: rows.decode(*step) for key, step in changed.items()}
    same = {key for key, step in read.items() if key in known and rows.decode(changed[key][0], known[key]) == step}
    db.executemany("DELETE FROM step WHERE session = ? AND key = ?", [(session, key) for key in gone])
    db.executemany(
        "UPDATE step SET body = ? WHERE session = ? AND key = ?", [(changed[key][1], session, key) for key in same]
    )
    db.executemany(
        "INSERT OR REPLACE INTO step (session, key, kind, body) VALUES (?, ?, ?, ?)",
        [(session, key, kind, body) for key, (kind, body) in changed.items() if key not in same],
    )
    sources.forget(db, session, gone | (changed.keys() & known.keys()))
    sources.add(db, session, list(read.items()))


def add(db: sqlite3.Connection, session: Session) -> None:
    """Add an imported session to what is known of it. Raises ``TypeError`` or ``OverflowError`` for one that can't be
    written."""
    session = _clean(session)
    if session.outcome in (RUNNING, INTERRUPTED, WAITING):  # how it stood for whoever wrote it
        session = replace(session, outcome=None)
    known = load(db, session.uri)
    imported = completed(session, known.imported) if known.imported else session
    body = rows.dump_session(imported)
    number = save(db, known, derive(replace(known, imported=imported)))
    db.execute("INSERT OR REPLACE INTO imported (session, body) VALUES (?, ?)", (number, body))
    link(db, [session.uri])


def link(db: sqlite3.Connection, sessions: Iterable[str]) -> None:
    """Read those sessions anew inside of which one of these ran, which may have told more."""
    found = (db.execute("SELECT parent FROM session WHERE uri = ?", (uri,)).fetchone() for uri in sessions)
    for uri in sorted({row[0] for row in found if row and row[0] is not None}):
        known = load(db, uri)
        if known.id is not None:
            save(db, known, derive(known))


def completed(first: Session, *others: Session) -> Session:
    """The first session, with what only the others know added: whole steps, and single fields."""
    for other in others:
        steps: dict[str, Step] = {rows.key(step): step for step in other.steps}
        for step in first.steps:
            key = rows.key(step)
            steps[key] = _filled(step, steps[key]) if key in steps else step
        whole = _filled(first, other)
        error = first.error if first.outcome else whole.error  # a session that has ended well has no error to add
        first = replace(whole, steps=tuple(sorted(steps.values(), key=rows.position)), error=error)
    return first


def _filled(first: T, other: T) -> T:
    """The first of two dataclasses, with the other's values where it has none."""
    missing = [each.name for each in fields(first) if getattr(first, each.name) in (None, ())]
    return replace(first, **{name: getattr(other, name) for name in missing})


def _clean(value: Any) -> Any:
    """A session of anybody's, or a part of it, as the database can hold it: proper text, times in UTC."""
    if isinstance(value, str):
        return rows.writable(value)
    if isinstance(value, datetime):
        return rows.moment(rows.micros(value))
    if isinstance(value, tuple):
        return tuple(map(_clean, value))
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{each.name: _clean(getattr(value, each.name)) for each in fields(value)})
    return value
