"""Delivery to a real broker that is away, hangs, refuses or does not let us in."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import many
from otel_prov.deliver.destination import Parcel, Unreachable
from tests.integration.servers.process import free_port, until
from tests.integration.servers.pulsar import Broker

from otel_prov_exporter_pulsar.commands import pulsar as command

pytestmark = pytest.mark.integration


def deliver(target: Any, parcels: list[Parcel], seconds: float) -> list[str | None]:
    """Send until it is delivered, as a worker would."""
    end = time.monotonic() + seconds
    while True:
        try:
            answers: list[str | None] = target.send(parcels)
            return answers
        except Unreachable:
            if time.monotonic() > end:
                raise


def test_a_broker_that_is_away_is_said_to_be(sender: Callable[..., Any]) -> None:
    url = f"pulsar://127.0.0.1:{free_port()}"
    with pytest.raises(Unreachable) as trouble:
        sender(url).send(many(1))
    assert str(trouble.value) == f"{url}: nothing listens there; the broker is away"


def test_a_host_without_a_name_is_said_to_be(sender: Callable[..., Any]) -> None:
    with pytest.raises(Unreachable, match=r"pulsar://nowhere\.invalid:6650: .*host"):
        sender("pulsar://nowhere.invalid:6650").send(many(1))


def test_nothing_is_lost_when_the_broker_is_killed_during_a_send_and_comes_back(
    broker: Broker, sender: Callable[..., Any], topic_of: Callable[..., Any]
) -> None:
    name = broker.namespace("killed", deduplicated=True) + "triples"
    target = sender(broker.url, topic=name)
    assert target.send(many(1)) == [None]
    stored = f"persistent/{name.partition('://')[2]}/stats"
    answers: list[str | None] = []
    sending = threading.Thread(target=lambda: answers.extend(deliver(target, many(20_000, 2), 300)))
    sending.start()
    until("the first messages", lambda: broker.admin("GET", stored)["msgInCounter"] > 100, 120)
    broker.process.kill()
    assert sending.is_alive()
    broker.restart()
    sending.join(300)
    assert answers == [None] * 20_000
    found = topic_of(broker, name).ids()
    assert found == [f"test-store/{n * 1000 + 1}" for n in range(1, 20_002)]


SENDER = """
from otel_prov.deliver.destination import Parcel, Unreachable
from otel_prov.describe.quads import Literal, Quad
from otel_prov_exporter_pulsar import destination
import os
target = destination(os.environ["OTEL_EXPORTER_PROV_ENDPOINT"], "test-store")
quads = [Quad("urn:s", "urn:p", Literal("x" * 100))]
parcels = [Parcel(n, "urn:s", f"urn:s/{n}", "default", quads) for n in range(1, 20_001)]
while True:
    try:
        target.send(parcels)
        raise SystemExit("it was not killed")
    except Unreachable as error:  # the broker may just have been restarted
        print(error)
