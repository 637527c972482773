"""Real stores of two kinds take sessions, give them back, and go through trouble."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
import requests
from conftest import Store, parcels
from otel_prov.deliver.destination import Parcel, Unreachable
from otel_prov.describe import SHAPES, describe
from otel_prov.describe.quads import Literal, Quad
from otel_prov.fetch import FetchError
from otel_prov.names import session_uri
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session
from requests.auth import HTTPDigestAuth
from tests.integration.servers.fuseki import PASSWORD, USER
from tests.integration.servers.oxigraph import Oxigraph

from otel_prov_exporter_sparql import source

module = sys.modules[source.__module__]

pytestmark = pytest.mark.integration

Sender = Callable[..., Any]

STARTED = datetime(2026, 1, 1, 12, 30, tzinfo=timezone.utc)
HARD = [
    'a "quoted" \\back\\ \\u0041\\U00000041 \\\\u0042',
    '\'\'\'""" }} . # <urn:x> "^^xsd:int "@en',
    "\n\r\n\t \x0b\x0c\x00\x01\x1f\x7f\x80\x85\xa0\u2028\u2029",
    "é中العربية😀\U0010fffd\ufffe\uffff\ufeff e\u0301 \u202ertl",
    "  spaces at both ends  ",
    "",
    "{}$?%&=+;/<script>&amp;]]>",
]


def conversation(name: str, iterations: int = 2, started: datetime = STARTED) -> Session:
    """A session of that many iterations."""
    steps: list[Any] = [Question(f"What is the capital of France? [{name}]", started)]
    for number in range(1, iterations + 1):
        steps.append(Analysis(number, f"I look for it, try {number}.", "search", json.dumps({"try": number})))
        steps.append(Observation(number, f"It is Paris é中. ({number}, {name})"))
    return Session(session_uri(name), (*steps, Conclusion("Paris.", "I know enough.")), outcome="final")


def count(store: Store, session: str) -> int:
    """How many statements about a session's nodes a store has."""
    query = f'SELECT ?s {{ GRAPH ?g {{ ?s ?p ?o }} FILTER(STRSTARTS(STR(?s), "{session}")) }}'
    answer = requests.post(
        store.query_url,
        {"query": query},
        headers={"Accept": "application/sparql-results+json"},
        auth=HTTPDigestAuth(USER, PASSWORD),
    )
    return len(answer.json()["results"]["bindings"])


def name_of(store: Store, name: str) -> str:
    return f"{name}-{type(store).__name__}".lower()


@pytest.mark.parametrize("shape", SHAPES)
def test_a_session_that_arrives_twice_is_there_once_and_is_read_as_it_was(
    store: Store, sender: Sender, shape: str
) -> None:
    session = conversation(name_of(store, shape), 12)
    target = sender(store.update_url)
    target.check()
    assert count(store, session.uri) == 0
    for _ in range(2):
        assert target.send(parcels(session, shape)) == [None] * 26
        assert count(store, session.uri) == len(describe(session, shape))
    with source(store.update_url) as there:
        assert there.session(session.uri) == session
        assert set(there.quads(session.uri)) == set(describe(session, shape))
        assert there.session(session_uri("nobody")) is None


