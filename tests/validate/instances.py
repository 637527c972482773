"""Random PROV instances, and how they are written in PROV-O, one way or another."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from hypothesis import strategies as st

from otel_prov.describe.quads import Literal, Quad
from otel_prov.describe.vocabulary import PROV, RDF_TYPE

from .oracle import PLAIN, SIGNATURES, A, E, G, Said

PROPERTIES = {  # what leads from the node of the qualified form to the arguments after the first
    "wasGeneratedBy": ("Generation", ("activity", "atTime")),
    "wasInvalidatedBy": ("Invalidation", ("activity", "atTime")),
    "used": ("Usage", ("entity", "atTime")),
    "wasStartedBy": ("Start", ("entity", "hadActivity", "atTime")),
    "wasEndedBy": ("End", ("entity", "hadActivity", "atTime")),
    "wasInformedBy": ("Communication", ("activity",)),
    "wasDerivedFrom": ("Derivation", ("entity", "hadActivity", "hadGeneration", "hadUsage")),
    "wasAttributedTo": ("Attribution", ("agent",)),
    "wasAssociatedWith": ("Association", ("agent", "hadPlan")),
    "actedOnBehalfOf": ("Delegation", ("agent", "hadActivity")),
}
TIMES = ("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z")
NAMES = {
    E: [f"urn:e{number}" for number in range(4)],
    A: [f"urn:a{number}" for number in range(3)],
    G: ["urn:g0", "urn:e0", "urn:a0"],  # an agent may be an entity or an activity
    "time": list(TIMES),
}


def ids(relation: str) -> list[str]:
    return [f"urn:{relation}{number}" for number in range(2)]


@st.composite
def statements(draw: st.DrawFn) -> Said:
    """One statement, its parts of the right kind but for the odd one."""
    name = draw(st.sampled_from([E, A, G, "empty", *PLAIN, *SIGNATURES, "wasDerivedFrom", "wasGeneratedBy"]))
    if name == A:
        times = st.none() | st.sampled_from(TIMES)
        return Said(A, draw(st.sampled_from(NAMES[A])), (draw(times), draw(times)))
    if name in (E, G, "empty"):
        return Said(name, draw(st.sampled_from(NAMES[G if name == G else E])))
    odd = draw(st.integers(0, 30)) == 0
    arguments = []
    for place, kind in enumerate((SIGNATURES | PLAIN)[name]):
        pool = NAMES[kind] if kind in NAMES else ids(kind)
        if odd and kind in (E, A):
            pool = NAMES[E] + NAMES[A]
        some = st.sampled_from(pool)
        arguments.append(draw(some if place < 2 or name in PLAIN else st.none() | some))
    if name in PLAIN:
        return Said(name, None, tuple(arguments))
    named = st.sampled_from(ids(name) + (ids("used") if odd else []))
    return Said(name, draw(st.none() | named), tuple(arguments))


instances = st.lists(statements(), max_size=9)


def rdf(said: list[Said], graph: str = "", simple: bool = True) -> list[Quad]:
    """The statements in PROV-O: in the simple form what has one, or all in the qualified form."""
    numbers = count()
    return [quad for one in said for quad in _rdf(one, graph, simple, numbers)]


def _rdf(one: Said, graph: str, simple: bool, numbers: Iterator[int]) -> Iterator[Quad]:
    name, id, arguments = one
    if name in PLAIN:
        yield Quad(arguments[0] or "", PROV + name, arguments[1] or "", graph)
    elif name not in SIGNATURES:
        kind = {E: "Entity", A: "Activity", G: "Agent", "empty": "EmptyCollection"}[name]
        yield Quad(id or "", RDF_TYPE, PROV + kind, graph)
        for property, time in zip(("startedAtTime", "endedAtTime"), arguments, strict=False):
            if time is not None:
                yield Quad(id or "", PROV + property, Literal(time), graph)
    elif simple and id is None and not any(arguments[2:]):
        yield Quad(arguments[0] or "", PROV + name, arguments[1] or "", graph)
    else:
        noun, properties = PROPERTIES[name]
        node = id or f"_:{next(numbers)}"
        yield Quad(node, RDF_TYPE, PROV + noun, graph)
        yield Quad(arguments[0] or "", PROV + "qualified" + noun, node, graph)
        for property, value in zip(properties, arguments[1:], strict=True):
            if value is not None:
                yield Quad(node, PROV + property, Literal(value) if property == "atTime" else value, graph)
