"""``otel-prov show``."""

from __future__ import annotations

import io
import json
import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
import rdflib
from click.testing import Result
from rich.console import Console

from otel_prov.describe import SHAPES, dataset
from otel_prov.record.journal import Journal
from otel_prov.show.page import Page, fold
from otel_prov.show.rows import Row, Section
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session
from tests.rdf import read_rdf

from .sessions import STARTED, a_session, an_id, line, uri

Call = Callable[..., Result]
Keep = Callable[..., None]


def test_the_text_tells_the_session_from_its_question_to_its_answer(call: Call, keep: Keep) -> None:
    keep(a_session(1))
    started = (STARTED + timedelta(hours=1)).astimezone().isoformat(" ", "seconds")
    assert (
        call("show", uri(1)).stdout
        == f"""\
Question         How many books are overdue, and whose?
Agent            librarian, rules
User             ann
Collection       default
Session          urn:trustgraph:agent:00000001-0000-4000-8000-000000000000
Trace            00000000000000000000000000000001
See it at        http://localhost:16686/trace/00000000000000000000000000000001
Started          {started}
Duration         4.2s
Outcome          final

Iteration 1
  Thought        The loans tell.
  Action         read_loans
  Arguments      overdue: true
                 limit: 10
  Observation    Emma, due 1 October
                 Ivanhoe, due 3 October

Iteration 2
  Thought        I need both readers.
  Action         reader
  Arguments      book: Emma
  Observation    Ms Woodhouse
  Action 2       reader
  Arguments 2    book: Ivanhoe
  Error 2        KeyError: 'Ivanhoe'

Conclusion
  Thought        One reader is enough to answer.
  Answer         Two: Emma (Ms Woodhouse) and Ivanhoe (unknown).

Graph            Question → Iteration 1 → Iteration 2 → Observation 2, Observation 2.2 → Conclusion
"""
    )


def test_a_session_is_found_by_uri_id_prefix_trace_id_and_as_the_latest(call: Call, keep: Keep) -> None:
    keep(a_session(1), a_session(2))
    for reference in (uri(2), an_id(2), uri(2)[:29], "00000002", f"{2:032x}", "latest"):
        assert json.loads(call("show", reference, "--format", "json").stdout)["uri"] == uri(2)


def test_json_has_every_step_and_arguments_as_values(call: Call, keep: Keep) -> None:
    keep(a_session(1))
    document = json.loads(call("show", "latest", "--format", "json").stdout)
    assert document == {
        "uri": uri(1),
        "type": "agent",
        "question": "How many books are overdue, and whose?",
        "started": "2026-11-02T15:03:05.250000Z",
        "ended": "2026-11-02T15:03:09.500000Z",
        "outcome": "final",
        "agent": "librarian",
        "version": None,
        "model": "rules",
        "user": "ann",
        "collection": "default",
        "trace_id": f"{1:032x}",
        "trace_url": f"http://localhost:16686/trace/{1:032x}",
        "span": None,
        "iterations": [
            {
                "number": 1,
                "thought": "The loans tell.",
                "span": None,
                "action": "read_loans",
                "arguments": {"overdue": True, "limit": 10},
                "observation": "Emma, due 1 October\nIvanhoe, due 3 October",
                "error": None,
                "observation_span": None,
            },
            {
                "number": 2,
                "thought": "I need both readers.",
                "span": None,
                "action": "reader",
                "arguments": {"book": "Emma"},
                "observation": "Ms Woodhouse",
                "error": None,
                "observation_span": None,
                "calls": [
                    {
                        "action": "reader",
                        "arguments": {"book": "Ivanhoe"},
                        "observation": None,
                        "error": "KeyError: 'Ivanhoe'",
                        "observation_span": None,
                    }
                ],
            },
        ],
        "thought": "One reader is enough to answer.",
        "answer": "Two: Emma (Ms Woodhouse) and Ivanhoe (unknown).",
        "answer_span": None,
        "error": None,
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, null]}', {"a": [1, None]}),
        ('"quoted"', "quoted"),
        ("query: not JSON", "query: not JSON"),
        ('{"a": NaN}', '{"a": NaN}'),
        ("1e999", "1e999"),
        ("[" * 5000, "[" * 5000),
        ("7" * 5000, "7" * 5000),
        ("", ""),
    ],
)
def test_arguments_that_are_no_strict_json_are_given_as_their_text(
    call: Call, keep: Keep, text: str, value: object
) -> None:
    keep(a_session(1, steps=(Analysis(1, action="act", arguments=text),)))
    document = json.loads(call("show", "latest", "--format", "json").stdout, parse_constant=pytest.fail)
    assert document["iterations"][0]["arguments"] == value


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("format", "name"), [("nquads", "nquads"), ("trig", "trig"), ("jsonld", "json-ld")])
def test_formats_with_graphs_hold_the_quads_of_the_shape(
    call: Call, keep: Keep, format: str, name: str, shape: str
) -> None:
    keep(a_session(1))
    written = read_rdf(call("show", "latest", "--format", format, "--shape", shape).stdout, name)
    expected = dataset([a_session(1)], shape)
    assert set(written.quads()) == set(expected.quads())


@pytest.mark.parametrize(("format", "name"), [("turtle", "turtle"), ("ntriples", "nt")])
def test_formats_without_graphs_hold_the_triples(call: Call, keep: Keep, format: str, name: str) -> None:
    keep(a_session(1))
    written = rdflib.Graph().parse(data=call("show", "latest", "--format", format).stdout, format=name)
    assert set(written) == {quad[:3] for quad in dataset([a_session(1)]).quads()}


