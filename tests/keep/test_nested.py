"""Sessions inside of sessions, in the store: linked whatever comes first, and shown under their tool call."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from otel_prov.keep import Store
from otel_prov.names import DOCUMENT_RAG, GRAPH_RAG, session_uri
from otel_prov.steps import (
    Analysis,
    Conclusion,
    Exploration,
    Focus,
    Grounding,
    Observation,
    Question,
    Selection,
    Session,
    Synthesis,
    Text,
    Triple,
)
from tests.command import invoke

OUTER = session_uri("outer")
AGENT = Session(
    OUTER,
    (Question("What?"), Analysis(1, action="ask"), Observation(1, "a"), Conclusion("so")),
    outcome="final",
)
EDGE = Triple("urn:a", "needs", Text("c", language="en"))
RETRIEVAL = Session(
    session_uri("r", GRAPH_RAG),
    (
        Question("Which?"),
        Grounding(("b", "a")),
        Exploration(3, ("urn:a",), 2, ("c1",)),
        Focus((Selection(EDGE, None, "a", 0.5, "why"), Selection(chunk="c1"))),
        Synthesis("a"),
    ),
    kind=GRAPH_RAG,
    caller=f"{OUTER}/i1",
    outcome="final",
)
INNER = Session(session_uri("inner"), (Question("Deep?"),), caller=f"{RETRIEVAL.uri}", outcome="error")
LINKED = "urn:trustgraph:prov:synthesis:r"


def kept(store: Store, uri: str) -> Session:
    session = store.session(uri)
    assert session is not None
    return session


@pytest.mark.parametrize("order", list(itertools.permutations([AGENT, RETRIEVAL, INNER])))
def test_the_observation_is_linked_whichever_comes_first(tmp_path: Path, order: tuple[Session, ...]) -> None:
    with Store(tmp_path) as store:
        for session in order:
            store.add([session])
        (seen,) = kept(store, OUTER).of(Observation)
        assert seen.sub_trace == LINKED
        assert kept(store, RETRIEVAL.uri) == RETRIEVAL
        assert store.inside(OUTER) == [RETRIEVAL.uri]
        assert store.inside(RETRIEVAL.uri) == [INNER.uri]


def test_what_ran_inside_of_others_is_left_out_where_that_is_asked(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.add([RETRIEVAL, INNER])
        assert {each.uri for each in store.sessions()} == {RETRIEVAL.uri, INNER.uri}
        assert [each.uri for each in store.sessions(nested=False)] == [RETRIEVAL.uri]  # its caller isn't here
        store.add([AGENT])
        assert [each.uri for each in store.sessions(nested=False)] == [OUTER]
        assert store.find("latest") == [OUTER]
        assert store.find("r") == store.find(RETRIEVAL.uri) == [RETRIEVAL.uri]
        assert {each.uri: each.type for each in store.sessions()}[RETRIEVAL.uri] == GRAPH_RAG


def test_all_texts_of_a_retrieval_are_found(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.add([RETRIEVAL])
        for text in ("Which", "why", "needs", "c1"):
            assert [each.uri for each in store.sessions(text=text)] == [RETRIEVAL.uri]
        assert store.sessions(text="started") == []


def show(folder: Path, *arguments: str) -> str:
    result = invoke("--store", str(folder), *arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_it_is_drawn_under_the_tool_call_so_many_levels_deep(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.add([AGENT, RETRIEVAL, INNER])
    assert show(tmp_path, "show", "outer").partition("Iteration 1\n")[2].splitlines() == [
        "  Action         ask",
        "      GraphRAG       Which?",
        f"      Session        {RETRIEVAL.uri}",
        "          Agent          Deep?",
        f"          Session        {INNER.uri}",
        "          Outcome        error: an exception ended it",
        "      Concepts       a, b",
        "      Found          3 edges, 2 chunks",
        "      Starting from  a",
        "      Chunks         c1",
        "      Selected       a → needs → c  (a, 0.5)",
        "                       why",
        "                     c1",
        "      Answer         a",
        "  Observation    a",
        "",
        "Conclusion",
        "  Answer         so",
    ]
    assert "(deeper inside, --depth)" in show(tmp_path, "show", "outer", "--depth", "1")
    assert "Concepts" not in show(tmp_path, "show", "outer", "--depth", "0")


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.add([RETRIEVAL])
        linked = Observation(1, "a", sub_trace="urn:trustgraph:docrag:gone/synthesis")
        store.add([Session(session_uri("alone"), (Analysis(1, action="ask"), linked))])
    assert f"Called by        {OUTER}/i1 (not here)" in show(tmp_path, "show", "r")
    assert "Sub-trace      urn:trustgraph:docrag:gone/synthesis (not here)" in show(tmp_path, "show", "alone")


def test_json_has_it_inside_of_the_call(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.add([AGENT, RETRIEVAL])
    (call,) = json.loads(show(tmp_path, "show", "outer", "--format", "json"))["iterations"]
    (inner,) = call["sub_traces"]
    assert call["sub_trace"] == LINKED
    assert inner == json.loads(show(tmp_path, "show", "r", "--format", "json"))
    assert (inner["type"], inner["caller"], inner["concepts"]) == (GRAPH_RAG, f"{OUTER}/i1", ["a", "b"])
    assert inner["selected"][0]["edge"] == {
        "subject": "urn:a",
        "predicate": "needs",
        "object": {"value": "c", "datatype": "", "language": "en"},
    }


def test_the_list_says_what_each_is(tmp_path: Path) -> None:
    documents = Session(session_uri("d", DOCUMENT_RAG), (Question("Where?"),), kind=DOCUMENT_RAG)
    with Store(tmp_path) as store:
        store.add([AGENT, RETRIEVAL, documents])
    rows = [line.split() for line in show(tmp_path, "list", "--nested").splitlines()[1:]]
    assert {(row[1], row[2]) for row in rows} == {("Agent", "outer"), ("GraphRAG", "r"), ("DocRAG", "d")}
    assert {line.split()[2] for line in show(tmp_path, "list").splitlines()[1:]} == {"outer", "d"}
