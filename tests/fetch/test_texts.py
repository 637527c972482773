"""Texts that only TrustGraph's librarian has."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from click.testing import Result

from otel_prov.describe import Literal, Quad, describe
from otel_prov.describe import vocabulary as v
from otel_prov.fetch import gateway as fetch_gateway
from otel_prov.fetch import trustgraph
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session
from tests.show.sessions import STARTED, a_session, uri

pytest.importorskip("websockets", reason="not installed; pip install 'otel-prov[trustgraph]'")

from .gateway import GatewayOfTests

Call = Callable[..., Result]

S = uri(1)


def as_trustgraph_does(gateway: GatewayOfTests) -> None:
    """A session all of whose texts are in the librarian."""
    quads = describe(a_session(1))
    texts = {quad.subject: quad.object.text for quad in quads if quad.predicate == v.TG_CONTENT}  # type: ignore[union-attr]
    links = {quad.subject: quad.object for quad in quads if quad.predicate == v.TG_DOCUMENT}
    gateway.documents = {str(links[node]): text for node, text in texts.items()}
    gateway.put(quad for quad in quads if quad.predicate != v.TG_CONTENT)


def steps(gateway: GatewayOfTests) -> tuple[object, ...]:
    with trustgraph(gateway.url) as there:
        session = there.session(S)
    assert session is not None
    return session.steps


@pytest.mark.parametrize("forgetful", [False, True], ids=["cassandra", "falkordb"])
def test_they_are_shown_as_if_they_stood_in_the_graph(gateway: GatewayOfTests, forgetful: bool) -> None:
    gateway.forgetful = forgetful
    as_trustgraph_does(gateway)
    assert steps(gateway) == a_session(1).steps


def test_one_that_is_missing_is_said_in_its_place(call: Call, gateway: GatewayOfTests) -> None:
    as_trustgraph_does(gateway)
    del gateway.documents[f"{S}/i1/observation"]
    shown = call("show", S, "--from", gateway.url)
    missing = f"(TrustGraph's librarian does not have it: {S}/i1/observation: No such document row?)"
    assert f"  Observation    {missing}\n" in shown.stdout
    assert "Ms Woodhouse" in shown.stdout
    assert shown.stderr == ""


def test_a_librarian_who_does_not_answer_holds_nothing_else_up(
    call: Call, gateway: GatewayOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch_gateway, "PATIENCE", 0.5)
    as_trustgraph_does(gateway)
    gateway.silent = ("librarian",)
    shown = call("show", S, "--from", gateway.url).stdout
    assert "read_loans" in shown
    assert f"(TrustGraph's librarian does not have it: {S}/answer: no answer within 0.5 s)" in shown


def test_a_text_that_was_too_long_for_the_graph_is_shown_whole(gateway: GatewayOfTests) -> None:
    whole = "word " * 3_000
    gateway.put(describe(Session(S, (Question("?", STARTED), Observation(1, "word word… [cut, 15,000 bytes in all]")))))
    assert steps(gateway)[1] == Observation(1, "word word… [cut, 15,000 bytes in all]")
    gateway.documents[f"{S}/i1/observation"] = whole
    assert steps(gateway)[1] == Observation(1, whole)


def test_a_text_that_stands_in_the_graph_is_not_asked_for(gateway: GatewayOfTests) -> None:
    gateway.put(describe(a_session(1)))
    assert steps(gateway) == a_session(1).steps
    assert "librarian" not in {frame.get("service") for frame in gateway.asked}


def test_the_layout_of_2_1_18_is_read(gateway: GatewayOfTests) -> None:
    gateway.put(
        [
            Quad(S, v.RDF_TYPE, v.AGENT_QUESTION),
            Quad(S, v.TG_QUERY, Literal("?")),
            Quad(f"{S}/i1", v.RDF_TYPE, v.ANALYSIS),
            Quad(f"{S}/i1", v.PROV_DERIVED, S),
            Quad(f"{S}/i1", v.TG_THOUGHT_DOCUMENT, "urn:doc:1"),
            Quad(f"{S}/i1", v.TG_OBSERVATION_DOCUMENT, "urn:doc:2"),
            Quad(f"{S}/final", v.RDF_TYPE, v.CONCLUSION),
            Quad(f"{S}/final", v.PROV_DERIVED, f"{S}/i1"),
            Quad(f"{S}/final", v.TG_DOCUMENT, "urn:doc:3"),
        ]
    )
    gateway.documents = {"urn:doc:1": "Hm.", "urn:doc:2": "Seen.", "urn:doc:3": "So."}
    assert steps(gateway) == (Question("?"), Analysis(1, "Hm."), Observation(1, "Seen."), Conclusion("So."))


def test_the_layout_of_2_1_22_is_read(gateway: GatewayOfTests) -> None:
    gateway.put(
        [
            Quad(S, v.RDF_TYPE, v.AGENT_QUESTION),
            Quad(f"{S}/i1", v.RDF_TYPE, v.ANALYSIS),
            Quad(f"{S}/i1", v.PROV_DERIVED, S),
            Quad(f"{S}/i1", v.TG_THOUGHT, f"{S}/i1/thought"),
            Quad(f"{S}/i1", v.TG_OBSERVATION, "urn:seen:1"),
        ]
    )
    for node, document in ((f"{S}/i1/thought", "urn:doc:1"), ("urn:seen:1", "urn:doc:2")):
        gateway.put([Quad(node, v.RDF_TYPE, v.REFLECTION), Quad(node, v.TG_DOCUMENT, document)])
    gateway.documents = {"urn:doc:1": "Hm.", "urn:doc:2": "Seen."}
    assert steps(gateway) == (Question(), Analysis(1, "Hm."), Observation(1, "Seen."))
