"""Taking journals in: nothing is lost, nothing doubled, whoever writes, dies or takes in at the same time."""

from __future__ import annotations

import contextlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_prov import names
from otel_prov.keep import INTERRUPTED, RUNNING, WAITING, Intake, Store, StoreError, evidence
from otel_prov.keep import intake as intake_module
from otel_prov.losses import losses
from otel_prov.read import Span, parse_line, read
from otel_prov.record import journal as journal_module
from otel_prov.record.journal import Journal
from otel_prov.steps import Analysis, Conclusion, Observation, Session

from .told import Told, Writer, line


def journals(folder: Path) -> list[Path]:
    return list((folder / "journal").iterdir())


def read_lines(*texts: bytes) -> list[Session]:
    return read(span for text in texts for span in parse_line(text))


def outcome(store: Store, told: Told) -> str | None:
    session = store.session(told.uri)
    assert session is not None
    return session.outcome


TWO = [*Told("s1", 1).whole(3), *Told("s2", 2).whole(2)]


@given(st.lists(st.tuples(st.sampled_from(TWO), st.integers(0, 2), st.booleans()), min_size=1, max_size=40))
@settings(deadline=None, max_examples=60)
def test_any_lines_in_any_order_and_repeatedly_through_any_journals_give_what_reading_them_gives(
    lines: list[tuple[bytes, int, bool]],
) -> None:
    with tempfile.TemporaryDirectory() as name, Store(Path(name)) as store:
        writers = [Journal(Path(name)) for _ in range(3)]
        for text, writer, now in lines:
            writers[writer].write(text)
            if now:
                store.take_in()
        store.take_in()
        expected = read_lines(*(text for text, _, _ in lines))
        found = [store.session(session.uri) for session in expected]
        assert [told and _as_recorded(told) for told in found] == expected
        assert len(store.sessions()) == len(expected)
        for each in writers:
            each.close()


def _as_recorded(session: Session) -> Session:
    return replace(session, outcome=None) if session.outcome in (RUNNING, INTERRUPTED) else session


def test_a_session_is_seen_as_it_grows_while_its_writer_lives(tmp_path: Path, store: Store) -> None:
    told = Told()
    with Writer(tmp_path) as writer:
        writer.write(told.starts(), told.acts(1))
        assert store.take_in() == Intake(spans=2)
        session = store.session(told.uri)
        assert session is not None
        assert session.outcome == RUNNING
        assert [type(step).__name__ for step in session.steps] == ["Question", "Analysis"]
        writer.write(told.saw(1), told.ends())
        assert store.take_in() == Intake(spans=2)
        session = store.session(told.uri)
        assert session is not None
        assert session.outcome == names.OUTCOME_FINAL
        assert list(session.of(Observation)) == [Observation(1, "Oh.")]
        assert session.conclusion == Conclusion("Because.")
        assert len(journals(tmp_path)) == 1
    store.take_in()
    assert journals(tmp_path) == []


def test_what_a_killed_writer_has_written_is_kept_and_its_session_is_interrupted(tmp_path: Path, store: Store) -> None:
    told = Told()
    with Writer(tmp_path) as writer:
        writer.write(told.starts(), told.acts(1), told.saw(1), told.acts(2, "And then?"))
        writer.kill()
    assert store.take_in() == Intake(spans=4)
    session = store.session(told.uri)
    assert session is not None
    assert session.outcome == INTERRUPTED
    assert [step.thought for step in session.of(Analysis)] == ["Hm.", "And then?"]
    assert journals(tmp_path) == []


def test_a_session_runs_until_its_writer_is_killed(tmp_path: Path, store: Store) -> None:
    told = Told()
    with Writer(tmp_path) as writer:
        writer.write(told.starts())
        store.take_in()
        assert outcome(store, told) == RUNNING
        writer.kill()
        assert outcome(store, told) == INTERRUPTED


def test_a_session_is_not_called_interrupted_before_its_last_lines_are_taken_in(tmp_path: Path, store: Store) -> None:
    told = Told()
    with Writer(tmp_path) as writer:
        writer.write(told.starts())
        store.take_in()
        writer.write(told.ends())
        writer.kill()
    assert outcome(store, told) == RUNNING
    store.take_in()
    assert outcome(store, told) == names.OUTCOME_FINAL


