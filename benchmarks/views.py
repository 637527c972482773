"""Describing one session as valid PROV: beside the explanation view in the shape ``trustgraph``, in one run.

    python -m benchmarks views

A session of ten iterations, and one of 24, the longest that TrustGraph's command line shows whole: the PROV view grows
faster than the session, for each thought has used all observations before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

from benchmarks import workload as w
from otel_prov.describe import describe, describe_prov
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session, Step

BEGIN = datetime(2026, 1, 1, tzinfo=timezone.utc)

TRACE = "0af7651916cd43dd8448eb211c80319c"


def session(iterations: int) -> Session:
    """A session of which all is known, its times too."""
    steps: list[Step] = [Question(w.QUESTION, BEGIN)]
    _, thought, action, arguments, observation = next(w.steps())
    for number in range(1, iterations + 1):
        began, acted, seen = (BEGIN + timedelta(seconds=number, milliseconds=part) for part in (0, 300, 900))
        ids = {"trace_id": TRACE, "span_id": f"{number:016x}"}
        steps.append(Analysis(number, thought, action, arguments, started=began, ended=acted, **ids))
        steps.append(Observation(number, observation, started=acted, ended=seen, **ids))
    steps.append(Conclusion(w.ANSWER))
    return Session(
        "urn:trustgraph:agent:0b7a6c1e-6b3c-4f0a-9f3e-2f4f2a1c9d10",
        tuple(steps),
        agent="researcher",
        user="ada",
        model="rules-1",
        trace_id=TRACE,
        ended=BEGIN + timedelta(seconds=iterations + 1),
        outcome="final",
    )


def measure() -> Iterator[w.Row]:
    """The time of one session, in both views."""
    for iterations in (w.ITERATIONS, 24):
        told = session(iterations)
        medians = w.side_by_side(
            {"prov": lambda told=told: describe_prov(told), "other": lambda told=told: describe(told)}
        )
        sizes = len(describe_prov(told)), len(describe(told))
        yield (
            f"PROV view, {iterations} iterations, {sizes[0]} quads, µs",
            f"{medians['prov']:.0f}",
            f"{medians['other']:.0f} ({sizes[1]} quads)",
            f"{medians['prov'] / medians['other']:.2f}",
            "2",
        )
