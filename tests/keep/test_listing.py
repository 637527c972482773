"""Listing, filtering and finding sessions."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from otel_prov import names
from otel_prov.keep import INTERRUPTED, RUNNING, WAITING, Store, Summary
from otel_prov.record.journal import Journal

from .told import START, Told, Writer

T0 = datetime.fromtimestamp(START / 1e9, timezone.utc)


def ids(summaries: list[Summary]) -> list[str]:
    return [summary.uri.rpartition(":")[2] for summary in summaries]


def write(journal: Journal, *texts: bytes) -> None:
    for text in texts:
        journal.write(text)


def test_a_summary_tells_what_the_session_is(store: Store, journal: Journal) -> None:
    told = Told("s1", 7)
    write(journal, *told.whole(3))
    store.take_in()
    assert store.sessions() == [
        Summary(
            uri="urn:trustgraph:agent:s1",
            type="agent",
            pattern=None,
            question="Why s1?",
            started=T0 + timedelta(seconds=7),
            ended=T0 + timedelta(seconds=7),
            iterations=3,
            outcome=names.OUTCOME_FINAL,
            collection="c",
            agent="a",
            trace_id=told.trace_id,
        )
    ]


def test_a_session_whose_start_is_not_known_yet_has_that_of_its_first_span(store: Store, journal: Journal) -> None:
    told = Told("s1", 7)
    write(journal, told.saw(2))
    store.take_in()
    (summary,) = store.sessions()
    assert (summary.started, summary.question) == (T0 + timedelta(seconds=7), None)


def test_the_newest_fifty_come_first(store: Store, journal: Journal) -> None:
    write(journal, *(Told(f"s{number}", number).starts() for number in [*range(0, 60, 2), *range(1, 60, 2)]))
    store.take_in()
    assert ids(store.sessions()) == [f"s{number}" for number in range(59, 9, -1)]
    assert ids(store.sessions(limit=2)) == ["s59", "s58"]
    assert len(store.sessions(limit=None)) == 60


@pytest.fixture
def various(store: Store, journal: Journal) -> Store:
    first = Told("s1", 1, **{names.COLLECTION: "c1", names.AGENT_NAME: "a1", names.SESSION_QUESTION: "What is 100%?"})
    write(
        journal, first.starts(), first.saw(1, thought="Über all_in", observation='He said "no"\nand left'), first.ends()
    )
    second = Told("s2", 2, **{names.COLLECTION: "c2", names.AGENT_NAME: "a1", names.SESSION_QUESTION: "ABC"})
    write(journal, second.starts(), second.ends("error", "It broke."))
    third = Told("s3", 3, **{names.COLLECTION: "c2", names.AGENT_NAME: "a2", names.SESSION_QUESTION: "abcd"})
    write(journal, third.starts())
    store.take_in()
    return store


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"collection": "c2"}, ["s3", "s2"]),
        ({"collection": "c"}, []),
        ({"agent": "a1"}, ["s2", "s1"]),
        ({"agent": "a1", "collection": "c2"}, ["s2"]),
        ({"outcome": "error"}, ["s2"]),
        ({"outcome": "final"}, ["s1"]),
        ({"outcome": "running"}, ["s3"]),
        ({"outcome": "interrupted"}, []),
        ({"since": T0 + timedelta(seconds=2)}, ["s3", "s2"]),
        ({"until": T0 + timedelta(seconds=2)}, ["s1"]),
        ({"since": T0.replace(tzinfo=None) + timedelta(seconds=3)}, ["s3"]),
        ({"since": (T0 + timedelta(seconds=3)).astimezone(timezone(timedelta(hours=5)))}, ["s3"]),
        ({"text": "bc"}, ["s3", "s2"]),
        ({"text": "ABCD"}, ["s3"]),
        ({"text": "100%"}, ["s1"]),
        ({"text": "1%0"}, []),
        ({"text": "all_in"}, ["s1"]),
        ({"text": "a_l"}, []),
        ({"text": "ÜBER"}, ["s1"]),
        ({"text": 'said "NO"\nand'}, ["s1"]),
        ({"text": "it broke"}, ["s2"]),
        ({"text": "look"}, ["s1"]),
        ({"text": "bc", "limit": 1}, ["s3"]),
        ({"text": "thought"}, []),
        ({"text": "started"}, []),
        ({"text": "2025-"}, []),
        ({"text": "0000000000000000"}, []),  # ids of traces and spans
        ({"text": "null"}, []),
        ({"text": "\\n"}, []),
        ({"text": ""}, ["s3", "s2", "s1"]),
        ({"text": "\udc80"}, []),
        ({"collection": "\udc80"}, []),
    ],
    ids=repr,
)
def test_filters_let_through_what_meets_all_of_them(
    various: Store, wanted: dict[str, object], found: list[str]
) -> None:
    assert ids(various.sessions(**wanted)) == found  # type: ignore[arg-type]


def test_running_and_interrupted_sessions_can_be_asked_for(tmp_path: Path, store: Store) -> None:
    with Writer(tmp_path) as living, Writer(tmp_path) as dying:
        living.write(Told("r1", 1).starts(), *Told("f", 2).whole(), Told("r2", 3).starts())
        dying.write(Told("i1", 4).starts(), Told("i2", 5).starts(), Told("i3", 6).starts())
        dying.kill()
        store.take_in()
        assert ids(store.sessions(outcome=RUNNING)) == ["r2", "r1"]
        assert ids(store.sessions(outcome=RUNNING, limit=1)) == ["r2"]
        assert ids(store.sessions(outcome=INTERRUPTED)) == ["i3", "i2", "i1"]
        assert ids(store.sessions(outcome=INTERRUPTED, limit=2)) == ["i3", "i2"]
        assert [each.outcome for each in store.sessions()] == [INTERRUPTED] * 3 + [RUNNING, "final", RUNNING]


def test_a_session_that_ended_without_outcome_waits_for_another_process(store: Store, journal: Journal) -> None:
    told = Told()
    write(journal, told.starts(), told.saw(1), told.ends(outcome=None))
    write(journal, *Told("s2", 2).whole(), Told("s3", 3).starts())
    store.take_in()
    assert [each.outcome for each in store.sessions()] == [RUNNING, "final", WAITING]
    assert ids(store.sessions(outcome=WAITING)) == ["s1"]


def test_a_session_of_which_only_ended_iterations_are_known_has_no_outcome(store: Store, journal: Journal) -> None:
    write(journal, Told().saw(1))
    store.take_in()
    assert [each.outcome for each in store.sessions()] == [None]


def test_what_a_killed_process_left_unfinished_doesnt_count_once_another_has_taken_it_up(
    tmp_path: Path, store: Store
) -> None:
    first, second = Told("s1", 1), Told("s1", 2)
    with Writer(tmp_path) as writer:
        writer.write(first.starts(), first.acts(1))
        writer.kill()
    store.take_in()
    assert [each.outcome for each in store.sessions()] == [INTERRUPTED]
    with Writer(tmp_path) as writer:
        writer.write(second.starts(), second.saw(1))
        store.take_in()
        assert [each.outcome for each in store.sessions()] == [RUNNING]
        writer.write(second.ends(outcome=None, answer=None))
    store.take_in()
    assert [each.outcome for each in store.sessions()] == [WAITING]


@pytest.fixture
def named(store: Store, journal: Journal) -> Store:
    for number, name in enumerate(["abc-1", "abc-12", "abd", "a%", "a b", "0" * 30 + "9f"], start=1):
        write(journal, Told(name, number).starts())
    store.take_in()
    return store


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("latest", ["0" * 30 + "9f"]),
        ("abc-1", ["abc-1"]),
        ("abc", ["abc-1", "abc-12"]),
        ("urn:trustgraph:agent:abc-1", ["abc-1"]),
        ("urn:trustgraph:agent:abc", ["abc-1", "abc-12"]),
        ("urn:trustgraph:agent:abd", ["abd"]),
        ("a%", ["a%25"]),
        ("a_", []),
        ("%", []),
        ("a b", ["a%20b"]),
        ("a ", ["a%20b"]),
        ("0" * 31 + "3", ["abd"]),
        ("0" * 30 + "9f", ["0" * 30 + "9f"]),
        ("abcd", []),
        ("", []),
        ("\udc80", []),
    ],
)
def test_a_session_is_found_by_what_a_person_calls_it(named: Store, reference: str, found: list[str]) -> None:
    assert named.find(reference) == [f"urn:trustgraph:agent:{name}" for name in found]


def test_a_trace_id_in_capitals_and_that_of_a_continuation_find_their_session(store: Store, journal: Journal) -> None:
    first, second = Told("s1", 0xAB), Told("s1", 0xCD)
    write(journal, first.starts(), first.ends(outcome=None), second.starts())
    store.take_in()
    assert store.find(first.trace_id.upper()) == store.find(second.trace_id) == [first.uri]


def test_at_most_ten_are_found(store: Store, journal: Journal) -> None:
    write(journal, *(Told(f"s{number}", number).starts() for number in range(20)))
    store.take_in()
    assert len(store.find("s")) == 10


def test_nothing_is_found_in_an_empty_store(store: Store) -> None:
    assert store.find("latest") == []
    assert store.session("urn:trustgraph:agent:s1") is None
    assert store.session("\udc80") is None
