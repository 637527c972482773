"""Whatever happens to the broker, the worker or the agent, every step arrives in the end: on a real broker."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from otel_prov.describe import describe_steps
from otel_prov.describe.quads import Literal, Quad
from otel_prov.describe.vocabulary import TG_DOCUMENT
from otel_prov.steps import Observation
from tests.integration.deployment import AGENT, REPLAY, Deployment
from tests.integration.servers.process import until
from tests.integration.servers.pulsar import Broker

pytest.importorskip("otel_prov_exporter_pulsar", reason="not installed; pip install -e exporters/pulsar")
import pulsar

pytestmark = pytest.mark.integration

Deploy = Callable[..., Deployment]

MANY = 2_000
"""Sessions, of six steps each, that take some seconds to send."""
HANGS = 20.0
"""Seconds, at least, that a broker doesn't answer."""


class Topic:
    """What is sent to, and a plain consumer of it."""

    def __init__(self, broker: Broker, namespace: str) -> None:
        self.broker = broker
        self.namespace = namespace
        self.make()
        self.name = f"persistent://public/{namespace}/triples"

    def make(self) -> None:
        """Make its namespace; what comes twice from one worker is kept once there."""
        self.broker.namespace(self.namespace, deduplicated=True)

    def delete(self) -> None:
        """Delete it, and its namespace."""
        self.broker.admin("DELETE", f"{self.path}?force=true")
        self.broker.admin("DELETE", f"namespaces/public/{self.namespace}?force=true")

    @property
    def path(self) -> str:
        """Where the admin API has it."""
        return f"persistent/public/{self.namespace}/triples"

    def count(self) -> int:
        """Messages that have come since the broker started."""
        count: int = self.broker.admin("GET", f"{self.path}/stats")["msgInCounter"]
        return count

    def wait_for_first(self) -> None:
        until("the first messages", lambda: self.count() > 100, 120)

    def messages(self) -> list[dict[str, Any]]:
        """All that it holds."""
        client = pulsar.Client(self.broker.url, logger=pulsar.ConsoleLogger(pulsar.LoggerLevel.Error))
        try:
            reader = client.create_reader(self.name, pulsar.MessageId.earliest, schema=pulsar.schema.BytesSchema())
            found = []
            while reader.has_message_available():
                found.append(json.loads(reader.read_next(10_000).data()))
            return found
        finally:
            client.close()


@pytest.fixture
def topic(broker: Broker, tmp_path: Path) -> Topic:
    """A topic of its own."""
    return Topic(broker, "t" + tmp_path.name.replace("_", "-")[-30:])


def assert_all_arrived(
    messages: list[dict[str, Any]], sessions: int, *machines: Deployment, in_order: bool = True
) -> None:
    """That messages tell all that the stores know, and nothing else; each step once, those of a session in order."""
    expected: set[Quad] = set()
    subjects: dict[str, list[str]] = {}
    for session in (session for machine in machines for session in machine.sessions()):
        steps = [quads for _, quads in describe_steps(session) if quads]
        subjects[session.uri] = [quads[0].subject for quads in steps]
        expected |= {quad for quads in steps for quad in quads if quad.predicate != TG_DOCUMENT}
    assert len(subjects) == sessions
    assert {_quad(triple) for message in messages for triple in message["triples"]} == expected
    arrived: dict[str, list[str]] = {}
    for subject in (message["metadata"]["id"] for message in messages if message["triples"]):
        arrived.setdefault(subject.split("/")[0], []).append(subject)
    if not in_order:
        arrived, subjects = ({uri: sorted(each) for uri, each in found.items()} for found in (arrived, subjects))
    assert arrived == subjects


def _quad(triple: dict[str, Any]) -> Quad:
    target = triple["o"]
    return Quad(
        triple["s"]["iri"],
        triple["p"]["iri"],
        target["iri"] if target["type"] == "i" else Literal(target["value"]),
        triple["g"],
    )


def test_the_broker_is_away_when_agent_and_worker_start(broker: Broker, topic: Topic, deploy: Deploy) -> None:
    broker.process.kill()
    machine = deploy(broker.url, topic=topic.name)
    machine.agents(20)
    machine.wait_for_trouble("nothing listens there; the broker is away")
    machine.wait_for("all waits", lambda: machine.delivery.pending == 120)
    broker.restart()
    machine.wait_until_delivered()
    assert_all_arrived(topic.messages(), 20, machine)


