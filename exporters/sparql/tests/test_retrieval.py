"""Retrievals in a SPARQL store: sent and read back, by themselves and inside of a session."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any, cast

import pytest
import rdflib
from otel_prov.describe import Literal, Quad, QuotedTriple, describe
from otel_prov.describe import vocabulary as v
from otel_prov.describe.pattern import Pattern
from otel_prov.fetch import FetchError
from otel_prov.names import GRAPH_RAG, session_uri
from otel_prov.steps import (
    Analysis,
    Conclusion,
    Decomposition,
    Exploration,
    Finding,
    Focus,
    Observation,
    Plan,
    Question,
    Selection,
    Session,
    StepResult,
    Synthesis,
    Triple,
    Usage,
)

from otel_prov_exporter_sparql.client import Client, Row
from otel_prov_exporter_sparql.source import SparqlSource
from otel_prov_exporter_sparql.statements import insert, statements

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
OUTER = Session(
    session_uri("1"),
    (
        Question("What now?", NOON),
        Analysis(1, None, "ask"),
        Observation(1, "In the hall.", sub_trace="urn:trustgraph:prov:synthesis:7"),
        Conclusion("Go to the hall."),
    ),
    outcome="final",
)
INNER = Session(
    session_uri("7", GRAPH_RAG),
    (
        Question("Where?", NOON),
        Exploration(2, ("urn:pump:7",)),
        Focus((Selection(Triple("urn:pump:7", "urn:in", "urn:hall"), concept="place"), Selection(chunk="urn:chunk:1"))),
        Synthesis("In the hall."),
    ),
    kind=GRAPH_RAG,
    caller=f"{OUTER.uri}/i1",
    outcome="final",
)


class Asked:
    """A store in memory, asked as one over HTTP is."""

    def __init__(self) -> None:
        self.dataset = rdflib.Dataset()

    def query(self, text: str) -> list[Row]:
        answer = self.dataset.query(text).serialize(format="json")
        found: dict[str, Any] = json.loads(answer or b"{}")
        return cast("list[Row]", found["results"]["bindings"])


def test_a_retrieval_comes_back_with_what_it_selected_and_where_it_ran() -> None:
    store = Asked()
    for session in (INNER, OUTER):
        store.dataset.update(insert(statements(describe(session, "trustgraph", "both"))).decode())
    source = SparqlSource(cast("Client", store), "here")
    assert source.session(INNER.uri) == INNER
    assert source.session(OUTER.uri) == OUTER
    assert source.inside(OUTER.uri) == [INNER.uri]
    assert [each.uri for each in source.sessions(nested=False)] == [OUTER.uri]
    assert {each.uri for each in source.sessions()} == {OUTER.uri, INNER.uri}
    assert (source.find("latest"), source.find("7")) == ([OUTER.uri], [INNER.uri])


def test_statements_are_found_by_a_pattern_wherever_they_stand() -> None:
    store = Asked()
    store.dataset.update(insert(statements([*describe(OUTER), *describe(INNER)])).decode())
    store.dataset.add((rdflib.URIRef("urn:pump:7"), rdflib.RDFS.label, rdflib.Literal("pump 7", lang="en")))
    source = SparqlSource(cast(Client, store), "here")
    assert list(source.match(Pattern(INNER.uri, v.PROV_DERIVED))) == [
        Quad(INNER.uri, v.PROV_DERIVED, f"{OUTER.uri}/i1", v.RETRIEVAL)
    ]
    assert {q.subject for q in source.match(Pattern(object=Literal("In the hall.")))} == {
        f"{OUTER.uri}/i1/observation",
        "urn:trustgraph:prov:synthesis:7",
    }
    label = Quad("urn:pump:7", v.RDFS_LABEL, Literal("pump 7", language="en"))
    assert list(source.match(Pattern(graph="", object=Literal("pump 7")))) == [label]
    assert list(source.match(Pattern(graph=v.RETRIEVAL, object=Literal("pump 7")))) == []
    assert len(list(source.match(Pattern(graph=v.RETRIEVAL), 3))) == 3
    assert source.labels(["urn:pump:7", "urn:pump:8", "_:b0"]) == {"urn:pump:7": "pump 7"}
    with pytest.raises(FetchError, match="-p rdf:subject"):
        source.match(Pattern(object=QuotedTriple("urn:a", "urn:b", "urn:c")))


def test_plans_and_delegated_work_come_back_with_what_was_not_done_and_who_did_what() -> None:
    uri, clerk = session_uri("2"), session_uri("3")
    steps = (
        Question("What now?", NOON),
        Plan(("look", "never done")),
        Decomposition(("ask",)),
        Analysis(1, None, "look", within="step/0", candidates=("ask", "look"), usage=Usage("m", 12, 3)),
        Observation(1, "It stands."),
        StepResult(0, "look", "It stands."),
        Finding(0, "ask", "Ann.", sub_trace=f"{clerk}/final"),
        Synthesis("Ann."),
    )
    session = Session(uri, steps, outcome="final")
    inner = Session(clerk, (Question("ask", NOON), Conclusion("Ann.")), caller=f"{uri}/decompose", outcome="final")
    store = Asked()
    for each in (session, inner):
        store.dataset.update(insert(statements(describe(each))).decode())
    source = SparqlSource(cast("Client", store), "here")
    assert source.session(uri) == session
    assert source.session(clerk) == inner
    assert source.inside(uri) == [clerk]
    assert [(each.uri, each.pattern) for each in source.sessions(nested=False)] == [(uri, "plan")]
    assert [each.uri for each in source.sessions(text="never done")] == [uri]