def test_every_text_arrives_as_it_was(store: Store, sender: Sender) -> None:
    long = "0123456789abcdé\n" * (2**20 // 16)
    steps = [Question(HARD[0], STARTED)]
    steps += [Observation(number, text) for number, text in enumerate([*HARD, long], 1)]  # type: ignore[list-item]
    session = Session(session_uri(name_of(store, "hard ?#/")), tuple(steps))
    assert sender(store.update_url).send(parcels(session)) == [None] * len(steps)
    with source(store.update_url) as there:
        found = there.session(session.uri)
    assert found is not None
    assert found.steps == session.steps


def test_values_are_the_same_however_a_store_writes_them(store: Store, sender: Sender) -> None:
    xsd = "http://www.w3.org/2001/XMLSchema#"
    graph, subject = session_uri(name_of(store, "typed")) + "#prov", session_uri(name_of(store, "typed")) + "#run"
    quads = [
        Quad(subject, "urn:p", Literal("2026-01-01T12:30:00.500000Z", xsd + "dateTime"), graph),
        Quad(subject, "urn:p", Literal("7", xsd + "integer"), graph),
        Quad(subject, "urn:p", Literal("oui", language="fr"), graph),
    ]
    for _ in range(2):
        assert sender(store.update_url).send([Parcel(1, subject, subject, "default", quads)]) == [None]
    assert count(store, subject) == 3
    with source(store.update_url) as there:
        found = {quad.object for quad in there.quads(session_uri(name_of(store, "typed")))}
    assert found - {Literal("2026-01-01T12:30:00.5Z", xsd + "dateTime")} >= {q.object for q in quads[1:]}
    assert len(found) == 3


def test_sessions_are_listed_newest_first_and_found_as_a_person_names_them(
    store: Store, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = sender(store.update_url)
    years = [datetime(2030 + number, 1, 1, tzinfo=timezone.utc) for number in range(4)]
    sent = [conversation(name_of(store, f"list-{n}"), n + 1, years[n]) for n in range(4)]
    sent[2] = Session(sent[2].uri, sent[2].steps[:-1])  # goes on
    for session, shape in zip(sent, (*SHAPES, SHAPES[0]), strict=True):
        target.send(parcels(session, shape))
    uris = [session.uri for session in reversed(sent)]
    with source(store.update_url) as there:
        found = there.sessions(limit=3)
        assert [each.uri for each in found] == uris[:3]
        assert [(each.iterations, each.outcome, each.started) for each in found] == [
            (4, "final", years[3]),
            (3, None, years[2]),
            (2, "final", years[1]),
        ]
        assert found[0].question == sent[3].question.text

        def listed(**chosen: Any) -> list[str]:
            return [each.uri for each in there.sessions(since=years[0], **chosen)]

        assert listed(limit=None) == uris
        assert listed(until=years[3]) == uris[1:]
        assert listed(until=years[2] + timedelta(microseconds=1), limit=1) == uris[1:2]
        assert listed(outcome="final") == [uris[0], uris[2], uris[3]]
        assert listed(outcome="final", limit=2) == [uris[0], uris[2]]
        assert listed(text=f"É中. (3, {name_of(store, 'list-3').upper()})") == uris[:1]
        assert listed(text="[list-") == uris
        assert listed(text="no such \\text\n\"'") == []
        assert there.find("latest") == uris[:1]
        for reference in (uris[2], name_of(store, "list-1")):
            assert there.find(reference) == [uris[2]]
        assert there.find("list-") == sorted(uris)
        assert there.find("list-nothing> } #") == []
        assert there.find("") == []
        monkeypatch.setattr(module, "_PAGE", 2)
        assert listed(limit=None) == uris
        assert listed(limit=3, outcome="final") == [uris[0], uris[2], uris[3]]
    with source(store.update_url) as fresh:
        assert fresh.find("list-") == sorted(uris)
        assert fresh.find(uris[1]) == [uris[1]]


def test_a_step_that_is_missing_does_not_hide_those_behind_it(store: Store, sender: Sender) -> None:
    for shape in SHAPES:
        session = conversation(name_of(store, f"gap-{shape}"), 5)
        kept = [step for step in session.steps if getattr(step, "number", 0) not in (1, 3)]
        steps = parcels(replace(session, steps=tuple(kept)), shape)
        assert sender(store.update_url).send(steps[:-1]) == [None] * (len(steps) - 1)  # the answer isn't there either
        with source(store.update_url) as there:
            found = there.session(session.uri)
        assert found is not None
        assert found.steps == tuple(kept[:-1])


def test_statements_of_others_without_a_graph_are_found_as_well(store: Store, sender: Sender) -> None:
    session = conversation(name_of(store, "no-graph"), 3, datetime(2028, 1, 1, tzinfo=timezone.utc))
    quads = [quad._replace(graph="") for quad in describe(session, "question-analysis")]
    assert sender(store.update_url).send([Parcel(1, session.uri, session.uri, "default", quads)]) == [None]
    with source(store.update_url) as there:
        assert there.session(session.uri) == session
        (found,) = there.sessions(since=session.question.started, until=datetime(2029, 1, 1, tzinfo=timezone.utc))
        assert (found.uri, found.iterations, found.outcome) == (session.uri, 3, "final")


def test_one_update_that_the_store_refuses_is_set_aside_and_the_others_go_through(
    oxigraph: Oxigraph, sender: Sender
) -> None:
    store = oxigraph
    session = conversation("poison", 20)
    sent = parcels(session)
    bad = Quad(session.uri, "urn:p", "http://[bad/iri", "urn:graph:retrieval")  # which Fuseki takes
    sent[10] = replace(sent[10], quads=[*sent[10].quads, bad])
    answers = sender(store.update_url).send(sent)
    assert answers[:10] + answers[11:] == [None] * 41
    assert "the store refuses it: 400 " in str(answers[10])
    assert count(store, session.uri) == len(describe(session)) - len(sent[10].quads) + 1


def test_a_store_that_hangs_is_given_up_and_later_gets_everything(store: Store, sender: Sender) -> None:
    session = conversation(name_of(store, "hangs"))
    target = sender(store.update_url, timeout="0.5")
    store.process.pause()
    begun = time.monotonic()
    with pytest.raises(Unreachable, match=r"no answer within 0\.5 s; the store is away, or busy"):
        target.send(parcels(session))
    assert time.monotonic() - begun < 60
    store.process.resume()
    patient = sender(store.update_url, timeout="60")
    assert patient.send(parcels(session)) == [None] * 6
    assert count(store, session.uri) == len(describe(session))


def test_a_store_that_is_killed_in_the_middle_loses_nothing_that_was_acknowledged(store: Store, sender: Sender) -> None:
    sessions = [conversation(f"{name_of(store, 'killed')}-{number:03}", 8) for number in range(60)]
    sent = [parcel for session in sessions for parcel in parcels(session)]
    target = sender(store.update_url)
    answers: list[str | None] = []
    interrupted = threading.Event()

    def deliver() -> None:
        """Sends, again and again on a machine that is quicker than the test, until it has gone wrong once."""
        until = time.monotonic() + 120
        while not answers or not interrupted.is_set():
            assert time.monotonic() < until
            try:
                answers[:] = target.send(sent)
            except Unreachable:
                answers.clear()
                interrupted.set()
                time.sleep(0.05)

    sending = threading.Thread(target=deliver)
    sending.start()
    while count(store, sessions[0].uri) == 0:
        assert sending.is_alive()
    store.process.kill()
    assert interrupted.wait(30)
    assert sending.is_alive()
    with source(store.update_url) as there, pytest.raises(FetchError, match="nothing listens there; the store is away"):
        there.sessions()
    with pytest.raises(Unreachable, match="nothing listens there; the store is away"):
        sender(store.update_url).send(sent)
    store.start()
    sending.join(180)
    assert answers == [None] * len(sent)
    assert count(store, session_uri(name_of(store, "killed"))) == sum(len(describe(each)) for each in sessions)


def test_a_store_that_only_reads_is_said_to_be_and_still_gives_sessions(store: Store, sender: Sender) -> None:
    session = conversation(name_of(store, "read-only"))
    assert sender(store.update_url).send(parcels(session)) == [None] * 6
    url, said = store.update_url, "is read-only"
    if isinstance(store, Oxigraph):
        store.stop()
        store.start(read_only=True)
    else:
        url, said = store.read_only_url, "takes no updates at this path, or none at all"
    target = sender(url)
    with pytest.raises(Unreachable, match=said):
        target.send(parcels(session))
    with pytest.raises(Unreachable, match=said):
        target.check()
    with source(url) as there:
        assert there.session(session.uri) == session
    if isinstance(store, Oxigraph):
        store.stop()  # and it is started again as it was


def test_a_wrong_path_is_said_to_be_one(store: Store, sender: Sender) -> None:
    queries = store.update_url.replace("/update", "/query")
    for url in (queries, store.update_url + "s"):
        with pytest.raises(Unreachable, match="takes no updates at this path, or none at all"):
            sender(url).send(parcels(conversation("nowhere")))
    with source(store.update_url + "s") as there, pytest.raises(FetchError, match="takes no queries at this path"):
        there.sessions()
    with source(queries) as there:  # the address of queries itself will do
        there.sessions(limit=1)
