"""The same loop and the same tools, with a model to think: that of any OpenAI-compatible endpoint.

    pip install 'otel-prov[examples]'
    export OPENAI_BASE_URL=http://localhost:11434/v1 OPENAI_API_KEY=none OPENAI_MODEL=qwen3
    python examples/openai_agent.py "Which of my packages are under the MIT licence?"

Without an endpoint it says what to set, and ends.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from environment_tools import TOOLS, act

from otel_prov import current_session, install, iteration, trace_agent

if TYPE_CHECKING:
    from openai import OpenAI

SETTINGS = ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL")
MODEL = os.environ.get("OPENAI_MODEL", "")
TASK = "You answer questions about the Python environment that you run in. Look with the tools; guess nothing."
MOST_ITERATIONS = 12


@trace_agent(name="openai-agent", model=MODEL)
def answer(question: str, client: OpenAI) -> str:
    """Let the model think, act, observe, and again, until it calls no more tools."""
    messages: list[Any] = [{"role": "system", "content": TASK}, {"role": "user", "content": question}]
    tools: list[Any] = [described(function) for function in TOOLS.values()]
    for _ in range(MOST_ITERATIONS):
        with iteration() as step:
            reply = client.chat.completions.create(model=MODEL, messages=messages, tools=tools).choices[0].message
            calls = [call for call in reply.tool_calls or () if call.type == "function"]
            if not calls:
                return reply.content or ""
            messages.append(reply)
            first = calls[0].function  # further ones are seen too: act() opens a span for each
            step.record(thought=reply.content, action=first.name, arguments=first.arguments)
            observations = [act(call.function.name, call.function.arguments) for call in calls]
            step.record(observation=observations[0])
            for call, observation in zip(calls, observations, strict=True):
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(observation)})
    if session := current_session():
        session.record(outcome="max_iterations")
    return f"I gave up after {MOST_ITERATIONS} iterations."


def described(function: Callable[..., Any]) -> dict[str, Any]:
    """What the model is told of a tool: its name, what it does, and its parameters, all of them texts."""
    parameters = {name: {"type": "string"} for name in inspect.signature(function).parameters}
    schema = {"type": "object", "properties": parameters, "required": list(parameters)}
    about = {"name": function.__name__, "description": inspect.getdoc(function), "parameters": schema}
    return {"type": "function", "function": about}


def main(question: str) -> None:
    """Ask the model, if there is one."""
    if missing := [name for name in SETTINGS if not os.environ.get(name)]:
        print(f"Skipped: there is no model to ask. Set {', '.join(missing)} to those of an OpenAI-compatible endpoint.")
        return
    try:
        from openai import OpenAI, OpenAIError
    except ImportError:
        print("Skipped: the package openai is missing. Run: pip install 'otel-prov[examples]'")
        return
    install()
    try:
        print(answer(question, OpenAI()))
    except OpenAIError as error:
        sys.exit(f"The endpoint failed: {error}. What the agent did until then: otel-prov show latest")
    print("\nWhat did it think, do and see? Run: otel-prov show latest")


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "Which of my packages are under the MIT licence?")
