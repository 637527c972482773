"""From a decorated agent to what TrustGraph's own, unmodified programs show of it, on both of its stores."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from typing import Any, Final

import pytest

from otel_prov.names import session_uri
from tests.integration.deployment import REPLAY, Deployment
from tests.integration.servers.trustgraph import TOPIC, TrustGraph
from tests.test_real_sessions import RECORDINGS

pytest.importorskip("otel_prov_exporter_pulsar", reason="not installed; pip install -e exporters/pulsar")
pytest.importorskip("trustgraph.provenance", reason="not installed; pip install trustgraph-base==2.11.1")

from tests.integration import recordings as known
from tests.integration.recordings import Recording, Statement

pytestmark = pytest.mark.integration

REAL: Final = 30
"""Real sessions that are sent to each store."""
SHOWN: Final = 10
"""Real sessions that are looked at one by one."""
_AT_ONCE: Final = 8  # programs of TrustGraph's, which mostly wait


@dataclass(frozen=True)
class Earlier:
    """What others, who use the same TrustGraph, told it before."""

    listed: frozenset[str]
    graph: frozenset[Statement]


@dataclass(frozen=True)
class Told:
    """What agents told a TrustGraph, and what its own programs print then."""

    trustgraph: TrustGraph
    deployments: list[Deployment]
    """One whose texts go to the librarian through the gateway, and one whose texts go there over the bus."""
    recordings: dict[str, Recording]
    """All of them, by session id."""
    started: datetime
    earlier: Earlier
    listed: Future[dict[str, dict[str, str]]]
    graph: Future[list[Statement]]
    texts: dict[str, Future[str]]
    documents: dict[str, Future[str]]

    def sessions(self) -> dict[str, dict[str, str]]:
        """What ``tg-list-explain-traces`` has of each session, by its IRI."""
        return {uri: each for uri, each in self.listed.result().items() if uri not in self.earlier.listed}

    def statements(self) -> list[Statement]:
        """All that ``tg-query-graph`` has."""
        return [statement for statement in self.graph.result() if statement not in self.earlier.graph]

    def kept(self, statement: Statement) -> Statement:
        """A statement as the store gives it back: FalkorDB doesn't know an IRI by anything but its start."""
        subject, predicate, (_, text) = statement
        if self.trustgraph.store == "falkordb":
            return subject, predicate, ("i" if text.startswith(("http://", "https://")) else "l", text)
        return statement


def graph(trustgraph: TrustGraph) -> list[Statement]:
    """All that the store holds of agents, by ``tg-query-graph``."""
    asked = ("--graph", "urn:graph:retrieval", "--limit", "1000000", "--batch-size", "1000", "--format", "jsonl")
    triples = map(json.loads, trustgraph.tool("tg-query-graph", *asked).splitlines())
    return [(_term(each["s"])[1], _term(each["p"])[1], _term(each["o"])) for each in triples]


def _term(term: dict[str, str]) -> tuple[str, str]:
    return term["t"], term[{"i": "i", "l": "v"}[term["t"]]]


@pytest.fixture(scope="module", params=["falkordb", "cassandra"])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """What two agents in processes of their own have told, which know of TrustGraph by variables alone."""
    trustgraph: TrustGraph = request.getfixturevalue(f"trustgraph_{request.param}")
    folder = tmp_path_factory.mktemp("agent")
    gateway = {"librarian_endpoint": trustgraph.gateway, "librarian_token": trustgraph.token}
    ways = {"gateway": gateway, "bus": {"librarian_endpoint": "bus"}}
    told = {"gateway": known.own() | known.real(REAL), "bus": known.over_the_bus()}
    deployments = [Deployment(folder / way, trustgraph.broker.url, **variables) for way, variables in ways.items()]
    started, earlier = datetime.now(timezone.utc), Earlier(frozenset(_listed(trustgraph)), frozenset(graph(trustgraph)))
    try:
        for deployment, recordings in zip(deployments, told.values(), strict=True):
            file = deployment.folder.with_suffix(".json")
            file.write_text(json.dumps(recordings))
            assert deployment.run(*REPLAY, file) == "{}\n", "nothing is lost"
            deployment.wait_for("the agent has started a worker", lambda deployment=deployment: deployment.worker)
        for deployment in deployments:
            deployment.wait_until_delivered()
        deployments[0].wait_for("all is stored", lambda: trustgraph.backlog() == 0)
        everything = told["gateway"] | told["bus"]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            yield Told(trustgraph, deployments, everything, started, earlier, **_printed(trustgraph, everything, pool))
    finally:
        for deployment in deployments:
            deployment.stop()