def test_a_session_that_goes_on_in_another_process_runs_as_long_as_that_one(tmp_path: Path, store: Store) -> None:
    first, second = Told("s1", 1), Told("s1", 2)
    with Writer(tmp_path) as writer:
        writer.write(first.starts(), first.saw(1), first.ends(outcome=None, answer=None))
    store.take_in()
    assert outcome(store, first) == WAITING
    with Writer(tmp_path) as writer:
        writer.write(second.starts(), second.acts(2))
        store.take_in()
        assert outcome(store, first) == RUNNING
        writer.kill()
    store.take_in()
    assert outcome(store, first) == INTERRUPTED
    with Writer(tmp_path) as writer:
        writer.write(second.saw(2), second.ends())
    store.take_in()
    assert outcome(store, first) == names.OUTCOME_FINAL
    (summary,) = store.sessions()
    assert (summary.iterations, summary.trace_id) == (2, first.trace_id)


def test_a_torn_last_line_waits_for_its_rest(store: Store, journal: Journal) -> None:
    told = Told()
    text = told.starts()
    journal.write(text[:100])
    assert store.take_in() == Intake()
    journal.write(text[100:])
    assert store.take_in() == Intake(spans=1)


def test_a_torn_last_line_is_set_aside_when_its_writer_is_gone(tmp_path: Path, store: Store) -> None:
    told = Told()
    with Writer(tmp_path) as writer:
        writer.write(told.starts(), told.ends()[:100])
        assert store.take_in() == Intake(spans=1)
        writer.kill()
    assert store.take_in() == Intake(bad_lines=1)
    assert store.bad_lines() == 1
    assert journals(tmp_path) == []


def test_a_last_line_that_only_lacks_its_newline_counts_when_its_writer_is_gone(tmp_path: Path, store: Store) -> None:
    told = Told()
    with Writer(tmp_path) as writer:
        writer.write(told.starts(), told.ends().rstrip())
        writer.kill()
    assert store.take_in() == Intake(spans=2)
    assert outcome(store, told) == names.OUTCOME_FINAL


