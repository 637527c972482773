"""Plans, and work that was given to others, on the screen, and in what is asked of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta

from click.testing import Result

from otel_prov.names import session_uri
from otel_prov.steps import (
    Analysis,
    Conclusion,
    Decomposition,
    Finding,
    Observation,
    PatternDecision,
    Plan,
    Question,
    Session,
    StepResult,
    Synthesis,
    Usage,
)

from .sessions import STARTED

Call = Callable[..., Result]
Keep = Callable[..., None]

PLANS, SUPERVISES, CLERK = session_uri("plans"), session_uri("supervises"), session_uri("clerk")
PLANNED = Session(
    PLANS,
    (
        Question("What is overdue?"),
        PatternDecision("plan-then-execute", "research"),
        Plan(("look", "sum up", "never done")),
        Analysis(
            1,
            "Where?",
            "look",
            '{"in": "loans"}',
            within="step/0",
            candidates=("look", "ask"),
            usage=Usage("rules-1", 1200, 80),
            started=STARTED,
            ended=STARTED + timedelta(seconds=0.8),
        ),
        Observation(1, "Emma"),
        StepResult(0, "look", "One book."),
        StepResult(1, "sum up", error="LookupError: gone"),
        Synthesis("Emma is."),
    ),
    outcome="final",
)
SUPERVISED = Session(
    SUPERVISES,
    (
        Question("Who has Emma?"),
        Decomposition(("ask the clerk", "look")),
        Analysis(1, None, "look", within="finding/1"),
        Observation(1, "Ms Woodhouse"),
        Finding(0, "ask the clerk", "A reader.", sub_trace=f"{CLERK}/final"),
        Finding(1, "look", "Ms Woodhouse."),
        Synthesis("Ms Woodhouse has it."),
    ),
    outcome="final",
)
INNER = Session(
    CLERK,
    (Question("Who?"), Analysis(1, "Hm.", "recall"), Observation(1, "a reader"), Conclusion("A reader.")),
    caller=f"{SUPERVISES}/decompose",
    outcome="final",
)


def shown(call: Call, *arguments: str) -> str:
    """What is shown, from the first section with a title on."""
    return call("show", *arguments).stdout.partition("\n\n")[2]


def test_a_plan_is_shown_step_by_step_with_what_led_to_each_result(call: Call, keep: Keep) -> None:
    keep(PLANNED)
    assert "Pattern          plan-then-execute, research\n" in call("show", "plans").stdout
    assert (
        shown(call, "plans")
        == """\
Plan
  Step 1         look
  Step 2         sum up
  Step 3         never done

Iteration 1
  For            step 1
  Thought        Where?
  Action         look
  Arguments      in: loans
  Observation    Emma
  Model          rules-1, 1,200 → 80 tokens, 800ms

Step 1
  Goal           look
  Result         One book.

Step 2
  Goal           sum up
  Error          LookupError: gone

Synthesis
  Answer         Emma is.
"""
    )


def test_who_did_a_part_of_the_work_is_shown_under_it(call: Call, keep: Keep) -> None:
    keep(SUPERVISED, INNER)
    assert (
        shown(call, "supervises", "--depth", "1")
        == f"""\
Decomposition
  Part 1         ask the clerk
  Part 2         look

Part 1
  Goal           ask the clerk
      Agent          Who?
      Session        {CLERK}
      Iteration 1
      Thought        Hm.
      Action         recall
      Observation    a reader
      Conclusion
      Answer         A reader.
  Finding        A reader.

Iteration 1
  For            part 2
  Action         look
  Observation    Ms Woodhouse

Part 2
  Goal           look
  Finding        Ms Woodhouse.

Synthesis
  Answer         Ms Woodhouse has it.

Graph            Question → Decomposition
                 Decomposition → Iteration 1 → Finding 2
                 Decomposition → Agent clerk → Finding 1
                 Finding 2, Finding 1 → Synthesis
