"""Opening a store: where, by whom, of which version; and many who use it at once."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from otel_prov.keep import Intake, Store, StoreError, schema
from otel_prov.record.journal import Journal

from .conftest import mount
from .told import Told

KNOWN = len(schema.MIGRATIONS)


def filled(folder: Path) -> Path:
    """A store with one session; gives its file."""
    with Store(folder) as store, contextlib.closing(Journal(folder)) as journal:
        journal.write(b"".join(Told().whole()))
        store.take_in()
    return folder / "store.sqlite"


def test_a_store_is_made_where_there_is_none_for_its_owner_alone(tmp_path: Path) -> None:
    with Store(tmp_path / "new" / "folder") as store:
        assert store.sessions() == []
    file = tmp_path / "new" / "folder" / "store.sqlite"
    assert file.exists()
    if os.name == "posix":
        assert file.stat().st_mode & 0o777 == 0o600


def test_the_store_of_this_user_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_STORE", str(tmp_path / "mine"))
    with Store():
        assert (tmp_path / "mine" / "store.sqlite").exists()


def test_a_store_that_was_closed_opens_again(tmp_path: Path) -> None:
    filled(tmp_path)
    store = Store(tmp_path)
    store.close()
    assert len(store.sessions()) == 1
    store.close()


def test_a_file_in_place_of_the_folder_is_told_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(StoreError, match=r"file: .*OTEL_EXPORTER_PROV_STORE"):
        Store(tmp_path / "file")
    with pytest.raises(StoreError, match=r"below: .*OTEL_EXPORTER_PROV_STORE"):
        Store(tmp_path / "file" / "below")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_file_that_is_no_database_is_told_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    file.write_bytes(b"Dear diary, " * 1000)
    with pytest.raises(StoreError, match=r"store\.sqlite: not a store of otel-prov.*move it away"):
        Store(tmp_path)
    assert file.read_bytes() == b"Dear diary, " * 1000


def test_a_damaged_database_is_told(tmp_path: Path) -> None:
    file = filled(tmp_path)
    content = file.read_bytes()
    file.write_bytes(content[:100] + b"\xff" * (len(content) - 100))
    with pytest.raises(StoreError, match="move it away"), Store(tmp_path) as store:
        store.sessions()


def test_a_newer_schema_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = filled(tmp_path)
    with contextlib.closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA user_version = 99")
    before = file.read_bytes()
    with pytest.raises(StoreError, match=rf"store\.sqlite: .*version 99, this one knows {KNOWN}\); upgrade otel-prov"):
        Store(tmp_path)
    assert file.read_bytes() == before


def test_an_older_schema_is_brought_forward_with_all_that_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = filled(tmp_path)
    second = ("ALTER TABLE session ADD COLUMN shout TEXT", "UPDATE session SET shout = upper(question)")
    monkeypatch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, second])
    for _ in range(2):
        with Store(tmp_path) as store:
            assert [each.question for each in store.sessions()] == ["Why s1?"]
    with contextlib.closing(sqlite3.connect(file)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (KNOWN + 1,)
        assert db.execute("SELECT shout FROM session").fetchall() == [("WHY S1?",)]


def test_the_first_version_of_a_store_is_brought_forward_with_all_that_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        with contextlib.closing(schema.connect(tmp_path / "store.sqlite")) as db:
            db.execute("INSERT INTO session (uri, type, question, iterations) VALUES ('urn:x', 'agent', 'Why?', 0)")
    with Store(tmp_path) as store:
        assert [each.question for each in store.sessions()] == ["Why?"]
        assert store.take_in() == Intake()


def test_a_new_store_has_all_versions_behind_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, ("CREATE TABLE more (x)",)])
    with Store(tmp_path), contextlib.closing(sqlite3.connect(tmp_path / "store.sqlite")) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (KNOWN + 1,)
        assert db.execute("SELECT * FROM more").fetchall() == []


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, ("CREATE TABLE more (x)", "INSERT INTO nothing")])
        with pytest.raises(StoreError):
            Store(tmp_path)
    with Store(tmp_path) as store:
        assert len(store.sessions()) == 1
    with contextlib.closing(sqlite3.connect(tmp_path / "store.sqlite")) as db:
        assert db.execute("SELECT name FROM sqlite_master WHERE name = 'more'").fetchall() == []


def test_a_folder_that_can_only_be_read_is_read(tmp_path: Path) -> None:
    filled(tmp_path / "kept")
    (tmp_path / "view").mkdir()
    mount(tmp_path / "view", "--bind", str(tmp_path / "kept"))
    try:
        mount(tmp_path / "view", "-o", "remount,bind,ro")
        with Store(tmp_path / "view") as store:
            assert [each.question for each in store.sessions()] == ["Why s1?"]
            assert store.session(Told().uri) is not None
            for write in (store.take_in, store.prune, lambda: store.add([])):
                with pytest.raises(StoreError, match=r"view: not writable; .*OTEL_EXPORTER_PROV_STORE"):
                    write()
        with Store(tmp_path / "kept") as writer, Store(tmp_path / "view") as reader:
            journal = Journal(tmp_path / "kept")
            journal.write(Told("s2", 2).starts())
            journal.close()
            writer.take_in()
            assert len(reader.sessions()) == 2
    finally:
        subprocess.run(["umount", "--lazy", tmp_path / "view"], check=True)


OPEN = """
import sys
from pathlib import Path
from otel_prov.keep import Store
print("ready", flush=True)
sys.stdin.readline()
with Store(Path(sys.argv[1])) as store:
    print(store.bad_lines())
