"""``otel-prov follow`` and ``show`` beside a real agent in whose tool calls retrievals and another agent run."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Callable

import pytest
from click.testing import Result
from rich.console import Console

from otel_prov.names import GRAPH_RAG, session_uri
from otel_prov.show.follow import Teller
from otel_prov.show.nested import Tree
from otel_prov.show.page import Page
from otel_prov.steps import Analysis, Grounding, Question, Session, Step, Synthesis

from .test_follow import rest, until

Start = Callable[..., subprocess.Popen[str]]
Call = Callable[..., Result]

S = session_uri("1")

_AGENT = """
import otel_prov
from otel_prov import current_retrieval, install, session, trace_agent, trace_retrieval

install()

def pause():
    print("waiting", flush=True)
    input()

@trace_agent(name="inner")
def helper(question):
    with otel_prov.iteration() as step:
        step.record(thought="I look.", action="look", arguments={})
        pause()
        step.record(observation="Rain.")
    return "It rains."

with session("Where is pump 7?") as run:
    with run.iteration() as step:
        step.record(thought="I ask.", action="ask", arguments={"question": "pump 7"})
        with trace_retrieval("Where?", source="plant") as found:
            found.record(concepts=["place"])
            pause()
            found.record(selected=[{"edge": ("urn:pump:7", "urn:in", "the hall")}])
            pause()
            found.record(selected=[{"edge": ("urn:hall", "urn:in", "the north")}], answer="In the hall.")
        pause()
        step.record(observation="hall")
    with run.iteration() as step:
        step.record(action="help", arguments={})
        helper("How is the weather?")
        step.record(observation="rain")
    run.record(answer="In the hall; it rains.")
"""


class Agent:
    """The agent, which goes on when it is told to."""

    def __init__(self, start: Start) -> None:
        self.process = start(program=[sys.executable, "-c", _AGENT])

    def stops(self) -> None:
        """It has come to where it waits; whatever it did before is on disk."""
        assert self.process.stdout
        assert self.process.stdout.readline() == "waiting\n"

    def goes_on(self) -> None:
        assert self.process.stdin
        self.process.stdin.write("\n")
        self.process.stdin.flush()


@pytest.fixture
def agent(start: Start, folder: object, monkeypatch: pytest.MonkeyPatch) -> Agent:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_TRACE_URL", "none")
    return Agent(start)


def told(lines: list[str]) -> list[str]:
    """Lines without what differs from run to run."""
    lines = [re.sub(r"(urn:trustgraph:\w+:)[0-9a-f-]{36}", r"\1…", line) for line in lines]
    return [line for line in lines if line and not line.strip().startswith(("Started", "Trace", "Duration"))]


def test_what_runs_inside_of_a_tool_call_is_told_under_it_while_it_runs(agent: Agent, start: Start) -> None:
    agent.stops()
    follower = start("follow", "latest")
    assert told(until(follower, "Concepts"))[-7:] == [
        "Iteration 1",
        "  Thought        I ask.",
        "  Action         ask",
        "  Arguments      question: pump 7",
        "      GraphRAG       Where?",
        "      Session        urn:trustgraph:question:…",
        "      Concepts       place",
    ]
    agent.goes_on()
    agent.stops()
    assert until(follower, "Selected") == ["      Selected       pump:7 → in → the hall"]
    agent.goes_on()
    agent.stops()
    assert until(follower, "Answer") == [
        "      Selected       hall → in → the north",
        "      Answer         In the hall.",
    ]
    agent.goes_on()
    agent.stops()
    assert told(until(follower, "      Action")) == [
        "  Observation    hall",
        "Iteration 2",
        "  Action         help",
        "  Arguments      {}",
        "      Agent          How is the weather?",
        "      Session        urn:trustgraph:agent:…",
        "      Iteration 1",
        "      Thought        I look.",
        "      Action         look",
    ]
    agent.goes_on()
    assert told(rest(follower)) == [
        "      Arguments      {}",
        "      Observation    Rain.",
        "      Conclusion",
        "      Answer         It rains.",
        "  Observation    rain",
        "Conclusion",
        "  Answer         In the hall; it rains.",
        "Outcome          final",
    ]


def test_what_waits_is_said_where_it_waits_and_what_was_interrupted_where_it_was(agent: Agent, call: Call) -> None:
    for _ in range(3):
        agent.stops()
        agent.goes_on()
    agent.stops()
    running = told(call("show", "latest").stdout.splitlines())
    assert "Outcome          running: it goes on" in running
    assert running[-7:] == [
        "      Outcome        running: it goes on",
        "      Iteration 1",
        "      Thought        I look.",
        "      Action         look",
        "      Arguments      {}",
        "      Observation    (none yet)",
        "  Observation    (none yet)",
    ]
    agent.process.kill()
    agent.process.wait()
    interrupted = told(call("show", "latest").stdout.splitlines())
    assert "Outcome          interrupted: its process ended before the session did" in interrupted
    assert [line for line in interrupted if "interrupted" in line][1:] == [
        "      Outcome        interrupted: its process ended before the session did",
        "      Observation    (none: the session was interrupted here)",
        "  Observation    (none: the session was interrupted here)",
    ]
    assert "      Answer         In the hall." in interrupted  # what had ended before is whole


def test_a_retrieval_that_waits_for_its_answer_says_so(agent: Agent, call: Call) -> None:
    agent.stops()
    assert "      Answer         (none yet)" in call("show", "latest").stdout.splitlines()
    assert call("show", "latest", "--format", "mermaid").stdout.count("-->") == 3
    agent.process.kill()
    agent.process.wait()
    assert "      Answer         (none: the session was interrupted here)" in call("show", "latest").stdout.splitlines()


def test_parallel_sub_traces_are_told_apart_by_their_headings() -> None:
    def retrieval(name: str, *steps: Step) -> Session:
        question = Question(f"Where is {name}?")
        return Session(session_uri(name, GRAPH_RAG), (question, *steps), kind=GRAPH_RAG, caller=f"{S}/i1")

    outer = Session(S, (Question("?"), Analysis(1, action="ask")), outcome="running")
    screen = Console(file=io.StringIO(), width=200)
    teller = Teller(Page(screen))
    one, two = Grounding(("same",)), Grounding(("same",))
    for a, b in [((), ()), ((one,), ()), ((one,), (two,)), ((one, Synthesis("here")), (two,))]:
        teller.tell(Tree(outer, (Tree(retrieval("a", *a)), Tree(retrieval("b", *b)))))
        teller.tell(Tree(outer, (Tree(retrieval("a", *a)), Tree(retrieval("b", *b)))))
    assert isinstance(screen.file, io.StringIO)
    lines = [line.strip() for line in screen.file.getvalue().splitlines()]
    assert lines[4:] == [
        "Action         ask",
        "GraphRAG       Where is a?",
        "Session        urn:trustgraph:question:a",
        "GraphRAG       Where is b?",
        "Session        urn:trustgraph:question:b",
        "GraphRAG       Where is a?",
        "Concepts       same",
        "GraphRAG       Where is b?",
        "Concepts       same",
        "GraphRAG       Where is a?",
        "Answer         here",
    ]
