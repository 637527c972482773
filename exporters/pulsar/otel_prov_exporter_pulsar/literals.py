"""Texts that every store of TrustGraph takes; what one of them fails at, its writer gets again, for ever.

Its writer for Cassandra puts the text of a statement into five rows of one batch, which Cassandra refuses at 50 KiB
(``batch_size_fail_threshold``). What is longer is cut here, and says so; the librarian has the whole
(:mod:`otel_prov_exporter_pulsar.documents`). FalkorDB ends a query at the character NUL; it becomes U+FFFD here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from otel_prov.describe.quads import Quad

__all__ = ["LIMIT", "cut", "storable"]

LIMIT: Final = 8_000
"""Bytes of UTF-8 in a literal."""


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
    """The quads, with texts of at most :data:`LIMIT` bytes, without NUL."""
    return [
        quad
        if isinstance(text := quad[2], str) or (len(text[0]) <= LIMIT and text[0].isascii() and "\0" not in text[0])
        else quad._replace(object=text._replace(text=cut(text[0].replace("\0", "\ufffd"), LIMIT)))
        for quad in quads
    ]
