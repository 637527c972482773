"""The source ``sparql+http://`` and ``sparql+https://``: sessions read back from a store, whoever wrote them there.

Plain statements are asked for by ``SELECT``: other than with ``CONSTRUCT``, the names of their graphs come along.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timezone
from itertools import count
from typing import Final

from otel_prov import names
from otel_prov.deliver import variables
from otel_prov.deliver.destination import Unreachable
from otel_prov.describe import Literal, Quad, QuotedTriple, recognise, uris
from otel_prov.describe.pattern import Pattern, labels, matching
from otel_prov.fetch import FetchError, outcome, summary
from otel_prov.keep import Summary
from otel_prov.steps import Session

from otel_prov_exporter_sparql import queries
from otel_prov_exporter_sparql.client import Client, Row
from otel_prov_exporter_sparql.settings import read

__all__ = ["SparqlSource", "source"]

_PAGE: Final = 500  # sessions whose outlines are asked for at once
_STAGES: Final = (uris.GROUNDING, uris.EXPLORATION, uris.FOCUS, uris.SYNTHESIS)
_MEANT: Final = 10  # URIs that find gives at most
_LONG_AGO: Final = datetime.min.replace(tzinfo=timezone.utc)
_STRING: Final = "http://www.w3.org/2001/XMLSchema#string"


@contextmanager
def source(url: str, collection: str | None = None) -> Iterator[SparqlSource]:
    """The sessions in a store, as :class:`otel_prov.fetch.source.Factory` has it."""
    if collection is not None:
        raise FetchError(f"{variables.shown(url)}: a SPARQL store knows no collections; leave out --collection")
    try:
        settings = read(url)
    except ValueError as error:
        raise FetchError(str(error)) from None
    client = Client(settings)
    try:
        yield SparqlSource(client, f"the store at {settings.query_url}; 'otel-prov deliver' sends some there")
    finally:
        client.close()


class SparqlSource:
    """The sessions in a store, in whichever shape. Every method raises :class:`~otel_prov.fetch.FetchError`.

    The explanation view has neither an agent's name nor the end of a session; its outcome is ``final`` where it has a
    conclusion, and else ``None``.
    """

    def __init__(self, client: Client, place: str) -> None:
        self._client = client
        self.place = place
        """Where the sessions are, for people."""
        self._browsing = False  # whether sessions were listed, so that several of them will be looked up
        self._all: list[str] | None = None

    def sessions(
        self,
        *,
        collection: str | None = None,
        agent: str | None = None,
        text: str | None = None,
        outcome: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        nested: bool = True,
        limit: int | None = 50,
    ) -> list[Summary]:
        """The newest sessions, by start, that meet all conditions: see :meth:`otel_prov.keep.Store.sessions`.

        One query for every 500 sessions, which the store sorts.
        """
        if agent is not None or collection is not None:
            return []
        self._browsing = True
        size = _PAGE if limit is None or outcome is not None else min(limit, _PAGE)
        found: list[Summary] = []
        for offset in count(0, size):
            asked = queries.listed(size, offset, text=text, since=since, until=until, nested=nested)
            page, number = _outlines(self._ask(asked))
            found += [each for each in page if outcome in (None, each.outcome)]
            if number < size or (limit is not None and len(found) >= limit):
                break
        return found[:limit]

    def session(self, uri: str) -> Session | None:
        """One session; ``None`` if there is none."""
        for session in recognise(self._explained(uri)):
            if session.uri == uri:
                return replace(session, outcome=outcome(session))
        return None

    def inside(self, uri: str) -> list[str]:
        """URIs of the sessions that ran inside of one."""
        return _uris(self._ask(queries.inside(uris.legal(uri))))

    def quads(self, uri: str) -> list[Quad]:
        """All that the store says of a session, in the explanation view and in the PROV view."""
        return self._explained(uri) + _quads(self._ask(queries.named(uris.fragments(uris.legal(uri)) + "prov")))

    def match(self, pattern: Pattern, limit: int | None = None) -> Iterator[Quad]:
        """The statements of the store that a pattern means, also those that are about no session.

        A quoted triple stands there as an ``rdf:Statement``, and is asked for by its parts.
        """
        if isinstance(pattern.object, QuotedTriple):
            raise FetchError(
                "quoted triples are statements of their own in a SPARQL store; ask with -p rdf:subject -o IRI"
            )
        return matching(pattern, _quads(self._ask(queries.matching(pattern, limit))))

    def labels(self, nodes: Collection[str]) -> dict[str, str]:
        """What nodes are called, as far as the store has names for them."""
        known = [node for node in nodes if not node.startswith("_:")]
        return labels(_quads(self._ask(queries.called(known)))) if known else {}

    def find(self, reference: str) -> list[str]:
        """URIs of the sessions that a person may mean: ``latest``, a URI or an id, whole or its beginning."""
        if not reference:
            return []
        if reference == "latest":
            return [summary.uri for summary in self.sessions(nested=False, limit=1)]
        kinds = (names.AGENT, names.GRAPH_RAG, names.DOCUMENT_RAG)
        starts = tuple(map(uris.legal, (reference, *(names.session_uri(reference, kind) for kind in kinds))))
        if self._browsing and self._all is None:
            self._all = _uris(self._ask(queries.starting([""], None)))
        known = self._all if self._all is not None else _uris(self._ask(queries.starting(starts, 2 * _MEANT)))
        if exact := [uri for uri in starts if uri in known]:
            return exact[:1]
        return sorted(uri for uri in known if uri.startswith(starts))[:_MEANT]

    def _explained(self, uri: str) -> list[Quad]:
        """All that is said of a session and of what comes from it.

        Nodes that go by their usual names are looked for as well, so that a missing one doesn't hide those behind it.
        """
        uri = uris.legal(uri)
        found: dict[Quad, None] = {}
        tried: set[str] = set()
        wave = {uri, uris.iteration(uri, 1), uris.observation(uri, 1), uris.final(uri)}
        wave |= {uris.plan(uri), uris.decomposition(uri), uris.stage(uri, uris.SYNTHESIS)}
        if uri.startswith((uris.GRAPH, uris.DOCUMENTS)):
            wave = {uri, *(uris.stage(uri, name) for name in _STAGES)}
        while wave:
            tried |= wave
            found |= dict.fromkeys(_quads(self._ask(queries.around(sorted(wave)))))
            known = {quad.subject for quad in found}
            wave = {name for node in known for name in _next(node, uri)} - known - tried
        return list(found)

    def _ask(self, query: str) -> list[Row]:
        try:
            return self._client.query(query)
        except Unreachable as error:
            raise FetchError(str(error)) from None


def _outlines(rows: list[Row]) -> tuple[list[Summary], int]:
    """The sessions of a page, newest first, and how many it was asked for."""
    wanted = set(_uris(rows))
    sessions = [session for session in recognise(_quads(rows)) if session.uri in wanted]
    sessions.sort(key=lambda session: (session.question.started or _LONG_AGO, session.uri), reverse=True)
    return [summary(session, None) for session in sessions], len(wanted)


def _uris(rows: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(row["session"]["value"] for row in rows if row["session"]["type"] == "uri"))


def _quads(rows: Iterable[Row]) -> list[Quad]:
    """The rows as quads; what stands in a named graph is not repeated for a store whose default graph has it, too."""
    found: dict[Quad, None] = {}
    for row in rows:
        subject, predicate, target = (_term(row.get(name)) for name in "spo")
        graph = _term(row.get("g"))
        if isinstance(subject, str) and isinstance(predicate, str) and target is not None:
            found[Quad(subject, predicate, target, graph if isinstance(graph, str) else "")] = None
    placed = {quad[:3] for quad in found if quad.graph}
    return [quad for quad in found if quad.graph or quad[:3] not in placed]


def _term(term: dict[str, str] | None) -> str | Literal | None:
    """A term of SPARQL 1.1 Query Results JSON (section 3.2.2); ``None`` for one that no shape can be made of."""
    kind, value = (term or {}).get("type"), (term or {}).get("value", "")
    if kind == "uri":
        return value
    if kind == "bnode":
        return f"_:{value}"
    if term is None or kind not in ("literal", "typed-literal"):  # the latter is Virtuoso's
        return None
    datatype = term.get("datatype", "")
    return Literal(value, "" if datatype == _STRING else datatype, term.get("xml:lang", ""))


def _next(node: str, session: str) -> Iterable[str]:
    """The names of nodes that usually come with an iteration or an observation, and after it; none for another node."""
    match = uris.ITERATION.fullmatch(node) or uris.OBSERVATION.fullmatch(node)
    if match and match[1] == session:
        number = int(match[2])
        for each in (number, number + 1):
            yield uris.iteration(session, each)
            yield uris.observation(session, each)
