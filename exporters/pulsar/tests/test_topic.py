"""Names of topics."""

from __future__ import annotations

import pytest

from otel_prov_exporter_pulsar.topic import DEFAULT, named, namespace


@pytest.mark.parametrize(
    ("topic", "whole"),
    [
        (DEFAULT, "persistent://tg/flow/triples-store:acme:main"),
        ("triples-store:{flow}", "persistent://tg/flow/triples-store:main"),
        ("persistent://a/b/c", "persistent://a/b/c"),
        ("non-persistent://a/b/{workspace}-{flow}", "non-persistent://a/b/acme-main"),
    ],
)
def test_a_topic_has_a_whole_name(topic: str, whole: str) -> None:
    assert named(topic, "acme", "main") == whole


@pytest.mark.parametrize("topic", ["persistent://a/b", "http://a/b/c", "a/b", "two words", "persistent://a/b/c/d"])
def test_what_is_no_name_is_refused(topic: str) -> None:
    with pytest.raises(ValueError, match="is no name of a topic, such as persistent://tg/flow/triples-store:"):
        named(topic, "acme", "main")


def test_tenant_and_namespace_are_read_from_the_name() -> None:
    assert namespace("persistent://tg/flow/triples-store:a:b") == ("tg", "flow")
