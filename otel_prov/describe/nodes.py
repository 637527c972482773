"""Statements about one node of the graph: all that a shape is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from otel_prov.describe.quads import Literal, Quad, Term
from otel_prov.describe.vocabulary import RDF_TYPE, RETRIEVAL


def node(
    uri: str, types: tuple[str, ...], texts: Mapping[str, str | None], links: Mapping[str, str | None]
) -> Iterator[Quad]:
    """The node's types, texts and links, in the graph of retrieval; a text or link that is ``None`` says nothing."""
    for kind in types:
        yield Quad(uri, RDF_TYPE, kind, RETRIEVAL)
    for predicate, text in texts.items():
        if text is not None:
            yield Quad(uri, predicate, Literal(text), RETRIEVAL)
    for predicate, target in links.items():
        if target is not None:
            yield Quad(uri, predicate, target, RETRIEVAL)


def each(uri: str, predicate: str, targets: Iterable[Term]) -> Iterator[Quad]:
    """The same said of several things."""
    return (Quad(uri, predicate, target, RETRIEVAL) for target in targets)
