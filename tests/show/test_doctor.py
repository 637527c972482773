"""``otel-prov doctor`` tells whether the set-up works, with the remedy where it doesn't."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from otel_prov.checks.check import Check, bad, good
from otel_prov.deliver import endpoints
from otel_prov.deliver.alone import alone
from otel_prov.deliver.destination import Unreachable
from otel_prov.record.journal import Journal

from .sessions import line

Call = Callable[..., Result]


@pytest.fixture(autouse=True)
def only_the_store_is_set(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("OTEL_") and name != "OTEL_EXPORTER_PROV_STORE":
            monkeypatch.delenv(name)


def about(result: Result, subject: str) -> list[str]:
    return [line for line in result.stdout.splitlines() if line[6:].startswith(subject)]


class Probe:
    """A destination that can be looked at."""

    trouble: str | None = None
    closed = 0

    def __init__(self, url: str, store: str) -> None:
        pass

    def check(self) -> None:
        if self.trouble:
            raise Unreachable(self.trouble)

    def send(self, parcels: object) -> list[str | None]:
        raise AssertionError("nothing may be sent")

    def close(self) -> None:
        Probe.closed += 1


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Probe]]:
    """The destination of ``probe://``, which is the endpoint."""
    monkeypatch.setitem(endpoints._BUILT_IN, "probe", Probe)
    monkeypatch.setenv("OTEL_EXPORTER_PROV_ENDPOINT", "probe://ann:hush@there?token=hush")
    yield Probe
    Probe.trouble, Probe.closed = None, 0


def test_a_new_set_up_works_and_the_exit_code_says_so(call: Call, folder: Path) -> None:
    result = call("doctor")
    assert all(line.startswith("ok    ") for line in result.stdout.splitlines())
    assert about(result, "exporter prov")
    assert about(result, "store") == [f"ok    store: {folder} can be written"]
    assert about(result, "worker") == ["ok    worker: not needed, as OTEL_EXPORTER_PROV_ENDPOINT names no endpoint"]


def test_json_has_the_same_and_a_remedy_for_each_failure(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "console")
    monkeypatch.setenv("OTEL_EXPORTER_PROV_SHOP", "x")
    checks = json.loads(call("doctor", "--json", expect=1).stdout)
    failed = {check["subject"]: check["remedy"] for check in checks if not check["ok"]}
    assert failed == {
        "OTEL_EXPORTER_PROV_SHOP": "set OTEL_EXPORTER_PROV_SHAPE instead",
        "OTEL_TRACES_EXPORTER": "set it to console,prov",
    }
    assert not [check for check in checks if check["ok"] and check["remedy"]]


def test_an_endpoint_is_asked_and_let_go(call: Call, probe: type[Probe]) -> None:
    result = call("doctor")
    assert about(result, "endpoint") == ["ok    endpoint probe://there: reached, and lets us in"]
    assert probe.closed == 1
    assert "hush" not in result.output


@pytest.mark.parametrize("trouble", ["away; start it", "away"])
def test_an_endpoint_that_is_away_fails_with_its_remedy(call: Call, probe: type[Probe], trouble: str) -> None:
    probe.trouble = trouble
    remedy = "start it" if ";" in trouble else "see that it runs, and lets this machine in"
    result = call("doctor", expect=1)
    assert about(result, "endpoint") == [f"FAIL  endpoint probe://there: away; {remedy}"]
    assert probe.closed == 1


def test_what_there_is_beside_an_endpoint_has_lines_of_its_own(
    call: Call, probe: type[Probe], monkeypatch: pytest.MonkeyPatch
) -> None:
    def examine(self: Probe) -> Iterator[Check]:
        yield good("topic t", "there")
        yield bad("librarian", "away", "start it")

    monkeypatch.setattr(probe, "examine", examine, raising=False)
    shown = call("doctor", expect=1).stdout
    assert (
        "ok    endpoint probe://there: reached, and lets us in\nok    topic t: there\nFAIL  librarian: away; start it\n"
        in shown
    )
    assert probe.closed == 1


