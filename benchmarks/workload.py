"""The one workload of the benchmarks: a session of ten iterations with texts of 1 KiB, the same bytes each time."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterator, Mapping

ITERATIONS = 10
QUESTION = "Which pump failed first, and which report says so?"
THOUGHT = ("The maintenance log comes first; then the reports that mention it. " * 4)[:200]
ACTION = "knowledge-query"
ARGUMENTS = json.dumps({"question": "Which report mentions the pump?"})
OBSERVATION = ('Report "north", line 4: the pump stood at 81 °C.\n' * 24).encode()[:1024].decode("utf-8", "ignore")
ANSWER = "The pump of the north station; its own report says so."

Row = tuple[str, str, str, str, str]
"""What is measured, ours, the peer's, the ratio, and the limit that the project has set itself."""


def steps() -> Iterator[tuple[int, str, str, str, str]]:
    for number in range(1, ITERATIONS + 1):
        yield number, THOUGHT, ACTION, ARGUMENTS, OBSERVATION


def side_by_side(
    cases: Mapping[str, Callable[[], object]], *, rounds: int = 9, each: int = 300, between: Callable[[], object] = int
) -> dict[str, float]:
    """Median microseconds of each case, over interleaved rounds; ``between`` runs after each block, not counted."""
    medians: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(rounds):
        for name, run in cases.items():
            times = []
            for _ in range(each):
                start = time.perf_counter_ns()
                run()
                times.append(time.perf_counter_ns() - start)
            between()
            medians[name].append(statistics.median(times) / 1e3)
    return {name: statistics.median(values) for name, values in medians.items()}
