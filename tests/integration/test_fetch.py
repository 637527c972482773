"""What was sent to real TrustGraph is listed and shown by ``--from`` as it is in the local store."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from otel_prov.describe.vocabulary import PROV
from otel_prov.names import session_uri
from tests.integration.deployment import OTEL_PROV, REPLAY, Deployment
from tests.integration.servers.trustgraph import TrustGraph

pytest.importorskip("otel_prov_exporter_pulsar", reason="not installed; pip install -e exporters/pulsar")
pytest.importorskip("websockets", reason="not installed; pip install 'otel-prov[trustgraph]'")

pytestmark = pytest.mark.integration

UNKNOWN_THERE: Final = {"agent", "user", "model", "trace_id", "trace_url", "ended", "duration"}
SPANS_HERE: Final = {"span", "observation_span", "answer_span"}

STEP: Final = {"thought": "I look.", "action": "look", "arguments": {"at": "東京", "deep": [1, None]}}
SESSIONS: Final[dict[str, dict[str, Any]]] = {
    "fetched-all": {
        "question": 'Which "city"?\nAnd why?',
        "steps": [
            {**STEP, "observation": "https://example.org/zürich"},
            {**STEP, "observation": "Error: it is locked.", "error": "no key"},
            {**STEP, "thought": None, "arguments": {}, "observation": "  indented\n\tand\n\nlast"},
        ],
        "final_thought": "That will do.",
        "answer": "Zürich.\nBecause of 東京.",
    },
    "fetched-long": {  # longer than the graph takes: its end is in the librarian alone
        "question": "What is long?",
        "steps": [{**STEP, "thought": "t" * 9_000, "observation": "é€😀 " * 4_000 + "the end"}],
        "answer": "é" * 6_000,
    },
    "fetched-most": {
        "question": "How far?",
        "steps": [{**STEP, "observation": f"seen {number}"} for number in range(1, 31)],
        "answer": "So far.",
    },
}
URIS: Final = {session_uri(name) for name in SESSIONS}


@pytest.fixture(scope="module", params=["falkordb", "cassandra"])
def trustgraph(request: pytest.FixtureRequest) -> TrustGraph:
    """TrustGraph, on each of two stores."""
    server: TrustGraph = request.getfixturevalue(f"trustgraph_{request.param}")
    return server


@contextmanager
def told(trustgraph: TrustGraph, folder: Path, sessions: dict[str, Any], **variables: str) -> Iterator[Deployment]:
    """A machine whose agent has sent all of these sessions."""
    machine = Deployment(
        folder / "store",
        trustgraph.broker.url,
        librarian_endpoint=trustgraph.gateway,
        librarian_token=trustgraph.token,
        **variables,
    )
    recordings = folder / "recordings.json"
    recordings.write_text(json.dumps(sessions))
    try:
        assert machine.run(*REPLAY, recordings) == "{}\n"
        machine.wait_until_delivered()
        machine.wait_for("all is stored", lambda: trustgraph.backlog() == 0)
        machine.configure(TRUSTGRAPH_TOKEN=trustgraph.token)
        yield machine
    finally:
        machine.stop()


@pytest.fixture(scope="module")
def machine(trustgraph: TrustGraph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """A machine whose agent has sent all of its sessions."""
    with told(trustgraph, tmp_path_factory.mktemp("machine"), SESSIONS) as machine:
        yield machine


@pytest.fixture
def here(machine: Deployment) -> Callable[..., str]:
    """The command, on the local store."""
    return machine.otel_prov


@pytest.fixture
def there(machine: Deployment, trustgraph: TrustGraph) -> Callable[..., str]:
    """The command, on what lives in TrustGraph."""
    return lambda *arguments: machine.otel_prov(*arguments, "--from", trustgraph.gateway)


def known_there(document: Any) -> Any:
    """A document without what TrustGraph doesn't keep: the spans that told of it, for one thing."""
    if isinstance(document, list):
        return [known_there(each) for each in document]
    if not isinstance(document, dict):
        return document
    return {key: known_there(value) for key, value in document.items() if key not in UNKNOWN_THERE | SPANS_HERE}


