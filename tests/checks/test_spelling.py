"""A variable with a misspelled name is told of, with the one that may be meant."""

from __future__ import annotations

import logging

import pytest

from otel_prov import environment
from otel_prov.checks.spelling import misspelled, tell_misspelled


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("OTEL_EXPORTER_PROV_ENDPIONT", "OTEL_EXPORTER_PROV_ENDPOINT"),
        ("OTEL_EXPORTER_PROV_CAPTURE_CONTENTS", "OTEL_EXPORTER_PROV_CAPTURE_CONTENT"),
        ("OTEL_EXPORTER_PROV_TOKENFILE", "OTEL_EXPORTER_PROV_TOKEN_FILE"),
        ("OTEL_PROV_STORE", "OTEL_EXPORTER_PROV_STORE"),
        ("OTEL_EXPORTERS_PROV_WORKER", "OTEL_EXPORTER_PROV_WORKER"),
        ("OTEL_EXPORTER_PROV_QUX", None),
    ],
)
def test_a_name_like_ours_is_found_with_the_nearest_one(
    monkeypatch: pytest.MonkeyPatch, name: str, meant: str | None
) -> None:
    monkeypatch.setenv(name, "x")
    assert misspelled() == {name: meant}


def test_our_own_and_those_of_others_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in vars(environment):
        if name.startswith("OTEL_"):
            monkeypatch.setenv(name, "x")
    for name in ("OTEL_TRACES_EXPORTER", "OTEL_PYTHON_TRACER_PROVIDER", "PROV_STORE", "OTEL_SERVICE_NAME"):
        monkeypatch.setenv(name, "x")
    assert misspelled() == {}


def test_it_is_said_once_and_without_the_value(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_TOEKN", "hush")
    with caplog.at_level(logging.WARNING, "otel_prov"):
        tell_misspelled()
        tell_misspelled()
    (said,) = caplog.messages
    assert said == "OTEL_EXPORTER_PROV_TOEKN is no variable of otel-prov; OTEL_EXPORTER_PROV_TOKEN may be meant"
