"""What is written as N-Quads and N-Triples is, line by line, what rdflib writes."""

from __future__ import annotations

import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st

from otel_prov.describe import SHAPES, Literal, Quad, dataset, describe
from otel_prov.describe.jsonld import TAIL as JSONLD_TAIL
from otel_prov.describe.jsonld import head as jsonld_head
from otel_prov.describe.jsonld import jsonld
from otel_prov.describe.quads import nquads, ntriples
from otel_prov.describe.turtle import head as turtle_head
from otel_prov.describe.turtle import trig
from otel_prov.describe.vocabulary import PREFIXES
from tests.rdf import read_rdf

from .strategies import calm, sessions, texts

pytestmark = pytest.mark.filterwarnings("ignore:.*deprecated:DeprecationWarning:rdflib")  # of itself

iris = st.sampled_from(["urn:x:1", "http://ex.org/a?b=c#d", "urn:é:😀"])
nodes = iris | st.sampled_from(["_:b1", "_:b2"])
literals = (
    texts.map(Literal)
    | st.builds(Literal, texts, st.just("http://ex.org/type"), st.just(""))
    | st.builds(Literal, texts, st.just(""), st.sampled_from(["en", "de-CH"]))
)
quads = st.lists(st.builds(Quad, nodes, iris, nodes | literals, iris), unique=True, max_size=8)


def term(value: str | Literal) -> rdflib.term.Identifier:
    if isinstance(value, Literal):
        return rdflib.Literal(value.text, lang=value.language or None, datatype=value.datatype or None)
    return rdflib.BNode(value[2:]) if value.startswith("_:") else rdflib.URIRef(value)


def lines(text: str) -> list[str]:
    return sorted(line for line in text.split("\n") if line)


@calm
@given(quads)
def test_nquads_are_those_of_rdflib(quads: list[Quad]) -> None:
    whole = rdflib.Dataset()
    for subject, predicate, target, graph in quads:
        whole.graph(graph).add((term(subject), term(predicate), term(target)))
    assert lines(nquads(quads)) == lines(whole.serialize(format="nquads"))


def test_nquads_of_the_default_graph_name_none() -> None:
    assert nquads([Quad("urn:a", "urn:b", "urn:c")]) == "<urn:a> <urn:b> <urn:c>  .\n"


@calm
@given(quads)
def test_ntriples_are_those_of_rdflib(quads: list[Quad]) -> None:
    graph = rdflib.Graph()
    for subject, predicate, target, _ in quads:
        graph.add((term(subject), term(predicate), term(target)))
    assert sorted(set(lines(ntriples(quads)))) == lines(graph.serialize(format="nt"))


named = quads.map(lambda some: [quad for quad in some if "_:" not in f"{quad.subject}{quad.object}"])


@calm
@given(named)
def test_trig_says_the_same(quads: list[Quad]) -> None:
    read = read_rdf(turtle_head(PREFIXES) + trig(quads), "trig")
    assert lines(read.serialize(format="nquads")) == lines(nquads(quads))


@calm
@given(named)
def test_json_ld_says_the_same(quads: list[Quad]) -> None:
    read = read_rdf(jsonld_head(PREFIXES) + jsonld(quads) + JSONLD_TAIL, "json-ld")
    assert lines(read.serialize(format="nquads")) == lines(nquads(quads))


@calm
@given(sessions(), st.sampled_from(SHAPES))
def test_an_rdflib_dataset_of_a_session_has_the_same_nquads(session, shape: str) -> None:
    assert lines(dataset([session], shape).serialize(format="nquads")) == lines(nquads(describe(session, shape)))


def test_an_rdflib_dataset_abbreviates_the_vocabularies() -> None:
    bound = dict(dataset([]).namespaces())
    assert (str(bound["prov"]), str(bound["tg"])) == ("http://www.w3.org/ns/prov#", "https://trustgraph.ai/ns/")
