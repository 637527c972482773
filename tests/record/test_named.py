"""What `OTEL_TRACES_EXPORTER` says is what happens, with `install()` and with `opentelemetry-instrument`."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import pytest

from otel_prov.environment import PREFIX
from otel_prov.read import parse_line
from otel_prov.record.journal import files
from scripts.readme import variables

AGENT = "from tests.record.test_recording import answer; answer('?')"
VARIABLES = [
    "ENDPOINT",
    "STORE",
    "SHAPE",
    "COLLECTION",
    "WORKSPACE",
    "FLOW",
    "TOPIC",
    "LIBRARIAN_ENDPOINT",
    "LIBRARIAN_TOKEN",
    "HEADERS",
    "CERTIFICATE",
    "TOKEN",
    "TOKEN_FILE",
    "TIMEOUT",
    "CAPTURE_CONTENT",
    "WORKER",
    "RETENTION",
]
INSTALLED = f"import otel_prov; otel_prov.install(); {AGENT}; print(otel_prov.losses())"

instrumented = pytest.mark.skipif(
    find_spec("opentelemetry.distro") is None,
    reason="opentelemetry-instrument is not here: pip install opentelemetry-distro",
)


def run(store: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OTEL_EXPORTER_PROV_STORE": str(store), **variables}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done


def ends(store: Path) -> list[bool]:
    """For each record, whether it is of a span that has ended."""
    return [span.end > 0 for file in files(store) for line in file.open("rb") for span in parse_line(line)]


def test_install_records_beside_the_exporters_that_are_named(tmp_path: Path) -> None:
    done = run(tmp_path, sys.executable, "-c", INSTALLED, OTEL_TRACES_EXPORTER="console, prov,console")
    assert ends(tmp_path) == [False, False, True, True]
    assert done.stdout.count('"name": "invoke_agent answer"') == 1
    assert "{}" in done.stdout


@pytest.mark.parametrize("value", ["none", "console"])
def test_install_records_nothing_where_others_or_none_are_named(tmp_path: Path, value: str) -> None:
    done = run(tmp_path, sys.executable, "-c", INSTALLED, OTEL_TRACES_EXPORTER=value)
    assert ends(tmp_path) == []
    assert ("does not name prov" in done.stdout) == (value == "console")


def test_install_records_nothing_where_the_sdk_is_disabled(tmp_path: Path) -> None:
    run(tmp_path, sys.executable, "-c", INSTALLED, OTEL_SDK_DISABLED="true")
    assert ends(tmp_path) == []


def test_an_exporter_that_is_not_installed_is_said_and_the_others_work(tmp_path: Path) -> None:
    done = run(tmp_path, sys.executable, "-c", INSTALLED, OTEL_TRACES_EXPORTER="carrier_pigeon,prov")
    assert ends(tmp_path) == [False, False, True, True]
    assert "exporter left out: not installed" in done.stdout
    assert "'carrier_pigeon'" in done.stderr


@instrumented
def test_opentelemetry_instrument_finds_the_exporter_and_sees_what_runs(tmp_path: Path) -> None:
    command = str(Path(sys.executable).with_name("opentelemetry-instrument"))
    done = run(
        tmp_path,
        command,
        sys.executable,
        "-c",
        AGENT,
        OTEL_TRACES_EXPORTER="console,prov",
        OTEL_METRICS_EXPORTER="none",
        OTEL_LOGS_EXPORTER="none",
    )
    assert ends(tmp_path) == [False, False, True, True], "each span once, and the starts"
    assert done.stdout.count('"name": "invoke_agent answer"') == 1


@instrumented
def test_every_variable_of_ours_is_a_flag_of_opentelemetry_instrument() -> None:
    command = str(Path(sys.executable).with_name("opentelemetry-instrument"))
    said = subprocess.run([command, "--help"], capture_output=True, text=True).stdout
    for name in VARIABLES:
        assert f"--exporter_prov_{name.lower()} " in said


def test_every_variable_has_its_meaning_and_its_default() -> None:
    told = dict(variables())
    for name in VARIABLES:
        assert "\n\nDefault: " in told[PREFIX + name]


def test_the_exporter_is_found_by_its_name() -> None:
    (entry,) = entry_points(group="opentelemetry_traces_exporter", name="prov")
    assert entry.load().__name__ == "ProvSpanExporter"
