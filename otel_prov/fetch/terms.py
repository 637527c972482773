"""Statements in the gateway's form, and what TrustGraph's stores make of them.

A term is ``{"t": "i", "i": IRI}``, ``{"t": "l", "v": text}``, ``{"t": "b", "d": label}``, or, for a quoted triple,
``{"t": "t", "tr": triple}`` (``trustgraph/messaging/translators/primitives.py`` in trustgraph-base 2.11.1). All stores
but the one on Cassandra forget the names of graphs, and which objects were IRIs, and keep no quoted triples: FalkorDB's
gives ``urn:`` IRIs back as texts, and texts that begin as web addresses do as IRIs. There the vocabulary tells what an
object must have been.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from otel_prov.describe import Literal, Quad, QuotedTriple
from otel_prov.describe import vocabulary as v
from otel_prov.describe.quads import Term

__all__ = ["quad", "term", "triple"]

_TEXTS: Final = {
    v.RDFS_LABEL,
    v.PROV_STARTED,
    v.TG_QUERY,
    v.TG_ACTION,
    v.TG_ARGUMENTS,
    v.TG_ANSWER,
    v.TG_TOOL_ERROR,
    v.TG_CONTENT,
    v.TG_CONCEPT,
    v.TG_EDGE_COUNT,
    v.TG_CHUNK_COUNT,
    v.TG_SCORE,
    v.TG_REASONING,
}
_IRIS: Final = {
    v.RDF_TYPE,
    v.PROV_DERIVED,
    v.PROV_GENERATED,
    v.TG_DOCUMENT,
    v.TG_THOUGHT_DOCUMENT,
    v.TG_OBSERVATION_DOCUMENT,
    v.TG_SELECTED_EDGE,
}
_EITHER: Final = {v.TG_THOUGHT, v.TG_OBSERVATION, v.TG_ENTITY, v.TG_SELECTED_CHUNK}
"""A text in the older shapes, a node in the newer one; or whatever was found."""
_URN: Final = re.compile(r"urn:\S+")


def term(value: Term) -> dict[str, Any]:
    """A term in the gateway's form."""
    if isinstance(value, QuotedTriple):
        return {"t": "t", "tr": {key: term(part) for key, part in zip("spo", value, strict=True)}}
    if isinstance(value, Literal):
        more = {"dt": value.datatype, "ln": value.language}
        return {"t": "l", "v": value.text, **{key: said for key, said in more.items() if said}}
    return {"t": "b", "d": value[2:]} if value.startswith("_:") else {"t": "i", "i": value}


def triple(quad: Quad) -> dict[str, Any]:
    """A statement in the gateway's form."""
    told: dict[str, Any] = {key: term(part) for key, part in zip("spo", quad, strict=False)}
    return {**told, "g": quad.graph} if quad.graph else told


def quad(triple: object) -> Quad | None:
    """A statement of the gateway's; ``None`` for one that no shape can be made of, such as one about a statement."""
    if not isinstance(triple, Mapping):
        return None
    subject, predicate = (_term(triple.get(key)) for key in "sp")
    target = _object(triple.get("o"))
    if subject is None or predicate is None or target is None:
        return None
    graph = triple.get("g")
    if isinstance(target, QuotedTriple) or (isinstance(graph, str) and graph):
        return Quad(_bare(subject), _bare(predicate), target, graph if isinstance(graph, str) else "")
    return Quad(_bare(subject), _bare(predicate), _remembered(_bare(subject), _bare(predicate), target))


def _remembered(subject: str, predicate: str, target: str | Literal) -> str | Literal:
    """The object as it was before the store forgot its kind."""
    text = _bare(target)
    if predicate in _EITHER:
        is_node = bool(_URN.fullmatch(text)) or text.startswith(f"{subject}/")
    elif predicate in _TEXTS or predicate in _IRIS:
        is_node = predicate in _IRIS
    else:
        return target
    return text if is_node else target if isinstance(target, Literal) else Literal(text)


def _object(term: Any) -> str | Literal | QuotedTriple | None:
    """A term, or a quoted triple."""
    if not isinstance(term, Mapping) or term.get("t") != "t":
        return _term(term)
    inner = term.get("tr")
    if not isinstance(inner, Mapping):
        return None
    subject, predicate, target = (_term(inner.get(key)) for key in "spo")
    if subject is None or predicate is None or target is None:
        return None
    return QuotedTriple(_bare(subject), _bare(predicate), target)


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
