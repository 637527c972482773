"""``otel-prov doctor`` looks at topic, librarian and collection, each with its remedy."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from subprocess import run

import pulsar
import pytest
from otel_prov.deliver.destination import Examined
from tests.integration.servers.process import free_port
from tests.integration.servers.pulsar import Broker
from tests.integration.servers.trustgraph import TOPIC, TrustGraph

from otel_prov_exporter_pulsar.clientlog import client_log
from otel_prov_exporter_pulsar.destination import PulsarDestination

Sender = Callable[..., PulsarDestination]

DOCTOR = [sys.executable, "-m", "otel_prov.show.cli", "doctor", "--json"]


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
    (line,) = examined(sender(broker.url, token=broker.token("nobody"), PULSAR_ADMIN_URL=broker.admin_url))
    assert line.startswith("ok    topic ")
    assert "needs an administrator's token" in line


@pytest.mark.integration
@pytest.mark.parametrize("store", ["falkordb", "cassandra"])
def test_with_a_real_trustgraph_all_is_found_and_what_is_misspelled_is_not(
    store: str, request: pytest.FixtureRequest, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    trustgraph: TrustGraph = request.getfixturevalue(f"trustgraph_{store}")
    told = {"librarian_endpoint": trustgraph.gateway, "librarian_token": trustgraph.token}
    target = sender(trustgraph.broker.url, **told, PULSAR_ADMIN_URL=trustgraph.broker.admin_url)
    assert examined(target) == [
        f"ok    topic {TOPIC}: there; subscribed to it: triples-write--default--default--input",
        f"ok    librarian {trustgraph.gateway}: answers, and lets us in",
        "ok    collection default: there, in the workspace default",
    ]
    (_, librarian) = examined(sender(trustgraph.broker.url, librarian_endpoint="bus"))
    assert librarian == "ok    librarian bus: answers, and lets us in"

    monkeypatch.setenv("OTEL_EXPORTER_PROV_ENDPOINT", trustgraph.broker.url)
    monkeypatch.setenv("OTEL_EXPORTER_PROV_LIBRARIAN_ENDPOINT", trustgraph.gateway)
    monkeypatch.setenv("OTEL_EXPORTER_PROV_FLOW", "defualt")
    monkeypatch.setenv("OTEL_EXPORTER_PROV_COLLECTION", "papers")
    done = run(DOCTOR, capture_output=True, text=True, timeout=120)
    failed = {check["subject"]: check["remedy"] for check in json.loads(done.stdout) if not check["ok"]}
    assert done.returncode == 1
    assert failed == {
        f"topic {TOPIC[:-7]}defualt": "see OTEL_EXPORTER_PROV_WORKSPACE, _FLOW and _TOPIC, "
        "and that TrustGraph's flow runs",
        "collection papers": "make it with: tg-set-collection papers; or name another in OTEL_EXPORTER_PROV_COLLECTION",
    }


@pytest.mark.integration
def test_a_token_that_the_gateway_does_not_know_is_said(trustgraph_cassandra: TrustGraph, sender: Sender) -> None:
    gateway = trustgraph_cassandra.gateway
    _, librarian, _ = examined(sender(trustgraph_cassandra.broker.url, librarian_endpoint=gateway, librarian_token="x"))
    assert librarian.startswith(f"FAIL  librarian {gateway}: {gateway}api/v1/librarian: refuses the token")
