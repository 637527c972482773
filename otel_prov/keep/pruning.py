"""Forgetting old sessions."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import TypeVar

from otel_prov.keep.schema import number, writing
from otel_prov.keep.standing import RUNNING, Standing

__all__ = ["batches", "prune"]

T = TypeVar("T")

_PAGES = 4096  # given back to the file system in one transaction


def prune(db: sqlite3.Connection, folder: Path, older_than: timedelta | None, max_bytes: int | None) -> int:
    """Remove sessions, see :meth:`otel_prov.keep.Store.prune`."""
    removed = 0
    if older_than is not None:
        before = time.time_ns() // 1000 - older_than // timedelta(microseconds=1)
        with writing(db):
            db.execute("DELETE FROM bad_line WHERE found < ?", (before,))
        old = db.execute("SELECT id FROM session WHERE active < ? ORDER BY started, uri", (before,)).fetchall()
        removed += _remove(db, folder, old, lambda: False)
    if max_bytes is not None and _used(db) > max_bytes:
        with writing(db):
            db.execute("DELETE FROM bad_line")
        every = db.execute("SELECT id FROM session ORDER BY started, uri").fetchall()
        removed += _remove(db, folder, every, lambda: _used(db) <= max_bytes)
    _shrink(db)
    return removed


def batches(items: Iterable[T], size: int = 100) -> Iterator[list[T]]:
    """The items in lists, one for each transaction, so that other writers get their turn in between."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch


def _remove(db: sqlite3.Connection, folder: Path, sessions: list[tuple[int]], is_enough: Callable[[], bool]) -> int:
    """Remove sessions that don't run, one after the other, until that is enough. Gives how many."""
    removed = 0
    for batch in batches(sessions):
        with writing(db):
            standing = Standing(db, folder)
            for (session,) in batch:
                if is_enough():
                    return removed
                removed += _remove_one(db, session, standing)
    return removed


def _remove_one(db: sqlite3.Connection, session: int, standing: Standing) -> bool:
    row = db.execute("SELECT outcome FROM session WHERE id = ?", (session,)).fetchone()
    if row is None or standing.outcome(session, row[0]) == RUNNING:
        return False
    db.execute("DELETE FROM session WHERE id = ?", (session,))
    for table in ("span", "imported", "step", "source"):
        db.execute(f"DELETE FROM {table} WHERE session = ?", (session,))
    return True


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
