"""RDF statements as plain tuples, and their line formats, N-Quads and N-Triples.

What is written is, line by line, what rdflib writes: of the characters in a text only backslash, quote, line feed and
carriage return are escaped, everything else stands there in UTF-8 (W3C RDF 1.1 N-Quads, grammar of
``STRING_LITERAL_QUOTE``; canonical form of N-Triples). A quoted triple is written as RDF 1.2 has it, which few programs
can read yet; :func:`otel_prov.describe.reify.reified` gives what all of them can.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Literal", "Quad", "QuotedTriple", "Term", "nquads", "ntriples"]


class Literal(NamedTuple):
    """A text in the graph, with the IRI of its datatype or its language, if it has one."""

    text: str
    datatype: str = ""
    language: str = ""


class QuotedTriple(NamedTuple):
    """A statement that is spoken of: a quoted triple of RDF-star, a triple term of RDF 1.2."""

    subject: str
    predicate: str
    object: str | Literal


Term = str | Literal | QuotedTriple
"""What a statement may say of its subject."""


class Quad(NamedTuple):
    """One statement. IRIs stand bare, blank nodes as ``_:label``; ``graph`` is empty in the default graph."""

    subject: str
    predicate: str
    object: Term
    graph: str = ""


def nquads(quads: Iterable[Quad]) -> str:
    """The quads as N-Quads, one line each, in the order given."""
    names = _Names({"": ""})
    return "".join(
        [
            f"{names[subject]} {names[predicate]} {_quoted(target) if isinstance(target, tuple) else names[target]}"
            f" {names[graph]} .\n"
            for subject, predicate, target, graph in quads
        ]
    )


def ntriples(quads: Iterable[Quad]) -> str:
    """The quads as N-Triples, one line each, in the order given; the names of their graphs are left out."""
    names = _Names()
    return "".join(
        [
            f"{names[subject]} {names[predicate]} {_quoted(target) if isinstance(target, tuple) else names[target]} .\n"
            for subject, predicate, target, _ in quads
        ]
    )


class _Names(dict[str, str]):
    """How IRIs and blank nodes are written; each is put together once, for it stands in many lines."""

    def __missing__(self, resource: str) -> str:
        self[resource] = name = resource if resource.startswith("_:") else f"<{resource}>"
        return name


def _quoted(term: Literal | QuotedTriple) -> str:
    if type(term) is QuotedTriple:
        names = _Names()
        said = _quoted(term.object) if isinstance(term.object, tuple) else names[term.object]
        return f"<<( {names[term.subject]} {names[term.predicate]} {said} )>>"
    text, datatype, language = term
    # A look for each character first: most texts have none of them, and replacing nothing costs twice as much.
    if "\\" in text:
        text = text.replace("\\", "\\\\")
    if '"' in text:
        text = text.replace('"', '\\"')
    if "\n" in text:
        text = text.replace("\n", "\\n")
    if "\r" in text:
        text = text.replace("\r", "\\r")
    if language:
        return f'"{text}"@{language}'
    return f'"{text}"^^<{datatype}>' if datatype else f'"{text}"'
