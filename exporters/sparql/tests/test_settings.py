"""What is told by the URL and by variables, and what is said where that can't be understood."""

from __future__ import annotations

from pathlib import Path

import pytest

from otel_prov_exporter_sparql.settings import read


@pytest.mark.parametrize(
    ("url", "update", "query"),
    [  # Fuseki, a dataset of it, Oxigraph, Stardog, RDF4J and GraphDB, Virtuoso, Blazegraph, QLever
        ("sparql+http://h:3030/ds/update", "http://h:3030/ds/update", "http://h:3030/ds/query"),
        ("sparql+http://h:3030/ds", "http://h:3030/ds", "http://h:3030/ds"),
        ("sparql+http://h:7878/update", "http://h:7878/update", "http://h:7878/query"),
        ("sparql+https://h/db/update", "https://h/db/update", "https://h/db/query"),
        ("sparql+http://h/repositories/r/statements", "http://h/repositories/r/statements", "http://h/repositories/r"),
        ("sparql+https://h:8890/sparql-auth", "https://h:8890/sparql-auth", "https://h:8890/sparql-auth"),
        ("sparql+http://h/ns/kb/sparql?a=b", "http://h/ns/kb/sparql?a=b", "http://h/ns/kb/sparql?a=b"),
        ("sparql+http://[::1]:7001", "http://[::1]:7001/", "http://[::1]:7001/"),
    ],
)
def test_updates_go_to_the_url_and_queries_to_what_follows_from_it(url: str, update: str, query: str) -> None:
    settings = read(url)
    assert (settings.update_url, settings.query_url) == (update, query)
    assert (settings.user, settings.secret, settings.certificate, settings.timeout) == (None, None, None, 30)


def test_name_and_password_stand_in_the_url_and_do_not_stay_there() -> None:
    settings = read("sparql+https://ann:p%40ss%3A%2Fw%C3%B6rd@host:1/ds")
    assert settings.update_url == "https://host:1/ds"
    assert settings.user == "ann"
    assert settings.secret is not None
    assert settings.secret() == "p@ss:/wörd"


def test_the_password_of_a_user_without_one_is_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_TOKEN", "secret")
    settings = read("sparql+https://ann@host/ds")
    assert settings.user == "ann"
    assert settings.secret is not None
    assert settings.secret() == "secret"


def test_a_token_in_a_file_is_read_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("one\n")
    monkeypatch.setenv("OTEL_EXPORTER_PROV_TOKEN_FILE", str(file))
    secret = read("sparql+http://host/ds").secret
    assert secret is not None
    assert secret() == "one"
    file.write_text("two\n")
    assert secret() == "two"


def test_what_was_told_for_another_endpoint_does_not_matter_to_one_with_a_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_TOKEN", "for Pulsar")
    secret = read("sparql+http://ann:pw@host/ds").secret
    assert secret is not None
    assert secret() == "pw"


@pytest.mark.parametrize(
    "url",
    [
        "sparql+http://",
        "sparql+http:///ds",
        "sparql+http://host:x/ds",
        "sparql+http://host:0/ds",
        "sparql+http://host/a b",
        "sparql+http://host/ds#part",
        "http://host/ds",
        "sparql+http://[::1/ds",
    ],
)
def test_what_is_no_address_is_said_to_be_none(url: str) -> None:
    with pytest.raises(ValueError, match="no address of a SPARQL store; write it like sparql"):
        read(url)


def test_a_password_is_not_repeated() -> None:
    with pytest.raises(ValueError, match="no address") as trouble:
        read("sparql+http://ann:hidden@host:x/ds")
    assert "hidden" not in str(trouble.value)


@pytest.mark.parametrize(
    ("variable", "value", "reason"),
    [
        ("CERTIFICATE", "nowhere.pem", "CERTIFICATE=nowhere.pem: there is no such file"),
        ("TOKEN_FILE", "nowhere", "TOKEN_FILE=nowhere: there is no such file"),
    ],
)
def test_a_variable_that_makes_no_sense_is_named(
    variable: str, value: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"OTEL_EXPORTER_PROV_{variable}", value)
    with pytest.raises(ValueError, match=f"OTEL_EXPORTER_PROV_{reason}"):
        read("sparql+http://host/ds")


@pytest.mark.parametrize("value", ["soon", "0", "nan"])
def test_the_default_is_taken_for_a_time_that_makes_no_sense(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_TIMEOUT", value)
    assert read("sparql+http://host/ds").timeout == 30.0


def test_headers_are_read_as_those_of_otlp_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_HEADERS", "X-Team=pumps%20east,x-key=1")
    assert read("sparql+http://host/ds").headers == {"x-team": "pumps east", "x-key": "1"}


def test_two_tokens_are_one_too_many(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "token").touch()
    monkeypatch.setenv("OTEL_EXPORTER_PROV_TOKEN", "abc")
    monkeypatch.setenv("OTEL_EXPORTER_PROV_TOKEN_FILE", str(tmp_path / "token"))
    with pytest.raises(ValueError, match="OTEL_EXPORTER_PROV_TOKEN and OTEL_EXPORTER_PROV_TOKEN_FILE are both set"):
        read("sparql+http://host/ds")
