"""Sessions of agents that really ran: those of the demo, and recordings of other people's, where they are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from otel_prov import iteration, trace_agent
from otel_prov.keep import Store
from otel_prov.steps import Session

__all__ = ["RECORDINGS", "demo", "recorded"]

ROOT = Path(__file__).parents[2]
RECORDINGS = ROOT.parent / "shared" / "data" / "react_sessions.jsonl"


def demo(store: Path) -> list[Session]:
    """The sessions that ``make demo`` records, in a store of their own."""
    agent = ROOT / "examples" / "environment_agent.py"
    environment = {**os.environ, "OTEL_EXPORTER_PROV_STORE": str(store)}
    subprocess.run([sys.executable, agent], env=environment, check=True, capture_output=True, timeout=60)
    return _kept(store)


def recorded(store: Path, longest: int, every: int = 1) -> list[Session]:
    """Every n-th recording of at most so many iterations, replayed into that store: call it inside of a program."""
    for line in RECORDINGS.read_text(encoding="utf-8").splitlines()[::every]:
        recording = json.loads(line)
        if len(recording["steps"]) <= longest:
            _replay(recording["question"], recording)
    return _kept(store)


@trace_agent(name="replay", model="recorded", user="ada")
def _replay(question: str, recording: dict) -> str:
    for recorded in recording["steps"]:
        with iteration() as step:
            step.record(thought=recorded["thought"], action=recorded["action"], arguments=recorded["arguments"])
            step.record(observation=recorded["observation"])
    if recording.get("final_thought") is not None:
        with iteration() as step:
            step.record(thought=recording["final_thought"])
    return str(recording["answer"])


def _kept(folder: Path) -> list[Session]:
    with Store(folder) as store:
        store.take_in()
        sessions = [store.session(summary.uri) for summary in store.sessions(limit=None)]
    return [session for session in sessions if session]
