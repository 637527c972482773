"""Forgetting old sessions."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from otel_prov.keep.schema import number, writing
from otel_prov.keep.standing import RUNNING, Standing

__all__ = ["Pruned", "batches", "prune"]

T = TypeVar("T")

_SENT = """SELECT min(coalesce((SELECT cursor FROM destination WHERE url = value), 0)) FROM json_each(?)"""
"""Up to which number all of the destinations have what they are sent."""
_WAITS = """SELECT 1 FROM step WHERE session = :session AND (seq > :sent OR seq IN (SELECT seq FROM held))
    AND EXISTS (SELECT 1 FROM span WHERE span.session = step.session)"""
_PAGES = 4096  # given back to the file system in one transaction


class Pruned(NamedTuple):
    """What pruning came to."""

    removed: int
    """Sessions that are gone."""
    waiting: int
    """Sessions that would be gone if they did not wait to be sent."""


def prune(
    db: sqlite3.Connection,
    folder: Path,
    older_than: timedelta | None,
    max_bytes: int | None,
    destinations: Sequence[str],
) -> Pruned:
    """Remove sessions, see :meth:`otel_prov.keep.Store.prune`."""
    removal = _Removal(db, folder, destinations)
    if older_than is not None:
        before = time.time_ns() // 1000 - older_than // timedelta(microseconds=1)
        with writing(db):
            db.execute("DELETE FROM bad_line WHERE found < ?", (before,))
        old = db.execute("SELECT id FROM session WHERE active < ? ORDER BY started, uri", (before,)).fetchall()
        removal.remove(old, lambda: False)
    if max_bytes is not None and _used(db) > max_bytes:
        with writing(db):
            db.execute("DELETE FROM bad_line")
        every = db.execute("SELECT id FROM session ORDER BY started, uri").fetchall()
        removal.remove(every, lambda: _used(db) <= max_bytes)
    _shrink(db)
    return Pruned(removal.removed, len(removal.waiting))


def batches(items: Iterable[T], size: int = 100) -> Iterator[list[T]]:
    """The items in lists, one for each transaction, so that other writers get their turn in between."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch


class _Removal:
    """Removes sessions that neither run nor wait to be sent."""

    def __init__(self, db: sqlite3.Connection, folder: Path, destinations: Sequence[str]) -> None:
        self.removed = 0
        self.waiting: set[int] = set()
        self._db = db
        self._folder = folder
        self._destinations = json.dumps(list(destinations))

    def remove(self, sessions: list[tuple[int]], is_enough: Callable[[], bool]) -> None:
        """Remove one after the other, until that is enough."""
        for batch in batches(sessions):
            with writing(self._db):
                standing = Standing(self._db, self._folder)
                (sent,) = self._db.execute(_SENT, (self._destinations,)).fetchone()
                for (session,) in batch:
                    if is_enough():
                        return
                    self._remove_one(session, standing, sent)

    def _remove_one(self, session: int, standing: Standing, sent: int | None) -> None:
        db = self._db
        row = db.execute("SELECT uri, outcome FROM session WHERE id = ?", (session,)).fetchone()
        if row is None or standing.outcome(session, row[1]) == RUNNING:
            return
        if sent is not None and db.execute(_WAITS, {"session": session, "sent": sent}).fetchone():
            self.waiting.add(session)
            return
        db.execute("DELETE FROM session WHERE id = ?", (session,))
        db.execute("DELETE FROM quarantine WHERE session = ?", (row[0],))
        for table in ("span", "imported", "step", "source"):
            db.execute(f"DELETE FROM {table} WHERE session = ?", (session,))
        self.removed += 1


def _used(db: sqlite3.Connection) -> int:
    """Bytes that the file has when it is shrunk."""
    pages, free, size = (number(db, name) for name in ("page_count", "freelist_count", "page_size"))
    return (pages - free) * size


def _shrink(db: sqlite3.Connection) -> None:
    """Give free pages back to the file system, as far as readers let go of them."""
    while (free := number(db, "freelist_count")) > 0:
        db.executescript(f"PRAGMA incremental_vacuum({_PAGES})")  # execute() would stop after one page
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        if number(db, "freelist_count") >= free:  # somebody has turned the database's ability off
            return
