"""What delivery costs: a backlog to a destination that takes everything at once, and a step's way while all is idle.

usage: python benchmarks/deliver.py [STEPS]
"""

from __future__ import annotations

import resource
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import otel_prov
from otel_prov.deliver import endpoints, worker
from otel_prov.deliver.destination import Parcel
from otel_prov.keep import Store
from otel_prov.record.journal import Journal
from tests.keep.told import Told

ITERATIONS = 10
IDLE_STEPS = 100


class Null:
    """Takes everything at once, and notes when."""

    taken: list[float]

    def __init__(self, url: str, store: str) -> None:
        Null.taken = []

    def send(self, parcels: Iterable[Parcel]) -> list[str | None]:
        answers: list[str | None] = [None for _ in parcels]
        Null.taken += [time.perf_counter()] * len(answers)
        return answers

    def close(self) -> None:
        """Nothing is held."""


def main() -> None:
    """Measure, and print."""
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    endpoints._BUILT_IN["null"] = Null
    with tempfile.TemporaryDirectory() as folder:
        backlog(Path(folder), steps)
    with tempfile.TemporaryDirectory() as folder:
        idle(Path(folder))


def backlog(folder: Path, steps: int) -> None:
    """Steps per second, once they are taken in; and how much memory that takes."""
    with Store(folder) as store:
        sessions = range(1, steps // (2 + 2 * ITERATIONS) + 1)
        for part in range(0, len(sessions), 500):
            record(folder, sessions[part : part + 500])
            store.take_in()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, cpu = time.perf_counter(), time.process_time()
    left = worker.Worker(folder, [endpoints.Endpoint("null://x")], once=True).run()
    assert not left, left
    seconds = time.perf_counter() - start
    print(
        f"backlog: {len(Null.taken):,} steps in {seconds:.1f} s, {len(Null.taken) / seconds:,.0f}/s, "
        f"cpu {time.process_time() - cpu:.1f} s, "
        f"memory +{(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024:.0f} MiB"
    )


def record(folder: Path, sessions: Sequence[int]) -> None:
    """Sessions that have ended, in the journal."""
    journal = Journal(folder)
    for number in sessions:
        for line in Told(f"s{number}", number).whole(ITERATIONS):
            journal.write(line)
    journal.close()


def idle(folder: Path) -> None:
    """From the end of an iteration's span to the acknowledgement of its observation."""
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider

    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(otel_prov.ProvSpanProcessor(folder))
    trace.set_tracer_provider(provider)
    delays: list[float] = []
    served = worker.Worker(folder, [endpoints.Endpoint("null://x")])

    def agent() -> None:
        time.sleep(0.5)
        with otel_prov.session("?") as session:
            for _ in range(IDLE_STEPS):
                with otel_prov.iteration() as step:
                    step.record(thought="t", action="a", arguments={})
                    step.record(observation="o")
                ended = time.perf_counter()
                time.sleep(0.15)
                delays.append(Null.taken[-1] - ended)
            session.record(answer="!")
        served.stopped = True

    threading.Thread(target=agent).start()
    served.run()
    print(
        f"idle: median {statistics.median(delays) * 1000:.0f} ms, largest {max(delays) * 1000:.0f} ms "
        f"of {len(delays)} steps"
    )


if __name__ == "__main__":
    main()
