"""Plans and delegated work in the graph: as TrustGraph's own builders make them, in the order of its client."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from otel_prov.describe import SHAPES, Literal, Quad, describe, recognise
from otel_prov.names import GRAPH_RAG, session_uri
from otel_prov.steps import (
    Analysis,
    Conclusion,
    Decomposition,
    Exploration,
    Finding,
    Focus,
    Grounding,
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

from .told import S, told

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
CLERK = session_uri("clerk")
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def turn(number: int, within: str | None = None, **told: Any) -> tuple[Step, Step]:
    """An iteration with what it saw."""
    return Analysis(number, f"I try {number}.", f"tool-{number}", "{}", within=within, **told), Observation(
        number, f"seen {number}"
    )


PLANNED = Session(
    S,
    (
        Question("Which pump failed?", NOON),
        PatternDecision("plan-then-execute", "research"),
        Plan(("read the log", "ask the clerk", "sum up")),
        Analysis(
            1,
            "Where?",
            "read",
            '{"day": 3}',
            within="step/0",
            candidates=("ask", "read"),
            usage=Usage("rules-1", 1200, 80),
            started=at(1),
            ended=at(1.25),
            thinking_ms=250,
        ),
        Observation(1, "P-7 stopped.", started=at(1.25), ended=at(1.5), acting_ms=250),
        *turn(2, "step/0"),
        *turn(3, "step/2"),
        StepResult(0, "read the log", "P-7", started=at(1), ended=at(2)),
        StepResult(1, "ask the clerk", error="nobody there", started=at(2), ended=at(3)),
        StepResult(2, "sum up", "P-7 it is.", started=at(3), ended=at(4)),
        Synthesis("P-7"),
    ),
    outcome="final",
)
DELEGATED = Session(
    S,
    (
        Question("Which pump failed?", NOON),
        Decomposition(("who knows", "what does the log say")),
        *turn(1, "finding/1"),
        Finding(0, "who knows", "The clerk.", sub_trace=f"{CLERK}/final"),
        Finding(1, "what does the log say", "P-7."),
        Synthesis("P-7"),
    ),
    outcome="final",
)
SUB_AGENT = Session(
    CLERK, (Question("who knows", NOON), *turn(1), Conclusion("The clerk.")), caller=f"{S}/decompose", outcome="final"
)


# As TrustGraph's builders make them ------------------------------------------------------------------------------


@pytest.fixture
def make() -> Any:
    """TrustGraph's own builders."""
    pytest.importorskip("trustgraph.provenance", reason="not installed; pip install trustgraph-base==2.11.1")
    from trustgraph.provenance import agent

    return agent


def plain(triples: Iterable[Any]) -> set[Quad]:
    """What a builder has made, as quads."""
    return {
        Quad(each.s.iri, each.p.iri, each.o.iri or Literal(each.o.value), "urn:graph:retrieval") for each in triples
    }


def test_a_plan_is_what_trustgraphs_own_builders_make_of_it_and_what_is_added_on_purpose(make: Any) -> None:
    usage = {"in_token": 1200, "out_token": 80, "model": "rules-1"}
    built = plain(
        [
            *make.agent_session_triples(S, "Which pump failed?", "2026-01-01T12:00:00.000000Z"),
            *make.agent_pattern_decision_triples(f"{S}/pattern-decision", S, "plan-then-execute", "research"),
            *make.agent_plan_triples(f"{S}/plan", S, ["read the log", "ask the clerk", "sum up"]),
            *make.agent_iteration_triples(
                f"{S}/i1",
                previous_uri=f"{S}/plan",
                action="read",
                arguments={"day": 3},
                thought_uri=f"{S}/i1/thought",
                thought_document_id=f"{S}/i1/thought",
                tool_candidates=["ask", "read"],
                step_number=1,
                llm_duration_ms=250,
                **usage,
            ),
            *make.agent_observation_triples(f"{S}/i1/observation", f"{S}/i1", f"{S}/i1/observation", 250),
            *make.agent_iteration_triples(
                f"{S}/i2",
                previous_uri=f"{S}/i1/observation",
                action="tool-2",
                thought_uri=f"{S}/i2/thought",
                thought_document_id=f"{S}/i2/thought",
                step_number=2,
            ),
            *make.agent_observation_triples(f"{S}/i2/observation", f"{S}/i2", f"{S}/i2/observation"),
            *make.agent_step_result_triples(f"{S}/step/0", f"{S}/i2/observation", "read the log", f"{S}/step/0/doc"),
            *make.agent_step_result_triples(f"{S}/step/1", f"{S}/step/0", "ask the clerk"),
            *make.agent_iteration_triples(
                f"{S}/i3",
                previous_uri=f"{S}/step/1",
                action="tool-3",
                thought_uri=f"{S}/i3/thought",
                thought_document_id=f"{S}/i3/thought",
                step_number=3,
            ),
            *make.agent_observation_triples(f"{S}/i3/observation", f"{S}/i3", f"{S}/i3/observation"),
            *make.agent_step_result_triples(f"{S}/step/2", f"{S}/i3/observation", "sum up", f"{S}/step/2/doc"),
            *make.agent_synthesis_triples(f"{S}/synthesis", f"{S}/step/2", f"{S}/synthesis/doc", "plan-complete"),
        ]
    )
    assert set(describe(PLANNED)) >= built
    assert set(describe(PLANNED)) - built == set(
        told("""
        S/i1              dcterms:isPartOf  S/step/0
        S/i2              dcterms:isPartOf  S/step/0
        S/i3              dcterms:isPartOf  S/step/2
        S/step/0          dcterms:isPartOf  S/plan
        S/step/1          dcterms:isPartOf  S/plan
        S/step/2          dcterms:isPartOf  S/plan
        S/step/1          rdf:type          tg:Error
        S/step/1          tg:toolError      "nobody there"
        S/i1/thought      tg:content        "Where?"
        S/i2/thought      tg:content        "I try 2."
        S/i3/thought      tg:content        "I try 3."
        S/i1/observation  tg:content        "P-7 stopped."
        S/i2/observation  tg:content        "seen 2"
        S/i3/observation  tg:content        "seen 3"
        S/step/0          tg:content        "P-7"
        S/step/2          tg:content        "P-7 it is."
        S/synthesis       tg:content        "P-7"
    """)
    )


