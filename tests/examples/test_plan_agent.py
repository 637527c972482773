"""The example of a plan: what it prints is what its session came to, step by step."""

from __future__ import annotations

from otel_prov.steps import Analysis, PatternDecision, Plan, StepResult
from tests.examples.conftest import Reader


def test_a_plan_is_carried_out_step_by_step(reader: Reader) -> None:
    done = reader.run("plan_agent.py")
    assert (done.returncode, done.stderr) == (0, "")
    (told,) = reader.kept()
    assert told.answer is not None
    assert done.stdout.startswith(f"{told.answer}\n")
    assert next(told.of(PatternDecision)).pattern == "plan-then-execute"
    (plan,) = told.of(Plan)
    results = list(told.of(StepResult))
    assert plan.goals == tuple(step.goal for step in results)
    assert len(results) == 3
    assert "pygments" in str(results[0].text)
    assert str(results[1].text) in str(results[0].text)
    assert results[2].text == told.answer
    assert [step.within for step in told.of(Analysis)] == ["step/0", "step/1", "step/2"]
    assert all("look_up" in step.candidates for step in told.of(Analysis))


def test_a_step_that_fails_says_why(reader: Reader) -> None:
    done = reader.run("plan_agent.py", "What is the largest package that nosuch needs, and what is it for?")
    assert (done.returncode, done.stderr) == (0, "")
    (told,) = reader.kept()
    (failed,) = told.of(StepResult)
    assert failed.error == told.error == "LookupError: Nothing is known of what nosuch needs."
    assert told.outcome == "error"
