"""The database file: its tables, how older ones are brought forward, and how it is opened."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from otel_prov.keep import sources

__all__ = [
    "FILE",
    "MIGRATIONS",
    "NOT_WRITABLE",
    "StoreError",
    "connect",
    "is_read_only",
    "number",
    "reading",
    "told",
    "writing",
]

FILE = "store.sqlite"
"""Name of the database in the folder of a store."""
WAIT = 10.0
"""Seconds to wait for another process's transaction."""

MIGRATIONS: list[tuple[str | Callable[[sqlite3.Connection], None], ...]] = [
    (
        # What is known of each session, for listing and filtering. Times are microseconds since 1970.
        """CREATE TABLE session (
            id INTEGER PRIMARY KEY,
            uri TEXT NOT NULL UNIQUE,
            type TEXT NOT NULL,
            question TEXT,
            started INTEGER,
            ended INTEGER,
            active INTEGER, -- the latest sign of life
            iterations INTEGER NOT NULL,
            outcome TEXT, -- as recorded
            collection TEXT,
            agent TEXT,
            user TEXT,
            model TEXT,
            trace_id TEXT,
            error TEXT
        )""",
        "CREATE INDEX session_started ON session (started, uri)",
        "CREATE INDEX session_collection ON session (collection, started, uri)",
        "CREATE INDEX session_agent ON session (agent, started, uri)",
        "CREATE INDEX session_outcome ON session (outcome, started, uri)",
        "CREATE INDEX session_trace ON session (trace_id)",
        # The evidence: the record that tells most of each span, and what was imported.
        """CREATE TABLE span (
            session INTEGER NOT NULL,
            trace_id TEXT NOT NULL,
            span_id TEXT NOT NULL,
            ended INTEGER NOT NULL,
            writer TEXT NOT NULL,
            body BLOB NOT NULL,
            UNIQUE (trace_id, span_id, session)
        )""",
        "CREATE INDEX span_session ON span (session)",
        "CREATE INDEX span_unfinished ON span (session, writer) WHERE ended = 0",
        "CREATE TABLE imported (session INTEGER PRIMARY KEY, body BLOB NOT NULL)",
        # What the evidence reads as. A step whose content changes gets a new, higher number.
        """CREATE TABLE step (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            session INTEGER NOT NULL,
            key TEXT NOT NULL,
            kind TEXT NOT NULL,
            body BLOB NOT NULL,
            UNIQUE (session, key)
        )""",
        # How far each journal file has been taken in, and its lines that couldn't be.
        "CREATE TABLE journal (file TEXT PRIMARY KEY, writer TEXT NOT NULL, offset INTEGER NOT NULL)",
        """CREATE TABLE bad_line (
            file TEXT NOT NULL,
            offset INTEGER NOT NULL,
            found INTEGER NOT NULL,
            reason TEXT NOT NULL,
            line BLOB NOT NULL,
            PRIMARY KEY (file, offset)
        )""",
    ),
    (
        # Who this store is to those that it sends to, and the last step that was looked at, whether it may be sent.
        "CREATE TABLE outbox (identity TEXT NOT NULL, settled INTEGER NOT NULL)",
        "INSERT INTO outbox (identity, settled) VALUES (lower(hex(randomblob(8))), 0)",
        # Steps that may still be taken back, and the latest sign of life of their session when they were looked at.
        "CREATE TABLE held (seq INTEGER PRIMARY KEY, active INTEGER)",
        # The last step that each destination has taken or refused, what failed there, and which steps were refused.
        """CREATE TABLE destination (
            url TEXT PRIMARY KEY,
            cursor INTEGER NOT NULL DEFAULT 0,
            sent INTEGER NOT NULL DEFAULT 0
        )""",
        """CREATE TABLE failure (
            destination TEXT NOT NULL,
            reason TEXT NOT NULL,
            number INTEGER NOT NULL,
            latest INTEGER NOT NULL,
            error TEXT NOT NULL,
            PRIMARY KEY (destination, reason)
        )""",
        """CREATE TABLE quarantine (
            id INTEGER PRIMARY KEY,
            destination TEXT NOT NULL,
            session TEXT NOT NULL,
            key TEXT NOT NULL,
            reason TEXT NOT NULL,
            refused INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 1,
            UNIQUE (destination, session, key)
        )""",
    ),
    (
        # How often sending from the cursor on began and had no known end, up to where steps go one by one because of
        # that, and how many in a row were refused in the end.
        "ALTER TABLE destination ADD COLUMN begun INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE destination ADD COLUMN apart INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE destination ADD COLUMN fatal INTEGER NOT NULL DEFAULT 0",
        # The file that the store's identity belongs to: a copy of it is another store.
        "ALTER TABLE outbox ADD COLUMN place TEXT",
    ),
    (
        # What each step names of the world outside.
        """CREATE TABLE source (
            name TEXT NOT NULL,
            session INTEGER NOT NULL,
            key TEXT NOT NULL,
            PRIMARY KEY (name, session, key)
        ) WITHOUT ROWID""",
        "CREATE INDEX source_session ON source (session, key)",
        sources.fill,
    ),
    (
        # Of a session inside of another one: that one's URI, the IRI of its iteration, and that of the last node here.
        "ALTER TABLE session ADD COLUMN parent TEXT",
        "ALTER TABLE session ADD COLUMN caller TEXT",
        "ALTER TABLE session ADD COLUMN last TEXT",
        "CREATE INDEX session_parent ON session (parent, started)",
        "ALTER TABLE session ADD COLUMN version TEXT",  # of the agent
    ),
    (
        # The iteration that a span belongs to, so that not all of a long session need be read for what is new of it.
        "ALTER TABLE span ADD COLUMN number INTEGER",
        "DROP INDEX span_session",
        "CREATE INDEX span_number ON span (session, number)",
    ),
    (
        # How an agent works, by the steps that there are.
        "ALTER TABLE session ADD COLUMN pattern TEXT",
    ),
]
"""What makes each version of the schema from the one before, version 1 first: statements, and functions that fill what
they have made. Only ever append."""

