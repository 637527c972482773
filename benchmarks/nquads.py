"""Writing the quads of one session as N-Quads: ours beside rdflib, in one run.

    python -m benchmarks nquads

The session has ten iterations with 1 KiB of observation each, in the shape of TrustGraph's second technical
specification. Both sides start from the same quads and end with bytes; rdflib has to build its graph first.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timezone
from statistics import median

import rdflib

from benchmarks import workload as w
from otel_prov.describe import Quad, describe
from otel_prov.describe.quads import nquads
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session, Step

ROUNDS = 200
TIMES = 15
"""How often ours runs in the time of one run of rdflib: samples of unequal length meet a busy machine's other programs
unequally often, and the short one would look too good."""


def session() -> Session:
    """A session of ten iterations."""
    steps: list[Step] = [Question(w.QUESTION, datetime(2026, 1, 1, tzinfo=timezone.utc))]
    for number, thought, action, arguments, observation in w.steps():
        steps += [Analysis(number, thought, action, arguments), Observation(number, observation)]
    steps.append(Conclusion(w.ANSWER))
    return Session("urn:trustgraph:agent:0b7a6c1e-6b3c-4f0a-9f3e-2f4f2a1c9d10", tuple(steps))


def ours(quads: list[Quad]) -> bytes:
    """Quads to bytes."""
    return nquads(quads).encode()


def peer(quads: list[Quad]) -> bytes:
    """Quads to bytes, through rdflib."""
    dataset = rdflib.Dataset()
    graph = dataset.graph(rdflib.URIRef(quads[0].graph))
    for subject, predicate, target, _ in quads:
        term = rdflib.URIRef(target) if isinstance(target, str) else rdflib.Literal(target.text)
        graph.add((rdflib.URIRef(subject), rdflib.URIRef(predicate), term))
    return dataset.serialize(format="nquads", encoding="utf-8")


def timed(function: Callable[[], bytes], times: int) -> float:
    """Microseconds of one call, over a number of them."""
    start = time.perf_counter_ns()
    for _ in range(times):
        function()
    return (time.perf_counter_ns() - start) / 1000 / times


def measure() -> list[w.Row]:
    """The time of one session, and whether the bytes are the same."""
    quads = describe(session(), "question-analysis")
    pairs = [(timed(lambda: ours(quads), TIMES), timed(lambda: peer(quads), 1)) for _ in range(ROUNDS)]
    mine, theirs = median(pair[0] for pair in pairs), median(pair[1] for pair in pairs)
    same = sorted(filter(None, ours(quads).split(b"\n"))) == sorted(filter(None, peer(quads).split(b"\n")))
    assert same, "the bytes differ"
    what = f"{len(quads)} quads to N-Quads, the same bytes, µs"
    return [(what, f"{mine:.0f}", f"{theirs:.0f} (rdflib)", f"{mine / theirs:.3f}", "0.1")]
