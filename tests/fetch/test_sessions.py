"""``--from``: what lives in TrustGraph is listed, found, shown and exported as what is kept here."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import Result

from otel_prov.describe import SHAPES, Literal, Quad, describe, recognise
from otel_prov.describe import vocabulary as v
from otel_prov.describe.formats import read_file
from otel_prov.fetch import graph, trustgraph
from otel_prov.keep import Store
from otel_prov.show.times import local
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session
from tests.show.sessions import STARTED, a_session, uri

pytest.importorskip("websockets", reason="not installed; pip install 'otel-prov[trustgraph]'")

from .gateway import GatewayOfTests

Call = Callable[..., Result]

UNKNOWN_THERE = {"agent": None, "user": None, "model": None, "trace_id": None, "ended": None}
QUESTION = "How many books are overdue, and whose?"


def fetched(gateway: GatewayOfTests, uri: str) -> Session | None:
    with trustgraph(gateway.url) as there:
        return there.session(uri)


def test_the_table_is_the_one_of_the_local_store(call: Call, gateway: GatewayOfTests) -> None:
    unfinished = replace(a_session(3), steps=a_session(3).steps[:4])
    for session in (a_session(1), a_session(2), unfinished):
        gateway.put(describe(session))
    assert call("list", "--from", gateway.url).stdout.splitlines() == [
        "Started              Type   Id        Outcome  Iter  Took  Question",
        f"{local(STARTED + timedelta(hours=3))}  Agent  00000003  -           2     -  {QUESTION}",
        f"{local(STARTED + timedelta(hours=2))}  Agent  00000002  final       2     -  {QUESTION}",
        f"{local(STARTED + timedelta(hours=1))}  Agent  00000001  final       2     -  {QUESTION}",
    ]


def test_json_has_what_trustgraph_knows_and_null_for_the_rest(call: Call, gateway: GatewayOfTests) -> None:
    gateway.put(describe(a_session(1)))
    assert json.loads(call("list", "--json", "--from", gateway.url).stdout) == [
        {
            "uri": uri(1),
            "type": "agent",
            "pattern": None,
            "question": QUESTION,
            "started": "2026-11-02T15:03:05.250000Z",
            "ended": None,
            "outcome": "final",
            "iterations": 2,
            "duration": None,
            "collection": "default",
            "agent": None,
        }
    ]


@pytest.mark.parametrize("forgetful", [False, True], ids=["cassandra", "falkordb"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_session_in_any_shape_is_shown_as_the_local_one(
    call: Call, gateway: GatewayOfTests, folder: Path, shape: str, forgetful: bool
) -> None:
    (session,) = recognise(describe(a_session(1), shape))  # what the shape can say of it
    session = replace(session, collection="default", outcome="final")
    gateway.forgetful = forgetful
    gateway.put(describe(session, shape))
    with Store(folder) as store:
        store.add([session])
    here = call("show", uri(1), "--format", "json").stdout
    assert "Ms Woodhouse" in here
    assert call("show", uri(1), "--format", "json", "--from", gateway.url).stdout == here
    assert call("show", uri(1), "--from", gateway.url).stdout == call("show", uri(1)).stdout
    assert call("list", "--from", gateway.url).stdout == call("list").stdout


@pytest.mark.parametrize("forgetful", [False, True], ids=["cassandra", "falkordb"])
@pytest.mark.parametrize("name", [uri(1), "http://example.org/run/7"])
@pytest.mark.parametrize("shape", SHAPES)
def test_texts_that_look_like_addresses_stay_texts(
    gateway: GatewayOfTests, shape: str, name: str, forgetful: bool
) -> None:
    steps = (
        Question("https://example.org/?", STARTED),
        Analysis(1, "http://a b", "https://tool", "urn:x"),
        Observation(1, "https://example.org/found"),
        Conclusion("urn:isbn:1"),
    )
    gateway.forgetful = forgetful
    gateway.put(describe(Session(name, steps), shape))
    assert fetched(gateway, name) == Session(name, steps, collection="default", outcome="final")


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--text", "WOODHOUSE"], {1, 2, 4}),
        (["--text", "nobody says this"], set()),
        (["--outcome", "final"], {1, 2, 4}),
        (["--since", "2026-11-02T16:00Z"], {2, 3, 4}),
        (["--until", "2026-11-02T16:30:00+00:00"], {1, 2}),
        (["--since", "2026-11-02T16:00Z", "--until", "2026-11-02T17:00Z"], {2}),
        (["--limit", "2"], {4, 3}),
        (["--text", "woodhouse", "--limit", "1"], {4}),
        (["--collection", "archive"], {9}),
    ],
)
def test_each_filter_leaves_what_it_says(
    call: Call, gateway: GatewayOfTests, options: list[str], found: set[int]
) -> None:
    started = replace(a_session(3), steps=a_session(3).steps[:1])
    for session in (a_session(1), a_session(2), started, a_session(4)):
        gateway.put(describe(session))
    gateway.put(describe(a_session(9)), "archive")
    result = call("list", "--json", "--from", gateway.url, *options, expect=0 if found else 1)
    assert {session["uri"] for session in json.loads(result.stdout)} == {uri(number) for number in found}


def test_no_session_is_of_an_agent_or_of_another_collection(gateway: GatewayOfTests) -> None:
    gateway.put(describe(a_session(1)))
    with trustgraph(gateway.url) as there:
        assert [there.sessions(agent="librarian"), there.sessions(collection="archive")] == [[], []]
        assert [session.uri for session in there.sessions(collection="default")] == [uri(1)]


@pytest.mark.parametrize("reference", [uri(2), uri(2).rpartition(":")[2], uri(2)[:-9], "00000002", "latest"])
def test_a_session_is_named_as_a_local_one(call: Call, gateway: GatewayOfTests, reference: str) -> None:
    gateway.put([*describe(a_session(1)), *describe(a_session(2))])
    shown = json.loads(call("show", reference, "--format", "json", "--from", gateway.url).stdout)
    assert shown["uri"] == uri(2)


def test_a_beginning_of_several_lists_them_and_one_of_none_is_told(call: Call, gateway: GatewayOfTests) -> None:
    gateway.put([*describe(a_session(1)), *describe(a_session(2))])
    assert call("show", "0000000", "--from", gateway.url, expect=2).stderr.splitlines()[1:] == [
        f"  {uri(1)}",
        f"  {uri(2)}",
    ]
    assert "no session 'zz'" in call("show", "zz", "--from", gateway.url, expect=1).stderr
    assert "no session ''" in call("show", "", "--from", gateway.url, expect=1).stderr


def test_showing_one_asks_for_no_other(call: Call, gateway: GatewayOfTests) -> None:
    gateway.put([*describe(a_session(1)), *describe(a_session(2))])
    call("show", uri(1), "--from", gateway.url)
    assert uri(2) not in json.dumps(gateway.asked)
    assert all(frame["request"].keys() & {"s", "o", "document-id"} for frame in gateway.asked[1:])


def test_collection_names_where_a_session_is(call: Call, gateway: GatewayOfTests) -> None:
    gateway.put(describe(a_session(1)), "archive")
    there = ("--from", gateway.url, "--collection", "archive")
    assert "Collection       archive" in call("show", "latest", *there).stdout
    call("show", uri(1), "--from", gateway.url, expect=1)


def test_sessions_are_exported_all_or_some(call: Call, gateway: GatewayOfTests, tmp_path: Path) -> None:
    for number in (1, 2):
        gateway.put(describe(a_session(number)), "archive")
    there = ("--from", gateway.url, "--collection", "archive")
    file = tmp_path / "out.nq"
    assert call("export", "-o", file, *there).stdout.startswith("Wrote 2 sessions")
    assert [(session.uri, session.steps) for session in read_file(file)] == [
        (uri(number), a_session(number).steps) for number in (1, 2)
    ]
    call("export", uri(2), "-o", file, *there)
    assert [session.uri for session in read_file(file)] == [uri(2)]


def test_a_missing_iteration_hides_nothing_behind_it(gateway: GatewayOfTests) -> None:
    steps = (Question("?", STARTED), Analysis(1, action="a"), Analysis(3, action="c"), Conclusion("!"))
    gateway.put(describe(Session(uri(1), steps)))
    assert fetched(gateway, uri(1)) == Session(uri(1), steps, collection="default", outcome="final")


def test_nodes_of_any_name_are_found_by_what_they_come_from(call: Call, gateway: GatewayOfTests) -> None:
    nodes = {"urn:x:q": v.AGENT_QUESTION, "urn:x:plan": v.TG + "Plan", "urn:x:a": v.ANALYSIS, "urn:x:z": v.CONCLUSION}
    names = list(nodes)
    gateway.put(Quad(node, v.RDF_TYPE, kind) for node, kind in nodes.items())
    gateway.put(Quad(node, v.PROV_DERIVED, before) for before, node in pairwise(names))
    gateway.put([Quad("urn:x:q", v.TG_QUERY, Literal("?")), Quad("urn:x:z", v.TG_CONTENT, Literal("!"))])
    (listed,) = json.loads(call("list", "--json", "--from", gateway.url).stdout)
    assert (listed["uri"], listed["iterations"], listed["outcome"]) == ("urn:x:q", 1, "final")
    shown = fetched(gateway, "urn:x:q")
    assert shown is not None
    assert shown.steps == (Question("?"), Analysis(1), Conclusion("!"))


def test_what_a_tool_asked_is_another_session(call: Call, gateway: GatewayOfTests) -> None:
    gateway.put(describe(a_session(1)))
    agent, rag = uri(2), "urn:trustgraph:question:5"
    for child, kind, step in (
        (agent, v.AGENT_QUESTION, v.ANALYSIS),
        (rag, v.GRAPH_RAG_QUESTION, v.TG + "Grounding"),
    ):
        gateway.put([Quad(child, v.RDF_TYPE, kind), Quad(child, v.RDF_TYPE, v.QUESTION)])
        gateway.put([Quad(child, v.TG_QUERY, Literal("Sub?")), Quad(child, v.PROV_DERIVED, f"{uri(1)}/i1")])
        gateway.put([Quad(f"{child}/i1", v.RDF_TYPE, step), Quad(f"{child}/i1", v.PROV_DERIVED, child)])
    shown = fetched(gateway, uri(1))
    assert shown is not None
    assert shown.steps == a_session(1).steps
    assert not {f"{agent}/i1", f"{rag}/i1"} & {frame["request"].get("s", {}).get("i") for frame in gateway.asked[1:]}
    listed = json.loads(call("list", "--nested", "--json", "--from", gateway.url).stdout)
    assert {session["uri"]: session["iterations"] for session in listed} == {uri(1): 2, uri(2): 1, rag: 0}
    listed = json.loads(call("list", "--json", "--from", gateway.url).stdout)
    assert [session["uri"] for session in listed] == [uri(1)]


def test_steps_that_trustgraph_leaves_out_of_the_list_are_counted_session_by_session(
    call: Call, gateway: GatewayOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        gateway.put(describe(a_session(number)))
    gateway.page = 7  # eight analyses, twelve observations, four sessions
    monkeypatch.setattr(graph, "MOST", 7)
    monkeypatch.setattr("otel_prov.fetch.sessions.MOST", 7)
    result = call("list", "--json", "--from", gateway.url)
    assert [(s["iterations"], s["outcome"]) for s in json.loads(result.stdout)] == [(2, "final")] * 4
    assert result.stderr == ""


def test_a_start_is_known_however_many_other_things_have_one(call: Call, gateway: GatewayOfTests) -> None:
    for number in (1, 2):
        gateway.put(describe(a_session(number)))
    gateway.put(Quad(f"urn:activity:{n}", v.PROV_STARTED, Literal("2026-01-01T00:00:00Z")) for n in range(20))
    gateway.page = 20
    listed = json.loads(call("list", "--json", "--from", gateway.url).stdout)
    assert [session["uri"] for session in listed] == [uri(2), uri(1)]
    assert listed[1]["started"] == "2026-11-02T15:03:05.250000Z"


def test_sessions_that_trustgraph_leaves_out_are_said_to_be_missing(
    call: Call, gateway: GatewayOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        gateway.put(describe(Session(uri(number), (Question(None, STARTED),))))
    gateway.page = 3
    monkeypatch.setattr("otel_prov.fetch.sessions.MOST", 3)
    result = call("list", "--json", "--from", gateway.url)
    assert len(json.loads(result.stdout)) == 3
    assert result.stderr == "otel-prov: TrustGraph tells of 3 sessions at once; it may have more than are listed\n"


def test_statements_that_are_none_of_ours_disturb_nothing(gateway: GatewayOfTests) -> None:
    gateway.put(describe(a_session(1)))
    gateway.put([Quad(f"{uri(1)}/i1", v.TG + "llmDurationMs", Literal("12")), Quad(uri(1), "urn:p", "urn:o")])
    shown = fetched(gateway, uri(1))
    assert shown is not None
    assert shown.steps == a_session(1).steps
