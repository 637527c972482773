"""The librarian over HTTP, against a small server that answers as the real one does, or as something else."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from otel_prov import names
from otel_prov.deliver.destination import Parcel, Unreachable
from otel_prov.describe import describe
from otel_prov.describe import vocabulary as v
from otel_prov.losses import losses
from otel_prov.steps import Exploration, Finding, Focus, Question, Selection, Session, StepResult, Synthesis
from tests.integration.servers.process import free_port

from otel_prov_exporter_pulsar.documents import Document, documents, linked
from otel_prov_exporter_pulsar.librarian import Away, Gateway, Patient

A, B = Document("urn:a", "Agent Observation", "A é"), Document("urn:b", "Agent Answer", "B")


class Server:
    """Answers what it is told to, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.headers: list[Any] = []
        self.answer: Callable[[Any], tuple[int, bytes]] = lambda _: (200, b"{}")
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.asked.append((self.path, body))
                outer.headers.append(self.headers)
                status, answer = outer.answer(body)
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def error(self, kind: str, message: str) -> None:
        """Answer with an error from now on: with status 200, as TrustGraph does."""
        told = json.dumps({"error": {"type": kind, "message": message}}).encode()
        self.answer = lambda _: (200, told)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


@pytest.fixture
def gateway(server: Server) -> Gateway:
    return Gateway(server.url, "secret", "acme", 5)


def test_each_request_has_the_headers_that_are_wanted_and_the_token_goes_before_them(server: Server) -> None:
    wanted = {"x-tenant": "acme", "authorization": "Basic other", "content-type": "text/plain"}
    Gateway(server.url, "secret", "acme", 5, wanted).keep([A])
    Gateway(server.url, None, "acme", 5, wanted).keep([A])
    assert [headers["X-Tenant"] for headers in server.headers] == ["acme", "acme"]
    assert [headers.get_all("Authorization") for headers in server.headers] == [["Bearer secret"], ["Basic other"]]
    assert {headers["Content-Type"] for headers in server.headers} == {"application/json"}


def test_a_document_is_added_with_all_that_the_real_librarian_needs(server: Server, gateway: Gateway) -> None:
    assert gateway.keep([A]) == {"urn:a"}
    ((path, body),) = server.asked
    assert path == "/api/v1/librarian"
    assert server.headers[0]["Authorization"] == "Bearer secret"
    assert abs(body["document-metadata"].pop("time") - time.time()) < 10
    assert body == {
        "operation": "add-document",
        "workspace": "acme",
        "document-metadata": {
            "id": "urn:a",
            "kind": "text/plain",
            "title": "Agent Observation",
            "document-type": "answer",
        },
        "content": base64.b64encode("A é".encode()).decode(),
    }


def test_a_document_that_is_there_already_is_kept(server: Server, gateway: Gateway) -> None:
    server.error("unexpected-error", "Document already exists")
    assert gateway.keep([A, B]) == {"urn:a", "urn:b"}


def test_a_document_that_is_refused_is_not_linked_to(server: Server, gateway: Gateway) -> None:
    no = json.dumps({"error": {"type": "unexpected-error", "message": "no"}}).encode()
    server.answer = lambda body: (200, no if body["document-metadata"]["id"] == "urn:a" else b"{}")
    before = losses().get("a text was refused by TrustGraph's librarian", 0)
    assert gateway.keep([A, B]) == {"urn:b"}
    assert losses()["a text was refused by TrustGraph's librarian"] == before + 1


def test_a_text_of_more_than_three_megabytes_is_cut_and_says_so(server: Server, gateway: Gateway) -> None:
    gateway.keep([Document("urn:a", "", "é" * 2_000_000)])
    text = base64.b64decode(server.asked[0][1]["content"]).decode()
    assert 2_999_990 < len(text.encode()) <= 3_000_000
    assert text.endswith("é… [cut, 4,000,000 bytes in all]")


@pytest.mark.parametrize(
    ("status", "answer", "said"),
    [
        (401, b"", r"refuses the token \(OTEL_EXPORTER_PROV_LIBRARIAN_TOKEN\)"),
        (404, b"", "answers 404"),
        (503, b"", "answers 503"),
        (200, b"<html>", "does not answer as TrustGraph's gateway does"),
        (200, b"[]", "does not answer as TrustGraph's gateway does"),
        (200, b'{"error": {"type": "gateway-error", "message": "lost"}}', "gateway-error: lost"),
        (200, b'{"error": "Request timeout"}', "Request timeout"),
    ],
)
def test_a_librarian_who_can_not_be_asked_is_away(
    server: Server, gateway: Gateway, status: int, answer: bytes, said: str
) -> None:
    server.answer = lambda _: (status, answer)
    with pytest.raises(Away, match=said):
        gateway.keep([A, B])


