"""Plans and delegation: what an agent divides its work into, and what each part came to."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from opentelemetry import trace

from otel_prov import (
    PartSpan,
    current_session,
    delegate,
    extract,
    inject,
    iteration,
    losses,
    names,
    plan,
    session,
    tool,
    trace_agent,
    trace_retrieval,
    uris,
)
from otel_prov.instrument.parts import MOST
from otel_prov.steps import (
    Analysis,
    Conclusion,
    Decomposition,
    Digest,
    Finding,
    Observation,
    PatternDecision,
    Plan,
    Session,
    StepResult,
    Synthesis,
)
from tests.conftest import Program

GOALS = ["find a flight", "book a hotel"]
DIVIDE: dict[str, Callable[[list[str]], list[PartSpan[str]]]] = {"plan": plan, "delegate": delegate}


@trace_agent(name="expert")
def expert(goal: str) -> str:
    with iteration() as step:
        step.record(thought="I know.", action="remember", observation=f"all of {goal}")
    return f"{goal}: done"


def by_agent(program: Program, agent: str) -> list[Session]:
    return [told for told in program.sessions if told.agent == agent]


def test_a_plan_its_steps_and_what_is_made_of_them(program: Program) -> None:
    before = losses()
    with session("Plan a trip to Rome", name="planner") as agent:
        for step in plan(GOALS):
            with step:
                with iteration() as cycle:
                    cycle.record(thought="I search.", action="search", observation=f"found for {step.goal}")
                with tool("pay", {"for": step.index}) as call:
                    call.record("paid")
                step.record(result=f"{step.goal}: done")
        agent.record(answer="All is booked.")
    told = program.session
    assert told.steps[1:] == (
        Plan(tuple(GOALS)),
        Analysis(1, "I search.", "search", within="step/0"),
        Observation(1, "found for find a flight"),
        Analysis(2, None, "pay", '{"for": 0}', within="step/0"),
        Observation(2, "paid"),
        Analysis(3, "I search.", "search", within="step/1"),
        Observation(3, "found for book a hotel"),
        Analysis(4, None, "pay", '{"for": 1}', within="step/1"),
        Observation(4, "paid"),
        StepResult(0, "find a flight", "find a flight: done"),
        StepResult(1, "book a hotel", "book a hotel: done"),
        Synthesis("All is booked."),
    )
    assert told.answer == "All is booked."
    assert losses() == before


def test_a_supervisor_its_experts_and_what_is_made_of_their_findings(program: Program) -> None:
    @trace_agent(name="supervisor", pattern="supervisor", task_type="research")
    def supervisor(question: str) -> str:
        for part in delegate(["history", "price"]):
            with part:
                part.record(expert(part.goal))
        with iteration() as step:
            step.record(thought="I have both.")
        return "so and so"

    assert supervisor("Tell me about it.") == "so and so"
    (told,) = by_agent(program, "supervisor")
    experts = by_agent(program, "expert")
    assert told.steps[1:] == (
        PatternDecision("supervisor", "research"),
        Decomposition(("history", "price")),
        Analysis(1, "I have both."),
        Finding(0, "history", "history: done", sub_trace=f"{experts[0].uri}/final"),
        Finding(1, "price", "price: done", sub_trace=f"{experts[1].uri}/final"),
        Synthesis("so and so"),
    )
    assert [each.caller for each in experts] == [f"{told.uri}/decompose"] * 2
    assert [each.question.text for each in experts] == ["history", "price"]
    assert all(step.within is None for each in experts for step in each.of(Analysis))


@pytest.mark.parametrize(("divide", "kind"), [("plan", Plan), ("delegate", Decomposition)])
def test_goals_are_in_the_journal_before_the_call_returns(
    program: Program, divide: str, kind: type[Plan | Decomposition]
) -> None:
    with session("?", name="a"):
        parts = DIVIDE[divide](GOALS)
        assert program.session.steps[1:] == (kind(tuple(GOALS)),)
        with parts[1]:
            result = program.session.steps[-1]
            assert isinstance(result, StepResult | Finding)
            assert (result.index, result.goal, result.text, result.ended) == (1, "book a hotel", None, None)
            assert result.started is not None


def test_more_goals_go_behind_those_that_are_there(program: Program) -> None:
    with session("?"):
        first = plan("look around")
        more = plan(goal for goal in ("decide", "act"))
        others = delegate([{"about": "price"}])
        with more[1]:
            more[1].record("acted")
    assert [(part.index, part.goal) for part in [*first, *more]] == [(0, "look around"), (1, "decide"), (2, "act")]
    assert (others[0].index, others[0].goal) == (0, {"about": "price"})
    assert program.session.steps[1:] == (
        Plan(("look around", "decide", "act")),
        Decomposition(('{"about": "price"}',)),
        StepResult(2, "act", "acted"),
    )


def test_spans_carry_what_they_are_part_of(program: Program) -> None:
    with session("?", session_id="s") as run:
        with run.plan(["look"])[0] as step, run.iteration():
            step.record("seen")
        with run.delegate(["ask"])[0], run.tool("phone"):
            pass
    by_name = {span.name: dict(span.attributes or {}) for span in program.spans}
    assert by_name["agent.plan.step"]["agent.goal"] == "look"
    assert by_name["agent.plan.step"]["agent.result"] == "seen"
    assert by_name["agent.iteration"]["agent.within"] == by_name["agent.plan.step"]["agent.within"] == "step/0"
    assert by_name["execute_tool phone"]["agent.within"] == by_name["agent.part"]["agent.within"] == "finding/0"
    assert by_name["invoke_agent"]["agent.plan.goals"] == ("look",)
    assert by_name["invoke_agent"]["agent.part.goals"] == ("ask",)
    assert {told["agent.session.id"] for told in by_name.values()} == {"s"}
    run_span, *_ = program.session_spans
    parts = {"agent.plan.step", "agent.part"}
    assert {span.name for span in program.children(run_span)} == parts
    inner = {span.name for part in program.spans if part.name in parts for span in program.children(part)}
    assert inner == {"agent.iteration", "execute_tool phone"}


def test_an_error_is_the_parts_and_passes_unchanged(program: Program) -> None:
    fault = ValueError("no flights")
    with session("?") as run:
        for step in plan(GOALS):
            with pytest.raises(ValueError, match="no flights") as caught, step:
                raise fault
            assert caught.value is fault
        with pytest.raises(KeyboardInterrupt), delegate("ask")[0]:
            raise KeyboardInterrupt
        run.record(answer="None.")
    assert [step.error for step in program.session.of(StepResult)] == ["ValueError: no flights"] * 2
    assert [step.error for step in program.session.of(Finding)] == ["cancelled"]
    assert program.session.outcome == "final"


def test_a_step_that_failed_may_be_tried_again(program: Program) -> None:
    with session("?"):
        (step,) = plan("call")
        for attempt in range(3):
            try:
                with step, iteration() as cycle:
                    cycle.record(action="dial", observation=str(attempt))
                    step.record(f"line {10 // attempt}")
                    break
            except ZeroDivisionError:
                continue
    assert list(program.session.of(StepResult)) == [StepResult(0, "call", "line 10")]
    assert [step.within for step in program.session.of(Analysis)] == ["step/0", "step/0"]
    assert len([span for span in program.spans if span.name == "agent.plan.step"]) == 2


def test_parts_are_done_in_threads(program: Program) -> None:
    both = threading.Barrier(2)

    def work(part: PartSpan[str]) -> None:
        with part:
            both.wait(5)
            part.record(expert(part.goal))

    with session("?", name="supervisor") as run, ThreadPoolExecutor(2) as pool:
        list(pool.map(work, run.delegate(GOALS)))
    (told,) = by_agent(program, "supervisor")
    answers = {each.question.text: f"{each.uri}/final" for each in by_agent(program, "expert")}
    assert [(part.text, part.sub_trace) for part in told.of(Finding)] == [
        (f"{goal}: done", answers[goal]) for goal in GOALS
    ]
    assert len({span.context.trace_id for span in program.spans if span.context}) == 1


def test_parts_are_done_in_tasks(program: Program) -> None:
    async def work(part: PartSpan[str]) -> None:
        async with part:
            await asyncio.sleep(0)
            async with iteration() as step:
                step.record(action="ask", observation=part.goal)
            part.record(part.goal.upper())

    async def supervise() -> None:
        async with session("?") as run:
            await asyncio.gather(*map(work, delegate(GOALS)))
            run.record(answer="so")

    asyncio.run(supervise())
    told = program.session
    texts = {step.number: step.text for step in told.of(Observation)}
    assert {step.within: texts[step.number] for step in told.of(Analysis)} == {
        "finding/0": "find a flight",
        "finding/1": "book a hotel",
    }
    assert [part.text for part in told.of(Finding)] == ["FIND A FLIGHT", "BOOK A HOTEL"]


def test_handles_work_where_nothing_is_current(program: Program) -> None:
    def work(part: PartSpan[str]) -> None:
        with part.iteration() as step:
            step.record(action="look", observation="o")
        with part.tool("also"):
            pass

    with session("?"):
        entered, untouched = plan(GOALS)
        with entered:
            for part in (entered, untouched):
                thread = threading.Thread(target=work, args=(part,))
                thread.start()
                thread.join()
    assert [step.within for step in program.session.of(Analysis)] == ["step/0", "step/0", "step/1", "step/1"]
    assert len({span.context.trace_id for span in program.spans if span.context}) == 1


def test_threads_may_plan_at_once(program: Program) -> None:
    with session("?") as run, ThreadPoolExecutor(8) as pool:
        parts = [part for found in pool.map(run.plan, [[f"g{number}"] for number in range(64)]) for part in found]
    assert sorted(part.index for part in parts) == list(range(64))
    (told,) = program.session.of(Plan)
    assert told.goals == tuple(part.goal for part in sorted(parts, key=lambda part: part.index))


def test_what_runs_in_a_step_without_an_iteration_derives_from_the_plan(program: Program) -> None:
    with session("?", name="planner") as run:
        for step in plan(GOALS):
            with step, trace_retrieval(step.goal) as found:
                found.record(answer="an edge")
        with plan("ask")[0], iteration() as cycle:
            cycle.record(action="expert", observation=expert("it"))
    (told,) = by_agent(program, "planner")
    retrievals = [each for each in program.sessions if each.kind == names.GRAPH_RAG]
    assert [each.caller for each in retrievals] == [f"{run.uri}/plan"] * 2
    assert [step.sub_trace for step in told.of(StepResult)] == [
        *(uris.stage(each.uri, uris.SYNTHESIS) for each in retrievals),
        None,
    ]
    (asked,) = by_agent(program, "expert")
    assert asked.caller == f"{run.uri}/i1"
    assert [step.sub_trace for step in told.of(Observation)] == [f"{asked.uri}/final"]


def test_a_session_in_another_process_names_the_part_as_its_caller(program: Program) -> None:
    with session("?", name="supervisor") as run:
        iris = [part.uri for part in (*plan("look"), *delegate("ask"))]

    def other_process() -> None:
        for iri in iris:
            with session("?", name="expert", caller=iri):
                pass

    thread = threading.Thread(target=other_process)
    thread.start()
    thread.join()
    assert iris == [f"{run.uri}/step/0", f"{run.uri}/finding/0"]
    assert [each.caller for each in by_agent(program, "expert")] == [f"{run.uri}/plan", f"{run.uri}/decompose"]


def test_a_trace_of_somebody_elses_is_named(program: Program) -> None:
    with session("?"), delegate("ask")[0] as part:
        part.record("so", sub_trace="urn:other:final")
    assert list(program.session.of(Finding)) == [Finding(0, "ask", "so", sub_trace="urn:other:final")]


@pytest.mark.parametrize("divide", ["plan", "delegate"])
def test_what_comes_of_an_expert_that_divides_its_work_is_its_synthesis(program: Program, divide: str) -> None:
    def fails(goal: str) -> str:
        with session(goal, name="expert") as run:
            with run.iteration() as step:
                step.record(action="look", observation="o")
            for part in DIVIDE[divide](["one"]):
                with part:
                    part.record("1")
            if goal == "bad":
                raise ValueError(goal)
            run.record(answer="done")
        return "done"

    with session("?", name="supervisor"), iteration() as step:
        step.record(action="fails", observation=fails("good"))
    with session("?", name="supervisor"), pytest.raises(ValueError, match="bad"), delegate("x")[0]:
        fails("bad")
    good, bad = by_agent(program, "expert")
    (observation,) = next(told for told in program.sessions if told.uri == str(good.caller)[: -len("/i1")]).of(
        Observation
    )
    assert observation.sub_trace == f"{good.uri}/synthesis"
    (finding,) = (found for told in by_agent(program, "supervisor") for found in told.of(Finding))
    kind = "step" if divide == "plan" else "finding"
    assert (finding.sub_trace, finding.error) == (f"{bad.uri}/{kind}/0", "ValueError: bad")


def test_outside_of_a_session_nothing_is_recorded_and_that_is_counted_once(program: Program) -> None:
    tracer = program.provider.get_tracer("host")
    before = losses()
    with tracer.start_as_current_span("host") as host:
        for step in plan(GOALS):
            with step:
                step.record(result="r")
                assert trace.get_current_span() is host
    assert program.sessions == []
    reasons = {reason: count - before.get(reason, 0) for reason, count in losses().items()}
    assert {reason: count for reason, count in reasons.items() if count} == {
        "agent.plan.step not recorded: outside of a session": 1
    }
    assert [span.name for span in program.spans] == ["host"]


def test_a_plan_from_outside_of_the_session_is_no_obstacle_to_what_it_holds(program: Program) -> None:
    (step,) = plan("too early")
    with session("?", name="planner"), iteration() as cycle, step:
        cycle.record(action="ask", observation=expert("it"))
        with tool("look"):
            pass
        with iteration() as inner:
            inner.record(action="act")
    (told,) = by_agent(program, "planner")
    (asked,) = by_agent(program, "expert")
    assert [(each.number, each.action, each.within) for each in told.of(Analysis)] == [
        (1, "ask", None),
        (2, "act", None),
    ]
    assert asked.caller == f"{told.uri}/i1"
    assert [each.sub_trace for each in told.of(Observation)] == [f"{asked.uri}/final", None]


def test_the_context_around_a_part_comes_back(program: Program) -> None:
    with session("?"):
        outside = trace.get_current_span()
        (step,) = plan("look")
        with step:
            assert trace.get_current_span() is not outside
            left_open = iteration()
            left_open.__enter__()
        assert trace.get_current_span() is outside
        assert current_session() is not None
    assert trace.get_current_span() is trace.INVALID_SPAN


def test_parts_inside_of_a_generator(program: Program) -> None:
    @trace_agent
    def agent(question: str) -> Iterator[str]:
        for step in plan(GOALS):
            with step:
                yield step.goal
                with iteration() as cycle:
                    cycle.record(action="look")
                step.record(step.goal)

    answer = []
    for text in agent("?"):
        assert current_session() is None
        answer.append(text)
    assert answer == GOALS
    assert [part.text for part in program.session.of(StepResult)] == GOALS
    assert [step.within for step in program.session.of(Analysis)] == ["step/0", "step/1"]


def test_a_session_that_ends_first_ends_its_parts(program: Program) -> None:
    with session("?"):
        plan("look")[0].__enter__()
    (result,) = program.session.of(StepResult)
    assert result.error == "abandoned"
    assert result.ended is not None


def test_a_plan_inside_of_an_iteration(program: Program) -> None:
    with session("?"), iteration() as outer:
        outer.record(thought="I need a plan.", action="plan", arguments={"goals": GOALS})
        for step in plan(GOALS):
            with step, tool("look"):
                pass
    assert [(step.number, step.action, step.within) for step in program.session.of(Analysis)] == [
        (1, "plan", None),
        (2, "look", "step/0"),
        (3, "look", "step/1"),
    ]


def test_a_session_that_goes_on_elsewhere_has_the_same_steps(program: Program) -> None:
    headers: dict[str, str] = {}
    with session("?", name="a"):
        steps = plan(GOALS)
        with steps[0]:
            steps[0].record("flight")
        inject(headers)

    def other_process() -> None:
        with session("?", name="a", context=extract(headers)) as run:
            step = plan(GOALS)[1]
            with step:
                step.record("hotel")
            run.record(answer="booked")

    thread = threading.Thread(target=other_process)
    thread.start()
    thread.join()
    assert program.session.steps[1:] == (
        Plan(tuple(GOALS)),
        StepResult(0, GOALS[0], "flight"),
        StepResult(1, GOALS[1], "hotel"),
        Synthesis("booked"),
    )


def test_content_that_is_not_recorded(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_CAPTURE_CONTENT", "false")
    with session("?", pattern="plan-then-execute") as run:
        for step in plan(GOALS):
            with step:
                step.record("secret")
        run.record(answer="secret")
    assert program.session.steps[1:] == (
        PatternDecision("plan-then-execute"),
        Plan((None, None)),
        StepResult(0),
        StepResult(1),
        Synthesis(),
    )
    digest = Digest(hashlib.sha256(b"secret").hexdigest(), 6)
    assert [step.digest for step in program.session.of(StepResult)] == [digest] * 2
    assert not any(b"secret" in span.raw or b"flight" in span.raw for span in program.recorded)


def test_texts_are_rewritten(program: Program) -> None:
    with session("?", redact=lambda text: text.replace("flight", "***")):
        for step in plan(GOALS):
            with step:
                step.record({"no": "flight"})
    assert next(program.session.of(Plan)).goals == ("find a ***", "book a hotel")
    assert next(program.session.of(StepResult)) == StepResult(0, "find a ***", '{"no": "***"}')


def test_a_pattern_that_is_decided_on_the_way(program: Program) -> None:
    with session("?") as run:
        run.record(pattern="react", task_type="question")
        assert program.session.steps[1:] == (PatternDecision("react", "question"),)
        run.record(answer="so")
    assert program.session.steps[1:] == (PatternDecision("react", "question"), Conclusion("so"))


def test_settings_of_the_pattern_may_depend_on_the_call(program: Program) -> None:
    @trace_agent(pattern=lambda question: "supervisor" if len(question) > 1 else "react")
    def agent(question: str) -> None: ...

    agent("??")
    assert next(program.session.of(PatternDecision)).pattern == "supervisor"


def test_uses_of_an_answer_that_follows_from_the_plan_are_counted(program: Program) -> None:
    before = losses().get("uses of an answer left out", 0)
    with session("Why?") as run:
        (step,) = plan("look")
        with step, iteration() as seen:
            seen.record(action="look", observation="It stands.")
        run.record(answer="It stands.", uses=[1])
    assert losses()["uses of an answer left out"] == before + 1


def test_more_parts_than_anyone_plans_are_counted(program: Program) -> None:
    reason = "agent.part not recorded: too many"
    before = losses().get(reason, 0)
    with session("?"):
        parts = delegate([str(number) for number in range(MOST + 2)])
        with parts[-1], iteration() as step:
            step.record(action="look")
    assert losses()[reason] == before + 2
    assert len(next(program.session.of(Decomposition)).goals) == MOST
    assert list(program.session.of(Finding)) == []
    assert [step.within for step in program.session.of(Analysis)] == [None]


class Unprintable:
    def __str__(self) -> str:
        raise RuntimeError


def test_goals_and_results_of_any_type(program: Program) -> None:
    goals = [None, Unprintable(), {"a": 1}, 5]
    with session("?"):
        parts = plan(goals)
        assert [part.goal for part in parts] == goals
        for part in parts:
            with part:
                part.record(part.goal)
        assert [part.goal for part in plan(7)] == [7]  # type: ignore[arg-type]
        assert [part.goal for part in delegate({"a": print, "b": print})] == ["a", "b"]
    results = [step.text for step in program.session.of(StepResult)]
    assert results == [None, "<Unprintable: RuntimeError>", '{"a": 1}', "5"]
    assert next(program.session.of(Plan)).goals == (None, "<Unprintable: RuntimeError>", '{"a": 1}', "5", "7")
