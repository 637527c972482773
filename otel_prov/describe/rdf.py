"""Between our quads and the terms of rdflib and pyoxigraph, which are imported only when something here is called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from otel_prov.describe.quads import Literal, Quad, QuotedTriple, Term
from otel_prov.describe.reify import reified
from otel_prov.describe.vocabulary import PREFIXES, PROV_PREFIXES

if TYPE_CHECKING:
    import pyoxigraph
    import rdflib
    from rdflib.term import Identifier

_STRING: Final = "http://www.w3.org/2001/XMLSchema#string"


def to_rdflib(quads: Iterable[Quad]) -> rdflib.Dataset:
    """The quads as a dataset, with our prefixes bound; a quoted triple as RDF 1.1 has it."""
    import rdflib
    from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

    def term(value: Term) -> Identifier:
        assert not isinstance(value, QuotedTriple)
        if isinstance(value, Literal):
            return rdflib.Literal(value.text, lang=value.language or None, datatype=value.datatype or None)
        return rdflib.BNode(value[2:]) if value.startswith("_:") else rdflib.URIRef(value)

    dataset = rdflib.Dataset()
    for prefix, namespace in (PREFIXES | PROV_PREFIXES).items():
        dataset.bind(prefix, namespace)
    for quad in reified(quads):
        graph = dataset.graph(quad.graph or DATASET_DEFAULT_GRAPH_ID)
        graph.add((term(quad.subject), term(quad.predicate), term(quad.object)))
    return dataset


def from_rdflib(dataset: rdflib.Dataset) -> Iterator[Quad]:
    """The statements of a dataset, but for those that only N3 can make, about texts and formulas."""
    import rdflib
    from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

    def value(term: object) -> str | Literal:
        if isinstance(term, rdflib.Literal):
            return Literal(str(term), str(term.datatype or ""), str(term.language or ""))
        return f"_:{term}" if isinstance(term, rdflib.BNode) else str(term)

    for subject, predicate, target, graph in dataset.quads():
        about = value(subject)
        name = "" if graph in (None, DATASET_DEFAULT_GRAPH_ID) else value(graph)
        if isinstance(about, str) and isinstance(name, str):
            yield Quad(about, str(predicate), value(target), name)


def from_pyoxigraph(quads: Iterable[pyoxigraph.Quad]) -> Iterator[Quad]:
    """The statements that pyoxigraph has read. Those about other statements' parts, two deep, are left out."""
    import pyoxigraph

    def value(term: object) -> Term | None:
        if isinstance(term, pyoxigraph.Literal):
            datatype = "" if term.language or term.datatype.value == _STRING else term.datatype.value
            return Literal(term.value, datatype, term.language or "")
        if isinstance(term, pyoxigraph.Triple):
            subject, target = value(term.subject), value(term.object)
            if isinstance(subject, str) and target is not None and not isinstance(target, QuotedTriple):
                return QuotedTriple(subject, term.predicate.value, target)
            return None
        if isinstance(term, pyoxigraph.NamedNode):
            return term.value
        return f"_:{term.value}" if isinstance(term, pyoxigraph.BlankNode) else ""

    for quad in quads:
        about, target, graph = value(quad.subject), value(quad.object), value(quad.graph_name)
        if isinstance(about, str) and target is not None and isinstance(graph, str):
            yield Quad(about, quad.predicate.value, target, graph)
