"""``otel-prov list``."""

from __future__ import annotations

import io
import json
import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import Result
from rich.console import Console

from otel_prov.keep import Store
from otel_prov.record.journal import Journal
from otel_prov.show.table import print_table
from otel_prov.show.times import local
from otel_prov.steps import Question, Session

from .sessions import STARTED, a_session, an_id, line, uri

Call = Callable[..., Result]
Keep = Callable[..., None]


def test_the_table_has_a_line_for_each_session_the_newest_first(call: Call, keep: Keep) -> None:
    keep(a_session(1), a_session(2, outcome="error"), a_session(3, ended=None, outcome=None))
    assert call("list").stdout.splitlines() == [
        "Started              Type   Id        Outcome  Iter  Took  Question",
        f"{local(STARTED + timedelta(hours=3))}  Agent  00000003  -           2     -  {_QUESTION}",
        f"{local(STARTED + timedelta(hours=2))}  Agent  00000002  error       2  4.2s  {_QUESTION}",
        f"{local(STARTED + timedelta(hours=1))}  Agent  00000001  final       2  4.2s  {_QUESTION}",
    ]


_QUESTION = "How many books are overdue, and whose?"


def test_the_installed_command_takes_in_the_journal_before_it_lists(
    folder: Path, run: Callable[..., subprocess.CompletedProcess[bytes]]
) -> None:
    journal = Journal(folder)
    journal.write(line(1, "invoke_agent", end=9, question="What is new?", outcome="final", answer="Nothing."))
    assert b"What is new?" in run("list").stdout


def test_the_short_id_means_the_session_even_where_ids_begin_alike(call: Call, keep: Keep) -> None:
    alike = "urn:trustgraph:agent:00000001-0000-7000-8000-000000000000"
    keep(a_session(1), Session(alike, (Question("Another?", STARTED),)), a_session(2))
    ids = [row.split()[3] for row in call("list").stdout.splitlines()[1:]]
    assert ids == ["00000002", "00000001-0000-4000", "00000001-0000-7000"]
    assert [json.loads(call("show", short, "--format", "json").stdout)["uri"] for short in ids] == [
        uri(2),
        uri(1),
        alike,
    ]


def test_an_id_that_is_no_uuid_is_listed_whole_and_a_foreign_uri_too(call: Call, keep: Keep) -> None:
    keep(Session("urn:trustgraph:agent:night-shift"), Session("http://example.org/run/7"))
    ids = {row.split()[2] for row in call("list").stdout.splitlines()[1:]}
    assert ids == {"night-shift", "http://example.org/run/7"}


def test_json_is_an_array_of_objects_with_numbers_and_utc_times(call: Call, keep: Keep) -> None:
    keep(a_session(1))
    assert json.loads(call("list", "--json").stdout) == [
        {
            "uri": uri(1),
            "type": "agent",
            "pattern": None,
            "question": _QUESTION,
            "started": "2026-11-02T15:03:05.250000Z",
            "ended": "2026-11-02T15:03:09.500000Z",
            "outcome": "final",
            "iterations": 2,
            "duration": 4.25,
            "collection": "default",
            "agent": "librarian",
        }
    ]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--collection", "archive"], {2}),
        (["--agent", "clerk"], {3}),
        (["--text", "woodhouse"], {1, 2, 3}),
        (["--text", "nobody says this"], set()),
        (["--outcome", "error"], {3}),
        (["--since", "2026-11-02T16:00Z"], {2, 3}),
        (["--until", "2026-11-02T16:30:00+00:00"], {1, 2}),
        (["--since", "2026-11-02T16:00Z", "--until", "2026-11-02T17:00Z"], {2}),
        (["--limit", "2"], {3, 2}),
    ],
)
def test_each_filter_leaves_what_it_says(call: Call, keep: Keep, options: list[str], found: set[int]) -> None:
    keep(a_session(1), a_session(2, collection="archive"), a_session(3, agent="clerk", outcome="error"))
    listed = json.loads(call("list", "--json", *options, expect=0 if found else 1).stdout)
    assert {session["uri"] for session in listed} == {uri(number) for number in found}


def test_only_the_newest_fifty_are_listed_unless_more_are_asked_for(call: Call, keep: Keep) -> None:
    keep(*(Session(uri(number), (Question("?", STARTED),)) for number in range(60)))
    assert len(json.loads(call("list", "--json").stdout)) == 50
    assert len(json.loads(call("list", "--json", "--limit", 99).stdout)) == 60


def test_without_any_session_one_line_says_how_to_record_the_first(call: Call, folder: Path) -> None:
    result = call("list", expect=1)
    assert result.stdout == ""
    assert result.stderr.startswith(f"otel-prov: no sessions in {folder} yet.")
    assert "@trace_agent" in result.stderr
    assert result.stderr.count("\n") == 1
    assert call("list", "--json", expect=1).stdout == "[]\n"


def test_without_a_match_one_line_says_so(call: Call, keep: Keep) -> None:
    keep(a_session())
    assert call("list", "--agent", "nobody", expect=1).stderr.startswith("otel-prov: no session matches")


def test_a_session_that_still_runs_and_one_that_was_interrupted_are_told_apart(call: Call, folder: Path) -> None:
    running, dead = Journal(folder), Journal(folder)
    running.write(line(1, "invoke_agent", number=1, question="Still there?"))
    dead.write(line(2, "invoke_agent", number=2, question="And you?"))
    dead.close()
    outcomes = {session["uri"]: session["outcome"] for session in json.loads(call("list", "--json").stdout)}
    assert outcomes == {uri(1): "running", uri(2): "interrupted"}
    assert an_id(1)[:8] in call("list", "--outcome", "running").stdout
    running.close()


def test_a_question_as_long_as_a_file_is_folded_in_the_table_and_whole_in_json(call: Call, keep: Keep) -> None:
    keep(Session(uri(1), (Question("word " * 1000, STARTED),)))
    assert call("list").stdout.splitlines()[1].endswith("word word…")
    assert json.loads(call("list", "--json").stdout)[0]["question"] == "word " * 1000


def test_on_a_terminal_each_session_has_one_line_of_its_width(folder: Path, keep: Keep) -> None:
    question = Question("Which of all the readers of all the books in all the libraries is this? " * 3, STARTED)
    keep(a_session(1), a_session(2, steps=(question,)))
    for width in (60, 80, 120):
        screen = Console(file=io.StringIO(), force_terminal=True, width=width, color_system=None)
        with Store(folder) as store:
            print_table(screen, store, store.sessions())
        rows = screen.file.getvalue().splitlines()  # type: ignore[attr-defined]
        assert len(rows) == 3
        assert all(len(row.rstrip()) <= width for row in rows)
        assert rows[2].rstrip().endswith("…")
