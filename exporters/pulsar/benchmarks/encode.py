"""Encoding one message of 60 triples: ours against trustgraph-base's, in one run.

python benchmarks/encode.py
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from otel_prov.describe import describe
from otel_prov.describe.quads import Literal, Quad
from otel_prov.steps import Analysis, Observation, Question, Session, Step
from trustgraph.base.serialization import dataclass_to_dict
from trustgraph.schema import Metadata, Term, Triple, Triples

from otel_prov_exporter_pulsar.encode import encode

SUBJECT = "urn:trustgraph:agent:550e8400-e29b-41d4-a716-446655440000"
TEXT = "The tool came back with a text of ordinary length. " * 2


def sample() -> list[Quad]:
    """The first 60 triples of a session."""
    steps: list[Step] = [Question("What is the capital of France?")]
    for number in range(1, 6):
        steps += [Analysis(number, TEXT, "search", '{"q": "capital"}'), Observation(number, TEXT)]
    return describe(Session(SUBJECT, tuple(steps)))[:60]


def theirs(quads: list[Quad]) -> bytes:
    """As trustgraph-base's producer makes it, from its own classes."""

    def term(node: str | Literal) -> Term:
        return Term(type="l", value=node.text) if isinstance(node, Literal) else Term(type="i", iri=node)

    triples = [Triple(s=term(s), p=term(p), o=term(o), g=g) for s, p, o, g in quads]
    message = Triples(metadata=Metadata(id=SUBJECT, collection="default"), triples=triples)
    return json.dumps(dataclass_to_dict(message)).encode("utf-8")


def best(call: Callable[[], object], times: int, rounds: int = 25) -> float:
    """Microseconds of one call, in the best of some rounds."""
    found = []
    for _ in range(rounds):
        begun = time.perf_counter()
        for _ in range(times):
            call()
        found.append((time.perf_counter() - begun) / times)
    return 1e6 * min(found)


def main() -> None:
    quads = sample()
    assert len(quads) == 60
    assert encode(SUBJECT, "default", quads) == theirs(quads)
    ours, other = best(lambda: encode(SUBJECT, "default", quads), 400), best(lambda: theirs(quads), 10)
    print(f"60 triples: {ours:.1f} µs ours, {other:.0f} µs trustgraph-base, {other / ours:.0f} times")


if __name__ == "__main__":
    main()
