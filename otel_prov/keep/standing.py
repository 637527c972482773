"""How sessions stand that have come to no outcome."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import orjson

from otel_prov import names
from otel_prov.read import Span
from otel_prov.record import journal

__all__ = ["INTERRUPTED", "RUNNING", "WAITING", "Standing"]

RUNNING = "running"
"""Outcome of a session with an unfinished span whose writer is alive."""
INTERRUPTED = "interrupted"
"""Outcome of a session with unfinished spans whose writers are all gone."""
WAITING = "waiting"
"""Outcome of a session that no process has open: the last one that had it has handed it on, and left no outcome."""


class Standing:
    """Tells how sessions stand. Made for one question to the store: it asks for each writer once."""

    def __init__(self, db: sqlite3.Connection, folder: Path) -> None:
        self._db = db
        self._folder = folder
        self._alive: dict[str, bool] = {}

    def outcome(self, number: int, recorded: str | None) -> str | None:
        """Outcome of the session with this number, where ``recorded`` is none."""
        if recorded is not None:
            return recorded
        unfinished = "SELECT DISTINCT writer FROM span WHERE session = ? AND ended = 0"
        writers = [writer for (writer,) in self._db.execute(unfinished, (number,))]
        if any(map(self._may_say_more, writers)):
            return RUNNING
        if self._was_handed_on(number):
            return WAITING
        return INTERRUPTED if writers else None

    def _was_handed_on(self, number: int) -> bool:
        """Whether the process that took the session up last has ended its part of it. Those before it don't count, as
        it may have taken up what one of them left unfinished."""
        bodies = self._db.execute("SELECT body FROM span WHERE session = ?", (number,))
        spans = [Span.of(orjson.loads(body)) for (body,) in bodies]
        parts = [span for span in spans if span.attributes.get(names.OPERATION_NAME) == names.INVOKE_AGENT]
        return bool(parts) and max(parts, key=lambda part: (part.start, part.span_id)).end > 0

    def _may_say_more(self, writer: str) -> bool:
        if writer not in self._alive:
            self._alive[writer] = journal.writes(self._folder, writer) or self._has_said_more(writer)
        return self._alive[writer]

    def _has_said_more(self, writer: str) -> bool:
        """Whether a writer that is gone has left lines that aren't taken in, as far as this transaction sees."""
        taken = dict(self._db.execute("SELECT file, offset FROM journal WHERE writer = ?", (writer,)))
        files = [file for file in journal.files(self._folder) if journal.writer_of(file) == writer]
        try:
            return taken != {file.name: file.stat().st_size for file in files}
        except FileNotFoundError:
            return True