def test_delegated_work_is_what_trustgraphs_own_builders_make_of_it_and_what_is_added(make: Any) -> None:
    built = plain(
        [
            *make.agent_session_triples(S, "Which pump failed?", "2026-01-01T12:00:00.000000Z"),
            *make.agent_decomposition_triples(f"{S}/decompose", S, ["who knows", "what does the log say"]),
            *make.agent_iteration_triples(
                f"{S}/i1",
                previous_uri=f"{S}/decompose",
                action="tool-1",
                thought_uri=f"{S}/i1/thought",
                thought_document_id=f"{S}/i1/thought",
                step_number=1,
            ),
            *make.agent_observation_triples(f"{S}/i1/observation", f"{S}/i1", f"{S}/i1/observation"),
            *make.agent_finding_triples(f"{S}/finding/0", f"{CLERK}/final", "who knows", f"{S}/finding/0/doc"),
            *make.agent_finding_triples(
                f"{S}/finding/1", f"{S}/i1/observation", "what does the log say", f"{S}/finding/1/doc"
            ),
            *make.agent_synthesis_triples(
                f"{S}/synthesis", f"{S}/finding/1", f"{S}/synthesis/doc", "subagents-complete"
            ),
        ]
    )
    assert set(describe(DELEGATED)) >= built
    assert set(describe(DELEGATED)) - built == set(
        told("""
        S/i1              dcterms:isPartOf      S/finding/1
        S/finding/0       dcterms:isPartOf      S/decompose
        S/finding/1       dcterms:isPartOf      S/decompose
        S/finding/0       prov:wasDerivedFrom   S/decompose
        S/synthesis       prov:wasInfluencedBy  S/finding/0
        S/i1/thought      tg:content            "I try 1."
        S/i1/observation  tg:content            "seen 1"
        S/finding/0       tg:content            "The clerk."
        S/finding/1       tg:content            "P-7."
        S/synthesis       tg:content            "P-7"
    """)
    )


def test_what_trustgraphs_orchestrator_writes_of_a_plan_reads_well(make: Any) -> None:
    built = plain(
        [
            *make.agent_session_triples(S, "Which?", "2026-01-01T12:00:00Z"),
            *make.agent_pattern_decision_triples(f"{S}/pattern-decision", S, "plan-then-execute"),
            *make.agent_plan_triples(f"{S}/plan", S, ["b first", "a second", "never done"]),
            *make.agent_step_result_triples(f"{S}/step/0", f"{S}/plan", "b first", f"{S}/step/0/doc", 7, 8, "m"),
            *make.agent_step_result_triples(f"{S}/step/1", f"{S}/plan", "a second", f"{S}/step/1/doc"),
            *make.agent_synthesis_triples(f"{S}/synthesis", f"{S}/step/1", f"{S}/synthesis/doc", "plan-complete"),
        ]
    )
    (session,) = recognise(built)
    assert session.steps == (
        Question("Which?", NOON),
        PatternDecision("plan-then-execute"),
        Plan(("b first", "a second", "never done")),
        StepResult(0, "b first"),
        StepResult(1, "a second"),
        Synthesis(),
    )


