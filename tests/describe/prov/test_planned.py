"""Plans and delegated work in the PROV view."""

from __future__ import annotations

import io
from datetime import datetime, timezone

import pytest
from hypothesis import given

from otel_prov.ask import Node, parse
from otel_prov.describe import describe_prov
from otel_prov.describe.prov.documents import write_prov
from otel_prov.names import session_uri
from otel_prov.steps import (
    Analysis,
    Decomposition,
    Finding,
    Observation,
    PatternDecision,
    Plan,
    Question,
    Session,
    StepResult,
    Synthesis,
)
from otel_prov.validate import validate
from tests.describe.planning import planned
from tests.describe.strategies import calm

S = session_uri("p")
CLERK = session_uri("clerk")


def at(second: int) -> datetime:
    return datetime(2026, 1, 1, 12, 0, second, tzinfo=timezone.utc)


def turn(number: int, within: str | None, start: int) -> tuple[Analysis, Observation]:
    """An iteration of two seconds."""
    return (
        Analysis(number, "t", "look", "{}", within=within, started=at(start), ended=at(start + 1)),
        Observation(number, "o", started=at(start + 1), ended=at(start + 2)),
    )


PLANNED = Session(
    S,
    (
        Question("?", at(0)),
        PatternDecision("plan-then-execute"),
        Plan(("look", "ask")),
        Decomposition(("this", "that")),
        *turn(1, "step/0", 1),
        *turn(2, "finding/0", 4),
        *turn(3, "finding/1", 4),
        *turn(4, "finding/0", 6),
        StepResult(0, "look", "seen", started=at(1), ended=at(4)),
        Finding(0, "this", "found", started=at(4), ended=at(9)),
        Finding(1, "that", error="gone", sub_trace=f"{CLERK}/synthesis", started=at(4), ended=at(8)),
        Synthesis("so"),
    ),
    agent="a",
    ended=at(10),
    outcome="final",
)


def said(session: Session = PLANNED) -> set[tuple[str, str, str]]:
    """Statements between nodes, by the names of these within the session."""
    start = f"{session.uri}#"
    return {
        (quad.subject.removeprefix(start), quad.predicate.rpartition("#")[2], quad.object.removeprefix(start))
        for quad in describe_prov(session)
        if isinstance(quad.object, str)
    }


def test_a_step_is_an_activity_according_to_the_plan_and_its_result_comes_of_it() -> None:
    assert {
        ("step-0", "wasAssociatedWith", "agent"),
        ("step-0", "qualifiedAssociation", "step-0-association"),
        ("step-0-association", "hadPlan", "work-plan"),
        ("step-0", "used", "i1-obs"),
        ("step-0-result", "wasGeneratedBy", "step-0"),
        ("part-1-association", "hadPlan", "decomposition"),
        ("part-1-finding", "wasDerivedFrom", f"{CLERK}#answer"),
        ("conclude", "used", "step-0-result"),
        ("conclude", "used", "part-1-finding"),
        ("answer", "wasGeneratedBy", "conclude"),
        ("answer", "https://w3id.org/otel-prov#explainedBy".rpartition("#")[2], f"{S}/synthesis"),
    } <= said()


def test_iterations_are_parts_of_their_step_and_have_only_seen_what_is_of_it() -> None:
    found = said()
    assert {(a, c) for a, b, c in found if b == "http://purl.org/dc/terms/isPartOf" and a.startswith("i")} >= {
        ("i1-think", "step-0"),
        ("i3-act", "part-1"),
    }
    used = {c for a, b, c in found if (a, b) == ("i4-think", "used")}
    assert used == {"question", "i2-obs", "i2-thought"}
    assert ("i4-think", "wasInformedBy", "i2-act") in found


def test_of_a_step_that_goes_on_nothing_has_come_yet() -> None:
    session = Session(S, (Plan(("x",)), StepResult(0, "x", started=at(1))), outcome="running")
    assert "step-0-result" not in {subject for subject, *_ in said(session)}


def test_it_is_valid() -> None:
    assert list(validate(describe_prov(PLANNED))) == []


@calm
@given(planned())
def test_every_plan_and_all_delegated_work_is_valid(session: Session) -> None:
    assert list(validate(describe_prov(session))) == []


@pytest.mark.parametrize("format", ["provn", "provjson", "provxml"])
def test_prov_documents_have_the_plan(format: str) -> None:
    pytest.importorskip("prov.model")
    out = io.BytesIO()
    write_prov([PLANNED], format, out)
    assert b"work-plan" in out.getvalue()


@pytest.mark.parametrize(
    ("node", "place"),
    [
        (f"{S}#step-0", Node(S, part="step/0")),
        (f"{S}#part-1-finding", Node(S, part="finding/1")),
        (f"{S}/step/2", Node(S, part="step/2")),
        (f"{S}/synthesis", Node(S)),
        (f"{S}/plan", Node(S)),
        (f"{S}#work-plan", Node(S)),
    ],
)
def test_nodes_are_places_to_ask_about(node: str, place: Node) -> None:
    assert parse(node) == place
