"""Small graphs in Turtle and TriG, as they are written in documents."""

from __future__ import annotations

from otel_prov.describe.quads import Quad
from otel_prov.describe.rdf import from_rdflib
from tests.rdf import read_rdf

PREFIXES = """\
@prefix : <urn:x:> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix tg: <https://trustgraph.ai/ns/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def quads(text: str) -> list[Quad]:
    """The statements of a text in TriG."""
    return list(from_rdflib(read_rdf(PREFIXES + text, "trig")))
