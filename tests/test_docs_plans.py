"""What docs/plans.md says is what happens."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from otel_prov import names
from otel_prov.keep import Store
from otel_prov.steps import Analysis, Decomposition, Finding, PatternDecision, Plan, Session, StepResult, Synthesis
from tests.test_readme import ROOT, run

PAGE = (ROOT / "docs" / "plans.md").read_text(encoding="utf-8")
CODE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
(SHELL,) = re.findall(r"<!-- run: shell -->\n```sh\n(.*?)```", PAGE, re.DOTALL)
GOALS = ("The history of pump 7", "The price of pump 7")


def sessions(folder: Path) -> dict[str, Session]:
    """By their questions."""
    with Store(folder / "store") as store:
        store.take_in()
        found = [store.session(listed.uri) for listed in store.sessions()]
    return {str(session.question.text): session for session in found if session}


def test_the_plan(tmp_path: Path) -> None:
    run([sys.executable, "-c", CODE[0]], tmp_path)
    (told,) = sessions(tmp_path).values()
    assert told.answer == "All is booked."
    assert next(told.of(Plan)).goals == ("find a flight", "book a hotel")
    assert [step.text for step in told.of(StepResult)] == ["find a flight: a good one", "book a hotel: a good one"]
    assert [step.within for step in told.of(Analysis)] == ["step/0", "step/1"]
    assert next(told.of(PatternDecision)).pattern == "plan-then-execute"


def test_the_supervisor_and_the_commands(tmp_path: Path) -> None:
    printed = run([sys.executable, "-c", CODE[1]], tmp_path)
    assert printed == "; ".join(f"{goal}: since 1890" for goal in GOALS) + "\n"
    told = sessions(tmp_path)
    supervisor = told["pump 7"]
    assert next(supervisor.of(Decomposition)).goals == GOALS
    assert list(supervisor.of(Synthesis)) == [Synthesis(printed[:-1])]
    for goal, finding in zip(GOALS, supervisor.of(Finding), strict=True):
        assert told[goal].caller == f"{supervisor.uri}/decompose"
        assert (finding.text, finding.sub_trace) == (told[goal].answer, f"{told[goal].uri}/final")
    shown, listed = (run(line.partition("#")[0].split(), tmp_path) for line in SHELL.splitlines())
    assert "pump 7" in shown
    assert all(goal in listed for goal in GOALS)


@pytest.mark.parametrize("code", CODE[2:])
def test_every_other_piece_of_code_is_python(code: str) -> None:
    compile(code, "plans.md", "exec")


def test_attributes_in_the_table_are_those_that_are_written() -> None:
    table = PAGE.partition("## Attributes")[2].partition("## The graph")[0]
    known = {value for name, value in vars(names).items() if name.isupper() and isinstance(value, str)}
    told = set(re.findall(r"`((?:agent|gen_ai)\.[\w.]+)`", table))
    assert told <= known
    assert {names.PLAN_GOALS, names.PART_GOALS, names.WITHIN, names.GOAL, names.RESULT, names.PATTERN} <= told
    assert {names.ITERATION_CANDIDATES, names.ITERATION_THINKING, names.INPUT_TOKENS, names.OUTPUT_TOKENS} <= told
