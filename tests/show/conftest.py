"""A store with sessions in it, and the command in three ways: called, run, and started."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from otel_prov.keep import Store
from otel_prov.steps import Session
from tests.command import invoke

OTEL_PROV = [sys.executable, "-m", "otel_prov.show.cli"]
LONGEST = 60.0  # seconds that a started program may take


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the store is, for this process and those that it starts."""
    folder = tmp_path / "store"
    monkeypatch.setenv("OTEL_EXPORTER_PROV_STORE", str(folder))
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return folder


@pytest.fixture
def keep(folder: Path) -> Callable[..., None]:
    """Put sessions into the store."""

    def keep(*sessions: Session) -> None:
        with Store(folder) as store:
            store.add(sessions)

    return keep


@pytest.fixture
def call(folder: Path) -> Callable[..., Result]:
    """Call the command in this process."""

    def call(*arguments: object, expect: int = 0) -> Result:
        result = invoke(*arguments)
        assert result.exit_code == expect, result.output
        return result

    return call


@pytest.fixture
def run(folder: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Run the command in a process of its own."""

    def run(*arguments: object, expect: int = 0, **options: object) -> subprocess.CompletedProcess[bytes]:
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        done = subprocess.run([*OTEL_PROV, *map(str, arguments)], timeout=LONGEST, check=False, **options)  # type: ignore[call-overload]
        assert done.returncode == expect, done.stderr
        assert b"Traceback" not in (done.stderr or b"")
        return done  # type: ignore[no-any-return]

    return run


@pytest.fixture
def start(folder: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start the command, or another program, to talk with while it runs."""
    started: list[subprocess.Popen[str]] = []
    alarms: list[threading.Timer] = []

    def start(*arguments: str, program: list[str] = OTEL_PROV) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*program, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env={**os.environ, "PYTHONUTF8": "1"},
        )
        started.append(process)
        alarms.append(threading.Timer(LONGEST, process.kill))
        alarms[-1].start()
        return process

    yield start
    for alarm in alarms:
        alarm.cancel()
    for process in started:
        process.kill()
        process.communicate()
