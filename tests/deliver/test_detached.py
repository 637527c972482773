"""The worker that a recording program starts: it comes, comes back, and leaves by itself."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from otel_prov.deliver.alone import other
from tests.keep.told import Told, Writer

from .conftest import AGENT, Probe, Run, Start, delivery, graph, record, until


def test_a_recording_program_starts_the_worker(
    folder: Path, probe: Probe, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_ENDPOINT", probe.url)
    assert run(2, program=AGENT).stdout == "{}\n"
    until(lambda: len(probe.parcels) == 12)
    assert other(folder)
    assert (folder / "worker.log").read_text() == ""


def test_unless_it_is_told_not_to(folder: Path, probe: Probe, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_ENDPOINT", probe.url)
    monkeypatch.setenv("OTEL_EXPORTER_PROV_WORKER", "off")
    run(2, program=AGENT)
    assert not (folder / "worker.lock").exists()
    run("deliver", "--once")
    assert len(probe.parcels) == 12


def test_a_worker_that_crashes_is_started_again_and_the_agent_does_not_notice(
    folder: Path, probe: Probe, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_ENDPOINT", probe.url)
    (probe / "abort").touch()
    agent = start(1, tmp_path / "go", program=AGENT)
    until(lambda: not (probe / "abort").exists())
    until(lambda: len({parcel.sequence for parcel in probe.parcels}) == 8)  # six, and a question and an analysis
    (tmp_path / "go").touch()
    out, err = agent.communicate()
    assert (agent.returncode, out, err) == (0, "acting\n{}\n", "")
    until(lambda: any(p.subject == "urn:trustgraph:agent:last/final" for p in probe.parcels))
    assert probe.quads == graph(folder)


def test_it_leaves_when_nobody_records_any_more(folder: Path, probe: Probe, start: Start) -> None:
    with Writer(folder) as writer:
        writer.write(*Told().whole())
        worker = start(program=detached(probe))
        until(lambda: len(probe.parcels) == 6)
        writer.write(*Told("s2", 2).whole())
        until(lambda: len(probe.parcels) == 12)
    assert worker.wait() == 0, "the writer is gone"
    assert not list((folder / "journal").iterdir())


def test_it_leaves_also_what_cannot_be_sent(folder: Path, probe: Probe, start: Start) -> None:
    record(folder, 1)
    (probe / "away").touch()
    worker = start(program=detached(probe))
    _, err = worker.communicate()
    assert worker.returncode == 0
    assert "nobody there" in err


def test_it_leaves_when_its_store_is_removed(folder: Path, probe: Probe, start: Start) -> None:
    with Writer(folder) as writer:
        writer.write(*Told().whole())
        (probe / "away").touch()
        worker = start(program=detached(probe, "worker._ALONE_IN_VAIN = 3600"))
        until(lambda: delivery(folder, probe).last_error == "nobody there")
        shutil.rmtree(folder)
        assert worker.wait() == 0


def detached(probe: Probe, more: str = "") -> list[str]:
    """The worker as a program starts it, but for its patience."""
    program = f"""
import os, sys
os.environ["OTEL_EXPORTER_PROV_ENDPOINT"] = sys.argv[1]
from otel_prov.deliver import worker, __main__
worker._ALONE = worker._ALONE_IN_VAIN = 0.2
worker._LOOK = 0.05
{more}
sys.exit(__main__.main())
"""
    return [sys.executable, "-c", program, probe.url]


def test_the_agents_process_loads_nothing_of_it(folder: Path, probe: Probe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_ENDPOINT", probe.url)
    program = f"import runpy, sys; sys.argv = ['', '1']; runpy.run_path({AGENT[1]!r}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    rooms = {name.split(".")[1] for name in done.stdout.split() if name.startswith("otel_prov.")}
    assert not rooms & {"deliver", "keep", "describe", "read", "show"}
    until(lambda: len(probe.parcels) == 6)


def test_a_program_that_holds_an_interpreter_is_not_started_again(
    folder: Path, probe: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = (
        f"import runpy, sys; sys.argv = ['', '1']; sys.executable = '/usr/bin/uwsgi'; runpy.run_path({AGENT[1]!r})"
    )
    monkeypatch.setenv("OTEL_EXPORTER_PROV_ENDPOINT", probe.url)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "sessions recorded but not sent: worker not started" in done.stdout
    assert not (folder / "worker.lock").exists()
