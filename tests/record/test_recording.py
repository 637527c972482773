"""Span processor, span exporter and `install()`."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode

from otel_prov import ProvSpanExporter, ProvSpanProcessor, install, iteration, session, tool, trace_agent
from otel_prov.read import parse_line, read
from otel_prov.record.encode import envelope, span_json
from otel_prov.record.journal import files
from tests.conftest import Program


@trace_agent
def answer(question: str) -> str:
    with iteration() as step:
        step.record(thought="t", action="a", arguments={"x": 1})
        step.record(observation="o")
    return "yes"


def lines(store: Path) -> list[bytes]:
    return [line for file in files(store) for line in file.read_bytes().splitlines()]


def provider_with(monkeypatch: pytest.MonkeyPatch, *processors: object, **settings: object) -> TracerProvider:
    provider = TracerProvider(shutdown_on_exit=False, **settings)  # type: ignore[arg-type]
    for processor in processors:
        provider.add_span_processor(processor)  # type: ignore[arg-type]
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    return provider


def test_starts_and_what_an_iteration_knows_before_it_acts_are_on_disk(program: Program) -> None:
    with session("?") as run:
        assert program.session.question.text == "?"
        with iteration() as step:
            step.record(thought="t")
            assert len(program.recorded) == 1, "nothing to lose yet"
            step.record(action="a")
            assert [span.end for span in program.recorded] == [0, 0]
            with tool("b", {"c": 1}):
                assert program.recorded[-1].name == "execute_tool b"
                assert program.recorded[-1].end == 0
        run.record(answer="!")
    assert [span.end > 0 for span in program.recorded] == [False, False, False, True, True, True]


def test_the_exporter_alone_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = provider_with(monkeypatch, BatchSpanProcessor(ProvSpanExporter(tmp_path)))
    assert answer("?") == "yes"
    provider.shutdown()
    assert len(lines(tmp_path)) == 2
    (told,) = read(span for line in lines(tmp_path) for span in parse_line(line))
    assert told.conclusion is not None


def test_with_processor_and_exporter_a_span_is_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exporter = ProvSpanExporter(tmp_path)
    provider = provider_with(monkeypatch, BatchSpanProcessor(exporter), ProvSpanProcessor(tmp_path))
    answer("?")
    provider.shutdown()
    assert len(lines(tmp_path)) == 4, "session start, action, two ends"

    provider = provider_with(monkeypatch, BatchSpanProcessor(exporter))
    answer("?")
    provider.shutdown()
    assert len(lines(tmp_path)) == 6, "a provider that has the exporter alone loses nothing"


def test_spans_that_are_no_agents_are_left_to_others(program: Program) -> None:
    with program.provider.get_tracer("http").start_as_current_span("GET /"):
        answer("?")
    assert [span.name for span in program.recorded if "GET" in span.name] == []
    assert len(program.spans) == 3


class RecordOnly(Sampler):
    def should_sample(self, *args: object, **kwargs: object) -> SamplingResult:
        return SamplingResult(Decision.RECORD_ONLY, kwargs.get("attributes") or args[4])  # type: ignore[arg-type]

    def get_description(self) -> str:
        return "record only"


def test_what_sampling_keeps_from_others_is_still_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    provider_with(monkeypatch, ProvSpanProcessor(tmp_path), sampler=RecordOnly())
    answer("?")
    assert len(lines(tmp_path)) == 4


def test_install_called_again_and_after_a_reload_does_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    provider_with(monkeypatch)
    for _ in range(50):
        install(tmp_path)
    module = importlib.import_module("otel_prov.record.install")
    importlib.reload(module).install(tmp_path)
    answer("?")
    assert len(lines(tmp_path)) == 4


def test_install_makes_a_provider_where_there_is_none_and_records_until_the_end(tmp_path: Path) -> None:
    program = "from tests.record.test_recording import answer; import otel_prov; otel_prov.install(); answer('?')"
    environment = {**os.environ, "OTEL_EXPORTER_PROV_STORE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(lines(tmp_path)) == 4


def test_nothing_is_made_or_recorded_without_install(tmp_path: Path) -> None:
    program = "from tests.record.test_recording import answer; print(answer('?'))"
    environment = {**os.environ, "OTEL_EXPORTER_PROV_STORE": str(tmp_path / "store")}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("yes\n", "")
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("broken", ["OTEL_EXPORTER_PROV_STORE", "HOME"])
def test_exporter_and_processor_can_always_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_PROV_STORE", raising=False)
    monkeypatch.setenv(broken, "/dev/null/nowhere")
    exporter = ProvSpanExporter()
    provider_with(monkeypatch, SimpleSpanProcessor(exporter), ProvSpanProcessor())
    assert answer("?") == "yes"
    assert exporter.export([]) is SpanExportResult.SUCCESS
    assert exporter.force_flush()
    exporter.shutdown()
    exporter.shutdown()


def test_an_export_that_cannot_be_written_is_a_failure(tmp_path: Path, program: Program) -> None:
    answer("?")
    (tmp_path / "file").touch()
    assert ProvSpanExporter(tmp_path / "file").export(program.spans) is SpanExportResult.FAILURE


# The form that other tools read -----------------------------------------------------------------------------------


def test_a_line_is_what_opentelemetrys_own_encoder_makes_of_the_span() -> None:
    encoder = pytest.importorskip(
        "opentelemetry.exporter.otlp.json.common.trace_encoder",
        reason="pip install opentelemetry-exporter-otlp-json-common (it needs OpenTelemetry 1.45 or later)",
    )
    provider = TracerProvider(resource=Resource({"service.name": "s", "list": ["a", "b"]}), shutdown_on_exit=False)
    other = SpanContext(trace_id=1, span_id=2, is_remote=True)
    tracer = provider.get_tracer("otel_prov", "0")
    with tracer.start_as_current_span("parent"):
        attributes = {"s": "text é \x01", "b": True, "i": 2**53 + 1, "f": 1.5, "l": [1, 2], "e": []}
        link = Link(other, {"why": "because"})
        span = tracer.start_span("child", kind=SpanKind.CLIENT, attributes=attributes, links=[link])
        span.add_event("happened", {"n": 1}, timestamp=time.time_ns())
        span.set_status(Status(StatusCode.ERROR, "broken"))
        span.end()
    before, behind = envelope(span.resource, span.instrumentation_scope)  # type: ignore[attr-defined]
    ours = json.loads(before + span_json(span, attributes) + behind)  # type: ignore[arg-type]
    theirs = encoder.encode_spans([span]).to_dict()
    assert told(ours) == told(theirs)


def told(message: object) -> object:
    """What an OTLP/JSON message says: empty fields say nothing, and ids of either case are the same."""
    if isinstance(message, dict):
        members = {key: told(value) for key, value in message.items() if key not in ("flags", "schemaUrl")}
        return {key: value for key, value in members.items() if value not in (None, "", [], {}, 0)}
    if isinstance(message, list):
        return [told(item) for item in message]
    return message


def test_a_span_of_others_with_a_lone_surrogate_is_written_with_a_replacement(program: Program) -> None:
    tracer = program.provider.get_tracer("theirs")
    tracer.start_span("name \ud800", attributes={"agent.session.id": "s", "x": "lone \udfff"}).end()
    assert program.recorded[-1].name == "name \ufffd"
    assert program.recorded[-1].attributes["x"] == "lone \ufffd"
