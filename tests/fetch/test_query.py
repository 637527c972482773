"""``otel-prov query --from`` TrustGraph's gateway."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from click.testing import Result

from otel_prov.describe import Literal, Quad, QuotedTriple, describe
from otel_prov.describe.vocabulary import RDFS_LABEL, RETRIEVAL, TG_EDGE
from otel_prov.names import session_uri
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session

pytest.importorskip("websockets", reason="not installed; pip install 'otel-prov[trustgraph]'")

from .gateway import GatewayOfTests

Call = Callable[..., Result]

S = session_uri("3f0c0000-0000-4000-8000-000000000000")
SESSION = Session(S, (Question("Why?"), Analysis(1, "Hm.", "look", "{}"), Observation(1, "Rain."), Conclusion("Rain.")))
EDGE = Quad("urn:e", TG_EDGE, QuotedTriple("urn:pump", "urn:in", Literal("the hall")), RETRIEVAL)


@pytest.fixture
def asked(gateway: GatewayOfTests, call: Call) -> Callable[..., Result]:
    """Ask the gateway, which has a session, knowledge in the default graph, and a quoted triple."""
    gateway.put([*describe(SESSION), EDGE, Quad("urn:pump", RDFS_LABEL, Literal("pump 7", language="en"))])

    def asked(*arguments: object, expect: int = 0) -> Result:
        return call("query", *arguments, "--from", gateway.url, expect=expect)

    return asked


def test_what_is_there_is_found_whether_it_is_about_a_session_or_not(asked: Callable[..., Result]) -> None:
    assert asked("-s", "3f0c0000/i1", "-p", "tg:action").stdout == f'{S}/i1 tg:action "look"\n'
    assert asked("-o", "pump 7").stdout == 'urn:pump rdfs:label "pump 7"@en\n'
    assert asked("-g", "").stdout == 'urn:pump rdfs:label "pump 7"@en\n'
    assert asked("-g", "urn:graph:retrieval", "-p", "tg:edge", "--labels").stdout == (
        'urn:e tg:edge <<urn:pump (pump 7) urn:in "the hall">>\n'
    )
    lines = asked("--format", "jsonl").stdout.splitlines()
    assert len(lines) == len(describe(SESSION)) + 2
    (edge,) = (json.loads(line) for line in lines if TG_EDGE in line)
    assert edge["o"]["tr"]["o"] == {"t": "l", "v": "the hall"}


def test_a_limit_is_passed_on_so_that_no_more_is_sent(asked: Callable[..., Result], gateway: GatewayOfTests) -> None:
    found = asked("--limit", 2)
    assert len(found.stdout.splitlines()) == 2
    assert "there are more" in found.stderr
    assert gateway.asked[-1]["request"]["limit"] == 3


def test_a_page_that_is_full_may_not_be_all(asked: Callable[..., Result], gateway: GatewayOfTests) -> None:
    gateway.put(Quad(f"urn:n:{i}", "urn:is", Literal("x"), RETRIEVAL) for i in range(gateway.page))
    many = asked("-p", "urn:is", "-g", "urn:graph:retrieval", "--limit", 10_000)
    assert len(many.stdout.splitlines()) == gateway.page
    assert "gives 5000 statements at once; there may be more" in many.stderr


def test_a_store_that_forgets_graphs_and_kinds_is_asked_all_the_same(
    asked: Callable[..., Result], gateway: GatewayOfTests
) -> None:
    gateway.forgetful = True
    assert asked("-s", f"{S}/i1", "-p", "prov:wasDerivedFrom", "-g", "urn:graph:retrieval").stdout.startswith(S)


def test_a_gateway_that_is_silent_or_refuses_is_one_line(
    asked: Callable[..., Result], gateway: GatewayOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_FLOW", "other")
    assert "flow 'other'): Invalid flow" in asked("-p", "tg:query", expect=1).stderr
    monkeypatch.setenv("TRUSTGRAPH_TOKEN", "wrong")
    assert "refuses the token" in asked("-p", "tg:query", expect=1).stderr
