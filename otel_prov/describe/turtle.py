"""Turtle and TriG as people read them: with prefixes, a block for each node, in the order of what happened.

Not by rdflib, for three reasons: it sorts iteration 10 before iteration 2, it needs all sessions in memory at once, and
(7.6) a text of several lines that ends in ``\\"`` comes out so that other parsers refuse the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import attrgetter
from typing import Final

from otel_prov.describe.quads import Quad, QuotedTriple, Term
from otel_prov.describe.vocabulary import RDF_TYPE, short

_LOCAL: Final = re.compile("[A-Za-z](?:[A-Za-z0-9_.%-]*[A-Za-z0-9_-])?")  # PN_LOCAL of the grammar, or a part of it
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def head(prefixes: Mapping[str, str]) -> str:
    """What a file in either format begins with."""
    return "".join(f"@prefix {prefix}: <{namespace}> .\n" for prefix, namespace in prefixes.items())


def turtle(quads: Iterable[Quad]) -> str:
    """The quads in Turtle, without the prefixes; the names of their graphs are left out."""
    return "".join(f"{_prefix(graph)}{_blocks(facts, graph)}" for graph, facts in groupby(quads, attrgetter("graph")))


def trig(quads: Iterable[Quad]) -> str:
    """The quads in TriG, without the prefixes."""
    return "".join(
        f"{_prefix(graph)}\n{_name(graph, graph)} {{{_blocks(facts, graph)}}}\n" if graph else _blocks(facts, graph)
        for graph, facts in groupby(quads, attrgetter("graph"))
    )


def _prefix(graph: str) -> str:
    """A graph whose name is a fragment, as that of the PROV view is: its neighbours are written as ``:name``."""
    base, mark, _ = graph.partition("#")
    return f"\n@prefix : <{base}#> .\n" if mark else ""


def _blocks(quads: Iterable[Quad], graph: str) -> str:
    return "".join(f"\n{_block(subject, facts, graph)}" for subject, facts in groupby(quads, attrgetter("subject")))


def _block(subject: str, facts: Iterable[Quad], graph: str) -> str:
    lines = []
    for predicate, same in groupby(facts, attrgetter("predicate")):
        verb = "a" if predicate == RDF_TYPE else _name(predicate, graph)
        lines.append(f"{verb} {', '.join(_object(fact.object, graph) for fact in same)}")
    return f"{_name(subject, graph)} " + " ;\n    ".join(lines) + " .\n"


def _name(resource: str, graph: str) -> str:
    if resource.startswith("_:"):
        return resource
    base, mark, _ = graph.partition("#")
    if mark and resource.startswith(f"{base}#") and _LOCAL.fullmatch(resource, len(base) + 1):
        return resource[len(base) :].replace("#", ":", 1)
    return short(resource) or f"<{resource}>"


def _object(term: Term, graph: str) -> str:
    assert not isinstance(term, QuotedTriple), "to be reified before"
    if isinstance(term, str):
        return _name(term, graph)
    quoted = _quoted(term.text)
    if term.language:
        return f"{quoted}@{term.language}"
    return f"{quoted}^^{_name(term.datatype, graph)}" if term.datatype else quoted


def _quoted(text: str) -> str:
    """The text in quotes that need little escaping: JSON in single ones, lines in triple ones."""
    mark = "'" if '"' in text and "'" not in text else '"'
    body = text.replace("\\", "\\\\").replace(mark, f"\\{mark}")
    body = _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04X}", body)  # so that no terminal obeys them
    marks = mark * 3 if "\n" in text else mark
    return f"{marks}{body}{marks}"
