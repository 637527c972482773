"""What the tests share: sessions as parcels, real brokers, and a plain consumer to read back what they hold."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timezone
from typing import Any

import pulsar
import pytest
from otel_prov.deliver.destination import Parcel
from otel_prov.describe import describe
from otel_prov.describe.quads import Literal, Quad
from otel_prov.names import session_uri
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session
from tests.integration.servers.fixtures import (  # noqa: F401
    broker,
    pulsar_broker,
    pulsar_broker_secure,
    trustgraph_cassandra,
    trustgraph_falkordb,
)
from tests.integration.servers.pulsar import Broker

from otel_prov_exporter_pulsar import PulsarDestination, destination
from otel_prov_exporter_pulsar.clientlog import client_log

STARTED = datetime(2026, 1, 1, 12, 30, tzinfo=timezone.utc)


def conversation(name: str, iterations: int = 2, observation: str = "It is Paris é中.") -> Session:
    """A session of that many iterations."""
    steps: list[Any] = [Question(f"What is the capital of France? [{name}]", STARTED)]
    for number in range(1, iterations + 1):
        arguments = json.dumps({"term": f"capital {number}"})
        steps.append(Analysis(number, f"I look for it, try {number}.", f"search-{number}", arguments))
        steps.append(Observation(number, f"{observation} ({number})"))
    steps.append(Conclusion("The capital of France is Paris.", "I know enough."))
    return Session(session_uri(name), tuple(steps))


def grouped(session: Session, first: int = 1, collection: str = "default") -> list[Parcel]:
    """A session as parcels: one for the question, one for each iteration and observation, one for the answer."""
    main: dict[str, list[Quad]] = {}
    for quad in describe(session):
        main.setdefault(quad.subject.removesuffix("/thought"), []).append(quad)
    return [
        Parcel(number, session.uri, subject, collection, quads)
        for number, (subject, quads) in enumerate(main.items(), first)
    ]


def many(number: int, first: int = 1, size: int = 100) -> list[Parcel]:
    """Small parcels of one session."""
    return [
        Parcel(n, "urn:s", f"urn:s/{n}", "default", [Quad(f"urn:s/{n}", "urn:p", Literal("x" * size))])
        for n in range(first, first + number)
    ]


@pytest.fixture
def parcels() -> Callable[..., list[Parcel]]:
    """Makes the parcels of a session: ``parcels(name, first=1, **of the session)``."""

    def make(name: str, first: int = 1, **told: Any) -> list[Parcel]:
        return grouped(conversation(name, **told), first)

    return make


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the caller's settings, and no proxy between a test and its servers."""
    for name in list(os.environ):
        if name.startswith(("OTEL_", "PULSAR_", "TRUSTGRAPH_")) and name != "OTEL_PROV_CACHE":  # where servers are kept
            monkeypatch.delenv(name)
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture
def sender(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., PulsarDestination]]:
    """Makes destinations: ``sender(url, topic=..., store=..., **variables)``; they are closed in the end."""
    made: list[PulsarDestination] = []

    def make(url: str, store: str = "test-store", **variables: str) -> PulsarDestination:
        for name, value in variables.items():
            variable = name if name.isupper() else f"OTEL_EXPORTER_PROV_{name.upper()}"
            monkeypatch.setenv(variable, value)
        made.append(destination(url, store))
        return made[-1]

    yield make
    for each in made:
        each.close()


class Topic:
    """What a topic holds, read by a plain consumer."""

    def __init__(self, name: str, client: pulsar.Client) -> None:
        self.name = name
        self._client = client

    def messages(self) -> list[Any]:
        reader = self._client.create_reader(self.name, pulsar.MessageId.earliest, schema=pulsar.schema.BytesSchema())
        found = []
        while reader.has_message_available():
            found.append(reader.read_next(10_000))
        reader.close()
        return found

    def ids(self) -> list[str]:
        return [message.properties()["otel-prov.id"] for message in self.messages()]

    def subjects(self) -> list[str]:
        return [json.loads(message.data())["metadata"]["id"] for message in self.messages()]


@pytest.fixture
def topic_of() -> Iterator[Callable[[Broker, str], Topic]]:
    """Opens a topic for reading: ``topic_of(broker, name)``."""
    clients: list[pulsar.Client] = []

    def make(server: Broker, name: str) -> Topic:
        authentication = pulsar.AuthenticationToken(server.token()) if server.secure else None
        clients.append(pulsar.Client(server.url, authentication=authentication, logger=client_log().logger))
        return Topic(name, clients[-1])

    yield make
    for client in clients:
        client.close()


def subjects(parcels: Sequence[Parcel]) -> list[str]:
    """What parcels are about, in their order."""
    return [parcel.subject for parcel in parcels]


@pytest.fixture
def namespace_of_trustgraph(pulsar_broker: Broker) -> None:  # noqa: F811
    """Tenant and namespace of TrustGraph's topics, as it makes them."""
    if "tg" not in pulsar_broker.admin("GET", "tenants"):
        pulsar_broker.admin("PUT", "tenants/tg", {"adminRoles": [], "allowedClusters": ["standalone"]})
    if "tg/flow" not in pulsar_broker.admin("GET", "namespaces/tg"):
        pulsar_broker.admin("PUT", "namespaces/tg/flow", {})
