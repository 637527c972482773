"""Sessions to files and back."""

from __future__ import annotations

import io
import json
import logging
import re
import socket
import subprocess
import sys
import tracemalloc
import warnings
from pathlib import Path

import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st

from otel_prov.describe import SHAPES, dataset, describe
from otel_prov.describe.formats import FORMATS, NotRdf, read_file, write
from otel_prov.steps import Analysis, Observation, Question, Session

from .strategies import calm, sessions

pytestmark = pytest.mark.filterwarnings("ignore:.*deprecated:DeprecationWarning:rdflib")  # of itself

ASKED = Session("urn:trustgraph:agent:1", (Question("Why?"), Analysis(1, "Hm."), Observation(1, "Nothing.")))
RDFLIB = {"nquads": "nquads", "trig": "trig", "turtle": "turtle", "jsonld": "json-ld", "ntriples": "nt"}


def written(told: list[Session], format: str, shape: str = "trustgraph") -> bytes:
    out = io.BytesIO()
    write(told, format, shape, out)
    return out.getvalue()


@pytest.mark.parametrize("format", FORMATS)
@calm
@given(told=st.lists(sessions(), max_size=2, unique_by=lambda session: session.uri), shape=st.sampled_from(SHAPES))
def test_rdflib_reads_from_each_format_the_same_statements(format: str, told: list[Session], shape: str) -> None:
    read, named = rdflib.Dataset(), format not in ("turtle", "ntriples")
    read.parse(data=written(told, format, shape), format=RDFLIB[format])
    expected = dataset(told, shape)
    graphs = {str(name) for *_, name in expected.quads()}
    assert {quad[:3] for quad in read.quads()} == {quad[:3] for quad in expected.quads()}
    assert {str(name) for *_, name in read.quads()} == (graphs if named or not told else {"urn:x-rdflib:default"})


@pytest.mark.parametrize("format", ["nquads", "trig", "turtle", "ntriples"])
@calm
@given(told=sessions(), shape=st.sampled_from(SHAPES))
def test_a_stricter_parser_reads_them_too(format: str, told: Session, shape: str) -> None:
    pyoxigraph = pytest.importorskip("pyoxigraph")
    read = pyoxigraph.parse(
        written([told], format, shape), format=pyoxigraph.RdfFormat.from_extension(FORMATS[format][1:])
    )
    expected = describe(told, shape)
    assert sorted((quad.subject.value, quad.predicate.value, quad.object.value) for quad in read) == sorted(
        (quad.subject, quad.predicate, quad.object if isinstance(quad.object, str) else quad.object.text)
        for quad in expected
    )


def test_trig_is_made_to_be_read() -> None:
    told = Session(
        "urn:trustgraph:agent:1", (Analysis(1, None, "look", '{"at":\n"it"}'), Observation(1, "it's\x1b[0m"))
    )
    assert (
        written([told], "trig", "agent-session").decode()
        == """\
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix tg: <https://trustgraph.ai/ns/> .
@prefix otelprov: <https://w3id.org/otel-prov#> .

<urn:graph:retrieval> {
<urn:trustgraph:agent:1/i1> a tg:AgentIteration ;
    tg:action "look" ;
    tg:arguments '''{"at":
"it"}''' ;
    prov:wasDerivedFrom <urn:trustgraph:agent:1> ;
    tg:observation "it's\\u001B[0m" .
}
"""
    )


def test_json_ld_abbreviates_the_vocabularies() -> None:
    document = json.loads(written([ASKED], "jsonld", "agent-session"))
    assert document["@graph"][0]["@id"] == "urn:graph:retrieval"
    assert document["@graph"][0]["@graph"][0] == {
        "@id": "urn:trustgraph:agent:1",
        "@type": ["tg:AgentSession"],
        "tg:query": "Why?",
    }


@pytest.mark.parametrize("format", FORMATS)
def test_writing_many_sessions_takes_no_more_memory_than_writing_few(format: str) -> None:
    class Nowhere(io.RawIOBase):
        def write(self, data: object) -> int:
            return len(data)  # type: ignore[arg-type]

    def peak(number: int) -> int:
        tracemalloc.start()
        write((Session(f"urn:s:{n}", ASKED.steps) for n in range(number)), format, "trustgraph", Nowhere())
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    assert peak(1000) < peak(10) + 250_000  # all of them at once are some megabytes


def test_an_unknown_format_is_refused_with_the_names_of_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'csv'.*nquads, trig, turtle, jsonld, ntriples"):
        written([ASKED], "csv")


