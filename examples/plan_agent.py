"""An agent that makes a plan first, and then carries it out step by step.

    python examples/plan_agent.py
    python examples/plan_agent.py "What is the largest package that rdflib needs, and what is it for?"

It looks at the Python environment that it runs in. The plan is made by rules: no model, no key.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from environment_tools import TOOLS, act

from otel_prov import install, iteration, plan, trace_agent

QUESTION = "What is the largest package that rich needs, and what is it for?"


@trace_agent(name="plan-agent", pattern="plan-then-execute", tools=TOOLS)
def answer(question: str) -> str:
    """Each step works on what the one before it came to."""
    found: Any = question
    for step in plan(STEPS):  # the plan is on disk before the first step begins
        with step:  # what happens in here is for this step
            found = STEPS[step.goal](found)
            step.record(found)
    return str(found)  # the answer


def needs(question: str) -> list[str]:
    """The packages that the one in question needs."""
    package = question.partition(" needs")[0].rpartition(" ")[2]
    found = observed("Its metadata say what it needs.", "look_up", {"package": package, "field": "needs"})
    if not isinstance(found, list) or not found:
        raise LookupError(f"Nothing is known of what {package} needs.")
    return [name.partition(" if ")[0] for name in found]


def largest(packages: list[str]) -> str:
    """The one that takes the most bytes on disk."""
    sizes = observed("How large are they all?", "survey", {"field": "bytes"})
    return max(packages, key=lambda package: int(sizes.get(package, 0)))


def purpose(package: str) -> str:
    """What a package says of itself."""
    summary = observed("Its metadata have a summary.", "look_up", {"package": package, "field": "summary"})
    return f"{package}: {summary}"


def observed(thought: str, action: str, arguments: dict[str, Any]) -> Any:
    """One iteration: think, use a tool, see what comes back."""
    with iteration() as cycle:
        cycle.record(thought=thought, action=action, arguments=arguments)
        observation = act(action, arguments)
        cycle.record(observation=observation)
    return observation


STEPS: dict[str, Callable[[Any], Any]] = {
    "Find out what the package needs.": needs,
    "Find the largest of these.": largest,
    "Find out what that one is for.": purpose,
}
"""What each step is to achieve, and how."""

if __name__ == "__main__":
    install()
    try:
        print(answer(" ".join(sys.argv[1:]) or QUESTION))
    except LookupError as error:  # the step that failed, and the session, tell of it
        print(error)
    print("\nBy which plan? Run:\n    otel-prov show latest")
