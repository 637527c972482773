"""The IRIs of a session's nodes, S being the session's own.

``S/i{n}`` is iteration n, ``S/i{n}/thought`` and ``S/i{n}/observation`` are its thought and observation, ``S/final`` is
the answer (technical specifications, "Provenance Model"; ``trustgraph/provenance/uris.py`` in trustgraph-base 2.11.1).
Ours are ``S/i{n}/observation/{k}``, for the k-th tool call of one iteration, from the second, and the fragments of S:
``S#prov`` is the graph of the PROV view, and the others are the nodes in it.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote

_NUMBER: Final = "([1-9][0-9]{0,8})"

ITERATION: Final = re.compile(f"(.+)/i{_NUMBER}", re.DOTALL)
"""Session and number of an iteration."""

OBSERVATION: Final = re.compile(f"(.+)/i{_NUMBER}/observation(?:/{_NUMBER})?", re.DOTALL)
"""Session, number of the iteration, and call (none for the first) of an observation."""

CONCLUSION: Final = re.compile("(.+)/final", re.DOTALL)
"""Session of a conclusion."""

_ILLEGAL: Final = re.compile(r'[\x00-\x20<>"{}|\\^`]')


def legal(uri: str) -> str:
    """The IRI, with characters that no IRI can hold percent-encoded (W3C RDF 1.1 N-Quads, grammar of ``IRIREF``)."""
    return _ILLEGAL.sub(lambda found: quote(found[0]), uri)


def iteration(session: str, number: int) -> str:
    """``S/i{n}``"""
    return f"{session}/i{number}"


def observation(session: str, number: int, call: int = 1) -> str:
    """``S/i{n}/observation``, or ``S/i{n}/observation/{k}`` for a further call."""
    first = f"{session}/i{number}/observation"
    return first if call == 1 else f"{first}/{call}"


def final(session: str) -> str:
    """``S/final``"""
    return f"{session}/final"


def thought(thinker: str) -> str:
    """``S/i{n}/thought``, ``S/final/thought``: the thought of an iteration, or before the answer."""
    return f"{thinker}/thought"


def answer(session: str) -> str:
    """``S/answer``: where TrustGraph's librarian keeps the answer; not a node of the graph."""
    return f"{session}/answer"


def fragments(session: str) -> str:
    """``S#``, what the IRIs of the PROV view begin with. A ``#`` within S is percent-encoded, since only one can be."""
    return f"{session.replace('#', '%23')}#"
