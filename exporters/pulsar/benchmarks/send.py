"""Messages a second to one real broker: the destination, from quads, against plain pulsar-client with bytes ready made.

    PYTHONPATH=../.. python benchmarks/send.py [number of messages]

Starts a broker (Java 17 or later, Maven). Both send the same bodies one by one, unbatched; rounds alternate.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from typing import Any

import pulsar
from otel_prov.deliver.destination import Parcel
from otel_prov.describe import describe
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session
from tests.integration.servers.pulsar import Broker

from otel_prov_exporter_pulsar.clientlog import client_log
from otel_prov_exporter_pulsar.destination import PulsarDestination, destination
from otel_prov_exporter_pulsar.messages import messages

BATCH = 1_000
ROUNDS = 5


def sessions(number: int) -> list[Parcel]:
    """That many parcels, each a whole session of two iterations."""
    found = []
    for n in range(1, number + 1):
        uri = f"urn:trustgraph:agent:550e8400-e29b-41d4-a716-{n:012}"
        steps: list[Any] = [Question("What is the capital of France?")]
        for i in (1, 2):
            steps += [Analysis(i, "I look it up.", "search", '{"q": "capital"}'), Observation(i, "It is Paris. " * 20)]
        session = Session(uri, (*steps, Conclusion("Paris.")))
        found.append(Parcel(n, uri, uri, "default", describe(session)))
    return found


def plain(client: pulsar.Client, topic: str, bodies: list[tuple[str, bytes]]) -> float:
    """Seconds that plain pulsar-client takes."""
    producer = client.create_producer(topic, schema=pulsar.schema.BytesSchema(), block_if_queue_full=True)
    done = threading.Event()
    left = len(bodies)

    def acknowledged(_result: Any, _id: Any) -> None:
        nonlocal left
        left -= 1
        if not left:
            done.set()

    begun = time.perf_counter()
    for key, body in bodies:
        producer.send_async(body, acknowledged, partition_key=key)
    done.wait()
    taken = time.perf_counter() - begun
    producer.close()
    return taken


def ours(target: PulsarDestination, parcels: list[Parcel]) -> float:
    """Seconds that the destination takes."""
    begun = time.perf_counter()
    for start in range(0, len(parcels), BATCH):
        assert not any(target.send(parcels[start : start + BATCH]))
    return time.perf_counter() - begun


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    parcels = sessions(number)
    bodies = [(parcel.session, message.body) for parcel in parcels for message in messages(parcel, "s", ())]
    with tempfile.TemporaryDirectory() as work:
        broker = Broker(Path(work), for_long=True)
        broker.start()
        try:
            broker.admin("PUT", "tenants/tg", {"adminRoles": [], "allowedClusters": ["standalone"]})
            broker.admin("PUT", "namespaces/tg/flow", {})
            target = destination(broker.url, "bench")
            client = pulsar.Client(broker.url, logger=client_log().logger)
            plain(client, "warm", bodies), ours(target, parcels)
            rounds = [(plain(client, f"plain-{n}", bodies), ours(target, parcels)) for n in range(ROUNDS)]
            target.close()
            client.close()
        finally:
            broker.stop()
    size = len(bodies[0][1])
    for name, seconds in zip(("plain send_async", "destination"), zip(*rounds, strict=True), strict=True):
        print(f"{name:16} {number / median(seconds):8,.0f} messages/s of {size:,} bytes (median of {ROUNDS} rounds)")
    ratio = median(theirs / own for theirs, own in rounds)
    print(f"destination / plain: {ratio:.2f}")


if __name__ == "__main__":
    main()
