"""A session points at the page that shows its trace."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from click.testing import Result

from .sessions import a_session, uri

Call = Callable[..., Result]
Keep = Callable[..., None]

VARIABLE = "OTEL_EXPORTER_PROV_TRACE_URL"


@pytest.fixture
def url(call: Call, keep: Keep, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str | None]:
    """What ``show`` gives for the page, with a value of the variable."""
    keep(a_session(1))

    def url(value: str) -> str | None:
        monkeypatch.setenv(VARIABLE, value)
        found: str | None = json.loads(call("show", f"{1:032x}", "--format", "json").stdout)["trace_url"]
        text = call("show", f"{1:032x}").stdout
        assert (f"See it at        {found}\n" in text) if found else ("See it at" not in text)
        return found

    return url


def test_the_page_is_jaegers_of_this_machine_or_that_of_the_template(url: Callable[[str], str | None]) -> None:
    assert url("") == f"http://localhost:16686/trace/{1:032x}"
    assert url("https://traces.example/t/{trace_id}?view=1") == f"https://traces.example/t/{1:032x}?view=1"


@pytest.mark.parametrize("value", ["none", "None", " none "])
def test_no_page_is_named_where_there_is_none(url: Callable[[str], str | None], value: str) -> None:
    assert url(value) is None


def test_a_session_without_a_trace_has_no_page(call: Call, keep: Keep) -> None:
    keep(replace(a_session(2), trace_id=None))
    assert json.loads(call("show", uri(2), "--format", "json").stdout)["trace_url"] is None


@pytest.mark.parametrize("value", ["http://jaeger/trace/", "jaeger/{trace_id}", "{trace}"])
def test_a_template_that_makes_no_sense_is_said_and_jaegers_is_taken(
    call: Call, keep: Keep, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    keep(a_session(1))
    monkeypatch.setenv(VARIABLE, value)
    result = call("show", "latest")
    assert f"See it at        http://localhost:16686/trace/{1:032x}\n" in result.stdout
    assert f"{VARIABLE}={value} is no URL with {{trace_id}} in it; http://localhost:16686/" in result.stderr
