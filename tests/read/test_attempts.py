"""Messages come twice and out of order; a session has each iteration once all the same."""

from __future__ import annotations

import contextlib

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opentelemetry.context import Context

from otel_prov import extract, inject, names, session
from otel_prov.read import read
from otel_prov.steps import Analysis, Conclusion, Observation
from tests.conftest import Program

ANSWER_AT = 4


def work(context: Context, attempt: str = "") -> dict[str, str]:
    """What a worker does for one message: one iteration; gives the next message's properties, none after the last."""
    properties: dict[str, str] = {}
    with session("?", name="a", context=context) as run:
        with run.iteration() as step:
            if step.number == ANSWER_AT:
                step.record(thought=f"enough{attempt}")
                run.record(answer=f"the answer{attempt}")
                return properties
            step.record(thought=f"t{step.number}{attempt}", action="look", arguments={"at": step.number})
            with step.tool("look", {"at": step.number}) as call:
                call.record(f"o{step.number}{attempt}")
            step.record(observation=f"o{step.number}{attempt}")
        inject(properties)
    return properties


def asked() -> dict[str, str]:
    """The first message's properties, of a session that a client has begun."""
    properties: dict[str, str] = {}
    with session("the question", session_id="s", name="a"):
        inject(properties)
    return properties


WHOLE = (
    Analysis(1, "t1", "look", '{"at": 1}'),
    Observation(1, "o1"),
    Analysis(2, "t2", "look", '{"at": 2}'),
    Observation(2, "o2"),
    Analysis(3, "t3", "look", '{"at": 3}'),
    Observation(3, "o3"),
    Conclusion("the answer", "enough"),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)
@given(data=st.data())
def test_any_order_and_repetition_of_messages_gives_one_session(program: Program, data: st.DataObject) -> None:
    for file in (program.store / "journal").glob("*"):
        file.write_bytes(b"")
    messages = [asked()]
    for _ in range(ANSWER_AT - 1):
        messages.append(work(extract(messages[-1])))
    assert work(extract(messages[-1])) == {}
    for message in data.draw(st.lists(st.sampled_from(messages), max_size=8)):
        work(extract(message))
    (told,) = read(data.draw(st.permutations(program.recorded)))
    assert told.steps[1:] == WHOLE
    assert (told.question.text, told.outcome) == ("the question", names.OUTCOME_FINAL)
    assert len({span.trace_id for span in program.recorded}) == 1


def test_of_two_attempts_the_first_that_ended_counts_with_its_own_tool_calls(program: Program) -> None:
    message = asked()
    work(extract(message), " first")
    work(extract(message), " second")
    assert program.session.steps[1:] == (Analysis(1, "t1 first", "look", '{"at": 1}'), Observation(1, "o1 first"))
    assert program.session.outcome is None


def test_an_attempt_that_failed_counts_only_until_another_ends_well(program: Program) -> None:
    message = asked()
    with contextlib.suppress(LookupError), session("?", context=extract(message)) as run, run.iteration() as step:
        step.record(action="look")
        raise LookupError("the tool is away")
    assert program.session.outcome == names.OUTCOME_ERROR
    assert program.session.steps[1:] == (
        Analysis(1, None, "look"),
        Observation(1, None, "LookupError: the tool is away"),
    )

    onward = work(extract(message))  # the broker has delivered it again
    with contextlib.suppress(LookupError), session("?", context=extract(message)) as run, run.iteration() as step:
        raise LookupError("done already")
    onward = work(extract(onward))
    assert (program.session.outcome, program.session.error) == (None, None), "it goes on"
    assert program.session.steps[1:] == WHOLE[:4]


def test_an_answer_stays_whoever_comes_later(program: Program) -> None:
    messages = [asked()]
    for _ in range(ANSWER_AT):
        messages.append(work(extract(messages[-1])))
    ended = program.session.ended
    with contextlib.suppress(LookupError), session("?", context=extract(messages[0])):
        raise LookupError("done already")
    assert (program.session.outcome, program.session.error, program.session.ended) == ("final", None, ended)
    assert program.session.steps[1:] == WHOLE


def test_tool_calls_outside_of_iterations_are_told_apart_by_their_process(program: Program) -> None:
    message = asked()
    for attempt in ("first", "second"):
        with session("?", context=extract(message)) as run, run.tool("look") as call:
            call.record(attempt)
    assert program.session.steps[1:] == (Analysis(1, None, "look"), Observation(1, "first"))


def test_several_calls_of_one_attempt_are_all_told(program: Program) -> None:
    message = asked()
    for attempt in ("first", "second"):
        with session("?", context=extract(message)) as run, run.iteration() as step:
            step.record(action="look")
            for number in (1, 2):
                with step.tool("look", {"n": number}) as call:
                    call.record(f"{attempt} {number}")
    assert [step.text for step in program.session.of(Observation)] == ["first 1", "first 2"]


def test_two_chains_from_one_duplicate_dont_mix(program: Program) -> None:
    first = second = asked()
    for _ in range(ANSWER_AT):
        first, second = work(extract(first), " first"), work(extract(second), " second")
    told = program.session
    assert {(step.thought or "").rpartition(" ")[2] for step in told.of(Analysis)} == {"first"}
    assert told.conclusion == Conclusion("the answer first", "enough first")


def test_an_iteration_that_two_processes_share_is_put_together(program: Program) -> None:
    with session("?", session_id="s") as run, run.iteration() as step:
        step.record(thought="I ask for it.", action="ask", arguments={"for": "it"})
    with session(session_id="s", iteration=1) as run, run.iteration() as step:
        step.record(observation="here it is")
    assert program.session.steps[1:] == (
        Analysis(1, "I ask for it.", "ask", '{"for": "it"}'),
        Observation(1, "here it is"),
    )


def test_where_only_a_continuation_is_known_there_is_no_telling_when_the_session_began(program: Program) -> None:
    work(extract({"otel-prov-session": "s", "otel-prov-iteration": "2"}))
    assert program.session.question.started is None
    assert program.session.question.text == "?"
    assert [step.number for step in program.session.of(Analysis)] == [2]
