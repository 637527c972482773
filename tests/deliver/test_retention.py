"""`OTEL_EXPORTER_PROV_RETENTION`: old sessions go by themselves, but none that runs or waits to be sent."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from otel_prov.keep import Store
from otel_prov.record.journal import Journal
from otel_prov.record.worker import LOG_FILE
from tests.keep.told import Told

from .conftest import AGENT, Probe, Run, Start, until

DAYS = 86_400 * 10**9


@pytest.fixture(autouse=True)
def retention(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_RETENTION", "30d")


def record(folder: Path, *days: int) -> None:
    """A session for each, that so many days ago started and ended."""
    journal = Journal(folder)
    for number in days:
        told = Told(f"d{number}")
        told.trace_id, told.start = f"{number:032x}", time.time_ns() - number * DAYS
        for line in told.whole():
            journal.write(line)
    journal.close()


def kept(folder: Path) -> set[str]:
    with Store(folder) as store:
        store.take_in()
        return {summary.uri.rpartition(":")[2] for summary in store.sessions(limit=None)}


def test_what_is_old_goes_when_it_is_sent(folder: Path, probe: Probe, run: Run) -> None:
    record(folder, 40, 20)
    run("deliver", "--to", probe.url, "--once")
    assert len({parcel.session for parcel in probe.parcels}) == 2
    assert kept(folder) == {"d20"}


def test_what_is_not_sent_stays_and_that_is_said(
    folder: Path, probe: Probe, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(folder, 50, 40, 20)
    (probe / "away").touch()
    said = run("deliver", "--to", probe.url, "--once", expect=1).stderr
    assert f"kept longer than OTEL_EXPORTER_PROV_RETENTION says: 2 sessions wait to be sent to {probe.url}" in said
    assert kept(folder) == {"d50", "d40", "d20"}

    monkeypatch.setenv("OTEL_EXPORTER_PROV_ENDPOINT", probe.url)
    pruned = run("prune")
    assert pruned.stdout == "Removed 0 sessions.\n"
    assert pruned.stderr == f"Kept 2 sessions not yet sent to {probe.url}; --unsent removes them, too.\n"
    assert run("prune", "--unsent").stdout == "Removed 2 sessions.\n"
    assert kept(folder) == {"d20"}


def test_without_an_endpoint_the_agent_starts_what_removes_them(folder: Path, run: Run) -> None:
    record(folder, 40)
    assert run(1, program=AGENT).stdout == "{}\n"
    until(lambda: kept(folder) == {"s-0"})
    assert (folder / LOG_FILE).read_text() == ""


def test_one_that_runs_stays(folder: Path, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_RETENTION", "0s,1KB")
    agent = start(1, tmp_path / "go", program=AGENT)
    until(lambda: kept(folder) == {"last"})
    (tmp_path / "go").touch()
    assert "{}" in agent.communicate()[0]


@pytest.mark.parametrize("value", ["30", "30d,10XB"])
def test_one_that_makes_no_sense_is_said_in_the_agents_log_and_nothing_goes(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_RETENTION", value)
    record(folder, 4000)
    said = run(1, program=AGENT).stderr
    assert said == (
        f"OTEL_EXPORTER_PROV_RETENTION={value} is no age like 30d and no size like 10GiB; no limit is taken\n"
    )
    assert kept(folder) == {"d4000", "s-0"}
