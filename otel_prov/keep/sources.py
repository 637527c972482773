"""What steps name of the world outside, such as pages, files and documents: an index over all sessions.

So the question which answers rest on a source is answered without reading them all.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from otel_prov.keep import rows
from otel_prov.steps import (
    Analysis,
    Exploration,
    Finding,
    Focus,
    Observation,
    Selection,
    Session,
    Step,
    StepResult,
    Text,
)

__all__ = ["Naming", "add", "fill", "forget", "named_in", "naming", "sources"]

_IRI = re.compile(r"\b(?:https?://|s3://|file:/|urn:|doi:)[^\s<>\"'`\\^{}|\x00-\x20]+", re.IGNORECASE)
_ENDINGS = ".,;:!?*_"  # that belong to the sentence around an address
_BRACKETS = {")": "(", "]": "["}
_LONGEST = 500  # characters of an argument that may be a name of something

_SEPARATORS = "/?#:"  # that lead from a source to its parts
_LAST = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Naming:
    """A step that names a source."""

    session: str
    """URI of the session."""
    question: str | None
    started: datetime | None
    step: Step
    source: str
    """The source as it is named: the one that was asked for, or a part of it."""
    answer: str | None
    """What the session answered."""
    answered: bool
    """Whether the session has come to an answer, recorded or not."""


def sources(step: Step) -> set[str]:
    """All that a step names: addresses in what was done and seen, and each text, short and on one line, that a tool was
    called with, for it may be a file, a key or a question; the session that ran inside of a call, or did a part of the
    work, by its last node; and what a retrieval found and selected."""
    match step:
        case Analysis():
            return set(_named(step.arguments))
        case Observation():
            inside = [] if step.sub_trace is None else [step.sub_trace]
            return {*_named(step.arguments), *_addresses(step.text or ""), *inside}
        case StepResult() | Finding():
            inside = [] if step.sub_trace is None else [step.sub_trace]
            return {*_addresses(step.goal or ""), *_addresses(step.text or ""), *inside}
        case Exploration():
            return {*step.entities, *step.chunk_ids}
        case Focus():
            return {name for selection in step.selections for name in _selected(selection)}
    return set()


def add(db: sqlite3.Connection, session: int, steps: Iterable[tuple[str, Step]]) -> None:
    """Enter what steps, each under its key, name now."""
    found = [(rows.writable(source), session, key) for key, step in steps for source in sources(step)]
    db.executemany("INSERT OR IGNORE INTO source (name, session, key) VALUES (?, ?, ?)", found)


def forget(db: sqlite3.Connection, session: int, keys: Iterable[str]) -> None:
    """Take out what steps named before they changed."""
    db.executemany("DELETE FROM source WHERE session = ? AND key = ?", [(session, key) for key in keys])


def fill(db: sqlite3.Connection) -> None:
    """Enter all steps of a database that had no index."""
    for session, key, kind, body in db.execute("SELECT session, key, kind, body FROM step").fetchall():
        add(db, session, [(key, rows.decode(kind, body))])


def naming(db: sqlite3.Connection, source: str) -> Iterator[Naming]:
    """The steps that name a source or a part of it (a page of a site, a chunk of a document), oldest session first."""
    source = rows.writable(source)
    ranges = " OR ".join(["source.name = ?"] + ["source.name BETWEEN ? AND ?"] * len(_SEPARATORS))
    values = [source, *(text for each in _SEPARATORS for text in (_part(source, each), _part(source, each) + _LAST))]
    found = db.execute(
        "SELECT source.name, session.uri, session.question, session.started, step.kind, step.body, "
        "final.kind, final.body FROM source JOIN session ON session.id = source.session "
        "JOIN step ON step.session = source.session AND step.key = source.key "
        "LEFT JOIN step AS final ON final.session = source.session AND final.key IN ('final', 'synthesis') "
        f"WHERE {ranges} ORDER BY session.started, session.uri, step.seq",
        values,
    )
    for name, uri, question, started, kind, body, final, last in found:
        end = Session(uri, (rows.decode(final, last),) if final else ())
        yield Naming(uri, question, rows.moment(started), rows.decode(kind, body), name, end.answer, end.answered)


def named_in(session: Session, source: str) -> Iterator[Naming]:
    """The steps of one session that name a source or a part of it, where there is no index."""
    parts = tuple(_part(source, separator) for separator in _SEPARATORS)
    question = session.question
    for step in session.steps:
        for name in sorted(sources(step)):
            if name == source or name.startswith(parts):
                yield Naming(session.uri, question.text, question.started, step, name, session.answer, session.answered)


def _part(source: str, separator: str) -> str:
    """How the name of a part begins; a source that ends like that has parts of one kind only."""
    return source if source.endswith(tuple(_SEPARATORS)) else source + separator


def _selected(selection: Selection) -> Iterator[str]:
    """A chunk, and the terms of an edge, of which a text is a name only where it is short."""
    if selection.chunk is not None:
        yield selection.chunk
    if edge := selection.edge:
        yield edge.subject
        yield edge.predicate
        target = edge.object.value if isinstance(edge.object, Text) else edge.object
        yield from _addresses(target)
        if 0 < len(target) <= _LONGEST and "\n" not in target:
            yield target


def _named(arguments: str | None) -> Iterator[str]:
    """Addresses in arguments, and every text that may be a name."""
    if arguments is None:
        return
    for text in _texts(arguments):
        yield from _addresses(text)
        if 0 < len(text) <= _LONGEST and "\n" not in text:
            yield text


def _texts(arguments: str) -> Iterator[str]:
    """The texts in JSON; the whole where it isn't JSON."""
    try:
        waiting = [json.loads(arguments)]
    except (ValueError, RecursionError):
        waiting = [arguments]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, (list, dict)):
            waiting += value.values() if isinstance(value, dict) else value


def _addresses(text: str) -> Iterator[str]:
    if ":" in text:
        for match in _IRI.finditer(text):
            yield _trimmed(match[0])


def _trimmed(address: str) -> str:
    """An address without the punctuation of the sentence that it stands in."""
    while True:
        shorter = address.rstrip(_ENDINGS)
        last = shorter[-1:]
        if last in _BRACKETS and shorter.count(last) > shorter.count(_BRACKETS[last]):
            shorter = shorter[:-1]
        if shorter == address:
            return address
        address = shorter
