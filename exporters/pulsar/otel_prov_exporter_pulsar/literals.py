"""Texts that every store of TrustGraph takes; what one of them fails at, its writer gets again, for ever.

Its writer for Cassandra puts the text of a statement into five rows of one batch, which Cassandra refuses at 50 KiB
(``batch_size_fail_threshold``). What is longer is cut here, and says so; the librarian has the whole
(:mod:`otel_prov_exporter_pulsar.documents`). FalkorDB ends a query at the character NUL; it becomes U+FFFD here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from otel_prov.describe.quads import Literal, Quad, QuotedTriple

__all__ = ["LIMIT", "cut", "storable"]

LIMIT: Final = 8_000
"""Bytes of UTF-8 in a literal."""

_SHORTEST: Final = 200  # bytes that are left of a literal in a quoted triple, however long the IRIs beside it
_FRAME: Final = 200  # bytes that TrustGraph's writer for Cassandra adds to one, which it stores as JSON in ASCII


def cut(text: str, limit: int) -> str:
    """The text in at most ``limit`` bytes of UTF-8 (100 or more), cut at a character and marked where it is longer.

    Lone surrogates, which no UTF-8 can hold, become question marks.
    """
    if len(text) <= limit and text.isascii():
        return text
    whole = text.encode("utf-8", "replace")
    if len(whole) <= limit:
        return whole.decode()
    mark = f"… [cut, {len(whole):,} bytes in all]"
    return whole[: limit - len(mark.encode())].decode("utf-8", "ignore") + mark


def storable(quads: Sequence[Quad]) -> list[Quad]:
    """The quads, with texts of at most :data:`LIMIT` bytes, without NUL; a quoted triple counts as one text."""
    return [
        quad
        if isinstance(term := quad[2], str)
        or (isinstance(term, Literal) and len(term[0]) <= LIMIT and term[0].isascii() and "\0" not in term[0])
        else quad._replace(object=_storable(term))
        for quad in quads
    ]


def _storable(term: Literal | QuotedTriple) -> Literal | QuotedTriple:
    if isinstance(term, Literal):
        return term._replace(text=cut(term.text.replace("\0", "\ufffd"), LIMIT))
    if isinstance(term.object, str):
        return term
    target, limit = _storable(term.object), LIMIT
    assert isinstance(target, Literal)
    while limit > _SHORTEST and len(json.dumps((term.subject, term.predicate, target))) > LIMIT - _FRAME:
        limit //= 2
        target = target._replace(text=cut(target.text, limit))
    return term._replace(object=target)