def _printed(trustgraph: TrustGraph, recordings: dict[str, Recording], pool: ThreadPoolExecutor) -> dict[str, Any]:
    """What TrustGraph's programs print, which takes them up to a minute each."""
    show = partial(pool.submit, trustgraph.tool, "tg-show-explain-trace")
    looked_at = [*_chosen(recordings, "own"), *_chosen(recordings, "real")]
    looked_at.sort(key=lambda name: len(recordings[name]["steps"]), reverse=True)  # who needs longest begins first
    return {
        "listed": pool.submit(_listed, trustgraph),
        "texts": {name: show(session_uri(name)) for name in looked_at},
        "documents": {name: show("--format", "json", session_uri(name)) for name in looked_at},
        "graph": pool.submit(graph, trustgraph),
    }


def _listed(trustgraph: TrustGraph) -> dict[str, dict[str, str]]:
    """What ``tg-list-explain-traces`` prints of each session, by its IRI."""
    listed = json.loads(trustgraph.tool("tg-list-explain-traces", "--limit", "1000", "--format", "json"))
    return {each["id"]: each for each in listed}


def _chosen(recordings: dict[str, Recording], kind: str) -> list[str]:
    names = [name for name in recordings if name.startswith("real-") == (kind == "real")]
    return names[:SHOWN] if kind == "real" else names


@pytest.fixture(params=["own", "real"])
def shown(request: pytest.FixtureRequest, told: Told) -> dict[str, Recording]:
    """The recordings that are looked at one by one, by session id."""
    names = _chosen(told.recordings, request.param)
    if not names:
        pytest.skip(f"no recorded sessions in {RECORDINGS.parent}")
    return {name: told.recordings[name] for name in names}


def test_every_session_is_listed_with_question_and_time(told: Told) -> None:
    listed = told.sessions()
    assert {uri: (each["type"], each["question"]) for uri, each in listed.items()} == {
        session_uri(name): ("Agent", recording["question"]) for name, recording in told.recordings.items()
    }
    for each in listed.values():
        assert told.started <= datetime.fromisoformat(each["time"].replace("Z", "+00:00")) <= datetime.now(timezone.utc)


def test_question_actions_arguments_observations_and_answer_are_shown_whole(
    told: Told, shown: dict[str, Recording]
) -> None:
    listed = told.sessions()
    for name, recording in shown.items():
        uri = session_uri(name)
        # A program's line ends are all the same by the time they are read here.
        expected = "\n".join(re.split("\r\n?|\n", known.as_text(uri, recording, listed[uri]["time"])))
        assert told.texts[name].result().rstrip("\n") == expected.rstrip("\n")


def test_as_json_they_are_shown_too(told: Told, shown: dict[str, Recording]) -> None:
    listed = told.sessions()
    for name, recording in shown.items():
        uri = session_uri(name)
        assert json.loads(told.documents[name].result()) == known.as_json(uri, recording, listed[uri]["time"])


def test_the_graph_is_that_of_trustgraphs_own_builders_and_what_is_added_on_purpose(told: Told) -> None:
    everything = told.statements()
    assert len(everything) == len(set(everything))
    found = [statement for statement in everything if not statement[1].endswith("DurationMs")]
    lengths = [text for _, predicate, (_, text) in everything if predicate.endswith("DurationMs")]
    assert lengths
    assert all(text.isdecimal() for text in lengths)
    listed = told.sessions()
    expected: set[Statement] = set()
    for name, recording in told.recordings.items():
        built, ours = known.by_builders(name, recording, listed[session_uri(name)]["time"]), known.ours(name, recording)
        assert not built & ours
        expected |= built | ours
    assert set(found) == {told.kept(statement) for statement in expected}


def test_the_librarian_has_every_text_whole(told: Told) -> None:
    def content(id: str) -> str:
        asked = {"operation": "get-document-content", "workspace": "default", "document-id": id}
        answer = told.trustgraph.post("api/v1/librarian", asked)
        assert "error" not in answer, (id, answer)
        return base64.b64decode(answer.get("content", "")).decode()

    expected: dict[str, str] = {}
    for name, recording in told.recordings.items():
        expected |= known.texts(session_uri(name), recording)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        assert dict(zip(expected, pool.map(content, expected), strict=True)) == expected


def test_delivered_twice_nothing_changes(told: Told) -> None:
    trustgraph, before = told.trustgraph, sorted(told.graph.result())
    arrived, sent = _arrived(trustgraph), sum(deployment.delivery.sent for deployment in told.deployments)
    again = trustgraph.broker.url.replace("127.0.0.1", "localhost")  # nothing has been sent to a place of that name
    for deployment in told.deployments:
        deployment.end_worker()
        deployment.otel_prov("deliver", "--once", "--to", again)
    assert _arrived(trustgraph) == arrived + sent
    told.deployments[0].wait_for("all is stored", lambda: trustgraph.backlog() == 0)
    assert sorted(graph(trustgraph)) == before


def _arrived(trustgraph: TrustGraph) -> int:
    """Messages that the broker has taken."""
    count: int = trustgraph.broker.admin("GET", f"persistent/{TOPIC.partition('://')[2]}/stats")["msgInCounter"]
    return count
