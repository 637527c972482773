"""Plans and delegation are read into the same steps whatever way their spans come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from otel_prov import delegate, iteration, names, plan, session, tool, uris
from otel_prov.keep import Store
from otel_prov.keep.rows import key, position
from otel_prov.read import Span, read
from otel_prov.read.nesting import last_node, outer_of
from otel_prov.steps import (
    Analysis,
    Conclusion,
    Decomposition,
    Finding,
    PatternDecision,
    Plan,
    Question,
    Session,
    Step,
    StepResult,
    Synthesis,
)
from tests.conftest import Program

GOALS = ("look", "decide", "act")


def run(attempt: str = "") -> None:
    """A session that does everything."""
    with session("?", session_id="s", name="a", pattern="mixed") as agent:
        for step in plan(GOALS):
            with step, iteration() as cycle:
                cycle.record(thought="t", action="look", observation=f"o{attempt}")
                step.record(f"{step.goal}: done{attempt}")
        for part in delegate(GOALS):
            with part, tool("ask"):
                part.record(f"{part.goal}: found{attempt}")
        agent.record(answer=f"all{attempt}")


@pytest.fixture
def records(program: Program) -> list[Span]:
    """What such a session leaves in the journal."""
    run()
    return program.recorded


anything = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)


@anything
@given(data=st.data())
def test_any_order_and_repetition_gives_the_same_session(records: list[Span], data: st.DataObject) -> None:
    again = data.draw(st.lists(st.sampled_from(records), max_size=10))
    shuffled = data.draw(st.permutations(records + again))
    (told,) = read(shuffled)
    assert told == read(records)[0]
    assert len(told.steps) == 1 + 3 + 3 * 2 + 3 * 1 + 3 + 3 + 1


@anything
@given(data=st.data())
def test_any_part_of_the_records_tells_a_part_of_the_session(records: list[Span], data: st.DataObject) -> None:
    (whole,) = read(records)
    some = data.draw(st.sets(st.sampled_from(range(len(records))), min_size=1))
    (part,) = read(records[index] for index in some)
    assert part.uri == whole.uri
    assert list(part.steps) == sorted(part.steps, key=position)
    for kind, of in ((StepResult, Plan), (Finding, Decomposition)):
        results: Sequence[Any] = list(part.of(kind))
        assert {step.index for step in results} <= {0, 1, 2}
        assert all(step.goal == GOALS[step.index] for step in results)
        assert {step.text for step in results} <= {None, *(step.text for step in whole.of(kind))}
        goals = [goal for divided in part.of(of) for goal in divided.goals]
        assert all(goal in (None, GOALS[index]) for index, goal in enumerate(goals))
        assert all(goals[step.index] == step.goal for step in results)
    assert last_node(part).startswith(part.uri)


def test_each_record_only_adds(records: list[Span]) -> None:
    said: dict[tuple[str, str], object] = {}
    for known in range(1, len(records) + 1):
        (told,) = read(records[:known])
        now = {
            (key(step), each.name): value
            for step in told.steps
            for each in fields(step)
            if (value := getattr(step, each.name)) not in (None, ())
        }
        assert said.items() <= now.items()
        said = now


def test_parts_tell_the_plan_where_the_sessions_span_is_missing(records: list[Span]) -> None:
    (told,) = read(span for span in records if span.attributes.get(names.WITHIN) == "step/1")
    assert told.steps == (
        Plan((None, "decide")),
        Analysis(2, "t", "look", within="step/1"),
        next(
            step
            for step in read(records)[0].steps
            if getattr(step, "number", 0) == 2 and not isinstance(step, Analysis)
        ),
        StepResult(1, "decide", "decide: done"),
    )


ODD = [None, True, 5, "", "step", "step/", "step/01", "step/-1", "step/1000", "finding/99999999999", "i/1", ["step/0"]]


@pytest.mark.parametrize("within", ODD)
def test_what_says_nothing_of_ours_is_passed_over(records: list[Span], within: object) -> None:
    def odd(span: Span) -> Span:
        changed = {names.WITHIN: within, names.PLAN_GOALS: within, names.PART_GOALS: [within, 3]}
        attributes = {name: changed.get(name, value) for name, value in span.attributes.items()}
        return replace(span, attributes={**attributes, names.ITERATION_THINKING: within})

    (told,) = read(map(odd, records))
    assert not list(told.of(StepResult))
    assert all(step.within is None for step in told.of(Analysis))
    assert told.answer == "all"


def test_of_repeated_attempts_the_first_that_ended_well_counts(program: Program) -> None:
    run(" first")
    run(" second")
    assert {step.text for step in program.session.of(StepResult)} == {f"{goal}: done first" for goal in GOALS}
    assert {step.text for step in program.session.of(Finding)} == {f"{goal}: found first" for goal in GOALS}
    assert program.session.answer == "all first"
    assert next(program.session.of(Plan)).goals == GOALS


def test_the_store_says_the_same(program: Program) -> None:
    run()
    with Store(program.store) as store:
        store.take_in()
        (listed,) = store.sessions()
        kept = store.session(listed.uri)
    assert kept is not None
    assert kept.steps == program.session.steps


S = names.session_uri("s")


@pytest.mark.parametrize(
    ("steps", "outcome", "last"),
    [
        ((Question("?"), Plan(("a",))), None, "/synthesis"),
        ((Question("?"), PatternDecision("react")), None, "/final"),
        ((StepResult(0),), None, "/synthesis"),
        ((Question("?"), Plan(("a",)), Synthesis("so")), "final", "/synthesis"),
        ((Question("?"), Decomposition(("a",)), Synthesis("so")), "error", "/synthesis"),
        ((Question("?"), Conclusion("so")), "final", "/final"),
        ((Question("?"), PatternDecision("react")), "error", "/pattern-decision"),
        ((Question("?"), Plan(("a",))), "error", "/plan"),
        ((Question("?"), Decomposition(("a",))), "error", "/decompose"),
        ((Plan(("a",)), Analysis(1), StepResult(0)), "error", "/step/0"),
        ((Decomposition(("a", "b")), Finding(1)), "error", "/finding/1"),
        ((Plan(("a",)), Analysis(1)), "error", "/i1"),
    ],
)
def test_the_last_node_of_a_session(steps: tuple[Step, ...], outcome: str | None, last: str) -> None:
    assert last_node(Session(S, steps, outcome=outcome)) == S + last


def test_the_session_that_something_ran_inside_of() -> None:
    for place in (uris.plan(S), uris.decomposition(S), uris.iteration(S, 3), S):
        assert outer_of(place) == S
