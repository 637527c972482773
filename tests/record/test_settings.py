"""What a configuration file says below `prov:` is what the variables would say."""

from __future__ import annotations

import logging
import os
import signal
import sys
from pathlib import Path

import pytest

from otel_prov import ProvSpanExporter, environment
from otel_prov.deliver.alone import other
from otel_prov.environment import given, headers, variable
from otel_prov.keep import Store

from .test_named import INSTALLED, ends, run


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


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (None, "can't be used: OTEL_CONFIG_FILE="),
        ("file_format: [", "can't be used: OTEL_CONFIG_FILE="),
        ("file_format: '1.0'\n", "OTEL_CONFIG_FILE does not name prov"),
    ],
)
def test_a_file_that_can_not_be_used_or_does_not_name_us_is_said_and_the_agent_goes_on(
    tmp_path: Path, text: str | None, found: str
) -> None:
    pytest.importorskip("opentelemetry.configuration", reason="pip install opentelemetry-configuration")
    file = tmp_path / "otel.yaml"
    if text is not None:
        file.write_text(text)
    done = run(tmp_path / "store", sys.executable, "-c", INSTALLED, OTEL_CONFIG_FILE=str(file))
    assert found in done.stderr
    assert done.stderr.count("(1 so far") == 1, "one reason, and one line of ours"
    assert ends(tmp_path / "store") == []


def test_the_worker_gets_what_the_file_says(tmp_path: Path) -> None:
    pytest.importorskip("opentelemetry.configuration", reason="pip install opentelemetry-configuration")
    (tmp_path / "otel.yaml").write_text(f"""
file_format: "1.0"
tracer_provider:
  processors:
    - simple:
        exporter:
          prov:
            store: {tmp_path / "store"}
            endpoint: [{(tmp_path / "out.nq").as_uri()}]
            shape: agent-session
            collection: pumps
""")
    waits = f"{INSTALLED}; import pathlib, time; out = pathlib.Path({str(tmp_path / 'out.nq')!r})\n"
    waits += "give_up = time.monotonic() + 50\n"
    waits += "while time.monotonic() < give_up and not (out.exists() and 'yes' in out.read_text()): time.sleep(0.05)\n"
    done = run(tmp_path / "elsewhere", sys.executable, "-c", waits, OTEL_CONFIG_FILE=str(tmp_path / "otel.yaml"))
    assert (done.stdout, done.stderr) == ("{}\n", "")
    assert "AgentFinal" in (tmp_path / "out.nq").read_text()
    with Store(tmp_path / "store") as store:
        assert [summary.collection for summary in store.sessions()] == ["pumps"]
    assert not (tmp_path / "elsewhere").exists()
    if process := other(tmp_path / "store"):
        os.kill(process, signal.SIGTERM)
