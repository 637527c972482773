"""The worker, as real processes: nothing is lost, whoever dies, and order is kept."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from otel_prov.deliver.alone import other
from otel_prov.describe import describe
from otel_prov.describe.quads import nquads
from otel_prov.keep import Delivery, Store
from otel_prov.record.journal import Journal
from tests.keep.told import Told, Writer

from .conftest import AGENT, OTEL_PROV, Probe, Run, Start, until


def record(folder: Path, sessions: int, iterations: int = 2) -> list[Told]:
    """Sessions that have ended, in the journal."""
    journal = Journal(folder)
    told = [Told(f"s{number}", number) for number in range(1, sessions + 1)]
    for each in told:
        for line in each.whole(iterations):
            journal.write(line)
    journal.close()
    return told


def delivery(folder: Path, probe: Probe) -> Delivery:
    with Store(folder) as store:
        return store.outbox.delivery(probe.url)


def graph(folder: Path) -> set[str]:
    """All that the store knows, as lines."""
    with Store(folder) as store:
        store.take_in()
        sessions = [store.session(summary.uri) for summary in store.sessions(limit=None)]
    return {line for session in sessions if session for line in nquads(describe(session)).splitlines()}


def test_steps_of_a_session_arrive_in_their_order_under_rising_numbers(folder: Path, probe: Probe, run: Run) -> None:
    record(folder, 3, iterations=3)
    run("deliver", "--to", probe.url, "--once")
    assert probe.quads == graph(folder)
    assert [parcel.sequence for parcel in probe.parcels] == list(range(1, 3 * 8 + 1))
    for number in (1, 2, 3):
        subjects = [p.subject for p in probe.parcels if p.session == f"urn:trustgraph:agent:s{number}"]
        parts = [subject.removeprefix(f"urn:trustgraph:agent:s{number}") for subject in subjects]
        assert parts == ["", "/i1", "/i1/observation", "/i2", "/i2/observation", "/i3", "/i3/observation", "/final"]
    assert {parcel.collection for parcel in probe.parcels} == {"c"}
    assert len({parcel.store for parcel in probe.parcels}) == 1
    assert (probe / "closed").exists()


def test_sent_twice_a_step_is_the_same_under_the_same_number(
    folder: Path, probe: Probe, start: Start, run: Run
) -> None:
    record(folder, 5)
    (probe / "stop").touch()
    worker = start("deliver", "--to", probe.url)
    until((probe / "standing").exists)
    worker.kill()
    worker.wait()
    half = probe.parcels
    assert len(half) == 15, "half of what there is"
    assert delivery(folder, probe).pending == 30
    (probe / "stop").unlink()
    run("deliver", "--to", probe.url, "--once")
    assert probe.parcels[15:30] == half
    assert probe.quads == graph(folder)
    assert delivery(folder, probe).pending == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_stop_it_finishes_the_batch_in_flight(
    folder: Path, probe: Probe, start: Start, run: Run, number: signal.Signals
) -> None:
    record(folder, 5)
    (probe / "stop").touch()
    worker = start("deliver", "--to", probe.url)
    until((probe / "standing").exists)
    worker.send_signal(number)
    (probe / "stop").unlink()
    _, err = worker.communicate()
    assert worker.returncode == 0, err
    assert err == ""
    assert delivery(folder, probe).sent == 30
    run("deliver", "--to", probe.url, "--once")
    assert not probe.repeated


def test_an_unreachable_destination_is_tried_until_it_is_back_and_holds_up_no_other(
    folder: Path, probe: Probe, start: Start, tmp_path: Path
) -> None:
    record(folder, 2)
    (probe / "away").touch()
    worker = start("deliver", "--to", probe.url, "--to", f"file://{tmp_path}/out.nq")
    assert worker.stderr is not None
    assert "nobody there" in worker.stderr.readline()
    until((tmp_path / "out.nq").exists)
    until(lambda: set((tmp_path / "out.nq").read_text().splitlines()) == graph(folder))
    until(lambda: delivery(folder, probe).last_error == "nobody there")
    state = delivery(folder, probe)
    assert (state.pending, state.sent) == (12, 0)
    assert state.lag is not None
    (probe / "away").unlink()
    until(lambda: delivery(folder, probe).pending == 0)
    assert probe.quads == graph(folder)
    worker.terminate()
    assert worker.wait() == 0


def test_once_tells_in_one_line_what_it_could_not_send(folder: Path, probe: Probe, run: Run) -> None:
    record(folder, 1)
    (probe / "away").touch()
    done = run("deliver", "--to", probe.url, "--once", expect=1)
    assert done.stderr == f"otel-prov: {probe.url}: nobody there\n"


def test_a_refused_step_stops_nobody_and_can_be_shown_retried_and_dropped(folder: Path, probe: Probe, run: Run) -> None:
    record(folder, 167)  # of six steps each
    (probe / "refuse").write_text("Why s80?")
    run("deliver", "--to", probe.url, "--once")
    assert len(probe.parcels) == 167 * 6 - 1
    state = delivery(folder, probe)
    assert (state.pending, state.sent, state.failed, state.quarantined) == (0, 1001, {"it is refused": 1}, 1)

    shown = run("quarantine", "show").stdout
    assert "urn:trustgraph:agent:s80" in shown
    assert "it is refused" in shown
    (found,) = json.loads(run("quarantine", "show", "--json").stdout)
    assert (found["step"], found["attempts"]) == ("Question", 1)
    assert "no refused step 77" in run("quarantine", "retry", "77", expect=1).stderr

    assert run("quarantine", "retry", found["id"]).stdout == "1 step will be sent again.\n"
    run("deliver", "--to", probe.url, "--once")
    assert delivery(folder, probe).quarantined == 1, "refused once more"
    (probe / "refuse").unlink()
    run("quarantine", "retry", "--all")
    run("deliver", "--to", probe.url, "--once")
    assert delivery(folder, probe).quarantined == 0
    assert probe.quads == graph(folder)
    assert [p.sequence for p in probe.parcels] == sorted(p.sequence for p in probe.parcels), "also of those behind"

    (probe / "refuse").write_text("Why s1?")
    record_again = Told("s1", 1)
    journal = Journal(folder)
    journal.write(record_again.saw(3))
    journal.close()
    run("deliver", "--to", probe.url, "--once")
    assert delivery(folder, probe).quarantined == 0, "only what has changed is sent"


@pytest.mark.parametrize(("name", "code"), [("fatal", -signal.SIGABRT), ("fault", 1)])
def test_a_step_that_cannot_be_sent_whoever_tries_is_found_and_holds_up_nobody(
    folder: Path, probe: Probe, start: Start, run: Run, name: str, code: int
) -> None:
    record(folder, 30)
    (probe / name).write_text("Why s20?")
    for _ in range(4):  # twice all of them, twice one by one
        worker = start("deliver", "--to", probe.url, "--once")
        worker.communicate()
        assert worker.returncode == code
    run("deliver", "--to", probe.url, "--once")
    assert len(probe.parcels) == len({parcel.sequence for parcel in probe.parcels}) == 30 * 6 - 1
    (refused,) = json.loads(run("quarantine", "show", "--json").stdout)
    assert (refused["session"], refused["step"]) == ("urn:trustgraph:agent:s20", "Question")
    assert refused["reason"] == "it was tried alone: the worker ended, or had a fault, each time; see its log"
    (probe / name).unlink()
    run("quarantine", "retry", "--all")
    run("deliver", "--to", probe.url, "--once")
    assert probe.quads == graph(folder)
    assert delivery(folder, probe).quarantined == 0


def test_dropped_is_dropped(folder: Path, probe: Probe, run: Run) -> None:
    record(folder, 2)
    (probe / "refuse").write_text("Why s")
    run("deliver", "--to", probe.url, "--once")
    assert delivery(folder, probe).quarantined == 2
    assert run("quarantine", "drop", "1").stdout == "Dropped 1 step.\n"
    assert run("quarantine", "drop", "--all").stdout == "Dropped 1 step.\n"
    (probe / "refuse").unlink()
    run("deliver", "--to", probe.url, "--once")
    assert len(probe.parcels) == 10


def test_one_worker_for_a_store(folder: Path, probe: Probe, start: Start, run: Run) -> None:
    record(folder, 1)
    first = start("deliver", "--to", probe.url)
    until(lambda: len(probe.parcels) == 6)
    done = run("deliver", "--to", probe.url, expect=1)
    assert done.stderr == f"otel-prov: process {first.pid} delivers from {folder} already; see 'otel-prov status'\n"
    assert json.loads(run("status", "--json").stdout)["worker"] == first.pid
    record(folder, 2)
    run("deliver", "--to", probe.url, "--once")
    assert len(probe.parcels) == 12, "the first one has sent them"
    first.terminate()
    assert first.wait() == 0
    assert json.loads(run("status", "--json").stdout)["worker"] is None


def test_twenty_agents_at_once(folder: Path, probe: Probe, start: Start, run: Run) -> None:
    worker = start("deliver", "--to", probe.url)
    agents = [start(3, "-", f"agent{number}", program=AGENT) for number in range(20)]
    for agent in agents:
        out, _ = agent.communicate()
        assert out == "{}\n"
    run("deliver", "--to", probe.url, "--once")
    assert probe.quads == graph(folder)
    assert len({parcel.session for parcel in probe.parcels}) == 60
    worker.terminate()
    assert worker.wait() == 0


def test_all_that_an_agent_had_recorded_when_it_was_killed_arrives(
    folder: Path, probe: Probe, start: Start, tmp_path: Path
) -> None:
    worker = start("deliver", "--to", probe.url)
    agent = start(1, tmp_path / "never", program=AGENT)
    assert agent.stdout is not None
    assert agent.stdout.readline() == "acting\n"
    until(lambda: any("last/i1" in parcel.subject for parcel in probe.parcels))
    agent.kill()
    until(lambda: delivery(folder, probe).pending == 0 and not list((folder / "journal").iterdir()))
    assert probe.quads == graph(folder)
    worker.terminate()
    assert worker.wait() == 0


def test_a_running_session_is_seen_before_it_ends(folder: Path, probe: Probe, start: Start, tmp_path: Path) -> None:
    worker = start("deliver", "--to", probe.url)
    agent = start(0, tmp_path / "go", program=AGENT)
    until(lambda: [p.subject for p in probe.parcels] == ["urn:trustgraph:agent:last", "urn:trustgraph:agent:last/i1"])
    (tmp_path / "go").touch()
    assert agent.communicate()[0].endswith("{}\n")
    until(lambda: any(p.subject.endswith("/final") for p in probe.parcels))
    assert probe.quads == graph(folder)
    worker.terminate()
    assert worker.wait() == 0


# The worker that a recording program starts --------------------------------------------------------------------------


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


def test_progress_is_drawn_on_a_terminal(folder: Path, probe: Probe, monkeypatch: pytest.MonkeyPatch) -> None:
    pty = pytest.importorskip("pty")
    record(folder, 2)
    monkeypatch.setenv("COLUMNS", "200")
    ours, theirs = pty.openpty()
    done = subprocess.run([*OTEL_PROV, "deliver", "--to", probe.url, "--once"], stderr=theirs, check=False)
    assert done.returncode == 0
    assert len(probe.parcels) == 12
    assert "12/12" in os.read(ours, 65536).decode()
