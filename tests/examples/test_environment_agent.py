"""The first example: what it prints, and what its sessions tell, are the same."""

from __future__ import annotations

from importlib.metadata import distributions, version
from textwrap import dedent
from typing import Any

import pytest

from tests.examples.conftest import Reader


def printed(output: str) -> dict[str, str]:
    """The questions that the example printed, each with its answer."""
    pairs = [paragraph.partition("\n") for paragraph in output.split("\n\n")]
    return {question: dedent(answer) for question, _, answer in pairs if answer and "Run:" not in question}


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[Any]]:
    """What it printed when it was run as it is, and the sessions of that run."""
    reader = Reader(tmp_path_factory.mktemp("reader") / "store")
    done = reader.run("environment_agent.py")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout, reader.sessions()


def test_sessions_tell_the_questions_and_answers_that_it_printed(whole_run: tuple[str, list[Any]]) -> None:
    output, sessions = whole_run

    assert len(sessions) == 8
    assert {session["question"]: session["answer"] for session in sessions} == printed(output)


def test_every_session_comes_to_its_answer_in_several_iterations(whole_run: tuple[str, list[Any]]) -> None:
    _, sessions = whole_run

    assert [session["outcome"] for session in sessions] == ["final"] * 8
    assert all(2 <= len(session["iterations"]) <= 6 for session in sessions)
    assert all(session["thought"] for session in sessions)


def test_each_iteration_has_thought_action_arguments_and_observation(reader: Reader) -> None:
    reader.run("environment_agent.py", "How many times larger is rich than click?")

    (session,) = reader.sessions()
    first, second, third = session["iterations"]
    assert (first["number"], first["thought"], first["action"]) == (1, "How large is rich?", "look_up")
    assert first["arguments"] == {"package": "rich", "field": "bytes"}
    assert second["arguments"] == {"package": "click", "field": "bytes"}
    assert third["action"] == "calculate"
    assert third["arguments"] == {"expression": f"{first['observation']} / {second['observation']}"}
    assert f"{float(third['observation']):.1f} times" in session["answer"]


def test_it_observes_an_error_and_finds_another_way(reader: Reader) -> None:
    done = reader.run("environment_agent.py", "Which version of the OpenTelemetry SDK is here, and what does it need?")

    (session,) = reader.sessions()
    failed, *others = session["iterations"]
    assert failed["error"] == "LookupError: no package is named 'OpenTelemetry SDK'"
    assert failed["observation"] == "Error: no package is named 'OpenTelemetry SDK'"
    assert [iteration["error"] for iteration in others] == [None] * len(others)
    assert session["outcome"] == "final"
    assert f"opentelemetry-sdk {version('opentelemetry-sdk')}" in done.stdout


def test_its_answers_are_those_of_this_environment(reader: Reader) -> None:
    done = reader.run("environment_agent.py", "How many packages do I have, and how many megabytes are they together?")

    names = {package.metadata["Name"].lower().replace("_", "-").replace(".", "-") for package in distributions()}
    assert f"    {len(names)} packages, " in done.stdout


def test_it_says_what_it_did_not_find(reader: Reader) -> None:
    done = reader.run("environment_agent.py", "Which version of No Such Thing is here, and what does it need?")

    assert "No Such Thing is not installed." in done.stdout


def test_it_says_that_it_has_no_rule_for_a_question(reader: Reader) -> None:
    done = reader.run("environment_agent.py", "Will it rain?")

    (session,) = reader.sessions()
    assert session["iterations"] == []
    assert session["thought"] == "None of my rules fits this question."
    assert printed(done.stdout) == {"Will it rain?": session["answer"]}
