"""The PROV view: what it says of a session, and that it only ever says more."""

from __future__ import annotations

import asyncio
import contextlib
import io
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from importlib.resources import files

import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st
from rdflib import OWL, RDF, RDFS

from otel_prov import current_session, describe_spans, iteration, names, session, tool, trace_agent
from otel_prov.describe import Literal, Quad, describe, describe_prov, recognise
from otel_prov.describe.formats import write
from otel_prov.read import read
from otel_prov.steps import Analysis, Conclusion, Digest, Observation, Question, Session
from tests.conftest import Program
from tests.describe.prov.sessions import growing, wholes
from tests.describe.prov.test_planned import PLANNED
from tests.describe.prov.test_retrieved import GRAPH
from tests.describe.strategies import calm

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)


def at(second: int) -> datetime:
    return NOON + timedelta(seconds=second)


WHOLE = Session(
    "urn:trustgraph:agent:1",
    (
        Question("Which pump?", at(0)),
        Analysis(1, "Look it up.", "search", '{"q": "pump"}', started=at(1), ended=at(2)),
        Observation(1, "P-7", started=at(2), ended=at(3)),
        Observation(1, None, "TimeoutError", 2, "ask a friend", "{}", started=at(2), ended=at(4)),
        Conclusion("P-7", "That is it.", iteration=2, started=at(5), ended=at(6)),
    ),
    agent="researcher",
    user="ada",
    model="rules-1",
    trace_id="0af7651916cd43dd8448eb211c80319c",
    ended=at(7),
    outcome="final",
)

TURTLE = """
@prefix : <urn:trustgraph:agent:1#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix otelprov: <https://w3id.org/otel-prov#> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

:run a prov:Activity, otelprov:Run ;
    prov:startedAtTime "2026-01-01T12:00:00.000000Z"^^xsd:dateTime ;
    prov:endedAtTime "2026-01-01T12:00:07.000000Z"^^xsd:dateTime ;
    prov:used :question ;
    prov:wasAssociatedWith :agent ;
    prov:qualifiedAssociation :association ;
    otelprov:outcome "final" ;
    otelprov:traceId "0af7651916cd43dd8448eb211c80319c" ;
    otelprov:explainedBy <urn:trustgraph:agent:1> .
:association a prov:Association ; prov:agent :agent ; prov:hadPlan :plan .
:plan a prov:Entity, prov:Plan ; rdfs:label "researcher" .
:question a prov:Entity, otelprov:Question ;
    prov:value "Which pump?" ; prov:wasAttributedTo :user ; otelprov:explainedBy <urn:trustgraph:agent:1> .

:i1-think a prov:Activity, otelprov:Think, otelprov:AIModelInvocation ;
    otelprov:iteration 1 ;
    prov:startedAtTime "2026-01-01T12:00:01.000000Z"^^xsd:dateTime ;
    prov:endedAtTime "2026-01-01T12:00:02.000000Z"^^xsd:dateTime ;
    prov:used :question ;
    prov:wasAssociatedWith :agent, :model-rules-1 ;
    dcterms:isPartOf :run .
:i1-thought a prov:Entity, otelprov:Thought ;
    prov:value "Look it up." ; otelprov:action "search" ; otelprov:arguments '{"q": "pump"}' ;
    prov:wasGeneratedBy :i1-think ; otelprov:explainedBy <urn:trustgraph:agent:1/i1> .
:i1-act a prov:Activity, otelprov:AgentTool ;
    otelprov:iteration 1 ;
    prov:startedAtTime "2026-01-01T12:00:02.000000Z"^^xsd:dateTime ;
    prov:endedAtTime "2026-01-01T12:00:03.000000Z"^^xsd:dateTime ;
    prov:used :i1-thought ;
    prov:wasAssociatedWith :tool-search ;
    dcterms:isPartOf :run .
:i1-obs a prov:Entity, otelprov:Observation ;
    prov:value "P-7" ; prov:wasGeneratedBy :i1-act ; otelprov:explainedBy <urn:trustgraph:agent:1/i1/observation> .
:i1-thought-2 a prov:Entity, otelprov:Thought ;
    otelprov:action "ask a friend" ; otelprov:arguments "{}" ; prov:wasGeneratedBy :i1-think .
:i1-act-2 a prov:Activity, otelprov:AgentTool ;
    otelprov:iteration 1 ;
    prov:startedAtTime "2026-01-01T12:00:02.000000Z"^^xsd:dateTime ;
    prov:endedAtTime "2026-01-01T12:00:04.000000Z"^^xsd:dateTime ;
    prov:used :i1-thought-2 ;
    prov:wasAssociatedWith :tool-ask%20a%20friend ;
    otelprov:error "TimeoutError" ;
    dcterms:isPartOf :run .
:i1-obs-2 a prov:Entity, otelprov:Observation ;
    prov:wasGeneratedBy :i1-act-2 ; otelprov:explainedBy <urn:trustgraph:agent:1/i1/observation/2> .

:i2-think a prov:Activity, otelprov:Think, otelprov:AIModelInvocation ;
    otelprov:iteration 2 ;
    prov:startedAtTime "2026-01-01T12:00:05.000000Z"^^xsd:dateTime ;
    prov:endedAtTime "2026-01-01T12:00:06.000000Z"^^xsd:dateTime ;
    prov:used :question, :i1-obs, :i1-obs-2, :i1-thought ;
    prov:wasInformedBy :i1-act, :i1-act-2 ;
    prov:wasAssociatedWith :agent, :model-rules-1 ;
    dcterms:isPartOf :run .
:i2-thought a prov:Entity, otelprov:Thought ; prov:value "That is it." ; prov:wasGeneratedBy :i2-think .
:conclude a prov:Activity, otelprov:Conclude ;
    prov:startedAtTime "2026-01-01T12:00:06.000000Z"^^xsd:dateTime ;
    prov:endedAtTime "2026-01-01T12:00:07.000000Z"^^xsd:dateTime ;
    prov:used :question, :i1-obs, :i1-obs-2, :i2-thought ;
    prov:wasInformedBy :i2-think ;
    prov:wasAssociatedWith :agent ;
    dcterms:isPartOf :run .
:answer a prov:Entity, otelprov:Answer ;
    prov:value "P-7" ; prov:wasGeneratedBy :conclude ; prov:wasAttributedTo :agent ;
    otelprov:explainedBy <urn:trustgraph:agent:1/final> .

:agent a prov:Agent, prov:SoftwareAgent, otelprov:AIAgent ; rdfs:label "researcher" ; prov:actedOnBehalfOf :user .
:user a prov:Agent, prov:Person ; rdfs:label "ada" .
:model-rules-1 a prov:Agent, prov:SoftwareAgent, otelprov:AIModel ;
    rdfs:label "rules-1" ; prov:actedOnBehalfOf :agent .
:tool-search a prov:Agent, prov:SoftwareAgent, otelprov:Tool ;
    rdfs:label "search" ; prov:actedOnBehalfOf :agent .
:tool-ask%20a%20friend a prov:Agent, prov:SoftwareAgent, otelprov:Tool ;
    rdfs:label "ask a friend" ; prov:actedOnBehalfOf :agent .
"""


