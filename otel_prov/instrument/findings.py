"""What a retrieval finds, as attributes of its span: put together as it comes, and no more than a span can carry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from typing import Any

from otel_prov import names, uris
from otel_prov.instrument.content import Content
from otel_prov.losses import lost

__all__ = ["MOST", "Attributes", "Findings"]

MOST = 1000
"""Concepts, entities, chunks and selections of one retrieval that are told one by one. All chunks are counted."""

Attributes = dict[str, str | int | list[str]]


class Findings:
    """What is known so far. What grows is told again when it has doubled, and in the end."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._lists: dict[str, list[Any]] = {}
        self._known: dict[str, set[Any]] = {}
        self._counts: dict[str, int] = {}
        self._told: dict[str, int] = {}

    @property
    def last_stage(self) -> str | None:
        """The last stage that anything is known of."""
        if names.RETRIEVAL_SELECTED in self._lists:
            return uris.FOCUS
        if self._lists.keys() & {names.RETRIEVAL_ENTITIES, names.RETRIEVAL_DOCUMENTS} or self._counts:
            return uris.EXPLORATION
        return uris.GROUNDING if names.RETRIEVAL_CONCEPTS in self._lists else None

    def add(self, concepts: Any, edges: Any, entities: Any, chunks: Any, selected: Any) -> Attributes:
        """Take in what is new. Gives the attributes that are to be set now."""
        told: Attributes = {}
        if edges is not None:
            told |= self._count(names.RETRIEVAL_EDGES, edges)
        if chunks is not None:
            told |= self._count(names.RETRIEVAL_CHUNKS, chunks)
        for attribute, values, form in (
            (names.RETRIEVAL_CONCEPTS, concepts, self._text),
            (names.RETRIEVAL_ENTITIES, entities, self._text),
            (names.RETRIEVAL_DOCUMENTS, None if isinstance(chunks, int) else chunks, self._chunk),
            (names.RETRIEVAL_SELECTED, selected, self._selection),
        ):
            if values is not None:
                self._extend(attribute, map(form, _several(values)))
                if len(self._lists[attribute]) >= 2 * self._told.get(attribute, 0):
                    told |= self._as_attribute(attribute)
        return told

    def rest(self) -> Attributes:
        """The attributes that have grown since they were told."""
        rest: Attributes = {**self._counts}
        for attribute, values in self._lists.items():
            if len(values) != self._told.get(attribute):
                rest |= self._as_attribute(attribute)
        return rest

    def _count(self, attribute: str, values: Any) -> Attributes:
        number = values if isinstance(values, int) else len(values) if isinstance(values, Sized) else 0
        count = self._counts[attribute] = self._counts.get(attribute, 0) + number
        if count < 2 * self._told.get(attribute, 0):
            return {}
        self._told[attribute] = count
        return {attribute: count}

    def _extend(self, attribute: str, values: Iterable[Any]) -> None:
        known = self._lists.setdefault(attribute, [])
        seen = self._known.setdefault(attribute, set())
        left_out = 0
        for value in values:
            if value is None or (isinstance(value, str) and value in seen):
                continue
            if len(known) >= MOST:
                left_out += 1
                continue
            if isinstance(value, str):
                seen.add(value)
            known.append(value)
        if left_out:
            lost("parts of a retrieval left out", f"more than {MOST:,} in {attribute}", left_out)

    def _as_attribute(self, attribute: str) -> Attributes:
        values = self._lists[attribute]
        self._told[attribute] = len(values)
        if attribute in (names.RETRIEVAL_CONCEPTS, names.RETRIEVAL_ENTITIES):
            return {attribute: list(values)}
        return {attribute: self._content.structure(values)}

    def _text(self, value: Any) -> str | None:
        return self._content.text(_identity(value))

    def _chunk(self, value: Any) -> dict[str, Any] | None:
        told = {"id": self._text(value), "score": _score(_part(value, "score"))}
        return {key: part for key, part in told.items() if part is not None} or None

    def _selection(self, value: Any) -> dict[str, Any] | None:
        edge = _edge(value)
        chunk = None if edge else _part(value, "chunk")
        if not edge and chunk is None:
            chunk = value
        told = {
            "edge": [self._term(term) for term in edge] if edge and self._content.captured else None,
            "chunk": None if edge else self._text(chunk),
            "concept": self._content.text(_part(value, "concept")),
            "score": _score(_part(value, "score")),
            "reasoning": self._content.text(_part(value, "reasoning")),
        }
        return {key: part for key, part in told.items() if part is not None}

    def _term(self, value: Any) -> Any:
        """A part of an edge: an IRI, a name or a text; what is known to be a text says so."""
        if isinstance(value, Mapping) or (isinstance(value, str) and hasattr(value, "datatype")):  # as rdflib has it
            text = _part(value, "value") if isinstance(value, Mapping) else str(value)
            parts = {"value": text, "datatype": _part(value, "datatype"), "language": _part(value, "language")}
            return {key: self._content.text(str(part)) for key, part in parts.items() if part is not None}
        return self._content.text(value)


def _several(values: Any) -> Iterable[Any]:
    """The values, or the one that was given in place of several. What can be read only once is left to its owner."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        return [values]
    if not isinstance(values, Sized):
        lost("parts of a retrieval left out", f"{type(values).__name__} can be read only once; give a list")
        return []
    return list(values)


def _part(value: Any, name: str) -> Any:
    """A named part of a dictionary or of an object."""
    if isinstance(value, Mapping):
        return value.get(name)
    return None if isinstance(value, str) and name not in ("datatype", "language") else getattr(value, name, None)


def _identity(value: Any) -> Any:
    """The id of a chunk or an entity that has one."""
    if isinstance(value, str):
        return str.__str__(value)
    return next((part for name in ("id", "chunk_id", "uri") if (part := _part(value, name)) is not None), value)


def _edge(value: Any) -> tuple[Any, Any, Any] | None:
    """Subject, predicate and object, whichever way they were given."""
    if (inner := _part(value, "edge")) is not None:
        value = inner
    if isinstance(value, (tuple, list)):
        return (value[0], value[1], value[2]) if len(value) == 3 else None
    for parts in (("s", "p", "o"), ("subject", "predicate", "object")):
        subject, predicate, target = (_part(value, name) for name in parts)
        if subject is not None and predicate is not None and target is not None:
            return subject, predicate, target
    return None


def _score(value: Any) -> float | None:
    try:
        score = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return score if abs(score) != float("inf") and score == score else None
