"""Delivery to a real broker, when nothing goes wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from otel_prov.describe.quads import Literal, Quad
from tests.integration.servers.pulsar import Broker

pytestmark = pytest.mark.integration


def test_a_plain_consumer_reads_key_properties_order_and_body(
    pulsar_broker: Broker, sender: Callable[..., Any], parcels: Callable[..., Any], topic_of: Callable[..., Any]
) -> None:
    name = pulsar_broker.namespace("happy") + "triples"
    sent = parcels("1") + parcels("2", first=7)
    assert sender(pulsar_broker.url, topic=name).send(sent) == [None] * len(sent)
    found = topic_of(pulsar_broker, name).messages()
    assert [message.partition_key() for message in found] == [parcel.session for parcel in sent]
    assert [message.properties() for message in found] == [
        {"otel-prov.id": f"test-store/{parcel.sequence * 1000 + 1}"} for parcel in sent
    ]
    bodies = [json.loads(message.data()) for message in found]
    assert [body["metadata"] for body in bodies] == [
        {"id": parcel.subject, "root": "", "collection": "default"} for parcel in sent
    ]
    texts = {triple["o"]["value"] for body in bodies for triple in body["triples"]}
    assert "It is Paris é中. (1)" in texts


def test_the_default_topic_is_that_of_trustgraphs_default_flow(
    pulsar_broker: Broker,
    sender: Callable[..., Any],
    parcels: Callable[..., Any],
    topic_of: Callable[..., Any],
    namespace_of_trustgraph: None,
) -> None:
    sent = parcels("default-topic")
    assert sender(pulsar_broker.url).send(sent) == [None] * len(sent)
    topic = topic_of(pulsar_broker, "persistent://tg/flow/triples-store:default:default")
    assert topic.subjects() == [parcel.subject for parcel in sent]


def test_a_large_step_goes_in_several_messages_that_together_say_everything(
    pulsar_broker: Broker, sender: Callable[..., Any], parcels: Callable[..., Any], topic_of: Callable[..., Any]
) -> None:
    name = pulsar_broker.namespace("parts") + "triples"
    (parcel, *_) = parcels("large")
    quads = [Quad(parcel.subject, f"urn:p:{n}", Literal(str(n))) for n in range(200)]
    assert sender(pulsar_broker.url, topic=name).send([replace(parcel, sequence=3, quads=quads)]) == [None]
    found = topic_of(pulsar_broker, name).messages()
    assert [m.properties()["otel-prov.id"].split("/")[1] for m in found] == ["3001", "3002", "3003", "3004"]
    told = [triple["o"]["value"] for m in found for triple in json.loads(m.data())["triples"]]
    assert told == [str(n) for n in range(200)]


def test_what_a_consumer_would_fail_at_is_refused_and_its_neighbours_go_through(
    pulsar_broker: Broker, sender: Callable[..., Any], parcels: Callable[..., Any], topic_of: Callable[..., Any]
) -> None:
    name = pulsar_broker.namespace("refused") + "triples"
    sent = parcels("refused")
    sent[1] = replace(sent[1], collection="")
    sent[2] = replace(sent[2], quads=[Quad("", "urn:p", "urn:o")])
    sent[3] = replace(sent[3], quads=[Quad("urn:s", "urn:p", "urn:" + "x" * 1000)])
    answers = sender(pulsar_broker.url, topic=name).send(sent)
    assert answers[1] == "the collection is empty"
    assert answers[2] == "an IRI is empty"
    assert answers[3] is not None
    assert answers[3].startswith("an IRI has 1,004 bytes, 1,000 are the limit")
    kept = [parcel.subject for parcel, answer in zip(sent, answers, strict=True) if answer is None]
    assert len(kept) == 3
    assert topic_of(pulsar_broker, name).subjects() == kept


def test_a_text_of_six_mebibytes_arrives_cut_and_says_so(
    pulsar_broker: Broker, sender: Callable[..., Any], parcels: Callable[..., Any], topic_of: Callable[..., Any]
) -> None:
    name = pulsar_broker.namespace("huge") + "triples"
    sent = parcels("huge", iterations=1, observation="é" * (3 << 20))
    assert sender(pulsar_broker.url, topic=name).send(sent) == [None] * len(sent)
    (body,) = [m for m in topic_of(pulsar_broker, name).messages() if b"xc3" not in m.data() and len(m.data()) > 20_000]
    longest = max((triple["o"]["value"] for triple in json.loads(body.data())["triples"]), key=len)
    assert 7_990 < len(longest.encode()) <= 8_000
    assert longest.endswith("… [cut, 6,291,460 bytes in all]")


def test_a_broker_that_deduplicates_drops_what_a_new_destination_sends_again(
    pulsar_broker: Broker, sender: Callable[..., Any], parcels: Callable[..., Any], topic_of: Callable[..., Any]
) -> None:
    name = pulsar_broker.namespace("dedup", deduplicated=True) + "triples"
    sent = parcels("dedup")
    first = sender(pulsar_broker.url, topic=name)
    assert first.send(sent[:4]) == [None] * 4
    first.close()
    assert sender(pulsar_broker.url, topic=name).send(sent) == [None] * len(sent)
    assert topic_of(pulsar_broker, name).subjects() == [parcel.subject for parcel in sent]


def test_a_second_store_is_not_taken_for_the_first(
    pulsar_broker: Broker, sender: Callable[..., Any], parcels: Callable[..., Any], topic_of: Callable[..., Any]
) -> None:
    name = pulsar_broker.namespace("stores", deduplicated=True) + "triples"
    one, two = sender(pulsar_broker.url, "one", topic=name), sender(pulsar_broker.url, "two", topic=name)
    a, b = parcels("a"), parcels("b")
    assert one.send(a) + two.send(b) == [None] * (len(a) + len(b))
    assert sorted(topic_of(pulsar_broker, name).subjects()) == sorted(parcel.subject for parcel in a + b)
