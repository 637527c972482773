"""Statements in the gateway's form, and what TrustGraph's stores make of them.

A term is ``{"t": "i", "i": IRI}``, ``{"t": "l", "v": text}`` or ``{"t": "b", "d": label}``
(``trustgraph/messaging/translators/primitives.py`` in trustgraph-base 2.11.1). All stores but the one on Cassandra
forget which objects were IRIs: FalkorDB's gives ``urn:`` IRIs back as texts, and texts that begin as web addresses do
as IRIs. Where the vocabulary says what an object must be, that is what counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from otel_prov.describe import Literal, Quad
from otel_prov.describe import vocabulary as v

__all__ = ["iri", "quad"]

_TEXTS: Final = {
    v.RDFS_LABEL,
    v.PROV_STARTED,
    v.TG_QUERY,
    v.TG_ACTION,
    v.TG_ARGUMENTS,
    v.TG_ANSWER,
    v.TG_TOOL_ERROR,
    v.TG_CONTENT,
}
_IRIS: Final = {
    v.RDF_TYPE,
    v.PROV_DERIVED,
    v.PROV_GENERATED,
    v.TG_DOCUMENT,
    v.TG_THOUGHT_DOCUMENT,
    v.TG_OBSERVATION_DOCUMENT,
}
_EITHER: Final = {v.TG_THOUGHT, v.TG_OBSERVATION}  # a text in the older shapes, a node in the newer one
_IRI: Final = re.compile(r"(urn:|https?://)\S+")


def iri(value: str) -> dict[str, str]:
    """An IRI as a term."""
    return {"t": "i", "i": value}


def quad(triple: object) -> Quad | None:
    """A statement of the gateway's; ``None`` for one that no shape can be made of, such as one about a statement."""
    if not isinstance(triple, Mapping):
        return None
    subject, predicate, target = (_term(triple.get(key)) for key in "spo")
    if subject is None or predicate is None or target is None:
        return None
    graph = triple.get("g")
    return Quad(
        _bare(subject), _bare(predicate), _object(_bare(predicate), target), graph if isinstance(graph, str) else ""
    )


def _object(predicate: str, target: str | Literal) -> str | Literal:
    text = _bare(target)
    if predicate in _TEXTS:
        return target if isinstance(target, Literal) else Literal(text)
    if predicate in _IRIS:
        return text
    if predicate in _EITHER:
        return text if _IRI.fullmatch(text) else Literal(text)
    return target


def _term(term: Any) -> str | Literal | None:
    if not isinstance(term, Mapping):
        return None
    match term.get("t"):
        case "i":
            return str(term.get("i", ""))
        case "b":
            return f"_:{term.get('d', '')}"
        case "l":
            return Literal(str(term.get("v", "")), str(term.get("dt") or ""), str(term.get("ln") or ""))
    return None


def _bare(term: str | Literal) -> str:
    return term.text if isinstance(term, Literal) else term
