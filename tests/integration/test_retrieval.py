"""Retrievals, alone and inside of an agent's tool calls, as TrustGraph's own, unmodified programs show them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from otel_prov.names import DOCUMENT_RAG, GRAPH_RAG, session_uri
from tests.integration.deployment import Deployment
from tests.integration.servers.trustgraph import TrustGraph

pytest.importorskip("otel_prov_exporter_pulsar", reason="not installed; pip install -e exporters/pulsar")
pytest.importorskip("websockets", reason="not installed; pip install 'otel-prov[trustgraph]'")
pytest.importorskip("trustgraph.provenance", reason="not installed; pip install trustgraph-base==2.11.1")

from trustgraph.provenance import triples as builders
from trustgraph.provenance import uris
from trustgraph.schema import Term, Triple

from tests.integration.retrieving_edges import EDGES

pytestmark = pytest.mark.integration

AGENT: Final = [sys.executable, str(Path(__file__).with_name("retrieving.py"))]
UNKNOWN_THERE: Final = {"agent", "source", "user", "model", "trace_id", "trace_url", "ended", "outcome"}
SPANS_HERE: Final = {"span", "observation_span", "answer_span"}
OUTER: Final = session_uri("outer")
PLANT: Final = "plant"
"""A collection of its own: others who use the same TrustGraph look at all that there is in the default one."""
ALONE: Final = session_uri("alone", DOCUMENT_RAG)


@dataclass(frozen=True)
class Told:
    """What an agent told a TrustGraph."""

    trustgraph: TrustGraph
    machine: Deployment

    def tool(self, name: str, *arguments: str) -> str:
        """What one of TrustGraph's own programs prints of the collection."""
        return self.trustgraph.tool(name, "-C", PLANT, *arguments)

    def shown(self, *reference: str) -> dict[str, Any]:
        """What ``otel-prov show`` makes of a session."""
        document: dict[str, Any] = json.loads(self.machine.otel_prov("show", "--format", "json", *reference))
        return document

    def inside(self, number: int) -> dict[str, Any]:
        """What ran inside of an iteration of the agent's."""
        (found,) = self.shown(OUTER)["iterations"][number - 1]["sub_traces"]
        return dict(found)


