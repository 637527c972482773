"""``otel-prov follow``, beside a real process that writes its journal step by step."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest
from click.testing import Result

from otel_prov.record.journal import Journal

from .sessions import a_session, line, uri

Start = Callable[..., subprocess.Popen[str]]

_WRITER = """
import sys
from pathlib import Path
from otel_prov.record.journal import Journal

journal = Journal(Path(sys.argv[1]))
for line in sys.stdin.buffer:
    journal.write(line)
    print("written", flush=True)
"""


@pytest.fixture
def agent(start: Start, folder: Path) -> Agent:
    """A process that records what it is told to."""
    return Agent(start(str(folder), program=[sys.executable, "-c", _WRITER]), folder)


class Agent:
    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self.process = process
        self.folder = folder

    def record(self, *lines: bytes) -> None:
        """Returns when the lines are in the journal."""
        assert self.process.stdin
        assert self.process.stdout
        for each in lines:
            self.process.stdin.write(each.decode())
            self.process.stdin.flush()
            assert self.process.stdout.readline() == "written\n"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def until(process: subprocess.Popen[str], text: str) -> list[str]:
    """What a process prints, up to the line that has this text."""
    assert process.stdout
    lines: list[str] = []
    for printed in process.stdout:
        lines.append(printed.rstrip("\n"))
        if text in printed:
            return lines
    raise AssertionError(f"ended without {text!r}: {lines}")


def rest(process: subprocess.Popen[str]) -> list[str]:
    """All that a process still prints."""
    assert process.stdout
    return process.stdout.read().splitlines()


def test_each_part_of_a_running_session_is_told_once_as_soon_as_it_is_known(agent: Agent, start: Start) -> None:
    agent.record(line(1, "invoke_agent", question="How deep is it?"))
    follower = start("follow", "latest")
    assert until(follower, "Started")[0] == "Question         How deep is it?"

    acting = {"iteration": 1, "thought": "I measure.", "action": "measure", "arguments": "{}"}
    agent.record(line(2, "agent.iteration", **acting))
    assert until(follower, "Arguments") == [
        "",
        "Iteration 1",
        "  Thought        I measure.",
        "  Action         measure",
        "  Arguments      {}",
    ]
    agent.record(line(3, "agent.iteration", end=4, iteration=2, thought="I know it."))  # the conclusion's, it turns out
    agent.record(line(2, "agent.iteration", end=3, observation="Nine metres", **acting))
    page = f"http://localhost:16686/trace/{1:032x}?uiFind={2:016x}"
    assert until(follower, "Observation") == [f"  Span           {2:016x}  {page}", "  Observation    Nine metres"]

    agent.record(line(1, "invoke_agent", end=5, question="How deep is it?", answer="Nine metres.", outcome="final"))
    assert rest(follower) == [
        "",
        "Conclusion",
        "  Thought        I know it.",
        "  Answer         Nine metres.",
        "",
        "Duration         5.0s",
        "Outcome          final",
    ]
    assert follower.wait() == 0


def test_a_session_that_is_handed_on_is_followed_into_the_next_process(agent: Agent, start: Start) -> None:
    asked = {"question": "How deep is it?"}
    agent.record(line(1, "invoke_agent", **asked))
    follower = start("follow", "latest")
    until(follower, "Started")
    acting = {"iteration": 1, "thought": "I measure.", "action": "measure"}
    agent.record(line(2, "agent.iteration", end=2, observation="Nine metres", **acting))
    agent.record(line(1, "invoke_agent", end=3, **asked))
    agent.kill()
    assert until(follower, "Observation")[-1] == "  Observation    Nine metres"

    journal = Journal(agent.folder)  # the next process is this one
    journal.write(line(3, "invoke_agent", end=5, answer="Nine metres.", outcome="final", **asked))
    journal.close()
    assert rest(follower)[-1] == "Outcome          final"
    assert follower.wait() == 0


def test_an_interrupted_session_ends_it_and_is_said_to_be(agent: Agent, start: Start) -> None:
    agent.record(line(1, "invoke_agent", question="How deep is it?"))
    follower = start("follow", uri(1))
    until(follower, "Started")
    agent.kill()
    assert rest(follower) == ["Outcome          interrupted: its process ended before the session did"]
    assert follower.wait() == 0


def test_without_a_reference_it_waits_for_the_next_session(
    agent: Agent, start: Start, keep: Callable[..., None]
) -> None:
    keep(a_session(1, steps=()))
    follower = start("follow")
    assert follower.stderr
    assert follower.stderr.readline() == "Waiting for a session to start; Ctrl-C stops.\n"
    agent.record(line(1, "invoke_agent", number=2, begin=datetime.now(timezone.utc), question="Is it new?"))
    assert until(follower, "Question") == ["Question         Is it new?"]


def test_a_session_that_has_ended_is_told_at_once(keep: Callable[..., None], call: Callable[..., Result]) -> None:
    keep(a_session(1))
    followed = call("follow", "latest").stdout
    assert followed.endswith("Outcome          final\n")
    shown, _, _ = call("show", "latest").stdout.partition("\nGraph ")
    assert set(followed.splitlines()) == set(shown.splitlines())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send to one process")
def test_ctrl_c_ends_it_quietly(folder: Path, start: Start) -> None:
    journal = Journal(folder)
    journal.write(line(1, "invoke_agent", question="How deep is it?"))
    follower = start("follow", "latest")
    until(follower, "Started")
    follower.send_signal(signal.SIGINT)
    out, err = follower.communicate()
    assert (follower.returncode, out, err.strip()) == (130, "", "")
    journal.close()
