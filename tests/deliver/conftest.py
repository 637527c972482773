"""A store, a destination that is found by a real entry point, and the programs around them."""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from otel_prov.deliver.alone import other
from otel_prov.describe import describe
from otel_prov.describe.quads import nquads
from otel_prov.keep import Delivery, Store
from otel_prov.record.journal import Journal
from tests.keep.conftest import mount
from tests.keep.told import Told

HERE = Path(__file__).parent
OTEL_PROV = [sys.executable, "-m", "otel_prov.show.cli"]
AGENT = [sys.executable, str(HERE / "agent.py")]
LONGEST = 60.0  # seconds that anything may take

_ENTRY_POINTS = """
[otel_prov_destination]
probe = probe_destination:Probe
probe-failing = probe_destination:failing
probe-missing = no_such_module:thing
"""


class Arrived(NamedTuple):
    sequence: int
    session: str
    subject: str
    collection: str
    text: str
    store: str


class Probe:
    """The test's end of the destination."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.url = f"probe://{folder}"

    def __truediv__(self, name: str) -> Path:
        return self.folder / name

    @property
    def parcels(self) -> list[Arrived]:
        file = self / "parcels.jsonl"
        lines = file.read_text().splitlines(keepends=True) if file.exists() else []
        return [Arrived(*json.loads(line)) for line in lines if line.endswith("\n")]

    @property
    def quads(self) -> set[str]:
        return {line for parcel in self.parcels for line in parcel.text.splitlines()}

    @property
    def repeated(self) -> list[int]:
        return [sequence for sequence, times in Counter(p.sequence for p in self.parcels).items() if times > 1]


def until(condition: Callable[[], Any]) -> None:
    """Wait until something that another process does has happened."""
    give_up = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < give_up, "it never happened"
        time.sleep(0.005)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the store is, for this process and those that it starts. A worker that is left is ended."""
    folder = tmp_path / "store"
    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("OTEL_EXPORTER_PROV_STORE", str(folder))
    yield folder
    while process := other(folder):
        os.kill(process, signal.SIGKILL)
        until(functools.partial(_is_gone, folder, process))


def _is_gone(folder: Path, process: int) -> bool:
    return other(folder) != process


@pytest.fixture
def probe(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Probe:
    """The destination, installed for every process that is started."""
    package = tmp_path / "site" / "probe-1.0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: probe\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(_ENTRY_POINTS)
    root = HERE.parents[1]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (package.parent, HERE, root))))
    monkeypatch.syspath_prepend(package.parent)
    monkeypatch.syspath_prepend(HERE)
    return Probe(tmp_path / "probe")


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    with Store(folder) as store:
        yield store


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


Start = Callable[..., "subprocess.Popen[str]"]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def start(folder: Path) -> Iterator[Start]:
    """Start the command, or another program."""
    started: list[subprocess.Popen[str]] = []
    alarms: list[threading.Timer] = []

    def start(*arguments: object, program: list[str] = OTEL_PROV) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
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


@pytest.fixture
def run(start: Start) -> Run:
    """Run the command to its end."""

    def run(*arguments: object, expect: int = 0, program: list[str] = OTEL_PROV) -> subprocess.CompletedProcess[str]:
        process = start(*arguments, program=program)
        out, err = process.communicate()
        assert process.returncode == expect, (process.returncode, err)
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    return run


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of 1 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount(folder, "-t", "tmpfs", "-o", "size=1m", "tmpfs")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)
