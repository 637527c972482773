"""README, "Jaeger and TrustGraph in two minutes", in one command: the same session in both, side by side.

    python examples/jaeger_demo.py

Needs opentelemetry-exporter-otlp and Go, which builds Jaeger once (minutes); what is missing is said. Where what
TrustGraph needs is missing (see trustgraph_demo.py), the graph is that of the local store. Servers are started by what
this project's tests start them with (tests/integration/servers), on loopback, and stopped in the end.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from textwrap import shorten

from rich.console import Console
from rich.table import Table
from rich.text import Text

from otel_prov import names
from otel_prov.deliver.alone import other
from otel_prov.fetch import trustgraph as sessions_there
from otel_prov.keep import Store
from otel_prov.read import Span, parse_line
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session, Step

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.integration.servers.cache import Missing
from tests.integration.servers.falkordb import OnFalkorDB
from tests.integration.servers.jaeger import Jaeger, get
from tests.integration.servers.process import until
from tests.integration.servers.pulsar import Broker

AGENT = [sys.executable, str(Path(__file__).with_name("environment_agent.py"))]
OTEL_PROV = [sys.executable, "-m", "otel_prov.show.cli"]
QUESTION = "Which version of the OpenTelemetry SDK is here, and what does it need?"
LONGEST = 110  # characters of a text


def main() -> None:
    """Start the servers, show the way, stop them."""
    with tempfile.TemporaryDirectory(prefix="otel-prov-demo-") as folder, ExitStack() as running:
        say("Starting Jaeger, Apache Pulsar and TrustGraph; the first time they are fetched, which takes minutes.")
        try:
            if not find_spec("opentelemetry.exporter.otlp"):
                raise Missing("opentelemetry-exporter-otlp is not installed; pip install opentelemetry-exporter-otlp")
            jaeger = Jaeger(Path(folder))
            running.callback(jaeger.stop)
            jaeger.start()
        except Missing as missing:
            say(f"Skipped: {missing}")
            return
        show(Path(folder) / "store", jaeger, trustgraph(Path(folder), running))


def trustgraph(folder: Path, running: ExitStack) -> OnFalkorDB | None:
    """TrustGraph with its broker, where all that it needs is here."""
    try:
        if not find_spec("otel_prov_exporter_pulsar"):
            raise Missing("otel-prov-exporter-pulsar is not installed; pip install -e exporters/pulsar")
        broker = Broker(folder)
        running.callback(broker.stop)
        broker.start()
        server = OnFalkorDB(folder, broker)
        running.callback(server.stop)
        server.start()
    except Missing as missing:
        say(f"Without TrustGraph, so the graph is that of the local store: {missing}")
        return None
    return server


def show(store: Path, jaeger: Jaeger, server: OnFalkorDB | None) -> None:
    """Run an agent with the variables set, and lay its trace and its graph side by side."""
    variables = {
        "OTEL_TRACES_EXPORTER": "otlp,prov",
        "OTEL_EXPORTER_OTLP_ENDPOINT": jaeger.otlp("grpc")["OTEL_EXPORTER_OTLP_ENDPOINT"],
    }
    if server is not None:
        variables["OTEL_EXPORTER_PROV_ENDPOINT"] = server.broker.url
        variables["OTEL_EXPORTER_PROV_LIBRARIAN_ENDPOINT"] = server.gateway
    for name, value in variables.items():
        say(f"$ export {name}={value}")
    foreign = ("OTEL_", "PULSAR_", "TRUSTGRAPH_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    environment |= {**variables, "OTEL_EXPORTER_PROV_STORE": str(store), "NO_PROXY": "*", "no_proxy": "*"}
    environment["OTEL_EXPORTER_PROV_TRACE_URL"] = jaeger.query_url + "/trace/{trace_id}?uiFind={span_id}"
    if server is not None:
        environment["PULSAR_ADMIN_URL"] = server.broker.admin_url

    def run(*command: str) -> str:
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, encoding="utf-8", check=True)
        return done.stdout.rstrip()

    try:
        say(f"$ otel-prov doctor\n\n{run(*OTEL_PROV, 'doctor')}\n")
        say("$ python agent.py")
        run(*AGENT, QUESTION)
        with Store(store) as local:
            local.take_in()
            (summary,) = local.sessions()
            kept = local.session(summary.uri)
        assert kept is not None
        say(f"$ otel-prov show latest\n\n{run(*OTEL_PROV, 'show', 'latest')}\n")
        spans = trace(jaeger, kept)
        graph: Session | None = kept
        if server is not None:
            run(*OTEL_PROV, "deliver", "--once")
            until("TrustGraph has stored everything", lambda: server.backlog() == 0, 60)
            graph = there(spans, server)
        assert graph is not None
        side_by_side(spans, kept, graph, "TrustGraph" if server else "The local store")
    finally:
        if worker := other(store):  # it would stay a while, for other agents
            os.kill(worker, signal.SIGTERM)
            until("the worker has ended", lambda: other(store) is None, 60)


def trace(jaeger: Jaeger, kept: Session) -> dict[str, Span]:
    """The session's spans by their ids, as Jaeger's API tells them; our store knows which ones tell of its steps."""
    url = f"{jaeger.query_url}/api/v3/traces/{kept.trace_id}"

    def look() -> dict[str, Span]:
        spans = {span.span_id: span for span in parse_line(json.dumps(get(url)["result"]).encode())}
        return spans if all(step.span_id in spans for step in kept.steps) else {}

    return until("the trace in Jaeger", look, 60)


def there(spans: Mapping[str, Span], server: OnFalkorDB) -> Session | None:
    """The session in TrustGraph; where it is to be found stands on its span in Jaeger."""
    told = next(span.attributes for span in spans.values() if names.SESSION_URI in span.attributes)
    with sessions_there(server.gateway, told[names.COLLECTION]) as sessions:
        return sessions.session(told[names.SESSION_URI])


def side_by_side(spans: Mapping[str, Span], kept: Session, graph: Session, place: str) -> None:
    """Each step as its span in Jaeger has it, and as the graph has it. Ends the program where they differ."""
    table = Table(show_lines=True, expand=True)
    table.add_column(f"Jaeger: trace {kept.trace_id}", ratio=1)
    table.add_column(f"{place}: {graph.uri}", ratio=1)
    cycles = [span for span in spans.values() if span.name == names.ITERATION]
    turns = {int(span.attributes[names.ITERATION_NUMBER]): span for span in cycles}
    differ = 0
    for own, step in zip(kept.steps, graph.steps, strict=True):
        span = spans[str(own.span_id)]
        in_jaeger, in_graph = of_span(step, span, turns), of_step(step)
        differ += in_jaeger != in_graph
        table.add_row(cell(f"{span.name}  {span.span_id}", in_jaeger), cell(node(step, graph), in_graph))
    Console(width=None if sys.stdout.isatty() else 150, highlight=False).print(table)
    if differ:
        sys.exit(f"{differ} of {len(graph.steps)} steps differ.")
    say(f"The same {len(graph.steps)} steps in both. There from here: agent.session.uri of the session's span.")
    say(f"Back: otel-prov show {kept.trace_id}")


def of_span(step: Step, span: Span, turns: Mapping[int, Span]) -> dict[str, str | None]:
    """What a span in Jaeger has of a step, by the names of the step's fields; the last iteration only thought."""

    def told(span: Span, **attributes: str) -> dict[str, str | None]:
        return {field: span.attributes.get(attribute) for field, attribute in attributes.items()}

    match step:
        case Question():
            return told(span, text=names.SESSION_QUESTION)
        case Analysis():
            acted = told(span, action=names.ITERATION_ACTION, arguments=names.ITERATION_ARGUMENTS)
            return told(span, thought=names.ITERATION_THOUGHT) | acted
        case Observation():
            seen = told(turns[step.number], text=names.ITERATION_OBSERVATION)
            return seen if seen["text"] is not None else told(span, text=names.TOOL_RESULT)
        case Conclusion():
            return told(span, answer=names.SESSION_ANSWER) | told(turns[max(turns)], thought=names.ITERATION_THOUGHT)
        case _:  # of a retrieval, which this agent makes none of
            return {}


def of_step(step: Step) -> dict[str, str | None]:
    """The same of a step in the graph."""
    match step:
        case Question():
            return {"text": step.text}
        case Analysis():
            return {"thought": step.thought, "action": step.action, "arguments": step.arguments}
        case Observation():
            return {"text": step.text}
        case Conclusion():
            return {"answer": step.answer, "thought": step.thought}
        case _:
            return {}


def node(step: Step, session: Session) -> str:
    """A step's IRI."""
    match step:
        case Question():
            return session.uri
        case Analysis():
            return f"…/i{step.number}"
        case Observation():
            return f"…/i{step.number}/observation"
        case Conclusion():
            return "…/final"
        case _:
            return "…"


def cell(title: str, told: Mapping[str, str | None]) -> Text:
    """A step in the table."""
    return Text("\n".join([title, *(f"  {name}: {shorten(text, LONGEST)}" for name, text in told.items() if text)]))


def say(text: str) -> None:
    """Print, and at once."""
    print(text, flush=True)


if __name__ == "__main__":
    main()
