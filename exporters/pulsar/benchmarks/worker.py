"""The worker and one real broker, end to end: how fast a backlog goes, and how long a step takes while all is idle.

    PYTHONPATH=../.. python benchmarks/worker.py [number of sessions]

Starts a broker (Java 17 or later, Maven). A backlog of sessions, six steps each, is in the store; ``otel-prov deliver
--once`` takes it to the broker, from the start of the program to its end. Plain pulsar-client sends the same bodies,
ready made, one by one with ``send_async``. Rounds alternate.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median

import pulsar
from otel_prov.deliver.courier import parcels
from otel_prov.deliver.endpoints import Endpoint
from otel_prov.deliver.worker import Worker
from otel_prov.keep import Store
from otel_prov.record.journal import Journal
from send import plain
from tests.integration.servers.pulsar import Broker
from tests.keep.told import Told

from otel_prov_exporter_pulsar.clientlog import client_log
from otel_prov_exporter_pulsar.messages import messages

ROUNDS = 3
IDLE_STEPS = 200
_PART = 500  # sessions in one journal


def backlog(folder: Path, sessions: int, name: str = "s") -> None:
    """Fill a store with sessions that have ended."""
    with Store(folder) as store:
        for part in range(0, sessions, _PART):
            journal = Journal(folder)
            for number in range(part, min(part + _PART, sessions)):
                for line in Told(f"{name}{number}", number).whole(2):
                    journal.write(line)
            journal.close()
            store.take_in()
        store.outbox.settle()


def bodies(folder: Path) -> list[tuple[str, bytes]]:
    """Key and body of each message that the worker sends of a store."""
    found = []
    with Store(folder) as store:
        while (batch := store.outbox.next_batch("none")).steps:
            for _, parcel in parcels(batch.steps, "trustgraph"):
                found += [(message.key, message.body) for message in messages(parcel, "s", ())]
            store.outbox.acknowledge("none", batch, [], 0)
    return found


def ours(folder: Path, url: str, topic: str) -> float:
    """Seconds that the worker's program takes."""
    told = {"OTEL_EXPORTER_PROV_STORE": str(folder), "OTEL_EXPORTER_PROV_TOPIC": topic}
    command = [sys.executable, "-m", "otel_prov.show.cli", "deliver", "--once", "--to", url]
    begun = time.perf_counter()
    subprocess.run(command, env={**os.environ, **told}, check=True)
    return time.perf_counter() - begun


def compare(work: Path, broker: Broker, sessions: int) -> None:
    """Print messages a second, and their ratio."""
    backlog(work / "backlog", sessions)
    shutil.copytree(work / "backlog", work / "read")
    ready = bodies(work / "read")
    client = pulsar.Client(broker.url, logger=client_log().logger)
    topics = broker.namespace("bench")
    rounds = []
    for number in range(ROUNDS + 1):
        store = work / f"store-{number}"
        shutil.copytree(work / "backlog", store)
        seconds = plain(client, f"{topics}plain-{number}", ready), ours(store, broker.url, f"{topics}ours-{number}")
        stored = broker.admin("GET", f"persistent/public/bench/ours-{number}/stats")["msgInCounter"]
        assert stored == len(ready), (stored, len(ready))
        rounds.append(seconds)
    client.close()
    rounds = rounds[1:]  # the first one warms the broker
    size = sum(len(body) for _, body in ready) / len(ready)
    for name, seconds in zip(("plain send_async", "worker"), zip(*rounds, strict=True), strict=True):
        rate = len(ready) / median(seconds)
        print(f"{name:16} {rate:8,.0f} messages/s of {size:,.0f} bytes (median of {ROUNDS} rounds)")
    print(f"worker / plain: {median(theirs / own for theirs, own in rounds):.2f}")


def main() -> None:
    sessions = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    with tempfile.TemporaryDirectory() as work:
        broker = Broker(Path(work), for_long=True)
        broker.start()
        try:
            compare(Path(work), broker, sessions)
            idle(Path(work) / "idle", broker)
        finally:
            broker.stop()


def idle(folder: Path, broker: Broker) -> None:
    """Print how long it is until the broker has acknowledged a step: from its start, and its end."""
    import otel_prov
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider

    os.environ["OTEL_EXPORTER_PROV_TOPIC"] = broker.namespace("idle") + "triples"
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(otel_prov.ProvSpanProcessor(folder))
    trace.set_tracer_provider(provider)
    told = threading.Event()
    worker = Worker(folder, [Endpoint(broker.url)], told=lambda identity, steps: told.set())
    starts: list[float] = []
    delays: list[float] = []

    def agent() -> None:
        with otel_prov.session("?") as session:
            for _ in range(IDLE_STEPS):
                begun = time.perf_counter()
                with otel_prov.iteration() as step:
                    step.record(thought="t", action="a", arguments={})
                    told.wait(30)  # the analysis, which goes before the tool is called
                    starts.append(time.perf_counter() - begun)
                    time.sleep(0.1)
                    step.record(observation="o")
                    told.clear()
                ended = time.perf_counter()
                told.wait(30)
                delays.append(time.perf_counter() - ended)
                told.clear()
            session.record(answer="!")
        worker.stopped = True

    threading.Thread(target=agent).start()
    worker.run()
    for name, measured in (("start", starts), ("end", delays)):
        late = sorted(measured)[int(0.99 * len(measured))]
        print(
            f"from the {name} of a step to the broker's acknowledgement: median {1000 * median(measured):.0f} ms, "
            f"99th percentile {1000 * late:.0f} ms of {len(measured)} steps"
        )


if __name__ == "__main__":
    main()