def test_long_texts_are_folded_and_whole_with_full(call: Call, keep: Keep) -> None:
    many = "\n".join(f"row {number}" for number in range(1, 51))
    long = "abc " * 500
    keep(a_session(1, steps=(Analysis(1, thought=many, action="look"), Observation(1, long))))
    folded = call("show", "latest").stdout
    assert "row 10\n" in folded
    assert "row 11" not in folded
    assert "... 40 more lines, --full" in folded
    assert "... 1,400 more characters, --full" in folded
    full = call("show", "latest", "--full").stdout
    assert "row 50\n" in full
    assert long.strip() in full
    assert "--full" not in full


def test_a_text_is_folded_by_lines_and_by_characters() -> None:
    assert fold("a\n" * 10) == ("a\n" * 10, "")
    assert fold("a\n" * 11) == ("\n".join("a" * 10), "... 2 more lines, --full")
    assert fold("a" * 600) == ("a" * 600, "")
    assert fold("a" * 700) == ("a" * 600, "... 100 more characters, --full")
    assert fold("a" * 700 + "\nb") == ("a" * 600, "... 2 more lines, --full")
    assert fold("a\n" * 2 + "b" * 700) == ("a\n" * 2 + "b" * 596, "... 104 more characters, --full")
    assert fold("a" * 700, full=True) == ("a" * 700, "")


def test_empty_lines_around_a_text_are_not_shown_and_those_within_are_empty(call: Call, keep: Keep) -> None:
    keep(a_session(1, steps=(Observation(1, "\n\n  a\n\nb\n\n"),)))
    assert call("show", "latest").stdout.endswith("  Observation      a\n\n                 b\n")


def test_a_running_session_says_so_and_what_it_waits_for(call: Call, folder: Path) -> None:
    journal = Journal(folder)
    journal.write(line(1, "invoke_agent", question="How deep is it?"))
    journal.write(line(2, "agent.iteration", iteration=1, thought="I measure.", action="measure", arguments="{}"))
    shown = call("show", "latest").stdout
    assert "Outcome          running: it goes on" in shown
    assert "Action         measure\n  Arguments      {}\n  Observation    (none yet)\n" in shown
    journal.close()


def test_an_interrupted_session_says_so_and_where(call: Call, folder: Path) -> None:
    journal = Journal(folder)
    journal.write(line(1, "invoke_agent", question="How deep is it?"))
    journal.write(line(2, "agent.iteration", iteration=1, thought="I measure.", action="measure", arguments="{}"))
    journal.close()
    shown = call("show", "latest").stdout
    assert "Outcome          interrupted: its process ended before the session did" in shown
    assert "Observation    (none: the session was interrupted here)" in shown
    assert json.loads(call("show", "latest", "--format", "json").stdout)["outcome"] == "interrupted"


def test_what_is_not_known_is_left_out_or_said_to_be_missing(call: Call, keep: Keep) -> None:
    keep(Session(uri(1), (Analysis(1, action="act"), Observation(1, ""), Conclusion())))
    assert call("show", "latest").stdout == (
        f"Question         (not recorded)\nSession          {uri(1)}\n\n"
        "Iteration 1\n  Action         act\n  Observation    (empty)\n\n"
        "Conclusion\n  Answer         (not recorded)\n"
    )


def test_a_session_that_failed_ends_with_its_error(call: Call, keep: Keep) -> None:
    keep(Session(uri(1), (Question("?", STARTED),), outcome="error", error="RuntimeError: no more ideas"))
    shown = call("show", "latest").stdout
    assert "Outcome          error: an exception ended it\n" in shown
    assert shown.endswith("\nEnd\n  Error          RuntimeError: no more ideas\n")


def test_arguments_of_many_lines_keep_their_lines(call: Call, keep: Keep) -> None:
    arguments = json.dumps({"code": "if x:\n    print(x)", "strict": True, "rows": [1, 2]})
    keep(a_session(1, steps=(Analysis(1, action="python", arguments=arguments),)))
    assert call("show", "latest").stdout.endswith(
        "  Arguments      code:\n"
        "                   if x:\n"
        "                       print(x)\n"
        "                 strict: true\n"
        "                 rows: [1, 2]\n"
    )


def test_in_a_pipe_nothing_is_wrapped_or_coloured(
    keep: Keep, run: Callable[..., subprocess.CompletedProcess[bytes]]
) -> None:
    keep(a_session(1, steps=(Question("word " * 100, STARTED),)))
    shown = run("show", "latest").stdout
    assert b"Question         " + b"word " * 99 + b"word" in shown
    assert b"\x1b" not in shown


def test_on_a_terminal_texts_are_wrapped_beside_their_labels() -> None:
    screen = Console(file=io.StringIO(), force_terminal=True, width=40, color_system=None)
    Page(screen).begin(Section("", (Row("Thought", "one two three four five six seven"),)))
    assert screen.file.getvalue() == (  # type: ignore[attr-defined]
        "Thought          one two three four five\n                 six seven\n"
    )


def test_colours_are_for_terminals_and_no_color_turns_every_style_off(
    keep: Keep, run: Callable[..., subprocess.CompletedProcess[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(a_session(1))
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert b"\x1b[31mKeyError" in run("show", "latest").stdout
    assert b"\x1b[" in run("list").stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert b"\x1b" not in run("show", "latest").stdout + run("list").stdout