def test_the_broker_is_killed_and_started_again_while_a_backlog_is_sent(
    broker: Broker, topic: Topic, deploy: Deploy
) -> None:
    machine = deploy(broker.url, topic=topic.name, worker="off")
    machine.agents(MANY)
    machine.deliver()
    topic.wait_for_first()
    broker.process.kill()
    machine.agents(10, "meanwhile")
    assert machine.delivery.pending
    broker.restart()
    machine.wait_until_delivered()
    assert_all_arrived(topic.messages(), MANY + 10, machine)


def test_the_broker_hangs_while_a_backlog_is_sent(broker: Broker, topic: Topic, deploy: Deploy) -> None:
    machine = deploy(broker.url, topic=topic.name, worker="off", timeout="2")
    machine.agents(MANY)
    machine.deliver()
    topic.wait_for_first()
    broker.process.pause()
    paused = time.monotonic()
    machine.agents(10, "meanwhile")
    machine.wait_for_trouble("accepts connections, but does not answer")
    machine.wait_for("it has tried again", lambda: sum(machine.delivery.failed.values()) > 1)
    machine.wait_for("it has hung for long", lambda: time.monotonic() > paused + HANGS)
    assert machine.delivery.pending
    broker.process.resume()
    machine.wait_until_delivered()
    assert_all_arrived(topic.messages(), MANY + 10, machine)


def test_the_worker_is_killed_while_it_sends(broker: Broker, topic: Topic, deploy: Deploy) -> None:
    machine = deploy(broker.url, topic=topic.name, worker="off")
    machine.agents(MANY)
    machine.deliver()
    topic.wait_for_first()
    machine.end_worker(signal.SIGKILL)
    assert machine.delivery.pending
    machine.deliver()
    machine.wait_until_delivered()
    assert_all_arrived(topic.messages(), MANY, machine)


def test_the_agent_is_killed_in_a_tool_call(broker: Broker, topic: Topic, deploy: Deploy, tmp_path: Path) -> None:
    machine = deploy(broker.url, topic=topic.name)
    agent = machine.start(*AGENT, 3, tmp_path / "never")
    assert agent.stdout is not None
    assert agent.stdout.readline() == "acting\n"
    agent.kill()
    assert agent.wait() == -signal.SIGKILL
    machine.wait_until_delivered()
    messages = topic.messages()
    assert "urn:trustgraph:agent:last/i1" in {message["metadata"]["id"] for message in messages}
    assert_all_arrived(messages, 4, machine)


def test_the_namespace_is_deleted_and_made_again(broker: Broker, topic: Topic, deploy: Deploy) -> None:
    machine = deploy(broker.url, topic=topic.name)
    machine.agents(10)
    machine.wait_until_delivered()
    before = topic.messages()
    topic.delete()
    machine.agents(10, "meanwhile")
    machine.wait_for_trouble("no such tenant or namespace; make them with: otel-prov pulsar init")
    topic.make()
    machine.wait_until_delivered()
    assert_all_arrived(before + topic.messages(), 20, machine)


def test_one_step_in_a_thousand_is_refused_until_the_broker_takes_it(
    broker: Broker, topic: Topic, deploy: Deploy, tmp_path: Path
) -> None:
    machine = deploy(broker.url, topic=topic.name, worker="off")
    machine.agents(1)
    machine.deliver()
    machine.wait_until_delivered()
    limit = f"{topic.path}/maxMessageSize"
    broker.admin("POST", limit, 20_000)
    until("the limit", lambda: broker.admin("GET", f"{limit}?applied=true") == 20_000, 120)
    step = {"thought": "I look.", "action": "look", "arguments": {}, "observation": "seen"}
    recordings = {f"r{n}": {"question": f"Why {n}?", "steps": [step] * 2, "answer": "So."} for n in range(167)}
    recordings["r80"]["steps"] = [step, {**step, "observation": "é" * 4_000}]  # each of them in six bytes
    file = tmp_path / "recordings.json"
    file.write_text(json.dumps(recordings))
    assert machine.run(*REPLAY, file) == "{}\n"
    machine.wait_until_delivered()
    (refused,) = machine.quarantined
    assert (refused.session, refused.reason) == (
        "urn:trustgraph:agent:r80",
        f"{topic.name}: the broker refuses it: Exceed maximum message size",
    )
    assert machine.delivery.sent == 168 * 6 - 1
    broker.admin("DELETE", limit)
    until("no limit", lambda: not broker.admin("GET", f"{limit}?applied=true"), 120)
    assert machine.otel_prov("quarantine", "retry", "--all") == "1 step will be sent again.\n"
    machine.wait_until_delivered()
    assert machine.quarantined == []
    assert_all_arrived(topic.messages(), 168, machine, in_order=False)


