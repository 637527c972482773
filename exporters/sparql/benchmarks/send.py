"""Triples a second into one real store: the destination, from quads, against plain posting of the same bytes.

    PYTHONPATH=../.. python benchmarks/send.py [oxigraph|fuseki] [number of sessions]

Starts the store. Both post the same updates, one after the other, over one connection that is kept; rounds alternate,
and each has sessions of its own.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import requests
from otel_prov.deliver.destination import Parcel
from otel_prov.describe import describe
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session
from tests.integration.servers.fuseki import PASSWORD, USER, Fuseki
from tests.integration.servers.oxigraph import Oxigraph

from otel_prov_exporter_sparql.destination import LIMIT, SparqlDestination, destination
from otel_prov_exporter_sparql.statements import Statement, insert, statements

ROUNDS = 5
BATCH = 500  # parcels that the worker sends at once


def sessions(number: int, mark: str) -> list[Parcel]:
    """That many parcels, each a whole session of two iterations."""
    found = []
    for n in range(1, number + 1):
        steps: list[Any] = [Question(f"What is the capital of France? ({mark})")]
        for i in (1, 2):
            steps += [Analysis(i, "I look it up.", "search", '{"q": "capital"}'), Observation(i, "It is Paris. " * 20)]
        session = Session(f"urn:trustgraph:agent:{mark}-{n:08}", (*steps, Conclusion("Paris.")))
        found.append(Parcel(n, session.uri, session.uri, "default", describe(session)))
    return found


def bodies(parcels: list[Parcel]) -> list[bytes]:
    """The updates that the destination makes of them."""
    found: list[bytes] = []
    for start in range(0, len(parcels), BATCH):
        request: list[Statement] = []
        size = 0
        for statement in (each for parcel in parcels[start : start + BATCH] for each in statements(parcel.quads)):
            if size + len(statement.text) > LIMIT:
                found.append(insert(request))
                request, size = [], 0
            request.append(statement)
            size += len(statement.text)
        found.append(insert(request))
    return found


def plain(client: requests.Session, url: str, updates: list[bytes]) -> float:
    """Seconds that plain posting takes."""
    begun = time.perf_counter()
    for update in updates:
        client.post(
            url, update, headers={"Content-Type": "application/sparql-update; charset=utf-8"}
        ).raise_for_status()
    return time.perf_counter() - begun


def ours(target: SparqlDestination, parcels: list[Parcel]) -> float:
    """Seconds that the destination takes."""
    begun = time.perf_counter()
    for start in range(0, len(parcels), BATCH):
        assert not any(target.send(parcels[start : start + BATCH]))
    return time.perf_counter() - begun


def main() -> None:
    kind = Fuseki if "fuseki" in sys.argv else Oxigraph
    number = next((int(each) for each in sys.argv[1:] if each.isdecimal()), 2_000)
    with tempfile.TemporaryDirectory() as work:
        store = kind(Path(work))
        store.start()
        try:
            target, client = destination(store.update_url, "bench"), requests.Session()
            client.auth = requests.auth.HTTPDigestAuth(USER, PASSWORD)
            url = "http://" + store.update_url.rpartition("@" if "@" in store.update_url else "//")[2]
            rounds = []
            for n in range(ROUNDS + 1):
                theirs = bodies(sessions(number, f"plain-{n}"))
                rounds.append((plain(client, url, theirs), ours(target, sessions(number, f"ours--{n}"))))
            target.close()
        finally:
            store.stop()
    rounds = rounds[1:]  # the first one warms up
    triples = number * len(sessions(1, "one")[0].quads)
    print(f"{kind.__name__}: {triples:,} triples in {len(theirs)} requests of {sum(map(len, theirs)):,} bytes")
    for name, seconds in zip(("plain posting", "destination"), zip(*rounds, strict=True), strict=True):
        print(f"{name:14}{triples / median(seconds):9,.0f} triples/s (median of {ROUNDS} rounds)")
    print(f"destination / plain: {median(theirs / own for theirs, own in rounds):.2f}")


if __name__ == "__main__":
    main()
