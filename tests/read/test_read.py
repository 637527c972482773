"""Spans are read into the same steps whatever way they come."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from otel_prov import iteration, session, tool, trace_agent
from otel_prov.read import NotOtlp, Span, parse_line, read
from otel_prov.steps import Analysis, Observation
from tests.conftest import Program


@trace_agent(session_id="s", name="a")
def answer(question: str) -> str:
    for number in (1, 2, 3):
        with iteration() as step:
            step.record(thought=f"t{number}")
            step.record(action="look", arguments={"at": number})
            with tool("look", {"at": number}) as call:
                call.record("seen by the tool")
            with tool("also", {"n": number}) as call:
                call.record(number)
            step.record(observation=f"o{number}")
    with iteration() as step:
        step.record(thought="enough")
    return "the answer"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_order_and_repetition_gives_the_same_session(program: Program, data: st.DataObject) -> None:
    if not program.spans:
        answer("?")
    records = program.recorded
    expected = read(records)
    again = data.draw(st.lists(st.sampled_from(records), max_size=10))
    shuffled = data.draw(st.permutations(records + again))
    assert read(shuffled) == expected
    assert len(expected[0].steps) == 1 + 3 * 3 + 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_part_of_the_records_tells_a_part_of_the_session(program: Program, data: st.DataObject) -> None:
    if not program.spans:
        answer("?")
    whole = program.session
    some = data.draw(st.sets(st.sampled_from(range(len(program.recorded))), min_size=1))
    (part,) = read(program.recorded[index] for index in some)
    assert part.uri == whole.uri
    numbers = {step.number for step in whole.of(Analysis)} | {4}  # the closing thought, while nothing closes it
    assert {step.number for step in part.of(Analysis)} <= numbers
    texts = {step.text for step in whole.of(Observation)}
    assert {step.text for step in part.of(Observation)} <= texts | {
        "seen by the tool",
        None,
    }  # a further call that still runs


def test_each_step_knows_the_span_that_told_of_it(program: Program) -> None:
    answer("?")
    session = program.session
    ended = {(span.trace_id, span.span_id): span for span in program.recorded if span.end}
    told = [ended[str(step.trace_id), str(step.span_id)].name for step in session.steps]
    iteration = ["agent.iteration", "execute_tool look", "execute_tool also"]
    assert told == ["invoke_agent a", *3 * iteration, "invoke_agent a"]


def test_which_span_told_of_it_is_no_part_of_what_a_step_says() -> None:
    assert Analysis(1, "I look.", trace_id="a", span_id="b") == Analysis(1, "I look.")


def test_an_iteration_is_read_alone(program: Program) -> None:
    answer("?")
    (alone,) = read(span for span in program.recorded if span.attributes.get("agent.iteration.number") == 2)
    assert [type(step).__name__ for step in alone.steps] == ["Analysis", "Observation", "Observation"]
    assert alone.collection == "default"


def test_a_thought_without_an_action_is_the_conclusions_only_at_the_end(program: Program) -> None:
    @trace_agent
    def wanders(question: str) -> str:
        for thought in ("hm", "oh"):
            with iteration() as step:
                step.record(thought=thought)
        return "well"

    wanders("?")
    assert list(program.session.of(Analysis)) == [Analysis(1, "hm")]
    assert program.session.conclusion is not None
    assert program.session.conclusion.thought == "oh"


def test_an_iteration_delivered_twice_is_one_and_what_was_told_of_it_stays(program: Program) -> None:
    for text in ("first try", "second try"):
        with session("?", session_id="s"), iteration() as step:
            step.record(action="look", observation=text)
    assert program.session.steps[1:] == (Analysis(1, None, "look"), Observation(1, "first try"))


PAIR = {"key": "k", "value": {"boolValue": True}}
LINE: dict[str, Any] = {
    "resourceSpans": [
        {
            "scopeSpans": [
                {
                    "spans": [
                        {
                            "traceId": "0AF7651916CD43DD8448EB211C80319C",
                            "spanId": "B7AD6B7169203331",
                            "name": "agent.iteration",
                            "startTimeUnixNano": 1764500000000000000,
                            "attributes": [
                                {"key": "agent.session.id", "value": {"stringValue": "s"}},
                                {"key": "agent.iteration.number", "value": {"intValue": 1}},
                                {"key": "list", "value": {"arrayValue": {"values": [{"doubleValue": 1.5}, {}]}}},
                                {"key": "map", "value": {"kvlistValue": {"values": [PAIR]}}},
                            ],
                            "status": {"code": "STATUS_CODE_ERROR", "message": "broken"},
                        }
                    ]
                }
            ]
        }
    ]
}  # fmt: skip


def test_lines_of_other_writers_are_understood() -> None:
    (span,) = parse_line(json.dumps(LINE).encode())
    assert span.trace_id == "0af7651916cd43dd8448eb211c80319c"
    assert span.attributes["list"] == [1.5, None]
    assert span.attributes["map"] == {"k": True}
    assert span.end == 0
    (told,) = read([span])
    assert told.steps == (Analysis(1), Observation(1, None, "broken"))


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"resourceLogs": []}',
        b'{"resourceSpans": [1]}',
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [{}]}]}]}',
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": 1, "spanId": "2"}]}]}]}',
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "1", "spanId": "2", "endTimeUnixNano": "x"}]}]}]}',
    ],
)
def test_a_line_that_is_not_otlp_is_refused_with_a_reason(line: bytes) -> None:
    with pytest.raises(NotOtlp, match=r"not (JSON|OTLP|a span)"):
        parse_line(line)


almost_otlp = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.sampled_from(
                ["resourceSpans", "scopeSpans", "spans", "traceId", "spanId", "attributes", "key", "value", "status"]
            ),
            inner,
        )
    ),
)


@given(st.binary() | almost_otlp.map(lambda value: json.dumps(value).encode()))
def test_no_line_at_all_does_worse(line: bytes) -> None:
    try:
        spans = parse_line(line)
    except NotOtlp:
        return
    assert all(isinstance(span, Span) for span in spans)
    read(spans)


def test_files_of_opentelemetrys_own_exporter_come_in_by_the_same_door(tmp_path: Path, program: Program) -> None:
    file_exporter = pytest.importorskip(
        "opentelemetry.exporter.otlp.json.file",
        reason="pip install opentelemetry-exporter-otlp-json-file (it needs OpenTelemetry 1.45 or later)",
    )
    answer("?")
    path = tmp_path / "theirs.jsonl"
    exporter = file_exporter.FileSpanExporter(path=str(path))
    exporter.export(program.spans)
    exporter.shutdown()
    assert read(span for line in path.open("rb") for span in parse_line(line)) == program.sessions
