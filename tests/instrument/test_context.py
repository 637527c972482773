"""A session goes on in another process, whatever its message goes through."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from email.message import Message
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry import trace
from opentelemetry.context import Context, attach, detach
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import NoOpTracerProvider, format_span_id, format_trace_id

from otel_prov import current_session, extract, inject, iteration, losses, names, session, trace_agent
from otel_prov.instrument.context import FIELDS, NOT_CONTINUED, NOT_HANDED_ON, derived_parent, remote_session
from otel_prov.record.sampler import prov_parentbased_traceidratio
from otel_prov.steps import Analysis, Conclusion, Observation
from tests.conftest import Program

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
WHOLE = {"traceparent": PARENT, "otel-prov-session": "s-1", "otel-prov-iteration": "3"}


@dataclass
class AgentRequest:
    """As TrustGraph has it, as far as it matters here; the real one is in exporters/pulsar/tests."""

    session_id: str = ""
    history: list[Any] | None = field(default_factory=list)
    collection: str = "default"


def first_part(**settings: Any) -> dict[str, str]:
    """Two iterations of a session, and the headers with which it is handed on."""
    headers: dict[str, str] = {}
    with session("the question", name="a", **settings) as run:
        for number in (1, 2):
            with run.iteration() as step:
                step.record(thought=f"thought {number}", action="look", observation=f"seen {number}")
        inject(headers)
    return headers


def last_part(context: Context) -> None:
    with session("the question", name="a", context=context) as run:
        with run.iteration() as step:
            step.record(thought="enough")
        run.record(answer="the answer")


def test_a_session_goes_on_where_it_was_handed_on(program: Program) -> None:
    headers = first_part(user="ada", collection="papers")
    assert set(headers) == {"traceparent", *FIELDS}
    assert program.session.outcome is None, "handed on"
    last_part(extract(headers))
    told = program.session
    assert told.steps[1:] == (
        Analysis(1, "thought 1", "look"),
        Observation(1, "seen 1"),
        Analysis(2, "thought 2", "look"),
        Observation(2, "seen 2"),
        Conclusion("the answer", "enough"),
    )
    assert (told.outcome, told.user, told.collection) == (names.OUTCOME_FINAL, "ada", "papers")
    assert [span.attributes["agent.iteration.number"] for span in program.spans if span.name == "agent.iteration"] == [
        1,
        2,
        3,
    ]
    first, second = program.session_spans
    assert first.context.trace_id == second.context.trace_id
    assert second.parent is not None
    assert second.parent.span_id == first.context.span_id
    assert names.SESSION_CONTINUES not in first.attributes
    assert second.attributes[names.SESSION_CONTINUES] == 3


def message(headers: dict[str, str]) -> Message:
    message = Message()
    for name, value in headers.items():
        message[name.upper()] = value
    return message


@pytest.mark.parametrize(
    "form",
    [
        lambda headers: {name.title(): value for name, value in headers.items()},
        lambda headers: {name: [value] for name, value in headers.items()},
        lambda headers: [(name.encode(), value.encode()) for name, value in headers.items()],
        message,
    ],
    ids=["title case", "lists", "pairs of bytes", "http.client"],
)
def test_carriers_of_every_kind(program: Program, form: Any) -> None:
    headers = first_part(session_id="s-1")
    last_part(extract(form(headers)))
    assert program.session.conclusion == Conclusion("the answer", "enough")
    assert len({span.context.trace_id for span in program.spans}) == 1


def test_what_was_there_before_is_replaced_in_any_case(program: Program) -> None:
    headers = {name.title(): value for name, value in first_part(user="ada").items()} | {"Accept": "*/*"}
    with session(session_id="s-2"):
        inject(headers)
    assert set(headers) == {"Accept", "traceparent", *FIELDS} - {"otel-prov-user"}
    assert remote_session(extract(headers)) == ("s-2", 1, "default", None, True)


@settings(deadline=None)  # the first call imports
@given(st.text(min_size=1, max_size=80), st.text(min_size=1, max_size=80))
def test_any_session_id_and_user_arrive_as_they_were(session_id: str, user: str) -> None:
    headers: dict[str, str] = {}
    with session(session_id=session_id, user=user) as run:
        inject(headers)
    assert all(value.isascii() and value.isprintable() and " " not in value for value in headers.values())
    found = remote_session(extract(headers))
    assert found is not None
    assert (found.id, found.user) == (run.id, run.identity[names.USER])


def test_outside_of_a_session_only_the_trace_is_injected(program: Program) -> None:
    headers: dict[str, str] = {}
    with trace.get_tracer("host").start_as_current_span("GET"):
        inject(headers)
    assert set(headers) == {"traceparent"}


def test_what_comes_without_a_session_begins_one_in_its_trace(program: Program) -> None:
    with session("?", context=extract({"traceparent": PARENT})) as run:
        run.record(answer="!")
    (span,) = program.spans
    assert format_trace_id(span.context.trace_id) == PARENT[3:35]
    assert names.SESSION_CONTINUES not in span.attributes


def test_another_session_id_makes_a_session_of_its_own_in_the_same_trace(program: Program) -> None:
    with session("?", session_id="mine", context=extract(WHOLE)), iteration():
        pass
    step, run = program.spans
    assert step.attributes[names.ITERATION_NUMBER] == 1
    assert run.attributes[names.SESSION_ID] == "mine"
    assert format_trace_id(run.context.trace_id) == PARENT[3:35]


def test_an_iteration_that_is_given_counts_more_than_the_one_that_came(program: Program) -> None:
    with session("?", iteration=7, context=extract(WHOLE)) as run:
        assert (run.id, run.upcoming) == ("s-1", 7)


def test_a_frameworks_own_span_of_the_same_trace_stays_between(program: Program) -> None:
    context = extract(WHOLE)
    host = trace.get_tracer("host")
    with host.start_as_current_span("POST", context=context) as around, session("?", context=context):
        pass
    inner = program.session_spans[0]
    assert inner.parent is not None
    assert inner.parent.span_id == around.get_span_context().span_id


@pytest.mark.parametrize(
    "damage",
    [
        {"otel-prov-session": "s 1"},
        {"otel-prov-session": "s-1, s-2"},
        {"otel-prov-session": ["s-1", "s-2"]},
        {"otel-prov-session": "s-1\r\nSet-Cookie: a=b"},
        {"otel-prov-session": "%ff"},
        {"otel-prov-session": "%4"},
        {"otel-prov-session": "ü"},
        {"otel-prov-session": "s" * 1025},
        {"otel-prov-session": 5.5e300j},
        {"otel-prov-iteration": None},
        {"otel-prov-iteration": ""},
        {"otel-prov-iteration": "0"},
        {"otel-prov-iteration": "-1"},
        {"otel-prov-iteration": "1e3"},
        {"otel-prov-iteration": "٣"},
        {"otel-prov-iteration": "9" * 5000},
        {"otel-prov-collection": "%f"},
        {"otel-prov-user": "<script>"},
    ],
    ids=repr,
)
def test_what_is_damaged_continues_no_session_and_is_counted_and_said(
    program: Program, damage: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    before = losses().get(NOT_CONTINUED, 0)
    headers = {name: value for name, value in {**WHOLE, **damage}.items() if value is not None}
    with session("?", context=extract(headers)) as run, run.iteration() as step:
        assert step.number == 1
    assert run.id != "s-1"
    assert format_trace_id(program.session_spans[0].context.trace_id) == PARENT[3:35], "the trace is whole"
    assert losses()[NOT_CONTINUED] == before + 1
    assert "Set-Cookie" not in caplog.text
    assert "<script>" not in caplog.text


@pytest.mark.parametrize("parent", ["", "x", "00-" + "0" * 32 + "-b7ad6b7169203331-01", PARENT * 1000, "\x00", None])
def test_a_damaged_trace_leaves_the_session(program: Program, parent: str | None) -> None:
    with session("?", context=extract({**WHOLE, "traceparent": parent})) as run:
        assert (run.id, run.upcoming) == ("s-1", 3)
    (span,) = program.spans
    assert span.parent is None


names_of_any = st.sampled_from(["traceparent", "tracestate", *FIELDS]) | st.text(max_size=20)


@settings(deadline=None)  # the first call imports
@given(st.dictionaries(names_of_any, st.text(max_size=60) | st.binary(max_size=20) | st.integers() | st.none()))
def test_nothing_that_comes_in_raises(headers: dict[str, Any]) -> None:
    found = remote_session(extract(headers))
    assert found is None or (found.id and found.iteration >= 1)
    with session("?", context=extract(headers)), iteration():
        inject({})


class Hostile:
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


@pytest.mark.parametrize("carrier", [None, 5, [1, 2], Hostile(), AgentRequest(history=5), b"x"], ids=repr)  # type: ignore[arg-type]
def test_what_is_no_carrier_raises_nothing_and_is_counted(carrier: Any) -> None:
    before = losses().get(NOT_CONTINUED, 0)
    assert extract(carrier) == Context()
    assert losses()[NOT_CONTINUED] == before + 1
    with session("?"):
        inject(carrier)


def test_what_is_no_context_doesnt_harm_the_program(program: Program) -> None:
    for mistaken in ({"otel-prov-session": "s-1"}, ["traceparent"], "s-1"):
        with session("?", context=mistaken) as run, run.iteration():  # type: ignore[arg-type]
            inject({})
        assert run.id != "s-1"


def test_an_id_that_is_too_long_isnt_handed_on_and_is_counted(program: Program) -> None:
    before = losses().get(NOT_HANDED_ON, 0)
    headers: dict[str, str] = {}
    with session("?", session_id="s" * 1025):
        inject(headers)
    assert set(headers) == {"traceparent"}
    assert losses()[NOT_HANDED_ON] == before + 1


def test_without_an_sdk_the_session_goes_through_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", NoOpTracerProvider())
    headers = first_part(session_id="s-1")
    assert set(headers) == {*FIELDS} - {"otel-prov-user"}
    with session("?", context=extract({**headers, "traceparent": PARENT})):
        inject(onward := dict[str, str]())
    assert onward.pop("traceparent", PARENT) == PARENT, "older versions of OpenTelemetry's API drop it"
    assert onward == headers, "nothing was numbered in between"


def test_a_context_goes_through_a_process_that_opens_no_session() -> None:
    token = attach(extract({**WHOLE, "otel-prov-user": "a%20b"}))
    try:
        inject(onward := dict[str, str]())
    finally:
        detach(token)
    assert onward == {**WHOLE, "otel-prov-user": "a%20b"}


def test_a_decorated_loop_that_returns_nothing_has_handed_its_session_on(program: Program) -> None:
    sent: list[dict[str, str]] = []

    @trace_agent(name="a", question="question", context=lambda headers, question: extract(headers))
    def work(headers: dict[str, str], question: str) -> str | None:
        with iteration() as step:
            if step.number == 3:
                step.record(thought="enough")
                return "the answer"
            step.record(action="look", observation=f"seen {step.number}")
        onward: dict[str, str] = {}
        inject(onward)
        sent.append(onward)
        return None

    work({}, "?")
    assert program.session.outcome is None
    work(sent[-1], "?")
    assert work(sent[-1], "?") == "the answer"
    assert program.session.steps[1:] == (
        Analysis(1, None, "look"),
        Observation(1, "seen 1"),
        Analysis(2, None, "look"),
        Observation(2, "seen 2"),
        Conclusion("the answer", "enough"),
    )
    assert program.session.outcome == names.OUTCOME_FINAL
    assert len({span.context.trace_id for span in program.spans}) == 1


def test_a_context_function_that_fails_leaves_a_session_of_its_own(program: Program) -> None:
    @trace_agent(context=lambda message: extract(message.properties()))
    def work(message: str) -> str | None:
        return current_session().id if message else None  # type: ignore[union-attr]

    assert work("no message")
    assert program.session.outcome == names.OUTCOME_FINAL


def test_of_an_agent_request_the_sessions_id_is_enough_for_one_trace(program: Program) -> None:
    request = AgentRequest(collection="papers")
    for number in (1, 2, 3):
        with session("?", context=extract(request)) as run:
            with run.iteration() as step:
                assert step.number == number
                step.record(action="look", observation=number)
            if number == 3:
                run.record(answer="!")
            request = AgentRequest(history=[*(request.history or ()), number], collection="papers")
            inject(request)
            assert request.session_id == run.id
    told = program.session
    assert [step.number for step in told.of(Analysis)] == [1, 2, 3]
    assert (told.outcome, told.collection) == (names.OUTCOME_FINAL, "papers")
    assert told.question.started is not None
    assert {span.context.trace_id for span in program.spans} == {derived_parent(request.session_id).trace_id}
    assert {span.parent.span_id for span in program.session_spans if span.parent} == {
        derived_parent(request.session_id).span_id
    }


def test_the_derived_ids_are_as_documented() -> None:
    parent = derived_parent("s-1")  # printf 'otel-prov:s-1' | sha256sum
    assert format_trace_id(parent.trace_id) + format_span_id(parent.span_id) == DIGEST
    assert parent.is_remote
    assert parent.trace_flags.sampled


DIGEST = "49ee9057b574724a64ce223b730277a7f9613c8e5453a147"


def test_a_ratio_takes_derived_traces_whole_or_not_at_all(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = TracerProvider(sampler=prov_parentbased_traceidratio("0.3"), shutdown_on_exit=False)
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    sampled: dict[str, set[bool]] = {}
    for number in range(300):
        request = AgentRequest(f"s-{number}")
        for _ in range(2):  # in two processes
            with session("?", context=extract(request)), iteration():
                flags = trace.get_current_span().get_span_context().trace_flags
                sampled.setdefault(request.session_id, set()).add(flags.sampled)
    assert all(len(each) == 1 for each in sampled.values())
    assert 40 < sum(each == {True} for each in sampled.values()) < 140, "six standard deviations around ninety"


@pytest.mark.parametrize("flag", ["00", "01"])
def test_a_parent_that_wasnt_sampled_stays_so_and_the_session_is_recorded(
    program: Program, monkeypatch: pytest.MonkeyPatch, flag: str
) -> None:
    program.provider.sampler = prov_parentbased_traceidratio("1")
    last_part(extract({**WHOLE, "traceparent": PARENT[:-2] + flag}))
    assert program.session.conclusion == Conclusion("the answer", "enough")
    assert len(program.spans) == (2 if flag == "01" else 0)


def test_opentelemetrys_own_propagators_take_the_session_along_when_asked() -> None:
    program = """
