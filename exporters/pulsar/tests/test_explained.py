"""What TrustGraph's own command line makes of sessions that are no straight line: its code, over what we send."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from otel_prov.describe import Literal, Quad, QuotedTriple, describe, recognise
from otel_prov.names import DOCUMENT_RAG, GRAPH_RAG, session_uri
from otel_prov.steps import (
    Analysis,
    Conclusion,
    Exploration,
    Focus,
    Grounding,
    Observation,
    Question,
    Selection,
    Session,
    Step,
    Synthesis,
    Triple,
)
from tests.describe.strategies import retrievals, sessions
from tests.integration.explained import Explained, as_sent, backwards, bodies, by_name
from trustgraph.base.async_pulsar_backend import PulsarMessage
from trustgraph.schema import Triples

from otel_prov_exporter_pulsar.literals import storable

STARTED = datetime(2026, 1, 1, tzinfo=timezone.utc)
BROKER_TAKES = 5 * 1024 * 1024

orders = pytest.mark.parametrize("order", [as_sent, by_name, backwards], ids=["as sent", "by name", "backwards"])
Order = Callable[[str], Any]


def agent(*calls: int, answer: str | None = "the answer") -> Session:
    """A session whose iterations make so many calls each."""
    steps: list[Step] = [Question("Why?", STARTED)]
    for number, several in enumerate(calls, start=1):
        steps.append(Analysis(number, f"thought {number}", f"act {number}", "{}"))
        steps += [Observation(number, f"seen {number}.{k}", call=k) for k in range(1, several + 1)]
    return Session(session_uri("dag"), (*steps, Conclusion(answer)))


def printed(session: Session, order: Order) -> list[str]:
    """Actions, observations and the answer, in the order of printing."""
    shown = Explained(session, order=order).shown(session.uri)
    return re.findall(r"act \d+|seen \d+\.\d+|the answer", shown)


@orders
@pytest.mark.parametrize("calls", [(1, 1), (3,), (3, 1, 2), (20,), (20, 20), (1,) * 20], ids=str)
def test_parallel_calls_are_printed_whole_once_and_in_their_order(calls: tuple[int, ...], order: Order) -> None:
    expected = []
    for number, several in enumerate(calls, start=1):
        expected += [f"act {number}", *(f"seen {number}.{k}" for k in range(1, several + 1))]
    assert printed(agent(*calls), order) == [*expected, "the answer"]


@orders
def test_calls_that_came_back_with_nothing_hide_none(order: Order) -> None:
    told = agent(4)
    steps = [Observation(1, call=step.call) if getattr(step, "call", 0) in (1, 3) else step for step in told.steps]
    assert printed(Session(told.uri, tuple(steps)), order) == ["act 1", "seen 1.2", "seen 1.4", "the answer"]


@orders
def test_of_two_hundred_parallel_calls_some_forty_are_printed_and_the_answer_is(order: Order) -> None:
    found = printed(agent(200, 1), order)
    assert {"act 2", "seen 2.1", "the answer"} <= set(found)
    assert len(found) == len(set(found))
    assert {f"seen 1.{k}" for k in range(1, 41)} <= set(found)


def test_it_still_answers_for_what_is_very_long() -> None:
    store = Explained(agent(*(1,) * 1_000))
    assert "act 24" in store.shown(session_uri("dag"))
    assert store.asked < 1_000, "it follows fifty derivations, and asks no more than that"


def nested(levels: int) -> list[Session]:
    """Agents inside of agents."""
    made = []
    for level in range(levels):
        uri, inner = session_uri(f"level-{level}"), session_uri(f"level-{level + 1}")
        seen = Observation(1, f"seen at {level}", sub_trace=f"{inner}/final" if level + 1 < levels else None)
        steps = (Question(f"asked at {level}", STARTED), Analysis(1, None, "delegate", "{}"), seen, Conclusion("so"))
        made.append(Session(uri, steps, caller=f"{session_uri(f'level-{level - 1}')}/i1" if level else None))
    return made


def test_agents_inside_of_agents_are_shown_one_by_one_and_the_outermost_is_listed() -> None:
    told = nested(50)
    store = Explained(*told)
    for level, session in enumerate(told):
        shown = store.shown(session.uri)
        assert shown.count("seen at ") == 1
        assert f"seen at {level}" in shown
    assert store.listed() == [told[0].uri]


def retrieved(kind: str, selected: int) -> Session:
    """A retrieval that found ten times as many as it selected."""
    edges = [Triple(f"urn:n:{i}", "urn:leads-to", f"urn:n:{i + 1}") for i in range(selected)]
    chosen = [
        Selection(edge, None, "concept", 0.5, f"reason {i}")
        if kind == GRAPH_RAG
        else Selection(None, f"urn:chunk:{i}", "concept", 0.5, f"reason {i}")
        for i, edge in enumerate(edges)
    ]
    found = Exploration(
        10 * selected, tuple(e.subject for e in edges), 10 * selected, tuple(f"c{i}" for i in range(99))
    )
    steps = (Question("Where?", STARTED), Grounding(("concept",)), found, Focus(tuple(chosen)), Synthesis("There."))
    return Session(session_uri("rag", kind), steps, kind=kind)


@pytest.mark.parametrize("kind", [GRAPH_RAG, DOCUMENT_RAG])
def test_a_large_retrieval_is_shown(kind: str) -> None:
    session = retrieved(kind, 1_000)
    shown = Explained(session).shown(session.uri)
    assert "Where?" in shown
    assert "There." in shown


@pytest.mark.parametrize(
    "told",
    [
        [agent(*(1,) * 1_000, answer="x" * 8_000_000)],
        [agent(200)],
        nested(50),
        [retrieved(GRAPH_RAG, 10_000)],
        [retrieved(DOCUMENT_RAG, 10_000)],
    ],
    ids=["1,000 iterations", "200 parallel calls", "50 levels", "10,000 edges", "10,000 chunks"],
)
def test_no_message_is_larger_than_brokers_take(told: list[Session]) -> None:
    assert max(len(body) for session in told for body in bodies(session)) < BROKER_TAKES


def test_a_use_of_several_iterations_is_printed_for_each_and_detected_ones_change_nothing() -> None:
    told = agent(1, 1, 1)
    uses = [*told.steps[:-1], Conclusion("the answer", detected=(1, 2))]
    assert printed(Session(told.uri, tuple(uses)), as_sent) == printed(told, as_sent)
    uses[-1] = Conclusion("the answer", uses=(1, 3))
    assert printed(Session(told.uri, tuple(uses)), as_sent).count("the answer") == 2


def quad(triple: Any) -> Quad:
    """A triple as TrustGraph decodes it."""
    return Quad(term(triple.s), term(triple.p), term(triple.o), triple.g or "")


def term(of: Any) -> Any:
    if of.type == "t":
        return QuotedTriple(term(of.triple.s), term(of.triple.p), term(of.triple.o))
    return of.iri if of.type == "i" else Literal(of.value, of.datatype, of.language)


@settings(deadline=None, max_examples=60)
@given(st.lists(sessions("trustgraph") | retrievals(), max_size=3, unique_by=lambda each: each.uri))
def test_decoded_by_trustgraph_any_sessions_are_what_was_sent(told: list[Session]) -> None:
    sent = {each for session in told for each in storable(describe(session))}
    messages = [PulsarMessage(Received(body), Triples).value() for session in told for body in bodies(session)]
    arrived = [quad(triple) for message in messages for triple in message.triples]
    assert set(arrived) == sent
    assert {each.uri: each for each in recognise(arrived)} == {each.uri: each for each in recognise(sent)}
    assert {each.uri for each in recognise(arrived)} == {each.uri for each in told}
    if not any("\0" in each.text for session in told for each in literals(session)):
        assert {each.uri: each for each in recognise(arrived)} == {each.uri: each for each in told}
    Explained(*told)


def literals(session: Session) -> list[Literal]:
    found = [each.object for each in describe(session)]
    found += [each.object for each in found if isinstance(each, QuotedTriple)]
    return [each for each in found if isinstance(each, Literal)]


class Received:
    """As much of Pulsar's message as trustgraph-base reads."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def data(self) -> bytes:
        return self._body
