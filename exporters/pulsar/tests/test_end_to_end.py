"""Agents, a worker and a real broker, where what matters is this package's: who is let in, and who shares a topic."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.integration.deployment import Deployment
from tests.integration.servers.pulsar import Broker

pytestmark = pytest.mark.integration


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


def test_a_token_is_revoked_and_renewed_while_an_agent_runs(
    pulsar_broker_secure: Broker, deploy: Callable[..., Deployment], topic_of: Callable[..., Any], tmp_path: Path
) -> None:
    broker, token = pulsar_broker_secure, tmp_path / "token"
    token.write_text(broker.token(seconds=15))
    name = broker.namespace("renewed", deduplicated=True) + "triples"
    certificate = str(broker.certificates / "ca.pem")
    machine = deploy(broker.tls_url, topic=name, certificate=certificate, token_file=str(token))
    machine.agents(5, "before")
    machine.wait_until_delivered()
    token.write_text("revoked")

    def refused() -> bool:
        machine.agents(1, f"meanwhile-{len(machine.sessions())}")
        return "the token is wrong or has expired" in (machine.delivery.last_error or "")

    machine.wait_for("the broker has ended the connection", refused)
    assert machine.delivery.pending
    token.write_text(broker.token())
    machine.wait_until_delivered()
    expected = {session.uri for session in machine.sessions()}
    found = [json.loads(message.data())["metadata"]["id"] for message in topic_of(broker, name).messages()]
    assert len(found) == len(set(found)) == 6 * len(expected)
    assert {subject.split("/")[0] for subject in found} == expected
