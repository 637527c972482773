"""An agent that is killed in the middle of a tool call has told everything up to that call."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

AGENT = """
import time
from otel_prov import install, iteration, trace_agent

install()

@trace_agent
def answer(question):
    for number in range(1, 11):
        with iteration() as step:
            step.record(thought=f"thought {number}", action="look", arguments={"at": number})
            if number == 8:
                print("acting", flush=True)
                time.sleep(600)
            step.record(observation=f"saw {number}")

answer("what is there?")
"""

TOLD = ("number", "thought", "action", "arguments", "observation", "error")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this platform")
def test_seven_finished_iterations_and_the_eighth_up_to_its_action_are_shown(tmp_path: Path) -> None:
    environment = {**os.environ, "OTEL_EXPORTER_PROV_STORE": str(tmp_path)}

    def shown() -> dict[str, object]:
        command = [sys.executable, "-m", "otel_prov.show.cli", "show", "latest", "--format", "json"]
        told: dict[str, object] = json.loads(subprocess.run(command, env=environment, capture_output=True).stdout)
        return told

    agent = subprocess.Popen([sys.executable, "-c", AGENT], env=environment, stdout=subprocess.PIPE, text=True)
    assert agent.stdout is not None
    assert agent.stdout.readline() == "acting\n"
    running = shown()
    agent.kill()
    agent.communicate()
    killed = shown()

    assert running["outcome"] == "running"
    assert killed["outcome"] == "interrupted"
    assert killed["question"] == "what is there?"
    assert killed["answer"] is None
    for told in (running, killed):
        assert [{key: step[key] for key in TOLD} for step in told["iterations"]] == [
            {
                "number": number,
                "thought": f"thought {number}",
                "action": "look",
                "arguments": {"at": number},
                "observation": f"saw {number}" if number < 8 else None,
                "error": None,
            }
            for number in range(1, 9)
        ]