def lines(graph: rdflib.Graph) -> list[str]:
    return sorted(line for line in graph.serialize(format="nt").splitlines() if line)


@pytest.mark.parametrize("format", ["turtle", "trig", "json-ld", "nquads"])
def test_all_that_is_known_of_a_session_is_said_in_its_own_graph(format: str) -> None:
    out = io.BytesIO()
    write([WHOLE], format.replace("-", ""), "trustgraph", out, "prov")
    read_back = rdflib.Dataset()
    read_back.parse(data=out.getvalue(), format=format)
    name = "urn:trustgraph:agent:1#prov" if format != "turtle" else rdflib.graph.DATASET_DEFAULT_GRAPH_ID
    assert lines(read_back.graph(name)) == lines(rdflib.Graph().parse(data=TURTLE, format="turtle"))
    assert len(read_back) == len(describe_prov(WHOLE)) == len(set(describe_prov(WHOLE)))


def test_both_views_are_one_after_the_other_and_the_explanation_is_found_again() -> None:
    both = describe(WHOLE, view="both")
    assert both == describe(WHOLE) + describe(WHOLE, view="prov")
    assert [session.steps for session in recognise(both)] == [WHOLE.steps]
    assert recognise(describe_prov(WHOLE)) == []


def test_of_a_session_that_has_only_started_there_are_its_run_its_question_and_its_agent() -> None:
    said = describe_prov(Session("urn:s", (Question("?", at(0)),), outcome="running"))
    assert {quad.subject for quad in said} == {"urn:s#run", "urn:s#question", "urn:s#agent"}
    assert not [quad for quad in said if "outcome" in quad.predicate]


def test_a_call_that_still_runs_has_come_back_with_nothing() -> None:
    said = describe_prov(Session("urn:s", (Analysis(1, None, "a"), Observation(1, call=2, action="b", started=at(1)))))
    assert {quad.subject for quad in said} >= {"urn:s#i1-act", "urn:s#i1-act-2"}
    assert not [quad for quad in said if "obs" in quad.subject]


