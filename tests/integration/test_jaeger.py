"""``OTEL_TRACES_EXPORTER=otlp,prov``, and the same session stands in a real Jaeger and in the store."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from typing import Final
from urllib.request import ProxyHandler, build_opener

import pytest

from otel_prov import names
from otel_prov.read import parse_line, read
from tests.integration.machine import AGENT, INSTRUMENT, LONGEST, Machine, by_id, places, told
from tests.integration.servers.jaeger import Jaeger
from tests.integration.servers.process import free_port

pytest.importorskip("opentelemetry.exporter.otlp", reason="not installed; pip install opentelemetry-exporter-otlp")

pytestmark = pytest.mark.integration

PROTOCOLS: Final = ("grpc", "http/protobuf")
_DIRECT: Final = build_opener(ProxyHandler({}))


@pytest.mark.parametrize(
    "command", [[*AGENT, "2", "install"], [INSTRUMENT, *AGENT, "2"]], ids=["install", "instrument"]
)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_jaeger_and_the_store_tell_the_same(
    jaeger: Jaeger, machine: Machine, protocol: str, command: list[str]
) -> None:
    if command[0] == INSTRUMENT:
        pytest.importorskip("opentelemetry.distro", reason="not installed; pip install opentelemetry-distro")
    assert machine.run(command, **jaeger.otlp(protocol)) == "done\n"
    recorded = machine.recorded
    failed, answered = machine.sessions()
    assert (failed.outcome, answered.outcome) == ("error", "final")
    assert len({failed.trace_id, answered.trace_id}) == 2

    for session in (failed, answered):
        assert session.trace_id
        own = [span for span in recorded if span.trace_id == session.trace_id]
        assert len(own) == 4, "the session, two iterations, a tool call"
        found = parse_line(jaeger.trace(session.trace_id, len(own)))
        assert by_id(found) == by_id(own)
        assert read(found) == [session], "what our readers make of Jaeger's answer"
        assert places(read(found)[0]) == places(session), "each step by its span"
        (link,) = [link for span in own for link in told(span)["links"]]
        assert link[:2] == ("8" + 30 * "0" + "1", "8" + 14 * "0" + "1")
    events = {event[0] for span in recorded for event in told(span)["events"]}
    assert events == {"exception", "considered"}


def test_each_points_at_the_other(jaeger: Jaeger, machine: Machine) -> None:
    machine.run([*AGENT, "2", "install"], **jaeger.otlp("grpc"))
    _, session = machine.sessions()
    assert session.trace_id
    (top,) = [span for span in parse_line(jaeger.trace(session.trace_id, 4)) if names.SESSION_URI in span.attributes]
    assert top.attributes[names.SESSION_URI] == session.uri, "from Jaeger to the graph"

    page = f"{jaeger.query_url}/api/traces/{{trace_id}}?uiFind={{span_id}}"
    for reference in (session.trace_id, session.uri, str(session.question.span_id)):
        shown = machine.run(
            [sys.executable, "-m", "otel_prov.show.cli", "show", reference, "--format", "json"],
            OTEL_EXPORTER_PROV_TRACE_URL=page,
        )
        document = json.loads(shown)
        assert (document["uri"], document["trace_id"]) == (session.uri, session.trace_id)
        with _DIRECT.open(document["trace_url"], timeout=30) as reply:
            (trace,) = json.loads(reply.read())["data"]
        assert trace["traceID"] == session.trace_id, "from the graph to Jaeger"
        names_of = {span["spanID"]: span["operationName"] for span in trace["spans"]}
        first, second = document["iterations"]
        told = [document["span"], first["span"], first["observation_span"], second["span"], document["answer_span"]]
        assert [names_of[span["span_id"]] for span in told] == [
            "invoke_agent clerk",
            "agent.iteration",
            "execute_tool look",
            "agent.iteration",
            "invoke_agent clerk",
        ]
        assert [span["url"] for span in told] == [
            page.format(trace_id=trace["traceID"], span_id=span["span_id"]) for span in told
        ]


def test_the_page_that_is_named_is_one_of_jaegers(jaeger: Jaeger, machine: Machine) -> None:
    machine.run([*AGENT, "2", "install"], **jaeger.otlp("grpc"))
    shown = machine.run([sys.executable, "-m", "otel_prov.show.cli", "show", "latest"])
    pages = re.findall(r"http://localhost:16686(/trace/\S+)", shown)
    assert len(pages) == 4, "the session's, two iterations', a tool call's"
    for page in pages:
        with _DIRECT.open(jaeger.query_url + page, timeout=30) as reply:
            assert "Jaeger UI" in reply.read().decode(), "its page, which its Go module carries a stand-in of"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_doctor_says_whether_jaeger_listens(jaeger: Jaeger, machine: Machine, protocol: str) -> None:
    doctor = [sys.executable, "-m", "otel_prov.show.cli", "doctor"]
    assert "\nok    OTLP: 127.0.0.1:" in machine.run(doctor, **jaeger.otlp(protocol))
    process = machine.start(doctor, **away(jaeger, protocol))
    assert "\nFAIL  OTLP: 127.0.0.1:" in process.communicate(timeout=LONGEST)[0]
    assert process.returncode == 1
    other = jaeger.otlp("grpc" if protocol != "grpc" else "http/protobuf")
    process = machine.start(doctor, **{**other, "OTEL_EXPORTER_OTLP_PROTOCOL": protocol})
    said, complaints = process.communicate(timeout=LONGEST)
    assert re.search(r"\nFAIL  OTLP: 127\.0\.0\.1:\d+ listens, but does not take OTLP over .*_PROTOCOL=", said)
    assert complaints == "", "what the exporter says is part of the line"


def test_of_a_thousand_sessions_the_store_has_all_and_jaeger_a_tenth_each_whole(
    jaeger: Jaeger, machine: Machine
) -> None:
    sampler = {"OTEL_TRACES_SAMPLER": "prov_parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.1"}
    machine.run([*AGENT, "1000", "install"], **jaeger.otlp("grpc"), **sampler)
    sessions = machine.sessions()
    assert len(sessions) == 1000
    assert {len(list(session.steps)) for session in sessions[1:]} == {6}
    found = jaeger.traces(machine.service)
    assert 40 < len(found) < 160, "six standard deviations around a hundred"
    assert found.keys() <= {session.trace_id for session in sessions}
    whole = ["agent.iteration", "agent.iteration", "execute_tool look", "invoke_agent clerk"]
    assert all(sorted(spans) == whole for spans in found.values())


def away(jaeger: Jaeger, protocol: str) -> dict[str, str]:
    return {**jaeger.otlp(protocol), "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{free_port()}"}


def hanging(jaeger: Jaeger, protocol: str) -> dict[str, str]:
    jaeger.process.pause()
    return jaeger.otlp(protocol)


@pytest.fixture
def harmed(jaeger: Jaeger) -> Iterator[Jaeger]:
    """The Jaeger, for a test that may harm it; afterwards it is well again."""
    yield jaeger
    jaeger.process.resume()


@pytest.mark.parametrize("trouble", [away, hanging])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_without_jaeger_the_graph_is_complete_before_the_agent_ends_and_the_agent_ends(
    harmed: Jaeger, machine: Machine, protocol: str, trouble: Callable[[Jaeger, str], dict[str, str]]
) -> None:
    variables = trouble(harmed, protocol)
    process = machine.start([*AGENT, "20", "install"], **variables, OTEL_EXPORTER_OTLP_TIMEOUT="2")
    assert process.stdout is not None
    assert process.stdout.readline() == "done\n"
    assert [session.outcome for session in machine.sessions()] == ["error"] + 19 * ["final"]
    process.communicate(timeout=LONGEST)
    assert process.returncode == 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_without_a_store_jaeger_has_all(jaeger: Jaeger, machine: Machine, protocol: str) -> None:
    machine.store.write_text("a file where the folder should be")
    process = machine.start([*AGENT, "3", "install", "lossy"], **jaeger.otlp(protocol))
    out, err = process.communicate(timeout=LONGEST)
    assert (out, process.returncode) == ("done\n", 0)
    assert "journal not writable" in err
    assert sorted(map(len, jaeger.traces(machine.service).values())) == [4, 4, 4]


def test_without_either_the_agent_ends(jaeger: Jaeger, machine: Machine) -> None:
    machine.store.write_text("a file where the folder should be")
    variables = {**away(jaeger, "grpc"), "OTEL_EXPORTER_OTLP_TIMEOUT": "2"}
    process = machine.start([*AGENT, "3", "install", "lossy"], **variables)
    assert process.communicate(timeout=LONGEST)[0] == "done\n"
    assert process.returncode == 0
