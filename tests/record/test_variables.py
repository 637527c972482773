"""Whoever mistypes a variable learns it from the first line in the log."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from otel_prov.keep import Store
from otel_prov.record.journal import files
from otel_prov.steps import Analysis, Observation

from .test_named import INSTALLED, ends, run


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        (
            "OTEL_EXPORTER_PROV_ENDPIONT",
            "pulsar://broker:6650",
            "OTEL_EXPORTER_PROV_ENDPIONT is no variable of otel-prov; OTEL_EXPORTER_PROV_ENDPOINT may be meant",
        ),
        (
            "OTEL_EXPORTER_PROV_ENDPOINT",
            "ann:hush@broker:6650",
            "OTEL_EXPORTER_PROV_ENDPOINT=broker:6650 is no URL like pulsar://broker:6650; no endpoint is taken",
        ),
        (
            "OTEL_EXPORTER_PROV_CAPTURE_CONTENT",
            "ture",
            "OTEL_EXPORTER_PROV_CAPTURE_CONTENT=ture is neither true nor false; false is taken",
        ),
    ],
)
def test_it_is_said_in_one_line_and_the_agent_goes_on(tmp_path: Path, name: str, value: str, line: str) -> None:
    done = run(tmp_path, sys.executable, "-c", INSTALLED, **{name: value})
    assert done.stderr == line + "\n"
    assert ends(tmp_path) == [False, False, True, True]
    assert done.stdout == "{}\n", "no session is lost"


def test_a_switch_for_the_worker_that_makes_no_sense_is_off(tmp_path: Path) -> None:
    variables = {"OTEL_EXPORTER_PROV_WORKER": "maybe", "OTEL_EXPORTER_PROV_ENDPOINT": (tmp_path / "x.nq").as_uri()}
    done = run(tmp_path, sys.executable, "-c", INSTALLED, **variables)
    assert done.stderr == "OTEL_EXPORTER_PROV_WORKER=maybe is neither true nor false; false is taken\n"
    assert not (tmp_path / "worker.lock").exists()


def test_doctor_says_the_same_with_what_to_do(tmp_path: Path) -> None:
    variables = {
        "OTEL_EXPORTER_PROV_STORE": str(tmp_path),
        "OTEL_EXPORTER_PROV_COLECTION": "papers",
        "OTEL_EXPORTER_PROV_CAPTURE_CONTENT": "ture",
        "OTEL_EXPORTER_PROV_ENDPOINT": "broker:6650",
    }
    command = [sys.executable, "-m", "otel_prov.show.cli", "doctor"]
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert [line for line in done.stdout.splitlines() if line.startswith("FAIL")] == [
        "FAIL  OTEL_EXPORTER_PROV_CAPTURE_CONTENT: 'ture' is neither true nor false, and taken for false; "
        "write true or false",
        "FAIL  OTEL_EXPORTER_PROV_COLECTION: no variable of otel-prov, so nobody reads it; "
        "set OTEL_EXPORTER_PROV_COLLECTION instead",
        "FAIL  endpoint: 'broker:6650' is no endpoint; write it like pulsar://broker:6650 or file:///path/out.nq",
    ]


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("TIMEOUT", "soon", "=soon is no number of seconds above 0 and up to 86400; 30 is taken"),
        ("LIBRARIAN_WAIT", "0", "=0 is no number of seconds above 0 and up to 86400; 120 is taken"),
        ("LEAN", "very", "=very is neither true nor false; false is taken"),
        ("HEADERS", "hush", ": number 1 is no name=value; it is left out"),
    ],
)
def test_what_only_the_worker_needs_is_said_in_the_agents_log_too(
    tmp_path: Path, name: str, value: str, line: str
) -> None:
    done = run(tmp_path, sys.executable, "-c", INSTALLED, **{f"OTEL_EXPORTER_PROV_{name}": value})
    assert done.stderr == f"OTEL_EXPORTER_PROV_{name}{line}\n"
    assert done.stdout == "{}\n"


@pytest.mark.parametrize(
    ("name", "value"), [("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "many"), ("OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "-1")]
)
def test_a_limit_that_the_sdk_would_end_the_program_for_is_said_and_the_default_taken(
    tmp_path: Path, name: str, value: str
) -> None:
    done = run(tmp_path, sys.executable, "-c", INSTALLED, **{name: value})
    assert done.stderr == f"{name}={value} is no whole number from 0; the default is taken\n"
    assert ends(tmp_path) == [False, False, True, True]


def test_what_a_session_is_found_by_survives_a_limit_that_a_program_exceeds(tmp_path: Path) -> None:
    program = """
import otel_prov
from opentelemetry import trace
otel_prov.install()
with otel_prov.session("?", session_id="s", user="ann", collection="c") as run:
    with otel_prov.iteration() as step:
        step.record(thought="Hm.", action="look", arguments={"at": "x" * 1000})
        for number in range(40):
            trace.get_current_span().set_attribute(f"program.{number}", number)
        step.record(observation={"seen": ["y" * 100] * 100})
    for number in range(40):
        trace.get_current_span().set_attribute(f"program.{number}", number)
    run.record(answer="!")
print(otel_prov.losses())
"""
    limits = {"OTEL_ATTRIBUTE_COUNT_LIMIT": "32", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT": " 64 "}
    done = run(tmp_path, sys.executable, "-c", program, **limits)
    assert done.stdout == "{}\n"
    with Store(tmp_path) as store:
        store.take_in()
        (summary,) = store.sessions()
        session = store.session(summary.uri)
    assert session is not None
    assert (summary.outcome, summary.collection, session.user) == ("final", "c", "ann")
    (analysis,), (observation,) = session.of(Analysis), session.of(Observation)
    assert analysis.arguments is not None
    assert max(len(analysis.arguments), len(observation.text)) <= 64
    assert json.loads(analysis.arguments)["at"].startswith("xxx")


def test_the_resource_and_the_batches_of_others_are_as_opentelemetrys_variables_say(tmp_path: Path) -> None:
    variables = {
        "OTEL_TRACES_EXPORTER": "console,prov",
        "OTEL_RESOURCE_ATTRIBUTES": "service.name=hidden,team=pumps",
        "OTEL_SERVICE_NAME": "station",
        "OTEL_BSP_SCHEDULE_DELAY": "20",
    }
    waits = f"import sys, time; {INSTALLED}; time.sleep(0.5); print('end of the program')"
    done = run(tmp_path, sys.executable, "-c", waits, **variables)
    before, _, behind = done.stdout.partition("end of the program")
    assert before.count('"name": "invoke_agent answer"') == 1, "long before its default of five seconds"
    assert behind.strip() == ""
    (line, *_) = files(tmp_path)[0].read_bytes().splitlines()
    pairs = json.loads(line)["resourceSpans"][0]["resource"]["attributes"]
    found = {pair["key"]: pair["value"].get("stringValue") for pair in pairs}
    assert (found["service.name"], found["team"]) == ("station", "pumps")


def test_batches_that_can_not_be_made_leave_out_their_exporter_only(tmp_path: Path) -> None:
    variables = {"OTEL_TRACES_EXPORTER": "console,prov", "OTEL_BSP_MAX_QUEUE_SIZE": "10"}
    done = run(tmp_path, sys.executable, "-c", INSTALLED, **variables)
    assert ends(tmp_path) == [False, False, True, True]
    assert "exporter left out" in done.stdout
    assert "invoke_agent" not in done.stdout
