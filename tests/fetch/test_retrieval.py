"""Retrievals that live in TrustGraph, alone and inside of agents' tool calls."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from click.testing import Result

from otel_prov.describe import Literal, Quad, describe
from otel_prov.describe.vocabulary import RDFS_LABEL
from otel_prov.keep import Store
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
    Synthesis,
    Text,
    Triple,
)

pytest.importorskip("websockets", reason="not installed; pip install 'otel-prov[trustgraph]'")

from .gateway import GatewayOfTests

Call = Callable[..., Result]

OUTER, INNER = session_uri("outer"), session_uri("inner")
GRAPH, DOCUMENTS = session_uri("r", GRAPH_RAG), session_uri("d", DOCUMENT_RAG)
LAST = ("urn:trustgraph:prov:synthesis:r", f"{DOCUMENTS}/synthesis", f"{INNER}/final")
EDGES = (Selection(Triple("urn:a", "needs", Text("c", language="en")), None, "a", 0.5, "why"),)
SESSIONS = [
    Session(
        OUTER,
        (
            Question("What?"),
            *(
                step
                for number, last in enumerate(LAST, 1)
                for step in (Analysis(number, action="ask"), Observation(number, f"a{number}", sub_trace=last))
            ),
            Analysis(4, action="look"),
            Observation(4, "a4"),
            Conclusion("so"),
        ),
    ),
    Session(
        GRAPH,
        (Question("Which?"), Grounding(("a",)), Exploration(3, ("urn:a",)), Focus(EDGES), Synthesis("a1")),
        kind=GRAPH_RAG,
        caller=f"{OUTER}/i1",
    ),
    Session(
        DOCUMENTS,
        (
            Question("Where?"),
            Grounding(("a",)),
            Exploration(chunks=2, chunk_ids=("c1", "urn:c2")),
            Focus((Selection(chunk="urn:c2", score=0.5),)),
            Synthesis("a2"),
        ),
        kind=DOCUMENT_RAG,
        caller=f"{OUTER}/i2",
    ),
    Session(INNER, (Question("Deep?"), Conclusion("a3")), caller=f"{OUTER}/i3"),
]


def shown(call: Call, *arguments: str) -> dict:
    return dict(json.loads(call("show", "--format", "json", *arguments).stdout))


@pytest.mark.parametrize("reference", [OUTER, GRAPH, DOCUMENTS, INNER])
@pytest.mark.parametrize("forgetful", [False, True])
def test_they_are_shown_as_here(call: Call, gateway: GatewayOfTests, folder, reference: str, forgetful: bool) -> None:
    sessions = SESSIONS if not forgetful else [_without_edges(session) for session in SESSIONS]
    gateway.forgetful = forgetful
    for session in sessions:
        gateway.put(describe(session))
    with Store(folder) as store:
        store.add(replace(session, collection="default", outcome="final") for session in sessions)
    assert shown(call, reference, "--from", gateway.url) == shown(call, reference)


def _without_edges(session: Session) -> Session:
    """FalkorDB keeps no quoted triples."""
    focus = Focus((replace(EDGES[0], edge=None),))
    return replace(session, steps=tuple(focus if step == Focus(EDGES) else step for step in session.steps))


def test_the_list_leaves_out_what_ran_inside_of_others_unless_told(call: Call, gateway: GatewayOfTests) -> None:
    alone = replace(SESSIONS[2], uri=session_uri("alone", DOCUMENT_RAG), caller=None)
    for session in (*SESSIONS, alone):
        gateway.put(describe(session))
    listed = json.loads(call("list", "--json", "--from", gateway.url).stdout)
    assert {each["uri"]: each["type"] for each in listed} == {OUTER: "agent", alone.uri: DOCUMENT_RAG}
    listed = json.loads(call("list", "--nested", "--json", "--from", gateway.url).stdout)
    assert {each["uri"] for each in listed} == {alone.uri, *(session.uri for session in SESSIONS)}


def test_terms_are_called_by_the_labels_that_trustgraph_has(call: Call, gateway: GatewayOfTests) -> None:
    for session in SESSIONS:
        gateway.put(describe(session))
    gateway.put([Quad("urn:a", RDFS_LABEL, Literal("pump 7"))])
    shown = call("show", GRAPH, "--from", gateway.url).stdout.splitlines()
    assert "  Selected       pump 7 → needs → c  (a, 0.5)" in shown
    assert "  Starting from  pump 7" in shown
