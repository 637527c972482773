"""Validating one session's PROV view: ours beside pyshacl with our shapes, in one run.

    python -m benchmarks validate

The session has ten iterations. Both sides start from what they read in memory, our quads and an rdflib graph, with the
shapes parsed. Needs pyshacl, which the group "test" has.
"""

from __future__ import annotations

import time
from statistics import median

import pyshacl
import rdflib

from benchmarks import workload as w
from benchmarks.nquads import session
from otel_prov.describe import describe
from otel_prov.describe.rdf import to_rdflib
from otel_prov.validate import validate
from otel_prov.validate.shapes import shapes

ROUNDS = 7
TIMES = 20
"""How often ours runs in one round, so that both sides meet the machine's other programs alike."""


def measure() -> list[w.Row]:
    """The time of one session on both sides, which have to agree that it is valid."""
    quads = describe(session(), view="prov")
    data = rdflib.Graph()
    for subject, predicate, target, _ in to_rdflib(quads).quads():
        data.add((subject, predicate, target))
    shacl = rdflib.Graph().parse(data=shapes(), format="turtle")
    mine, theirs = [], []
    for _ in range(ROUNDS):
        start = time.perf_counter_ns()
        for _ in range(TIMES):
            assert validate(quads) == []
        mine.append((time.perf_counter_ns() - start) / TIMES / 1e6)
        start = time.perf_counter_ns()
        conforms, _, text = pyshacl.validate(data, shacl_graph=shacl)
        theirs.append((time.perf_counter_ns() - start) / 1e6)
        assert conforms, text
    ours, peer = median(mine), median(theirs)
    what = f"{len(quads)} quads of PROV validated, ms"
    return [(what, f"{ours:.1f}", f"{peer:.0f} (pyshacl)", f"{ours / peer:.3f}", "0.1; 20 ms")]
