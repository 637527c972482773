"""The example with a retrieval inside of a tool call: what it prints is in its traces, and the traces are linked."""

from __future__ import annotations

from importlib.metadata import distributions
from pathlib import Path

from tests.examples.conftest import Reader


def test_the_answer_can_be_followed_into_the_graph(tmp_path: Path) -> None:
    reader = Reader(tmp_path / "store")
    done = reader.run("retrieval_agent.py", "What does rich need?")
    assert (done.returncode, done.stderr) == (0, "")
    agent = next(session for session in reader.sessions() if session["type"] == "agent")
    assert agent["answer"] in done.stdout
    (call,) = agent["iterations"]
    (retrieval,) = call["sub_traces"]
    assert (retrieval["type"], retrieval["concepts"], retrieval["source"]) == (
        "graph-rag",
        ["rich"],
        "installed packages",
    )
    assert retrieval["caller"] == f"{agent['uri']}/i1"
    assert call["observation"] == retrieval["answer"] == agent["answer"]
    assert call["sub_trace"] == retrieval["uri"].replace(":question:", ":prov:synthesis:")
    needed = next(package.requires or [] for package in distributions() if package.metadata["Name"].lower() == "rich")
    selected = {each["edge"]["object"].rpartition("/")[2] for each in retrieval["selected"]}
    assert "pygments" in selected
    assert any("pygments" in requirement.lower() for requirement in needed)