def test_of_a_text_that_was_not_recorded_its_hash_and_length_are_said() -> None:
    digest = Digest("ab" * 32, 7)
    said = describe_prov(
        Session(
            "urn:s",
            (
                Question(digest=digest),
                Analysis(1, thought_digest=digest),
                Observation(1, digest=digest),
                Conclusion(digest=digest, thought_digest=digest, iteration=2),
            ),
        )
    )
    hashed = [quad.subject for quad in said if quad.object == Literal("ab" * 32)]
    assert hashed == [f"urn:s#{name}" for name in ("question", "i1-thought", "i1-obs", "i2-thought", "answer")]
    assert [quad.subject for quad in said if quad.predicate == f"{OURS}length"] == hashed
    assert not [quad for quad in said if quad.predicate.endswith("value")]


def test_an_end_before_its_start_is_left_out() -> None:
    said = describe_prov(Session("urn:s", (Question(None, at(9)),), ended=at(1)))
    assert not [quad for quad in said if "endedAtTime" in quad.predicate]


@pytest.mark.parametrize("uri", ["http://ex.org/s#1", "urn:s:<1> 2", "urn:é"])
def test_any_session_has_legal_iris(uri: str) -> None:
    steps = (Analysis(1, None, 'a tool/with "odd" name#é'), Observation(1, "o"))
    for quad in describe_prov(Session(uri, steps, model="m/1 <x>")):
        for iri in (quad.subject, quad.predicate, quad.object, quad.graph):
            if isinstance(iri, str):
                rdflib.URIRef(iri).n3()
                assert iri.count("#") <= 1


# More is known ---------------------------------------------------------------------------------------------------


@calm
@given(st.data())
def test_more_is_only_ever_added(data: st.DataObject) -> None:
    whole = data.draw(wholes())
    before = data.draw(growing(whole))
    assert set(describe_prov(before)) <= set(describe_prov(whole))


def by_hand() -> None:
    @trace_agent(name="a", model="m", user="u")
    def answer(question: str) -> str:
        for number in range(3):
            with iteration() as step:
                step.record(thought=f"t{number}")
                if number < 2:
                    step.record(action="look", arguments={"at": number})
                    step.record(observation="o")
        return "yes"

    answer("?")


def by_tools() -> None:
    @trace_agent(name="a")
    def answer(question: str) -> str:
        for _ in range(2):
            with iteration() as step:
                step.record(thought="t", action="look")
                with tool("look", {"at": 1}) as call:
                    call.record("o")
                with tool("hear") as call:
                    call.record("p")
                step.record(observation="op")
        with iteration() as step, tool("outside"):
            pass
        return "yes"

    answer("?")


def at_once() -> None:
    @trace_agent
    async def answer(question: str) -> str:
        async def use(name: str, after: float) -> None:
            with tool(name) as call:
                await asyncio.sleep(after)
                call.record(name)

        with iteration():
            await asyncio.gather(use("first", 0.002), use("second", 0.001), use("third", 0))
        return "yes"

    asyncio.run(answer("?"))


def failing() -> None:
    @trace_agent
    def answer(question: str) -> str:
        for number in range(2):
            with contextlib.suppress(KeyError), iteration() as step:
                step.record(thought="t", action="look")
                with tool("look"):
                    raise KeyError(number)
        with iteration() as step:
            step.record(thought="I give up.")
            raise ValueError("no")

    with contextlib.suppress(ValueError):
        answer("?")


def cancelled() -> None:
    @trace_agent
    async def answer(question: str) -> str:
        with iteration() as step, tool("wait"):
            step.record(action="wait")
            await asyncio.sleep(10)
        return "never"

    with contextlib.suppress(asyncio.TimeoutError):
        asyncio.run(asyncio.wait_for(answer("?"), 0.01))


def abandoned() -> None:
    @trace_agent
    def answer(question: str) -> Iterator[str]:
        while True:
            with iteration() as step:
                step.record(thought="t", action="look", observation="o")
            yield "a"

    parts = answer("?")
    next(parts)
    next(parts)
    parts.close()


def elsewhere() -> None:
    for number in range(1, 4):
        with session("?", session_id="s", iteration=number) as run:
            with run.iteration() as step:
                step.record(thought="t")
                if number < 3:
                    step.record(action="look", observation="o")
            if number == 3:
                run.record(answer="yes")


LOOPS = [by_hand, by_tools, at_once, failing, cancelled, abandoned, elsewhere]


