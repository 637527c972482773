"""``otel_prov.doctor()`` tells from inside of a program whether its sessions are recorded."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .test_named import instrumented, run

DOCTOR = "import otel_prov; {}; print(otel_prov.doctor())"
OWN_PROVIDER = (
    "from opentelemetry import trace; from opentelemetry.sdk.trace import TracerProvider; "
    "from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor, ConsoleSpanExporter; "
    "provider = TracerProvider(); trace.set_tracer_provider(provider)"
)


def told(store: Path, program: str, **variables: str) -> tuple[list[str], str]:
    """The lines about the provider, and the verdict."""
    *lines, verdict = run(store, sys.executable, "-c", DOCTOR.format(program), **variables).stdout.splitlines()
    return [line for line in lines if line[6:].startswith(("provider", "processors", "sampling", "losses"))], verdict


def test_after_install_all_is_well(tmp_path: Path) -> None:
    assert told(tmp_path, "otel_prov.install()", OTEL_TRACES_EXPORTER="console,prov") == (
        [
            "ok    provider: opentelemetry.sdk.trace.TracerProvider",
            "ok    processors: BatchSpanProcessor(ConsoleSpanExporter), ProvSpanProcessor",
            told(tmp_path, "otel_prov.install()")[0][2],
        ],
        "True",
    )


def test_without_a_provider_the_remedy_is_install(tmp_path: Path) -> None:
    lines, verdict = told(tmp_path, "pass")
    assert lines == [
        "FAIL  provider: none is set up; call otel_prov.install() before the first session, "
        "or start it with opentelemetry-instrument"
    ]
    assert verdict == "False"


def test_a_provider_without_ours_is_told_with_what_it_has(tmp_path: Path) -> None:
    program = f"{OWN_PROVIDER}; provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter()))"
    lines, verdict = told(tmp_path, program)
    assert lines[1].startswith("FAIL  processors: SimpleSpanProcessor(ConsoleSpanExporter): none is otel-prov's; call")
    assert verdict == "False"


def test_the_exporter_alone_is_enough(tmp_path: Path) -> None:
    program = f"{OWN_PROVIDER}; provider.add_span_processor(BatchSpanProcessor(otel_prov.ProvSpanExporter()))"
    lines, verdict = told(tmp_path, program)
    assert lines[1].startswith("ok    processors: BatchSpanProcessor(ProvSpanExporter); with install()")
    assert verdict == "True"


@pytest.mark.parametrize(
    ("sampler", "verdict"), [("parentbased_traceidratio", "False"), ("prov_parentbased_traceidratio", "True")]
)
def test_a_sampler_that_drops_sessions_is_told(tmp_path: Path, sampler: str, verdict: str) -> None:
    variables = {"OTEL_TRACES_SAMPLER": sampler, "OTEL_TRACES_SAMPLER_ARG": "0.9"}
    lines, found = told(tmp_path, "otel_prov.install()", **variables)
    assert found == verdict
    assert ("set OTEL_TRACES_SAMPLER=prov_parentbased_traceidratio" in lines[2]) == (verdict == "False")


def test_what_was_lost_is_told(tmp_path: Path) -> None:
    lines, verdict = told(tmp_path, "otel_prov.install(); otel_prov.iteration().__enter__()")
    assert lines[-1].startswith("FAIL  losses: iteration not recorded: outside of a session (1)")
    assert verdict == "False"


@instrumented
def test_opentelemetry_instrument_sets_up_all_that_is_needed(tmp_path: Path) -> None:
    command = str(Path(sys.executable).with_name("opentelemetry-instrument"))
    variables = {"OTEL_TRACES_EXPORTER": "prov", "OTEL_METRICS_EXPORTER": "none", "OTEL_LOGS_EXPORTER": "none"}
    done = run(tmp_path, command, sys.executable, "-c", DOCTOR.format("pass"), **variables)
    assert done.stdout.splitlines()[-1] == "True"
    assert "ok    processors: BatchSpanProcessor(ProvSpanExporter), ProvSpanProcessor" in done.stdout