def test_what_trustgraphs_orchestrator_writes_of_a_supervisor_reads_well(make: Any) -> None:
    built = plain(
        [
            *make.agent_session_triples(S, "Which?", "2026-01-01T12:00:00Z"),
            *make.agent_decomposition_triples(f"{S}/decompose", S, ["one", "two"]),
            *make.agent_session_triples(CLERK, "one", "2026-01-01T12:00:01Z", f"{S}/decompose"),
            *make.agent_final_triples(f"{CLERK}/final", CLERK, document_id=f"{CLERK}/answer"),
            *make.agent_finding_triples(f"{S}/finding/0", f"{CLERK}/final", "one", f"{S}/finding/0/doc"),
            *make.agent_finding_triples(f"{S}/finding/1", f"{S}/decompose", "two", f"{S}/finding/1/doc"),
            *make.agent_synthesis_triples(f"{S}/synthesis", [f"{S}/finding/0", f"{S}/finding/1"]),
        ]
    )
    supervisor, clerk = recognise(built)
    assert supervisor.steps == (
        Question("Which?", NOON),
        Decomposition(("one", "two")),
        Finding(0, "one", sub_trace=f"{CLERK}/final"),
        Finding(1, "two"),
        Synthesis(),
    )
    assert (clerk.uri, clerk.caller, clerk.steps[-1]) == (CLERK, f"{S}/decompose", Conclusion())


# As TrustGraph's client follows them -----------------------------------------------------------------------------


class Flow:
    """A store that answers in the order of Cassandra's, which is that of IRIs."""

    def __init__(self, quads: Iterable[Quad]) -> None:
        self._quads = sorted({quad[:3] for quad in quads if isinstance(quad.object, str | Literal)}, key=repr)

    def triples_query(
        self, s: str | None = None, p: str | None = None, o: str | None = None, limit: int = 100, **others: Any
    ) -> Sequence[dict[str, Any]]:
        wanted = [
            quad
            for quad in self._quads
            if s in (None, quad[0])
            if p in (None, quad[1])
            if o in (None, quad[2] if isinstance(quad[2], str) else quad[2].text)
        ]
        return [dict(zip("spo", map(self._term, quad), strict=True)) for quad in wanted[:limit]]

    @staticmethod
    def _term(term: str | Literal) -> dict[str, str]:
        return {"t": "i", "i": term} if isinstance(term, str) else {"t": "l", "v": term.text}


def followed(*sessions: Session) -> list[str]:
    """The steps of the first session, in the order in which TrustGraph's command line prints them."""
    base = pytest.importorskip("trustgraph.provenance", reason="not installed; pip install trustgraph-base==2.11.1")
    alone = ModuleType("trustgraph_api_alone")  # its own __init__ needs more than the client does
    alone.__path__ = [str(Path(base.__file__).parents[1] / "api")]
    sys.modules[alone.__name__] = alone
    client = importlib.import_module(f"{alone.__name__}.explainability").ExplainabilityClient
    flow = Flow(quad for session in sessions for quad in describe(session))
    trace = client(flow, retry_delay=0).fetch_agent_trace(sessions[0].uri)
    steps = [step["question"].uri if isinstance(step, dict) else step.uri for step in trace["steps"]]
    return [uri.removeprefix(f"{S}/") for uri in steps]


def test_each_step_of_a_plan_is_printed_once_in_the_order_of_what_happened() -> None:
    turns = [turn(number, f"step/{(number - 1) // 4}") for number in range(1, 13)]
    results = [StepResult(index, f"goal {index}", "done") for index in range(3)]
    session = Session(
        S, (Question("?"), Plan(("x", "y", "z")), *(step for two in turns for step in two), *results, Synthesis("!"))
    )
    expected = ["plan"]
    for number in range(1, 13):
        expected += [f"i{number}", f"i{number}/observation"] + ([f"step/{number // 4 - 1}"] * (number % 4 == 0))
    assert followed(session) == [*expected, "synthesis"]


def test_each_finding_is_printed_once_and_the_answer_last() -> None:
    retrieval = Session(
        session_uri("7", GRAPH_RAG),
        (Question("where?"), Grounding(("x",)), Exploration(edges=1), Focus(), Synthesis("here")),
        kind=GRAPH_RAG,
        caller=f"{S}/decompose",
    )
    findings = (
        Finding(0, "who knows", "The clerk.", sub_trace=f"{CLERK}/final"),
        Finding(1, "where", "Here.", sub_trace="urn:trustgraph:prov:synthesis:7"),
        Finding(2, "what", "P-7."),
        Finding(3, "by nobody that was traced", "It."),
    )
    session = Session(
        S, (Question("?"), Decomposition(("a", "b", "c", "d")), *turn(1, "finding/2"), *findings, Synthesis("!"))
    )
    assert followed(session, SUB_AGENT, retrieval) == [
        "decompose",
        "finding/0",
        "finding/3",
        "i1",
        "i1/observation",
        "finding/2",
        retrieval.uri,
        "finding/1",
        "synthesis",
    ]


