"""What a store may answer: what is refused for ever is set aside, and holds up nothing; all else is tried again."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
from otel_prov.deliver.destination import Checked, Parcel, Unreachable
from otel_prov.describe.quads import Literal, Quad
from otel_prov.fetch import FetchError
from standin import StandIn
from tests.integration.servers.process import free_port

from otel_prov_exporter_sparql import source
from otel_prov_exporter_sparql.client import Slow
from otel_prov_exporter_sparql.destination import LIMIT

Sender = Callable[..., Any]


def many(number: int, size: int = 20) -> list[Parcel]:
    """Small parcels of one session."""
    return [
        Parcel(n, "urn:s", f"urn:s/{n}", "default", [Quad(f"urn:s/{n}", "urn:p", Literal(f"text-{n}-" + "x" * size))])
        for n in range(1, number + 1)
    ]


def stored(stand_in: StandIn) -> set[int]:
    """The numbers of the parcels that it has."""
    return {int(quad.subject.value.split("/")[1]) for quad in stand_in.store}  # type: ignore[union-attr]


def test_many_parcels_go_in_few_requests_over_one_connection(stand_in: StandIn, sender: Sender) -> None:
    target = sender(stand_in.url)
    assert target.send(many(3_000, 1_000)) == [None] * 3_000
    assert target.send([]) == []
    assert stored(stand_in) == set(range(1, 3_001))
    assert 3 <= len(stand_in.updates) <= 5
    assert max(map(len, stand_in.updates)) < LIMIT * 1.1
    assert stand_in.connections == 1


def test_parcels_that_arrive_twice_are_there_once(stand_in: StandIn, sender: Sender) -> None:
    target = sender(stand_in.url)
    for _ in range(2):
        assert target.send(many(10)) == [None] * 10
    assert len(stand_in.store) == 10


@pytest.mark.parametrize("status", [400, 422, 500])
def test_a_parcel_that_is_refused_is_found_and_the_others_go_through(
    stand_in: StandIn, sender: Sender, status: int
) -> None:
    stand_in.refuse = lambda body, headers: (
        (status, {"Content-Type": "text/plain"}, b"line 7:\n  a bad\tword") if b"text-77-" in body else None
    )
    answers = sender(stand_in.url).send(many(200))
    assert answers[76] in (
        f"the store refuses it: {status} line 7: a bad word",
        f"the store takes others, but fails at it: {status} line 7: a bad word",
    )
    assert answers[:76] + answers[77:] == [None] * 199
    assert stored(stand_in) == set(range(1, 201)) - {77}
    assert len(stand_in.updates) < 25


def test_a_parcel_that_the_store_failed_at_once_is_not_given_up(stand_in: StandIn, sender: Sender) -> None:
    stand_in.refuse = lambda body, headers: (
        (500, {}, b"") if b"text-7-" in body and stand_in.updates.count(body) == 1 else None
    )
    assert sender(stand_in.url).send(many(10)) == [None] * 10
    assert stored(stand_in) == set(range(1, 11))


def test_a_store_that_fails_at_everything_has_refused_nothing(stand_in: StandIn, sender: Sender) -> None:
    stand_in.refusing("text-", 500, "no space left on device")
    with pytest.raises(Unreachable, match="answers 500 no space left on device"):
        sender(stand_in.url).send(many(5))


def test_an_address_that_takes_no_updates_at_all_has_refused_nothing(stand_in: StandIn, sender: Sender) -> None:
    stand_in.refusing("", 400, "Parameter query is missing")
    with pytest.raises(Unreachable, match="takes no updates: 400 Parameter query is missing"):
        sender(stand_in.url).send(many(5))


def test_one_parcel_alone_is_refused_if_the_store_takes_others(stand_in: StandIn, sender: Sender) -> None:
    stand_in.refusing("text-", 400)
    assert sender(stand_in.url).send(many(1)) == ["the store refuses it: 400 no"]


def test_a_request_that_is_too_large_is_cut_down_to_what_goes(stand_in: StandIn, sender: Sender) -> None:
    stand_in.refuse = lambda body, headers: (413, {}, b"") if len(body) > 3_000 else None
    sent = many(50, 100)
    quads = [Quad("urn:s/60", f"urn:p{n}", Literal("y" * 500)) for n in range(20)]
    sent.append(Parcel(51, "urn:s", "urn:s/60", "default", quads))
    sent.append(Parcel(52, "urn:s", "urn:s/61", "default", [Quad("urn:s/61", "urn:p", Literal("z" * 5_000))]))
    answers = sender(stand_in.url).send(sent)
    assert answers == [None] * 51 + ["the store refuses it: 413 Request Entity Too Large"]
    assert stored(stand_in) == {*range(1, 51), 60}
    assert len(stand_in.store) == 70


def test_what_no_store_takes_is_not_even_sent(stand_in: StandIn, sender: Sender) -> None:
    sent = many(3)
    sent[1:2] = [Parcel(2, "urn:s", "x", "default", [Quad("x", "urn:p", "urn:o")])]
    assert sender(stand_in.url).send(sent) == [None, "no absolute IRI: 'x'", None]
    assert stored(stand_in) == {1, 3}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((401, {}, b""), "wants to know who asks"),
        ((403, {}, b"read-only"), "does not let us in for updates, or is read-only (read-only)"),
        ((404, {"Content-Type": "text/html"}, b"<html>"), "takes no updates at this path, or none at all (404 Not"),
        ((405, {}, b""), "takes no updates at this path, or none at all (405 Method Not Allowed)"),
        ((415, {}, b"sparql-update?"), "takes no updates at this path, or none at all (415 sparql-update?)"),
        ((307, {"Location": "https://there/"}, b""), "has moved to https://there/; give that address"),
        ((503, {}, b"x" * 5_000), "answers 503 xxx"),
        ((429, {}, b""), "answers 429 Too Many Requests"),
    ],
)
def test_what_concerns_every_update_is_no_refusal(
    stand_in: StandIn, sender: Sender, answer: tuple[int, dict[str, str], bytes], said: str
) -> None:
    stand_in.refuse = lambda body, headers: answer
    target = sender(stand_in.url)
    with pytest.raises(Unreachable, match=re.escape(said)) as trouble:
        target.send(many(3))
    assert len(str(trouble.value)) < 400
    assert isinstance(target, Checked)
    with pytest.raises(Unreachable, match=re.escape(said)):
        target.check()
    stand_in.refuse = lambda body, headers: None
    target.check()
    assert len(stand_in.store) == 0
    assert target.send(many(3)) == [None] * 3


def test_a_slow_store_gets_smaller_requests_until_it_keeps_up(stand_in: StandIn, sender: Sender) -> None:
    stand_in.refuse = lambda body, headers: time.sleep(len(body) / 1_000_000)  # a megabyte in a second
    target = sender(stand_in.url, timeout="0.4")
    sent = many(700, 1_000)
    for _ in range(2):
        with pytest.raises(Unreachable, match=r"no answer within 0\.4 s"):
            target.send(sent)
    assert target.send(sent) == [None] * 700
    assert stored(stand_in) == set(range(1, 701))


def test_a_store_that_does_not_even_read_is_slow(sender: Sender) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"sparql+http://127.0.0.1:{server.getsockname()[1]}/update"
        for size in (10, 10_000_000):
            with pytest.raises(Slow, match=r"no answer within 0\.3 s; the store is away, or busy"):
                sender(url, timeout="0.3").send(many(1, size))


def test_a_connection_that_ends_before_the_answer_is_tried_again(stand_in: StandIn, sender: Sender) -> None:
    def refuse(body: bytes, headers: dict[str, str]) -> None:
        if len(stand_in.updates) == 1:
            raise ConnectionAbortedError

    stand_in.refuse = refuse
    target = sender(stand_in.url)
    with pytest.raises(Unreachable, match="the connection failed: "):
        target.send(many(1))
    assert target.send(many(1)) == [None]


def test_a_bearer_token_lets_in_and_is_read_again(stand_in: StandIn, sender: Sender, tmp_path: Any) -> None:
    stand_in.refuse = lambda body, headers: None if headers.get("authorization") == "Bearer right" else (401, {}, b"")
    file = tmp_path / "token"
    file.write_text("wrong\n")
    target = sender(stand_in.url, token_file=str(file))
    with pytest.raises(Unreachable, match="does not know the token"):
        target.send(many(1))
    file.write_text("right\n")
    assert target.send(many(1)) == [None]
    file.unlink()
    with pytest.raises(Unreachable, match=r"there is no token: .*token: No such file"):
        target.send(many(1))


def test_where_nobody_is_that_is_said(sender: Sender) -> None:
    port = free_port()
    with pytest.raises(Unreachable) as trouble:
        sender(f"sparql+http://ann:hidden@127.0.0.1:{port}/ds").send(many(1))
    assert str(trouble.value) == f"http://127.0.0.1:{port}/ds: nothing listens there; the store is away"
    with pytest.raises(Unreachable, match=r"http://nowhere\.invalid/ds: there is no host of this name"):
        sender("sparql+http://nowhere.invalid/ds").send(many(1))


def test_tls_where_there_is_none_is_named(stand_in: StandIn, sender: Sender) -> None:
    with pytest.raises(Unreachable, match=r"no TLS there; sparql\+http:// is for the port without TLS"):
        sender(stand_in.url.replace("sparql+http:", "sparql+https:")).send(many(1))


def test_what_answers_a_query_with_something_else_is_no_store(stand_in: StandIn) -> None:
    for told in (b"<html>", b"[]", b'{"results": []}', b'{"boolean": true}'):
        stand_in.answer = lambda path, headers, body, told=told: (200, {}, told)  # type: ignore[method-assign, misc]
        with source(stand_in.url) as there, pytest.raises(FetchError, match="does not answer as a SPARQL store does"):
            there.sessions()
