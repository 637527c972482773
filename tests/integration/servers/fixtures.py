"""The servers as pytest fixtures; each is started by the first test that asks for it. To be imported by a conftest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol, TypeVar

import pytest

from tests.integration.servers.cache import Missing
from tests.integration.servers.cassandra import OnCassandra
from tests.integration.servers.falkordb import OnFalkorDB
from tests.integration.servers.fuseki import Fuseki
from tests.integration.servers.jaeger import Jaeger
from tests.integration.servers.mlflow import MLflow
from tests.integration.servers.oxigraph import Oxigraph
from tests.integration.servers.provtoolbox import ProvToolbox
from tests.integration.servers.pulsar import Broker
from tests.integration.servers.trustgraph import TrustGraph

__all__ = [
    "broker",
    "fuseki",
    "jaeger",
    "mlflow",
    "oxigraph",
    "prov_toolbox",
    "pulsar_broker",
    "pulsar_broker_secure",
    "trustgraph_cassandra",
    "trustgraph_environment",
    "trustgraph_falkordb",
]


class _Server(Protocol):
    def start(self) -> None: ...

    def stop(self) -> None: ...


S = TypeVar("S", bound=_Server)
T = TypeVar("T")


def _made(make: Callable[[], T]) -> T:
    """What is made; skips what asks for it where something is missing."""
    try:
        return make()
    except Missing as missing:
        pytest.skip(str(missing))


def _running(make: Callable[[], S]) -> Iterator[S]:
    """The server, from its start to its stop."""
    server = _made(make)
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def pulsar_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker that lets everybody in."""
    yield from _running(lambda: Broker(tmp_path_factory.mktemp("pulsar")))


@pytest.fixture(scope="session")
def pulsar_broker_secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker that wants tokens, and has a port for TLS, too."""
    yield from _running(lambda: Broker(tmp_path_factory.mktemp("pulsar-secure"), secure=True))


@pytest.fixture
def broker(pulsar_broker: Broker) -> Iterator[Broker]:
    """The broker that lets everybody in, for a test that may harm it; afterwards it is well again."""
    yield pulsar_broker
    if pulsar_broker.process.alive:
        pulsar_broker.process.resume()
    else:
        pulsar_broker.restart()


@pytest.fixture(scope="session")
def jaeger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jaeger]:
    """A Jaeger."""
    yield from _running(lambda: Jaeger(tmp_path_factory.mktemp("jaeger")))


@pytest.fixture(scope="session")
def prov_toolbox() -> ProvToolbox:
    """ProvToolbox, which is no server but is fetched like one."""
    return _made(ProvToolbox)


@pytest.fixture(scope="session")
def mlflow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MLflow]:
    """An MLflow."""
    yield from _running(lambda: MLflow(tmp_path_factory.mktemp("mlflow")))


@pytest.fixture(scope="session")
def oxigraph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oxigraph]:
    """An Oxigraph server."""
    yield from _running(lambda: Oxigraph(tmp_path_factory.mktemp("oxigraph")))


@pytest.fixture(scope="session")
def fuseki(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuseki]:
    """A Fuseki that wants a name and a password, and has a port for TLS, too."""
    yield from _running(lambda: Fuseki(tmp_path_factory.mktemp("fuseki")))


@pytest.fixture(scope="session")
def trustgraph_environment() -> Path:
    """A virtual environment with TrustGraph's programs, none of which runs."""
    return _made(OnCassandra.environment)


@pytest.fixture(scope="session")
def trustgraph_falkordb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustGraph]:
    """TrustGraph on FalkorDB, with a broker of its own."""
    yield from _trustgraph(tmp_path_factory.mktemp("trustgraph-falkordb"), OnFalkorDB)


@pytest.fixture(scope="session")
def trustgraph_cassandra(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustGraph]:
    """TrustGraph on Cassandra, with a broker of its own."""
    yield from _trustgraph(tmp_path_factory.mktemp("trustgraph-cassandra"), OnCassandra)


def _trustgraph(work: Path, kind: Callable[[Path, Broker], TrustGraph]) -> Iterator[TrustGraph]:
    for server in _running(lambda: Broker(work)):
        yield from _running(lambda server=server: kind(work, server))  # type: ignore[misc]
