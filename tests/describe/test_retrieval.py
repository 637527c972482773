"""Retrievals in the graph: what they consist of, triple by triple, and how they are recognised in anybody's."""

from __future__ import annotations

import io
from datetime import datetime, timezone
from pathlib import Path

import pytest

from otel_prov.describe import Quad, QuotedTriple, dataset, describe, recognise
from otel_prov.describe.formats import FORMATS, NotRdf, read_file, write
from otel_prov.describe.quads import Literal, nquads
from otel_prov.names import DOCUMENT_RAG, GRAPH_RAG, session_uri
from otel_prov.steps import (
    Analysis,
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

from .told import told

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
CALLER = "urn:trustgraph:agent:1/i2"
EDGES = (
    Selection(Triple("urn:pump:7", "urn:in", "urn:hall"), None, "place", 0.9375, "It says where."),
    Selection(Triple("urn:pump:7", "urn:note", Text('"Zürich"\n<3>', language="de")), score=0.5),
)
GRAPH = Session(
    session_uri("7", GRAPH_RAG),
    (
        Question("Where?", NOON),
        Grounding(("place", "pump")),
        Exploration(edges=120, entities=("urn:pump:7", "urn:hall")),
        Focus(EDGES),
        Synthesis("In the hall."),
    ),
    kind=GRAPH_RAG,
    caller=CALLER,
)
DOCUMENTS = Session(
    session_uri("7", DOCUMENT_RAG),
    (
        Question("Who?", NOON),
        Grounding(("repair",)),
        Exploration(chunks=2, chunk_ids=("urn:chunk:a", "urn:chunk:b")),
        Synthesis("Ann."),
    ),
    kind=DOCUMENT_RAG,
)
SELECTED = Session(
    DOCUMENTS.uri,
    (*DOCUMENTS.steps[:3], Focus((Selection(chunk="urn:chunk:b", score=0.75),)), DOCUMENTS.steps[3]),
    kind=DOCUMENT_RAG,
)


# What they consist of --------------------------------------------------------------------------------------------

BY_SPECIFICATION = """
    <urn:trustgraph:docrag:7>              rdf:type             prov:Activity
    <urn:trustgraph:docrag:7>              rdf:type             tg:Question
    <urn:trustgraph:docrag:7>              rdf:type             tg:DocRagQuestion
    <urn:trustgraph:docrag:7>              tg:query             "Who?"
    <urn:trustgraph:docrag:7>              prov:startedAtTime   "2026-01-01T12:00:00.000000Z"
    <urn:trustgraph:docrag:7/exploration>  rdf:type             prov:Entity
    <urn:trustgraph:docrag:7/exploration>  rdf:type             tg:Exploration
    <urn:trustgraph:docrag:7/exploration>  tg:chunkCount        "2"
    <urn:trustgraph:docrag:7/exploration>  tg:selectedChunk     <urn:chunk:a>
    <urn:trustgraph:docrag:7/exploration>  tg:selectedChunk     <urn:chunk:b>
    <urn:trustgraph:docrag:7/exploration>  prov:wasGeneratedBy  <urn:trustgraph:docrag:7>
    <urn:trustgraph:docrag:7/synthesis>    rdf:type             prov:Entity
    <urn:trustgraph:docrag:7/synthesis>    rdf:type             tg:Synthesis
    <urn:trustgraph:docrag:7/synthesis>    tg:content           "Ann."
    <urn:trustgraph:docrag:7/synthesis>    prov:wasDerivedFrom  <urn:trustgraph:docrag:7/exploration>
"""
GROUNDING = """
    <urn:trustgraph:docrag:7/grounding>    rdf:type             prov:Entity
    <urn:trustgraph:docrag:7/grounding>    rdf:type             tg:Grounding
    <urn:trustgraph:docrag:7/grounding>    tg:concept           "repair"
    <urn:trustgraph:docrag:7/grounding>    prov:wasDerivedFrom  <urn:trustgraph:docrag:7>
"""


@pytest.mark.parametrize("shape", ["question-analysis", "agent-session"])
def test_the_second_specification_is_followed_to_the_letter_and_the_grounding_added(shape: str) -> None:
    assert set(describe(DOCUMENTS, shape)) == {*told(BY_SPECIFICATION), *told(GROUNDING)}


def test_an_answer_from_chosen_chunks_derives_from_the_choice_and_from_what_was_found() -> None:
    added = set(describe(SELECTED)) - set(describe(DOCUMENTS))
    assert added == set(
        told("""
        <urn:trustgraph:docrag:7/focus>      rdf:type             prov:Entity
        <urn:trustgraph:docrag:7/focus>      rdf:type             tg:Focus
        <urn:trustgraph:docrag:7/focus>      rdfs:label           "Chunk Selection"
        <urn:trustgraph:docrag:7/focus>      prov:wasDerivedFrom  <urn:trustgraph:docrag:7/exploration>
        <urn:trustgraph:docrag:7/focus>      tg:selectedChunk     <urn:trustgraph:prov:chunk:7:0>
        <urn:trustgraph:prov:chunk:7:0>      rdf:type             tg:ChunkSelection
        <urn:trustgraph:prov:chunk:7:0>      tg:document          <urn:chunk:b>
        <urn:trustgraph:prov:chunk:7:0>      tg:score             "0.75"
        <urn:trustgraph:docrag:7/synthesis>  prov:wasDerivedFrom  <urn:trustgraph:docrag:7/focus>
    """)
    )


def test_trustgraphs_own_builders_make_the_same_of_it() -> None:
    pytest.importorskip("trustgraph.provenance", reason="not installed; pip install trustgraph-base==2.11.1")
    from trustgraph.provenance import triples as make
    from trustgraph.provenance import uris
    from trustgraph.schema import Term
    from trustgraph.schema import Triple as Built

    def plain(triple: Built) -> tuple:
        def term(term: Term) -> object:
            return (
                QuotedTriple(*plain(term.triple))
                if term.type == "t"
                else term.iri or Literal(term.value, "", term.language)
            )

        return term(triple.s), term(triple.p), term(triple.o)

    time = "2026-01-01T12:00:00.000000Z"
    graph = [
        getattr(uris, f"{stage}_uri")("7") for stage in ("question", "grounding", "exploration", "focus", "synthesis")
    ]
    question, grounding, exploration, focus, synthesis = graph
    literal = Term(type="l", value='"Zürich"\n<3>', language="de")
    edges = [
        {
            "edge": ("urn:pump:7", "urn:in", "urn:hall"),
            "concept": "place",
            "score": 0.9375,
            "reasoning": "It says where.",
        },
        {"edge": ("urn:pump:7", "urn:note", literal), "score": 0.5},
    ]
    built = [
        *make.question_triples(question, "Where?", time, CALLER),
        *make.grounding_triples(grounding, question, ["place", "pump"]),
        *make.exploration_triples(exploration, grounding, 120, ["urn:pump:7", "urn:hall"]),
        *make.focus_triples(focus, exploration, edges, "7"),
        *make.synthesis_triples(synthesis, focus, "urn:trustgraph:synthesis:7"),
    ]
    text = (synthesis, "https://trustgraph.ai/ns/content", Literal("In the hall."))
    assert {quad[:3] for quad in describe(GRAPH)} == {*map(plain, built), text}

    documents = [
        getattr(uris, f"docrag_{stage}_uri")("7")
        for stage in ("question", "grounding", "exploration", "focus", "synthesis")
    ]
    question, grounding, exploration, focus, synthesis = documents
    built = [
        *make.docrag_question_triples(question, "Who?", time),
        *make.grounding_triples(grounding, question, ["repair"]),
        *make.docrag_exploration_triples(exploration, grounding, 2, ["urn:chunk:a", "urn:chunk:b"]),
        *make.docrag_synthesis_triples(synthesis, exploration, "urn:trustgraph:docrag:7/answer"),
    ]
    text = (synthesis, "https://trustgraph.ai/ns/content", Literal("Ann."))
    assert {quad[:3] for quad in describe(DOCUMENTS)} == {*map(plain, built), text}

    built += make.docrag_chunk_selection_triples(focus, exploration, [{"chunk_id": "urn:chunk:b", "score": 0.75}], "7")
    built += make.docrag_synthesis_triples(synthesis, focus, "urn:trustgraph:docrag:7/answer")
    assert {quad[:3] for quad in describe(SELECTED)} == {*map(plain, built), text}


@pytest.mark.parametrize(
    ("last", "origins"),
    [
        ("urn:trustgraph:prov:synthesis:7", {"urn:trustgraph:prov:synthesis:7"}),
        ("urn:trustgraph:docrag:7/synthesis", {"urn:trustgraph:docrag:7/synthesis"}),
        ("urn:trustgraph:prov:exploration:7", {"urn:trustgraph:agent:1/i2", "urn:trustgraph:prov:exploration:7"}),
        ("urn:trustgraph:agent:2/final", {"urn:trustgraph:agent:1/i2", "urn:trustgraph:agent:2/final"}),
    ],
)
def test_an_observation_is_found_by_trustgraphs_command_line_once(last: str, origins: set[str]) -> None:
    """It goes into retrievals, and on from their answers; not into other agents' sessions, nor into broken traces."""
    session = Session("urn:trustgraph:agent:1", (Analysis(2, action="ask"), Observation(2, "a", sub_trace=last)))
    derived = [
        quad for quad in describe(session) if quad.subject.endswith("observation") and "Derived" in quad.predicate
    ]
    assert {quad.object for quad in derived} == origins


# Files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
def test_every_rdf_program_reads_the_quoted_triples_of_a_file(format: str) -> None:
    pyoxigraph = pytest.importorskip("pyoxigraph")
    out = io.BytesIO()
    write([GRAPH], format, "trustgraph", out)
    by_extension = pyoxigraph.RdfFormat.from_extension(FORMATS[format][1:])
    read = {str(quad.triple) for quad in pyoxigraph.parse(out.getvalue(), format=by_extension)}
    expected = io.BytesIO()
    write([GRAPH], "ntriples", "trustgraph", expected)
    assert read == {
        str(quad.triple) for quad in pyoxigraph.parse(expected.getvalue(), format=pyoxigraph.RdfFormat.N_TRIPLES)
    }
    asked = (
        "SELECT ?s ?o WHERE { GRAPH ?g { [] <https://trustgraph.ai/ns/edge> ?t . ?t rdf:subject ?s ; rdf:object ?o } }"
    )
    assert {(str(row.s), str(row.o)) for row in dataset([GRAPH]).query(asked)} == {
        ("urn:pump:7", "urn:hall"),
        ("urn:pump:7", '"Zürich"\n<3>'),
    }


@pytest.mark.parametrize("extension", [".nq", ".trig"])
def test_quoted_triples_of_rdf_1_2_are_read(tmp_path: Path, extension: str) -> None:
    pytest.importorskip("pyoxigraph")
    path = tmp_path / f"theirs{extension}"
    path.write_text(nquads(describe(GRAPH)) if extension == ".nq" else _trig())
    (session,) = read_file(path)
    assert session == GRAPH if extension == ".nq" else next(session.of(Focus)) == Focus((Selection(EDGES[0].edge),))


def _trig() -> str:
    return """
    PREFIX tg: <https://trustgraph.ai/ns/>
    <urn:graph:retrieval> {
        <urn:trustgraph:prov:focus:7> a tg:Focus ; tg:selectedEdge <urn:trustgraph:prov:edge:7:0> .
        <urn:trustgraph:prov:edge:7:0> a tg:EdgeSelection ; tg:edge << <urn:pump:7> <urn:in> <urn:hall> >> .
    }"""


def test_where_nothing_reads_rdf_1_2_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyoxigraph", None)
    path = tmp_path / "theirs.nq"
    path.write_text(nquads(describe(GRAPH)))
    with pytest.raises(NotRdf, match=r"theirs\.nq may hold quoted triples.*pip install pyoxigraph"):
        read_file(path)


# How they are recognised -----------------------------------------------------------------------------------------


def test_agent_and_retrieval_in_one_graph_are_told_apart() -> None:
    agent = Session(
        "urn:trustgraph:agent:1",
        (
            Question("What?", NOON),
            Analysis(2, action="ask"),
            Observation(2, "In the hall.", sub_trace="urn:trustgraph:prov:synthesis:7"),
        ),
    )
    found = recognise([*describe(GRAPH), *describe(agent), *describe(DOCUMENTS)])
    assert {session.uri: session for session in found} == {each.uri: each for each in (agent, GRAPH, DOCUMENTS)}


@pytest.mark.parametrize(
    ("question", "stage", "kind"),
    [
        ("<urn:x> rdf:type tg:Question", "<urn:e> tg:edgeCount \"3\"", GRAPH_RAG),
        ("<urn:x> rdf:type tg:Question", "<urn:e> tg:chunkCount \"3\"", DOCUMENT_RAG),
        ("<urn:x> tg:query \"?\"", "<urn:e> tg:edgeCount \"3\"", GRAPH_RAG),
        ("<urn:x> rdf:type tg:DocRagQuestion", "<urn:e> tg:edgeCount \"3\"", DOCUMENT_RAG),
    ],
)  # fmt: skip
def test_what_is_no_trustgraphs_name_is_known_by_types_and_by_what_derives_from_it(question, stage, kind) -> None:
    chain = """
        <urn:e> rdf:type             tg:Exploration
        <urn:e> prov:wasGeneratedBy  <urn:x>
        <urn:f> rdf:type             tg:Focus
        <urn:f> prov:wasDerivedFrom  <urn:e>
        <urn:s> rdf:type             tg:Synthesis
        <urn:s> tg:answer            "so"
        <urn:s> prov:wasDerivedFrom  <urn:f>
    """
    (session,) = recognise([*told(question), *told(stage), *told(chain)])
    assert (session.uri, session.kind, session.answer) == ("urn:x", kind, "so")
    explored = next(session.of(Exploration))
    assert 3 in (explored.edges, explored.chunks)


def test_without_its_question_a_retrieval_is_known_by_the_names_of_its_stages() -> None:
    quads = [quad for quad in describe(GRAPH) if ":question:" not in quad.subject]
    assert recognise(quads) == [Session(GRAPH.uri, GRAPH.steps[1:], kind=GRAPH_RAG)]


def test_the_synthesis_of_an_agent_is_no_retrieval() -> None:
    quads = told("""
        S            rdf:type             tg:AgentQuestion
        S/synthesis  rdf:type             tg:Synthesis
        S/synthesis  prov:wasDerivedFrom  S
    """)
    assert [session.kind for session in recognise(quads)] == ["agent"]


@pytest.mark.parametrize("text", ["", "many", "nan", "inf", "-3", "9" * 40])
def test_numbers_that_are_none_do_no_harm(text: str) -> None:
    quads = [quad for quad in describe(GRAPH) if not quad.predicate.endswith(("Count", "score"))]
    for subject, predicate in (("exploration:7", "edgeCount"), ("edge:7:0", "score")):
        quads.append(Quad(f"urn:trustgraph:prov:{subject}", f"https://trustgraph.ai/ns/{predicate}", Literal(text)))
    (session,) = recognise(quads)
    assert next(session.of(Exploration)).edges is None
    assert session.answer == "In the hall."


def test_a_chain_that_goes_round_in_circles_does_no_harm() -> None:
    quads = told("""
        <urn:a> rdf:type             tg:Focus
        <urn:a> prov:wasDerivedFrom  <urn:b>
        <urn:b> rdf:type             tg:Exploration
        <urn:b> prov:wasDerivedFrom  <urn:a>
    """)
    assert recognise(quads) == []