def test_iterations_before_between_and_after_steps_are_printed_once() -> None:
    session = Session(
        S,
        (
            Question("?"),
            Plan(("x", "y")),
            *turn(1),
            *turn(2, "step/0"),
            *turn(3, "step/1"),
            *turn(4),
            StepResult(0, "x", "done"),
            StepResult(1, "y", "done"),
            Synthesis("!"),
        ),
    )
    found = followed(session)
    assert len(found) == len(set(found)) == 12
    assert found[2:] == [
        "plan",
        *["i2", "i2/observation", "step/0", "i3", "i3/observation", "step/1", "i4", "i4/observation", "synthesis"],
    ]


# What they derive from, and where that ends ----------------------------------------------------------------------


def derived(session: Session, node: str) -> set[str]:
    return {
        str(quad.object).removeprefix(f"{S}/")
        for quad in describe(session)
        if quad.subject == f"{S}/{node}" and quad.predicate.endswith("wasDerivedFrom")
    }


def test_steps_that_were_done_side_by_side_derive_from_the_plan() -> None:
    results = [StepResult(index, "x", "done", started=at(1), ended=at(3 + index)) for index in range(2)]
    first, second = (Analysis(number, started=at(2), within=f"step/{number - 1}") for number in (1, 2))
    session = Session(S, (Plan(("x", "x")), first, second, *results))
    assert derived(session, "i1") == derived(session, "i2") == {"plan"}


def test_parts_that_are_worked_on_at_the_same_time_are_lines_of_their_own() -> None:
    session = Session(
        S, (Decomposition(("x", "y")), *turn(1, "finding/0"), *turn(2, "finding/1"), *turn(3, "finding/0"))
    )
    assert [derived(session, f"i{number}") for number in (1, 2, 3)] == [
        {"decompose"},
        {"decompose"},
        {"i1/observation"},
    ]
    assert recognise(describe(session)) == [session]


def test_what_was_told_to_have_been_used_counts_within_a_step_too() -> None:
    session = Session(
        S,
        (Plan(("x", "y")), *turn(1, "step/0"), *turn(2, "step/0"), *turn(3, "step/1", uses=(1, 2)), *turn(4, uses=())),
    )
    assert derived(session, "i3") == {"i1/observation", "i2/observation"}
    assert derived(session, "i4") == {S}
    assert recognise(describe(session)) == [session]


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        ("error", "error"),
        ("max_iterations", "max-iterations"),
        ("cancelled", "cancelled"),
        ("abandoned", "abandoned"),
        ("running", None),
        (None, None),
    ],
)
def test_a_session_without_an_answer_tells_itself_why_it_ended(outcome: str | None, reason: str | None) -> None:
    session = Session(S, (Question("?"), *turn(1)), outcome=outcome)
    expected = [] if reason is None else told(f'S tg:terminationReason "{reason}"')
    assert [quad for quad in describe(session) if quad.predicate.endswith("terminationReason")] == expected


def test_an_answer_tells_why_the_agent_stopped() -> None:
    session = Session(S, (Question("?"), Conclusion("!")), outcome="final")
    assert told('S/final tg:terminationReason "final-answer"')[0] in describe(session)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_order_of_goals_and_what_was_not_recorded_come_back(shape: str) -> None:
    session = Session(S, (Plan(("b", None, "a", "b")), StepResult(2, "a", "done"), StepResult(3, "another by then")))
    assert recognise(describe(session, shape)) == [session]


def test_the_specifications_know_no_lengths_of_time_nor_reasons() -> None:
    for shape in ("agent-session", "question-analysis"):
        said = {quad.predicate.rpartition("/")[2] for quad in describe(PLANNED, shape)}
        assert said.isdisjoint({"stepNumber", "llmDurationMs", "toolDurationMs", "terminationReason", "content"})
        assert {"toolCandidate", "inToken", "outToken", "llmModel", "planStep"} <= said


def test_a_step_that_has_not_been_done_has_no_type_by_which_it_would_be_shown() -> None:
    session = Session(S, (Plan(("x", "y")), StepResult(0, "x", "done")))
    assert {quad.subject for quad in describe(session) if quad.predicate == TYPE} == {f"{S}/plan", f"{S}/step/0"}
