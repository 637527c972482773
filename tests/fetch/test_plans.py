"""Plans and delegated work that live in TrustGraph."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from click.testing import Result

from otel_prov.describe import SHAPES, describe
from otel_prov.keep import Store
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

pytest.importorskip("websockets", reason="not installed; pip install 'otel-prov[trustgraph]'")

from .gateway import GatewayOfTests

Call = Callable[..., Result]

PLANS, SUPERVISES, CLERK = session_uri("plans"), session_uri("supervises"), session_uri("clerk")
SESSIONS = [
    Session(
        PLANS,
        (
            Question("What?"),
            PatternDecision("plan-then-execute", "research"),
            Plan(("look", "sum up", "never done")),
            Analysis(1, "Where?", "look", within="step/0", candidates=("look", "ask"), usage=Usage("m", 1200, 80)),
            Observation(1, "a1"),
            StepResult(0, "look", "a"),
            StepResult(1, "sum up", error="gone"),
            Synthesis("so"),
        ),
    ),
    Session(
        SUPERVISES,
        (
            Question("Who?"),
            Decomposition(("ask", "look")),
            Analysis(1, "Where?", "look", within="finding/1"),
            Observation(1, "b1"),
            Finding(0, "ask", "Ann.", sub_trace=f"{CLERK}/final"),
            Finding(1, "look", "Her."),
            Synthesis("Ann"),
        ),
    ),
    Session(CLERK, (Question("ask"), Conclusion("Ann.")), caller=f"{SUPERVISES}/decompose"),
]


def shown(call: Call, *arguments: str) -> dict:
    return dict(json.loads(call("show", "--format", "json", *arguments).stdout))


@pytest.mark.parametrize("reference", [PLANS, SUPERVISES, CLERK])
@pytest.mark.parametrize("shape", SHAPES)
def test_they_are_shown_as_here(call: Call, gateway: GatewayOfTests, folder, reference: str, shape: str) -> None:
    for session in SESSIONS:
        gateway.put(describe(session, shape))
    with Store(folder) as store:
        store.add(replace(session, collection="default", outcome="final") for session in SESSIONS)
    there, here = shown(call, reference, "--from", gateway.url), shown(call, reference)
    for document in (there, here):
        for step in document.get("steps", []):
            step.pop("duration")
    assert there == here


def test_a_step_without_the_one_before_it_is_there_all_the_same(call: Call, gateway: GatewayOfTests) -> None:
    session = Session(PLANS, (Plan(("x", "y")), StepResult(0, "x", "X"), StepResult(1, "y", "Y"), Synthesis("so")))
    gateway.put([quad for quad in describe(session) if quad.subject not in (f"{PLANS}/step/0", PLANS)])
    found = shown(call, PLANS, "--from", gateway.url)
    assert [step["result"] for step in found["steps"]] == ["Y"]
    assert found["answer"] == "so"


def test_the_list_tells_how_agents_work(call: Call, gateway: GatewayOfTests) -> None:
    for session in SESSIONS:
        gateway.put(describe(session))
    listed = json.loads(call("list", "--json", "--from", gateway.url).stdout)
    assert {each["uri"]: (each["type"], each["pattern"], each["outcome"]) for each in listed} == {
        PLANS: ("agent", "plan", "final"),
        SUPERVISES: ("agent", "supervisor", "final"),
    }
    lines = call("list", "--nested", "--from", gateway.url).stdout.splitlines()[1:]
    assert sorted(line.split()[1] for line in lines) == ["Agent", "Plan", "Supervisor"]
