"""What tests share: an agent's program in which sessions are recorded, as `install()` would have it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_prov import ProvSpanProcessor, names
from otel_prov.read import Span, parse_line, read
from otel_prov.record.journal import files
from otel_prov.steps import Session

settings.register_profile("few", max_examples=25)
"""For further Pythons, on which what has many shapes need not be looked for as long."""
if profile := os.environ.get("HYPOTHESIS_PROFILE"):
    settings.load_profile(profile)


class Program:
    """A program whose sessions go to a store of its own, and to an exporter as any other would get them."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self.exported = InMemorySpanExporter()
        self.provider = TracerProvider(shutdown_on_exit=False)
        self.provider.add_span_processor(ProvSpanProcessor(store))
        self.provider.add_span_processor(SimpleSpanProcessor(self.exported))

    @property
    def recorded(self) -> list[Span]:
        """Every record in the journals, in the order of writing."""
        return [span for file in files(self.store) for line in file.open("rb") for span in parse_line(line)]

    @property
    def sessions(self) -> list[Session]:
        return read(self.recorded)

    @property
    def session(self) -> Session:
        (session,) = self.sessions
        return session

    @property
    def spans(self) -> list[ReadableSpan]:
        """Ended spans, as other exporters get them."""
        return list(self.exported.get_finished_spans())

    def children(self, parent: ReadableSpan) -> list[ReadableSpan]:
        return [span for span in self.spans if span.parent and span.parent.span_id == parent.context.span_id]

    @property
    def session_spans(self) -> list[ReadableSpan]:
        return [s for s in self.spans if (s.attributes or {}).get(names.OPERATION_NAME) == names.INVOKE_AGENT]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """A program in which sessions are recorded."""
    program = Program(tmp_path / "store")
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", program.provider)
    monkeypatch.setenv("OTEL_EXPORTER_PROV_STORE", str(program.store))
    return program
