"""A real store that wants name and password, by digest authentication, and speaks TLS by a certificate of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from conftest import parcels
from otel_prov.deliver.destination import Unreachable
from otel_prov.fetch import FetchError
from otel_prov.names import session_uri
from otel_prov.steps import Question, Session
from tests.integration.servers.fuseki import PASSWORD, USER, Fuseki

from otel_prov_exporter_sparql import source

pytestmark = pytest.mark.integration

Sender = Callable[..., Any]

SESSION = Session(session_uri("secure"), (Question("Who may?"),))


def test_name_password_and_certificate_let_us_in(fuseki: Fuseki, sender: Sender) -> None:
    url = f"sparql+https://{USER}:{quote(PASSWORD, safe='')}@{fuseki.tls_place}/ds"
    target = sender(url, certificate=str(fuseki.certificates / "ca.pem"))
    for _ in range(2):
        target.check()
        assert target.send(parcels(SESSION)) == [None]
    with source(url) as there:
        assert there.session(SESSION.uri) == SESSION


def test_a_password_in_a_file_lets_us_in_and_is_read_again(fuseki: Fuseki, sender: Sender, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("wrong")
    target = sender(f"sparql+http://{USER}@{fuseki.place}/ds", token_file=str(file))
    with pytest.raises(Unreachable) as trouble:
        target.check()
    assert str(trouble.value) == f"http://{fuseki.place}/ds: does not know user 'ann' with this password"
    file.write_text(f"{PASSWORD}\n")
    assert target.send(parcels(SESSION)) == [None]


@pytest.mark.parametrize("user", ["ann:wrong@", "bob@", "ann:@"])
def test_a_wrong_name_or_password_is_named(fuseki: Fuseki, sender: Sender, user: str) -> None:
    url = f"sparql+http://{user}{fuseki.place}/ds"
    with pytest.raises(Unreachable, match=f"does not know user '{user[:3]}' with this password"):
        sender(url).send(parcels(SESSION))
    with source(url) as there, pytest.raises(FetchError, match="does not know user"):
        there.sessions()


def test_nobody_is_not_let_in(fuseki: Fuseki, sender: Sender) -> None:
    with pytest.raises(Unreachable, match=r"wants to know who asks \(OTEL_EXPORTER_PROV_TOKEN, _TOKEN_FILE, or name"):
        sender(f"sparql+http://{fuseki.place}/ds").send(parcels(SESSION))


@pytest.mark.parametrize("authority", ["other-ca.pem", ""])
def test_a_certificate_that_nobody_vouches_for_is_named(fuseki: Fuseki, sender: Sender, authority: str) -> None:
    certificate = str(fuseki.certificates / authority) if authority else ""
    with pytest.raises(
        Unreachable, match=r"is not vouched for by .*; name the right .* OTEL_EXPORTER_PROV_CERTIFICATE"
    ):
        sender(f"sparql+https://{fuseki.tls_place}/ds", certificate=certificate).send(parcels(SESSION))


def test_a_certificate_for_another_host_is_named(fuseki: Fuseki, sender: Sender) -> None:
    place = fuseki.tls_place.replace("localhost", "127.0.0.1")
    with pytest.raises(Unreachable, match="or is not for this host"):
        sender(f"sparql+https://{place}/ds", certificate=str(fuseki.certificates / "ca.pem")).send(parcels(SESSION))
