"""What the tests share: sessions as parcels, real stores of two kinds, and a stand-in that answers as it is told."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from otel_prov.deliver.destination import Parcel
from otel_prov.describe import describe_steps
from otel_prov.steps import Session
from standin import StandIn
from tests.integration.deployment import Deployment
from tests.integration.servers.fixtures import fuseki, oxigraph  # noqa: F401
from tests.integration.servers.fuseki import Fuseki
from tests.integration.servers.oxigraph import Oxigraph

from otel_prov_exporter_sparql import SparqlDestination, destination

Store = Oxigraph | Fuseki


def parcels(session: Session, shape: str = "trustgraph", first: int = 1) -> list[Parcel]:
    """A session as parcels, one for each step."""
    steps = [quads for _, quads in describe_steps(session, shape) if quads]
    return [
        Parcel(number, session.uri, quads[0].subject, "default", quads) for number, quads in enumerate(steps, first)
    ]


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the caller's settings, and no proxy between a test and its servers."""
    for name in list(os.environ):
        if name.startswith(("OTEL_", "PULSAR_", "TRUSTGRAPH_")) and name != "OTEL_PROV_CACHE":
            monkeypatch.delenv(name)
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture(params=["oxigraph", "fuseki"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """A real store, of each kind, which a test may stop or harm; afterwards it is well again."""
    server: Store = request.getfixturevalue(request.param)
    yield server
    if server.process.alive:
        server.process.resume()
    else:
        server.start()


@pytest.fixture
def sender(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., SparqlDestination]]:
    """Makes destinations: ``sender(url, token=..., **variables)``; they are closed in the end."""
    made: list[SparqlDestination] = []

    def make(url: str, **variables: str) -> SparqlDestination:
        for name, value in variables.items():
            monkeypatch.setenv(f"OTEL_EXPORTER_PROV_{name.upper()}", value)
        made.append(destination(url, "test-store"))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    """A store that answers as a test tells it."""
    with StandIn() as server:
        yield server


@pytest.fixture
def deploy(tmp_path: Path) -> Iterator[Callable[..., Deployment]]:
    """Makes machines on which agents run: ``deploy(endpoint, **variables)``; all that they run is ended in the end."""
    made: list[Deployment] = []

    def make(endpoint: str, **variables: str) -> Deployment:
        made.append(Deployment(tmp_path / f"store-{len(made) + 1}", endpoint, **variables))
        return made[-1]

    yield make
    for each in made:
        each.stop()
