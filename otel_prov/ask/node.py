"""Which step of which session an IRI means, in the explanation view or in the PROV view."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from otel_prov.describe import uris

__all__ = ["FINAL", "Node", "parse"]

FINAL: Final = -1
"""The number of the answer's place: after all iterations."""

_NUMBER: Final = "([1-9][0-9]{0,8})"
_FRAGMENT: Final = re.compile(f"(.+)#(?:i{_NUMBER}-(?:think|thought|act|obs)(?:-{_NUMBER})?|[a-z-]+)", re.DOTALL)
_PART: Final = re.compile("(.+)#(step|part)-([0-9]{1,9})(?:-[a-z]+)?", re.DOTALL)
_KINDS: Final = {"step": uris.STEP, "part": uris.FINDING}
_THOUGHT: Final = "/thought"


class Node(NamedTuple):
    """A place in a session."""

    session: str
    """URI of the session, or whatever a person calls it by."""
    number: int = FINAL
    """Number of the iteration; ``FINAL`` for the answer."""
    call: int | None = None
    """Which of the iteration's tool calls; ``None`` for the iteration as a whole."""
    part: str | None = None
    """A step of the session's plan, ``step/{i}``, or a part of its work, ``finding/{i}``."""


def parse(reference: str) -> Node:
    """The place that an IRI or a reference means; a session as a whole stands for its answer."""
    if match := _FRAGMENT.fullmatch(reference):
        session, number, call = match.groups()
        return Node(session, int(number), int(call) if call else None) if number else Node(session)
    if match := _PART.fullmatch(reference):
        return Node(match[1], part=f"{_KINDS[match[2]]}/{int(match[3])}")
    if found := uris.retrieval_of(reference):
        return Node(found[0])
    reference = reference.removesuffix(_THOUGHT)
    if match := uris.OBSERVATION.fullmatch(reference):
        return Node(match[1], int(match[2]), int(match[3] or 1))
    if match := uris.ITERATION.fullmatch(reference):
        return Node(match[1], int(match[2]))
    if match := uris.PART.fullmatch(reference):
        return Node(match[1], part=match[2])
    if match := uris.CONCLUSION.fullmatch(reference) or uris.WHOLE.fullmatch(reference):
        return Node(match[1])
    return Node(reference)
