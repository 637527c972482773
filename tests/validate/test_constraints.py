"""Each constraint that a graph can break: broken in one way or another, and not."""

from __future__ import annotations

import pytest

from otel_prov.describe.quads import Quad
from otel_prov.describe.vocabulary import PROV
from otel_prov.validate import NAMES, Violation, validate

from .turtle import quads

BROKEN = [
    # 22 key-object
    (22, ":a", ":a prov:startedAtTime '2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z' ."),
    (22, ":a", ":a prov:endedAtTime '2026-01-01T00:00:00Z'^^xsd:dateTime, '2026-01-01T00:00:00.000000001Z' ."),
    # 23 key-properties
    (23, ":g :e :a :b", ":e prov:qualifiedGeneration :g . :g prov:activity :a, :b ."),
    (23, ":g :d :e", ":e prov:qualifiedGeneration :g . :d prov:qualifiedGeneration :g . :g prov:activity :a ."),
    (23, ":u :a", ":a prov:qualifiedUsage :u . :u prov:entity :e ; prov:atTime '2026-01-01', '2026-01-02' ."),
    (23, ":x :a :p :q", ":a prov:qualifiedAssociation :x . :x prov:agent :ag ; prov:hadPlan :p, :q ."),
    (
        23,
        ":d :a :e",
        ":e prov:qualifiedDerivation :d . :a prov:qualifiedUsage :d .",
    ),
    # by way of 24: the two are one generation
    (
        23,
        ":g :e",
        ":e prov:qualifiedGeneration :g, [ prov:activity :a ; prov:atTime '2026-01-01T00:00:00Z' ] ."
        ":g prov:activity :a ; prov:atTime '2026-01-01T00:00:01Z' .",
    ),
    # 24 to 27
    (24, ":e :a :g :h", ":e prov:qualifiedGeneration :g, :h . :g prov:activity :a . :h prov:activity :a ."),
    (
        24,
        ":e :a :g :h",
        ":e prov:qualifiedDerivation [ prov:entity :d ; prov:hadActivity :a ; prov:hadGeneration :g ] ;"
        "prov:qualifiedGeneration :h . :h prov:activity :a .",
    ),
    (25, ":e :a :g :h", ":e prov:qualifiedInvalidation :g, :h . :g prov:activity :a . :h prov:activity :a ."),
    (26, ":a :b :s :t", ":a prov:qualifiedStart :s, :t . :s prov:hadActivity :b . :t prov:hadActivity :b ."),
    (27, ":a :b :s :t", ":a prov:qualifiedEnd :s, :t . :s prov:hadActivity :b . :t prov:hadActivity :b ."),
    # 28, 29
    (
        28,
        ":a",
        ":a prov:startedAtTime '2026-01-01T00:00:00Z' ;prov:qualifiedStart [ prov:atTime '2026-01-01T00:00:01Z' ] .",
    ),
    (
        28,
        ":a",
        ":a prov:qualifiedStart [ prov:atTime '2026-01-01T00:00:00Z' ; prov:entity :e ],"
        "[ prov:atTime '2026-01-01T00:00:01Z' ] .",
    ),
    (
        29,
        ":a",
        ":a prov:endedAtTime '2026-01-01T00:00:00Z' ; prov:qualifiedEnd [ prov:atTime '2026-01-01T01:00:00Z' ] .",
    ),
    # 42, with the ways that lead back
    (42, ":e", ":e prov:wasDerivedFrom :e ."),
    (42, ":e :d", ":e prov:wasDerivedFrom :d . :d prov:wasRevisionOf :e ."),
    (42, ":e :d", ":e prov:qualifiedDerivation [ prov:entity :d ] . :d prov:qualifiedQuotation [ prov:entity :e ] ."),
    (42, ":e :d :a", ":e prov:wasDerivedFrom :d . :d prov:wasGeneratedBy :a . :a prov:wasStartedBy :e ."),
    (42, ":e :d :a", ":e prov:wasDerivedFrom :d . :a prov:generated :d ; prov:qualifiedStart [ prov:entity :e ] ."),
    (42, ":e :d", ":e prov:wasDerivedFrom :d . :d prov:specializationOf :e ."),
    (42, ":e :d", ":e a prov:Agent ; prov:wasDerivedFrom :d . :d prov:wasAttributedTo :e ."),
    (
        42,
        ":e :d :a :b",
        ":e prov:wasDerivedFrom :d . :d prov:wasGeneratedBy :a ."
        ":a prov:qualifiedStart [ prov:hadActivity :b ] . :b prov:wasStartedBy :e .",
    ),
    (42, ":e :d :a", ":e prov:wasDerivedFrom :d . :d prov:wasAttributedTo :a . :a prov:wasStartedBy :e ."),
    # 51 to 56
    (51, ":e :d :g", ":e prov:qualifiedDerivation [ prov:entity :d ; prov:hadGeneration :g ] ."),
    (51, ":e :d :u", ":e prov:qualifiedRevision [ prov:entity :d ; prov:hadUsage :u ] ."),
    (52, ":e", ":e prov:specializationOf :e ."),
    (52, ":d :e :f", ":d prov:specializationOf :e . :e prov:specializationOf :f . :f prov:specializationOf :d ."),
    (53, ":g", ":g a prov:Generation, prov:Usage ."),
    (53, ":g", ":e prov:qualifiedGeneration :g . :f prov:qualifiedInvalidation :g ."),
    (54, ":g", ":e prov:qualifiedGeneration :g . :g a prov:Entity ."),
    (54, ":d", ":d a prov:Derivation, prov:Person ."),
    (55, ":x", ":x a prov:Entity, prov:Activity ."),
    (55, ":x", ":x a prov:Plan . :y prov:wasGeneratedBy :x ."),
    (55, ":x", ":x prov:startedAtTime 'once' . :y prov:wasDerivedFrom :x ."),
    (55, ":x", ":y prov:qualifiedAssociation [ prov:hadPlan :x ] . :x prov:wasInformedBy :y ."),
    (56, ":c :e", ":c a prov:EmptyCollection ; prov:hadMember :e ."),
    (56, ":d :e", ":c a prov:EmptyCollection . :d prov:specializationOf :c ; prov:hadMember :e ."),
]
VALID = [
    "",
    # one instant, in two ways
    ":a prov:startedAtTime '2026-01-01T01:00:00.50+01:00'^^xsd:dateTime ;"
    "prov:qualifiedStart [ prov:atTime '2026-01-01T00:00:00.5Z' ] .",
    # a blank node can be the same as another, and what isn't named can be it
    ":e prov:qualifiedGeneration :g, [ prov:activity :a ], [] ; prov:wasGeneratedBy :a . :g prov:activity :a, _:b .",
    # two usages of one entity, two generations by two activities
    ":a prov:qualifiedUsage :u, :v . :u prov:entity :e . :v prov:entity :e . :e prov:wasGeneratedBy :b, :c .",
    # times say nothing about what comes first (PROV-CONSTRAINTS, section 6.2)
    ":a prov:startedAtTime '2026-01-02T00:00:00Z' ; prov:endedAtTime '2026-01-01T00:00:00Z' .",
    # a cycle in which nothing is derived
    ":e prov:wasGeneratedBy :a . :a prov:used :e ; prov:wasStartedBy :e .",
    ":a prov:wasInformedBy :b . :b prov:wasInformedBy :a .",
    # an agent may be an entity or an activity
    ":x a prov:Agent, prov:Entity . :y a prov:SoftwareAgent, prov:Activity .",
    # an influence and a derivation with one identifier, as the specification's example
    ":e prov:qualifiedDerivation :d ; prov:qualifiedInfluence :d . :d prov:entity :f ; prov:influencer :f .",
    # a derivation with all its parts
    ":e prov:qualifiedDerivation [ prov:entity :d ; prov:hadActivity :a ; prov:hadGeneration :g ; prov:hadUsage :u ] ;"
    "prov:qualifiedGeneration :g . :g prov:activity :a . :a prov:qualifiedUsage :u . :u prov:entity :d .",
    # texts where nodes belong are no nodes
    ":e prov:wasDerivedFrom 'it', 'it'@en ; prov:wasGeneratedBy 5 . :e a 'prov:Activity' .",
    ":c a prov:Collection ; prov:hadMember :e .",
]


