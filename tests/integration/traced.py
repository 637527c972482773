"""An agent's program: python traced.py SESSIONS [install]

Runs so many sessions, the first of which ends with an error, says "done", and ends. With "install" it sets up
OpenTelemetry itself.
"""

import contextlib
import sys

from opentelemetry.trace import SpanContext, get_current_span

import otel_prov

LINKED = SpanContext(2**127 + 1, 2**63 + 1, is_remote=True)  # a span of somebody else's


@otel_prov.trace_agent(name="clerk", model="rules-1", user="ann", session_id=lambda question, number: f"s-{number}")
def clerk(question, number):
    with otel_prov.iteration() as step:
        step.record(thought="Die Bücher wissen es. 🐛")
        with contextlib.suppress(LookupError), step.tool("look", {"at": number, "deep": True}):
            raise LookupError("no such book")
    with otel_prov.iteration() as step:
        get_current_span().add_link(LINKED, {"why": "it asked for this", "weight": 0.25})
        get_current_span().add_event("considered", {"books": ["one", "two"], "sure": False})
        step.record(thought="Once more.", action="count", arguments={"from": 2**53 + 1, "rate": 0.5})
        if number == 0:
            raise ValueError("it went wrong")
        step.record(observation=["one", None, {"two": 2}])
    return "Zwei.\n" * 3


if "install" in sys.argv:
    otel_prov.install()
for number in range(int(sys.argv[1])):
    with contextlib.suppress(ValueError):
        clerk(f"Why {number}?", number)
assert otel_prov.losses() == {} or "lossy" in sys.argv, otel_prov.losses()
print("done", flush=True)
