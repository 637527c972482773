"""What is installed and set is told as it is understood, and what is wrong with its remedy."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from otel_prov.checks import setup
from otel_prov.checks.check import Check


def lines(checks: Iterator[Check]) -> list[str]:
    return [check.mark + str(check) for check in checks]


def test_packages_are_told_with_their_versions() -> None:
    (line,) = lines(setup.packages())
    assert f"otel-prov {version('otel-prov')}" in line
    assert f"opentelemetry-sdk {version('opentelemetry-sdk')}" in line


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("OTEL_EXPORTER_PROV_STORE", "/var/x", "ok    OTEL_EXPORTER_PROV_STORE: /var/x"),
        ("OTEL_EXPORTER_PROV_WORKER", " ON", "ok    OTEL_EXPORTER_PROV_WORKER: true"),
        ("OTEL_EXPORTER_PROV_TOKEN", "hush", "ok    OTEL_EXPORTER_PROV_TOKEN: set, not shown"),
        ("OTEL_EXPORTER_PROV_TOKEN_FILE", "/run/t", "ok    OTEL_EXPORTER_PROV_TOKEN_FILE: /run/t"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "a=hush", "ok    OTEL_EXPORTER_OTLP_HEADERS: set, not shown"),
        (
            "OTEL_EXPORTER_PROV_ENDPOINT",
            "sparql+http://ann:hush@h/q?apikey=hush&graph=g",
            "ok    OTEL_EXPORTER_PROV_ENDPOINT: sparql+http://***h/q?***&graph=g",
        ),
        (
            "OTEL_EXPORTER_PROV_CAPTURE_CONTENT",
            "flase",
            "FAIL  OTEL_EXPORTER_PROV_CAPTURE_CONTENT: 'flase' is neither true nor false, and taken for false; "
            "write true or false",
        ),
        (
            "OTEL_EXPORTER_PROV_RETENTION",
            "30",
            "FAIL  OTEL_EXPORTER_PROV_RETENTION: '30' is no age and no size, so nothing is removed; "
            "write it like 30d or 10GiB",
        ),
        ("OTEL_EXPORTER_PROV_RETENTION", "30d, 10GiB", "ok    OTEL_EXPORTER_PROV_RETENTION: 30d, 10GiB"),
        ("OTEL_EXPORTER_PROV_HEADERS", "a=hush", "ok    OTEL_EXPORTER_PROV_HEADERS: set, not shown"),
        (
            "OTEL_EXPORTER_PROV_TOEKN",
            "hush",
            "FAIL  OTEL_EXPORTER_PROV_TOEKN: no variable of otel-prov, so nobody reads it; "
            "set OTEL_EXPORTER_PROV_TOKEN instead",
        ),
    ],
)
def test_a_variable_is_told_as_it_is_understood(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, line: str
) -> None:
    monkeypatch.setenv(name, value)
    assert lines(setup.variables()) == [line]


def test_exporters_are_told_with_what_they_are_and_those_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines(setup.exporters()) == [
        "ok    OTEL_TRACES_EXPORTER: not set, which install() takes for prov and opentelemetry-instrument for otlp",
        "ok    exporter prov: found, otel_prov.record.exporter:ProvSpanExporter",
    ]
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "prov,carrier_pigeon")
    assert lines(setup.exporters())[1:] == [
        "FAIL  exporter carrier_pigeon: not installed; install the package that brings it, or leave it out"
    ]


def test_an_exporter_whose_module_is_gone_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "find_spec", lambda module: None)
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp,prov")
    assert lines(setup.exporters()) == [
        "FAIL  exporter otlp: not installed; pip install opentelemetry-exporter-otlp",
        "FAIL  exporter prov: not installed; pip install otel-prov",
    ]


@pytest.mark.parametrize(("value", "remedy"), [("none", "prov"), ("console", "console,prov")])
def test_a_variable_that_does_not_name_ours_is_wrong(monkeypatch: pytest.MonkeyPatch, value: str, remedy: str) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", value)
    assert lines(setup.exporters())[0] == (
        f"FAIL  OTEL_TRACES_EXPORTER: {value} does not name prov, so no session is recorded; set it to {remedy}"
    )


def test_a_disabled_sdk_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_SDK_DISABLED", "True")
    assert lines(setup.exporters())[0] == "FAIL  OTEL_SDK_DISABLED: true, so nothing is traced; unset it"


@pytest.mark.parametrize(
    ("sampler", "argument", "ok"),
    [
        ("always_on", "", True),
        ("always_off", "", False),
        ("parentbased_traceidratio", "0.1", False),
        ("parentbased_traceidratio", "1", True),
        ("prov_parentbased_traceidratio", "0.1", True),
        ("prov_parentbased_traceidratio", "", True),
        ("prov_parentbased_traceidratio", "ten", False),
        ("no_such_sampler", "", False),
    ],
)
def test_a_sampler_that_drops_sessions_is_wrong(
    monkeypatch: pytest.MonkeyPatch, sampler: str, argument: str, ok: bool
) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", sampler)
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", argument)
    (check,) = setup.sampling()
    assert check.ok == ok
    assert bool(check.remedy) != ok


def test_without_a_sampler_there_is_nothing_to_tell() -> None:
    assert list(setup.sampling()) == []


def test_a_folder_is_writable_or_what_to_do_is_told(tmp_path: Path) -> None:
    assert lines(setup.writable(tmp_path / "store")) == [f"ok    store: {tmp_path / 'store'} can be written"]
    assert list((tmp_path / "store" / "journal").iterdir()) == []
    (tmp_path / "file").touch()
    (line,) = lines(setup.writable(tmp_path / "file"))
    assert line.startswith("FAIL  store: ")
    assert line.endswith("set OTEL_EXPORTER_PROV_STORE to another folder")


@pytest.mark.parametrize(
    ("text", "mark", "found"),
    [
        ("exporter:\n  prov:\n", "ok  ", "names the exporter prov; it decides, and variables about exporters do not"),
        ("exporter:\n  # prov:\n", "FAIL", "does not name the exporter prov, so no session is recorded"),
        (None, "FAIL", "can't be read"),
    ],
)
def test_a_configuration_file_decides_in_place_of_the_variables(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str | None, mark: str, found: str
) -> None:
    pytest.importorskip("opentelemetry.configuration", reason="pip install opentelemetry-configuration")
    if text is not None:
        (tmp_path / "otel.yaml").write_text(text)
    monkeypatch.setenv("OTEL_CONFIG_FILE", str(tmp_path / "otel.yaml"))
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "carrier_pigeon")
    (line,) = lines(setup.exporters())
    assert line.startswith(mark)
    assert found in line
