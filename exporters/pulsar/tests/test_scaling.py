"""Many stores, a topic in partitions, and consumers that share it by key: a session stays in order, on one of them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pulsar
import pytest
from tests.integration.servers.pulsar import Broker

from otel_prov_exporter_pulsar.clientlog import client_log

pytestmark = pytest.mark.integration

SESSIONS = 100
"""That each store sends."""


def test_consumers_that_share_a_topic_in_partitions_get_each_session_in_order(
    pulsar_broker: Broker, sender: Callable[..., Any], parcels: Callable[..., Any]
) -> None:
    name = pulsar_broker.namespace("shared") + "triples"
    pulsar_broker.admin("PUT", f"persistent/{name.partition('://')[2]}/partitions", 4)
    client = pulsar.Client(pulsar_broker.url, logger=client_log().logger)
    consumers = [
        client.subscribe(name, "triples", pulsar.ConsumerType.KeyShared, schema=pulsar.schema.BytesSchema())
        for _ in range(3)
    ]
    sent = {
        store: [parcel for n in range(SESSIONS) for parcel in parcels(f"{store}-{n}", first=6 * n + 1)]
        for store in ("one", "two")
    }
    targets = {store: sender(pulsar_broker.url, store, topic=name) for store in sent}
    threads = [threading.Thread(target=targets[store].send, args=(sent[store],)) for store in sent]
    for thread in threads:
        thread.start()
    received = [received_by(consumer) for consumer in consumers]
    for thread in threads:
        thread.join()
    received = [before + received_by(consumer) for before, consumer in zip(received, consumers, strict=True)]
    client.close()

    subjects: dict[str, list[str]] = {}
    for parcel in sent["one"] + sent["two"]:
        subjects.setdefault(parcel.session, []).append(parcel.subject)
    assert all(received), "each of them has something to do"
    by_session = [in_order(each) for each in received]
    assert {session: found for part in by_session for session, found in part.items()} == subjects
    assert sum(map(len, by_session)) == len(subjects), "no session is on two of them"
    partitions = {message.topic_name() for each in received for message in each}
    assert len(partitions) == 4


def received_by(consumer: Any) -> list[Any]:
    """What comes to a consumer, until nothing more comes."""
    found = []
    try:
        while True:
            found.append(consumer.receive(2_000))
            consumer.acknowledge(found[-1])
    except pulsar.Timeout:
        return found


def in_order(messages: list[Any]) -> dict[str, list[str]]:
    """What messages are about, by session, as they came."""
    found: dict[str, list[str]] = {}
    for message in messages:
        found.setdefault(message.partition_key(), []).append(json.loads(message.data())["metadata"]["id"])
    return found
