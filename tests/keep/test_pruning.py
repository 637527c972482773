"""Forgetting: old sessions first, running ones never, and the file really shrinks."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from otel_prov.keep import Store
from otel_prov.record.journal import Journal
from otel_prov.steps import Observation, Question, Session

from .told import Told

DAY = timedelta(days=1)


def days_ago(days: float) -> Told:
    """A session that started so many days ago."""
    told = Told(f"d{days}")
    told.start = time.time_ns() - int(days * 86400e9)
    return told


def write(folder: Path, *texts: bytes) -> None:
    with contextlib.closing(Journal(folder)) as journal:
        for text in texts:
            journal.write(text)


def ids(store: Store) -> list[str]:
    return [summary.uri.rpartition(":")[2] for summary in store.sessions(limit=None)]


def size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.glob("store.sqlite*") if not file.name.endswith("-shm"))


def test_sessions_that_are_older_go_with_all_that_they_had(tmp_path: Path, store: Store) -> None:
    for days in (40, 31, 29, 1):
        write(tmp_path, *days_ago(days).whole())
    store.add([Session("urn:old", (Question("?", datetime.now(timezone.utc) - 50 * DAY),))])
    store.take_in()
    assert store.prune(older_than=30 * DAY).removed == 3
    assert ids(store) == ["d1", "d29"]
    with contextlib.closing(sqlite3.connect(tmp_path / "store.sqlite")) as db:
        for table in ("span", "step", "imported"):
            left = f"SELECT count(*) FROM {table} WHERE session NOT IN (SELECT id FROM session)"
            assert db.execute(left).fetchone() == (0,)
    assert store.prune(older_than=30 * DAY).removed == 0


def test_a_session_is_as_old_as_its_last_sign_of_life(tmp_path: Path, store: Store) -> None:
    told = days_ago(40)
    late = told.saw(2).replace(str(told.start + 25).encode(), str(time.time_ns()).encode())
    write(tmp_path, told.starts(), late)
    store.take_in()
    assert store.prune(older_than=30 * DAY).removed == 0


def test_a_session_of_unknown_age_is_not_old(store: Store) -> None:
    store.add([Session("urn:x")])
    assert store.prune(older_than=timedelta(0)).removed == 0


def test_a_running_session_stays_whatever_its_age_and_an_interrupted_one_goes(tmp_path: Path, store: Store) -> None:
    journal = Journal(tmp_path)
    journal.write(days_ago(60).starts())
    write(tmp_path, days_ago(50).starts())
    store.take_in()
    assert store.prune(older_than=30 * DAY, max_bytes=0).removed == 1
    assert ids(store) == ["d60"]
    journal.close()
    store.take_in()
    assert store.prune(older_than=30 * DAY).removed == 1


def test_the_file_shrinks_to_the_size_that_is_asked_for_and_the_newest_stay(tmp_path: Path, store: Store) -> None:
    journal = Journal(tmp_path)
    journal.write(days_ago(100).starts())
    for days in range(90, 0, -1):
        told = days_ago(days)
        write(tmp_path, told.starts(), told.saw(1, observation="x" * 10_000), told.ends())
    store.take_in()
    before = size(tmp_path)
    assert before > 2_000_000
    removed = store.prune(max_bytes=1_000_000).removed
    assert 800_000 < size(tmp_path) <= 1_000_000
    assert ids(store) == [f"d{days}" for days in range(1, 91 - removed)] + ["d100"]
    assert store.prune(max_bytes=1_000_000).removed == 0
    session = store.session(days_ago(1).uri)
    assert session is not None
    assert [*session.of(Observation)] == [Observation(1, "x" * 10_000)]
    journal.close()


def test_the_file_shrinks_while_others_have_it_open(tmp_path: Path, store: Store) -> None:
    with Store(tmp_path) as other:
        for days in range(60, 30, -1):
            write(tmp_path, days_ago(days).saw(1, observation="x" * 50_000))
        store.take_in()
        assert len(other.sessions()) == 30
        before = size(tmp_path)
        assert store.prune(older_than=DAY).removed == 30
        assert size(tmp_path) < before / 10
        assert other.sessions() == []


@pytest.mark.parametrize("limits", [{"older_than": timedelta(0)}, {"max_bytes": 0}])
def test_bad_lines_go_too(tmp_path: Path, store: Store, limits: dict[str, object]) -> None:
    write(tmp_path, b"bad\n")
    store.take_in()
    assert store.prune(older_than=DAY).removed == 0
    assert store.bad_lines() == 1
    assert store.prune(**limits).removed == 0  # type: ignore[arg-type]
    assert store.bad_lines() == 0


def test_nothing_is_pruned_unless_asked(tmp_path: Path, store: Store) -> None:
    write(tmp_path, *days_ago(1000).whole(), b"bad\n")
    store.take_in()
    assert store.prune() == store.prune(max_bytes=10_000_000) == (0, 0)
    assert (len(store.sessions()), store.bad_lines()) == (1, 1)


def test_what_waits_to_be_sent_stays_until_it_is_sent(tmp_path: Path, store: Store) -> None:
    write(tmp_path, *days_ago(60).whole(), *days_ago(50).whole())  # by one writer, so in this order
    store.add([Session("urn:imported", (Question("?", datetime.now(timezone.utc) - 70 * DAY),))])
    store.take_in()
    store.outbox.settle()
    there = ["probe://there"]
    assert store.prune(older_than=30 * DAY, unless_unsent=there) == (1, 2), "what was imported is sent by nobody"
    assert store.prune(max_bytes=0, unless_unsent=there) == (0, 2)
    first = store.outbox.next_batch("probe://there", steps=6)
    assert {waiting.session.uri for waiting in first.steps} == {days_ago(60).uri}
    store.outbox.acknowledge("probe://there", first, [(first.steps[0], "refused")], 5)
    both = [*there, "probe://elsewhere"]
    assert store.prune(older_than=30 * DAY, unless_unsent=both) == (0, 2), "another destination has nothing yet"
    assert store.prune(older_than=30 * DAY, unless_unsent=there) == (1, 1)
    assert ids(store) == ["d50"]
    assert store.outbox.quarantined() == []
    assert store.prune(older_than=30 * DAY) == (1, 0)


def test_what_was_held_back_waits_too(tmp_path: Path, store: Store) -> None:
    told, there = days_ago(60), "probe://there"
    journal = Journal(tmp_path)
    for line in (told.starts(), told.thinks(1, "Is this the conclusion?")):
        journal.write(line)
    store.take_in()
    store.outbox.settle()
    assert store.outbox.held() == 1
    store.outbox.acknowledge(there, store.outbox.next_batch(there), [], 1)
    journal.close()
    store.take_in()
    assert store.prune(older_than=30 * DAY, unless_unsent=[there]) == (0, 1), "it can go out now, and has not"
