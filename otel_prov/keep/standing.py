"""How sessions stand that have come to no outcome."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from otel_prov.record import journal

__all__ = ["INTERRUPTED", "RUNNING", "Standing"]

RUNNING = "running"
"""Outcome of a session with an unfinished span whose writer is alive."""
INTERRUPTED = "interrupted"
"""Outcome of a session with unfinished spans whose writers are all gone."""


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
        if not writers:
            return None
        return RUNNING if any(map(self._may_say_more, writers)) else INTERRUPTED

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
