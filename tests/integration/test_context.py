"""A loop spread over messages of a real broker, with two workers: one session in the graph, one trace in Jaeger."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from otel_prov import names
from otel_prov.describe import SHAPES, describe
from otel_prov.describe.quads import Quad
from otel_prov.describe.rdf import from_rdflib
from otel_prov.describe.vocabulary import PROV_DERIVED, PROV_STARTED
from otel_prov.instrument.context import derived_parent
from otel_prov.read import Span, parse_line, read
from otel_prov.steps import Analysis, Observation, Session
from tests.integration.deployment import LONGEST, Deployment
from tests.integration.servers.jaeger import Jaeger
from tests.integration.servers.process import until
from tests.integration.servers.pulsar import Broker

pytest.importorskip("otel_prov_exporter_pulsar", reason="not installed; pip install -e exporters/pulsar")
pytest.importorskip("opentelemetry.exporter.otlp", reason="not installed; pip install opentelemetry-exporter-otlp")
import pulsar
import rdflib

pytestmark = pytest.mark.integration

EXAMPLE: Final = Path(__file__).parents[2] / "examples" / "pulsar_agent.py"
QUESTION: Final = "How does the licence file of rdflib begin?"
TOPIC: Final = "public/default/agent-requests"
ITERATIONS: Final = 4  # three that act, one that concludes


ONE_ITERATION: Final = """
import sys, types, otel_prov

otel_prov.install()
number = int(sys.argv[1])
request = types.SimpleNamespace(session_id="s-1", history=[None] * (number - 1))  # as TrustGraph's AgentRequest
with otel_prov.session("Why?", context=otel_prov.extract(request)) as run:
    with run.iteration() as step:
        step.record(action="look", observation=number)
    if number == 3:
        run.record(answer="Because.")
"""


class Message:
    """A request, as it went over the topic."""

    def __init__(self, message: Any) -> None:
        self.body: bytes = message.data()
        self.properties: dict[str, str] = message.properties()


class Spread:
    """The machine on which asker and workers run, and what they left."""

    def __init__(self, folder: Path, broker: Broker, jaeger: Jaeger) -> None:
        self.broker, self.jaeger = broker, jaeger
        self.sent = folder / "sent.nq"
        tracing = {"OTEL_TRACES_EXPORTER": "otlp,prov", "OTEL_SERVICE_NAME": folder.name, **jaeger.otlp("grpc")}
        self.machine = Deployment(folder / "store", self.sent.as_uri(), **tracing)
        self.messages: list[Message] = []
        """All requests of the session, in the order in which they were sent."""
        self.client = pulsar.Client(broker.url, logger=pulsar.ConsoleLogger(pulsar.LoggerLevel.Error))

    def ask(self) -> str:
        """Run the example as a reader does; gives what it prints."""
        spy = self.client.subscribe(f"persistent://{TOPIC}", "spy")
        printed = self.machine.run(sys.executable, EXAMPLE, self.broker.url, QUESTION)
        for _ in range(ITERATIONS):
            self.messages.append(Message(spy.receive(timeout_millis=10_000)))
        spy.close()
        return printed

    def send_again(self, *messages: Message) -> None:
        """Have the broker deliver messages once more, to two workers, which go on from each; until all is done."""
        workers = [self.machine.start(sys.executable, EXAMPLE, "--worker", self.broker.url) for _ in range(2)]
        until("both workers", lambda: len(self._workers()["consumers"]) == 2, LONGEST)
        producer = self.client.create_producer(f"persistent://{TOPIC}")
        for message in messages:
            producer.send(message.body, properties=message.properties)
        producer.close()
        until("all is done", lambda: self._workers()["msgBacklog"] == 0, LONGEST)
        for worker in workers:
            end(worker)

    def _workers(self) -> Any:
        return self.broker.admin("GET", f"persistent/{TOPIC}/stats")["subscriptions"]["workers"]

    def session(self) -> Session:
        """The one session that the store has."""
        self.machine.otel_prov("list")  # takes in
        (session,) = self.machine.sessions()
        return session

    def spans(self) -> dict[str, list[Span]]:
        """The store's spans, by the process that wrote them."""
        written: dict[str, list[Span]] = {}
        with closing(sqlite3.connect(self.machine.folder / "store.sqlite")) as db:
            for writer, body in db.execute("SELECT writer, body FROM span"):
                written.setdefault(writer, []).append(Span.of(json.loads(body)))
        return written

    def stop(self) -> None:
        self.client.close()
        self.machine.stop()


def end(worker: subprocess.Popen[str]) -> None:
    """Tell a worker to stop; it ends well, and has complained of nothing."""
    worker.send_signal(signal.SIGTERM)
    assert worker.communicate(timeout=LONGEST) == ("", "")
    assert worker.returncode == 0


