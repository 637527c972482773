"""Retrievals, and sessions inside of tool calls, in the PROV view."""

from __future__ import annotations

import io
from datetime import datetime, timezone

import pytest
from hypothesis import given

from otel_prov.describe import describe_prov
from otel_prov.describe.prov.documents import write_prov
from otel_prov.names import DOCUMENT_RAG, GRAPH_RAG, session_uri
from otel_prov.steps import Analysis, Exploration, Focus, Observation, Question, Selection, Session, Synthesis, Triple
from otel_prov.validate import validate
from tests.describe.strategies import calm, retrievals, sessions

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
EDGE = Triple("urn:pump:7", "urn:in", "urn:hall")
GRAPH = Session(
    session_uri("7", GRAPH_RAG),
    (
        Question("Where?", NOON),
        Exploration(2, ("urn:pump:7",), 1, ("urn:chunk:1",)),
        Focus((Selection(EDGE, concept="place"), Selection(chunk="urn:chunk:1"))),
        Synthesis("In the hall."),
    ),
    kind=GRAPH_RAG,
    agent="pumps",
    outcome="final",
)


def derived(session: Session) -> list[tuple[str, str]]:
    quads = describe_prov(session)
    return [(quad.subject, str(quad.object)) for quad in quads if quad.predicate.endswith("wasDerivedFrom")]


def test_the_answer_derives_from_what_was_selected_and_that_from_its_chunk() -> None:
    base = f"{GRAPH.uri}#"
    assert derived(GRAPH) == [
        (f"{base}selected-1", "urn:chunk:1"),
        (f"{base}answer", f"{base}selected-0"),
        (f"{base}answer", f"{base}selected-1"),
    ]


def test_without_a_selection_the_answer_derives_from_the_chunks_that_were_found() -> None:
    steps = (Question("?"), Exploration(chunks=2, chunk_ids=("urn:chunk:1", "no IRI")), Synthesis("a"))
    session = Session(session_uri("7", DOCUMENT_RAG), steps, kind=DOCUMENT_RAG)
    assert derived(session) == [(f"{session.uri}#answer", "urn:chunk:1")]


@pytest.mark.parametrize(
    ("node", "answer"),
    [
        (f"{session_uri('2')}/final", f"{session_uri('2')}#answer"),
        ("urn:trustgraph:prov:synthesis:7", f"{GRAPH.uri}#answer"),
        ("urn:trustgraph:prov:focus:7", None),
        (f"{session_uri('1')}/final", None),  # itself
    ],
)
def test_an_observation_derives_from_the_answer_of_the_session_inside_of_its_call(
    node: str, answer: str | None
) -> None:
    session = Session(session_uri("1"), (Analysis(1, None, "ask"), Observation(1, "a", sub_trace=node)))
    assert derived(session) == ([] if answer is None else [(f"{session.uri}#i1-obs", answer)])


@calm
@given(retrievals())
def test_every_retrieval_is_valid(session: Session) -> None:
    assert list(validate(describe_prov(session))) == []


@calm
@given(sessions("trustgraph"))
def test_every_session_with_others_inside_is_valid(session: Session) -> None:
    assert list(validate(describe_prov(session))) == []


def test_both_together_are_valid() -> None:
    node = "urn:trustgraph:prov:synthesis:7"
    outer = Session(session_uri("1"), (Analysis(1, None, "ask"), Observation(1, "a", sub_trace=node)))
    assert list(validate([*describe_prov(outer), *describe_prov(GRAPH)])) == []


@pytest.mark.parametrize("format", ["provn", "json", "xml"])
def test_prov_documents_name_chunks_by_their_iris(format: str) -> None:
    model = pytest.importorskip("prov.model")
    node = "urn:trustgraph:prov:synthesis:7"
    outer = Session(session_uri("1"), (Analysis(1, None, "ask"), Observation(1, "a", sub_trace=node)))
    out = io.BytesIO()
    write_prov([GRAPH, outer], FORMATS[format], out)
    document = model.ProvDocument.deserialize(content=out.getvalue().decode(), format=format)
    said = document.flattened().get_records()
    assert "urn:chunk:1" in {str(record.identifier.uri) for record in said if record.is_element()}


FORMATS = {"provn": "provn", "json": "provjson", "xml": "provxml"}
