"""``otel-prov doctor`` asks a real broker whether it would let us in, without sending anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from otel_prov.deliver.destination import Checked, Unreachable
from tests.integration.servers.process import free_port
from tests.integration.servers.pulsar import Broker

pytestmark = pytest.mark.integration


def test_a_broker_that_lets_us_in_has_no_more_topics_than_before(
    pulsar_broker: Broker, sender: Callable[..., Any]
) -> None:
    namespace = pulsar_broker.namespace("checked")
    target = sender(pulsar_broker.url, topic=f"{namespace}triples")
    assert isinstance(target, Checked)
    target.check()
    assert pulsar_broker.admin("GET", "persistent/public/checked") == []


def test_a_broker_that_is_away_is_said_to_be(sender: Callable[..., Any]) -> None:
    with pytest.raises(Unreachable, match="nothing listens there"):
        sender(f"pulsar://127.0.0.1:{free_port()}").check()


def test_a_namespace_that_is_missing_is_said_to_be(pulsar_broker: Broker, sender: Callable[..., Any]) -> None:
    with pytest.raises(Unreachable, match="no such tenant or namespace; make them with: otel-prov pulsar init"):
        sender(pulsar_broker.url, topic="persistent://public/missing/triples").check()


@pytest.mark.parametrize("tls", [False, True])
def test_a_broker_that_wants_a_token_is_asked_with_it(
    pulsar_broker_secure: Broker, sender: Callable[..., Any], tls: bool
) -> None:
    broker = pulsar_broker_secure
    name = broker.namespace(f"checked-{tls}".lower()) + "triples"
    certificate = str(broker.certificates / "ca.pem")
    target = sender(broker.tls_url if tls else broker.url, topic=name, token=broker.token(), certificate=certificate)
    target.check()


def test_a_token_that_is_missing_wrong_or_not_enough_is_said_to_be(
    pulsar_broker_secure: Broker, sender: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = pulsar_broker_secure
    name = broker.namespace("refused") + "triples"
    with pytest.raises(Unreachable, match="it wants a token"):
        sender(broker.url, topic=name).check()
    with pytest.raises(Unreachable, match="the token is wrong or has expired"):
        sender(broker.url, topic=name, token="none").check()
    with pytest.raises(Unreachable, match="knows the token, but does not let it send"):
        sender(broker.url, topic=name, token=broker.token("nobody")).check()
