"""Texts that every store takes."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from otel_prov.describe.quads import Literal, Quad, QuotedTriple

from otel_prov_exporter_pulsar.literals import LIMIT, cut, storable


@given(st.text(st.characters(exclude_characters="…")), st.integers(100, 300), st.integers(1, 200))
def test_a_text_is_cut_at_a_character_and_says_so(text: str, limit: int, times: int) -> None:
    text *= times
    short = cut(text, limit)
    whole = text.encode("utf-8", "replace")
    assert len(short.encode()) <= limit
    if len(whole) <= limit:
        assert short.encode() == whole
    else:
        kept, mark = short.split("…")
        assert whole.startswith(kept.encode())
        assert mark == f" [cut, {len(whole):,} bytes in all]"
        assert len(short.encode()) > limit - 4


def test_a_text_at_the_limit_stays_whole() -> None:
    for text in ("x" * LIMIT, "é" * (LIMIT // 2), "😀" * (LIMIT // 4)):
        assert cut(text, LIMIT) == text
        assert cut(text + "x", LIMIT) != text + "x"


def test_only_texts_that_do_not_fit_are_changed() -> None:
    quads = [
        Quad("urn:s", "urn:p", "urn:" + "o" * 9_000),
        Quad("urn:s", "urn:p", Literal("short é", language="en")),
        Quad("urn:s", "urn:p", Literal("x" * 9_000, "urn:type")),
        Quad("urn:s", "urn:p", Literal("a\0b")),
        Quad("urn:s", "urn:p", Literal("a\ud800b")),
    ]
    changed = storable(quads)
    assert changed[:2] == quads[:2]
    assert isinstance(changed[2].object, Literal)
    assert len(changed[2].object.text.encode()) == LIMIT
    assert changed[2].object.datatype == "urn:type"
    assert changed[3].object == Literal("a\ufffdb")
    assert changed[4].object == Literal("a?b")


@given(
    st.sampled_from(["urn:a", "urn:" + "é" * 450, "urn:" + "x" * 990]),
    st.text(st.characters(), max_size=50),
    st.integers(1, 2_000),
)
def test_a_quoted_triple_is_no_longer_as_the_store_writes_it_than_a_text_may_be(
    iri: str, text: str, times: int
) -> None:
    """TrustGraph's writer for Cassandra stores it as JSON in ASCII (storage/triples/cassandra/write.py)."""
    quad = Quad("urn:s", "urn:p", QuotedTriple(iri, iri, Literal(text * times, language="en")))
    (stored,) = storable([quad])
    subject, predicate, target = stored.object
    assert (subject, predicate) == (iri, iri)
    terms = {"s": {"type": "i", "iri": subject}, "p": {"type": "i", "iri": predicate}}
    written = json.dumps(terms | {"o": {"type": "l", "value": target.text, "language": target.language}})
    assert len(written) <= LIMIT
    if len(json.dumps(text * times)) < 1_000 and len(text * times) < 1_000 and "\0" not in text and text.isprintable():
        assert target.text == (text * times).encode("utf-8", "replace").decode()


def test_a_quoted_triple_of_iris_stays_as_it_is() -> None:
    quad = Quad("urn:s", "urn:p", QuotedTriple("urn:a", "urn:b", "urn:c"))
    assert storable([quad]) == [quad]
