"""``otel-prov doctor`` looks at topic, librarian and collection, each with its remedy."""

from __future__ import annotations

from collections.abc import Callable

import pulsar
import pytest
from otel_prov.deliver.destination import Examined
from tests.integration.servers.process import free_port
from tests.integration.servers.pulsar import Broker
from tests.integration.servers.trustgraph import TOPIC

from otel_prov_exporter_pulsar.clientlog import client_log
from otel_prov_exporter_pulsar.destination import PulsarDestination

Sender = Callable[..., PulsarDestination]


def examined(target: PulsarDestination) -> list[str]:
    assert isinstance(target, Examined)
    return [check.mark + str(check) for check in target.examine()]


def test_without_an_admin_api_the_topic_is_not_looked_at_and_nothing_is_wrong(sender: Sender) -> None:
    admin = f"http://127.0.0.1:{free_port()}"
    (line,) = examined(sender("pulsar://127.0.0.1:6650", PULSAR_ADMIN_URL=admin))
    assert line.startswith(f"ok    topic {TOPIC}: not looked at ({admin}/admin/v2/persistent/tg/flow/triples-store")
    assert "PULSAR_ADMIN_URL names the broker's admin API" in line


def test_a_gateway_that_is_away_is_said_once(sender: Sender) -> None:
    url = f"http://127.0.0.1:{free_port()}/"
    _, librarian, collection = examined(sender("pulsar://127.0.0.1:6650", librarian_endpoint=url))
    assert librarian.startswith(f"FAIL  librarian {url}: {url}api/v1/librarian: ")
    assert librarian.endswith("; see OTEL_EXPORTER_PROV_LIBRARIAN_ENDPOINT and _TOKEN, and that TrustGraph runs")
    assert collection.startswith("ok    collection default: not looked at (")


@pytest.mark.integration
def test_a_topic_is_told_with_those_that_read_it(pulsar_broker: Broker, sender: Sender) -> None:
    namespace = pulsar_broker.namespace("examined")
    for name, partitions in (("plain", 0), ("parted", 2)):
        topic = f"{namespace}{name}"
        if partitions:
            pulsar_broker.admin("PUT", f"persistent/public/examined/{name}/partitions", partitions)
        target = sender(pulsar_broker.url, topic=topic, PULSAR_ADMIN_URL=pulsar_broker.admin_url)
        nobody = "nobody has subscribed to it, so what is sent there is lost" if partitions else "there is none"
        (line,) = examined(target)
        assert line.startswith(f"FAIL  topic {topic}: {nobody}")
        assert line.endswith("; see OTEL_EXPORTER_PROV_WORKSPACE, _FLOW and _TOPIC, and that TrustGraph's flow runs")
        client = pulsar.Client(pulsar_broker.url, logger=client_log().logger)
        client.subscribe(topic, "reader")
        assert examined(target) == [f"ok    topic {topic}: there; subscribed to it: reader"]
        client.close()


@pytest.mark.integration
def test_only_an_administrator_may_look_and_others_are_told_so(pulsar_broker_secure: Broker, sender: Sender) -> None:
    broker = pulsar_broker_secure
    topic = f"{broker.namespace('watched')}triples"
    (line,) = examined(sender(broker.url, topic=topic, token=broker.token("nobody"), PULSAR_ADMIN_URL=broker.admin_url))
    assert line.startswith("ok    topic ")
    assert "needs an administrator's token" in line
