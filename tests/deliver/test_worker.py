"""The worker, as real processes: nothing is lost, whoever dies, and order is kept."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from otel_prov.record.journal import Journal
from tests.keep.told import Told

from .conftest import AGENT, OTEL_PROV, Probe, Run, Start, delivery, graph, record, until


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


@pytest.mark.parametrize(
    ("sessions", "bad", "ends"),
    [
        (30, "s20", 4),  # twice all of them, twice one by one
        (90, "s87", 5),  # before that in what followed a batch that went well
    ],
)
@pytest.mark.parametrize(("name", "code"), [("fatal", -signal.SIGABRT), ("fault", 1)])
def test_a_step_that_cannot_be_sent_whoever_tries_is_found_and_holds_up_nobody(
    folder: Path, probe: Probe, start: Start, run: Run, name: str, code: int, sessions: int, bad: str, ends: int
) -> None:
    record(folder, sessions)
    (probe / name).write_text(f"Why {bad}?")
    for _ in range(ends):
        worker = start("deliver", "--to", probe.url, "--once")
        worker.communicate()
        assert worker.returncode == code
    run("deliver", "--to", probe.url, "--once")
    assert len(probe.parcels) == len({parcel.sequence for parcel in probe.parcels}) == sessions * 6 - 1
    (refused,) = json.loads(run("quarantine", "show", "--json").stdout)
    assert (refused["session"], refused["step"]) == (f"urn:trustgraph:agent:{bad}", "Question")
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


def test_progress_is_drawn_on_a_terminal(folder: Path, probe: Probe, monkeypatch: pytest.MonkeyPatch) -> None:
    pty = pytest.importorskip("pty")
    record(folder, 2)
    monkeypatch.setenv("COLUMNS", "200")
    ours, theirs = pty.openpty()
    done = subprocess.run([*OTEL_PROV, "deliver", "--to", probe.url, "--once"], stderr=theirs, check=False)
    assert done.returncode == 0
    assert len(probe.parcels) == 12
    assert "12/12" in os.read(ours, 65536).decode()
