"""The whole way in one process, without files."""

from __future__ import annotations

import pytest
import rdflib

from otel_prov import describe_spans, iteration, trace_agent
from tests.conftest import Program

PROV = rdflib.Namespace("http://www.w3.org/ns/prov#")
TG = rdflib.Namespace("https://trustgraph.ai/ns/")


@pytest.mark.parametrize("shape", ["agent-session", "question-analysis", "trustgraph"])
def test_spans_of_a_notebook_become_a_dataset(program: Program, shape: str) -> None:
    @trace_agent(session_id="s")
    def answer(question: str) -> str:
        with iteration() as step:
            step.record(thought="t", action="look", arguments={"at": 1}, observation="o")
        return "yes"

    answer("is it so?")
    graph = describe_spans(program.spans, shape).graph(rdflib.URIRef("urn:graph:retrieval"))
    session = rdflib.URIRef("urn:trustgraph:agent:s")
    assert graph.value(session, TG.query) == rdflib.Literal("is it so?")
    assert (session + "/i1", PROV.wasDerivedFrom, session) in graph
    assert (session + "/i1", TG.action, rdflib.Literal("look")) in graph


def test_an_unknown_shape_is_refused_with_the_names_of_those_there_are(program: Program) -> None:
    with pytest.raises(ValueError, match="agent-session, question-analysis, trustgraph"):
        describe_spans([], "round")
