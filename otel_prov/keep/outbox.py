"""What has been sent where: the steps that wait for each destination, in order, and those that one has refused."""

from __future__ import annotations

import platform
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from otel_prov.keep import listing, rows, schema, settling
from otel_prov.keep.schema import reading, writing
from otel_prov.keep.standing import Standing
from otel_prov.record import journal
from otel_prov.steps import Session, Step

__all__ = ["Batch", "Delivery", "Outbox", "Quarantined", "Waiting"]

OTHER_REASONS: Final = "other reasons"
_REASONS = 100  # that are counted apart, for each destination
_ENDS = 2  # of sending a batch, after which its steps go one by one; and of sending one step, after which it is refused
_FATAL = 10  # steps in a row that are refused for that: then it isn't the steps

_WAITING = """step JOIN session ON session.id = step.session
    WHERE step.seq > :cursor AND step.seq NOT IN (SELECT seq FROM held)
    AND EXISTS (SELECT 1 FROM span WHERE span.session = step.session)"""
"""What is to be sent: steps that were recorded here. What was imported is for its own recorder to send."""
_QUARANTINED = """quarantine JOIN session ON session.uri = quarantine.session
    JOIN step ON step.session = session.id AND step.key = quarantine.key"""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A step that waits to be sent."""

    number: int
    """Rises, from 1, in the order of sending. A step that changes gets a new one."""
    session: Session
    """The whole of it, as it is now."""
    step: Step


@dataclass(frozen=True, slots=True)
class Batch:
    """What is sent next to a destination."""

    steps: Sequence[Waiting]
    until: int
    """All steps up to this number are here, or have nothing to do with the destination."""
    is_apart: bool = False
    """Whether this is one step of a batch that couldn't be sent, and nobody knows why."""
    begun: int = 0
    """How often sending it began and had no known end: the worker ended, or the destination had a fault."""
    is_fatal: bool = False
    """Whether this is the step that does it."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A step that a destination has refused."""

    id: int
    destination: str
    session: str
    """URI of the session."""
    step: Step
    reason: str
    refused: datetime
    """When, for the last time."""
    attempts: int


@dataclass(frozen=True, slots=True)
class Delivery:
    """How far a destination has come."""

    destination: str
    """Its URL, without credentials."""
    pending: int
    """Steps that wait to be sent."""
    sent: int
    """Steps that were acknowledged, repeats included."""
    failed: dict[str, int]
    """How often something failed, by reason: refused steps, and attempts to reach the destination."""
    quarantined: int
    last_error: str | None
    last_error_time: datetime | None
    lag: float | None
    """Seconds since the latest sign of life of the session that the oldest pending step belongs to."""


