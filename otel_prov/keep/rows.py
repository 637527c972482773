"""Steps and sessions as rows of the database, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from datetime import datetime, timedelta, timezone
from typing import Any, get_args

import orjson

from otel_prov.steps import (
    Analysis,
    Conclusion,
    Decomposition,
    Digest,
    Exploration,
    Finding,
    Focus,
    Grounding,
    Observation,
    PatternDecision,
    Plan,
    Question,
    Selection,
    Session,
    Step,
    StepResult,
    Synthesis,
    Text,
    Triple,
    Usage,
)

__all__ = [
    "decode",
    "dump_session",
    "encode",
    "key",
    "load_session",
    "micros",
    "moment",
    "position",
    "texts",
    "writable",
]

_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Step)}
_TIMES = ("started", "ended")
_NO_TEXTS = (*_TIMES, "trace_id", "span_id", "iteration_span", "digest", "thought_digest")
_FIRST: tuple[type[Any], ...] = (Question, PatternDecision, Plan, Decomposition, Grounding, Exploration, Focus)
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND = timedelta(microseconds=1)


def key(step: Step) -> str:
    """Which step of its session it is: ``question``, ``i3``, ``i3/observation``, ``i3/observation/2``, ``final``; of a
    retrieval ``grounding``, ``exploration``, ``focus``, ``synthesis``; of a plan ``plan``, ``step/0``; of delegation
    ``decompose``, ``finding/0``; ``pattern-decision``."""
    match step:
        case Question():
            return "question"
        case Analysis():
            return f"i{step.number}"
        case Observation(call=1):
            return f"i{step.number}/observation"
        case Observation():
            return f"i{step.number}/observation/{step.call}"
        case Conclusion():
            return "final"
        case Grounding() | Exploration() | Focus() | Synthesis() | Plan():
            return type(step).__name__.lower()
        case PatternDecision():
            return "pattern-decision"
        case Decomposition():
            return "decompose"
        case StepResult() | Finding():
            return step.place


def position(step: Step) -> tuple[int, int, int]:
    """Sorts steps into their natural order."""
    match step:
        case Question() | PatternDecision() | Plan() | Decomposition() | Grounding() | Exploration() | Focus():
            return (0, _FIRST.index(type(step)), 0)
        case Analysis():
            return (1, step.number, 0)
        case Observation():
            return (1, step.number, step.call)
        case StepResult():
            return (2, step.index, 0)
        case Finding():
            return (3, step.index, 0)
        case Conclusion() | Synthesis():
            return (4, 0, 0)


def encode(step: Step) -> tuple[str, bytes]:
    """The step's kind, and its fields as JSON. Raises ``TypeError`` for what JSON can't hold."""
    return type(step).__name__, orjson.dumps(step)


def decode(kind: str, body: bytes) -> Step:
    """The step that :func:`encode` was given."""
    return _step(kind, orjson.loads(body))


def texts(body: bytes) -> list[str]:
    """All that a person or an agent wrote in an encoded step."""
    return list(_texts({name: value for name, value in orjson.loads(body).items() if name not in _NO_TEXTS}))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def dump_session(session: Session) -> bytes:
    """A whole session as JSON. Raises ``TypeError`` for what JSON can't hold."""
    return orjson.dumps({"kinds": [type(step).__name__ for step in session.steps], "session": session})


def load_session(body: bytes) -> Session:
    """The session that :func:`dump_session` was given."""
    document = orjson.loads(body)
    values = document["session"]
    steps = tuple(map(_step, document["kinds"], values.pop("steps")))
    if ended := values.get("ended"):
        values["ended"] = datetime.fromisoformat(ended)
    return Session(steps=steps, **values)


def writable(text: str) -> str:
    """The text as the database can hold it: halves of surrogate pairs, which are no characters, become ``?``."""
    return text.encode("utf-8", "replace").decode()


def micros(time: datetime | None) -> int | None:
    """Microseconds since 1970. A time without a zone is taken as UTC."""
    if time is None:
        return None
    return ((time if time.tzinfo else time.replace(tzinfo=timezone.utc)) - _EPOCH) // _MICROSECOND


def moment(microseconds: int | None) -> datetime | None:
    """The time, in UTC, that :func:`micros` was given. Raises ``OverflowError`` after the year 9999."""
    return None if microseconds is None else _EPOCH + microseconds * _MICROSECOND


def _step(kind: str, values: dict[str, Any]) -> Step:
    for name, reader in _READ[kind]:
        if (value := values.get(name)) is not None:
            values[name] = reader(value)
    step: Step = _KINDS[kind](**values)
    return step


def _selection(values: dict[str, Any]) -> Selection:
    if edge := values["edge"]:
        target = edge["object"]
        values["edge"] = Triple(**edge | {"object": Text(**target) if isinstance(target, dict) else target})
    return Selection(**values)


_READERS: dict[str, Callable[[Any], Any]] = {
    "selections": lambda values: tuple(map(_selection, values)),
    "digest": lambda values: Digest(**values),
    "thought_digest": lambda values: Digest(**values),
    "usage": lambda values: Usage(**values),
    **dict.fromkeys(("uses", "concepts", "entities", "chunk_ids", "candidates", "goals"), tuple),
    **dict.fromkeys(_TIMES, datetime.fromisoformat),
}
_READ = {
    name: [(each.name, _READERS[each.name]) for each in fields(kind) if each.name in _READERS]
    for name, kind in _KINDS.items()
}
"""The fields of each kind of step that JSON has another form for, and how that is read."""
