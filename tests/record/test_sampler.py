"""Other exporters get a sampled share of the traces, each of them whole; the graph gets every session."""

from __future__ import annotations

import logging
import sys
from collections import Counter
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, Decision
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

import otel_prov
from otel_prov import ProvSpanExporter, ProvSpanProcessor, names
from otel_prov.keep import Store
from otel_prov.record import recorder
from otel_prov.record.sampler import NAME, ProvSampler, prov_parentbased_traceidratio
from tests.conftest import Program

from .test_named import AGENT, INSTALLED, ends, instrumented, run

SESSIONS = 1000
RATIO = 0.1
FEWEST, MOST = 40, 160  # six standard deviations around a hundred


@pytest.fixture
def sampled(program: Program, monkeypatch: pytest.MonkeyPatch) -> Program:
    """The program, with a tenth of its traces sampled."""
    program.provider = TracerProvider(sampler=prov_parentbased_traceidratio(str(RATIO)), shutdown_on_exit=False)
    program.provider.add_span_processor(ProvSpanProcessor(program.store))
    program.provider.add_span_processor(SimpleSpanProcessor(program.exported))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", program.provider)
    return program


def inside(flag: int, is_remote: bool = True) -> Context:
    """Inside of a trace that is sampled, or not."""
    return set_span_in_context(NonRecordingSpan(SpanContext(1, 2, is_remote, TraceFlags(flag))))


def a_session(number: int) -> None:
    with otel_prov.session(f"Why {number}?", session_id=f"s-{number}") as session:
        with otel_prov.iteration() as step, step.tool("look", {"at": number}) as call:
            with trace.get_tracer("another").start_as_current_span("GET"):
                pass
            call.record("seen")
        session.record(answer="Because.")


def test_of_a_thousand_sessions_all_are_kept_and_a_tenth_is_exported_whole(sampled: Program) -> None:
    for number in range(SESSIONS):
        a_session(number)
    with Store(sampled.store) as store:
        store.take_in()
        kept = [store.session(summary.uri) for summary in store.sessions(limit=None)]
    assert len(kept) == SESSIONS
    assert all(session and session.outcome == "final" and len(session.steps) == 4 for session in kept)

    exported = Counter(span.context.trace_id for span in sampled.spans)
    assert FEWEST < len(exported) < MOST
    assert set(exported.values()) == {4}, "session, iteration, tool call, and what another library traces inside"
    assert {f"{trace_id:032x}" for trace_id in exported} < {session.trace_id for session in kept if session}


def test_what_other_exporters_get_is_written_once_however_much_they_do_not_get(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "_REMEMBERED", 1)
    provider = TracerProvider(sampler=prov_parentbased_traceidratio("1"), shutdown_on_exit=False)
    provider.add_span_processor(ProvSpanProcessor(tmp_path))
    exporter = ProvSpanExporter(tmp_path)
    tracer = provider.get_tracer("otel_prov")
    spans = [
        tracer.start_span("invoke_agent", inside(flag), attributes={names.SESSION_ID: "s"})
        for flag in (TraceFlags.SAMPLED, TraceFlags.DEFAULT, TraceFlags.DEFAULT)
    ]
    for span in spans:
        span.end()
    exporter.export([span for span in spans if isinstance(span, ReadableSpan)][:1])
    assert sum(ends(tmp_path)) == 3


def test_a_span_that_is_no_agents_is_dropped_as_ever() -> None:
    sampler = prov_parentbased_traceidratio("0")
    assert sampler.should_sample(None, 1, "GET", attributes={"http.route": "/"}).decision is Decision.DROP
    assert sampler.should_sample(None, 1, "GET").decision is Decision.DROP


@pytest.mark.parametrize("is_remote", [True, False])
@pytest.mark.parametrize("flag", [TraceFlags.SAMPLED, TraceFlags.DEFAULT])
def test_a_session_inside_of_a_trace_follows_it_towards_other_exporters(is_remote: bool, flag: int) -> None:
    attributes = {names.SESSION_ID: "s"}
    parent = inside(flag, is_remote)
    result = prov_parentbased_traceidratio("0.5").should_sample(parent, 1, "invoke_agent", attributes=attributes)
    assert result.decision is (Decision.RECORD_AND_SAMPLE if flag else Decision.RECORD_ONLY)
    assert result.attributes == attributes


def test_any_other_sampler_can_be_the_one_that_decides() -> None:
    sampler = ProvSampler(ALWAYS_OFF)
    assert sampler.should_sample(None, 1, "x", attributes={names.SESSION_ID: "s"}).decision is Decision.RECORD_ONLY
    assert sampler.get_description() == "ProvSampler{AlwaysOffSampler}"


@pytest.mark.parametrize("argument", [None, "", " 1.0 "])
def test_without_a_ratio_everything_is_exported(argument: str | None) -> None:
    decision = prov_parentbased_traceidratio(argument).should_sample(None, 2**64 - 1, "GET").decision
    assert decision is Decision.RECORD_AND_SAMPLE


@pytest.mark.parametrize("argument", ["a tenth", "10", "-1", "nan"])
def test_a_ratio_that_is_none_is_said_once_and_everything_is_exported(
    argument: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "otel_prov"):
        for _ in range(2):
            sampler = prov_parentbased_traceidratio(argument)
            assert sampler.should_sample(None, 2**64 - 1, "GET").decision is Decision.RECORD_AND_SAMPLE
    assert caplog.messages == [f"OTEL_TRACES_SAMPLER_ARG={argument} is no number from 0 to 1; 1 is taken"]


@pytest.mark.parametrize(("ratio", "exported"), [("0", 0), ("1", 1)])
def test_install_takes_the_sampler_from_the_variable(tmp_path: Path, ratio: str, exported: int) -> None:
    variables = {"OTEL_TRACES_EXPORTER": "console,prov", "OTEL_TRACES_SAMPLER": NAME, "OTEL_TRACES_SAMPLER_ARG": ratio}
    done = run(tmp_path, sys.executable, "-c", INSTALLED, **variables)
    assert ends(tmp_path) == [False, False, True, True]
    assert done.stdout.count('"name": "invoke_agent answer"') == exported
    assert done.stderr == ""


@instrumented
def test_opentelemetry_instrument_takes_the_sampler_from_the_variable(tmp_path: Path) -> None:
    command = str(Path(sys.executable).with_name("opentelemetry-instrument"))
    variables = {"OTEL_TRACES_EXPORTER": "console,prov", "OTEL_TRACES_SAMPLER": NAME, "OTEL_TRACES_SAMPLER_ARG": "0"}
    nothing_else = {"OTEL_METRICS_EXPORTER": "none", "OTEL_LOGS_EXPORTER": "none"}
    done = run(tmp_path, command, sys.executable, "-c", AGENT, **variables, **nothing_else)
    assert ends(tmp_path) == [False, False, True, True], "each span once, and the starts"
    assert '"name"' not in done.stdout