def iris(names: str) -> set[str]:
    return {"urn:x" + name for name in names.split()}


@pytest.mark.parametrize(("number", "nodes", "text"), BROKEN)
def test_broken(number: int, nodes: str, text: str) -> None:
    found = [violation for violation in validate(quads(text)) if violation.constraint == number]
    assert len(found) == 1, validate(quads(text))
    assert {node for node in found[0].nodes if not node.startswith("_:")} == iris(nodes)
    assert found[0].name == NAMES[number]
    assert "\0" not in found[0].sentence
    for node in iris(nodes):
        assert f"<{node}>" in found[0].sentence


@pytest.mark.parametrize("text", VALID)
def test_valid(text: str) -> None:
    assert validate(quads(text)) == []


def test_every_constraint_that_can_be_broken_is_broken_here() -> None:
    assert {number for number, *_ in BROKEN} == set(NAMES)


def test_each_graph_stands_alone() -> None:
    apart = ":x a prov:Entity . :one { :x a prov:Activity . :e a prov:Entity }"
    apart += " :two { :x a prov:Entity . :e a prov:Activity }"
    assert validate(quads(apart)) == []
    assert [violation.graph for violation in validate(quads(apart + " :two { :x a prov:Activity }"))] == ["urn:x:two"]


def test_a_blank_node_that_two_graphs_share_is_looked_at_in_each_alone() -> None:
    assert validate(quads("_:x a prov:Entity . :one { _:x a prov:Activity }")) == []


def test_the_sentence_tells_why() -> None:
    (violation,) = validate(quads(":x a prov:Plan . :y prov:wasGeneratedBy :x ."))
    assert violation == Violation(
        55,
        ("urn:x:x",),
        "<urn:x:x> is an entity, as its type prov:Plan says, and an activity, as the object of prov:wasGeneratedBy from"
        " <urn:x:y>",
    )


def test_a_cycle_is_told_step_by_step() -> None:
    (violation,) = validate(quads(":e prov:wasDerivedFrom :d . :d prov:wasGeneratedBy :a . :a prov:wasStartedBy :e ."))
    assert violation.sentence == (
        "an event comes before itself: the generation of <urn:x:d> comes before the generation of <urn:x:e> (42),"
        " the generation of <urn:x:e> comes no later than the start of <urn:x:a> (43),"
        " the start of <urn:x:a> comes no later than the generation of <urn:x:d> (34)"
    )


def test_a_long_cycle_is_found_without_recursion() -> None:
    size = 20_000
    derived = PROV + "wasDerivedFrom"
    (violation,) = validate(Quad(f"urn:{n}", derived, f"urn:{(n + 1) % size}") for n in range(size))
    assert violation.constraint == 42
    assert len(violation.nodes) == size