def test_every_session_is_listed_as_the_local_one(here: Callable[..., str], there: Callable[..., str]) -> None:
    options = ("list", "--json", "--limit", 1000)
    remote = [session for session in json.loads(there(*options)) if session["uri"] in URIS]
    assert remote == [session | dict.fromkeys(session.keys() & UNKNOWN_THERE) for session in json.loads(here(*options))]
    assert {session["uri"] for session in remote} == URIS


@pytest.mark.parametrize("name", SESSIONS)
def test_each_is_shown_as_the_local_one(here: Callable[..., str], there: Callable[..., str], name: str) -> None:
    local, remote = (json.loads(command("show", name, "--format", "json")) for command in (here, there))
    assert known_there(remote) == known_there(local)
    assert len(local["iterations"]) == len(SESSIONS[name]["steps"])
    assert there("show", name, "--format", "nquads") == here("show", name, "--format", "nquads")


@pytest.mark.parametrize("shape", ["agent-session", "question-analysis"])
def test_one_in_an_older_shape_is_shown_as_the_local_one(trustgraph: TrustGraph, tmp_path: Path, shape: str) -> None:
    step = {**STEP, "observation": "https://example.org/zürich"}
    sessions = {f"fetched-{shape}": {"question": "Which city?", "steps": [step, step], "answer": "Zürich."}}
    with told(trustgraph, tmp_path, sessions, shape=shape) as machine:
        show = ("show", *sessions, "--format", "json")
        local, remote = (json.loads(machine.otel_prov(*show, *at)) for at in ((), ("--from", trustgraph.gateway)))
    assert known_there(remote) == known_there(local)
    assert len(remote["iterations"]) == 2


def test_a_text_is_found_where_only_the_librarian_has_it(there: Callable[..., str]) -> None:
    found = json.loads(there("list", "--json", "--text", "😀 the end"))
    assert [session["uri"] for session in found if session["uri"] in URIS] == [session_uri("fetched-long")]


def test_all_are_exported_as_from_the_local_store(
    here: Callable[..., str], there: Callable[..., str], tmp_path: Path
) -> None:
    for command, name in ((here, "here"), (there, "there")):
        command("export", *sorted(URIS), "-o", tmp_path / f"{name}.nq")
    assert (tmp_path / "there.nq").read_bytes() == (tmp_path / "here.nq").read_bytes()


@pytest.mark.parametrize(
    "pattern",
    [
        ("-s", f"{session_uri('fetched-all')}/i1"),
        ("-s", f"{session_uri('fetched-all')}/i2/observation", "-p", f"{PROV}wasDerivedFrom"),
        ("-o", "Error: it is locked."),
        ("-o", session_uri("fetched-all"), "-g", "urn:graph:retrieval"),
    ],
)
def test_a_pattern_finds_what_tg_query_graph_finds(
    trustgraph: TrustGraph, there: Callable[..., str], pattern: tuple[str, ...]
) -> None:
    theirs = json.loads(trustgraph.tool("tg-query-graph", *pattern, "--format", "json"))
    ours = json.loads(there("query", *pattern, "--format", "json"))
    assert bare(ours) == bare(theirs)
    if trustgraph.token:  # Cassandra's, which forgets nothing
        assert [each["o"] for each in sorted(ours, key=str)] == [each["o"] for each in sorted(theirs, key=str)]


def bare(statements: list[Any]) -> list[list[str]]:
    """Statements without what some stores forget: what is an IRI, and which graph it stands in."""
    return sorted([each[place].get("i", each[place].get("v")) for place in "spo"] for each in statements)


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("TRUSTGRAPH_WORKSPACE", "none", "has no workspace 'none'"),
        ("OTEL_EXPORTER_PROV_FLOW", "none", "Invalid flow default/none"),
        ("TRUSTGRAPH_TOKEN", "wrong", "refuses the token"),
    ],
)
def test_what_the_gateway_refuses_is_one_line(
    trustgraph: TrustGraph, machine: Deployment, variable: str, value: str, said: str
) -> None:
    if variable == "TRUSTGRAPH_TOKEN" and not trustgraph.token:
        pytest.skip("this TrustGraph lets everybody in")
    before = dict(machine.environment)
    machine.configure(**{variable: value})
    try:
        process = machine.start(*OTEL_PROV, "list", "--from", trustgraph.gateway)
        out, err = process.communicate(timeout=60)
    finally:
        machine.environment = before
    assert (process.returncode, out, err.count("\n")) == (1, "", 1)
    assert said in err