"""


def test_what_a_killed_sender_had_sent_already_is_dropped_by_a_broker_that_deduplicates(
    broker: Broker, sender: Callable[..., Any], topic_of: Callable[..., Any]
) -> None:
    name = broker.namespace("murder", deduplicated=True) + "triples"
    told = {"OTEL_EXPORTER_PROV_ENDPOINT": broker.url, "OTEL_EXPORTER_PROV_TOPIC": name}
    process = subprocess.Popen([sys.executable, "-c", SENDER], env={**os.environ, **told})
    try:
        stored = f"persistent/{name.partition('://')[2]}/stats"
        until("the first messages", lambda: broker.admin("GET", stored)["msgInCounter"] > 100, 120)
    finally:
        process.kill()
        assert process.wait() == -signal.SIGKILL
    before = len(topic_of(broker, name).ids())
    assert 100 < before < 20_000
    assert deliver(sender(broker.url, topic=name), many(20_000), 120) == [None] * 20_000
    assert topic_of(broker, name).ids() == [f"test-store/{n * 1000 + 1}" for n in range(1, 20_001)]


def test_a_broker_that_is_paused_for_twenty_seconds_gets_everything(
    broker: Broker, sender: Callable[..., Any], topic_of: Callable[..., Any]
) -> None:
    name = broker.namespace("paused") + "triples"
    target = sender(broker.url, topic=name)
    assert target.send(many(1)) == [None]
    broker.process.pause()
    resumed = threading.Timer(20, broker.process.resume)
    resumed.start()
    begun = time.monotonic()
    assert target.send(many(1_000, 2)) == [None] * 1_000
    assert time.monotonic() - begun > 19
    assert len(set(topic_of(broker, name).ids())) == 1_001


def test_a_broker_that_hangs_is_given_up_and_later_gets_everything(
    broker: Broker, sender: Callable[..., Any], topic_of: Callable[..., Any]
) -> None:
    name = broker.namespace("hung") + "triples"
    target = sender(broker.url, topic=name, timeout="2")
    assert target.send(many(1)) == [None]
    broker.process.pause()
    begun = time.monotonic()
    with pytest.raises(Unreachable, match="accepts connections, but does not answer"):
        target.send(many(10, 2))
    assert time.monotonic() - begun < 90
    broker.process.resume()
    assert deliver(target, many(10, 2), 60) == [None] * 10
    assert len(set(topic_of(broker, name).ids())) == 11


def test_one_message_that_the_topic_refuses_is_told_and_the_others_go_through(
    broker: Broker, sender: Callable[..., Any], topic_of: Callable[..., Any]
) -> None:
    name = broker.namespace("poison", deduplicated=True) + "triples"
    target = sender(broker.url, topic=name)
    assert target.send(many(1)) == [None]
    policy = f"persistent/{name.partition('://')[2]}/maxMessageSize"
    broker.admin("POST", policy, 2_000)
    until("the policy", lambda: broker.admin("GET", policy + "?applied=true") == 2_000, 120)
    sent = many(1_000, 2)
    sent[500:501] = many(1, 502, size=3_000)
    begun = time.monotonic()
    answers = target.send(sent)
    assert time.monotonic() - begun < 120
    assert answers[500] == f"{name}: the broker refuses it: Exceed maximum message size"
    assert answers[:500] + answers[501:] == [None] * 999
    kept = [n for n in range(1, 1_002) if n != 502]
    found = [int(each.split("/")[1]) for each in topic_of(broker, name).ids()]
    assert [n for n in found if n % 1000] == [n * 1000 + 1 for n in kept]


def test_a_missing_namespace_names_the_command_that_makes_it(
    broker: Broker, sender: Callable[..., Any], topic_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "persistent://newcomer/flow/triples"
    target = sender(broker.url, topic=name)
    with pytest.raises(Unreachable) as trouble:
        target.send(many(1))
    assert str(trouble.value) == f"{name}: no such tenant or namespace; make them with: otel-prov pulsar init"
    monkeypatch.setenv("PULSAR_ADMIN_URL", broker.admin_url)
    made = CliRunner().invoke(command, ["init", "--endpoint", broker.url])
    assert made.output == "tenant newcomer: made\nnamespace newcomer/flow: made\n"
    again = CliRunner().invoke(command, ["init", "--endpoint", broker.url])
    assert again.output == "tenant newcomer: was there\nnamespace newcomer/flow: was there\n"
    assert target.send(many(1)) == [None]
    broker.admin("DELETE", "persistent/newcomer/flow/triples?force=true")
    broker.admin("DELETE", "namespaces/newcomer/flow?force=true")
    with pytest.raises(Unreachable, match="no such tenant or namespace"):
        sender(broker.url, "another").send(many(1))
    CliRunner().invoke(command, ["init", "--endpoint", broker.url])
    assert deliver(target, many(2), 60) == [None] * 2
    assert len(topic_of(broker, name).ids()) == 2


def test_a_topic_that_was_ended_is_said_to_be(broker: Broker, sender: Callable[..., Any]) -> None:
    name = broker.namespace("ended") + "triples"
    target = sender(broker.url, topic=name)
    assert target.send(many(1)) == [None]
    broker.admin("POST", f"persistent/{name.partition('://')[2]}/terminate")
    with pytest.raises(Unreachable, match="was terminated: it takes no messages any more"):
        target.send(many(1, 2))


def test_a_store_that_is_sent_for_already_is_told_so(broker: Broker, sender: Callable[..., Any]) -> None:
    name = broker.namespace("busy") + "triples"
    assert sender(broker.url, topic=name).send(many(1)) == [None]
    with pytest.raises(Unreachable, match="another worker is sending for this store"):
        sender(broker.url).send(many(1))


@pytest.fixture
def let_in(pulsar_broker_secure: Broker, tmp_path: Path) -> dict[str, str]:
    """What lets a sender in by TLS and token, and a topic of its own."""
    namespace = "s" + tmp_path.name.replace("_", "-")[-30:]
    return {
        "topic": pulsar_broker_secure.namespace(namespace) + "triples",
        "certificate": str(pulsar_broker_secure.certificates / "ca.pem"),
        "token": pulsar_broker_secure.token(),
    }


def test_the_right_token_and_certificate_let_us_in(
    pulsar_broker_secure: Broker, sender: Callable[..., Any], topic_of: Callable[..., Any], let_in: dict[str, str]
) -> None:
    assert sender(pulsar_broker_secure.tls_url, **let_in).send(many(3)) == [None] * 3
    assert len(topic_of(pulsar_broker_secure, let_in["topic"]).ids()) == 3


@pytest.mark.parametrize("token", ["wrong", "expired", "none"])
def test_a_token_that_does_not_let_us_in_is_named(
    pulsar_broker_secure: Broker, sender: Callable[..., Any], let_in: dict[str, str], token: str
) -> None:
    tokens = {"wrong": "abc", "expired": pulsar_broker_secure.token(seconds=-60), "none": ""}
    begun = time.monotonic()
    with pytest.raises(Unreachable) as trouble:
        sender(pulsar_broker_secure.tls_url, **let_in | {"token": tokens[token]}).send(many(1))
    assert time.monotonic() - begun < 45
    said = "it wants a token" if token == "none" else "the token is wrong or has expired (OTEL_EXPORTER_PROV_TOKEN"
    assert said in str(trouble.value)
    assert pulsar_broker_secure.tls_url in str(trouble.value)


def test_a_token_without_permission_is_told_apart(
    pulsar_broker_secure: Broker, sender: Callable[..., Any], let_in: dict[str, str]
) -> None:
    stranger = pulsar_broker_secure.token("stranger")
    with pytest.raises(Unreachable, match="knows the token, but does not let it send to persistent://"):
        sender(pulsar_broker_secure.tls_url, **let_in | {"token": stranger}).send(many(1))


def test_a_token_that_is_renewed_in_its_file_lets_us_in_again(
    pulsar_broker_secure: Broker, sender: Callable[..., Any], let_in: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text("abc\n")
    told = {**let_in, "token": "", "token_file": str(file)}
    target = sender(pulsar_broker_secure.tls_url, **told)
    with pytest.raises(Unreachable, match="the token is wrong or has expired"):
        target.send(many(1))
    file.write_text(pulsar_broker_secure.token(seconds=8) + "\n")
    assert target.send(many(1)) == [None]
    file.unlink()
    with pytest.raises(Unreachable, match="there is no token for"):
        target.send(many(1, 2))
    file.write_text(pulsar_broker_secure.token() + "\n")
    assert deliver(target, many(2), 60) == [None] * 2


@pytest.mark.parametrize("authority", ["other-ca.pem", "", "none"])
def test_a_certificate_that_nobody_vouches_for_is_named(
    pulsar_broker_secure: Broker, sender: Callable[..., Any], let_in: dict[str, str], authority: str, tmp_path: Path
) -> None:
    certificate = str(pulsar_broker_secure.certificates / authority) if authority == "other-ca.pem" else ""
    url = pulsar_broker_secure.tls_url
    if authority == "none":  # the right authority, but another host
        certificate, url = let_in["certificate"], url.replace("localhost", "127.0.0.1")
    with pytest.raises(Unreachable, match=r"its certificate is not vouched for by .* OTEL_EXPORTER_PROV_CERTIFICATE"):
        sender(url, **let_in | {"certificate": certificate}).send(many(1))


def test_tls_where_there_is_none_is_named(
    pulsar_broker_secure: Broker, sender: Callable[..., Any], let_in: dict[str, str]
) -> None:
    url = pulsar_broker_secure.url.replace("pulsar://", "pulsar+ssl://")
    with pytest.raises(Unreachable, match="no TLS there; pulsar:// is for the port without TLS"):
        sender(url, **let_in).send(many(1))