class Outbox:
    """The part of a store that knows what was sent. Made by :class:`otel_prov.keep.Store`; every method raises
    :class:`otel_prov.keep.StoreError`."""

    def __init__(self, database: Callable[..., AbstractContextManager[sqlite3.Connection]], folder: Path) -> None:
        self._database = database
        self._folder = folder

    def identity(self) -> str:
        """Identity of the store, made at random when the store was; a copy of the store gets one of its own.

        Else two stores would number their steps alike under one name, and a broker that drops what it has seen would
        drop those of one of them. Where it isn't sure (another host has the same file), it is taken for a copy: then
        only what was in flight may come twice.
        """
        with self._database() as db:
            identity, place = db.execute("SELECT identity, place FROM outbox").fetchone()
        here = f"{platform.node()}:{(self._folder / schema.FILE).stat().st_ino}"
        if place == here:
            return str(identity)
        with self._database(to_write=True) as db, writing(db):
            changed = ", identity = lower(hex(randomblob(8)))" if place else ""
            db.execute(f"UPDATE outbox SET place = ?{changed}", (here,))
            (identity,) = db.execute("SELECT identity FROM outbox").fetchone()
            return str(identity)

    def settle(self) -> bool:
        """Decide which of the steps that are new may be sent, and which are held because they may still be taken back.

        Gives whether there was anything to decide. To be called after :meth:`otel_prov.keep.Store.take_in`.
        """
        with self._database(to_write=True) as db:
            return settling.settle(db, self._folder)

    def next_batch(self, destination: str, *, after: int = 0, steps: int = 500, size: int = 1024 * 1024) -> Batch:
        """What to send next: at most so many steps, and no more once they are so many bytes, as they are kept.

        Args:
            after: Leave out the steps up to this number, which are on their way already.
        """
        with self._database() as db, reading(db):
            (settled,) = db.execute("SELECT settled FROM outbox").fetchone()
            cursor, begun, apart, fatal = _place(db, destination)
            steps = 1 if cursor < apart else steps
            found = db.execute(
                f"SELECT step.seq, step.key, session.uri, length(step.body) FROM {_WAITING} AND step.seq <= :settled "
                "ORDER BY step.seq LIMIT :limit",
                {"cursor": max(cursor, after), "settled": settled, "limit": steps},
            )
            chosen = list(_as_fit(found, size))
            is_all = len(chosen) < steps and found.fetchone() is None
            standing = Standing(db, self._folder)
            sessions = {uri: listing.session(db, uri, standing) for uri in {uri for _, _, uri, _ in chosen}}
        steps_of = {uri: {rows.key(step): step for step in whole.steps} for uri, whole in sessions.items() if whole}
        waiting = [
            Waiting(number, session, steps_of[uri][key]) for number, key, uri, _ in chosen if (session := sessions[uri])
        ]
        is_fatal = cursor < apart and begun >= _ENDS and fatal < _FATAL
        return Batch(waiting, settled if is_all else chosen[-1][0], cursor < apart, begun, is_fatal)

    def begin(self, destination: str, batch: Batch) -> None:
        """A batch is about to be sent, which may be the end of the process.

        Where neither :meth:`acknowledge` nor :meth:`failed` tells of a known end, and that happens again, the steps of
        this batch will come one by one, and then the one that does it is marked as fatal.
        """
        begun, apart = batch.begun + 1, 0
        if not batch.is_apart and begun >= _ENDS:
            begun, apart = 0, batch.until
        with self._database(to_write=True) as db, writing(db):
            _register(db, destination)
            db.execute(
                "UPDATE destination SET begun = ?, apart = max(apart, ?) WHERE url = ?", (begun, apart, destination)
            )

    def acknowledge(self, destination: str, batch: Batch, refused: Sequence[tuple[Waiting, str]], sent: int) -> None:
        """A batch was sent: so many steps were taken, and those ``refused`` never will be, each for its reason."""
        now = time.time_ns() // 1000
        with self._database(to_write=True) as db, writing(db):
            _register(db, destination)
            db.execute(
                "UPDATE destination SET cursor = max(cursor, ?), sent = sent + ?, begun = 0, "
                "fatal = CASE WHEN ? THEN fatal + 1 WHEN ? THEN 0 ELSE fatal END WHERE url = ?",
                (batch.until, sent, batch.is_fatal, sent, destination),
            )
            numbers = {waiting.number for waiting, _ in refused}
            _clear(db, destination, [waiting for waiting in batch.steps if waiting.number not in numbers])
            for waiting, reason in refused:
                reason = rows.writable(reason)
                _count_failure(db, destination, reason, now)
                db.execute(
                    "INSERT INTO quarantine (destination, session, key, reason, refused) VALUES (?, ?, ?, ?, ?) "
                    "ON CONFLICT DO UPDATE SET reason = excluded.reason, refused = excluded.refused, "
                    "attempts = attempts + 1",
                    (destination, waiting.session.uri, rows.key(waiting.step), reason, now),
                )

    def failed(self, destination: str, reason: str, *, is_known: bool = True) -> None:
        """An attempt to send came to nothing. If the reason ``is_known`` what was sent has nothing to do with it."""
        with self._database(to_write=True) as db, writing(db):
            _register(db, destination)
            if is_known:
                db.execute("UPDATE destination SET begun = 0 WHERE url = ?", (destination,))
            _count_failure(db, destination, rows.writable(reason), time.time_ns() // 1000)

    def destinations(self) -> list[str]:
        """Every destination that has ever taken anything."""
        with self._database() as db:
            return [url for (url,) in db.execute("SELECT url FROM destination WHERE sent > 0 ORDER BY url")]

    def delivery(self, destination: str) -> Delivery:
        """How far a destination has come."""
        with self._database() as db, reading(db):
            return _delivery(db, destination)

    def held(self) -> int:
        """How many steps are held because their sessions may still take them back."""
        with self._database() as db:
            (number,) = db.execute("SELECT count(*) FROM held JOIN step USING (seq)").fetchone()
            return int(number)

    def waiting_bytes(self) -> dict[str, int]:
        """The journal files that aren't wholly taken in, and how many bytes of each."""
        with self._database() as db:
            taken = dict(db.execute("SELECT file, offset FROM journal"))
        sizes: dict[str, int] = {}
        for file in journal.files(self._folder):
            try:
                sizes[file.name] = file.stat().st_size - taken.get(file.name, 0)
            except FileNotFoundError:  # taken in just now
                continue
        return {name: size for name, size in sizes.items() if size > 0}

    def quarantined(self) -> list[Quarantined]:
        """Every refused step, oldest refusal first."""
        with self._database() as db:
            found = db.execute(
                "SELECT quarantine.id, destination, session.uri, step.kind, step.body, reason, refused, attempts "
                f"FROM {_QUARANTINED} ORDER BY quarantine.id"
            )
            return [_quarantined(*row) for row in found]

    def retry(self, ids: Sequence[int]) -> int:
        """Send refused steps once more, behind everything that waits; gives how many there are.

        They get new numbers, for a destination may take a number that it has seen for a repeat, and so they are sent to
        every destination, to which it makes no difference.
        """
        with self._database(to_write=True) as db, writing(db):
            wanted = _those(ids)
            found = db.execute(f"SELECT DISTINCT seq FROM {_QUARANTINED} WHERE {wanted} ORDER BY seq")
            settling.renumber(db, [seq for (seq,) in found.fetchall()])
            return self._remove(db, ids)

    def drop(self, ids: Sequence[int]) -> int:
        """Give refused steps up; gives how many there were."""
        with self._database(to_write=True) as db, writing(db):
            return self._remove(db, ids)

    def _remove(self, db: sqlite3.Connection, ids: Sequence[int]) -> int:
        (number,) = db.execute(f"SELECT count(*) FROM {_QUARANTINED} WHERE {_those(ids)}").fetchone()
        db.execute(f"DELETE FROM quarantine WHERE {_those(ids)}")
        return int(number)


def _those(ids: Sequence[int]) -> str:
    return f"quarantine.id IN ({', '.join(map(str, map(int, ids)))})"


def _as_fit(found: Iterator[tuple[int, str, str, int]], size: int) -> Iterator[tuple[int, str, str, int]]:
    """The rows up to the one that makes them so many bytes."""
    room = size
    for row in found:
        yield row
        room -= row[3]
        if room <= 0:
            return


def _place(db: sqlite3.Connection, destination: str) -> tuple[int, int, int, int]:
    """The last step that is done with, and what the schema says of the trouble with those behind it."""
    row = db.execute("SELECT cursor, begun, apart, fatal FROM destination WHERE url = ?", (destination,)).fetchone()
    return row or (0, 0, 0, 0)


def _register(db: sqlite3.Connection, destination: str) -> None:
    db.execute("INSERT OR IGNORE INTO destination (url) VALUES (?)", (destination,))


def _clear(db: sqlite3.Connection, destination: str, taken: Sequence[Waiting]) -> None:
    """What a destination has taken it no longer refuses."""
    if db.execute("SELECT 1 FROM quarantine WHERE destination = ? LIMIT 1", (destination,)).fetchone():
        db.executemany(
            "DELETE FROM quarantine WHERE destination = ? AND session = ? AND key = ?",
            [(destination, waiting.session.uri, rows.key(waiting.step)) for waiting in taken],
        )


def _count_failure(db: sqlite3.Connection, destination: str, reason: str, now: int) -> None:
    """Count by reason; those beyond the first hundred are counted together, so that reasons don't pile up."""
    db.execute(
        """INSERT INTO failure (destination, reason, number, latest, error)
        SELECT :url, CASE WHEN (SELECT count(*) FROM failure WHERE destination = :url) < :most
            OR EXISTS (SELECT 1 FROM failure WHERE destination = :url AND reason = :reason)
            THEN :reason ELSE :other END, 1, :now, :reason
        ON CONFLICT DO UPDATE SET number = number + 1, latest = excluded.latest, error = excluded.error""",
        {"url": destination, "reason": reason, "most": _REASONS, "other": OTHER_REASONS, "now": now},
    )


def _delivery(db: sqlite3.Connection, url: str) -> Delivery:
    sent = db.execute("SELECT sent FROM destination WHERE url = ?", (url,)).fetchone()
    cursor = {"cursor": _place(db, url)[0]}
    (pending,) = db.execute(f"SELECT count(*) FROM {_WAITING}", cursor).fetchone()
    oldest = db.execute(f"SELECT session.active FROM {_WAITING} ORDER BY step.seq LIMIT 1", cursor).fetchone()
    failures = db.execute("SELECT reason, number FROM failure WHERE destination = ? ORDER BY number DESC", (url,))
    last = db.execute(
        "SELECT error, latest FROM failure WHERE destination = ? ORDER BY latest DESC LIMIT 1", (url,)
    ).fetchone()
    (quarantined,) = db.execute(f"SELECT count(*) FROM {_QUARANTINED} WHERE destination = ?", (url,)).fetchone()
    return Delivery(
        url,
        pending,
        sent[0] if sent else 0,
        dict(failures.fetchall()),
        quarantined,
        last_error=last and last[0],
        last_error_time=rows.moment(last and last[1]),
        lag=max(time.time() - oldest[0] / 1e6, 0.0) if oldest and oldest[0] is not None else None,
    )


def _quarantined(
    id: int, destination: str, uri: str, kind: str, body: bytes, reason: str, refused: int, attempts: int
) -> Quarantined:
    moment = rows.moment(refused)
    assert moment is not None
    return Quarantined(id, destination, uri, rows.decode(kind, body), reason, moment, attempts)