@pytest.fixture(scope="module")
def spread(
    pulsar_broker: Broker, jaeger: Jaeger, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Spread, str, Session]]:
    """What is left when the example has been run: its messages, what it printed, its session."""
    spread = Spread(tmp_path_factory.mktemp("spread"), pulsar_broker, jaeger)
    try:
        printed = spread.ask()
        yield spread, printed, spread.session()
    finally:
        spread.stop()


def test_each_message_is_an_iteration_of_one_session_and_one_trace(spread: tuple[Spread, str, Session]) -> None:
    spread_, printed, session = spread
    assert printed.startswith(f"{QUESTION}\n    It begins with: ")
    assert (session.outcome, session.question.text) == (names.OUTCOME_FINAL, QUESTION)
    assert [step.number for step in session.of(Analysis)] == [1, 2, 3]
    assert [(step.number, step.call) for step in session.of(Observation)] == [(1, 1), (2, 1), (3, 1)]
    assert session.conclusion is not None
    assert session.conclusion.answer is not None
    assert session.conclusion.answer in printed
    assert session.conclusion.thought == "I see its first line."

    (asked, *others) = (part for spans in spread_.spans().values() for part in parts(spans))
    assert len({asked.trace_id, *(part.trace_id for part in others)}) == 1
    assert len(others) == ITERATIONS, "a session span for each message, and that of the asker"
    assert [message.properties["otel-prov-iteration"] for message in spread_.messages] == ["1", "2", "3", "4"]
    the_same_in_jaeger(spread_, session)


def test_duplicates_and_messages_out_of_order_leave_one_session_with_each_iteration_once(
    spread: tuple[Spread, str, Session],
) -> None:
    spread_, _, before = spread
    spread_.send_again(*reversed(spread_.messages), *spread_.messages)
    session = spread_.session()
    assert session == before
    written = spread_.spans()
    assert len(written) > 3, "the asker, and workers"
    attempts = Counter(span.attributes.get(names.ITERATION_NUMBER) for spans in written.values() for span in spans if span.name == names.ITERATION)  # fmt: skip  # noqa: E501
    assert attempts == {1: 3, 2: 5, 3: 7, 4: 9}, "each message that came again was worked on, and led to the next"
    the_same_in_jaeger(spread_, session)
    for shape in SHAPES:
        assert_chain(describe(session, shape), session.uri)

    spread_.machine.wait_until_delivered()
    sent = rdflib.Dataset()
    sent.parse(spread_.sent, format="nquads")
    assert set(from_rdflib(sent)) == set(describe(session)), "nothing that was sent meanwhile says anything else"


def test_where_only_the_sessions_id_survives_it_is_one_trace_too(
    jaeger: Jaeger, deploy: Callable[..., Deployment], tmp_path: Path
) -> None:
    tracing = {"OTEL_TRACES_EXPORTER": "otlp,prov", "OTEL_SERVICE_NAME": tmp_path.name, **jaeger.otlp("grpc")}
    machine = deploy((tmp_path / "sent.nq").as_uri(), **tracing)
    for number in (3, 1, 2):
        machine.run(sys.executable, "-c", ONE_ITERATION, number)
    machine.otel_prov("list")
    (session,) = machine.sessions()
    assert [step.number for step in session.of(Analysis)] == [1, 2, 3]
    assert (session.outcome, session.trace_id) == ("final", f"{derived_parent('s-1').trace_id:032x}")
    assert read(parse_line(jaeger.trace(f"{derived_parent('s-1').trace_id:032x}", 6))) == [session]
    assert len(jaeger.traces(tmp_path.name)) == 1


def parts(spans: list[Span]) -> list[Span]:
    """The session spans."""
    return [span for span in spans if span.attributes.get(names.OPERATION_NAME) == names.INVOKE_AGENT]


def the_same_in_jaeger(spread: Spread, session: Session) -> None:
    """Jaeger has all spans of the store in one trace, and our readers make the same of them."""
    assert session.trace_id
    spans = [span for written in spread.spans().values() for span in written]
    found = parse_line(spread.jaeger.trace(session.trace_id, len(spans)))
    assert {span.span_id for span in found} == {span.span_id for span in spans}
    ids = {span.span_id for span in spans}
    assert [span.name for span in spans if span.parent_id not in ids] == ["invoke_agent pulsar-agent"], "one root"
    assert read(found) == [session]
    assert len(spread.jaeger.traces(spread.machine.environment["OTEL_SERVICE_NAME"])) == 1


def assert_chain(quads: list[Quad], session: str) -> None:
    """Each node derives from one other, and the session from none; it has begun once."""
    derived = Counter(quad.subject for quad in quads if quad.predicate == PROV_DERIVED)
    assert set(derived.values()) == {1}
    assert session not in derived
    assert [quad.subject for quad in quads if quad.predicate == PROV_STARTED] == [session]
