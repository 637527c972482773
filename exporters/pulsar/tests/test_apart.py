"""The Pulsar client's own process, at a real broker: what becomes of it, and of us without it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import many
from otel_prov.deliver.destination import Parcel
from tests.integration.servers.pulsar import Broker

from otel_prov_exporter_pulsar.apart import Ended

pytestmark = pytest.mark.integration

CRASHING = Path(__file__).parents[3] / "tests" / "integration" / "crashing"


def test_a_client_that_ends_its_process_ends_no_other_and_comes_back(
    pulsar_broker: Broker,
    sender: Callable[..., Any],
    topic_of: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    crash = tmp_path / "crash"
    crash.touch()
    monkeypatch.syspath_prepend(CRASHING)
    name = pulsar_broker.namespace("crash", deduplicated=True) + "triples"
    target = sender(pulsar_broker.url, topic=name, CRASH=str(crash))
    with pytest.raises(Ended, match=r"the Pulsar client has ended its process \(exit code -6\)"):
        target.send(many(1_000))
    assert int((tmp_path / "crashed").read_text()) != os.getpid()
    assert target.send(many(1_000)) == [None] * 1_000
    assert topic_of(pulsar_broker, name).ids() == [f"test-store/{n * 1000 + 1}" for n in range(1, 1_001)]


def test_a_fault_while_parcels_are_made_is_raised_and_the_next_ones_are_sent(
    pulsar_broker: Broker, sender: Callable[..., Any], topic_of: Callable[..., Any]
) -> None:
    name = pulsar_broker.namespace("fault", deduplicated=True) + "triples"

    def failing() -> Iterator[Parcel]:
        yield from many(2_000)
        raise ZeroDivisionError

    target = sender(pulsar_broker.url, topic=name)
    with pytest.raises(ZeroDivisionError):
        target.send(failing())
    assert target.send(many(2_100)) == [None] * 2_100
    assert topic_of(pulsar_broker, name).ids() == [f"test-store/{n * 1000 + 1}" for n in range(1, 2_101)]


PROGRAM = """
import os, signal, sys, threading
from otel_prov.deliver.destination import Parcel
from otel_prov.describe.quads import Literal, Quad
from otel_prov_exporter_pulsar import destination

def parcels(first, last):
    for n in range(first, last):
        yield Parcel(n, "urn:s", f"urn:s/{n}", "default", [Quad("urn:s", "urn:p", Literal("x" * 100))])

def signalled():
    yield from parcels(101, 5_000)
    os.killpg(0, signal.Signals[sys.argv[1]])
    yield from parcels(5_000, 10_001)

def main():
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: print("told to end", flush=True))
    target = destination(os.environ["OTEL_EXPORTER_PROV_ENDPOINT"], "test-store")
    target.send(parcels(1, 101))
    print(*set(target.send(signalled())), flush=True)
    if sys.argv[2] == "close":
        target.close()

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("end", ["close", "leave it"])
def test_a_signal_to_all_of_a_group_is_for_the_worker_alone_and_a_worker_that_ends_leaves_nothing_behind(
    pulsar_broker: Broker, topic_of: Callable[..., Any], tmp_path: Path, number: str, end: str
) -> None:
    name = pulsar_broker.namespace(f"{number}-{end[:5]}".lower()) + "triples"
    told = {"OTEL_EXPORTER_PROV_ENDPOINT": pulsar_broker.url, "OTEL_EXPORTER_PROV_TOPIC": name}
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(  # until all that have its output are gone
        [sys.executable, program, number, end],
        env={**os.environ, **told, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        start_new_session=True,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("told to end\nNone\n", "", 0)
    assert topic_of(pulsar_broker, name).ids() == [f"test-store/{n * 1000 + 1}" for n in range(1, 10_001)]
    if end == "close":
        assert list(tmp_path.glob("otel-prov-pulsar-*")) == [], "the client's log"


def test_a_worker_that_is_killed_takes_its_client_with_it(pulsar_broker: Broker, tmp_path: Path) -> None:
    name = pulsar_broker.namespace("orphan") + "triples"
    told = {"OTEL_EXPORTER_PROV_ENDPOINT": pulsar_broker.url, "OTEL_EXPORTER_PROV_TOPIC": name}
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("os.killpg(0, signal.Signals[sys.argv[1]])", "os.kill(os.getpid(), 9)"))
    done = subprocess.run(
        [sys.executable, program], env={**os.environ, **told}, stdout=subprocess.PIPE, timeout=60
    )  # comes back when all that have its output are gone
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, b"")
    stored = pulsar_broker.admin("GET", f"persistent/{name.partition('://')[2]}/stats")
    assert stored["msgInCounter"] >= 100
