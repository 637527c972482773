"""The numbers of steps: what has been delivered up to a number needs no second look."""

from __future__ import annotations

import contextlib
import sqlite3
from datetime import timedelta
from pathlib import Path

from otel_prov.keep import Store
from otel_prov.record.journal import Journal

from .told import Told


def numbers(folder: Path) -> dict[str, int]:
    """Each step's number, by key, in the order of the numbers."""
    with contextlib.closing(sqlite3.connect(folder / "store.sqlite")) as db:
        return dict(db.execute("SELECT key, seq FROM step ORDER BY seq"))


def test_the_numbers_of_a_session_follow_its_natural_order(tmp_path: Path, store: Store, journal: Journal) -> None:
    for text in reversed(Told().whole(2)):
        journal.write(text)
    store.take_in()
    assert list(numbers(tmp_path)) == ["question", "i1", "i1/observation", "i2", "i2/observation", "final"]


def test_only_steps_that_change_get_a_new_number(tmp_path: Path, store: Store, journal: Journal) -> None:
    told = Told()
    for text in (told.starts(), told.acts(1), told.saw(2)):
        journal.write(text)
    store.take_in()
    before = numbers(tmp_path)
    journal.write(told.saw(1, thought="Now I know."))
    store.take_in()
    after = numbers(tmp_path)
    assert {key: after[key] for key in ("question", "i2", "i2/observation")} == {
        key: before[key] for key in ("question", "i2", "i2/observation")
    }
    assert list(after)[-2:] == ["i1", "i1/observation"]
    assert after["i1"] > max(before.values())


def test_what_is_told_again_changes_no_number(tmp_path: Path, store: Store) -> None:
    for _ in range(2):
        with contextlib.closing(Journal(tmp_path)) as journal:
            for text in Told().whole():
                journal.write(text)
        store.take_in()
        last = numbers(tmp_path)
        assert max(last.values()) == 6


def test_an_iteration_that_turns_out_to_be_the_conclusion_goes(tmp_path: Path, store: Store, journal: Journal) -> None:
    told = Told()
    journal.write(told.starts())
    journal.write(told.thinks(1, "That is it."))
    store.take_in()
    assert list(numbers(tmp_path)) == ["question", "i1"]
    journal.write(told.ends())
    store.take_in()
    assert list(numbers(tmp_path)) == ["question", "final"]
    assert store.sessions()[0].iterations == 0


def test_a_number_is_never_given_twice(tmp_path: Path, store: Store) -> None:
    highest = 0
    for number in range(3):
        with contextlib.closing(Journal(tmp_path)) as journal:
            for text in Told(f"s{number}", number).whole(1):
                journal.write(text)
        store.take_in()
        assert min(numbers(tmp_path).values()) > highest
        highest = max(numbers(tmp_path).values())
        assert store.prune(older_than=timedelta(0)).removed == 1
