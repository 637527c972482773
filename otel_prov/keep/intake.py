"""Taking in the journals: each line once, while its writer lives and after."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from otel_prov import names
from otel_prov.keep import rows
from otel_prov.keep.evidence import Evidence, Key, Rows, derive, link, load, save
from otel_prov.keep.schema import writing
from otel_prov.keep.settling import renumber
from otel_prov.losses import lost
from otel_prov.read import Span, parse_line, session_of
from otel_prov.record import journal
from otel_prov.steps import Conclusion, Synthesis

__all__ = ["NOT_READ", "Intake", "take_in"]

NOT_READ = "journal file not taken in"

_CHUNK = 4 * 1024 * 1024  # bytes of one transaction; other writers get their turn in between
_LARGEST = 2**31  # number of an iteration that makes sense
_KEPT_OF_A_BAD_LINE = 4096  # bytes
_SENSELESS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading raises for values that nobody has thought of. Only what came with them is set aside."""


@dataclass(frozen=True, slots=True)
class Intake:
    """How much was taken in."""

    spans: int = 0
    """Records of spans; a span that was recorded at its start and at its end counts twice."""
    bad_lines: int = 0
    """Lines that were set aside: torn, foreign, or with a span that can't be read."""
    skipped: int = 0
    """Spans of no agent."""

    def __add__(self, other: Intake) -> Intake:
        return Intake(self.spans + other.spans, self.bad_lines + other.bad_lines, self.skipped + other.skipped)


@dataclass(frozen=True, slots=True)
class _Record:
    """One record of one span, and where it came from."""

    span: Span
    line: bytes
    offset: int


@dataclass(slots=True)
class _Chunk:
    """What a piece of a journal file holds."""

    records: dict[str, list[_Record]] = field(default_factory=dict)
    """By the URI of their session."""
    bad: dict[int, tuple[str, bytes]] = field(default_factory=dict)
    """Reason and line, by offset."""
    skipped: int = 0


def take_in(db: sqlite3.Connection, folder: Path) -> Intake:
    """Take in all that the journals of a store hold now, and remove those whose writers are gone.

    A file that can't be read is left for another time, and counted as a loss.
    """
    total = Intake()
    for file in journal.files(folder):
        try:
            for part in _take_file(db, file):
                total += part
        except FileNotFoundError:
            pass  # another process has just taken in the rest of it and removed it
        except OSError as error:
            lost(NOT_READ, f"{file}: {error.strerror or error}")
    _forget_removed(db, folder)
    return total


def _take_file(db: sqlite3.Connection, file: Path) -> Iterator[Intake]:
    """Take in one file. Its lock is held for the end only: who looks meanwhile takes its writer for alive."""
    yield from _take_lines(db, file)
    with journal.hold(file) as gone:
        if gone:
            yield from _take_lines(db, file, to_the_end=True)
            if os.name != "nt":
                file.unlink()
    if gone and os.name == "nt":  # where no open file can be removed, so neither one that a writer is just opening
        file.unlink()


def _take_lines(db: sqlite3.Connection, file: Path, *, to_the_end: bool = False) -> Iterator[Intake]:
    """Take in all whole lines that are new, and with ``to_the_end`` also what a torn write has left."""
    while file.stat().st_size > _offset(db, file):
        with writing(db):
            part = _take_chunk(db, file, to_the_end)
        if part is None:
            return
        yield part


def _offset(db: sqlite3.Connection, file: Path) -> int:
    """How far a file has been taken in."""
    row = db.execute("SELECT offset FROM journal WHERE file = ?", (file.name,)).fetchone()
    return row[0] if row else 0


def _forget_removed(db: sqlite3.Connection, folder: Path) -> None:
    """A file is removed after its last line is committed, and a name never comes again."""
    names = [name for (name,) in db.execute("SELECT file FROM journal")]
    removed = [(name,) for name in names if not (folder / "journal" / name).exists()]
    if removed:
        with writing(db):
            db.executemany("DELETE FROM journal WHERE file = ?", removed)