def test_importing_and_writing_need_no_rdflib() -> None:
    program = (
        "import io, sys; from otel_prov.describe.formats import FORMATS, write;"
        "from otel_prov.steps import Question, Session;"
        "[write([Session('urn:x:1', (Question('?'),))], f, 'trustgraph', io.BytesIO()) for f in FORMATS];"
        "sys.exit('rdflib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


# Reading ---------------------------------------------------------------------------------------------------------

RDF_XML = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:tg="https://trustgraph.ai/ns/">
  <tg:AgentSession rdf:about="urn:trustgraph:agent:1"><tg:query>Why?</tg:query></tg:AgentSession>
</rdf:RDF>
"""
TURTLE = '@prefix tg: <https://trustgraph.ai/ns/> . <urn:trustgraph:agent:1> a tg:AgentSession ; tg:query "Why?" .'
EXPANDED = json.dumps(
    {
        "@id": "urn:trustgraph:agent:1",
        "@type": "https://trustgraph.ai/ns/AgentSession",
        "https://trustgraph.ai/ns/query": "Why?",
    }
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.rdf", RDF_XML),
        ("a.owl", RDF_XML),
        ("a.ttl", TURTLE),
        ("a.n3", TURTLE),
        ("a.TTL", "\ufeff" + TURTLE),
        ("a.json", EXPANDED),
        ("export", TURTLE),
        ("export.txt", EXPANDED),
        ("export.dat", RDF_XML),
        ("export.out", written([Session(ASKED.uri, ASKED.steps[:1])], "nquads", "agent-session").decode()),
    ],
)
def test_the_format_is_known_by_the_extension_or_found_by_trying(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert read_file(tmp_path / name) == [Session("urn:trustgraph:agent:1", (Question("Why?"),))]


@pytest.mark.parametrize("name", ["a.nq", "a.nt", "a.ttl", "a.trig", "a.jsonld", "a.rdf", "a.trix", "a.html", "a.hext"])
@pytest.mark.parametrize("data", [b"Dear reader,\n", b"\xff\xfe\x00", b"{" * 100_000, b"<p>"])
def test_a_file_that_is_not_what_its_extension_says_is_named_in_one_line(
    tmp_path: Path, name: str, data: bytes
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(NotRdf, match=re.escape(name)) as failure:
        read_file(tmp_path / name)
    assert "\n" not in str(failure.value)


def test_a_file_in_no_format_at_all_is_refused_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear reader,\n")
    with pytest.raises(NotRdf, match=r"letter.txt is not RDF .*convert it to one, such as N-Quads \(letter.nq\)"):
        read_file(tmp_path / "letter.txt")


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        read_file(tmp_path / "nowhere.nq")


@pytest.mark.parametrize("name", ["empty.nq", "empty.ttl", "empty"])
def test_an_empty_file_holds_no_sessions(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert read_file(tmp_path / name) == []


REMOTE = "http://127.0.0.1:9/context.jsonld"


@pytest.mark.parametrize(
    "document",
    [
        {"@context": REMOTE, "@id": "urn:x:1"},
        {"@context": [{}, [REMOTE]], "@id": "urn:x:1"},
        {"@context": {"@version": 1.1, "@import": REMOTE}, "@id": "urn:x:1"},
        {"@context": {"tool": {"@id": "urn:x:p", "@context": REMOTE}}, "tool": {"@id": "urn:x:1"}},
        [{"@graph": [{"@context": "local.jsonld"}]}],
    ],
)
def test_a_context_from_elsewhere_is_never_fetched(tmp_path: Path, monkeypatch, document: object) -> None:
    monkeypatch.setattr(socket, "create_connection", lambda *_, **__: pytest.fail("it was fetched"))
    (tmp_path / "local.jsonld").write_text('{"@context": {}}')
    (tmp_path / "a.jsonld").write_text(json.dumps(document))
    with pytest.raises(NotRdf, match=r"a.jsonld needs the context .*put the context into the file"):
        read_file(tmp_path / "a.jsonld")


def test_an_entity_of_xml_is_never_fetched(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    entity = f'<!DOCTYPE r [<!ENTITY x SYSTEM "{(tmp_path / "secret").as_uri()}">]>'
    (tmp_path / "a.rdf").write_text(RDF_XML.replace("?>", f"?>{entity}", 1).replace("Why?", "&x;"))
    assert "secret" not in str(read_file(tmp_path / "a.rdf"))


def test_odd_iris_and_dates_are_read_in_silence(tmp_path: Path, caplog, capfd) -> None:
    (tmp_path / "odd.ttl").write_text(
        TURTLE + '<urn:trustgraph:agent:1> <http://www.w3.org/ns/prov#startedAtTime> "soon"^^<http://www.w3.org/2001/'
        "XMLSchema#dateTime> . <http://ex.org/{odd}> a <http://ex.org/a|b> ."
    )
    with caplog.at_level(logging.DEBUG), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_file(tmp_path / "odd.ttl") == [Session("urn:trustgraph:agent:1", (Question("Why?"),))]
    assert (caplog.text, *capfd.readouterr()) == ("", "", "")