NOT_WRITABLE = "make it writable, or set OTEL_EXPORTER_PROV_STORE to another folder"
_NOT_OURS = "not a store of otel-prov, or damaged; move it away, and a new one is made"
_REMEDIES = {
    "is full": "the disk is full; free some space and try again, nothing is lost",
    "readonly": f"not writable; {NOT_WRITABLE}",
    "unable to open": f"not to be opened; {NOT_WRITABLE}",
    "locked": "another process keeps it locked; try again",
    "not a database": _NOT_OURS,
    "malformed": _NOT_OURS,
    "already exists": _NOT_OURS,
    "I/O error": "the disk is full, or fails; free some space or mend it, and try again",
}


class StoreError(Exception):
    """The store can't do what was asked; the message is one line that names the file or folder and the remedy."""


@contextlib.contextmanager
def told(file: Path) -> Iterator[None]:
    """Turn errors of the database into :class:`StoreError`."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        remedy = next((remedy for sign, remedy in _REMEDIES.items() if sign in str(error)), error)
        raise StoreError(f"{file}: {remedy}") from error


def is_read_only(file: Path) -> bool:
    """Whether a database that exists can only be read."""
    return file.exists() and not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK))


def connect(file: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open the database, and make it or bring it forward where needed.

    Raises :class:`StoreError` for a folder that can't be made and for a schema that is newer than this program's,
    ``sqlite3.Error`` for what SQLite doesn't like.
    """
    db = _open_to_read(file) if read_only else _open(file)
    try:
        version = number(db, "user_version")
        if version > len(MIGRATIONS):
            raise StoreError(
                f"{file}: written by a newer otel-prov (schema version {version}, this one knows {len(MIGRATIONS)}); "
                "upgrade otel-prov"
            )
        if version < len(MIGRATIONS):
            _migrate(db)
        if not read_only:
            _use_wal(db)
    except BaseException:
        db.close()
        raise
    return db


def _open(file: Path) -> sqlite3.Connection:
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch(mode=0o600)  # what people ask their agents is theirs
    except OSError as error:
        raise StoreError(f"{file.parent}: {error.strerror or error}; {NOT_WRITABLE}") from error
    return sqlite3.connect(file, timeout=WAIT, isolation_level=None, check_same_thread=False)


def _open_to_read(file: Path) -> sqlite3.Connection:
    """Without its log a WAL database can only be read where the log can be made, or as one that nobody changes."""
    immutable = "" if file.with_name(file.name + "-wal").exists() else "&immutable=1"
    uri = f"{file.absolute().as_uri()}?mode=ro{immutable}"
    return sqlite3.connect(uri, uri=True, timeout=WAIT, isolation_level=None, check_same_thread=False)


def number(db: sqlite3.Connection, pragma: str) -> int:
    """What SQLite says of the database."""
    (value,) = db.execute(f"PRAGMA {pragma}").fetchone()
    return int(value)


def _migrate(db: sqlite3.Connection) -> None:
    # A new file heeds these before its first table: pages that spans of 2 KiB fill, and that can be given back.
    db.execute("PRAGMA page_size = 8192")
    db.execute("PRAGMA auto_vacuum = INCREMENTAL")
    with writing(db):
        present = number(db, "user_version")  # another process may just have done it
        for version, statements in enumerate(MIGRATIONS[present:], start=present + 1):
            for statement in statements:
                if callable(statement):
                    statement(db)
                else:
                    db.execute(statement)
            db.execute(f"PRAGMA user_version = {version}")


def _use_wal(db: sqlite3.Connection) -> None:
    """Let readers and a writer work side by side. SQLite doesn't always wait for others when it changes to that."""
    give_up = time.monotonic() + WAIT
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > give_up:
                raise
            time.sleep(0.01)


@contextlib.contextmanager
def writing(db: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, one writer at a time. Waits as long as others get on with theirs."""
    while True:
        version = number(db, "data_version")
        try:
            db.execute("BEGIN IMMEDIATE")
            break
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or number(db, "data_version") == version:
                raise
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # SQLite has ended it where the disk is full
            db.execute("ROLLBACK")
        raise


@contextlib.contextmanager
def reading(db: sqlite3.Connection) -> Iterator[None]:
    """One unchanging view, whatever others write."""
    db.execute("BEGIN")
    try:
        yield
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
