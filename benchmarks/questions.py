"""What questions cost inside the process: why, of a long session; impact, over a hundred thousand.

python -m benchmarks questions
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path

from benchmarks import workload as w
from benchmarks.keep import fill
from otel_prov.ask import Node, impact, why
from otel_prov.keep import Store
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session, Step

LONG = 24  # iterations
PAGES, MANY = 1_000, 100_000
ROUNDS = 20


def measure() -> list[w.Row]:
    """Median times, and how many answers were found."""
    with tempfile.TemporaryDirectory() as name:
        with Store(Path(name)) as store:
            store.add([_session("long", LONG, "https://example.org/0"), *map(_short, range(PAGES))])
        fill(Path(name) / "store.sqlite", MANY)
        with Store(Path(name)) as store:
            session = store.session("urn:trustgraph:agent:long")
            assert session is not None
            reasons = _median(lambda _: why(store, session, Node(session.uri)))
            found = len(impact(store, _page(0)))
            answers = _median(lambda number: impact(store, _page(number)))
    return [
        (f"why, of {LONG} iterations, ms", f"{reasons:.2f}", "", "", "50 ms"),
        (f"impact over {MANY:,} sessions, ms", f"{answers:.1f}", f"({found} answers)", "", "500 ms"),
    ]


def _median(ask: Callable[[int], object]) -> float:
    times = []
    for number in range(ROUNDS):
        start = time.perf_counter_ns()
        ask(number)
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times) / 1e6


def _page(number: int) -> str:
    return f"https://example.org/pages/{number}"


def _short(number: int) -> Session:
    return _session(f"short-{number}", w.ITERATIONS, _page(number))


def _session(name: str, iterations: int, page: str) -> Session:
    steps: list[Step] = [Question(w.QUESTION, datetime(2026, 11, 2, tzinfo=timezone.utc) + timedelta(seconds=1))]
    for number in range(1, iterations + 1):
        steps.append(Analysis(number, "Look there.", "fetch", f'{{"url": "{page}", "part": {number}}}'))
        steps.append(Observation(number, f"Part {number} of {page}."))
    return Session(f"urn:trustgraph:agent:{name}", (*steps, Conclusion(w.ANSWER)), outcome="final")
