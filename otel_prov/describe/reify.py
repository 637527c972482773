"""Quoted triples as RDF 1.1 has them, and so every program: as statements about an ``rdf:Statement``.

Files are written so. RDF 1.2 has a term for it, ``<<( s p o )>>``, but a file with one can't be read at all by programs
that don't know it, rdflib 7.6 among them; and JSON-LD has no form for it.
"""

from __future__ import annotations

from collections.abc import Iterable

from otel_prov.describe import vocabulary as v
from otel_prov.describe.quads import Quad, QuotedTriple, Term

__all__ = ["reified"]


def reified(quads: Iterable[Quad]) -> list[Quad]:
    """The quads, with a node ``{subject}#triple`` in the place of each quoted triple, and what it consists of."""
    told: list[Quad] = []
    said: list[Quad] = []
    names: set[str] = set()
    for quad in quads:
        if said and quad.subject != told[-1].subject:  # what is said of one node stays together
            told += said
            said = []
        if isinstance(quad.object, QuotedTriple):
            name = f"{quad.subject}#triple"
            while name in names:
                name += "+"
            names.add(name)
            said += _statement(name, quad.object, quad.graph)
            quad = quad._replace(object=name)
        told.append(quad)
    return told + said


def _statement(name: str, triple: QuotedTriple, graph: str) -> list[Quad]:
    parts: list[tuple[str, Term]] = [
        (v.RDF_TYPE, v.RDF_STATEMENT),
        (v.RDF_SUBJECT, triple.subject),
        (v.RDF_PREDICATE, triple.predicate),
        (v.RDF_OBJECT, triple.object),
    ]
    return [Quad(name, part, value, graph) for part, value in parts]