BAD = {
    "no JSON": b"GET / HTTP/1.1\n",
    "no text": b"\xff\xfe\x00\n",
    "half a line": Told("s2").starts()[:80] + b"\n",
    "JSON of something else": b'{"level": "info"}\n',
    "another signal": b'{"resourceLogs": []}\n',
    "spans that are none": b'{"resourceSpans": [{"scopeSpans": [{"spans": [3]}]}]}\n',
    "no trace id": line(traceId=None, attributes={names.SESSION_ID: "s1"}),
    "a start after the end of time": line(
        startTimeUnixNano="9" * 30, attributes={names.SESSION_ID: "s1", names.OPERATION_NAME: names.INVOKE_AGENT}
    ),
    "a number that is too large": line(attributes={names.SESSION_ID: "s1", names.ITERATION_NUMBER: 10**30}),
    "a value without bottom": line(attributes={names.SESSION_ID: "s1"}).replace(
        b'"attributes": [{"key"', b'"events": ' + b"[" * 300 + b"]" * 300 + b', "attributes": [{"key"'
    ),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_a_bad_line_is_set_aside_and_its_neighbours_are_kept(store: Store, journal: Journal, bad: bytes) -> None:
    told = Told("s1", 1)
    for text in (told.starts(), bad, told.saw(1), bad, told.ends()):
        journal.write(text)
    assert store.take_in() == Intake(spans=3, bad_lines=2)
    assert store.bad_lines() == 2
    assert store.session(told.uri) == read_lines(told.starts(), told.saw(1), told.ends())[0]


def test_a_bad_end_of_a_span_leaves_its_good_start(store: Store, journal: Journal) -> None:
    told = Told()
    journal.write(told.starts())
    journal.write(told.ends().replace(str(told.start).encode(), b"9" * 30))
    assert store.take_in() == Intake(spans=1, bad_lines=1)
    assert outcome(store, told) == RUNNING


def test_a_span_that_a_reader_fails_on_is_set_aside_alone(
    store: Store, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(spans: Iterable[Span]) -> list[Session]:
        spans = list(spans)
        if any(span.attributes.get(names.ITERATION_THOUGHT) == "Nobody has thought of this." for span in spans):
            raise KeyError("thought")
        return read(spans)

    monkeypatch.setattr(evidence, "read", fails)
    told = Told()
    bad = [told.saw(i, thought="Nobody has thought of this.") for i in (2, 5)]
    good = [told.starts(), told.saw(1), told.saw(3), told.saw(4), told.ends()]
    for text in (*good[:2], bad[0], *good[2:], bad[1]):
        journal.write(text)
    journal.write(Told("s2", 2).starts())
    assert store.take_in() == Intake(spans=6, bad_lines=2)
    assert store.session(told.uri) == read_lines(*good)[0]
    assert len(store.sessions()) == 2


def test_bad_lines_are_kept_with_their_reason_and_cut(tmp_path: Path, store: Store, journal: Journal) -> None:
    journal.write(b"x" * 1_000_000 + b"\n")
    store.take_in()
    ((reason, kept),) = query(tmp_path, "SELECT reason, line FROM bad_line")
    assert str(reason).startswith("not JSON")
    assert kept == b"x" * 4096


def test_spans_of_no_agent_are_counted_and_not_kept_and_blank_lines_are_nothing(store: Store, journal: Journal) -> None:
    for text in (b"\n", line(name="GET /"), b"  \r\n", Told().starts()):
        journal.write(text)
    assert store.take_in() == Intake(spans=1, skipped=1)
    assert len(store.sessions()) == 1


def test_all_files_of_a_writer_are_taken_in_and_the_closed_ones_removed(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "_FILE_BYTES", 500)
    told = Told()
    journal = Journal(tmp_path)
    for text in told.whole(5)[:-1]:
        journal.write(text)
    assert len(journals(tmp_path)) > 3
    assert store.take_in() == Intake(spans=11)
    assert len(journals(tmp_path)) == 1
    assert outcome(store, told) == RUNNING
    journal.write(told.ends())
    journal.close()
    assert store.take_in() == Intake(spans=1)
    assert journals(tmp_path) == []
    assert store.sessions()[0].iterations == 5


@pytest.mark.parametrize("size", [1, 300, 700, 5000])
def test_a_session_that_is_read_in_pieces_is_the_same(
    store: Store, journal: Journal, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(intake_module, "_CHUNK", size)
    for text in TWO:
        journal.write(text)
    assert store.take_in() == Intake(spans=len(TWO))
    expected = read_lines(*TWO)
    assert [store.session(session.uri) for session in expected] == expected


TAKE_IN = """
import sys
from pathlib import Path
from otel_prov.keep import Store
with Store(Path(sys.argv[1])) as store:
    print("ready", flush=True)
    sys.stdin.readline()
    intake = store.take_in()
    print(intake.spans, intake.bad_lines, intake.skipped)
"""


def test_processes_that_take_in_the_same_journals_at_once_lose_and_double_nothing(tmp_path: Path) -> None:
    told = [Told(f"s{number}", number) for number in range(600)]
    for part in range(6):
        journal = Journal(tmp_path)
        for each in told[part::6]:
            for text in [*each.whole(4), b"bad\n", line(name="GET /")]:
                journal.write(text)
        journal.close()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", TAKE_IN, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    counts = [tuple(map(int, process.communicate()[0].split())) for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert [sum(column) for column in zip(*counts, strict=True)] == [600 * 10, 600, 600]
    with Store(tmp_path) as store:
        assert store.bad_lines() == 600
        assert {(each.iterations, each.outcome) for each in store.sessions(limit=None)} == {(4, names.OUTCOME_FINAL)}
        assert len(store.sessions(limit=None)) == 600
    assert journals(tmp_path) == []


DIE_BEFORE_REMOVAL = """
import os, sys
from pathlib import Path
from otel_prov.keep import Store
Path.unlink = lambda file, **options: os.kill(os.getpid(), 9)
Store(Path(sys.argv[1])).take_in()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is POSIX's")
def test_a_crash_between_taking_in_and_removing_a_journal_does_no_harm(tmp_path: Path, store: Store) -> None:
    journal = Journal(tmp_path)
    for text in (*TWO, b"bad\n"):
        journal.write(text)
    journal.close()
    died = subprocess.run([sys.executable, "-c", DIE_BEFORE_REMOVAL, tmp_path], check=False)
    assert died.returncode == -signal.SIGKILL
    assert len(journals(tmp_path)) == 1
    assert len(store.sessions()) == 2
    assert store.take_in() == Intake()
    assert store.bad_lines() == 1
    assert journals(tmp_path) == []


def test_nothing_is_left_of_a_journal_that_was_removed(tmp_path: Path, store: Store, journal: Journal) -> None:
    journal.write(Told().starts())
    store.take_in()
    assert len(query(tmp_path, "SELECT * FROM journal")) == 1
    journal.close()
    store.take_in()
    assert query(tmp_path, "SELECT * FROM journal") == []


def test_a_file_that_cannot_be_read_is_counted_and_the_others_are_taken_in(tmp_path: Path, store: Store) -> None:
    (tmp_path / "journal" / "0-unreadable.1.jsonl").mkdir(parents=True)
    journal = Journal(tmp_path)
    journal.write(Told().starts())
    before = losses().get(intake_module.NOT_READ, 0)
    assert store.take_in() == Intake(spans=1)
    assert losses()[intake_module.NOT_READ] == before + 1
    journal.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows moves no folder with open files")
def test_a_journal_that_is_away_for_a_while_is_taken_in_once_more_without_harm(
    tmp_path: Path, store: Store, journal: Journal
) -> None:
    for text in (*TWO, b"bad\n"):
        journal.write(text)
    store.take_in()
    sessions = store.sessions()
    (tmp_path / "journal").rename(tmp_path / "away")
    assert store.take_in() == Intake()
    (tmp_path / "away").rename(tmp_path / "journal")
    store.take_in()
    assert (store.sessions(), store.bad_lines()) == (sessions, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows removes no open file")
def test_a_file_that_vanishes_meanwhile_does_not_stop_the_others(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Journal(tmp_path), Journal(tmp_path)
    first.write(Told("s1").starts())
    second.write(Told("s2").starts())
    both = journal_module.files(tmp_path)
    monkeypatch.setattr(journal_module, "files", lambda folder: both)
    both[0].unlink()
    before = losses()
    assert store.take_in() == Intake(spans=1)
    assert losses() == before
    first.close()
    second.close()


def test_a_full_disk_is_told_and_nothing_is_lost(small_disk: Path) -> None:
    told = [Told(f"s{number}", number) for number in range(60)]
    with Store(small_disk) as store, contextlib.closing(Journal(small_disk)) as journal:
        for each in told[:30]:
            journal.write(b"".join(each.whole(4)))
        store.take_in()
        for each in told[30:]:
            journal.write(b"".join(each.whole(4)))
        fill(small_disk / "ballast")
        with pytest.raises(StoreError, match="disk is full"):
            store.take_in()
        assert len(store.sessions()) == 30
        (small_disk / "ballast").unlink()
        assert store.take_in() == Intake(spans=300)
        assert {(each.iterations, each.outcome) for each in store.sessions()} == {(4, names.OUTCOME_FINAL)}
        assert len(store.sessions(limit=None)) == 60


def fill(file: Path) -> None:
    """Make the file as large as its disk lets it be."""
    with file.open("wb", buffering=0) as stream, contextlib.suppress(OSError):
        while True:
            stream.write(bytes(4096))


def query(folder: Path, sql: str) -> list[tuple[object, ...]]:
    db = sqlite3.connect(folder / "store.sqlite")
    try:
        return db.execute(sql).fetchall()
    finally:
        db.close()


def test_a_step_that_says_the_same_with_more_around_it_is_not_sent_again(store: Store, journal: Journal) -> None:
    def analysis() -> tuple[int, Analysis]:
        store.take_in()
        store.outbox.settle()
        steps = store.outbox.next_batch("file:///x").steps
        return next((each.number, each.step) for each in steps if isinstance(each.step, Analysis))

    told = Told("s1")
    journal.write(told.starts() + told.acts(1))
    before, known = analysis()
    call = {names.OPERATION_NAME: names.EXECUTE_TOOL, names.TOOL_NAME: "look", names.ITERATION_NUMBER: 1}
    journal.write(told._line(9, told.start + 12_000, told.start + 14_000, call, name="execute_tool look"))
    after, more = analysis()
    assert known.ended is None
    assert more.ended is not None
    assert after == before
