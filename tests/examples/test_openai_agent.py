"""The second example: a model thinks, here a stand-in that answers over HTTP."""

from __future__ import annotations

import itertools
from importlib.metadata import version

import pytest

from tests.examples.conftest import Reader
from tests.examples.endpoint import Endpoint, calling, saying

pytest.importorskip("openai", reason="the extra 'examples' is not installed")


def test_without_an_endpoint_it_says_what_to_set(reader: Reader) -> None:
    reader.settings = {"OPENAI_API_KEY": "none"}

    done = reader.run("openai_agent.py")

    assert done.returncode == 0
    assert done.stdout.startswith("Skipped: ")
    assert "OPENAI_BASE_URL, OPENAI_MODEL" in done.stdout
    assert not reader.store.exists()


def test_the_session_tells_what_the_model_thought_and_what_the_tools_said(reader: Reader, endpoint: Endpoint) -> None:
    endpoint.will(
        [
            calling(("look_up", '{"package": "click", "field": "version"}'), thought="I look it up."),
            saying("It is the one that you have."),
        ]
    )

    done = reader.run("openai_agent.py", "Which", "click", "is", "this?")

    session = reader.look("show", "latest", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("It is the one that you have.\n")
    assert session["question"] == "Which click is this?"
    assert session["answer"] == "It is the one that you have."
    assert (session["outcome"], session["agent"], session["model"]) == ("final", "openai-agent", "stand-in")
    told = ("number", "thought", "action", "arguments", "observation", "error")
    assert [{key: step[key] for key in told} for step in session["iterations"]] == [
        {
            "number": 1,
            "thought": "I look it up.",
            "action": "look_up",
            "arguments": {"package": "click", "field": "version"},
            "observation": version("click"),
            "error": None,
        }
    ]


def test_a_malformed_call_is_observed_and_the_model_can_do_better(reader: Reader, endpoint: Endpoint) -> None:
    endpoint.will(
        [
            calling(("look_up", '{"package": "click", "field')),
            calling(("look-up", '{"package": "click"}')),
            calling(("look_up", '{"package": "click"}')),
            calling(("look_up", '{"package": "click", "field": "version"}')),
            saying("Done."),
        ]
    )

    reader.run("openai_agent.py")

    session = reader.look("show", "latest", "--format", "json")
    torn, misspelled, incomplete, right = session["iterations"]
    assert torn["arguments"] == '{"package": "click", "field'
    assert torn["error"].startswith("JSONDecodeError: Unterminated string")
    assert misspelled["error"].startswith("LookupError: there is no tool 'look-up', only survey, look_up")
    assert incomplete["error"].startswith("TypeError: look_up() missing 1 required positional argument: 'field'")
    assert (right["observation"], right["error"]) == (version("click"), None)
    assert session["outcome"] == "final"


def test_calls_made_at_once_are_calls_of_one_iteration(reader: Reader, endpoint: Endpoint) -> None:
    names = ("rich", "click")
    endpoint.will(
        [
            calling(*(("look_up", f'{{"package": "{name}", "field": "version"}}') for name in names)),
            saying("Two versions."),
        ]
    )

    reader.run("openai_agent.py")

    (iteration,) = reader.look("show", "latest", "--format", "json")["iterations"]
    (further,) = iteration["calls"]
    assert (iteration["arguments"]["package"], iteration["observation"]) == ("rich", version("rich"))
    assert (further["arguments"]["package"], further["observation"]) == ("click", version("click"))


def test_the_model_is_told_the_tools_and_what_each_call_came_back_with(reader: Reader, endpoint: Endpoint) -> None:
    call = calling(("find", '{"text": "click"}'), ("find", "[]"))
    endpoint.will([call, saying("Found.")])

    reader.run("openai_agent.py")

    first, second = endpoint.requests
    told = {tool["function"]["name"]: tool["function"] for tool in first["tools"]}
    assert told["find"]["parameters"]["required"] == ["text"]
    assert "names have all the words" in told["find"]["description"]
    assistant, found, failed = second["messages"][2:]
    assert assistant["tool_calls"] == call["tool_calls"]
    assert [found["tool_call_id"], failed["tool_call_id"]] == [made["id"] for made in call["tool_calls"]]
    assert found["content"] == '["click"]'
    assert "Error: " in failed["content"]


def test_a_model_that_never_answers_reaches_the_limit(reader: Reader, endpoint: Endpoint) -> None:
    endpoint.will(calling(("find", '{"text": "click"}')) for _ in itertools.count())

    done = reader.run("openai_agent.py")

    session = reader.look("show", "latest", "--format", "json")
    assert session["outcome"] == "max_iterations"
    assert len(session["iterations"]) == len(endpoint.requests) == 12
    assert done.stdout.startswith("I gave up after 12 iterations.")


def test_an_endpoint_that_refuses_ends_the_session_with_its_words(reader: Reader, endpoint: Endpoint) -> None:
    endpoint.will([calling(("find", '{"text": "click"}'))])

    done = reader.run("openai_agent.py")

    session = reader.look("show", "latest", "--format", "json")
    assert done.returncode == 1
    assert done.stderr.startswith("The endpoint failed: ")
    assert "Traceback" not in done.stderr
    assert session["outcome"] == "error"
    assert "this key is not known" in session["error"]
    assert session["iterations"][0]["observation"] == '["click"]'