@pytest.mark.parametrize("content", ["true", "false"])
@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.__name__)
def test_each_record_of_a_loop_only_adds(
    program: Program, monkeypatch: pytest.MonkeyPatch, loop: Callable[[], None], content: str
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_CAPTURE_CONTENT", content)
    loop()
    said: set[Quad] = set()
    for known in range(1, len(program.recorded) + 1):
        (told,) = read(program.recorded[:known])
        now = set(describe_prov(told))
        assert said <= now
        said = now
    assert {quad.subject.partition("#")[2] for quad in said} >= {"run", "question", "agent", "i1-think"}


def test_a_loop_with_a_tool_has_the_times_of_its_spans(program: Program) -> None:
    @trace_agent(session_id="s")
    def answer(question: str) -> str:
        with iteration() as step:
            step.record(action="look")
            with tool("look") as call:
                call.record("o")
        return "yes"

    answer("?")
    spans = {str(dict(span.attributes or {}).get(names.OPERATION_NAME)): span for span in program.spans}
    graph = describe_spans(program.spans, view="prov").graph(rdflib.URIRef("urn:trustgraph:agent:s#prov"))

    def times(name: str) -> list[int | None]:
        node, prov = rdflib.URIRef(f"urn:trustgraph:agent:s#{name}"), rdflib.Namespace("http://www.w3.org/ns/prov#")
        found = [graph.value(node, prov.startedAtTime), graph.value(node, prov.endedAtTime)]
        return [time and round(time.toPython().timestamp() * 1e6) for time in found]

    def micros(span) -> list[int]:
        return [span.start_time // 1000, span.end_time // 1000]

    call, cycle = micros(spans["execute_tool"]), micros(spans["None"])
    assert times("run") == micros(spans["invoke_agent"])
    assert times("i1-think") == [cycle[0], call[0]]
    assert times("i1-act") == call


def test_each_activity_has_the_id_of_its_span_and_of_its_trace_where_that_is_another(program: Program) -> None:
    elsewhere()
    ids = {f"{span.context.span_id:016x}": f"{span.context.trace_id:032x}" for span in program.spans}
    said = describe_prov(program.session)
    spans = {quad.subject: quad.object.text for quad in said if quad.predicate == f"{OURS}spanId"}
    traces = {quad.subject: quad.object.text for quad in said if quad.predicate == f"{OURS}traceId"}
    assert [node.partition("#")[2] for node in spans] == ["run", "i1-think", "i1-act", "i2-think", "i2-act", "i3-think"]
    assert {node: ids[span] for node, span in spans.items() if node in traces} == traces
    assert len(set(traces.values())) == 3
    assert {name.partition("#")[2] for name in spans.keys() - traces.keys()} == {"i1-think", "i1-act"}


def test_what_was_really_used_is_derived_from_nothing_else(program: Program) -> None:
    @trace_agent(session_id="s")
    def answer(question: str) -> str:
        for uses in ([], [1], None):
            with iteration() as step:
                step.record(thought="t", action="look", uses=uses)
                step.record(observation="o")
        run = current_session()
        assert run
        run.record(uses={3, 2, 9})
        return "yes"

    answer("?")
    derived = [
        (quad.subject.partition("#")[2], str(quad.object).partition("#")[2])
        for quad in describe_prov(program.session)
        if quad.predicate.endswith("wasDerivedFrom")
    ]
    assert derived == [("i2-thought", "i1-obs"), ("answer", "i2-obs"), ("answer", "i3-obs")]


def test_an_unknown_view_is_refused_with_the_names_of_those_there_are(program: Program) -> None:
    with pytest.raises(ValueError, match="explanation, prov, both"):
        describe_spans([], view="round")


# Our own vocabulary ----------------------------------------------------------------------------------------------

OURS = "https://w3id.org/otel-prov#"


@pytest.fixture(scope="module")
def vocabulary() -> rdflib.Graph:
    return rdflib.Graph().parse(data=(files("otel_prov.describe") / "vocabulary.ttl").read_text(), format="turtle")


def test_each_term_that_is_used_is_defined_with_label_and_comment(vocabulary: rdflib.Graph) -> None:
    said = [*describe_prov(WHOLE), *describe_prov(GRAPH), *describe_prov(PLANNED)]
    used = {term for quad in said for term in quad[:3] if isinstance(term, str) and term.startswith(OURS)}
    defined = {str(term) for term in vocabulary.subjects() if str(term).startswith(OURS)}
    assert used <= defined
    assert defined - used <= {f"{OURS}{name}" for name in ("spanId", "sha256", "length", "detectedUse")}
    for term in map(rdflib.URIRef, defined):
        assert vocabulary.value(term, RDFS.label)
        assert vocabulary.value(term, RDFS.comment)
        (kind,) = vocabulary.objects(term, RDF.type)
        assert kind in (OWL.Class, OWL.ObjectProperty, OWL.DatatypeProperty)


def test_terms_are_used_as_they_are_defined(vocabulary: rdflib.Graph) -> None:
    for quad in describe_prov(WHOLE):
        kind = vocabulary.value(rdflib.URIRef(quad.predicate), RDF.type)
        if kind is not None:
            assert isinstance(quad.object, str) == (kind == OWL.ObjectProperty)
