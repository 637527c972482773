"""Quads as the body of a message in TrustGraph's wire format, byte for byte what trustgraph-base 2.11.1 makes of them.

That is ``json.dumps`` of the dataclass ``Triples``, with every field of every term, in ASCII
(``trustgraph/base/serialization.py``, ``trustgraph/schema/core/primitives.py``). Workspace and flow are told by the
topic that a message is sent to; nothing in its body tells them.
"""

from __future__ import annotations

from collections.abc import Iterable
from json.encoder import encode_basestring_ascii as _quoted
from typing import Final

from otel_prov.describe import vocabulary
from otel_prov.describe.quads import Literal, Quad, QuotedTriple

__all__ = ["IRI_LIMIT", "Unsendable", "checked", "encode"]

IRI_LIMIT: Final = 1_000
"""Bytes of UTF-8 in an IRI. TrustGraph's writer for Cassandra fails for ever at a statement of about 10,000 bytes; a
text takes 8,000 of them (:data:`~otel_prov_exporter_pulsar.literals.LIMIT`), subject and predicate the rest."""

_PLAIN: Final = ', "datatype": "", "language": "", "triple": null}'


class Unsendable(ValueError):
    """A consumer would fail at this message, and get it again and again. The text says what is wrong with it."""


def encode(subject: str, collection: str, quads: Iterable[Quad]) -> bytes:
    """The message that tells TrustGraph these quads.

    Args:
        subject: IRI of what the message is mainly about.
        collection: TrustGraph's collection.
        quads: Any number; none is a message that changes nothing.

    Raises:
        Unsendable: The collection or an IRI is empty, too long, holds NUL, or is no valid Unicode.
    """
    terms = _Terms(_KNOWN)
    graphs = _Graphs({"": "null"})
    triples = ", ".join(
        [
            f'{{"s": {terms[s]}, "p": {terms[p]}, "o": {{"type": "l", "iri": "", "id": "", "value": {_quoted(o[0])}'
            f'{_PLAIN if not (o[1] or o[2]) else _typed(o[1], o[2])}, "g": {graphs[g]}}}'
            if isinstance(o, Literal)
            else f'{{"s": {terms[s]}, "p": {terms[p]}, "o": {_quoting(o, terms)}, "g": {graphs[g]}}}'
            if isinstance(o, QuotedTriple)
            else f'{{"s": {terms[s]}, "p": {terms[p]}, "o": {terms[o]}, "g": {graphs[g]}}}'
            for s, p, o, g in quads
        ]
    )
    metadata = f'{{"id": {checked(subject)}, "root": "", "collection": {checked(collection, "the collection")}}}'
    return f'{{"metadata": {metadata}, "triples": [{triples}]}}'.encode("ascii")


class _Terms(dict[str, str]):
    """How IRIs and blank nodes are written; each is put together, and checked, once, for it stands in many triples."""

    def __missing__(self, resource: str) -> str:
        self[resource] = term = _term(resource)
        return term


class _Graphs(dict[str, str]):
    """How names of graphs are written."""

    def __missing__(self, graph: str) -> str:
        self[graph] = name = checked(graph)
        return name


def _quoting(triple: QuotedTriple, terms: _Terms) -> str:
    """A quoted triple as a term; it stands in no graph itself."""
    subject, predicate, target = triple
    if isinstance(target, Literal):
        text, datatype, language = target
        kind = _PLAIN if not (datatype or language) else _typed(datatype, language)
        o = f'{{"type": "l", "iri": "", "id": "", "value": {_quoted(text)}{kind}'
    else:
        o = terms[target]
    inner = f'{{"s": {terms[subject]}, "p": {terms[predicate]}, "o": {o}, "g": null}}'
    return f'{{"type": "t", "iri": "", "id": "", "value": "", "datatype": "", "language": "", "triple": {inner}}}'


def _typed(datatype: str, language: str) -> str:
    kind = checked(datatype, "a datatype") if datatype else '""'
    tongue = checked(language, "a language") if language else '""'
    return f', "datatype": {kind}, "language": {tongue}, "triple": null}}'


def checked(name: str, what: str = "an IRI") -> str:
    """The name in quotes, escaped.

    Raises:
        Unsendable: It is empty, too long, holds NUL, or is no valid Unicode.
    """
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        raise Unsendable(f"{what} is no valid Unicode: {name[:80]!r}") from None
    if "\0" in name:
        raise Unsendable(f"{what} holds the character NUL: {name[:80]!r}")
    if not size:
        raise Unsendable(f"{what} is empty")
    if size > IRI_LIMIT:
        raise Unsendable(f"{what} has {size:,} bytes, {IRI_LIMIT:,} are the limit: {name[:80]!r}")
    return _quoted(name)


def _term(resource: str) -> str:
    if resource.startswith("_:"):
        return f'{{"type": "b", "iri": "", "id": {checked(resource[2:], "a blank node")}, "value": ""{_PLAIN}'
    return f'{{"type": "i", "iri": {checked(resource)}, "id": "", "value": ""{_PLAIN}'


_KNOWN: Final = {iri: _term(iri) for name, iri in vars(vocabulary).items() if name.isupper() and isinstance(iri, str)}
"""The terms of the vocabulary, put together beforehand."""
