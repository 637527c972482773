"""An agent that sets up nothing: ``opentelemetry-instrument`` does, as variables or a file say. No model, no key.

    export OTEL_TRACES_EXPORTER=prov OTEL_METRICS_EXPORTER=none OTEL_LOGS_EXPORTER=none
    opentelemetry-instrument python agent.py

The other three ways are beside this file; docs/ways.md tells of all four.
"""

from __future__ import annotations

from otel_prov import iteration, tool, trace_agent

OIL = {"north": 0.9, "south": 0.2, "east": 0.7}


@tool
def oil_level(pump: str) -> float:
    """What the pump's gauge says."""
    return OIL[pump]


@trace_agent(name="pump-keeper")
def answer(question: str) -> str:
    """Look at one pump after the other, until one is low."""
    for pump in OIL:
        with iteration() as step:
            step.record(thought=f"The {pump} pump may be the one.")
            level = oil_level(pump)
        if level < 0.5:
            return f"The {pump} pump."
    return "None of them."


if __name__ == "__main__":
    print(answer("Which pump needs oil?"))