def test_two_stores_are_sent_at_once(broker: Broker, topic: Topic, deploy: Deploy) -> None:
    machines = [deploy(broker.url, topic=topic.name, worker="off") for _ in range(2)]
    for number, machine in enumerate(machines):
        machine.agents(500, f"store{number}")
    for machine in machines:
        machine.deliver()
    for machine in machines:
        machine.wait_until_delivered()
    assert_all_arrived(topic.messages(), 1_000, *machines)


def test_many_agents_write_to_one_store_while_it_is_sent(broker: Broker, topic: Topic, deploy: Deploy) -> None:
    machine = deploy(broker.url, topic=topic.name)
    agents = [machine.start(*AGENT, 10, "-", f"agent{number}") for number in range(50)]
    assert [agent.communicate() for agent in agents] == [("{}\n", "")] * 50
    assert {agent.returncode for agent in agents} == {0}
    machine.wait_until_delivered()
    assert_all_arrived(topic.messages(), 500, machine)


def crashing(machine: Deployment, **variables: str) -> Deployment:
    """The machine, with a Pulsar client that crashes as variables tell it to."""
    shadow = str(Path(__file__).with_name("crashing"))
    machine.configure(PYTHONPATH=os.pathsep.join([shadow, machine.environment["PYTHONPATH"]]), **variables)
    return machine


def test_pulsars_client_crashes(broker: Broker, topic: Topic, deploy: Deploy, tmp_path: Path) -> None:
    crash, crashed = tmp_path / "crash", tmp_path / "crashed"
    crash.touch()
    machine = crashing(deploy(broker.url, topic=topic.name), CRASH=str(crash))
    agent = machine.start(*AGENT, 2, tmp_path / "go")
    machine.wait_for("the client has crashed", crashed.exists)
    worker = machine.worker
    assert worker is not None
    assert str(worker) != crashed.read_text(), "the client has a process of its own"
    machine.wait_for("another one sends", lambda: machine.delivery.sent >= 12)
    assert machine.worker == worker
    (tmp_path / "go").touch()
    assert (*agent.communicate(), agent.returncode) == ("acting\n{}\n", "", 0)
    machine.wait_until_delivered()
    assert_all_arrived(topic.messages(), 3, machine)


def test_pulsars_client_crashes_at_one_step_each_time(
    broker: Broker, topic: Topic, deploy: Deploy, tmp_path: Path
) -> None:
    machine = crashing(deploy(broker.url, topic=topic.name), CRASH_AT="Why s-15?")
    agent = machine.start(*AGENT, 30, tmp_path / "go")
    machine.wait_for("the one step is found, and the others go", lambda: machine.delivery.sent == 30 * 6 - 1 + 2)
    (refused,) = machine.quarantined
    assert refused.session == "urn:trustgraph:agent:s-15"
    assert refused.reason == "it was tried alone: Ended: the Pulsar client has ended its process (exit code -6)"
    (tmp_path / "go").touch()
    assert (*agent.communicate(), agent.returncode) == ("acting\n{}\n", "", 0)
    machine.wait_until_delivered()
    machine.end_worker()
    machine.configure(CRASH_AT="")
    machine.otel_prov("quarantine", "retry", "--all")
    machine.deliver()
    machine.wait_until_delivered()
    assert machine.quarantined == []
    assert_all_arrived(topic.messages(), 31, machine, in_order=False)


def test_an_observation_of_six_mebibytes(broker: Broker, topic: Topic, deploy: Deploy, tmp_path: Path) -> None:
    machine = deploy(broker.url, topic=topic.name)
    large = "é" * (3 << 20)
    steps = [{"thought": "I look.", "action": "look", "arguments": {}, "observation": text} for text in (large, "seen")]
    file = tmp_path / "recordings.json"
    file.write_text(json.dumps({"large": {"question": "How large?", "steps": steps, "answer": "That large."}}))
    assert machine.run(*REPLAY, file) == "{}\n"
    machine.wait_until_delivered()
    assert machine.quarantined == []
    (session,) = machine.sessions()
    assert large in {step.text for step in session.steps if isinstance(step, Observation)}, "whole in the local store"
    messages = topic.messages()
    assert len(messages) == 6
    (cut,) = {
        triple["o"]["value"]
        for message in messages
        for triple in message["triples"]
        if len(triple["o"]["value"]) > 1_000
    }
    assert len(cut.encode()) <= 8_000
    assert cut.endswith("… [cut, 6,291,456 bytes in all]")
