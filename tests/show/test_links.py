"""A session points at the page that shows its trace."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result
from rich.console import Console

from otel_prov.record.journal import Journal
from otel_prov.show.page import Page
from otel_prov.show.rows import Row, Section

from .sessions import a_session, line, uri

Call = Callable[..., Result]
Keep = Callable[..., None]

VARIABLE = "OTEL_EXPORTER_PROV_TRACE_URL"


@pytest.fixture
def url(call: Call, keep: Keep, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str | None]:
    """What ``show`` gives for the page, with a value of the variable."""
    keep(a_session(1))

    def url(value: str) -> str | None:
        monkeypatch.setenv(VARIABLE, value)
        found: str | None = json.loads(call("show", f"{1:032x}", "--format", "json").stdout)["trace_url"]
        text = call("show", f"{1:032x}").stdout
        assert (f"See it at        {found}\n" in text) if found else ("See it at" not in text)
        return found

    return url


def test_the_page_is_jaegers_of_this_machine_or_that_of_the_template(url: Callable[[str], str | None]) -> None:
    assert url("") == f"http://localhost:16686/trace/{1:032x}"
    assert url("https://traces.example/t/{trace_id}?view=1") == f"https://traces.example/t/{1:032x}?view=1"


@pytest.mark.parametrize("value", ["none", "None", " none "])
def test_no_page_is_named_where_there_is_none(url: Callable[[str], str | None], value: str) -> None:
    assert url(value) is None


def test_a_session_without_a_trace_has_no_page(call: Call, keep: Keep) -> None:
    keep(replace(a_session(2), trace_id=None))
    assert json.loads(call("show", uri(2), "--format", "json").stdout)["trace_url"] is None


def test_a_page_of_spans_is_not_named_for_a_session_without_one(url: Callable[[str], str | None]) -> None:
    assert url("http://t/spans/{span_id}") is None


@pytest.mark.parametrize("value", ["http://jaeger/trace/", "jaeger/{trace_id}", "{trace}"])
def test_a_template_that_makes_no_sense_is_said_and_jaegers_is_taken(
    call: Call, keep: Keep, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    keep(a_session(1))
    monkeypatch.setenv(VARIABLE, value)
    result = call("show", "latest")
    assert f"See it at        http://localhost:16686/trace/{1:032x}\n" in result.stdout
    assert f"{VARIABLE}={value} is no URL with {{trace_id}} in it; http://localhost:16686/" in result.stderr


def spans(number: int, first: int = 1, **told: object) -> list[bytes]:
    """A session of which an iteration and a tool call have spans of their own."""
    trace = {"number": 1, "trace": number}
    acting = {"iteration": first, "thought": "I look.", "action": "look", "arguments": "{}"}
    return [
        line(16 * number + 1, "invoke_agent", end=9, question="How deep is it?", **trace, **told),
        line(16 * number + 2, "agent.iteration", end=8, **acting, **trace),
        line(16 * number + 3, "execute_tool", end=7, iteration=first, tool="look", result="Deep.", **trace),
    ]


def page(number: int, span: int) -> str:
    return f"http://localhost:16686/trace/{number:032x}?uiFind={16 * number + span:016x}"


def ids(number: int, span: int) -> dict[str, str]:
    return {"trace_id": f"{number:032x}", "span_id": f"{16 * number + span:016x}", "url": page(number, span)}


def recorded(folder: Path, *lines: bytes) -> None:
    journal = Journal(folder)
    for each in lines:
        journal.write(each)
    journal.close()


def test_each_step_has_the_page_of_its_span(call: Call, folder: Path) -> None:
    recorded(folder, *spans(1, answer="Nine metres.", outcome="final"))
    shown = call("show", "latest").stdout
    assert f"See it at        http://localhost:16686/trace/{1:032x}\n" in shown
    assert f"  Span           {18:016x}  {page(1, 2)}\n  Tool span      {19:016x}  {page(1, 3)}\n" in shown
    document = json.loads(call("show", "latest", "--format", "json").stdout)
    (iteration,) = document["iterations"]
    assert (document["span"], document["answer_span"]) == (ids(1, 1), ids(1, 1))
    assert (iteration["span"], iteration["observation_span"]) == (ids(1, 2), ids(1, 3))


def test_a_session_of_several_traces_has_the_right_one_for_each_step(call: Call, folder: Path) -> None:
    recorded(folder, *spans(1), *spans(2, first=2, answer="Nine metres.", outcome="final"))
    document = json.loads(call("show", "latest", "--format", "json").stdout)
    assert [iteration["span"] for iteration in document["iterations"]] == [ids(1, 2), ids(2, 2)]
    assert [iteration["observation_span"] for iteration in document["iterations"]] == [ids(1, 3), ids(2, 3)]
    assert (document["span"], document["answer_span"]) == (ids(1, 1), ids(2, 1))
    assert f"  Answer         Nine metres.\n  Span           {33:016x}  {page(2, 1)}\n" in call("show", "latest").stdout


@pytest.mark.parametrize("span", [17, 18, 19])
def test_a_session_is_found_by_any_of_its_spans(call: Call, folder: Path, span: int) -> None:
    recorded(folder, *spans(1))
    assert json.loads(call("show", f"{span:016X}", "--format", "json").stdout)["uri"] == uri(1)
    assert "no session" in call("show", f"{20:016x}", expect=1).stderr


@pytest.mark.parametrize(
    ("value", "of_session", "of_step"),
    [
        ("http://t/{trace_id}", "http://t/T", "http://t/T"),
        ("http://t/{trace_id}?span={span_id}", "http://t/T", "http://t/T?span=S"),
        ("http://t/{trace_id}?span={span_id}&view=1#top", "http://t/T?view=1#top", "http://t/T?span=S&view=1#top"),
        ("http://t/?t={trace_id}&s={span_id}#top", "http://t/?t=T#top", "http://t/?t=T&s=S#top"),
        ("http://t/{trace_id}/{span_id}", "http://t/T/Q", "http://t/T/S"),
        ("http://t/spans/{span_id}", "http://t/spans/Q", "http://t/spans/S"),
        ("none", None, None),
    ],
)
def test_a_template_may_name_the_span_anywhere(
    call: Call, folder: Path, monkeypatch: pytest.MonkeyPatch, value: str, of_session: str | None, of_step: str | None
) -> None:
    recorded(folder, *spans(1))
    monkeypatch.setenv(VARIABLE, value)
    document = json.loads(call("show", "latest", "--format", "json").stdout)
    (iteration,) = document["iterations"]
    places = {"T": f"{1:032x}", "S": f"{18:016x}", "Q": f"{17:016x}"}

    def filled(url: str | None) -> str | None:
        return url and "".join(places.get(letter, letter) for letter in url)

    assert (document["trace_url"], iteration["span"]["url"]) == (filled(of_session), filled(of_step))
    assert ("Span" in call("show", "latest").stdout) == (value != "none")


def test_on_a_terminal_the_span_is_a_link_and_the_line_short(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Row("Span", f"{18:016x}", "dim", link=page(1, 2))
    for colours, written in (("standard", f"\x1b]8;id=1;{page(1, 2)}\x1b\\"), (None, f"{18:016x}  {page(1, 2)}\n")):
        screen = Console(file=io.StringIO(), force_terminal=True, width=200, color_system=colours)
        Page(screen).begin(Section("Iteration 1", (row,)))
        drawn = re.sub(r"(?<=8;id=)\d+", "1", screen.file.getvalue())  # type: ignore[attr-defined]
        assert written in drawn
        assert drawn.count(page(1, 2)) == 1