def test_it_is_checked_by_a_document_that_nobody_takes(server: Server, gateway: Gateway) -> None:
    server.error("unexpected-error", "Document kind (MIME type) is required")
    gateway.check()
    ((path, body),) = server.asked
    assert (path, body["operation"]) == ("/api/v1/librarian", "add-document")
    assert "kind" not in body["document-metadata"]
    server.answer = lambda _: (403, b"")
    with pytest.raises(Away, match="refuses the token"):
        gateway.check()


def test_nobody_there_is_away_and_silence_is_away_in_time(server: Server) -> None:
    with pytest.raises(Away, match="Connection refused"):
        Gateway(f"http://127.0.0.1:{free_port()}/", None, "w", 5).keep([A])
    silent = threading.Event()
    server.answer = lambda _: (200 + silent.wait(30), b"{}")
    begun = time.monotonic()
    with pytest.raises(Away, match="timed out"):
        Gateway(server.url, None, "w", 0.5).keep([A, B])
    assert time.monotonic() - begun < 25
    silent.set()


def test_triples_wait_for_an_absent_librarian_only_as_long_as_told(server: Server, gateway: Gateway) -> None:
    server.answer = lambda _: (503, b"")
    patient = Patient(gateway, 0.2)
    with pytest.raises(Unreachable, match=r"TrustGraph's librarian is away: .* answers 503"):
        patient.keep([A])
    threading.Event().wait(0.25)
    assert patient.keep([A]) == set()
    asked = len(server.asked)
    server.answer = lambda _: (200, b"{}")
    assert patient.keep([B]) == set()
    assert len(server.asked) == asked


def test_a_librarian_who_is_back_in_time_gets_everything(server: Server, gateway: Gateway) -> None:
    server.answer = lambda _: (503, b"")
    patient = Patient(gateway, 60)
    with pytest.raises(Unreachable):
        patient.keep([A, B])
    server.answer = lambda _: (200, b"{}")
    assert patient.keep([A, B]) == {"urn:a", "urn:b"}


def test_documents_have_trustgraphs_ids_and_titles(parcels: Callable[..., list[Parcel]]) -> None:
    sent = parcels("titles", iterations=1)
    found = {d.id.removeprefix(sent[0].session): d for parcel in sent for d in documents(parcel.quads)}
    assert {name: (d.title, d.text) for name, d in found.items()} == {
        "/i1/thought": ("Agent Thought: search-1", "I look for it, try 1."),
        "/i1/observation": ("Agent Observation", "It is Paris é中. (1)"),
        "/answer": ("Agent Answer", "The capital of France is Paris."),
        "/final/thought": ("Agent Thought", "I know enough."),
    }
    (answer,) = (d for d in documents([q for p in sent for q in p.quads]) if d.id.endswith("/answer"))
    assert answer.title == "Agent Answer: What is the capital of France? [titles]..."


def test_results_and_findings_have_documents_as_trustgraphs_orchestrator_calls_them() -> None:
    uri = names.session_uri("p")
    steps = (StepResult(0, "g" * 99, "R"), Finding(1, None, "F"), Synthesis("S"))
    assert documents(describe(Session(uri, (Question("?"), *steps)))) == [
        Document(f"{uri}/step/0/doc", f"Step result: {'g' * 60}", "R"),
        Document(f"{uri}/finding/1/doc", "Finding: ", "F"),
        Document(f"{uri}/synthesis/doc", "Synthesis", "S"),
    ]


def test_only_links_to_documents_that_are_kept_are_sent(parcels: Callable[..., list[Parcel]]) -> None:
    quads = [quad for parcel in parcels("links") for quad in parcel.quads]
    ids = {document.id for document in documents(quads)}
    assert len(ids) == 6
    assert linked(quads, ids) == quads
    assert len(linked(quads, ())) == len(quads) - 6


def test_a_retrievals_answer_has_trustgraphs_id_and_title_and_its_chunks_stay_linked() -> None:
    steps = (
        Question("Who?"),
        Exploration(chunks=1, chunk_ids=("urn:chunk:b",)),
        Focus((Selection(chunk="urn:chunk:b"),)),
        Synthesis("Ann."),
    )
    for kind, id, title in (
        (names.DOCUMENT_RAG, "urn:trustgraph:docrag:r/answer", "DocumentRAG Answer: Who?..."),
        (names.GRAPH_RAG, "urn:trustgraph:synthesis:r", "GraphRAG Answer: Who?..."),
    ):
        quads = describe(Session(names.session_uri("r", kind), steps, kind=kind))
        assert documents(quads) == [Document(id, title, "Ann.")]
        (chunk,) = (quad for quad in linked(quads, ()) if quad.predicate == v.TG_DOCUMENT)
        assert chunk.object == "urn:chunk:b"
