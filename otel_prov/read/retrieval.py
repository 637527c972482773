"""Our own dialect: the spans of retrievals (:mod:`otel_prov.instrument.retrieval`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import orjson

from otel_prov import names
from otel_prov.read.attributes import digest, end, first, ids, text, time
from otel_prov.read.spans import Span
from otel_prov.steps import Exploration, Focus, Grounding, Question, Selection, Session, Step, Synthesis, Text, Triple
from otel_prov.uris import is_iri

__all__ = ["kind_of", "read_retrieval"]

_KINDS = {"graph": names.GRAPH_RAG, "document": names.DOCUMENT_RAG}
_STAGES: tuple[type[Any], ...] = (Grounding, Exploration, Focus, Synthesis)


def kind_of(span: Span) -> str | None:
    """Kind of the retrieval that a span is; ``None`` for another span."""
    if span.attributes.get(names.OPERATION_NAME) != names.RETRIEVAL:
        return None
    return _KINDS.get(text(span, names.RETRIEVAL_KIND) or "")


def read_retrieval(uri: str, spans: Sequence[Span]) -> Session:
    """The retrieval that these spans, each given once, tell of; as a rule there is one.

    A stage that is passed without a word is there all the same, with nothing in it: the chain is whole. Only a question
    to documents may do without a focus.
    """
    spans = sorted(spans, key=lambda span: (span.start, span.span_id))
    latest = spans[::-1]
    kind = next(kind for span in spans if (kind := kind_of(span)))
    last = next((span for span in latest if text(span, names.SESSION_OUTCOME)), None)
    outcome = text(last, names.SESSION_OUTCOME) if last else None
    known = {type(stage): stage for stage in _known(latest, outcome)}
    reached = max((_STAGES.index(stage) for stage in known), default=-1)
    passed = [
        stage for stage in _STAGES[: reached + 1] if stage in known or kind != names.DOCUMENT_RAG or stage != Focus
    ]
    asked, unasked = first(latest, names.RETRIEVAL_QUERY), digest(latest, names.RETRIEVAL_QUERY)
    steps: list[Step] = [Question(asked, time(spans[0].start), digest=unasked, **ids(spans[0]))]
    steps += [replace(known[stage] if stage in known else stage(), **ids(last or latest[0])) for stage in passed]
    return Session(
        uri,
        tuple(steps),
        kind=kind,
        caller=first(latest, names.SESSION_CALLER),
        collection=first(latest, names.COLLECTION),
        agent=first(latest, names.DATA_SOURCE),
        user=first(latest, names.USER),
        trace_id=spans[0].trace_id,
        ended=end(last) if last else None,
        outcome=outcome,
        error=last.error if last else None,
    )


def _known(spans: Sequence[Span], outcome: str | None) -> Iterator[Step]:
    """The stages that anything is said of, from the latest span on."""
    told: dict[str, Any] = {}
    for span in spans:
        told = span.attributes | told
    if (concepts := told.get(names.RETRIEVAL_CONCEPTS)) is not None:
        yield Grounding(_texts(concepts))
    explored = (names.RETRIEVAL_EDGES, names.RETRIEVAL_ENTITIES, names.RETRIEVAL_CHUNKS, names.RETRIEVAL_DOCUMENTS)
    if told.keys() & set(explored):
        edges, entities, chunks, documents = map(told.get, explored)
        ids = [document.get("id") for document in _objects(documents)]
        yield Exploration(
            edges=_number(edges),
            entities=_texts(entities or []),
            chunks=_number(chunks),
            chunk_ids=tuple(each for each in ids if isinstance(each, str)),
        )
    if (selected := told.get(names.RETRIEVAL_SELECTED)) is not None:
        yield Focus(tuple(map(_selection, _objects(selected))))
    answer = first(spans, names.SESSION_ANSWER)
    if answer is not None or outcome == names.OUTCOME_FINAL:
        yield Synthesis(answer, digest=digest(spans, names.SESSION_ANSWER))


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list) else ()


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) else None


def _objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a JSON list; what says that it was cut is none."""
    try:
        values = orjson.loads(value) if isinstance(value, str) else None
    except orjson.JSONDecodeError:
        return []
    return [each for each in values if isinstance(each, dict)] if isinstance(values, list) else []


def _selection(told: dict[str, Any]) -> Selection:
    chunk, concept, reasoning = (_text(told.get(name)) for name in ("chunk", "concept", "reasoning"))
    score = told.get("score")
    return Selection(
        edge=_edge(told.get("edge")),
        chunk=chunk,
        concept=concept,
        score=float(score) if isinstance(score, int | float) else None,
        reasoning=reasoning,
    )


def _edge(told: Any) -> Triple | None:
    if not (isinstance(told, list) and len(told) == 3 and isinstance(told[0], str) and isinstance(told[1], str)):
        return None
    subject, predicate, target = told
    if isinstance(target, dict) and isinstance(target.get("value"), str):
        datatype, language = (_text(target.get(name)) or "" for name in ("datatype", "language"))
        return Triple(subject, predicate, Text(target["value"], "" if language else datatype, language))
    if not isinstance(target, str):
        return None
    return Triple(subject, predicate, target if is_iri(target) else Text(target))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
