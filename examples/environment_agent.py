"""A ReAct agent, traced: it answers questions about the Python environment it runs in. No model, no key, no server.

    python examples/environment_agent.py
    python examples/environment_agent.py "How many times larger is rich than click?"

It thinks by rules (environment_rules.py) and acts with tools that really look (environment_tools.py). This file is the
loop between the two, and all that an author adds to see what it did: a decorator, ``with iteration()``, ``record``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from textwrap import indent

from environment_rules import think
from environment_tools import act

from otel_prov import install, iteration, trace_agent

QUESTIONS = (
    "Which of my packages need which, under which licences, and which is the largest?",
    "How many packages do I have, and how many megabytes are they together?",
    "What share of my packages is under the MIT licence?",
    "Which of my packages would miss typing-extensions, and what is it for?",
    "How many times larger is rdflib than click?",
    "Which file of rich has the most lines, and how does it begin?",
    "How does the licence file of rdflib begin?",
    "Which version of the OpenTelemetry SDK is here, and what does it need?",
)


@trace_agent(name="environment-agent")  # each call is a session: its question, and the answer it returns
def answer(question: str) -> str:
    """Think, act, observe, and again, until a thought concludes."""
    thinking = think(question)
    observation = None
    while True:
        with iteration() as step:  # numbers itself, from 1
            thought, action, arguments = thinking.send(observation)
            step.record(thought=thought)
            if action == "finish":
                return str(arguments["answer"])  # no action recorded: this thought is the conclusion's
            step.record(action=action, arguments=arguments)  # on disk before the tool runs
            observation = act(action, arguments)
            step.record(observation=observation)  # also when it is an error


def main(questions: Sequence[str]) -> None:
    """Answer the questions, each in a session of its own."""
    install()  # once, at the start of the program: sessions are recorded from here on
    for question in questions:
        print(question)
        print(indent(answer(question), "    "), end="\n\n")
    print("What did it think, do and see? Run:")
    print("    otel-prov list")
    print("    otel-prov show latest")


if __name__ == "__main__":
    main(sys.argv[1:] or QUESTIONS)
