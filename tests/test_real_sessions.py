"""Recorded sessions of real agents, replayed through the decorator, are found again whole wherever they go.

The recordings are other people's texts, so they are not part of the project; where they are absent this is skipped.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from otel_prov import iteration, trace_agent
from otel_prov.describe.formats import read_file
from otel_prov.keep import Store
from otel_prov.steps import Analysis, Observation
from tests.command import invoke
from tests.conftest import Program

RECORDINGS = Path(__file__).parents[2] / "shared" / "data" / "react_sessions.jsonl"

pytestmark = pytest.mark.skipif(not RECORDINGS.exists(), reason=f"no recorded sessions in {RECORDINGS.parent}")


@trace_agent(name="replay", session_id=lambda question, recording, number: f"{recording['source']}-{number}")
def replay(question: str, recording: dict[str, Any], number: int) -> str:
    for recorded in recording["steps"]:
        with iteration() as step:
            step.record(thought=recorded["thought"], action=recorded["action"], arguments=recorded["arguments"])
            step.record(observation=recorded["observation"])
    if recording.get("final_thought") is not None:
        with iteration() as step:
            step.record(thought=recording["final_thought"])
    return str(recording["answer"])


@pytest.fixture
def recordings(program: Program) -> dict[str, dict[str, Any]]:
    """All recordings by the URI of the session that replayed them, and a store that has taken them in."""
    recordings = {}
    for number, line in enumerate(RECORDINGS.read_text().splitlines()):
        recording = json.loads(line)
        replay(recording["question"], recording, number)
        recordings[f"urn:trustgraph:agent:{recording['source']}-{number}"] = recording
    with Store(program.store) as store:
        store.take_in()
    return recordings


def test_every_recorded_session_is_found_again_by_the_command_line(
    program: Program, recordings: dict[str, dict[str, Any]]
) -> None:
    assert len(recordings) == 675
    for uri, recording in recordings.items():
        shown = invoke("--store", program.store, "show", uri, "--format", "json")
        told = json.loads(shown.stdout)
        keys = ("thought", "action", "arguments", "observation")
        assert [{key: step[key] for key in keys} for step in told["iterations"]] == [
            {key: step[key] for key in keys} for step in recording["steps"]
        ]
        assert told["question"] == recording["question"]
        assert told["answer"] == recording["answer"]
        assert told["thought"] == recording.get("final_thought")
        assert told["outcome"] == "final"


@pytest.mark.parametrize("shape", ["agent-session", "question-analysis", "trustgraph"])
def test_every_recorded_session_is_found_again_in_each_shape(
    program: Program, recordings: dict[str, dict[str, Any]], tmp_path: Path, shape: str
) -> None:
    file = tmp_path / "all.nq"
    exported = invoke("--store", program.store, "export", "-o", file, "--shape", shape)
    assert exported.exit_code == 0, exported.output
    sessions = read_file(file)
    assert {session.uri for session in sessions} == set(recordings)
    for session in sessions:
        recording = recordings[session.uri]
        analyses = [(a.thought, a.action, json.loads(a.arguments or "null")) for a in session.of(Analysis)]
        assert analyses == [(s["thought"], s["action"], s["arguments"]) for s in recording["steps"]]
        assert [o.text for o in session.of(Observation)] == [s["observation"] for s in recording["steps"]]
        assert session.question.text == recording["question"]
        assert session.conclusion is not None
        assert session.conclusion.answer == recording["answer"]
        assert session.conclusion.thought == recording.get("final_thought")
