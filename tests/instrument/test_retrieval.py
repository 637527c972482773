"""What a retrieval tells, alone and inside of a tool call."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
import rdflib

from otel_prov import (
    current_iteration,
    current_retrieval,
    iteration,
    losses,
    names,
    tool,
    trace_agent,
    trace_retrieval,
    uris,
)
from otel_prov.instrument.findings import MOST
from otel_prov.names import session_uri
from otel_prov.steps import Exploration, Focus, Grounding, Observation, Selection, Session, Synthesis, Text, Triple
from tests.conftest import Program

EDGE = ("urn:pump:7", "urn:stands-in", "urn:hall:north")


@trace_retrieval(source="plant", top_k=5)
def ask(question: str) -> str:
    found = current_retrieval()
    assert found is not None
    found.record(concepts=["pump", "place"])
    found.record(edges=[EDGE] * 3, entities=["urn:pump:7"])
    found.record(selected=[{"edge": EDGE, "concept": "place", "score": 0.5, "reasoning": "It says where."}])
    return "In the north hall."


STAGES = (
    Grounding(("place", "pump")),
    Exploration(edges=3, entities=("urn:pump:7",)),
    Focus((Selection(Triple(*EDGE), concept="place", score=0.5, reasoning="It says where."),)),
    Synthesis("In the north hall."),
)


def by_kind(program: Program) -> dict[str, Session]:
    return {session.kind: session for session in program.sessions}


def test_a_decorated_function_tells_question_stages_and_answer(program: Program) -> None:
    before = losses()
    assert ask("Where is pump 7?") == "In the north hall."
    told = program.session
    assert (told.kind, told.caller, told.outcome, told.agent) == ("graph-rag", None, "final", "plant")
    assert told.uri.startswith("urn:trustgraph:question:")
    assert told.question.text == "Where is pump 7?"
    assert told.steps[1:] == STAGES
    assert losses() == before


def test_spans_carry_the_names_that_opentelemetry_has(program: Program) -> None:
    with trace_retrieval("Who?", kind="document", source="manual", top_k=3, session_id="r1") as found:
        found.record(chunks=[{"id": "c1", "score": 0.5}, SimpleNamespace(id="c2"), "c3"], answer="Ann.")
    (span,) = program.spans
    told = dict(span.attributes or {})
    assert span.name == "retrieval manual"
    assert told["gen_ai.operation.name"] == "retrieval"
    assert told["gen_ai.data_source.id"] == "manual"
    assert told["gen_ai.retrieval.top_k"] == 3
    assert told["gen_ai.retrieval.query.text"] == "Who?"
    assert json.loads(str(told["gen_ai.retrieval.documents"])) == [
        {"id": "c1", "score": 0.5},
        {"id": "c2"},
        {"id": "c3"},
    ]
    assert told["agent.session.uri"] == "urn:trustgraph:docrag:r1"
    assert program.session.steps[2] == Exploration(chunks=3, chunk_ids=("c1", "c2", "c3"))


@pytest.mark.parametrize("kind", ["coroutine", "generator", "async generator", "method"])
def test_functions_of_every_kind(program: Program, kind: str) -> None:
    def note() -> None:
        found = current_retrieval()
        assert found is not None
        found.record(concepts=["c"])

    @trace_retrieval(kind="document")
    async def later(query: str) -> str:
        await asyncio.sleep(0)
        note()
        return "ab"

    @trace_retrieval(kind="document")
    def parts(query: str) -> Iterator[str]:
        note()
        yield from "ab"

    @trace_retrieval(kind="document")
    async def later_parts(query: str) -> AsyncIterator[str]:
        note()
        for part in "ab":
            yield part

    class Library:
        @trace_retrieval(kind="document")
        def find(self, query: str) -> str:
            note()
            return "ab"

    async def collected() -> list[str]:
        return [part async for part in later_parts("q")]

    outside = current_retrieval()
    run = {
        "coroutine": lambda: asyncio.run(later("q")),
        "generator": lambda: list(parts("q")),
        "async generator": lambda: asyncio.run(collected()),
        "method": lambda: Library().find("q"),
    }
    run[kind]()
    assert outside is None
    assert current_retrieval() is None
    assert program.session.question.text == "q"
    assert program.session.steps[1:] == (Grounding(("c",)), Exploration(), Synthesis("ab"))


def test_each_stage_is_on_disk_as_soon_as_it_is_known(program: Program) -> None:
    with trace_retrieval("q") as found:
        lines = [len(program.recorded)]
        for stage in ({"concepts": ["a"]}, {"edges": 2}, {"selected": [EDGE]}):
            found.record(**stage)
            lines.append(len(program.recorded))
        assert lines == [1, 2, 3, 4]
        assert [type(step) for step in program.session.steps[1:]] == [Grounding, Exploration, Focus]


def test_what_is_recorded_again_is_added(program: Program) -> None:
    with trace_retrieval("q") as found:
        for hop in range(3):
            found.record(edges=[EDGE] * hop, entities=[f"urn:{hop}", "urn:0"], selected=[(f"urn:{hop}", "p", "o")])
        found.record(edges=7)
    _, _, explored, focus, _ = program.session.steps
    assert explored == Exploration(edges=10, entities=("urn:0", "urn:1", "urn:2"))
    assert focus == Focus(tuple(Selection(Triple(f"urn:{hop}", "p", Text("o"))) for hop in range(3)))


def test_a_stage_that_is_passed_without_a_word_is_there_all_the_same(program: Program) -> None:
    with trace_retrieval("q") as found:
        found.record(answer="a")
    assert program.session.steps[1:] == (Grounding(), Exploration(), Focus(), Synthesis("a"))


def an_edge(subject: str, predicate: str, target: str | Text) -> Selection:
    return Selection(Triple(subject, predicate, target))


ENGLISH = Text("c", language="en")


@pytest.mark.parametrize(
    ("selected", "selection"),
    [
        (EDGE, an_edge(*EDGE)),
        (("pump 7", "stands in", "the hall"), an_edge("pump 7", "stands in", Text("the hall"))),
        ((rdflib.URIRef("urn:a"), "urn:b", rdflib.Literal("c", lang="en")), an_edge("urn:a", "urn:b", ENGLISH)),
        (("urn:a", "urn:b", rdflib.Literal(7)), an_edge("urn:a", "urn:b", Text("7", str(rdflib.XSD.integer)))),
        (("urn:a", "urn:b", {"value": "urn:c"}), an_edge("urn:a", "urn:b", Text("urn:c"))),
        ({"s": "urn:a", "p": "urn:b", "o": 3}, an_edge("urn:a", "urn:b", Text("3"))),
        (SimpleNamespace(s="urn:a", p="urn:b", o="urn:c"), an_edge("urn:a", "urn:b", "urn:c")),
        ("urn:chunk:1", Selection(chunk="urn:chunk:1")),
        ({"chunk": "c", "score": "0.25"}, Selection(chunk="c", score=0.25)),
        ({"chunk_id": "c", "score": math.nan, "concept": "x"}, Selection(chunk="c", concept="x")),
        (SimpleNamespace(id="c", score=1), Selection(chunk="c", score=1.0)),
    ],
)
def test_edges_and_chunks_are_taken_as_they_come(program: Program, selected: object, selection: Selection) -> None:
    with trace_retrieval("q") as found:
        found.record(selected=[selected])
    assert next(program.session.of(Focus)) == Focus((selection,))


def test_ten_thousand_edges_are_counted_and_the_first_thousand_told(program: Program) -> None:
    before = losses().get("parts of a retrieval left out", 0)
    edges = [(f"urn:{number}", "urn:p", "urn:o") for number in range(10_000)]
    with trace_retrieval("q") as found:
        for start in range(0, 10_000, 10):
            found.record(edges=edges[start : start + 10], selected=edges[start : start + 10])
        found.record(entities=[subject for subject, *_ in edges], chunks=[subject for subject, *_ in edges])
    explored, focus = next(program.session.of(Exploration)), next(program.session.of(Focus))
    assert (explored.edges, explored.chunks) == (10_000, 10_000)
    assert len(explored.entities) == len(explored.chunk_ids) == len(focus.selections) == MOST
    assert losses()["parts of a retrieval left out"] - before == 3 * 9_000
    size = sum(len(span.raw) for span in program.recorded)
    largest = max(len(span.raw) for span in program.recorded)
    assert size < 1_100 * 3_000 + 20 * largest  # written again when it has doubled, not each time it grows


def test_what_can_be_read_only_once_is_left_to_its_owner(program: Program) -> None:
    concepts = iter(["a"])
    with trace_retrieval("q") as found:
        found.record(concepts=concepts)
    assert list(concepts) == ["a"]


def test_without_content_numbers_and_scores_remain(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_CAPTURE_CONTENT", "false")
    ask("Where is pump 7?")
    raw = b"".join(span.raw for span in program.recorded)
    assert not any(secret in raw for secret in (b"pump", b"place", b"hall", b"says"))
    assert program.session.steps[1:] == (
        Grounding(),
        Exploration(edges=3),
        Focus((Selection(score=0.5),)),
        Synthesis(),
    )


def test_the_redaction_of_the_agent_counts_inside_of_it(program: Program) -> None:
    @trace_agent(redact=lambda text: text.replace("north", "***"), collection="plant", user="ann")
    def agent(question: str) -> str:
        with iteration() as step:
            step.record(action="ask", observation=ask("north?"))
        return "done"

    agent("q")
    assert b"north" not in b"".join(span.raw for span in program.recorded)
    retrieval = by_kind(program)["graph-rag"]
    assert (retrieval.collection, retrieval.user, retrieval.answer) == ("plant", "ann", "In the *** hall.")


def test_an_error_passes_and_is_told(program: Program) -> None:
    @trace_retrieval
    def fails(question: str) -> None:
        found = current_retrieval()
        assert found is not None
        found.record(concepts=["c"])
        raise LookupError("no")

    with pytest.raises(LookupError, match="no"):
        fails("q")
    assert (program.session.outcome, program.session.error) == ("error", "LookupError: no")
    assert program.session.steps[1:] == (Grounding(("c",)),)


def test_an_unknown_kind_harms_nobody(program: Program) -> None:
    before = losses().get("retrieval of an unknown kind", 0)
    with trace_retrieval("q", kind="vector"):  # type: ignore[call-overload]
        pass
    assert program.session.kind == "graph-rag"
    assert losses()["retrieval of an unknown kind"] == before + 1


# Inside of a tool call -------------------------------------------------------------------------------------------


def in_a_thread(call: object) -> str:
    def work() -> str:
        with trace_retrieval("q", session_id="r", caller=call) as found:  # type: ignore[call-overload]
            found.record(answer="a")
        return "a"

    with ThreadPoolExecutor() as pool:
        return pool.submit(work).result()


def in_a_task(call: object) -> str:
    async def work() -> str:
        with trace_retrieval("q", session_id="r") as found:
            found.record(answer="a")
        return "a"

    async def main() -> str:
        return await asyncio.create_task(work())

    return asyncio.run(main())


def here(call: object) -> str:
    with trace_retrieval("q", session_id="r") as found:
        found.record(answer="a")
    return "a"


def elsewhere(call: object) -> str:
    step = current_iteration()
    assert step is not None
    caller = step.uri  # travels to another process, where nothing else is known of the agent
    with ThreadPoolExecutor() as pool:
        return pool.submit(lambda: _remote(caller)).result()


def _remote(caller: str | None) -> str:
    with trace_retrieval("q", session_id="r", caller=caller) as found:
        found.record(answer="a")
    return "a"


@pytest.mark.parametrize("ask_it", [here, in_a_task, in_a_thread, elsewhere])
@pytest.mark.parametrize("with_tool", [True, False])
def test_question_and_observation_are_linked_both_ways(program: Program, ask_it, with_tool: bool) -> None:
    @trace_agent(session_id="s")
    def agent(question: str) -> None:
        with iteration() as step:
            step.record(action="ask")
            if with_tool:
                with tool("ask") as call:
                    call.record(ask_it(call))
            else:
                step.record(observation=ask_it(step))

    agent("q")
    sessions = by_kind(program)
    assert sessions["graph-rag"].caller == f"{session_uri('s')}/i1"
    (seen,) = sessions["agent"].of(Observation)
    assert seen == Observation(1, "a", sub_trace="urn:trustgraph:prov:synthesis:r")
    outer = {span.context.span_id for span in program.spans if span.name != "retrieval" and span.context}
    (span,) = (span for span in program.spans if span.name == "retrieval")
    assert ask_it is elsewhere or (span.parent and span.parent.span_id in outer)


def test_a_retrieval_that_ends_after_its_caller_is_linked(program: Program) -> None:
    @trace_agent(session_id="s")
    def agent(question: str) -> str:
        with iteration() as step:
            step.record(action="ask", observation="soon")
            retrieval = trace_retrieval("q", session_id="r", caller=step)
            retrieval.__enter__()
            open_ones.append(retrieval)
            retrieval.suspend()
        return "later"

    open_ones: list = []
    agent("q")
    open_ones[0].record(answer="now")
    open_ones[0].end()
    sessions = by_kind(program)
    assert sessions["graph-rag"].answer == "now"
    assert [seen.sub_trace for seen in sessions["agent"].of(Observation)] == ["urn:trustgraph:prov:synthesis:r"]


def test_a_failed_retrieval_is_linked_by_what_there_is_of_it(program: Program) -> None:
    @trace_agent(session_id="s")
    def agent(question: str) -> str:
        with iteration() as step:
            try:
                with step.tool("ask"), trace_retrieval("q", session_id="r") as found:
                    found.record(concepts=["c"])
                    raise LookupError("no")
            except LookupError:
                return "unknown"

    agent("q")
    (seen,) = by_kind(program)["agent"].of(Observation)
    assert seen.error == "LookupError: no"
    assert seen.sub_trace == uris.stage(session_uri("r", names.GRAPH_RAG), uris.GROUNDING)


def test_an_agent_inside_of_a_tool_call_is_linked_both_ways(program: Program) -> None:
    @trace_agent(session_id="inner")
    def inner(question: str) -> str:
        return "42"

    @trace_agent(session_id="outer", collection="plant")
    def outer(question: str) -> str:
        with iteration(), tool("inner") as call:
            call.record(inner("six times seven?"))
        return "42"

    outer("q")
    sessions = {session.uri: session for session in program.sessions}
    assert sessions[session_uri("inner")].caller == f"{session_uri('outer')}/i1"
    assert sessions[session_uri("inner")].collection == "plant"
    (seen,) = sessions[session_uri("outer")].of(Observation)
    assert seen.sub_trace == f"{session_uri('inner')}/final"


def test_each_of_several_calls_at_once_has_its_own(program: Program) -> None:
    @trace_agent(session_id="s")
    def agent(question: str) -> None:
        with iteration() as step:
            step.record(action="ask")
            for number in range(3):
                with step.tool("ask") as call, trace_retrieval("q", session_id=f"r{number}") as found:
                    found.record(answer="a")
                    call.record("a")

    agent("q")
    told = next(session for session in program.sessions if session.kind == "agent")
    assert [seen.sub_trace for seen in told.of(Observation)] == [
        f"urn:trustgraph:prov:synthesis:r{number}" for number in range(3)
    ]


def test_what_somebody_else_traced_is_named_by_hand(program: Program) -> None:
    @trace_agent
    def agent(question: str) -> None:
        with iteration() as step, step.tool("ask") as call:
            call.record("a", sub_trace="urn:trustgraph:prov:synthesis:theirs")

    agent("q")
    (seen,) = program.session.of(Observation)
    assert seen.sub_trace == "urn:trustgraph:prov:synthesis:theirs"
