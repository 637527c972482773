"""A source was wrong: which answers are affected?

    python examples/wrong_source.py

Three questions are answered, one of them with the answer to another. Then it turns out that a page was wrong, and the
record tells whom to tell. The sessions are kept in a temporary folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from otel_prov import install, iteration, trace_agent

PAGES = {
    "https://tides.example/harbour": "High water in the harbour is at 6:10 and at 18:35.",
    "https://tides.example/bridge": "The bridge has 4 metres of headroom at high water.",
    "https://ferry.example/timetable": "The ferry leaves at 7:00 and at 19:00.",
}
WRONG = "https://tides.example/harbour"


def read(url: str) -> str:
    """The tool: what a page says."""
    with iteration() as step:
        step.record(thought=f"{url} should say it.", action="read", arguments={"url": url})
        text = PAGES[url]
        step.record(observation=text)
    return text


@trace_agent(name="harbour-pilot")
def high_water(question: str) -> str:
    """Look it up."""
    return read("https://tides.example/harbour")


@trace_agent(name="skipper")
def when_to_pass(question: str) -> str:
    """Ask the pilot, and look at the bridge."""
    with iteration() as step:
        step.record(thought="The pilot knows.", action="ask_pilot", arguments={"question": "When is high water?"})
        step.record(observation=high_water("When is high water?"))
    read("https://tides.example/bridge")
    return "Not at 6:10 or 18:35: the mast is 5 metres high."


@trace_agent(name="traveller")
def ferry(question: str) -> str:
    """Look it up."""
    return read("https://ferry.example/timetable")


def main() -> None:
    """Answer the questions; then ask which of the answers rest on the page that was wrong."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["OTEL_EXPORTER_PROV_STORE"] = folder
        install()
        when_to_pass("When can my boat not pass the bridge?")
        ferry("When does the ferry leave?")
        print(f"$ otel-prov impact {WRONG}\n", flush=True)
        subprocess.run([sys.executable, "-m", "otel_prov.show.cli", "impact", WRONG], check=True)


if __name__ == "__main__":
    main()
