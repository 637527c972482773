"""Which statements are meant: a pattern of subject, predicate, object and graph, and how its terms are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from otel_prov.describe.quads import Literal, Quad, QuotedTriple, Term
from otel_prov.describe.uris import is_iri
from otel_prov.describe.vocabulary import RDFS_LABEL, full, short

__all__ = ["BadTerm", "Pattern", "labels", "matching", "object_term", "resource", "said"]

_BRACKETS: Final = re.compile(r"<([^<>]+)>")
_LITERAL: Final = re.compile(r'"((?:[^"\\]|\\.)*)"(?:@([A-Za-z]+(?:-[A-Za-z0-9]+)*)|\^\^(\S+))?', re.DOTALL)
_QUOTED: Final = re.compile(r"<<\((.*)\)>>|<<(.*)>>", re.DOTALL)  # RDF 1.2's, and RDF-star's
_PART: Final = re.compile(r'"(?:[^"\\]|\\.)*"\S*|\S+', re.DOTALL)
_WEB: Final = ("http://", "https://", "urn:")
"""An object that begins so is an IRI, as ``tg-query-graph`` has it; anything else without brackets may be a text."""
_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t"}


class BadTerm(ValueError):
    """What can't be a term; the message says how it is written."""


class Pattern(NamedTuple):
    """Which statements; ``None`` is any."""

    subject: str | None = None
    predicate: str | None = None
    object: Term | None = None
    """A text without datatype and language means that text with any."""
    graph: str | None = None
    """Empty for the default graph."""

    def matches(self, quad: Quad) -> bool:
        """Whether a statement is one of those."""
        return (
            self.subject in (None, quad.subject)
            and self.predicate in (None, quad.predicate)
            and self.graph in (None, quad.graph)
            and (self.object is None or _same(self.object, quad.object))
        )


def matching(pattern: Pattern, quads: Iterable[Quad]) -> Iterator[Quad]:
    """Those of the statements that the pattern means."""
    return filter(pattern.matches, quads)


def _same(wanted: Term, found: Term) -> bool:
    if isinstance(wanted, QuotedTriple):
        if not isinstance(found, QuotedTriple) or wanted[:2] != found[:2]:
            return False
        return _same(wanted.object, found.object)
    if isinstance(wanted, Literal) and isinstance(found, Literal) and not (wanted.datatype or wanted.language):
        return wanted.text == found.text
    return type(wanted) is type(found) and wanted == found


def labels(quads: Iterable[Quad]) -> dict[str, str]:
    """What nodes are called (``rdfs:label``); of several names the last in alphabetical order."""
    named = [(q.subject, q.object.text) for q in quads if q.predicate == RDFS_LABEL and isinstance(q.object, Literal)]
    return dict(sorted(named))


def resource(text: str) -> str:
    """The IRI that is written as ``https://…`` or ``urn:…``, in brackets, or as ``tg:query``; or a blank node.

    Raises:
        BadTerm: It is none of those.
    """
    if match := _BRACKETS.fullmatch(text):
        return match[1]
    if known := full(text):
        return known
    if is_iri(text):
        return text
    raise BadTerm(f"{text!r} is no IRI; write it like urn:trustgraph:agent:1, <https://ex.org/x>, or tg:query")


def object_term(text: str) -> Term:
    """An IRI, a quoted triple ``<<s p o>>``, or a text, in quotes or bare.

    Raises:
        BadTerm: A quoted triple has no three parts, or its subject or predicate is no IRI.
    """
    if match := _QUOTED.fullmatch(text):
        parts = _PART.findall(match[1] or match[2])
        if len(parts) != 3:
            raise BadTerm(f"{text!r} has {len(parts)} parts; a quoted triple is written <<subject predicate object>>")
        inner = object_term(parts[2])
        assert not isinstance(inner, QuotedTriple), "a part has no spaces"
        return QuotedTriple(resource(parts[0]), resource(parts[1]), inner)
    if match := _LITERAL.fullmatch(text):
        plain = re.sub(r"\\(.)", lambda found: _UNESCAPES.get(found[1], found[1]), match[1], flags=re.DOTALL)
        return Literal(plain, resource(match[3]) if match[3] else "", match[2] or "")
    if _BRACKETS.fullmatch(text) or full(text) or (text.startswith(_WEB) and is_iri(text)) or text.startswith("_:"):
        return resource(text)
    return Literal(text)


def said(term: Term) -> str:
    """A term on one line, as :func:`object_term` reads it: IRIs bare, and short where a prefix is known."""
    if isinstance(term, QuotedTriple):
        return f"<<{' '.join(map(said, term))}>>"
    if isinstance(term, Literal):
        text = re.sub(r'[\\"\n\r\t]', lambda found: _ESCAPES[found[0]], term.text)
        kind = f"^^{said(term.datatype)}" if term.datatype and not term.language else ""
        return f'"{text}"{f"@{term.language}" if term.language else kind}'
    return short(term) or (term if is_iri(term) and term.startswith((*_WEB, "_:")) else f"<{term}>")
