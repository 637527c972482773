"""What an author's loop writes is what its session tells."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from opentelemetry import trace

from otel_prov import current_iteration, current_session, iteration, losses, names, session, tool, trace_agent
from otel_prov.describe import Literal, describe_prov
from otel_prov.steps import Analysis, Conclusion, Observation
from tests.conftest import Program


@trace_agent(name="researcher", user="ada", model="rules-1", collection="papers")
def researcher(question: str) -> str:
    for number in (1, 2):
        with iteration() as step:
            step.record(thought=f"thought {number}")
            step.record(action="search", arguments={"q": number})
            step.record(observation=f"observation {number}")
    with iteration() as step:
        step.record(thought="that is enough")
        return "the answer"


def test_the_sessions_span_says_where_it_is_found(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_ENDPOINT", "pulsar://broker:6650")
    monkeypatch.setenv("OTEL_EXPORTER_PROV_WORKER", "off")
    monkeypatch.setenv("OTEL_EXPORTER_PROV_WORKSPACE", "acme")
    researcher("the question")
    (span,) = program.session_spans
    found = {name: (span.attributes or {})[name] for name in ("agent.session.uri", "trustgraph.collection")}
    found |= {name: (span.attributes or {})[name] for name in ("trustgraph.workspace", "trustgraph.flow")}
    assert list(found.values()) == [program.session.uri, "papers", "acme", "default"]


def test_a_loop_tells_its_question_steps_and_answer(program: Program) -> None:
    researcher("the question")
    told = program.session
    assert told.question.text == "the question"
    assert told.steps[1:] == (
        Analysis(1, "thought 1", "search", '{"q": 1}'),
        Observation(1, "observation 1"),
        Analysis(2, "thought 2", "search", '{"q": 2}'),
        Observation(2, "observation 2"),
        Conclusion("the answer", "that is enough"),
    )
    assert (told.agent, told.user, told.model, told.collection) == ("researcher", "ada", "rules-1", "papers")
    assert told.outcome == names.OUTCOME_FINAL
    assert told.ended is not None
    assert told.question.started is not None
    assert told.ended >= told.question.started


def test_the_version_of_an_agent_is_its_plan(program: Program) -> None:
    @trace_agent(name="researcher", version=lambda question: f"prompt-{len(question)}")
    def answer(question: str) -> str:
        return "so"

    answer("why?")
    assert program.spans[-1].attributes["gen_ai.agent.version"] == "prompt-4"
    assert program.session.version == "prompt-4"
    plan = {quad.predicate: quad.object for quad in describe_prov(program.session) if quad.subject.endswith("#plan")}
    assert plan["https://schema.org/version"] == Literal("prompt-4")


def test_spans_carry_the_names_that_opentelemetry_has(program: Program) -> None:
    researcher("the question")
    *iterations, run = program.spans
    assert run.name == "invoke_agent researcher"
    assert run.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert run.attributes["gen_ai.agent.name"] == "researcher"
    assert run.attributes["gen_ai.request.model"] == "rules-1"
    assert run.attributes["agent.session.uri"] == f"urn:trustgraph:agent:{run.attributes['agent.session.id']}"
    assert [span.name for span in iterations] == ["agent.iteration"] * 3
    assert [span.attributes["agent.iteration.number"] for span in iterations] == [1, 2, 3]
    assert {span.attributes["agent.session.id"] for span in program.spans} == {run.attributes["agent.session.id"]}
    assert {span.attributes["trustgraph.collection"] for span in program.spans} == {"papers"}


def test_what_is_recorded_again_replaces_what_was_before(program: Program) -> None:
    @trace_agent
    def answer(question: str) -> None:
        with iteration() as step:
            step.record(thought="first", action="a")
            step.record(thought="second", arguments=["x"])
            step.record(action="b", observation="")

    answer("?")
    assert program.session.steps[1:3] == (Analysis(1, "second", "b", '["x"]'), Observation(1, ""))


def test_the_question_is_the_named_parameter_else_a_usual_name_else_the_first(program: Program) -> None:
    trace_agent(question="topic")(lambda prompt, topic: None)("p", "t")
    trace_agent(lambda model, *, query="q by default": None)("m")
    trace_agent(lambda words, limit: None)("w", 3)
    trace_agent(lambda *words: None)("w1", "w2")
    trace_agent(lambda **settings: None)(question="k")
    trace_agent(lambda: None)()
    asked = [told.question.text for told in program.sessions]
    assert asked == ["t", "q by default", "w", "w1", "k", None]


def test_a_parameter_that_does_not_exist_is_named_at_once() -> None:
    with pytest.raises(ValueError, match=r"question='quest' is no parameter of .* it has question"):
        trace_agent(question="quest")(lambda question: None)


def test_settings_may_depend_on_the_call(program: Program) -> None:
    @trace_agent(session_id=lambda question, customer: f"run of {customer}", user=lambda question, customer: customer)
    def answer(question: str, customer: str) -> None: ...

    answer("?", customer="ada")
    assert program.session.uri == "urn:trustgraph:agent:run%20of%20ada"
    assert program.session.user == "ada"


def test_a_setting_whose_function_fails_is_left_out_and_counted(program: Program) -> None:
    before = losses().get("setting of a session left out: its function failed", 0)
    assert trace_agent(user=lambda question: 1 / 0)(lambda question: "fine")("?") == "fine"  # type: ignore[arg-type,return-value]
    assert program.session.user is None
    assert losses()["setting of a session left out: its function failed"] == before + 1


def test_a_loop_that_gives_up_says_so(program: Program) -> None:
    @trace_agent
    def answer(question: str) -> str:
        handle = current_session()
        assert handle is not None
        handle.record(outcome="max_iterations")
        return "I could not find out."

    answer("?")
    assert program.session.outcome == names.OUTCOME_MAX_ITERATIONS
    assert program.session.conclusion == Conclusion("I could not find out.")


def test_an_error_that_the_loop_survives_is_the_iterations_alone(program: Program) -> None:
    @trace_agent
    def answer(question: str) -> str:
        try:
            with iteration() as step:
                step.record(action="divide", arguments={"by": 0})
                step.record(observation=1 / 0)
        except ZeroDivisionError:
            with iteration() as step:
                step.record(thought="not that way")
        return "none"

    answer("?")
    assert program.session.outcome == names.OUTCOME_FINAL
    assert program.session.steps[2] == Observation(1, None, "ZeroDivisionError: division by zero")
    assert program.session.conclusion == Conclusion("none", "not that way")


def test_a_session_that_is_not_one_function(program: Program) -> None:
    with session("the question", name="by hand", session_id="s-1") as run:
        assert run.uri == "urn:trustgraph:agent:s-1"
        with run.iteration() as step:
            step.record(action="search", observation="seen")
        run.record(answer="found")
    assert program.session.uri == run.uri
    assert program.session.outcome == names.OUTCOME_FINAL
    assert program.session.conclusion.answer == "found"


async def test_sessions_and_iterations_are_async_context_managers_too(program: Program) -> None:
    async with session("?") as run, iteration() as step:
        assert current_session() is run
        assert current_iteration() is step
        run.record(answer="yes")
    assert program.session.outcome == names.OUTCOME_FINAL


def test_a_session_that_goes_on_elsewhere_has_no_outcome_yet_and_continues_its_numbers(program: Program) -> None:
    with session("the question", session_id="s-2"), iteration() as step:
        step.record(action="one", observation="1")
    assert program.session.outcome is None
    assert program.session.ended is None

    with session("the question", session_id="s-2", iteration=2) as run:
        with iteration() as step:
            step.record(action="two", observation="2")
        run.record(answer="done")
    assert [type(step).__name__ for step in program.session.steps] == [
        "Question", "Analysis", "Observation", "Analysis", "Observation", "Conclusion",
    ]  # fmt: skip
    assert [step.number for step in program.session.of(Analysis)] == [1, 2]
    assert program.session.outcome == names.OUTCOME_FINAL


def test_an_agent_inside_a_tool_of_another_is_a_session_of_its_own_in_the_same_trace(program: Program) -> None:
    @trace_agent(name="inner")
    def inner(question: str) -> str:
        with iteration() as step:
            step.record(action="look", observation="seen")
        return "inner answer"

    @trace_agent(name="outer")
    def outer(question: str) -> str:
        with iteration(), tool("ask", {"q": 1}) as call:
            call.record(inner("sub-question"))
        with iteration() as step:
            step.record(action="after")
            assert step.number == 2
        return "outer answer"

    outer("question")
    told = {session.agent: session for session in program.sessions}
    assert told["inner"].trace_id == told["outer"].trace_id
    assert told["inner"].uri != told["outer"].uri
    assert len(list(told["inner"].of(Analysis))) == 1
    assert len(list(told["outer"].of(Analysis))) == 2


# Tools -----------------------------------------------------------------------------------------------------------


@tool("weather")
def weather(city: str, unit: str = "C") -> dict[str, object]:
    return {"city": city, "degrees": 21}


def test_a_tool_inside_an_iteration_is_its_action_and_observation(program: Program) -> None:
    @trace_agent
    def answer(question: str) -> None:
        with iteration() as step:
            step.record(thought="ask the tool")
            weather("Oslo")

    answer("?")
    assert program.session.steps[1:3] == (
        Analysis(1, "ask the tool", "weather", '{"city": "Oslo"}'),
        Observation(1, '{"city": "Oslo", "degrees": 21}'),
    )


def test_a_tool_that_fails_is_an_error_of_that_call(program: Program) -> None:
    @trace_agent
    def answer(question: str) -> None:
        with iteration(), pytest.raises(LookupError), tool("search", {"q": "x"}):
            raise LookupError("no such page")

    answer("?")
    assert program.session.steps[2] == Observation(1, None, "LookupError: no such page")
    assert program.session.outcome == names.OUTCOME_FINAL


async def test_several_calls_at_once_from_tasks_are_all_kept_in_order(program: Program) -> None:
    started = asyncio.Barrier(3) if hasattr(asyncio, "Barrier") else None

    @tool
    async def fetch(page: int) -> str:
        if started:
            await started.wait()
        return f"page {page}"

    @trace_agent
    async def answer(question: str) -> None:
        with iteration() as step:
            step.record(thought="all three")
            await asyncio.gather(fetch(1), fetch(2), fetch(3))

    await answer("?")
    assert program.session.steps[1:5] == (
        Analysis(1, "all three", "fetch", '{"page": 1}'),
        Observation(1, "page 1"),
        Observation(1, "page 2", call=2, action="fetch", arguments='{"page": 2}'),
        Observation(1, "page 3", call=3, action="fetch", arguments='{"page": 3}'),
    )


def test_threads_that_are_given_a_handle_call_tools_and_open_iterations(program: Program) -> None:
    together = threading.Barrier(4)

    def call(number: int) -> None:
        with step.tool("fetch", {"n": number}) as handle:
            together.wait(timeout=10)
            handle.record(number)

    with session("?") as run:
        with run.iteration() as step, ThreadPoolExecutor(4) as threads:
            list(threads.map(call, range(4)))
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda _: run.iteration().__enter__().__exit__(None, None, None), range(4)))
    (span,) = program.session_spans
    assert len(program.children(span)) == 5
    assert {(o.action or "fetch", o.text) for o in program.session.of(Observation)} == {
        ("fetch", str(number)) for number in range(4)
    }
    numbers = [s.attributes[names.ITERATION_NUMBER] for s in program.spans if s.name == names.ITERATION]
    assert sorted(numbers) == [1, 2, 3, 4, 5]


def test_a_thread_that_was_given_the_context_needs_no_handle(program: Program) -> None:
    with session("?"), iteration(), ThreadPoolExecutor(1) as thread:
        thread.submit(contextvars.copy_context().run, weather, "Oslo").result()
    assert next(program.session.of(Analysis)).action == "weather"


def test_tools_without_iterations_are_iterations_themselves(program: Program) -> None:
    @trace_agent
    def answer(question: str) -> str:
        weather("Oslo")
        weather("Bergen")
        return "mild"

    answer("?")
    assert [(step.number, step.arguments) for step in program.session.of(Analysis)] == [
        (1, '{"city": "Oslo"}'),
        (2, '{"city": "Bergen"}'),
    ]


def test_an_iteration_that_is_never_left_ends_with_its_session(program: Program) -> None:
    with session("?") as run:
        run.iteration().__enter__().record(action="forgotten")
    assert len(program.spans) == 2
    assert next(program.session.of(Observation)).error == names.OUTCOME_ABANDONED
    assert not trace.get_current_span().get_span_context().is_valid


def test_outside_of_a_session_nothing_breaks_and_the_loss_is_counted(
    program: Program, caplog: pytest.LogCaptureFixture
) -> None:
    with iteration() as step:
        step.record(thought="alone", action="a", observation="b")
    with tool("search") as call:
        call.record("x")
    assert weather("Oslo")["city"] == "Oslo"
    assert program.recorded == []
    assert losses()["iteration not recorded: outside of a session"] >= 1
    assert losses()["tool call not recorded: outside of a session"] >= 2


def test_without_an_sdk_the_loop_runs_as_if_it_were_not_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
    assert researcher("?") == "the answer"
    with session("?") as run, run.iteration() as step, step.tool("t") as call:
        call.record("x")
        assert step.number == 1


def test_outside_of_a_session_the_hosts_own_span_stays_current(program: Program) -> None:
    with program.provider.get_tracer("host").start_as_current_span("host") as host:
        with iteration() as step, step.tool("look"):
            assert trace.get_current_span() is host
        assert trace.get_current_span() is host
    assert [span.name for span in program.spans] == ["host"]
