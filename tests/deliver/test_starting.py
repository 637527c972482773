"""What a recording program does about the worker: little, and nothing that could harm it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from otel_prov.losses import losses
from otel_prov.record import worker
from otel_prov.record.worker import LOG_FILE, NOT_STARTED, Worker

from .conftest import AGENT, LONGEST, Probe, Run, until


@pytest.fixture
def recording(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Worker:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_ENDPOINT", "file:///out.nq")
    folder.mkdir()
    return Worker(str(folder))


def test_a_worker_that_cannot_be_started_is_a_loss_and_no_error(
    recording: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    before = losses().get(NOT_STARTED, 0)
    recording.ensure()
    assert losses()[NOT_STARTED] == before + 1


def test_it_is_looked_for_every_few_seconds_only(recording: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    monkeypatch.setattr(recording, "_look", lambda: looks.append(1))
    for _ in range(1000):
        recording.ensure()
    assert len(looks) == 1


def test_its_log_is_emptied_when_it_has_grown_long(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_LOG_BYTES", 10)
    folder.mkdir()
    log = folder / LOG_FILE
    with log.open("ab") as file:
        file.write(b"short")
        file.flush()
        worker.trim(file)
        file.write(b" and long")
        file.flush()
        worker.trim(file)
        file.write(b"new")
    assert log.read_bytes() == b"new"


def test_what_is_wrong_with_an_endpoint_stands_in_its_log_and_in_status(
    folder: Path, run: Run, probe: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_ENDPOINT", "probe-missing://host/")
    run(1, program=AGENT)
    remedy = "no_such_module:thing can't be loaded"
    until(lambda: remedy in (folder / LOG_FILE).read_text())
    until(lambda: remedy in run("status").stdout)


def test_why_a_worker_has_ended_is_said_in_the_agents_log_too(
    recording: Worker, folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_ENDPOINT", "file:///out.nq")
    monkeypatch.setenv("OTEL_EXPORTER_PROV_SHAPE", "round")
    recording.ensure()
    assert recording._process is not None
    assert recording._process.wait(LONGEST) == 1
    before = losses().get(worker.ENDED, 0)
    recording._due = 0
    recording.ensure()
    assert losses()[worker.ENDED] == before + 1
    assert "OTEL_EXPORTER_PROV_SHAPE: there is no shape 'round'; choose from" in caplog.text
    assert str(folder / LOG_FILE) in caplog.text
    assert recording._process.wait(LONGEST) == 1, "it is tried again"
