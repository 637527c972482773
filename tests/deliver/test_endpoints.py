"""Endpoints, and what the destinations behind them need."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from otel_prov.deliver.destination import Parcel, Unreachable
from otel_prov.deliver.endpoints import Endpoint, configured, endpoints, open_destination
from otel_prov.deliver.file import FileDestination
from otel_prov.describe.quads import Literal, Quad

from .conftest import Probe, Run

PARCEL = Parcel(1, "urn:s", "urn:s", "default", [Quad("urn:s", "urn:p", Literal("é\n"), "urn:g")])


def test_several_endpoints_and_a_list_of_brokers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_ENDPOINT", "pulsar://a:1,b:2 , file:///out.nq,")
    monkeypatch.setenv("OTEL_EXPORTER_PROV_SHAPE", "agent-session,trustgraph")
    assert configured() == [Endpoint("pulsar://a:1,b:2", "agent-session"), Endpoint("file:///out.nq", "trustgraph")]


def test_each_endpoint_may_have_a_view_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_ENDPOINT", "pulsar://a,file:///out.nq")
    monkeypatch.setenv("OTEL_EXPORTER_PROV_VIEW", ",prov")
    assert [each.view for each in configured()] == ["explanation", "prov"]
    assert [each.view for each in configured(view="both")] == ["both", "both"]
    with pytest.raises(
        ValueError, match=r"OTEL_EXPORTER_PROV_VIEW: there is no view 'all'; choose from explanation, pr"
    ):
        configured(view="all")


def test_nothing_is_configured_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_PROV_ENDPOINT", raising=False)
    assert configured() == []


def test_an_endpoint_is_known_without_its_credentials() -> None:
    (endpoint,) = endpoints(["sparql+http://user:secret@host:1/ds?graph=g&access_token=secret#x"])
    assert endpoint.identity == "sparql+http://host:1/ds?graph=g"


@pytest.mark.parametrize(
    ("urls", "shape", "message"),
    [
        (["broker:6650"], None, "'broker:6650' is no endpoint; write it like pulsar://broker:6650"),
        (["pulsar://["], None, "is no endpoint"),
        (["pulsar://a"], "round", "there is no shape 'round'; choose from"),
        (["pulsar://a"], "trustgraph,trustgraph", "2 shapes for 1 endpoints; give one, or one for each"),
    ],
)
def test_what_cannot_be_understood_is_named_with_the_remedy(urls: list[str], shape: str | None, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        endpoints(urls, shape)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        pytest.param(
            "sparql+http://host/",
            "needs a package that is missing; pip install otel-prov-exporter-sparql",
            marks=pytest.mark.skipif(find_spec("otel_prov_exporter_sparql") is not None, reason="it is not missing"),
        ),
        ("foo://host", "nothing here sends to foo://; known are file, "),
        ("probe-missing://x", "no_such_module:thing can't be loaded (ModuleNotFoundError: "),
        ("probe-failing://x", "OTEL_EXPORTER_PROBE=x: no such thing; give another"),
        ("file://out.nq", "no file of this machine; write it with three slashes, file:///path/out.nq"),
    ],
)
def test_a_destination_that_cannot_be_had_is_one_line(run: Run, probe: Probe, url: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        open_destination(Endpoint(url), "store")
    done = run("deliver", "--to", url, expect=1)
    assert message in done.stderr.splitlines()[-1]


def test_without_an_endpoint_the_command_says_what_to_set(run: Run) -> None:
    done = run("deliver", expect=2)
    assert done.stderr.startswith("otel-prov: Say where to: set OTEL_EXPORTER_PROV_ENDPOINT=pulsar://broker:6650")
    assert done.stderr.count("\n") == 1


def test_status_before_anything_was_sent(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Nothing is sent anywhere; set OTEL_EXPORTER_PROV_ENDPOINT" in run("status").stdout
    monkeypatch.setenv("OTEL_EXPORTER_PROV_ENDPOINT", "pulsar://broker:6650")
    assert "pulsar://broker:6650\n  Pending      0\n" in run("status").stdout
    (destination,) = json.loads(run("status", "--json").stdout)["destinations"]
    assert destination == {
        "destination": "pulsar://broker:6650",
        "pending": 0,
        "sent": 0,
        "failed": {},
        "quarantined": 0,
        "last_error": None,
        "last_error_time": None,
        "lag": None,
    }


def test_a_file_is_appended_to_whole_lines_only(tmp_path: Path) -> None:
    out = tmp_path / "out.nq"
    out.write_text("torn")
    destination = FileDestination(f"file://{out}", "store")
    assert destination.send([PARCEL, PARCEL]) == [None, None]
    line = '<urn:s> <urn:p> "é\\n" <urn:g> .'
    assert out.read_text(encoding="utf-8").splitlines() == ["torn", line, line]
    destination.close()


def test_a_full_disk_leaves_no_half_of_a_batch(small_disk: Path) -> None:
    out = small_disk / "out.nq"
    destination = FileDestination(f"file://{out}", "store")
    destination.send([PARCEL])
    before = out.read_bytes()
    large = Parcel(2, "urn:s", "urn:s", "default", [Quad("urn:s", "urn:p", Literal("x" * 2_000_000))])
    with pytest.raises(Unreachable, match="No space left"):
        destination.send([PARCEL, large])
    assert out.read_bytes() == before