from opentelemetry import baggage, propagate
from opentelemetry.context import attach
import otel_prov

attach(baggage.set_baggage("theirs", "1"))
with otel_prov.session("?", session_id="s-1") as run, run.iteration():
    propagate.inject(headers := {})
print(headers)
with otel_prov.session("?", context=propagate.extract(headers)) as run, run.iteration() as step:
    print(run.id, step.number)
"""
    environment = {"OTEL_PROPAGATORS": "tracecontext,baggage,otel_prov"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    headers, session_ = done.stdout.splitlines()
    assert headers == str(
        {
            "baggage": "theirs=1",
            "otel-prov-session": "s-1",
            "otel-prov-iteration": "2",
            "otel-prov-collection": "default",
        }
    )
    assert session_ == "s-1 2"


def test_damage_is_said_once() -> None:
    program = f"""
import otel_prov
for _ in range(100):
    otel_prov.extract({ {**WHOLE, "otel-prov-iteration": "x"} })
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == f"{NOT_CONTINUED}: no number in otel-prov-iteration (1 so far, 1 since last told)\n"


def test_a_session_that_goes_on_inside_of_itself_is_not_its_own_caller(program: Program) -> None:
    with session("the question", session_id="s") as run, run.iteration() as step:
        step.record(action="hand on")
        headers: dict[str, str] = {}
        inject(headers)
        last_part(extract(headers))
    assert program.session.caller is None
    assert all(step.sub_trace is None for step in program.session.of(Observation))
