"""How far one broker goes: stores that send at once, to a topic in one partition and in several, while others read it.

    PYTHONPATH=../.. python benchmarks/scaling.py [sessions of each store]

Starts a broker (Java 17 or later, Maven). Each store has a worker's process of its own, and each of three consumers
that share the topic by key (Key_Shared) has one, too. That no session is out of order, or on two of them, is asserted.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.integration.servers.pulsar import Broker
from worker import backlog

CONSUMERS = 3
STEPS = 6
"""Of each session."""

CONSUMER = """
import json, sys, time, pulsar
url, topic = sys.argv[1:]
client = pulsar.Client(url, logger=pulsar.ConsoleLogger(pulsar.LoggerLevel.Error))
consumer = client.subscribe(topic, "triples", pulsar.ConsumerType.KeyShared, schema=pulsar.schema.BytesSchema())
print("ready", flush=True)
found, last = [], 0
try:
    while True:
        message = consumer.receive(5000 if found else 300000)
        found.append((message.partition_key(), message.properties()["otel-prov.id"]))
        consumer.acknowledge(message)
        last = time.time()
except pulsar.Timeout:
    print(json.dumps([found, last]))
client.close()
"""


def send(work: Path, broker: Broker, topic: str, stores: int) -> float:
    """Seconds that workers take who begin at once."""
    workers = []
    begun = time.perf_counter()
    for number in range(stores):
        told = {"OTEL_EXPORTER_PROV_STORE": str(work / f"store-{number}"), "OTEL_EXPORTER_PROV_TOPIC": topic}
        command = [sys.executable, "-m", "otel_prov.show.cli", "deliver", "--once", "--to", broker.url]
        workers.append(subprocess.Popen(command, env={**os.environ, **told}))
    assert [worker.wait() for worker in workers] == [0] * stores
    return time.perf_counter() - begun


def stores(work: Path, number: int) -> None:
    """Stores that have sent nothing yet."""
    for each in range(number):
        shutil.rmtree(work / f"store-{each}", ignore_errors=True)
        shutil.copytree(work / f"backlog-{each}", work / f"store-{each}")


def consume(broker: Broker, topic: str) -> list[subprocess.Popen[str]]:
    """Consumers that are ready."""
    command = [sys.executable, "-c", CONSUMER, broker.url, topic]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(CONSUMERS)]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    return started


def read(consumers: list[subprocess.Popen[str]], messages: int) -> float:
    """When the last message came, once all have; asserts the order of each session."""
    owner: dict[str, int] = {}
    total, end = 0, 0.0
    for number, process in enumerate(consumers):
        found, last = json.loads(process.communicate()[0])
        latest: dict[str, int] = {}
        for session, id in found:
            sequence = int(id.split("/")[1])
            assert latest.get(session, 0) < sequence, f"{session} is out of order"
            assert owner.setdefault(session, number) == number, f"{session} is on two consumers"
            latest[session] = sequence
        total, end = total + len(found), max(end, last)
    assert total == messages, (total, messages)
    return end


def measure(work: Path, broker: Broker, topic: str, partitions: int, number: int, sessions: int) -> None:
    """Print messages a second, sent and read."""
    broker.admin("PUT", f"persistent/{topic.partition('://')[2]}/partitions", partitions)
    stores(work, number)
    consumers = consume(broker, topic)
    messages, begun = STEPS * sessions * number, time.time()
    sent = messages / send(work, broker, topic, number)
    taken = messages / (read(consumers, messages) - begun)
    print(
        f"partitions {partitions}, stores {number}: {sent:,.0f} messages/s sent, {taken:,.0f} read in order", flush=True
    )


def main() -> None:
    sessions = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for number in range(2):
            backlog(work / f"backlog-{number}", sessions, f"store{number}-")
        broker = Broker(work, for_long=True)
        broker.start()
        try:
            namespace = broker.namespace("bench")
            stores(work, 1)
            send(work, broker, f"{namespace}warm", 1)
            for partitions in (1, 4):
                for number in (1, 2):
                    measure(work, broker, f"{namespace}t-{partitions}-{number}", partitions, number, sessions)
        finally:
            broker.stop()


if __name__ == "__main__":
    main()
