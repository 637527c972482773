"""What the integration tests share: real servers, and machines on which agents run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.deployment import Deployment
from tests.integration.machine import Machine
from tests.integration.servers.fixtures import (  # noqa: F401
    broker,
    jaeger,
    mlflow,
    prov_toolbox,
    pulsar_broker,
    trustgraph_cassandra,
    trustgraph_environment,
    trustgraph_falkordb,
)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "integration: starts real servers; skipped where Java, Maven or Go is missing")


@pytest.fixture
def deploy(tmp_path: Path) -> Iterator[Callable[..., Deployment]]:
    """Makes deployments: ``deploy(endpoint, **variables)``; all that they run is ended in the end."""
    made: list[Deployment] = []

    def make(endpoint: str, **variables: str) -> Deployment:
        made.append(Deployment(tmp_path / f"store-{len(made) + 1}", endpoint, **variables))
        return made[-1]

    yield make
    for each in made:
        each.stop()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine; all that it runs is ended in the end."""
    machine = Machine(tmp_path / "store", tmp_path.name)
    yield machine
    for process in machine.started:
        process.kill()
        process.communicate()