def test_what_does_not_come_to_an_end_is_left_alone(
    call: Call, probe: type[Probe], monkeypatch: pytest.MonkeyPatch
) -> None:
    forever = threading.Event()

    def examine(self: Probe) -> Iterator[Check]:
        yield good("topic t", "there")
        forever.wait()

    monkeypatch.setattr(probe, "examine", examine, raising=False)
    monkeypatch.setattr("otel_prov.show.doctor._LONGEST", 0.1)
    shown = call("doctor", expect=1).stdout
    forever.set()
    assert (
        "ok    topic t: there\nFAIL  endpoint probe://there: no answer within 0.1 s; see that all of it runs\n" in shown
    )


def test_an_endpoint_that_can_only_be_tried_by_sending_is_not_tried(
    call: Call, probe: type[Probe], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Blind:
        def __init__(self, url: str, store: str) -> None:
            self.send = self.close = probe(url, store).close

    monkeypatch.setitem(endpoints._BUILT_IN, "probe", Blind)
    result = call("doctor")
    assert about(result, "endpoint") == ["ok    endpoint probe://there: understood; it can only be tried by sending"]


@pytest.mark.parametrize(
    ("variable", "value", "what", "remedy"),
    [
        ("ENDPOINT", "broker:6650", "'broker:6650' is no endpoint", "write it like"),
        ("ENDPOINT", "ann:hush@broker:6650", "'***broker:6650' is no endpoint", "write it like"),
        ("ENDPOINT", "pigeon://loft", "nothing here sends to pigeon://", "known are"),
        ("SHAPE", "round", "there is no shape 'round'", "choose from"),
        ("TRACE_URL", "http://jaeger/", "no URL with {trace_id} in it", "write it like"),
    ],
)
def test_a_value_that_makes_no_sense_fails_with_its_remedy(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, what: str, remedy: str
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_ENDPOINT", (tmp_path / "out.nq").as_uri())
    monkeypatch.setenv(f"OTEL_EXPORTER_PROV_{variable}", value)
    result = call("doctor", expect=1)
    failed = [line for line in result.stdout.splitlines() if line.startswith("FAIL")]
    assert len(failed) == 1
    assert "hush" not in result.output
    assert what in failed[0].partition("; ")[0]
    assert remedy in failed[0].partition("; ")[2]


def test_a_file_is_looked_at_and_not_made(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_ENDPOINT", (tmp_path / "out.nq").as_uri())
    assert about(call("doctor"), "endpoint")[0].endswith("reached, and lets us in")
    assert not (tmp_path / "out.nq").exists()
    monkeypatch.setenv("OTEL_EXPORTER_PROV_ENDPOINT", (tmp_path / "nowhere" / "out.nq").as_uri())
    assert "there is no such folder; make" in about(call("doctor", expect=1), "endpoint")[0]


def test_the_worker_is_alive_not_needed_yet_or_missing(call: Call, folder: Path, probe: type[Probe]) -> None:
    assert about(call("doctor"), "worker") == ["ok    worker: not running, as nothing waits; an agent starts it"]
    with alone(folder):
        assert about(call("doctor"), "worker") == [f"ok    worker: running, process {os.getpid()}; 0 steps wait"]
    journal = Journal(folder)
    journal.write(line(1, "invoke_agent", end=1))
    journal.close()
    (told,) = about(call("doctor", expect=1), "worker")
    assert told == f"FAIL  worker: not running; run 'otel-prov deliver', and see {folder / 'worker.log'}"


def test_a_store_that_is_none_fails(call: Call, folder: Path) -> None:
    folder.mkdir()
    (folder / "journal").touch()
    (folder / "store.sqlite").write_text("no database")
    told = about(call("doctor", expect=1), "store")
    assert [line[:4] for line in told] == ["FAIL", "FAIL"], "journal and database"


def test_a_jaeger_that_is_away_fails(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp", reason="pip install opentelemetry-exporter-otlp")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp,prov")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{port}")
    assert "start what should listen there (Jaeger)" in about(call("doctor", expect=1), "OTLP")[0]


def test_the_command_works_in_a_process_of_its_own(run: Callable[..., subprocess.CompletedProcess[bytes]]) -> None:
    assert b"ok    exporter prov: found" in run("doctor").stdout
