"""Quads as the text of an update, ``INSERT DATA`` (W3C SPARQL 1.1 Update, section 3.1.1).

Inserting what is there already changes nothing, so a request may be repeated. That holds as long as no blank node is in
it, which would be a new node each time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from otel_prov.describe.quads import Literal, Quad, ntriples
from otel_prov.describe.reify import reified

__all__ = ["Statement", "Unsendable", "insert", "literal", "statements"]

_IRI: Final = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|\\^`\ud800-\udfff]*')
"""An absolute IRI, as far as a store looks at it (SPARQL 1.1 Query, grammar of ``IRIREF``)."""
_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"})
_BEFORE_U: Final = re.compile(r"\\\\([uU])")
_LANGUAGE: Final = re.compile("[A-Za-z]+(-[A-Za-z0-9]+)*")


class Unsendable(ValueError):
    """No store takes this. The text says what is wrong with it."""


class Statement(NamedTuple):
    """One triple as it is written, with the graph that it goes to; empty for the default graph."""

    graph: str
    text: str


def statements(quads: Sequence[Quad]) -> list[Statement]:
    """The quads, each as it is written in an update; a quoted triple as a statement about an ``rdf:Statement``.

    Raises:
        Unsendable: An IRI is not absolute or holds what no IRI can, a blank node is named, or a language is none.
    """
    quads = reified(quads)
    for resource in _resources(quads):
        _check(resource)
    lines = _unmistakable(ntriples(quads)).split("\n")
    return list(map(Statement, [quad.graph for quad in quads], lines))


def insert(wanted: Iterable[Statement]) -> bytes:
    """The update that adds these statements; of none it is one that changes nothing."""
    graphs: dict[str, list[str]] = {}
    for graph, text in wanted:
        graphs.setdefault(graph, []).append(text)
    blocks = ["\n".join(graphs.pop("", []))]
    blocks += [f"GRAPH <{graph}> {{\n" + "\n".join(lines) + "\n}" for graph, lines in graphs.items()]
    return ("INSERT DATA {\n" + "\n".join(blocks) + "\n}").encode("utf-8", "replace")  # halves of characters


def literal(text: str) -> str:
    """A text as it is written in an update or a query."""
    return _unmistakable(f'"{text.translate(_ESCAPES)}"')


def _resources(quads: Sequence[Quad]) -> set[str]:
    """All IRIs and blank nodes in the quads, each once, for each stands in many of them."""
    texts = [target for _, _, target, _ in quads if isinstance(target, Literal)]
    for language in {text.language for text in texts if text.language}:
        if not _LANGUAGE.fullmatch(language):
            raise Unsendable(f"no language: {language[:80]!r}")
    optional = {graph for *_, graph in quads} | {text.datatype for text in texts}
    targets = {target for _, _, target, _ in quads if isinstance(target, str)}
    return {part for subject, predicate, _, _ in quads for part in (subject, predicate)} | targets | optional - {""}


def _check(resource: str) -> None:
    if resource.startswith("_:"):
        raise Unsendable(f"a blank node, which would be another one each time it is sent: {resource[:80]!r}")
    if not _IRI.fullmatch(resource):
        raise Unsendable(f"no absolute IRI: {resource[:80]!r}")


def _unmistakable(text: str) -> str:
    r"""What quads are written as, so that it means the same whichever way it is read.

    A sequence ``\u0041`` means a character wherever it stands, before anything else is looked at (SPARQL 1.1 Query,
    section 19.2). So ``\\u0041`` may be an escaped backslash before ``u0041``, as most stores have it, or a backslash
    before ``A``, as rdflib 7 has it, which also takes as many digits as there are: eight are written. It makes spaces
    of tabs, too.
    """
    text = text.replace("\t", "\\t")
    return _BEFORE_U.sub(lambda found: f"\\\\\\U{ord(found[1]):08X}", text) if "\\\\" in text else text
