"""Between our quads and rdflib's terms. rdflib is imported only when something here is called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from otel_prov.describe.quads import Literal, Quad
from otel_prov.describe.vocabulary import PREFIXES, PROV_PREFIXES

if TYPE_CHECKING:
    import rdflib
    from rdflib.term import Identifier


def to_rdflib(quads: Iterable[Quad]) -> rdflib.Dataset:
    """The quads as a dataset, with our prefixes bound."""
    import rdflib
    from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

    def term(value: str | Literal) -> Identifier:
        if isinstance(value, Literal):
            return rdflib.Literal(value.text, lang=value.language or None, datatype=value.datatype or None)
        return rdflib.BNode(value[2:]) if value.startswith("_:") else rdflib.URIRef(value)

    dataset = rdflib.Dataset()
    for prefix, namespace in (PREFIXES | PROV_PREFIXES).items():
        dataset.bind(prefix, namespace)
    for quad in quads:
        graph = dataset.graph(quad.graph or DATASET_DEFAULT_GRAPH_ID)
        graph.add((term(quad.subject), term(quad.predicate), term(quad.object)))
    return dataset


def from_rdflib(dataset: rdflib.Dataset) -> Iterator[Quad]:
    """The statements of a dataset, but for those that only N3 can make, about texts and formulas."""
    import rdflib
    from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

    def value(term: object) -> str | Literal:
        if isinstance(term, rdflib.Literal):
            return Literal(str(term), term.datatype or "", term.language or "")
        return f"_:{term}" if isinstance(term, rdflib.BNode) else str(term)

    for subject, predicate, target, graph in dataset.quads():
        about = value(subject)
        name = "" if graph in (None, DATASET_DEFAULT_GRAPH_ID) else value(graph)
        if isinstance(about, str) and isinstance(name, str):
            yield Quad(about, str(predicate), value(target), name)
