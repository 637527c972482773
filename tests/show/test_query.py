"""``otel-prov query``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st

from otel_prov.describe import Literal, QuotedTriple, describe
from otel_prov.describe.pattern import Pattern, object_term, said
from otel_prov.keep import Store
from otel_prov.names import GRAPH_RAG, session_uri
from otel_prov.steps import Exploration, Focus, Question, Selection, Session, Synthesis, Text, Triple
from tests.rdf import read_rdf

from .sessions import a_session, line, uri

Call = Callable[..., Result]
Keep = Callable[..., None]

PUMP = "https://plant.example/pump/7"
RETRIEVAL = Session(
    session_uri("r1", GRAPH_RAG),
    (
        Question("Where is pump 7?"),
        Exploration(edges=2, entities=(PUMP,)),
        Focus((Selection(edge=Triple(PUMP, "https://plant.example/stands in".replace(" ", "-"), Text("the hall"))),)),
        Synthesis("In the hall."),
    ),
    kind=GRAPH_RAG,
)
EDGE = f'<<{PUMP} https://plant.example/stands-in "the hall">>'


@pytest.fixture
def two(keep: Keep) -> None:
    keep(a_session(1), a_session(2), RETRIEVAL)


def test_each_part_of_a_statement_can_be_asked_for(two: None, call: Call) -> None:
    first, action = uri(1), "https://trustgraph.ai/ns/action"
    assert call("query", "-s", f"{first}/i1", "-p", "tg:action").stdout == f'{first}/i1 tg:action "read_loans"\n'
    assert call(
        "query", "--predicate", f"<{action}>", "-o", "reader", "--graph", "urn:graph:retrieval"
    ).stdout == "".join(
        f'{node} tg:action "reader"\n'
        for each in (2, 1)
        for node in (f"{uri(each)}/i2", f"{uri(each)}/i2/observation/2")
    )
    derived = call("query", "-o", f"{first}/i1/observation", "-p", "prov:wasDerivedFrom").stdout
    assert derived == f"{first}/i2 prov:wasDerivedFrom {first}/i1/observation\n"
    everything = call("query", "--limit", 10_000).stdout.splitlines()
    assert len(everything) == sum(len(describe(session)) for session in (a_session(1), a_session(2), RETRIEVAL))


@pytest.mark.parametrize("written", [uri(1), f"<{uri(1)}>", "00000001", "00000001-0000-4000-8000-000000000000"])
def test_a_session_is_named_as_elsewhere(two: None, call: Call, written: str) -> None:
    asked = 'tg:query "How many books are overdue, and whose?"'
    assert call("query", "-s", written, "-p", "tg:query").stdout == f"{uri(1)} {asked}\n"
    node = f"{written[:-1]}/final>" if written.startswith("<") else f"{written}/final"
    assert "tg:Conclusion" in call("query", "-s", node, "-p", "rdf:type").stdout


def test_a_subject_is_looked_for_in_its_session_only(two: None, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def uris(self: Store) -> Iterator[str]:
        raise AssertionError("all sessions were gone through")
        yield

    monkeypatch.setattr(Store, "uris", uris)
    for node in (uri(1), f"{uri(1)}/i2/observation/2", "urn:trustgraph:prov:focus:r1", "urn:trustgraph:prov:edge:r1:0"):
        assert call("query", "-s", node).stdout.startswith(node)
    assert call("query", "-g", f"{uri(1)}#prov", "-p", "prov:used").stdout
    assert call("query", "-s", f"{uri(1)}#run", "--view", "prov").stdout


def test_a_quoted_triple_is_readable_and_can_be_asked_for(two: None, call: Call) -> None:
    found = f"urn:trustgraph:prov:edge:r1:0 tg:edge {EDGE}\n"
    assert call("query", "-p", "tg:edge").stdout == found
    assert call("query", "-o", EDGE).stdout == found


def test_rdf_has_quoted_triples_as_rdf_1_2_does(two: None, call: Call, tmp_path: Path) -> None:
    pytest.importorskip("pyoxigraph")
    (tmp_path / "edge.nq").write_text(call("query", "-p", "tg:edge", "--format", "nquads").stdout)
    assert call("query", "-o", EDGE, "--from", tmp_path / "edge.nq").stdout == call("query", "-o", EDGE).stdout


def test_labels_stand_behind_what_is_called_something(two: None, call: Call) -> None:
    asked = call("query", "-s", f"{uri(1)}/i2", "-p", "prov:wasDerivedFrom", "--labels").stdout
    assert asked == f"{uri(1)}/i2 (Analysis: reader) prov:wasDerivedFrom {uri(1)}/i1/observation (Observation)\n"


def test_the_prov_view_is_looked_into_if_asked(two: None, call: Call) -> None:
    assert "--view both" in call("query", "-p", "prov:used", expect=1).stderr
    assert f"{uri(1)}#i2-act prov:used" in call("query", "-p", "prov:used", "--view", "both").stdout
    assert call("query", "-g", f"{uri(2)}#prov").stdout.startswith(f"{uri(2)}#")


def test_json_is_what_tg_query_graph_prints(two: None, call: Call) -> None:
    statement = {
        "s": {"t": "i", "i": f"{uri(1)}/final"},
        "p": {"t": "i", "i": "http://www.w3.org/2000/01/rdf-schema#label"},
        "o": {"t": "l", "v": "Conclusion"},
        "g": "urn:graph:retrieval",
    }
    asked = ("query", "-s", f"{uri(1)}/final", "-p", "rdfs:label", "--format")
    assert json.loads(call(*asked, "json").stdout) == [statement]
    assert json.loads(call(*asked, "jsonl").stdout) == statement
    everything = json.loads(call("query", "--format", "json", "--limit", 10_000).stdout)
    assert len(everything) == len(call("query", "--format", "jsonl", "--limit", 10_000).stdout.splitlines()) > 100
    assert json.loads(call("query", "-o", "nobody", "--format", "json", expect=1).stdout) == []


def test_lines_of_rdf_are_what_rdf_programs_read(two: None, call: Call) -> None:
    asked = ("query", "-s", uri(1), "--format")
    quads = list(read_rdf(call(*asked, "nquads").stdout, "nquads").quads())
    triples = list(read_rdf(call(*asked, "ntriples").stdout, "nt").quads())
    assert {quad[:3] for quad in quads} == {quad[:3] for quad in triples}
    assert len(quads) == 6


def test_more_than_the_limit_is_said(two: None, call: Call) -> None:
    some = call("query", "--limit", 3)
    assert len(some.stdout.splitlines()) == 3
    assert some.stderr == "otel-prov: 3 statements written, and there are more; --limit N writes N\n"
    assert call("query", "-s", uri(1), "-p", "rdf:type", "--limit", 3).stderr == ""


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("-s", "nobody"), 1, "no session 'nobody'; 'otel-prov list' shows what there is"),
        (("-s", "0000000"), 2, "'0000000' may be any of these sessions"),
        (
            ("-p", "action"),
            2,
            "--predicate: 'action' is no IRI; write it like urn:trustgraph:agent:1, <https://ex.org/x>",
        ),
        (("-o", "<<urn:a urn:b>>"), 2, "--object: '<<urn:a urn:b>>' has 2 parts; a quoted triple is written <<subject"),
        (("-g", "here"), 2, "--graph: 'here' is no IRI"),
        (("-o", "nothing like it"), 1, "no statement matches; ask for less"),
        (("--labels", "--format", "json"), 2, "--labels goes with --format text"),
        (
            ("--from", "no-such.trig"),
            2,
            "Invalid value for '--from': 'no-such.trig' is neither a file nor the address of a gateway",
        ),
    ],
)
def test_what_cannot_be_asked_is_one_line_with_the_remedy(
    two: None, call: Call, options: tuple[str, ...], code: int, said: str
) -> None:
    error = call("query", *options, expect=code).stderr
    assert error.startswith(f"otel-prov: {said}")


# Files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["all.nq", "all.trig", "all.ttl", "all.jsonld"])
def test_a_file_is_asked_in_the_same_way(two: None, call: Call, tmp_path: Path, name: str) -> None:
    call("export", "-o", tmp_path / name)
    for asked in (("-s", uri(1), "-p", "tg:query"), ("-s", "00000001/final", "-p", "tg:content"), ("-o", "reader")):
        assert sorted(call("query", *asked, "--from", tmp_path / name).stdout.splitlines()) == sorted(
            call("query", *asked).stdout.splitlines()
        )
    assert "leave out --view" in call("query", "--view", "prov", "--from", tmp_path / name, expect=2).stderr


def test_a_file_tells_of_other_things_than_sessions_too(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "plant.ttl"
    file.write_text(f'<{PUMP}> <http://www.w3.org/2000/01/rdf-schema#label> "Pump 7"@en ; <urn:is> "on", "off"@de .')
    assert call("query", "-o", "Pump 7", "--from", file).stdout == f'{PUMP} rdfs:label "Pump 7"@en\n'
    assert call("query", "-o", '"off"@de', "--from", file, "--labels").stdout == f'{PUMP} (Pump 7) urn:is "off"@de\n'
    assert call("query", "-g", "", "--from", file).stdout.count("\n") == 3
    assert "no statement" in call("query", "-g", "urn:graph:retrieval", "--from", file, expect=1).stderr


def test_spans_in_a_file_are_asked_as_the_sessions_that_they_are(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "spans.jsonl"
    spans = [
        line(1, "invoke_agent", question="Deep?"),
        b"no line\n",
        line(2, "agent.iteration", iteration=1, thought="t"),
    ]
    file.write_bytes(b"".join(spans))
    asked = call("query", "-p", "tg:query", "--from", file)
    assert asked.stdout == f'{uri(1)} tg:query "Deep?"\n'
    assert asked.stderr == f"otel-prov: {file}: lines not understood, and left out: 1\n"
    assert call("query", "-p", "prov:startedAtTime", "--view", "prov", "--from", file).stdout.startswith(f"{uri(1)}#")


# Terms -----------------------------------------------------------------------------------------------------------

names = st.sampled_from(
    [uri(1), "https://ex.org/a_(b)", "http://www.w3.org/ns/prov#used", "tel:123", "_:b0", "urn:x#y"]
)
literals = st.builds(Literal, st.text(), st.just(""), st.sampled_from(["", "en", "de-CH"])) | st.builds(
    Literal, st.text(), st.just("http://www.w3.org/2001/XMLSchema#integer"), st.just("")
)


@given(names | literals | st.builds(QuotedTriple, names, names, names | literals))
def test_what_is_written_can_be_asked_for(term: str | Literal | QuotedTriple) -> None:
    assert object_term(said(term)) == term
    assert Pattern(object=object_term(said(term))).object == term
