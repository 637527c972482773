"""What is told by the endpoint and by variables, and what is said where that can't be understood."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from otel_prov.environment import say_once

from otel_prov_exporter_pulsar.settings import BUS, read

URL = "pulsar://broker:6650"


def test_without_variables_everything_has_its_default() -> None:
    settings = read(URL)
    assert settings.url == URL
    assert settings.topic == "persistent://tg/flow/triples-store:default:default"
    assert settings.token is None
    assert settings.certificate is None
    assert settings.timeout == 30
    assert settings.admin == "http://broker:8080"
    assert settings.librarian is None


def test_every_variable_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "ca.pem").touch()
    told = {
        "OTEL_EXPORTER_PROV_WORKSPACE": "acme",
        "OTEL_EXPORTER_PROV_FLOW": "main",
        "OTEL_EXPORTER_PROV_TOKEN": " abc ",
        "OTEL_EXPORTER_PROV_CERTIFICATE": str(tmp_path / "ca.pem"),
        "OTEL_EXPORTER_PROV_TIMEOUT": "2.5",
        "OTEL_EXPORTER_PROV_LIBRARIAN_ENDPOINT": "https://gateway:8888",
        "OTEL_EXPORTER_PROV_LIBRARIAN_TOKEN": "def",
        "OTEL_EXPORTER_PROV_LIBRARIAN_WAIT": "7",
        "OTEL_EXPORTER_PROV_HEADERS": "x-tenant=acme",
        "PULSAR_ADMIN_URL": "https://broker:8443/",
    }
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    settings = read("pulsar+ssl://one:6651,two:6651")
    assert settings.topic == "persistent://tg/flow/triples-store:acme:main"
    assert settings.workspace == "acme"
    assert settings.token is not None
    assert settings.token() == "abc"
    assert settings.certificate == str(tmp_path / "ca.pem")
    assert (settings.timeout, settings.librarian_wait) == (2.5, 7)
    assert settings.admin == "https://broker:8443"
    assert settings.headers == {"x-tenant": "acme"}
    assert (settings.librarian, settings.librarian_token) == ("https://gateway:8888/", "def")


@pytest.mark.parametrize("value", ["soon", "nan", "0", "86401"])
def test_a_number_of_seconds_that_is_none_is_said_and_the_default_taken(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, value: str
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_TIMEOUT", value)
    say_once.cache_clear()
    assert read(URL).timeout == 30
    why = "no number of seconds above 0 and up to 86400; 30 is taken"
    assert caplog.messages == [f"OTEL_EXPORTER_PROV_TIMEOUT={value} is {why}"]


def test_trustgraphs_own_variable_gives_the_token_if_ours_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULSAR_API_KEY", "theirs")
    told = read(URL).token
    assert told is not None
    assert told() == "theirs"
    monkeypatch.setenv("OTEL_EXPORTER_PROV_TOKEN", "ours")
    told = read(URL).token
    assert told is not None
    assert told() == "ours"


def test_a_token_in_a_file_is_read_each_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("one\n")
    monkeypatch.setenv("OTEL_EXPORTER_PROV_TOKEN_FILE", str(file))
    told = read(URL).token
    assert told is not None
    assert told() == "one"
    file.write_text("two\n")
    assert told() == "two"


def test_the_librarian_can_be_asked_over_the_bus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_LIBRARIAN_ENDPOINT", "bus")
    assert read(URL).librarian == BUS


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("pulsar://", "OTEL_EXPORTER_PROV_ENDPOINT=pulsar://: no broker's address; write it as pulsar://broker:6650"),
        ("kafka://broker", "OTEL_EXPORTER_PROV_ENDPOINT=kafka://broker: no broker's address; "),
        ("pulsar://broker:x", "OTEL_EXPORTER_PROV_ENDPOINT=pulsar://broker:x: Port could not be cast"),
        ("pulsar://broker:6650/topic", "more than an address; write it as pulsar://broker:6650, a topic in OTEL_EXPO"),
    ],
)
def test_an_endpoint_that_is_no_brokers_address_is_named(url: str, said: str) -> None:
    with pytest.raises(ValueError, match=r"^OTEL_EXPORTER_PROV_ENDPOINT=") as fault:
        read(url)
    assert said in str(fault.value)


def test_a_secret_in_the_endpoint_is_not_repeated() -> None:
    with pytest.raises(ValueError, match="holds a name or password") as fault:
        read("pulsar://me:secret@broker:6650")
    assert "secret" not in str(fault.value)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("TOPIC", "two words", "OTEL_EXPORTER_PROV_TOPIC=two words: 'persistent://tg/flow/two words' is no name"),
        ("WORKSPACE", "a:b", "OTEL_EXPORTER_PROV_WORKSPACE=a:b: holds one of"),
        ("FLOW", "a/b", "OTEL_EXPORTER_PROV_FLOW=a/b: holds one of"),
        ("CERTIFICATE", "/nowhere/ca.pem", "OTEL_EXPORTER_PROV_CERTIFICATE=/nowhere/ca.pem: there is no such file"),
        ("TOKEN_FILE", "/nowhere/token", "OTEL_EXPORTER_PROV_TOKEN_FILE=/nowhere/token: there is no such file"),
        ("LIBRARIAN_ENDPOINT", "gateway:8888", "OTEL_EXPORTER_PROV_LIBRARIAN_ENDPOINT=gateway:8888: no web address"),
    ],
)
def test_a_variable_that_can_not_be_understood_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(f"OTEL_EXPORTER_PROV_{name}", value)
    with pytest.raises(ValueError, match=r"^OTEL_EXPORTER_PROV_") as fault:
        read(URL)
    assert str(fault.value).startswith(said)
    assert "\n" not in str(fault.value)


def test_two_ways_to_a_token_are_one_too_many(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_TOKEN", "abc")
    monkeypatch.setenv("OTEL_EXPORTER_PROV_TOKEN_FILE", str(tmp_path))
    with pytest.raises(ValueError, match="OTEL_EXPORTER_PROV_TOKEN and OTEL_EXPORTER_PROV_TOKEN_FILE are both set"):
        read(URL)


@pytest.mark.parametrize("content", ["", "[]", json.dumps({"issuer_url": "http://x"})])
def test_an_oauth2_file_that_says_too_little_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str
) -> None:
    file = tmp_path / "key.json"
    file.write_text(content)
    monkeypatch.setenv("OTEL_EXPORTER_PROV_OAUTH2_FILE", str(file))
    with pytest.raises(ValueError, match="no JSON object with issuer_url, client_id and client_secret"):
        read(URL)
