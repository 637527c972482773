"""Graphs written by hand, a statement a line: ``S/i1 tg:query "text"``."""

from __future__ import annotations

from otel_prov.describe import Literal, Quad

S = "urn:trustgraph:agent:1"

PREFIXES = {
    "dcterms:": "http://purl.org/dc/terms/",
    "prov:": "http://www.w3.org/ns/prov#",
    "rdf:": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs:": "http://www.w3.org/2000/01/rdf-schema#",
    "tg:": "https://trustgraph.ai/ns/",
    "xsd:": "http://www.w3.org/2001/XMLSchema#",
}


def told(text: str, graph: str = "urn:graph:retrieval") -> list[Quad]:
    """The statements of a text. ``S`` is the session :data:`S`; other IRIs stand in angle brackets."""
    lines = (line.split(None, 2) for line in text.strip().splitlines())
    return [Quad(_node(subject), _node(predicate), _object(target), graph) for subject, predicate, target in lines]


def _node(name: str) -> str:
    if name.startswith("_:"):
        return name
    if name.startswith("<"):
        return name[1:-1]
    if name == "S" or name.startswith("S/"):
        return S + name[1:]
    prefix, colon, local = name.partition(":")
    return PREFIXES[prefix + colon] + local


def _object(name: str) -> str | Literal:
    if not name.startswith('"'):
        return _node(name)
    text, _, datatype = name[1:].rpartition('"')
    return Literal(text, _node(datatype[2:]) if datatype else "")
