"""What recording a session costs the agent, against the SDK's own in-memory batch of the same spans."""

from __future__ import annotations

import resource
import sys
import tempfile
import uuid
from collections.abc import Callable

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from benchmarks import workload as w
from otel_prov import ProvSpanProcessor, iteration, names, trace_agent


@trace_agent(name="bench")
def agent(question: str) -> str:
    for _, thought, action, arguments, observation in w.steps():
        with iteration() as step:
            step.record(thought=thought, action=action, arguments=arguments)
            step.record(observation=observation)
    return w.ANSWER


def bare(provider: TracerProvider) -> Callable[[], None]:
    """The same spans with the same attributes, by the SDK alone."""
    tracer = provider.get_tracer("bench")

    def run() -> None:
        session = str(uuid.uuid4())
        identity: dict[str, str | int] = {names.SESSION_ID: session, names.COLLECTION: "default"}
        about = {
            names.OPERATION_NAME: names.INVOKE_AGENT,
            **identity,
            names.SESSION_URI: names.session_uri(session),
            names.AGENT_NAME: "bench",
            names.SESSION_QUESTION: w.QUESTION,
        }
        with tracer.start_as_current_span("invoke_agent bench", attributes=about) as root:
            for number, thought, action, arguments, observation in w.steps():
                attributes = {**identity, names.ITERATION_NUMBER: number}
                with tracer.start_as_current_span(names.ITERATION, attributes=attributes) as span:
                    span.set_attribute(names.ITERATION_THOUGHT, thought)
                    span.set_attribute(names.ITERATION_ACTION, action)
                    span.set_attribute(names.ITERATION_ARGUMENTS, arguments)
                    span.set_attribute(names.ITERATION_OBSERVATION, observation)
            root.set_attribute(names.SESSION_ANSWER, w.ANSWER)
            root.set_attribute(names.SESSION_OUTCOME, names.OUTCOME_FINAL)

    return run


def measure() -> list[w.Row]:
    """Time of one session, and memory over a million spans."""
    exporter = InMemorySpanExporter()
    batch = BatchSpanProcessor(exporter)
    memory = TracerProvider(shutdown_on_exit=False)
    memory.add_span_processor(batch)
    with tempfile.TemporaryDirectory() as store:
        journal = TracerProvider(shutdown_on_exit=False)
        journal.add_span_processor(ProvSpanProcessor(store))
        trace.set_tracer_provider(journal)

        def empty() -> None:
            batch.force_flush()
            exporter.clear()

        took = w.side_by_side({"bare": bare(memory), "ours": lambda: agent(w.QUESTION)}, each=400, between=empty)
        ratio = took["ours"] / took["bare"]
        what = "record a session of 11 spans, µs"
        rows = [(what, f"{took['ours']:.0f}", f"{took['bare']:.0f} (bare SDK)", f"{ratio:.2f}", "1.6")]
        rows.append(("memory after 1,000,000 spans, MiB", *_growth(), "flat"))
        journal.shutdown()
    memory.shutdown()
    return rows


def _growth() -> tuple[str, str, str]:
    """Peak of resident memory after a million spans, after a hundred thousand, and their ratio."""
    sessions = 1_000_000 // 11
    early = 0.0
    for number in range(sessions):
        agent(w.QUESTION)
        if number == sessions // 10:
            early = _peak()
    late = _peak()
    return f"{late:.1f}", f"{early:.1f} (of 100,000)", f"{late / early:.2f}"


def _peak() -> float:
    """MiB that this process has had in memory at once."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20
