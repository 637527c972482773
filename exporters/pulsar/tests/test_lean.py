"""What is left out where fewer triples are wanted."""

from __future__ import annotations

from conftest import conversation
from otel_prov.describe import describe, recognise
from otel_prov.describe import vocabulary as v
from otel_prov.steps import Analysis, Conclusion, Observation, Plan, Question, Session, StepResult, Synthesis

from otel_prov_exporter_pulsar.lean import lean


def test_what_its_command_line_shows_is_still_there_and_only_that() -> None:
    session = conversation("lean")
    quads = describe(session)
    fewer = lean(quads)
    assert set(fewer) < set(quads)
    assert len(fewer) < 0.5 * len(quads)
    (told,) = recognise(fewer)
    assert told.question == session.question
    assert [(step.action, step.arguments) for step in told.of(Analysis)] == [
        (step.action, step.arguments) for step in session.of(Analysis)
    ]
    assert list(told.of(Observation)) == list(session.of(Observation))
    assert told.conclusion == Conclusion("The capital of France is Paris.")
    chain = {(quad.subject, quad.object) for quad in quads if quad.predicate == v.PROV_DERIVED}
    assert {pair for pair in chain if not pair[0].endswith("/thought")} == {
        (quad.subject, quad.object) for quad in fewer if quad.predicate == v.PROV_DERIVED
    }


def test_plans_and_delegated_work_are_still_there() -> None:
    steps = (Plan(("x", "y")), Analysis(1, "t", "a", "{}", within="step/0"), StepResult(0, "x", "X"), Synthesis("!"))
    (told,) = recognise(lean(describe(Session("urn:trustgraph:agent:p", (Question("?"), *steps)))))
    assert told.steps == (Question("?"), Plan(("x", "y")), Analysis(1, None, "a", "{}"), *steps[2:])
