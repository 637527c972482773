"""Plans and delegated work in real TrustGraph: its own, unmodified programs show each part once, and in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

import pytest
from conftest import grouped
from otel_prov.fetch import opened
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
    Step,
    StepResult,
    Synthesis,
    Usage,
)
from tests.integration.servers.process import until
from tests.integration.servers.trustgraph import TrustGraph

pytestmark = pytest.mark.integration

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)


def turn(number: int, within: str | None = None) -> tuple[Step, Step]:
    usage = Usage("rules-1", 1200 + number, 80)
    analysis = Analysis(number, f"t{number}", f"tool-{number}", "{}", within=within, candidates=("a", "b"), usage=usage)
    return analysis, Observation(number, f"seen {number}")


PLANNED = Session(
    session_uri("planned"),
    (
        Question("How is pump 7?", NOON),
        PatternDecision("plan-then-execute", "research"),
        Plan(("read the log", "ask the clerk", "weigh it")),
        *(step for number in range(1, 13) for step in turn(number, f"step/{0 if number < 5 else 2}")),
        StepResult(0, "read the log", "It stopped."),
        StepResult(1, "ask the clerk", "It was repaired."),
        StepResult(2, "weigh it", "It runs again."),
        Synthesis("Pump 7 is well."),
    ),
    outcome="final",
)
CLERK = Session(
    session_uri("clerk"),
    (Question("Who knows?", NOON), *turn(1), Conclusion("Ann does.")),
    caller=f"{session_uri('supervised')}/decompose",
    outcome="final",
)
SUPERVISED = Session(
    session_uri("supervised"),
    (
        Question("Who repaired it?", NOON),
        Decomposition(("who knows", "what the log says")),
        *turn(1, "finding/1"),
        Finding(0, "who knows", "Ann knows.", sub_trace=f"{CLERK.uri}/final"),
        Finding(1, "what the log says", "Ann was there."),
        Synthesis("Ann did."),
    ),
    outcome="final",
)


@pytest.fixture
def told(trustgraph_cassandra: TrustGraph, sender: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> TrustGraph:
    """A TrustGraph that has been told of all three; told twice, it knows no more."""
    server = trustgraph_cassandra
    target = sender(server.broker.url, librarian_endpoint=server.gateway, librarian_token=server.token)
    parcels = [p for i, each in enumerate((PLANNED, SUPERVISED, CLERK)) for p in grouped(each, 9001 + 100 * i)]
    assert target.send(parcels) == [None] * len(parcels)
    until("all is stored", lambda: server.backlog() == 0, 120)
    monkeypatch.setenv("TRUSTGRAPH_TOKEN", server.token)
    return server


def test_its_own_programs_show_each_part_once_and_in_order_and_all_is_read_back_equal(told: TrustGraph) -> None:
    listed = told.tool("tg-list-explain-traces", "--limit", "200")
    assert PLANNED.uri in listed
    assert SUPERVISED.uri in listed
    assert CLERK.uri not in listed, "it ran inside of another one"

    shown = told.tool("tg-show-explain-trace", PLANNED.uri)
    lines = [line.strip() for line in shown.splitlines() if line.startswith(("  ", "---", "Step:", "Plan with"))]
    expected = ["--- Plan ---", "Plan with 3 steps:", "0: ask the clerk", "1: read the log", "2: weigh it"]
    for number in range(1, 13):
        expected += ["--- Analysis ---", f"Action: tool-{number}", "Arguments:", "{}"]
        expected += ["--- Observation ---", f"seen {number}"]
        if number == 4:
            expected += ["--- Step Result ---", "Step: read the log", "It stopped."]
            expected += ["--- Step Result ---", "Step: ask the clerk", "It was repaired."]
    expected += ["--- Step Result ---", "Step: weigh it", "It runs again.", "--- Synthesis ---", "Pump 7 is well."]
    assert lines == expected

    shown = told.tool("tg-show-explain-trace", SUPERVISED.uri)
    lines = [line.strip() for line in shown.splitlines() if line.startswith(("  ", "---", "Goal:"))]
    assert lines == [
        *["--- Decomposition ---", "0: what the log says", "1: who knows"],
        *["--- Finding ---", "Goal: who knows", "Ann knows."],
        *["--- Analysis ---", "Action: tool-1", "Arguments:", "{}", "--- Observation ---", "seen 1"],
        *["--- Finding ---", "Goal: what the log says", "Ann was there."],
        *["--- Synthesis ---", "Ann did."],
    ]

    with opened(told.gateway) as there:
        for session in (PLANNED, SUPERVISED, CLERK):
            assert there.session(session.uri) == replace(session, collection="default")
        assert there.inside(SUPERVISED.uri) == [CLERK.uri]
        patterns = {each.uri: each.pattern for each in there.sessions(limit=None)}
    assert (patterns[PLANNED.uri], patterns[SUPERVISED.uri], patterns[CLERK.uri]) == ("plan", "supervisor", None)
