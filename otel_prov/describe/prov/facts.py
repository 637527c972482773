"""What statements of the PROV view are made of."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from otel_prov.describe.prov import terms as t
from otel_prov.describe.quads import Literal, Quad
from otel_prov.describe.vocabulary import RDF_TYPE
from otel_prov.steps import Digest

__all__ = ["Fact", "content", "integer", "literal", "quad", "text", "types"]

Fact = tuple[str, str | Literal | None]
"""Predicate and object of a statement; nothing is said where the object is ``None``."""

# In half the time that the classes themselves take: a session has hundreds of them.
quad: Final[Callable[[tuple[str, str, str | Literal, str]], Quad]] = partial(tuple.__new__, Quad)
literal: Final[Callable[[tuple[str, str, str]], Literal]] = partial(tuple.__new__, Literal)


def types(*kinds: str) -> tuple[Fact, ...]:
    """What kinds a node is of."""
    return tuple((RDF_TYPE, kind) for kind in kinds)


def content(said: str | None, digest: Digest | None) -> tuple[Fact, ...]:
    """A text, or what is known of it where it was not recorded."""
    if said is not None or digest is None:
        return ((t.VALUE, text(said)),)
    return (t.SHA256, text(digest.sha256)), (t.LENGTH, integer(digest.length))


def text(said: str | None) -> Literal | None:
    """A text, if there is one."""
    return None if said is None else literal((said, "", ""))


def integer(value: int) -> Literal:
    """A whole number."""
    return literal((str(value), t.INTEGER, ""))
