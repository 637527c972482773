"""The store: one folder with one database, which takes in the journals beside it."""

from __future__ import annotations

import contextlib
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from queue import LifoQueue
from types import TracebackType

from otel_prov.keep import evidence, intake, listing, pruning, schema, sources
from otel_prov.keep.intake import Intake
from otel_prov.keep.listing import Filter, Summary
from otel_prov.keep.outbox import Outbox
from otel_prov.keep.pruning import Pruned
from otel_prov.keep.schema import StoreError
from otel_prov.keep.sources import Naming
from otel_prov.keep.standing import Standing
from otel_prov.losses import lost
from otel_prov.record import journal
from otel_prov.steps import Session

__all__ = ["NOT_IMPORTED", "Store"]

NOT_IMPORTED = "session not imported"

_CONNECTIONS = 8  # at most, so that any number of threads may ask; they take turns


class Store:
    """The sessions that are kept in a folder.

    Any number of threads and processes may use a folder at once, each process through stores of its own. A folder, or
    a database, that can't be written can still be read. Every method raises :class:`StoreError`.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Open the store of a folder, by default this user's; make it, or bring it forward, where needed."""
        self._folder = folder or journal.store_folder()
        self._file = self._folder / schema.FILE
        self._read_only = schema.is_read_only(self._file)
        self._connections: LifoQueue[sqlite3.Connection | None] = LifoQueue()
        for _ in range(_CONNECTIONS):
            self._connections.put(None)
        with self._database():
            pass
        self.outbox = Outbox(self._database, self._folder)
        """What was sent where, and what waits."""

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database. A store that is used afterwards opens it again."""
        for _ in range(_CONNECTIONS):
            if (db := self._connections.get()) is not None:
                db.close()
        for _ in range(_CONNECTIONS):
            self._connections.put(None)

    def take_in(self) -> Intake:
        """Take in all that the journals hold now, running writers' too. Gives how much that was.

        A journal whose writer is gone is removed when all of it is taken in and committed. Where something fails, no
        line is lost: it is taken in the next time.
        """
        with self._database(to_write=True) as db:
            return intake.take_in(db, self._folder)

    def sessions(
        self,
        *,
        collection: str | None = None,
        agent: str | None = None,
        text: str | None = None,
        outcome: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        nested: bool = True,
        limit: int | None = 50,
    ) -> list[Summary]:
        """The newest sessions, by start, that meet all conditions; ``limit=None`` for every one.

        ``text`` is looked for, whatever its case, in all that was asked, thought, done, seen and answered. ``outcome``
        is one of the ``OUTCOME_*`` values, ``running``, ``interrupted`` or ``waiting``. ``since`` is the earliest
        start, ``until`` the first that is too late; a time without a zone is taken as UTC. Without ``nested``, those
        are left out that ran inside of others that are here.
        """
        wanted = Filter(collection, agent, text, outcome, since, until, nested)
        with self._database() as db, schema.reading(db):
            return list(islice(listing.summaries(db, wanted, Standing(db, self._folder)), limit))

    def session(self, uri: str) -> Session | None:
        """One session, with ``running``, ``interrupted`` or ``waiting`` for its outcome where it has recorded none.

        ``None`` if there is no session of this URI.
        """
        with self._database() as db, schema.reading(db):
            return listing.session(db, uri, Standing(db, self._folder))

    def uris(self) -> Iterator[str]:
        """URIs of all sessions, those that came in last first; read as they are asked for, so there may be many."""
        before = sys.maxsize
        while True:
            with self._database() as db:
                page = listing.page(db, before)
            yield from (uri for _, uri in page)
            if not page:
                return
            before = page[-1][0]

    def inside(self, uri: str) -> list[str]:
        """URIs of the sessions that ran inside of one, such as the retrievals of an agent, by start."""
        with self._database() as db, schema.reading(db):
            return listing.inside(db, uri)

    def find(self, reference: str) -> list[str]:
        """URIs of the sessions that a person may mean, at most ten.

        ``reference`` is ``latest``, a URI or a session id, whole or its beginning, a trace id (32 hexadecimal
        digits), or the id of a span of ours (16). A whole URI or id means that session alone. The latest is none that
        ran inside of another one.
        """
        with self._database() as db, schema.reading(db):
            return listing.find(db, reference, Standing(db, self._folder))

    def naming(self, source: str) -> list[Naming]:
        """The steps, of any session, that name a source or a part of it: a page, a file, a document, another session.

        Sources are the addresses in arguments and observations, and each short text that a tool was called with.
        """
        with self._database() as db, schema.reading(db):
            return list(sources.naming(db, source))

    def add(self, sessions: Iterable[Session]) -> None:
        """Keep sessions that come from elsewhere.

        Where the store knows the session already, it becomes more complete: what this store's own spans tell counts
        most, then what is imported now, then what was imported before, for each value of each step. A session that
        can't be written (a number of more than 64 bits, say) is counted as a loss.
        """
        with self._database(to_write=True) as db:
            for batch in pruning.batches(sessions):
                with schema.writing(db):
                    for session in batch:
                        try:
                            evidence.add(db, session)
                        except (TypeError, OverflowError) as error:
                            lost(NOT_IMPORTED, f"{session.uri}: {error}")

    def prune(
        self,
        *,
        older_than: timedelta | None = None,
        max_bytes: int | None = None,
        unless_unsent: Sequence[str] = (),
    ) -> Pruned:
        """Remove sessions, oldest first, and give their space back.

        ``older_than`` removes those whose latest sign of life is longer ago; ``max_bytes`` as many as it takes for the
        database file to be no larger (bad lines go before sessions). A session that runs is never removed, nor one of
        which a step still waits to be sent to one of the destinations ``unless_unsent``. What a destination has refused
        waits no more.
        """
        with self._database(to_write=True) as db:
            return pruning.prune(db, self._folder, older_than, max_bytes, unless_unsent)

    def bad_lines(self) -> int:
        """How many lines of journals have been set aside because they couldn't be read."""
        with self._database() as db:
            (number,) = db.execute("SELECT count(*) FROM bad_line").fetchone()
            return int(number)

    @contextlib.contextmanager
    def _database(self, *, to_write: bool = False) -> Iterator[sqlite3.Connection]:
        """A connection that nobody else uses meanwhile; errors become :class:`StoreError`."""
        if to_write and self._read_only:
            raise StoreError(f"{self._folder}: not writable; {schema.NOT_WRITABLE}")
        db = self._connections.get()
        try:
            with schema.told(self._file):
                db = db or schema.connect(self._file, read_only=self._read_only)
                yield db
        finally:
            self._connections.put(db)
