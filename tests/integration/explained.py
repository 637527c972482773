"""What TrustGraph's own command line prints of sessions, without a server: its real code, over messages that we send.

The messages are decoded as TrustGraph decodes them. What takes the place of its store and its librarian answers in the
order that it is told to, since stores differ in theirs.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from typing import Any

from otel_prov_exporter_pulsar.documents import documents
from otel_prov_exporter_pulsar.messages import messages
from trustgraph.api.explainability import ExplainabilityClient
from trustgraph.cli import show_explain_trace as program

from otel_prov.deliver.destination import Parcel
from otel_prov.describe import describe_steps
from otel_prov.describe.quads import Quad
from otel_prov.steps import Session

Wire = dict[str, Any]
GRAPH = program.RETRIEVAL_GRAPH

as_sent: Callable[[str], Any] = lambda subject: 0  # noqa: E731
by_name: Callable[[str], Any] = lambda subject: subject  # noqa: E731  as Cassandra has it
backwards: Callable[[str], Any] = lambda subject: [-ord(letter) for letter in subject]  # noqa: E731


class Everything(set[str]):
    """Holds whatever is asked for."""

    def __contains__(self, item: object) -> bool:
        return True


def parcels(session: Session) -> list[Parcel]:
    """A session as it is handed to a destination: a parcel for each step."""
    told: Iterable[list[Quad]] = (quads for _, quads in describe_steps(session) if quads)
    return [Parcel(at, session.uri, quads[0].subject, "default", quads) for at, quads in enumerate(told, start=1)]


def bodies(session: Session) -> list[bytes]:
    """The messages that a session is sent in."""
    return [each.body for parcel in parcels(session) for each in messages(parcel, "store", Everything())]


class Explained:
    """A store that holds what was sent of some sessions, a librarian, and the program that asks them."""

    def __init__(self, *sessions: Session, order: Callable[[str], Any] = as_sent) -> None:
        self._triples: list[Wire] = []
        self._texts: dict[str, str] = {}
        self.asked = 0
        for session in sessions:
            for body in bodies(session):
                self._triples += json.loads(body)["triples"]
            for parcel in parcels(session):
                self._texts |= {document.id: document.text for document in documents(parcel.quads)}
        self._triples.sort(key=lambda triple: order(triple["s"]["iri"]))
        self._by_subject: dict[str, list[Wire]] = {}
        self._by_object: dict[tuple[str, str], list[Wire]] = {}
        for triple in self._triples:
            self._by_subject.setdefault(triple["s"]["iri"], []).append(triple)
            self._by_object.setdefault((triple["p"]["iri"], triple["o"]["iri"]), []).append(triple)

    # As TrustGraph's client of a flow, its API and its librarian -------------------------------------------------

    def triples_query(self, s: str = "", p: str = "", o: str = "", limit: int = 100, **_: Any) -> list[Wire]:
        """Triples in the order of the store, as many as are asked for."""
        self.asked += 1
        found = self._by_subject.get(s, []) if s else self._by_object.get((p, o), []) if o else self._triples
        return [each for each in found if p in ("", each["p"]["iri"])][:limit]

    def library(self) -> Explained:
        """Itself."""
        return self

    def get_document_content(self, id: str) -> bytes:
        """A text."""
        return self._texts[id].encode()

    # What is asked -----------------------------------------------------------------------------------------------

    def shown(self, session: str) -> str:
        """What ``tg-show-explain-trace`` prints."""
        client = ExplainabilityClient(self, retry_delay=0)
        kind = client.detect_session_type(session, graph=GRAPH, collection="default")
        fetch = {"agent": client.fetch_agent_trace, "docrag": client.fetch_docrag_trace}
        trace = fetch.get(kind, client.fetch_graphrag_trace)(session, graph=GRAPH, collection="default", api=self)
        with redirect_stdout(io.StringIO()) as out:
            if kind == "agent":
                program.print_agent_text(trace, client, self)
            elif kind == "docrag":
                program.print_docrag_text(trace, client, self)
            else:
                program.print_graphrag_text(trace, client, self, "default", api=self)
        return out.getvalue()

    def listed(self) -> list[str]:
        """The sessions that ``tg-list-explain-traces`` finds."""
        found = ExplainabilityClient(self, retry_delay=0).list_sessions(graph=GRAPH, collection="default")
        return [each.uri for each in found]