"""


def test_processes_that_make_a_store_at_once_share_it(tmp_path: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(6)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.communicate()[0] for process in processes] == ["0\n"] * 6


READ = """
import sys
from pathlib import Path
from otel_prov.keep import Store
with Store(Path(sys.argv[1])) as store:
    counts = [len(store.sessions(limit=None))]
    print("reading", flush=True)
    while counts[-1] < 30:
        counts.append(len(store.sessions(limit=None)))
    print(counts == sorted(counts))
"""


def test_a_hundred_threads_and_two_processes_read_while_one_takes_in(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    with Store(tmp_path) as store:
        processes = [
            subprocess.Popen(
                [sys.executable, "-c", READ, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            for _ in range(2)
        ]
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "reading\n"

        def reads(_: int) -> bool:
            counts = [0]
            while counts[-1] < 30:
                summaries = store.sessions(limit=None)
                counts.append(len(summaries))
                for summary in summaries[:1]:
                    session = store.session(summary.uri)
                    assert session is not None
                    assert session.question.text == summary.question
            return counts == sorted(counts)

        with ThreadPoolExecutor(100) as threads:
            readers = [threads.submit(reads, number) for number in range(100)]
            for number in range(30):
                journal.write(Told(f"s{number}", number).starts())
                if number % 10 == 9:
                    assert store.take_in() == Intake(spans=10)
            assert all(reader.result() for reader in readers)
        assert [process.communicate()[0] for process in processes] == ["True\n"] * 2
    journal.close()


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[sqlite3.Connection]:
    """Another process, as it were, in the middle of writing."""
    with contextlib.closing(sqlite3.connect(folder / "store.sqlite", isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        yield db


def test_a_store_that_another_process_keeps_locked_is_told_and_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path)
    monkeypatch.setattr(schema, "WAIT", 0.05)
    with Store(tmp_path) as store, contextlib.closing(Journal(tmp_path)) as journal:
        journal.write(Told("s2", 2).starts())
        with locked(tmp_path):
            with pytest.raises(StoreError, match="locked; try again"):
                store.take_in()
            assert len(store.sessions()) == 1
        assert store.take_in() == Intake(spans=1)


def test_a_writer_waits_as_long_as_another_gets_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = filled(tmp_path)
    monkeypatch.setattr(schema, "WAIT", 0)
    attempts: list[str] = []
    with contextlib.closing(schema.connect(file)) as db, locked(tmp_path) as other:

        def gets_on(statement: str) -> None:
            """Writes something, and the next thing at once, when ``db`` is about to try; stops at the fifth time."""
            if statement == "BEGIN IMMEDIATE":
                attempts.append(statement)
                other.execute("INSERT INTO bad_line VALUES ('x', ?, 0, '', '')", (len(attempts),))
                other.execute("COMMIT")
                if len(attempts) < 5:
                    other.execute("BEGIN IMMEDIATE")

        db.set_trace_callback(gets_on)
        with schema.writing(db):
            assert len(attempts) == 5
