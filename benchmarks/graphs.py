"""What large and branching sessions cost, at a size and at ten times that: in proportion, or more than that.

python -m benchmarks graphs
"""

from __future__ import annotations

import io
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from benchmarks import workload as w
from otel_prov import ProvSpanProcessor, session, trace_retrieval
from otel_prov.describe import recognise
from otel_prov.describe.formats import write
from otel_prov.describe.parsing import read_quads
from otel_prov.keep import Store
from otel_prov.show.nested import tree, whole

ROUNDS = 3
TIMES = 10
LIVE = 50
"""Iterations at the end of a running session that are timed one by one."""


def iterations(number: int, *, detect_uses: bool = False) -> str:
    """A session of so many iterations."""
    with session(w.QUESTION, detect_uses=detect_uses) as run:
        for each in range(number):
            iterate(run.iteration(), each)
        run.record(answer=w.ANSWER)
    return run.uri


def iterate(iteration: object, each: int) -> None:
    with iteration as step:  # type: ignore[attr-defined]
        step.record(thought=w.THOUGHT, action=w.ACTION, arguments=w.ARGUMENTS)
        step.record(observation=f"{each}: {w.OBSERVATION}")


def calls(number: int) -> str:
    """A session of one iteration with so many calls at once."""
    with session(w.QUESTION) as run:
        with run.iteration() as step:
            step.record(thought=w.THOUGHT, action=w.ACTION)
            handles = [step.tool(w.ACTION, {"at": each}) for each in range(number)]
            for handle in handles:
                handle.activate()
                handle.suspend()
            for handle in handles:
                with handle:
                    handle.record(w.OBSERVATION)
        run.record(answer=w.ANSWER)
    return run.uri


def nested(number: int) -> str:
    """A session inside of a tool call of a session, so many levels deep."""
    with session(w.QUESTION) as run:
        with run.iteration() as step, step.tool(w.ACTION) as call:
            step.record(thought=w.THOUGHT, action=w.ACTION)
            call.record(nested(number - 1) if number > 1 else w.OBSERVATION)
        run.record(answer=w.ANSWER)
    return run.uri


def edges(number: int) -> str:
    """A retrieval that found so many edges, and selected them all."""
    found = [{"edge": (f"urn:n:{each}", "urn:leads-to", f"urn:n:{each + 1}"), "score": 0.5} for each in range(number)]
    with trace_retrieval(w.QUESTION, source="plant") as asked:
        asked.record(concepts=["pump"], edges=found, entities=[f"urn:n:{each}" for each in range(number)])
        asked.record(selected=found)
        asked.record(answer=w.ANSWER)
    return f"urn:trustgraph:question:{asked.id}"


SIZES: dict[str, tuple[Callable[[int], str], int]] = {
    "iterations": (iterations, 100),
    "parallel calls": (calls, 20),
    "levels of nesting": (nested, 5),
    "edges retrieved": (edges, 1_000),
}
"""What makes a session, and the smaller size."""


def measure() -> Iterator[w.Row]:
    """Microseconds and bytes for each part of a session, at ten times a size and at that size."""
    with program() as folder:
        for what, (make, size) in SIZES.items():
            for stage, few, many in zip(
                ("recorded", "kept, described, shown", "memory of that"),
                costs(folder, make, size),
                costs(folder, make, size * TIMES),
                strict=True,
            ):
                yield row(f"{size * TIMES:,} {what}, {stage}, {unit(stage)} each", few, many, size)
        for detects in (False, True):
            few, many = (detecting(number, detects) for number in (100, 1_000))
            yield row(f"1,000 iterations, uses {'' if detects else 'not '}detected, µs each", few, many, 100)
        few, many = running(folder, 100), running(folder, 1_000)
        yield row("a step of 1,000 taken in as it comes, µs", few, many, 100)


def row(what: str, few: float, many: float, size: int) -> w.Row:
    return what, f"{many:,.0f}", f"{few:,.0f} (of {size:,})", f"{many / few:.2f}", "1.5"


def unit(stage: str) -> str:
    return "bytes" if "memory" in stage else "µs"


@contextmanager
def program() -> Iterator[Path]:
    """A program that records its sessions."""
    with tempfile.TemporaryDirectory() as name:
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(ProvSpanProcessor(Path(name)))
        trace.set_tracer_provider(provider)
        yield Path(name)


def costs(folder: Path, make: Callable[[int], str], size: int) -> tuple[float, float, float]:
    """Recording; all that comes after it; and the most memory that it takes; for each part."""
    with Store(folder) as store:
        make(size)
        store.take_in()
        recorded, used = [], []
        for _ in range(ROUNDS):
            begun = time.perf_counter()
            uri = make(size)
            ended = time.perf_counter()
            use(store, uri, folder)
            recorded.append(ended - begun)
            used.append(time.perf_counter() - ended)
        uri = make(size)
        tracemalloc.start()
        use(store, uri, folder)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return statistics.median(recorded) / size * 1e6, statistics.median(used) / size * 1e6, peak / size


def use(store: Store, uri: str, folder: Path) -> None:
    """Take a session in, with those inside of it; write it as N-Quads, read it back, and draw it."""
    store.take_in()
    told = [store.session(each) for each in all_inside(store, uri)]
    out, file = io.BytesIO(), folder / "graph.nq"
    write([each for each in told if each], "nquads", "trustgraph", out)
    file.write_bytes(out.getvalue())
    assert len(recognise(read_quads(file))) == len(told)
    assert told[0] is not None
    assert sum(len(section.rows) for section in whole(tree(store, told[0], 99))) > 4


def all_inside(store: Store, uri: str) -> Iterator[str]:
    yield uri
    for inner in store.inside(uri):
        yield from all_inside(store, inner)


def detecting(number: int, detects: bool) -> float:
    """Microseconds of the agent's for an iteration."""
    times = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        iterations(number, detect_uses=detects)
        times.append(time.perf_counter() - begun)
    return statistics.median(times) / number * 1e6


def running(folder: Path, number: int) -> float:
    """Microseconds in which a store takes in what is new of a session that runs, once it has so many iterations."""
    times = []
    with Store(folder) as store, session(w.QUESTION) as run:
        for each in range(number):
            iterate(run.iteration(), each)
        store.take_in()
        for each in range(LIVE):
            iterate(run.iteration(), each)
            begun = time.perf_counter()
            store.take_in()
            store.outbox.settle()
            times.append(time.perf_counter() - begun)
    return statistics.median(times) * 1e6