def _take_chunk(db: sqlite3.Connection, file: Path, to_the_end: bool) -> Intake | None:
    """Take in the next whole lines; ``None`` if there are none."""
    offset = _offset(db, file)
    with file.open("rb") as stream:
        stream.seek(offset)
        data = stream.read(_CHUNK) + stream.readline()
    if not to_the_end:
        data = data[: data.rfind(b"\n") + 1]
    if not data:
        return None
    chunk = _parse(data, offset)
    spans = sum(_take_session(db, uri, chunk, journal.writer_of(file)) for uri in chunk.records)
    link(db, chunk.records)
    now = time.time_ns() // 1000
    db.executemany(
        "INSERT OR IGNORE INTO bad_line (file, offset, found, reason, line) VALUES (?, ?, ?, ?, ?)",
        [(file.name, at, now, reason, line[:_KEPT_OF_A_BAD_LINE]) for at, (reason, line) in chunk.bad.items()],
    )
    db.execute(
        "INSERT OR REPLACE INTO journal (file, writer, offset) VALUES (?, ?, ?)",
        (file.name, journal.writer_of(file), offset + len(data)),
    )
    return Intake(spans, len(chunk.bad), chunk.skipped)


def _parse(data: bytes, offset: int) -> _Chunk:
    """Sort the spans of some lines by session; what isn't a line of spans is set aside."""
    chunk = _Chunk()
    for line in data.split(b"\n"):
        try:
            for span in parse_line(line) if line.strip() else ():
                if (uri := session_of(span)) is None:
                    chunk.skipped += 1
                else:
                    record = _Record(span, line, offset)
                    chunk.records.setdefault(uri, []).append(record)
        except _SENSELESS as error:
            chunk.bad[offset] = (str(error), line)
        offset += len(line) + 1
    return chunk


def _take_session(db: sqlite3.Connection, uri: str, chunk: _Chunk, writer: str) -> int:
    """Add the records of one session to what is known of it. Gives how many made sense; the others are set aside."""
    records = chunk.records[uri]
    numbers = [_number(record.span) or 0 for record in records]
    known = load(db, uri, since=min(numbers) - 1)  # the one before may have counted as the conclusion's thought
    try:
        fresh, derived = _added(known, records)
        if known.since is not None and derived is not None and not derived.goes_on:
            known = load(db, uri)
            fresh, derived = _added(known, records)
    except _SENSELESS:
        known = load(db, uri)
        records = _sound(known, records, [], chunk)
        fresh, derived = _added(known, records)
    if derived is not None:
        went_on = known.id is not None and not _is_over(db, known.id)
        number = save(db, known, derived)
        if went_on and _is_over(db, number):
            _tell_end(db, number)
        db.executemany(
            "INSERT OR REPLACE INTO span (session, trace_id, span_id, ended, writer, body, number)"
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (number, *key, record.span.end > 0, writer, record.span.raw, _number(record.span))
                for key, record in fresh.items()
            ],
        )
    return len(records)


def _number(span: Span) -> int | None:
    """Number of the iteration that a span belongs to."""
    number = span.attributes.get(names.ITERATION_NUMBER)
    return number if type(number) is int and 0 < number < _LARGEST else None


def _is_over(db: sqlite3.Connection, session: int) -> bool:
    (outcome,) = db.execute("SELECT outcome FROM session WHERE id = ?", (session,)).fetchone()
    return outcome is not None


def _tell_end(db: sqlite3.Connection, session: int) -> None:
    """Where no conclusion tells of a session's end, have its last step sent once more.

    Destinations get steps; what is known of the session as a whole, which the PROV view tells, comes with one of them.
    """
    found = db.execute("SELECT seq, kind, body FROM step WHERE session = ?", (session,))
    steps = [(rows.decode(kind, body), seq) for seq, kind, body in found]
    if steps and not any(isinstance(step, Conclusion | Synthesis) for step, _ in steps):
        renumber(db, [max(steps, key=lambda told: rows.position(told[0]))[1]])


def _added(known: Evidence, records: Iterable[_Record]) -> tuple[dict[Key, _Record], Rows | None]:
    """The records that tell more than what is known, and what the session then reads as, if there are any."""
    spans = dict(known.spans)
    fresh: dict[Key, _Record] = {}
    for record in records:
        key = (record.span.trace_id, record.span.span_id)
        if key not in spans or spans[key].newer(record.span) is not spans[key]:
            spans[key] = record.span
            fresh[key] = record
    return fresh, derive(replace(known, spans=spans)) if fresh else None


def _sound(known: Evidence, records: list[_Record], sound: list[_Record], chunk: _Chunk) -> list[_Record]:
    """The records with which, added to the sound ones, the session can be read; sets the others aside."""
    try:
        _added(known, [*sound, *records])
    except _SENSELESS as error:
        if len(records) == 1:
            chunk.bad[records[0].offset] = (f"a span that can't be read ({error})", records[0].line)
            return sound
        middle = len(records) // 2
        return _sound(known, records[middle:], _sound(known, records[:middle], sound, chunk), chunk)
    return [*sound, *records]
