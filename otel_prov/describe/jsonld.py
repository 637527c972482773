"""JSON-LD with prefixes, an object for each node, in the order of what happened.

Not by rdflib, which puts the nodes into a new order each time and needs all sessions in memory at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from otel_prov.describe.quads import Quad, QuotedTriple, Term
from otel_prov.describe.vocabulary import RDF_TYPE, short

TAIL: Final = "\n]}\n"
"""What a file ends with."""


def head(prefixes: Mapping[str, str]) -> str:
    """What a file begins with; graphs follow, with commas between them."""
    return f'{{"@context": {json.dumps(prefixes)},\n"@graph": [\n'


def jsonld(quads: Iterable[Quad]) -> str:
    """The quads as named graphs of a JSON-LD document, with commas between them."""
    graphs = (_graph(name, facts) for name, facts in groupby(quads, attrgetter("graph")))
    return ",\n".join(json.dumps(graph, ensure_ascii=False, indent=2) for graph in graphs)


def _graph(name: str, facts: Iterable[Quad]) -> dict[str, Any]:
    nodes = [_node(subject, about) for subject, about in groupby(facts, attrgetter("subject"))]
    return {"@id": name, "@graph": nodes} if name else {"@graph": nodes}


def _node(subject: str, facts: Iterable[Quad]) -> dict[str, Any]:
    types: list[str] = []
    said: dict[str, list[Any]] = {}
    for _, predicate, target, _ in facts:
        if predicate == RDF_TYPE and isinstance(target, str):
            types.append(short(target) or target)
        else:
            said.setdefault(short(predicate) or predicate, []).append(_value(target))
    node = {"@id": subject, "@type": types} if types else {"@id": subject}
    return node | {key: values if len(values) > 1 else values[0] for key, values in said.items()}


def _value(term: Term) -> str | dict[str, str]:
    assert not isinstance(term, QuotedTriple), "to be reified before"
    if isinstance(term, str):
        return {"@id": term}
    if term.language:
        return {"@value": term.text, "@language": term.language}
    return {"@value": term.text, "@type": term.datatype} if term.datatype else term.text
