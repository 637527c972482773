"""An iteration that uses the results of several earlier ones says so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from otel_prov import current_session, iteration, losses, session, trace_agent
from otel_prov.describe import describe, describe_prov, recognise
from otel_prov.describe.vocabulary import PROV_DERIVED
from otel_prov.show.document import session_document
from otel_prov.show.nested import Tree
from otel_prov.show.rows import acts
from otel_prov.steps import Analysis, Conclusion
from tests.conftest import Program

LEFT_OUT = "use of an iteration left out"


def look(where: str, uses: Iterable[Any] | None = None) -> str:
    """An iteration."""
    with iteration() as step:
        step.record(thought=f"Look at {where}.", action="look", arguments={"at": where}, uses=uses)
        seen = f"what is at {where}"
        step.record(observation=seen)
    return seen


def used(program: Program) -> list[tuple[int, ...] | None]:
    """What each iteration, and last the answer, says it used."""
    return [step.uses for step in program.session.steps if isinstance(step, Analysis | Conclusion)]


def test_by_number_and_in_line_where_nothing_is_said(program: Program) -> None:
    with session("Why?") as run:
        look("a")
        look("b", uses=[])
        look("c", uses=[2, 1, 2])
        look("d")
        run.record(answer="So.", uses=(1, 3))
    assert used(program) == [None, (), (1, 2), None, (1, 3)]


def test_what_was_used_is_what_an_iteration_derives_from(program: Program) -> None:
    with session("Why?") as run:
        look("a")
        look("b", uses=[])
        look("c", uses=[1, 2])
        run.record(answer="So.", uses=[1, 3])
    uri = run.uri
    derived: dict[str, set[str]] = {}
    for quad in describe(program.session):
        if quad.predicate == PROV_DERIVED:
            derived.setdefault(quad.subject.removeprefix(uri), set()).add(str(quad.object).removeprefix(uri))
    assert derived["/i1"] == {""}
    assert derived["/i2"] == {""}
    assert derived["/i3"] == {"/i1/observation", "/i2/observation"}
    assert derived["/final"] == {"/i1/observation", "/i3/observation"}
    assert recognise(describe(program.session))[0].steps == program.session.steps
    real = {quad.subject for quad in describe_prov(program.session) if quad.predicate == PROV_DERIVED}
    assert real == {f"{uri}#i3-thought", f"{uri}#answer"}


def test_what_was_used_is_shown(program: Program) -> None:
    with session("Why?") as run:
        look("a")
        look("b", uses=[])
        look("c", uses=[1, 2])
        run.record(answer="So.", uses=[3])
    shown = [row.text for section in acts(program.session) for row in section.rows if row.label == "Uses"]
    assert shown == ["nothing that was seen before", "iteration 1, iteration 2", "iteration 3"]
    document = session_document(Tree(program.session))
    assert [each.get("uses") for each in document["iterations"]] == [None, [], [1, 2]]
    assert document["uses"] == [3]


def test_by_handle(program: Program) -> None:
    with session("Why?") as run:
        with iteration() as first:
            first.record(action="look")
            with first.tool("look") as call:
                call.record("a stone")
        look("b")
        look("c", uses=[first])
        look("d", uses=[call, first])
        run.record(answer="So.", uses=[first])
    assert used(program) == [None, None, (1,), (1,), (1,)]


def test_by_what_was_observed(program: Program) -> None:
    @trace_agent
    def answer(question: str) -> str:
        first = look("a")
        with iteration() as step, step.tool("weigh") as call:
            call.record({"grams": 12})
        look("c", uses=[first])
        look("d", uses=[{"grams": 12}, first])
        return "So."

    answer("Why?")
    assert used(program) == [None, None, (1,), (1, 2), None]


@pytest.mark.parametrize("use", [3, 2, 0, -1, True, "never seen", None, object()])
def test_what_is_no_earlier_iteration_is_left_out_and_counted(program: Program, use: object) -> None:
    before = losses().get(LEFT_OUT, 0)
    with session("Why?"):
        look("a")
        look("b", uses=[1, use])
    assert losses()[LEFT_OUT] == before + 1
    assert used(program) == [None, (1,)]


def test_uses_that_can_not_be_iterated_harm_nobody(program: Program) -> None:
    with session("Why?") as run:
        assert look("a", uses=7) == "what is at a"  # type: ignore[arg-type]
        assert current_session() is run
    assert len(used(program)) == 1
