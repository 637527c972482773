"""What the store remembers of sending, without any process."""

from __future__ import annotations

import platform
import shutil
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from otel_prov.deliver.courier import Courier
from otel_prov.deliver.endpoints import Endpoint
from otel_prov.keep import Store
from otel_prov.keep.outbox import OTHER_REASONS
from otel_prov.record.journal import Journal
from tests.keep.told import Told

from .conftest import Probe


def record(store: Store, folder: Path, sessions: int) -> None:
    journal = Journal(folder)
    for number in range(1, sessions + 1):
        for line in Told(f"s{number}", number).whole():
            journal.write(line)
    journal.close()
    store.take_in()
    store.outbox.settle()


@pytest.mark.parametrize(("steps", "size"), [(1, 10**6), (7, 10**6), (100, 1), (100, 200), (100, 10**6)])
def test_whatever_fits_into_a_batch_each_step_is_in_one(store: Store, folder: Path, steps: int, size: int) -> None:
    record(store, folder, 4)
    numbers = []
    while (batch := store.outbox.next_batch("d", steps=steps, size=size)).steps:
        assert len(batch.steps) <= steps
        assert store.outbox.next_batch("d", steps=steps, size=size) == batch, "until it is acknowledged"
        numbers += [waiting.number for waiting in batch.steps]
        store.outbox.acknowledge("d", batch, [], len(batch.steps))
    assert numbers == list(range(1, 25))


def test_a_step_that_changes_is_sent_again_under_a_higher_number(store: Store, folder: Path) -> None:
    record(store, folder, 1)
    store.outbox.acknowledge("d", store.outbox.next_batch("d"), [], 6)
    journal = Journal(folder)
    journal.write(Told("s1", 1, **{"agent.session.question": "Why, really?"}).ends())
    journal.close()
    store.take_in()
    store.outbox.settle()
    assert [waiting.number for waiting in store.outbox.next_batch("d").steps] == [7]


def test_the_identity_of_a_store_stays(folder: Path, tmp_path: Path) -> None:
    with Store(folder) as store:
        identity = store.outbox.identity()
    with Store(folder) as store, Store(tmp_path / "other") as other:
        assert store.outbox.identity() == identity != other.outbox.identity()


def test_a_copy_of_a_store_is_another_one_and_a_folder_that_was_moved_is_not(folder: Path, tmp_path: Path) -> None:
    with Store(folder) as store:
        identity = store.outbox.identity()
    shutil.copytree(folder, tmp_path / "copy")
    folder.rename(tmp_path / "moved")
    with Store(tmp_path / "moved") as moved, Store(tmp_path / "copy") as copy:
        assert moved.outbox.identity() == identity
        other = copy.outbox.identity()
        assert copy.outbox.identity() == other != identity


def test_the_same_file_on_another_host_is_another_store(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    identity = store.outbox.identity()
    monkeypatch.setattr(platform, "node", lambda: "another")
    assert store.outbox.identity() != identity


def sent(store: Store, fatal: set[int], ends: int) -> tuple[list[int], list[int]]:
    """What is taken and what is refused, where steps of these numbers end whoever sends them; at most so many ends."""
    taken: list[int] = []
    refused: list[int] = []
    while (batch := store.outbox.next_batch("d")).steps and ends >= 0:
        numbers = [waiting.number for waiting in batch.steps]
        if batch.is_fatal:
            store.outbox.acknowledge("d", batch, [(waiting, "fatal") for waiting in batch.steps], 0)
            refused += numbers
            continue
        store.outbox.begin("d", batch)
        if fatal & set(numbers):
            ends -= 1
        else:
            store.outbox.acknowledge("d", batch, [], len(numbers))
            taken += numbers
    return taken, refused


@pytest.mark.parametrize("fatal", [{1}, {11}, {24}, {7, 8, 20}, set(range(3, 13))])
def test_steps_that_end_whoever_sends_them_are_found(store: Store, folder: Path, fatal: set[int]) -> None:
    record(store, folder, 4)
    taken, refused = sent(store, fatal, ends=2 + 2 * len(fatal))
    assert set(refused) == fatal
    assert taken == [number for number in range(1, 25) if number not in fatal]
    record(store, folder, 6)
    assert len(store.outbox.next_batch("d").steps) == 12, "all at once again"


def test_where_every_step_does_it_no_more_than_some_are_refused(store: Store, folder: Path) -> None:
    record(store, folder, 4)
    assert sent(store, set(range(1, 25)), ends=100) == ([], list(range(1, 11)))
    assert sent(store, set(), ends=100) == (list(range(11, 25)), []), "when it is over the others go"


def test_a_worker_that_ends_while_the_destination_is_away_puts_no_blame_on_steps(store: Store, folder: Path) -> None:
    record(store, folder, 1)
    for _ in range(20):
        batch = store.outbox.next_batch("d")
        assert not batch.is_fatal
        store.outbox.begin("d", batch)
        store.outbox.failed("d", "nobody there")


def test_reasons_are_counted_and_do_not_pile_up(store: Store) -> None:
    for number in range(150):
        store.outbox.failed("d", f"reason {number}")
    store.outbox.failed("d", "reason 7")
    found = store.outbox.delivery("d")
    assert len(found.failed) == 101
    assert found.failed["reason 7"] == 2
    assert found.failed[OTHER_REASONS] == 50
    assert found.last_error == "reason 7"


def test_what_is_pruned_is_no_longer_pending_nor_quarantined(store: Store, folder: Path) -> None:
    record(store, folder, 2)
    batch = store.outbox.next_batch("d", steps=1)
    store.outbox.acknowledge("d", batch, [(batch.steps[0], "no")], 0)
    assert len(store.outbox.quarantined()) == 1
    store.prune(older_than=timedelta(0))
    assert store.outbox.quarantined() == []
    assert store.outbox.delivery("d").pending == 0
    assert store.outbox.retry([1]) == 0


def test_journals_that_wait_are_told(store: Store, folder: Path) -> None:
    journal = Journal(folder)
    journal.write(Told().starts())
    assert list(store.outbox.waiting_bytes().values()) == [len(Told().starts())]
    store.take_in()
    assert store.outbox.waiting_bytes() == {}
    journal.close()


def test_a_fault_of_a_destination_is_told_and_tried_again(
    store: Store, folder: Path, probe: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(store, folder, 1)
    (probe / "refuse").mkdir()  # what it reads, it can't
    told = threading.Event()
    courier = Courier(store.outbox, Endpoint(probe.url), once=False, told=lambda identity, steps: told.set())
    failed = threading.Event()
    monkeypatch.setattr(store.outbox, "failed", lambda identity, reason, **_: failed.set())
    courier.start()
    assert failed.wait(30)
    assert courier.trouble is not None
    assert courier.trouble.startswith("IsADirectoryError: ")
    (probe / "refuse").rmdir()
    assert told.wait(30)
    courier.stop()
    courier.join(30)
    assert courier.trouble is None
    assert len(probe.parcels) == 6
