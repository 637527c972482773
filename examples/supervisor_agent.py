"""An agent that gives the parts of its work to others, which work at the same time, and puts together what they find.

    python examples/supervisor_agent.py
    python examples/supervisor_agent.py "Compare click and rich"

It looks at the Python environment that it runs in. All decide by rules: no model, no key.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from environment_tools import act

from otel_prov import PartSpan, delegate, install, iteration, trace_agent

QUESTION = "Compare opentelemetry-api, orjson and rich"


@trace_agent(name="supervisor", pattern="supervisor", task_type="comparison")
def answer(question: str) -> str:
    """One expert for each package, all at once."""
    packages = question.replace(",", " ").replace(" and ", " ").split()[1:]
    parts = delegate(f"Tell me about {package}" for package in packages)
    with ThreadPoolExecutor() as threads:
        found = list(threads.map(done, parts))
    return "\n".join(found)


def done(part: PartSpan[str]) -> str:
    """In a thread of its own: what an expert says."""
    with part:  # the expert's session belongs to this part, wherever it runs
        found = expert(part.goal)
        part.record(found)
    return found


@trace_agent(name="expert")
def expert(question: str) -> str:
    """An agent of its own, with a trace of its own: it looks two things up."""
    package = question.rpartition(" ")[2]
    version, size = (looked_up(package, field) for field in ("version", "bytes"))
    return f"{package} {version}, {size} bytes"


def looked_up(package: str, field: str) -> object:
    """One iteration: think, use a tool, see what comes back."""
    with iteration() as cycle:
        arguments = {"package": package, "field": field}
        cycle.record(thought=f"I need its {field}.", action="look_up", arguments=arguments)
        observation = act("look_up", arguments)
        cycle.record(observation=observation)
    return observation


if __name__ == "__main__":
    install()
    print(answer(" ".join(sys.argv[1:]) or QUESTION))
    print("\nWho found that? Run:\n    otel-prov show latest")
