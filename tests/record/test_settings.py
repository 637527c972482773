"""What a configuration file says below `prov:` is what the variables would say."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from otel_prov import ProvSpanExporter, environment
from otel_prov.environment import given, headers, variable


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "_given", {})


def test_a_key_stands_in_place_of_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_COLLECTION", "by-variable")
    ProvSpanExporter(
        tmp_path,
        collection="by-file",
        endpoint=["pulsar://a:6650", "file:///out.nq"],
        capture_content=False,
        timeout=5,
        token=None,
    )
    assert variable("OTEL_EXPORTER_PROV_COLLECTION") == "by-file"
    assert given() == {
        "OTEL_EXPORTER_PROV_COLLECTION": "by-file",
        "OTEL_EXPORTER_PROV_ENDPOINT": "pulsar://a:6650,file:///out.nq",
        "OTEL_EXPORTER_PROV_CAPTURE_CONTENT": "false",
        "OTEL_EXPORTER_PROV_TIMEOUT": "5",
    }


@pytest.mark.parametrize(
    "value",
    [
        {"x-tenant": "a,b", "authorization": "Basic hush="},
        [{"name": "X-Tenant", "value": "a,b"}, {"name": "authorization", "value": "Basic hush="}],
        "x-tenant=a%2Cb, Authorization = Basic hush=",
    ],
)
def test_headers_may_be_written_as_opentelemetrys_own(tmp_path: Path, value: object) -> None:
    ProvSpanExporter(tmp_path, headers=value)
    assert headers() == {"x-tenant": "a,b", "authorization": "Basic hush="}


def test_a_header_that_is_none_is_said_without_its_value(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_HEADERS", "a=1,hush,,=hush,b=hush%0d%0aX: 1,c=3")
    environment.say_once.cache_clear()
    with caplog.at_level(logging.WARNING, "otel_prov"):
        assert headers() == {"a": "1", "c": "3"}
    assert [message.split(":")[1] for message in caplog.messages] == [
        f" number {number} is no name=value; it is left out" for number in (2, 4, 5)
    ]
    assert "hush" not in caplog.text


class Awkward:
    def __str__(self) -> str:
        raise RuntimeError("no")


def test_whatever_it_is_given_it_is_made_and_what_is_wrong_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    environment.say_once.cache_clear()
    with caplog.at_level(logging.WARNING, "otel_prov"):
        ProvSpanExporter(tmp_path, endpiont="pulsar://a:6650", zzzzzz=1, flow=Awkward())
    assert "endpiont is no setting of the exporter prov; endpoint may be meant" in caplog.text
    assert "zzzzzz is no setting of the exporter prov" in caplog.text
    assert "RuntimeError" in caplog.text
    assert given() == {}
