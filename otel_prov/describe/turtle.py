"""Turtle and TriG as people read them: with prefixes, a block for each node, in the order of what happened.

Not by rdflib, for three reasons: it sorts iteration 10 before iteration 2, it needs all sessions in memory at once, and
(7.6) a text of several lines that ends in ``\\"`` comes out so that other parsers refuse the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter
from typing import Final

from otel_prov.describe.quads import Quad, QuotedTriple, Term
from otel_prov.describe.vocabulary import PREFIXES, RDF_TYPE, short

HEAD: Final = "".join(f"@prefix {prefix}: <{namespace}> .\n" for prefix, namespace in PREFIXES.items())
"""What a file in either format begins with."""

_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def turtle(quads: Iterable[Quad]) -> str:
    """The quads in Turtle, without the prefixes; the names of their graphs are left out."""
    return "".join(f"\n{_block(subject, facts)}" for subject, facts in groupby(quads, attrgetter("subject")))


def trig(quads: Iterable[Quad]) -> str:
    """The quads in TriG, without the prefixes."""
    return "".join(
        f"\n{_name(graph)} {{{turtle(facts)}}}\n" if graph else turtle(facts)
        for graph, facts in groupby(quads, attrgetter("graph"))
    )


def _block(subject: str, facts: Iterable[Quad]) -> str:
    lines = []
    for predicate, same in groupby(facts, attrgetter("predicate")):
        verb = "a" if predicate == RDF_TYPE else _name(predicate)
        lines.append(f"{verb} {', '.join(_object(fact.object) for fact in same)}")
    return f"{_name(subject)} " + " ;\n    ".join(lines) + " .\n"


def _name(resource: str) -> str:
    return resource if resource.startswith("_:") else short(resource) or f"<{resource}>"


def _object(term: Term) -> str:
    assert not isinstance(term, QuotedTriple), "to be reified before"
    if isinstance(term, str):
        return _name(term)
    quoted = _quoted(term.text)
    if term.language:
        return f"{quoted}@{term.language}"
    return f"{quoted}^^{_name(term.datatype)}" if term.datatype else quoted


def _quoted(text: str) -> str:
    """The text in quotes that need little escaping: JSON in single ones, lines in triple ones."""
    mark = "'" if '"' in text and "'" not in text else '"'
    body = text.replace("\\", "\\\\").replace(mark, f"\\{mark}")
    body = _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04X}", body)  # so that no terminal obeys them
    marks = mark * 3 if "\n" in text else mark
    return f"{marks}{body}{marks}"
