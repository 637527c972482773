"""Random sessions, as a running agent may leave them: parts missing, texts odd."""

from __future__ import annotations

from datetime import timezone
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from otel_prov.names import AGENT, DOCUMENT_RAG, GRAPH_RAG, session_uri
from otel_prov.steps import (
    Analysis,
    Conclusion,
    Exploration,
    Focus,
    Grounding,
    Observation,
    Question,
    Selection,
    Session,
    Step,
    Synthesis,
    Text,
    Triple,
    Usage,
    in_line,
)

calm = settings(deadline=None)
"""For tests that may run on a busy machine."""

AWKWARD = [
    "",
    '"',
    "\\",
    '\n\\"',
    '"""\n',
    "'\"\n",
    "\r\n",
    "\t",
    "\x00\x1b[31m\x7f",
    "\x85\u2028",
    "\ufeff",
    "\\u0041",
    "😀",
]

texts = st.text(st.characters(exclude_categories=["Cs"])) | st.lists(st.sampled_from(AWKWARD), max_size=4).map("".join)
maybe = st.none() | texts
questions = st.builds(Question, maybe, st.none() | st.datetimes(timezones=st.just(timezone.utc)))


@st.composite
def uses(draw: st.DrawFn, before: int) -> tuple[int, ...] | None:
    """What was used of the iterations before a number, where it isn't just the one before."""
    numbers = tuple(sorted(draw(st.sets(st.integers(1, before - 1), max_size=3)))) if before > 1 else ()
    return None if numbers == in_line(before) or draw(st.booleans()) else numbers


@st.composite
def detected(draw: st.DrawFn, before: int) -> tuple[int, ...] | None:
    """What was seen to be used of the iterations before a number."""
    return tuple(sorted(draw(st.sets(st.integers(1, before - 1), max_size=3)))) or None if before > 1 else None


ids = st.uuids().map(lambda id: id.hex)
callers = st.builds(lambda id, number: f"{session_uri(id)}/i{number}", ids, st.integers(1, 99))
inner_nodes = (
    st.builds("urn:trustgraph:prov:{}:{}".format, st.sampled_from(["synthesis", "focus", "grounding"]), ids)
    | st.builds("urn:trustgraph:docrag:{}/synthesis".format, ids)
    | st.builds("urn:trustgraph:agent:{}/final".format, ids)
)
iris = st.sampled_from(["urn:a", "https://example.org/Zürich#x", "http://example.org/a%20b?c=d", "urn:chunk:1"])
resources = iris | texts
"""What has an IRI, and what has but a name."""
objects = (
    iris
    | st.builds(Text, texts)
    | st.builds(Text, texts, st.just("urn:type"))
    | st.builds(Text, texts, language=st.sampled_from(["en", "de-ch"]))
)
edges = st.builds(Triple, resources, resources, objects)
selections = st.builds(
    Selection,
    st.none() | edges,
    st.none() | resources,
    maybe,
    st.none() | st.floats(allow_nan=False, allow_infinity=False),
    maybe,
)
several = st.lists(resources, max_size=3).map(tuple)
counts = st.none() | st.integers(0, 10**12)
STAGES = (
    st.builds(Grounding, st.lists(texts, max_size=3).map(tuple)),
    st.builds(Exploration, counts, several, counts, several),
    st.builds(Focus, st.lists(selections, max_size=3).map(tuple)),
    st.builds(Synthesis, maybe),
)


@st.composite
def retrievals(draw: st.DrawFn) -> Session:
    """A retrieval, some of its stages missing."""
    kind = draw(st.sampled_from([GRAPH_RAG, DOCUMENT_RAG]))
    has_question = draw(st.booleans())
    steps: list[Step] = [draw(questions)] if has_question else []
    steps += [draw(stage) for stage in STAGES if draw(st.booleans())]
    if not steps:
        steps.append(draw(STAGES[0]))
    caller = draw(st.none() | callers) if has_question else None
    return Session(session_uri(draw(ids), kind), tuple(steps), kind=kind, caller=caller)


usages = st.none() | st.builds(Usage, maybe, counts, counts).filter(lambda usage: usage != Usage())
candidates = st.lists(texts, max_size=3).map(tuple)


@st.composite
def iterations(draw: st.DrawFn, number: int, shape: str) -> list[Step]:
    """An analysis and its observations, some of them missing."""
    steps: list[Step] = []
    if draw(st.booleans()):
        thinking: dict[str, Any] = {"candidates": draw(candidates), "usage": draw(usages)}
        told = draw(maybe), draw(maybe), draw(maybe), draw(uses(number))
        steps.append(Analysis(number, *told, detected=draw(detected(number)), **thinking))
    for call in sorted(draw(st.sets(st.integers(1, 3)))):
        text, error = draw(maybe), draw(maybe)
        inner = draw(st.none() | inner_nodes) if shape == "trustgraph" else None  # the others can't express it
        if call > 1:
            steps.append(Observation(number, text, error, call, draw(maybe), draw(maybe), sub_trace=inner))
        elif shape == "trustgraph" or (text, error) != (None, None):  # nor that
            steps.append(Observation(number, text, error, sub_trace=inner))
    return steps


@st.composite
def sessions(draw: st.DrawFn, shape: str = "agent-session") -> Session:
    """A session that the shape can express."""
    steps: list[Step] = [draw(questions)] if draw(st.booleans()) else []
    for number in sorted(draw(st.sets(st.integers(1, 12), max_size=4))):
        steps += draw(iterations(number, shape))
    if not steps or draw(st.booleans()):
        last = max((step.number for step in steps if isinstance(step, Analysis | Observation)), default=0)
        told = draw(maybe), draw(maybe), draw(uses(last + 1))
        steps.append(Conclusion(*told, detected=draw(detected(last + 1)), usage=draw(usages)))
    caller = draw(st.none() | callers) if isinstance(steps[0], Question) else None
    return Session(session_uri(draw(ids), AGENT), tuple(steps), caller=caller)