@pytest.fixture(scope="module")
def told(trustgraph_cassandra: TrustGraph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """Cassandra is the only one of its stores that keeps quoted triples."""
    trustgraph = trustgraph_cassandra
    machine = Deployment(
        tmp_path_factory.mktemp("retrieving") / "store",
        trustgraph.broker.url,
        librarian_endpoint=trustgraph.gateway,
        librarian_token=trustgraph.token,
        collection=PLANT,
    )
    try:
        assert machine.run(*AGENT) == "{}\n", "nothing is lost"
        machine.wait_until_delivered()
        machine.wait_for("all is stored", lambda: trustgraph.backlog() == 0)
        machine.configure(TRUSTGRAPH_TOKEN=trustgraph.token)
        yield Told(trustgraph, machine)
    finally:
        machine.stop()


def test_what_ran_inside_of_another_trace_is_not_listed(told: Told) -> None:
    listed = json.loads(told.tool("tg-list-explain-traces", "--format", "json"))
    assert {each["id"]: (each["type"], each["question"]) for each in listed} == {
        OUTER: ("Agent", "What of pump 7?"),
        ALONE: ("DocRAG", "Who repaired it?"),
    }


def test_an_agents_trace_goes_on_after_each_trace_inside_of_it(told: Told) -> None:
    shown = told.tool("tg-show-explain-trace", OUTER)
    lines = [line for line in shown.splitlines() if line.startswith(("---", "  "))]
    calls = [
        ("knowledge-query", "In the north hall."),
        ("document-query", "Ann did."),
        ("clerk", "In May."),
        ("elsewhere", "It is."),
    ]
    expected = []
    for action, observation in calls:
        expected += ["--- Analysis ---", f"  Action: {action}", "  Arguments:"]
        expected += ["    {", f'        "with": "{action}"', "    }", "--- Observation ---", f"  {observation}"]
    assert lines == [*expected, "--- Conclusion ---", "  In the north hall; Ann, in May."]


def test_a_retrieval_from_a_graph_is_shown_with_its_edges(told: Told) -> None:
    inner = told.inside(1)
    shown = told.tool("tg-show-explain-trace", inner["uri"])
    assert shown.rstrip() == "\n".join(
        [
            f"=== GraphRAG Session: {inner['uri']} ===",
            "",
            "Question: Where is pump 7?",
            f"Time: {inner['started']}",
            "",
            "--- Exploration ---",
            "Retrieved 120 edges from knowledge graph",
            "",
            "--- Focus (Edge Selection) ---",
            "Selected 2 edges:",
            "",
            "  1. (https://example.org/pump/7, https://example.org/stands-in, https://example.org/hall/north)",
            "     Concept: place  Score: 0.9375",
            "",
            '  2. (https://example.org/pump/7, https://example.org/note, Repaired in "Zürich"',
            "東京 <3>)",
            "     Concept: repair  Score: 0.5000",
            "",
            "--- Synthesis ---",
            "Answer:",
            "  In the north hall.",
        ]
    )


def test_a_retrieval_from_documents_is_shown_with_its_answer(told: Told) -> None:
    for reference in (ALONE, told.inside(2)["uri"]):
        lines = told.tool("tg-show-explain-trace", reference).split("\n")
        assert lines[0] == f"=== DocRAG Session: {reference} ==="
        assert [*lines[6:9], *lines[9:]] == [
            "Concepts: repair",
            "",
            "--- Exploration ---",
            "Retrieved 3 chunks from document store",
            "",
            "--- Synthesis ---",
            "Answer:",
            "  Ann did.",
            "",
        ]


def test_the_graph_is_that_of_trustgraphs_own_builders_and_what_is_added_on_purpose(told: Told) -> None:
    found = {_plain(each) for each in _graph(told)}
    graph = told.inside(1)
    assert _about(found, graph["uri"].rpartition(":")[2]) == _by_builders(graph)
    remote = told.inside(4)
    assert remote["uri"] == session_uri("remote", GRAPH_RAG)


def test_observations_derive_from_the_last_node_of_what_ran_inside_of_the_call(told: Told) -> None:
    derived = {
        (subject, target)
        for subject, predicate, target in map(_plain, _graph(told))
        if predicate.endswith("wasDerivedFrom")
    }
    graph, documents, clerk, remote = (told.inside(number)["uri"] for number in (1, 2, 3, 4))
    for number, question in enumerate((graph, documents, clerk, remote), 1):
        assert (question, f"{OUTER}/i{number}") in derived

    def origins(number: int) -> set[str]:
        return {str(target) for subject, target in derived if subject == f"{OUTER}/i{number}/observation"}

    assert origins(1) == {graph.replace(":question:", ":prov:synthesis:")}
    assert origins(2) == {f"{documents}/synthesis"}
    assert origins(3) == {f"{OUTER}/i3", f"{clerk}/final"}
    assert origins(4) == {"urn:trustgraph:prov:synthesis:remote"}


@pytest.mark.parametrize("reference", [OUTER, ALONE])
def test_from_the_gateway_everything_is_shown_as_here(told: Told, reference: str) -> None:
    there = told.shown(reference, "--from", told.trustgraph.gateway, "--collection", PLANT)
    assert _known(there) == _known(told.shown(reference))
    assert there["type"] in ("agent", "document-rag")


def _known(document: Any) -> Any:
    """A document without what TrustGraph doesn't keep."""
    if isinstance(document, dict):
        return {key: _known(value) for key, value in document.items() if key not in UNKNOWN_THERE | SPANS_HERE}
    return [_known(each) for each in document] if isinstance(document, list) else document


def _graph(told: Told) -> list[dict[str, Any]]:
    asked = ("--graph", "urn:graph:retrieval", "--limit", "100000", "--format", "jsonl")
    return [json.loads(line) for line in told.tool("tg-query-graph", *asked).splitlines()]


def _plain(triple: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(_term(triple[key]) for key in "spo")


def _term(term: dict[str, Any]) -> Any:
    return _plain(term["tr"]) if term["t"] == "t" else term[{"i": "i", "l": "v"}[term["t"]]]


def _about(found: set[tuple[Any, ...]], name: str) -> set[tuple[Any, ...]]:
    """Statements about the nodes of a retrieval from a graph."""
    return {each for each in found if f":{name}" in each[0] and ":agent:" not in each[0]}


def _by_builders(shown: dict[str, Any]) -> set[tuple[Any, ...]]:
    """The retrieval as TrustGraph's own tells it (graph_rag.py), and the text of the answer, which is ours."""
    name = shown["uri"].rpartition(":")[2]
    question, grounding, exploration, focus, synthesis = (
        getattr(uris, f"{kind}_uri")(name) for kind in ("question", "grounding", "exploration", "focus", "synthesis")
    )
    edges = []
    for each in EDGES:
        subject, predicate, target = each["edge"]
        is_iri = target.startswith("https://")
        term = Term(type="i", iri=target) if is_iri else Term(type="l", value=target)
        edges.append({**each, "edge": (subject, predicate, term)})
    told: list[Triple] = [
        *builders.question_triples(question, shown["question"], shown["started"], parent_uri=f"{OUTER}/i1"),
        *builders.grounding_triples(grounding, question, ["place", "repair"]),
        *builders.exploration_triples(exploration, grounding, 120, ["https://example.org/pump/7"]),
        *builders.focus_triples(focus, exploration, edges, name),
        *builders.synthesis_triples(synthesis, focus, f"urn:trustgraph:synthesis:{name}"),
    ]
    return {*map(_built, told), (synthesis, "https://trustgraph.ai/ns/content", "In the north hall.")}


def _built(triple: Triple) -> tuple[Any, ...]:
    def plain(term: Term) -> Any:
        return _built(term.triple) if term.type == "t" else term.iri or term.value

    return plain(triple.s), plain(triple.p), plain(triple.o)
