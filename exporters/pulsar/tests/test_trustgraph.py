"""What is sent stands in real TrustGraph, and its own unmodified programs show it."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from otel_prov.deliver.destination import Parcel, Unreachable
from otel_prov.describe.vocabulary import TG_DOCUMENT
from otel_prov.names import session_uri
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session
from tests.integration import explained
from tests.integration.servers.process import until
from tests.integration.servers.trustgraph import TOPIC, TrustGraph

from otel_prov_exporter_pulsar import PulsarDestination

pytestmark = pytest.mark.integration

OTEL_PROV = [sys.executable, "-m", "otel_prov.show.cli"]


@pytest.fixture(params=["falkordb", "cassandra"])
def trustgraph(request: pytest.FixtureRequest) -> TrustGraph:
    """TrustGraph, on each of two stores."""
    server: TrustGraph = request.getfixturevalue(f"trustgraph_{request.param}")
    return server


@pytest.mark.parametrize("way", ["gateway", "bus"])
def test_its_own_programs_list_and_show_a_session(
    trustgraph: TrustGraph, sender: Callable[..., Any], parcels: Callable[..., Any], way: str
) -> None:
    endpoint = trustgraph.gateway if way == "gateway" else "bus"
    target = sender(trustgraph.broker.url, librarian_endpoint=endpoint, librarian_token=trustgraph.token)
    sent = parcels(f"shown-{way}", first=1 if way == "gateway" else 101)
    assert target.send(sent) == [None] * len(sent)
    assert target.send(sent) == [None] * len(sent)
    session = sent[0].session
    trustgraph.wait_for(f"{session}/final")
    assert session in trustgraph.tool("tg-list-explain-traces")
    shown = trustgraph.tool("tg-show-explain-trace", session)
    texts = [
        f"What is the capital of France? [shown-{way}]",
        "search-1",
        "capital 1",
        "It is Paris é中. (1)",
        "search-2",
        "capital 2",
        "It is Paris é中. (2)",
        "The capital of France is Paris.",
    ]
    places = [shown.find(text) for text in texts]
    assert -1 not in places, shown
    assert places == sorted(places), shown
    assert "Error" not in shown
    trace = json.loads(trustgraph.tool("tg-show-explain-trace", "--format", "json", session))
    assert trace["session_id"] == session


def test_parallel_calls_are_shown_whole_once_and_in_their_order(
    trustgraph: TrustGraph, sender: Callable[..., Any]
) -> None:
    steps: list[Any] = [Question("Which of them?", datetime(2026, 1, 1, tzinfo=timezone.utc))]
    for number, calls in enumerate((3, 20, 1), start=1):
        steps.append(Analysis(number, f"thought {number}", f"act-{number}-", "{}"))
        steps += [Observation(number, f"seen {number}.{k}.", call=k) for k in range(1, calls + 1)]
    session = Session(session_uri("parallel"), (*steps, Conclusion("the answer")))
    told = {"librarian_endpoint": trustgraph.gateway, "librarian_token": trustgraph.token}
    sent = [replace(each, sequence=700 + each.sequence) for each in explained.parcels(session)]
    assert sender(trustgraph.broker.url, **told).send(sent) == [None] * len(sent)
    trustgraph.wait_for(f"{session.uri}/final")
    until("nothing left to store", lambda: trustgraph.backlog() == 0, 120)
    shown = trustgraph.tool("tg-show-explain-trace", session.uri)
    expected = [step.action if isinstance(step, Analysis) else step.text for step in steps[1:]]
    assert re.findall(r"act-\d+-|seen \d+\.\d+\.|the answer", shown) == [*expected, "the answer"]


def examined(target: PulsarDestination) -> list[str]:
    return [check.mark + str(check) for check in target.examine()]


def test_doctor_finds_all_that_is_there(trustgraph: TrustGraph, sender: Callable[..., Any]) -> None:
    told = {"librarian_endpoint": trustgraph.gateway, "librarian_token": trustgraph.token}
    assert examined(sender(trustgraph.broker.url, **told, PULSAR_ADMIN_URL=trustgraph.broker.admin_url)) == [
        f"ok    topic {TOPIC}: there; subscribed to it: triples-write--default--default--input",
        f"ok    librarian {trustgraph.gateway}: answers, and lets us in",
        "ok    collection default: there, in the workspace default",
    ]
    assert examined(sender(trustgraph.broker.url, librarian_endpoint="bus"))[1:] == [
        "ok    librarian bus: answers, and lets us in"
    ]


def test_doctor_says_what_is_misspelled(trustgraph: TrustGraph, tmp_path: Path) -> None:
    told = {"ENDPOINT": trustgraph.broker.url, "LIBRARIAN_ENDPOINT": trustgraph.gateway, "FLOW": "defualt"}
    told |= {"LIBRARIAN_TOKEN": trustgraph.token, "COLLECTION": "papers", "STORE": str(tmp_path)}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    environment |= {f"OTEL_EXPORTER_PROV_{name}": value for name, value in told.items() if value}
    environment["PULSAR_ADMIN_URL"] = trustgraph.broker.admin_url
    done = subprocess.run(
        [*OTEL_PROV, "doctor", "--json"], env=environment, capture_output=True, text=True, timeout=120
    )
    failed = {check["subject"]: check["remedy"] for check in json.loads(done.stdout) if not check["ok"]}
    assert done.returncode == 1
    assert failed == {
        "topic persistent://tg/flow/triples-store:default:defualt": "see OTEL_EXPORTER_PROV_WORKSPACE, _FLOW and "
        "_TOPIC, and that TrustGraph's flow runs",
        "collection papers": "make it with: tg-set-collection papers; or name another in OTEL_EXPORTER_PROV_COLLECTION",
    }


def test_doctor_says_that_a_token_is_not_known(trustgraph_cassandra: TrustGraph, sender: Callable[..., Any]) -> None:
    gateway = trustgraph_cassandra.gateway
    told = {"librarian_endpoint": gateway, "librarian_token": "unknown"}
    _, librarian, _ = examined(sender(trustgraph_cassandra.broker.url, **told))
    assert librarian.startswith(f"FAIL  librarian {gateway}: {gateway}api/v1/librarian: refuses the token")


def test_without_a_librarian_nothing_is_shown_as_an_error(
    trustgraph: TrustGraph, sender: Callable[..., Any], parcels: Callable[..., Any]
) -> None:
    sent = parcels("bare", first=201)
    assert sender(trustgraph.broker.url).send(sent) == [None] * len(sent)
    session = sent[0].session
    trustgraph.wait_for(f"{session}/final")
    assert trustgraph.triples(f"{session}/final", TG_DOCUMENT) == []
    shown = trustgraph.tool("tg-show-explain-trace", session)
    assert "search-2" in shown
    assert "Error" not in shown


def test_the_longest_texts_are_stored_and_shown(
    trustgraph: TrustGraph, sender: Callable[..., Any], parcels: Callable[..., Any]
) -> None:
    target = sender(trustgraph.broker.url, librarian_endpoint=trustgraph.gateway, librarian_token=trustgraph.token)
    sent = parcels("long", first=301, iterations=1, observation="\x01é\n'\"\\$" * 700_000 + " the end")
    sent += parcels("zero", first=401, iterations=1, observation="before\x00after")
    assert target.send(sent) == [None] * len(sent)
    for parcel in sent:
        trustgraph.wait_for(parcel.subject)
    until("nothing left to store", lambda: trustgraph.backlog() == 0, 120)
    asked = {"operation": "get-document-content", "workspace": "default"}
    asked["document-id"] = f"{sent[0].session}/i1/observation"
    whole = base64.b64decode(trustgraph.post("api/v1/librarian", asked)["content"]).decode()
    assert whole.startswith("\x01é\n'\"\\$\x01")
    assert whole.endswith("… [cut, 5,600,012 bytes in all]")
    assert 2_999_900 < len(whole.encode()) <= 3_000_000
    assert "Error" not in trustgraph.tool("tg-show-explain-trace", sent[0].session)


@pytest.mark.parametrize("way", ["gateway", "bus"])
def test_triples_wait_for_an_absent_librarian_as_long_as_told_and_go_without_documents(
    trustgraph: TrustGraph, sender: Callable[..., Any], parcels: Callable[..., Any], way: str
) -> None:
    endpoint = trustgraph.gateway if way == "gateway" else "bus"
    told = {"librarian_endpoint": endpoint, "librarian_token": trustgraph.token}
    target = sender(trustgraph.broker.url, **told, timeout="2", librarian_wait="3")
    sent = parcels(f"absent-{way}", first=501 if way == "gateway" else 601)
    librarian = trustgraph.services.get("librarian") or trustgraph.services["standins"]
    librarian.pause()
    try:
        with pytest.raises(Unreachable, match="TrustGraph's librarian is away: "):
            target.send(sent)
        assert until("no more waiting", lambda: delivered(target, sent), 120)
    finally:
        librarian.resume()
    session = sent[0].session
    trustgraph.wait_for(f"{session}/final")
    assert trustgraph.triples(f"{session}/final", TG_DOCUMENT) == []
    assert "Error" not in trustgraph.tool("tg-show-explain-trace", session)


def delivered(target: Any, sent: list[Parcel]) -> bool:
    """Whether it could be delivered now."""
    try:
        return bool(target.send(sent) == [None] * len(sent))
    except Unreachable:
        return False
