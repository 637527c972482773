"""Sessions to be done again (replay.py), and what TrustGraph's own programs and builders make of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from otel_prov_exporter_pulsar.literals import LIMIT, cut
from trustgraph.provenance import agent as builders
from trustgraph.provenance import uris
from trustgraph.schema import Triple

from tests.test_real_sessions import RECORDINGS

__all__ = [
    "Recording",
    "Statement",
    "as_json",
    "as_text",
    "by_builders",
    "ours",
    "over_the_bus",
    "own",
    "real",
    "texts",
]

Recording = dict[str, Any]
"""``question``, ``steps``, perhaps ``final_thought``, ``answer``. A step has a ``thought``, which may be ``None``,
``action``, ``arguments``, ``observation``, and perhaps the ``error`` that its tool failed with."""
Statement = tuple[str, str, tuple[str, str]]
"""Subject, predicate, and object with its kind, ``i`` or ``l``."""

_SHOWN: Final = 10_000  # characters of a document that tg-show-explain-trace prints
_CONTENT: Final = "https://trustgraph.ai/ns/content"


def own() -> dict[str, Recording]:
    """Sessions with all that may come up, by their ids."""

    def step(number: int, **told: Any) -> dict[str, Any]:
        common = {"thought": f"I try {number}.", "action": "look", "arguments": {"at": number}}
        return {**common, "observation": f"seen {number}", **told}

    everything = [
        step(
            1, thought="Where?\n\nThere: “Zürich” \\ 東京.", arguments={"city": "Zürich", "deep": {"list": [1, None]}}
        ),
        step(2, action="open", observation="Error: it is locked.", error="no key"),
        step(3, thought=None, arguments={}, observation="  indented\n\ttabbed\n\nlast"),
    ]
    long = [step(1, observation="é€😀 " * 4_000 + "the end"), step(2, thought="x" * LIMIT + "y")]
    return {
        "everything": {
            "question": 'Which "city"?\nAnd why?',
            "steps": everything,
            "final_thought": "That will do.",
            "answer": "Zürich.\nBecause of 東京.",
        },
        "at-once": {"question": "What is 1 + 1?", "steps": [], "final_thought": "Easy.", "answer": "2"},
        "long": {"question": "What is long?", "steps": long, "answer": "é" * 6_000},
        "most": {"question": "How far?", "steps": [step(number) for number in range(1, 25)], "answer": "So far."},
    }


def over_the_bus() -> dict[str, Recording]:
    """A session with a text that the graph has no room for."""
    step = {"thought": "Where?", "action": "look", "arguments": {}, "observation": "Zürich 東京 " * 1_000 + "the end"}
    return {"over-the-bus": {"question": "Which way?", "steps": [step], "answer": "Over the bus."}}


def real(number: int) -> dict[str, Recording]:
    """Recorded sessions of two iterations and more, by their ids; none where the recordings are absent.

    For each number of iterations first the one with the longest text, then the one with the second longest, and so on.
    """
    if not RECORDINGS.exists():
        return {}
    by_length: dict[int, list[tuple[int, str, Recording]]] = {}
    for place, line in enumerate(RECORDINGS.read_text().splitlines()):
        recording = json.loads(line)
        if len(recording["steps"]) > 1:
            longest = max(map(len, texts("", recording).values()))
            by_length.setdefault(len(recording["steps"]), []).append((longest, f"real-{place}", recording))
    ranked = [
        (rank, -longest, name, recording)
        for several in by_length.values()
        for rank, (longest, name, recording) in enumerate(sorted(several, key=lambda each: each[:2], reverse=True))
    ]
    return {name: recording for _, _, name, recording in sorted(ranked, key=lambda each: each[:3])[:number]}


def texts(uri: str, recording: Recording) -> dict[str, str]:
    """The texts of a session that TrustGraph keeps in its librarian, by the ids of their documents."""
    found = {f"{uri}/answer": recording["answer"], f"{uri}/final/thought": recording.get("final_thought")}
    for number, step in enumerate(recording["steps"], 1):
        found |= {f"{uri}/i{number}/thought": step["thought"], f"{uri}/i{number}/observation": step["observation"]}
    return {id: text for id, text in found.items() if text is not None}


def as_text(uri: str, recording: Recording, time: str) -> str:
    """What ``tg-show-explain-trace`` prints."""
    return "\n".join(_lines(uri, recording, time)) + "\n"


def _lines(uri: str, recording: Recording, time: str) -> Iterator[str]:
    yield from (f"=== Agent Session: {uri} ===", "", f"Question: {recording['question']}", f"Time: {time}", "")
    for number, step in enumerate(recording["steps"], 1):
        yield from ("--- Analysis ---", f"  Action: {step['action']}", "  Arguments:")
        yield from (f"    {line}" for line in json.dumps(step["arguments"], indent=4).split("\n"))
        yield from ("", "--- Observation ---")
        yield from _document("Content", step["observation"], f"{uri}/i{number}/observation")
    yield "--- Conclusion ---"
    yield from _document("Answer", recording["answer"], f"{uri}/answer")


def _document(label: str, text: str, id: str) -> Iterator[str]:
    shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "... [truncated]"
    if shown:
        yield f"{label}:"
        yield from (f"  {line}" for line in shown.split("\n"))
    else:
        yield f"Document: {id}"
    yield ""


def as_json(uri: str, recording: Recording, time: str) -> dict[str, Any]:
    """What ``tg-show-explain-trace --format json`` prints."""
    steps: list[dict[str, Any]] = []
    for number, step in enumerate(recording["steps"], 1):
        node = f"{uri}/i{number}"
        steps += [
            {
                "type": "analysis",
                "id": node,
                "action": step["action"],
                "arguments": json.dumps(step["arguments"]),
                "thought": "" if step["thought"] is None else f"{node}/thought",
            },
            {"type": "observation", "id": f"{node}/observation", "document": f"{node}/observation"},
        ]
    steps.append({"type": "conclusion", "id": f"{uri}/final", "document": f"{uri}/answer"})
    return {"type": "agent", "session_id": uri, "question": recording["question"], "time": time, "steps": steps}


def by_builders(name: str, recording: Recording, time: str) -> set[Statement]:
    """The session as TrustGraph's own agent tells it, in the order of ``trustgraph/agent/react/service.py``, with what
    its orchestrator tells besides (``trustgraph/agent/orchestrator/react_pattern.py``) but for lengths of time."""
    session = uris.agent_session_uri(name)
    told = builders.agent_session_triples(session, recording["question"], time)
    previous = None
    for number, step in enumerate(recording["steps"], 1):
        node, observation = uris.agent_iteration_uri(name, number), uris.agent_observation_uri(name, number)
        thought = None if step["thought"] is None else uris.agent_thought_uri(name, number)
        place = {"previous_uri": previous} if previous else {"question_uri": session}
        told += builders.agent_iteration_triples(
            node,
            action=step["action"],
            arguments=step["arguments"],
            thought_uri=thought,
            thought_document_id=thought,
            step_number=number,
            **place,
        )
        error = f"LookupError: {step['error']}" if "error" in step else None
        told += builders.agent_observation_triples(observation, node, observation, tool_error=error)
        previous = observation
    place = {"previous_uri": previous} if previous else {"question_uri": session}
    told += builders.agent_final_triples(
        uris.agent_final_uri(name), document_id=f"{session}/answer", termination_reason="final-answer", **place
    )
    return {_statement(triple) for triple in told}


def _statement(triple: Triple) -> Statement:
    target = triple.o
    return triple.s.iri, triple.p.iri, (target.type, target.iri or cut(target.value, LIMIT))


def ours(name: str, recording: Recording) -> set[Statement]:
    """What we add to that on purpose: the texts, as long as they may be, and the thought before the answer."""
    session = uris.agent_session_uri(name)
    final = uris.agent_final_uri(name)
    added: set[Statement] = set()
    for id, text in texts(session, recording).items():
        added.add((final if id == f"{session}/answer" else id, _CONTENT, ("l", cut(text, LIMIT))))
    if recording.get("final_thought") is not None:
        # The same as of an iteration's thought, so its builder knows.
        thought = builders.agent_iteration_triples(
            final, thought_uri=f"{final}/thought", thought_document_id=f"{final}/thought"
        )
        added |= {each for each in map(_statement, thought) if "/thought" in each[0] or "/thought" in each[2][1]}
    return added
