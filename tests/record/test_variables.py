"""Whoever mistypes a variable learns it from the first line in the log."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
