"""What a store is asked, in SPARQL 1.1.

Statements are looked for in the default graph and in every named graph: which of them a store looks into of its own
accord is its own choice (SPARQL 1.1 Query, section 13), and files without names of graphs are loaded into either.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from otel_prov.describe import Literal, uris
from otel_prov.describe import vocabulary as v
from otel_prov.describe.pattern import Pattern
from otel_prov.describe.times import written
from otel_prov.describe.uris import legal

from otel_prov_exporter_sparql.statements import literal

__all__ = ["around", "called", "inside", "listed", "matching", "named", "starting"]

_XSD: Final = "http://www.w3.org/2001/XMLSchema#"
_HEAD: Final = "".join(
    f"PREFIX {prefix}: <{namespace}>\n"
    for prefix, namespace in {"dcterms": v.DCTERMS, "prov": v.PROV, "tg": v.TG, "rdf": v.RDF, "xsd": _XSD}.items()
)
_SESSION: Final = "VALUES ?kind { tg:AgentSession tg:AgentQuestion tg:GraphRagQuestion tg:DocRagQuestion }"
_COMES_FROM: Final = "(prov:wasDerivedFrom|prov:wasGeneratedBy|dcterms:isPartOf)*"
_LEADS_TO: Final = "(^prov:wasDerivedFrom|^prov:wasGeneratedBy|^dcterms:isPartOf)*"
_SELECTED: Final = "(tg:selectedEdge|tg:selectedChunk)?/tg:edge?"
_OUTLINE: Final = "rdf:type, prov:wasDerivedFrom, prov:wasGeneratedBy, prov:startedAtTime, tg:query"
_TEXTS: Final = (
    "tg:query, tg:thought, tg:action, tg:arguments, tg:observation, tg:toolError, tg:answer, tg:content, "
    "tg:planStep, tg:subagentGoal"
)


def listed(
    limit: int, offset: int, *, text: str | None, since: datetime | None, until: datetime | None, nested: bool
) -> str:
    """The outlines of the newest sessions: ``?session``, and ``?s ?p ?o`` of all that comes from it, but its texts."""
    conditions = [_anywhere("?session a ?kind OPTIONAL { ?session prov:startedAtTime ?time }")]
    if text:
        found = f"FILTER(?of IN ({_TEXTS}) && isLiteral(?text) && CONTAINS(LCASE(STR(?text)), {literal(text.lower())}))"
        conditions.append(_anywhere(f"?node ?of ?text {found} ?node {_COMES_FROM} ?session"))
    if not nested:
        outer = _anywhere("?outer ?says ?something")
        conditions.append(f"FILTER NOT EXISTS {{ {_anywhere('?session prov:wasDerivedFrom ?outer')} {outer} }}")
    for sign, moment in ((">=", since), ("<", until)):
        if moment is not None:
            conditions.append(f'FILTER(xsd:dateTime(STR(?time)) {sign} "{written(moment)}"^^xsd:dateTime)')
    newest = (
        f"SELECT ?session (MIN(xsd:dateTime(STR(?time))) AS ?started) WHERE {{ {_SESSION} {' '.join(conditions)} }} "
        f"GROUP BY ?session ORDER BY DESC(?started) DESC(STR(?session)) LIMIT {limit} OFFSET {offset}"
    )
    outline = _anywhere(f"?session {_LEADS_TO} ?s . ?s ?p ?o")
    return f"{_HEAD}SELECT DISTINCT ?session ?s ?p ?o WHERE {{ {{ {newest} }} {outline} FILTER(?p IN ({_OUTLINE})) }}"


def around(nodes: Iterable[str]) -> str:
    """All that is said, ``?s ?p ?o ?g``, of these nodes and of what comes from them."""
    wanted = f"VALUES ?node {{ {' '.join(f'<{node}>' for node in nodes)} }}"
    return (
        f"{_HEAD}SELECT DISTINCT ?s ?p ?o ?g WHERE {_anywhere(f'{wanted} ?node {_LEADS_TO}/{_SELECTED} ?s . ?s ?p ?o')}"
    )


def inside(uri: str) -> str:
    """The sessions, ``?session``, that ran inside of one: they derive from it, or from an iteration, the plan or the
    decomposition of it."""
    iteration = f"STRSTARTS(STR(?outer), {literal(f'{uri}/i')})"
    wholes = f"?outer IN (<{uri}>, <{uris.plan(uri)}>, <{uris.decomposition(uri)}>)"
    found = _anywhere("?session a ?kind ; prov:wasDerivedFrom ?outer OPTIONAL { ?session prov:startedAtTime ?time }")
    where = f"{_SESSION} {found} FILTER({wholes} || {iteration})"
    return f"{_HEAD}SELECT DISTINCT ?session ?time WHERE {{ {where} }} ORDER BY ?time ?session"


def named(graph: str) -> str:
    """All that a graph says, ``?s ?p ?o ?g``."""
    return f"SELECT ?s ?p ?o ?g WHERE {{ VALUES ?g {{ <{graph}> }} GRAPH ?g {{ ?s ?p ?o }} }}"


def matching(pattern: Pattern, limit: int | None) -> str:
    """The statements, ``?s ?p ?o ?g``, that a pattern means, whose object is no quoted triple."""
    named = {"s": pattern.subject, "p": pattern.predicate, "o": pattern.object}
    wanted = " ".join(f"VALUES ?{name} {{ <{legal(iri)}> }}" for name, iri in named.items() if isinstance(iri, str))
    text = pattern.object if isinstance(pattern.object, Literal) else None
    said = "?s ?p ?o" if text is None else f"?s ?p ?o FILTER(isLiteral(?o) && STR(?o) = {literal(text.text)})"
    graph = f"VALUES ?g {{ <{legal(pattern.graph)}> }}" if pattern.graph else ""
    places = [] if pattern.graph else [f"{{ {wanted} {said} }}"]
    places += [] if pattern.graph == "" else [f"{{ {graph} {wanted} GRAPH ?g {{ {said} }} }}"]
    most = "" if limit is None else f" LIMIT {limit * len(places)}"  # a default graph may be all graphs together
    return f"SELECT ?s ?p ?o ?g WHERE {{ {' UNION '.join(places)} }}{most}"


def called(nodes: Iterable[str]) -> str:
    """The names, ``?s ?p ?o``, of these nodes."""
    wanted = f"VALUES ?s {{ {' '.join(f'<{legal(node)}>' for node in nodes)} }} VALUES ?p {{ <{v.RDFS_LABEL}> }}"
    return f"SELECT DISTINCT ?s ?p ?o WHERE {{ {wanted} {_anywhere('?s ?p ?o')} }}"


def starting(beginnings: Iterable[str], limit: int | None) -> str:
    """The sessions, ``?session``, whose IRIs begin with one of these texts."""
    wanted = " || ".join(f"STRSTARTS(STR(?session), {literal(text)})" for text in beginnings)
    most = f" LIMIT {limit}" if limit is not None else ""
    where = f"{_SESSION} {_anywhere('?session a ?kind')} FILTER({wanted})"
    return f"{_HEAD}SELECT DISTINCT ?session WHERE {{ {where} }} ORDER BY ?session{most}"


def _anywhere(pattern: str) -> str:
    return f"{{ {{ {pattern} }} UNION {{ GRAPH ?g {{ {pattern} }} }} }}"
