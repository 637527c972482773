"""A retrieval inside of a tool call: an agent asks a knowledge graph, and its answer can be followed into it.

    python examples/retrieval_agent.py
    python examples/retrieval_agent.py "What needs typing-extensions?"

The graph is that of the packages installed here and what they need, read from their metadata. No model, no key.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import distributions

from otel_prov import current_retrieval, install, iteration, trace_agent, trace_retrieval

QUESTION = "What does rdflib need, and what needs orjson?"
PACKAGE = "https://pypi.org/project/"
NEEDS = "https://example.org/needs"

Edge = tuple[str, str, str]


@trace_agent(name="retrieval-agent")
def answer(question: str) -> str:
    """One iteration: ask the graph."""
    with iteration() as step:
        step.record(thought="The graph of packages knows.", action="ask", arguments={"question": question})
        found = ask(question)  # a trace of its own: its question derives from this iteration
        step.record(observation=found)  # and this observation from its answer
    return found


@trace_retrieval(source="installed packages")  # the question, and the answer that it returns
def ask(question: str) -> str:
    """Look for the packages that a question names, walk one edge from each, and keep those that answer it."""
    retrieval = current_retrieval()
    graph = edges()
    names = {name(part) for edge in graph for part in (edge[0], edge[2])}
    concepts = [word for word in re.findall(r"[\w.-]+\w", question.lower()) if word in names]
    starts = [PACKAGE + concept for concept in concepts]
    near = [edge for edge in graph if edge[0] in starts or edge[2] in starts]
    selected = [(edge, why) for edge in near if (why := reason(edge, question.lower()))]
    if retrieval:  # each stage is on disk when it is known
        retrieval.record(concepts=concepts, entities=starts, edges=near)
        retrieval.record(selected=[{"edge": edge, "reasoning": why} for edge, why in selected])
    return (
        "\n".join(f"{name(subject)} needs {name(target)}" for (subject, _, target), _ in selected) or "Nothing known."
    )


def reason(edge: Edge, question: str) -> str | None:
    """Why an edge answers a question: it is asked for from this side."""
    subject, target = name(edge[0]), name(edge[2])
    if re.search(rf"does {re.escape(subject)} need", question):
        return f"what {subject} needs was asked"
    return f"what needs {target} was asked" if re.search(rf"needs {re.escape(target)}", question) else None


def edges() -> list[Edge]:
    """Which installed package needs which."""
    found: set[Edge] = set()
    for package in distributions():
        for requirement in package.requires or ():
            wanted, _, condition = requirement.partition(";")
            if "extra" not in condition:
                found.add((iri(package.metadata["Name"]), NEEDS, iri(re.split(r"[^\w.-]", wanted.strip())[0])))
    return sorted(found)


def iri(package: str) -> str:
    """The IRI of a package, however its name is spelled."""
    return PACKAGE + re.sub(r"[-_.]+", "-", package).lower()


def name(package: str) -> str:
    """The name of a package, by its IRI."""
    return package.removeprefix(PACKAGE)


if __name__ == "__main__":
    install()
    print(answer(" ".join(sys.argv[1:]) or QUESTION))
    print("\nHow did it come to that? Run:\n    otel-prov show latest")
