"""Quads as updates, as parsers of two kinds read them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timezone

import pyoxigraph
import pytest
import rdflib
from hypothesis import example, given, settings
from hypothesis import strategies as st
from otel_prov.describe import SHAPES, describe, recognise
from otel_prov.describe.quads import Literal, Quad
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session

from otel_prov_exporter_sparql.statements import Unsendable, insert, literal, statements

GRAPH = "urn:graph:retrieval"
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
HARD = 'a "quoted" \\back\\ \\u0041\\U00000041 \\\\u0042 é中😀\n\r\t\b\f\0\x7f\x85\u2028\ufffe }} # ""\'\'\''


def oxigraph(update: str) -> set[Quad]:
    """What an update adds, as pyoxigraph reads it."""
    store = pyoxigraph.Store()
    store.update(update)
    found = set()
    for quad in store:
        target = quad.object
        if isinstance(target, pyoxigraph.Literal):
            kind = "" if target.language or target.datatype.value.endswith("#string") else target.datatype.value
            value: str | Literal = Literal(target.value, kind, target.language or "")
        else:
            value = str(target.value)  # type: ignore[union-attr]
        graph = "" if isinstance(quad.graph_name, pyoxigraph.DefaultGraph) else quad.graph_name.value  # type: ignore[union-attr]
        found.add(Quad(quad.subject.value, quad.predicate.value, value, graph))  # type: ignore[union-attr]
    return found


def through_rdflib(update: str) -> set[Quad]:
    """The same, as rdflib reads it, where ``\\u`` comes before all else and tabs are no characters."""
    dataset = rdflib.Dataset()
    dataset.update(update)
    found = set()
    for subject, predicate, target, graph in dataset.quads():
        is_text = isinstance(target, rdflib.Literal)
        value = Literal(str(target), str(target.datatype or ""), target.language or "") if is_text else str(target)  # type: ignore[attr-defined]
        found.add(Quad(str(subject), str(predicate), value, str(graph or "")))
    return found


def told(quads: Sequence[Quad], parser: Callable[[str], set[Quad]] = oxigraph) -> set[Quad]:
    return parser(insert(statements(quads)).decode())


@given(TEXTS)
@example(HARD)
@example("\\u0041")
@example("\\\\U0001F600\\")
@settings(deadline=None)
def test_every_text_arrives_as_it_was(text: str) -> None:
    quads = [Quad("urn:s", "urn:p", Literal(text), GRAPH), Quad("urn:s", "urn:p", Literal(text, language="en"))]
    assert told(quads) == set(quads)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8))
@example(HARD.replace("\0", ""))
@example("\\u0041")
@example("\\\\U00000041")
@settings(deadline=None, max_examples=25)
def test_and_so_it_does_for_a_parser_that_looks_for_escapes_before_all_else(text: str) -> None:
    assert told([Quad("urn:s", "urn:p", Literal(text), GRAPH)], through_rdflib) == {
        Quad("urn:s", "urn:p", Literal(text), GRAPH)
    }


@given(TEXTS)
@example(HARD)
@settings(deadline=None)
def test_a_text_is_written_in_a_query_as_it_is(text: str) -> None:
    found = pyoxigraph.Store().query(f"SELECT ({literal(text)} AS ?text) {{}}")
    assert next(iter(found))["text"].value == text  # type: ignore[arg-type, call-overload, index, union-attr]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_session_of_each_shape_is_recognised_again(shape: str) -> None:
    steps = (
        Question(HARD, datetime(2026, 1, 1, tzinfo=timezone.utc)),
        Analysis(1, HARD, "look", '{"at": "\\u0041"}'),
        Observation(1, HARD, "no key"),
        Conclusion(HARD),
    )
    session = Session("urn:trustgraph:agent:ä b#c", steps)
    quads = describe(session, shape)
    assert told(quads) == set(quads)
    assert [each.steps for each in recognise(told(quads))] == [steps]


def test_halves_of_characters_become_question_marks() -> None:
    assert told([Quad("urn:s", "urn:p", Literal("a\ud800b"))]) == {Quad("urn:s", "urn:p", Literal("a?b"))}


def test_typed_texts_and_several_graphs_go_where_they_belong() -> None:
    number = Literal("7", "http://www.w3.org/2001/XMLSchema#integer")
    quads = [Quad("urn:s", "urn:p", number, g) for g in ("urn:b", "", "urn:a", "urn:b")]
    assert told(quads) == set(quads)


def test_an_update_of_nothing_changes_nothing() -> None:
    for parser in (oxigraph, through_rdflib):
        assert told([], parser) == set()


@pytest.mark.parametrize(
    ("quad", "reason"),
    [
        (Quad("_:b1", "urn:p", "urn:o"), "a blank node"),
        (Quad("urn:s", "urn:p", "_:b1"), "a blank node"),
        (Quad("relative", "urn:p", "urn:o"), "no absolute IRI: 'relative'"),
        (Quad("urn:s", "", "urn:o"), "no absolute IRI: ''"),
        (Quad("urn:s", "urn:p", "urn:o> . <urn:x"), "no absolute IRI"),
        (Quad("urn:s", "urn:p", "urn:\ud800"), "no absolute IRI"),
        (Quad("urn:s", "urn:p", "urn:o", "a graph"), "no absolute IRI: 'a graph'"),
        (Quad("urn:s", "urn:p", Literal("x", "a type")), "no absolute IRI: 'a type'"),
        (Quad("urn:s", "urn:p", Literal("x", language="e n")), "no language: 'e n'"),
    ],
)
def test_what_no_store_takes_or_what_would_be_new_each_time_is_not_sent(quad: Quad, reason: str) -> None:
    with pytest.raises(Unsendable, match=reason):
        statements([Quad("urn:s", "urn:p", "urn:o"), quad])
