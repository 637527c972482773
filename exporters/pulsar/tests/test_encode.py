"""Bytes on the wire, against trustgraph-base 2.11.1's own encoder."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from otel_prov.describe import vocabulary as v
from otel_prov.describe.quads import Literal, Quad, QuotedTriple
from trustgraph.base.async_pulsar_backend import PulsarMessage
from trustgraph.base.serialization import dataclass_to_dict
from trustgraph.schema import Metadata, Term, Triple, Triples

from otel_prov_exporter_pulsar.encode import IRI_LIMIT, Unsendable, encode

IRIS = st.one_of(
    st.sampled_from([v.RDF_TYPE, v.TG_QUERY, v.PROV_DERIVED, "urn:trustgraph:agent:é"]),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=200).map(
        "urn:".__add__
    ),
)
NODES = st.one_of(IRIS, st.sampled_from(["_:b0", "_:genid-1"]))
TEXTS = st.one_of(
    st.text(),
    st.text('"\\/\b\f\n\r\t\0\x01\x1f\x7f\x80\u2028\U0001f600é{}', max_size=50),
    st.sampled_from(["", " ", "x" * (1 << 20), "é" * (1 << 19)]),
)
LITERALS = st.builds(Literal, TEXTS, st.one_of(st.just(""), IRIS), st.sampled_from(["", "en", "de-CH"]))
QUOTED = st.builds(QuotedTriple, NODES, IRIS, st.one_of(NODES, LITERALS))
QUADS = st.lists(
    st.builds(Quad, NODES, IRIS, st.one_of(NODES, LITERALS, QUOTED), st.sampled_from(["", v.RETRIEVAL])), max_size=5
)


def their_term(node: str | Literal | QuotedTriple) -> Term:
    if isinstance(node, QuotedTriple):
        subject, predicate, target = map(their_term, node)
        return Term(type="t", triple=Triple(s=subject, p=predicate, o=target))
    if isinstance(node, Literal):
        return Term(type="l", value=node.text, datatype=node.datatype, language=node.language)
    return Term(type="b", id=node[2:]) if node.startswith("_:") else Term(type="i", iri=node)


def their_message(subject: str, collection: str, quads: list[Quad]) -> Triples:
    triples = [
        Triple(s=their_term(q.subject), p=their_term(q.predicate), o=their_term(q.object), g=q.graph or None)
        for q in quads
    ]
    return Triples(metadata=Metadata(id=subject, root="", collection=collection), triples=triples)


class Received:
    """As much of Pulsar's message as trustgraph-base reads."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def data(self) -> bytes:
        return self._body


@settings(max_examples=300, deadline=None)
@given(IRIS, st.sampled_from(["default", 'réseau "x"']), QUADS)
def test_our_bytes_are_trustgraphs_bytes(subject: str, collection: str, quads: list[Quad]) -> None:
    message = their_message(subject, collection, quads)
    ours = encode(subject, collection, quads)
    assert ours == json.dumps(dataclass_to_dict(message)).encode("utf-8")
    assert PulsarMessage(Received(ours), Triples).value() == message


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "is empty"),
        ("urn:\ud800", "is no valid Unicode: 'urn:\\ud800'"),
        ("urn:a\0b", "holds the character NUL: 'urn:a\\x00b'"),
        ("u" * (IRI_LIMIT + 1), f"has 1,001 bytes, 1,000 are the limit: '{'u' * 80}'"),
        ("é" * 501, f"has 1,002 bytes, 1,000 are the limit: '{'é' * 80}'"),
    ],
)
def test_names_that_a_consumer_would_fail_at_are_refused(name: str, reason: str) -> None:
    good = "urn:x"
    for quad in (Quad(name, good, good), Quad(good, name, good), Quad(good, good, name)):
        with pytest.raises(Unsendable) as refusal:
            encode(good, "default", [quad])
        assert str(refusal.value) == f"an IRI {reason}"
    with pytest.raises(Unsendable, match=r"^the collection "):
        encode(good, name, [])
    with pytest.raises(Unsendable, match=r"^an IRI "):
        encode(name, "default", [])


def test_names_at_the_limit_pass() -> None:
    assert encode("u" * IRI_LIMIT, "c", []).startswith(b'{"metadata": {"id": "uuu')