"""
    )
    assert f"{CLERK} (deeper inside, --depth)" in shown(call, "supervises", "--depth", "0")


def test_a_part_whose_agent_is_not_here_says_so_and_one_that_is_not_linked_stands_at_the_decomposition(
    call: Call, keep: Keep
) -> None:
    keep(SUPERVISED)
    assert f"Sub-trace      {CLERK}/final (not here)" in shown(call, "supervises")
    unlinked = session_uri("unlinked")
    keep(Session(unlinked, (Question("And?"),), caller=f"{SUPERVISES}/decompose"))
    decomposition = shown(call, "supervises").partition("Part 1\n")[0]
    assert f"Session        {unlinked}" in decomposition


def test_json_has_all_of_it(call: Call, keep: Keep) -> None:
    keep(PLANNED, SUPERVISED, INNER)
    found = json.loads(call("show", "--format", "json", "plans").stdout)
    assert (found["type"], found["pattern"]) == ("agent", "plan")
    assert found["pattern_decision"] == {"pattern": "plan-then-execute", "task_type": "research"}
    assert found["plan"] == {"goals": ["look", "sum up", "never done"]}
    assert [step["result"] for step in found["steps"]] == ["One book.", None]
    assert found["steps"][1]["error"] == "LookupError: gone"
    (iteration,) = found["iterations"]
    assert iteration["within"] == "step/0"
    assert iteration["candidates"] == ["ask", "look"]
    assert iteration["usage"] == {"model": "rules-1", "input_tokens": 1200, "output_tokens": 80}
    assert found["answer"] == "Emma is."
    found = json.loads(call("show", "--format", "json", "supervises").stdout)
    assert [each["sub_traces"][0]["uri"] for each in found["findings"] if "sub_traces" in each] == [CLERK]


def test_the_list_says_how_agents_work(call: Call, keep: Keep) -> None:
    keep(PLANNED, SUPERVISED, INNER)
    lines = call("list", "--nested").stdout.splitlines()[1:]
    assert sorted(line.split()[1] for line in lines) == ["Agent", "Plan", "Supervisor"]


def test_an_answer_rests_on_results_and_these_on_what_led_to_them(call: Call, keep: Keep) -> None:
    keep(PLANNED, SUPERVISED, INNER)
    assert (
        call("why", "supervises").stdout
        == """\
answer  Ms Woodhouse has it.
├── finding  Ms Woodhouse.
│   ├── observation 1  Ms Woodhouse
│   │   └── call  look()
│   └── goal  look
├── finding  A reader.
│   ├── answer  A reader.
│   │   ├── observation 1  a reader
│   │   │   └── call  recall()
│   │   │       └── thought 1  Hm.
│   │   └── question  Who?
│   └── goal  ask the clerk
└── question  Who has Emma?
"""
    )
    assert call("why", "plans/step/1").stdout.splitlines() == ["result  LookupError: gone", "└── goal  sum up"]
    call("why", "plans/step/9", expect=1)


def test_an_answer_of_a_sub_agent_counts_for_the_supervisor(call: Call, keep: Keep) -> None:
    keep(SUPERVISED, INNER)
    affected = json.loads(call("impact", "clerk", "--json").stdout)
    assert [(each["session"], each["through"]) for each in affected] == [(CLERK, None), (SUPERVISES, CLERK)]
    assert [each["session"] for each in json.loads(call("impact", f"{SUPERVISES}/finding/1", "--json").stdout)] == [
        SUPERVISES
    ]


def test_two_plans_are_compared(call: Call, keep: Keep) -> None:
    other = Session(session_uri("other"), (*PLANNED.steps[:2], Plan(("look",)), StepResult(0, "look", "Two books.")))
    keep(PLANNED, other)
    found = {each["field"] for each in json.loads(call("diff", "plans", "other", "--json").stdout)}
    assert {"plan", "result"} <= found
