"""Sources that packages bring, found by the scheme of the URL behind ``--from``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint

import pytest
from click.testing import Result

from otel_prov.fetch import FetchError, Source, source, summary
from otel_prov.keep import Summary
from otel_prov.names import session_uri
from otel_prov.steps import Conclusion, Question, Session

Call = Callable[..., Result]

SESSION = Session(session_uri("1"), (Question("Who wrote this?"), Conclusion("Ada.")))


class Elsewhere:
    """A source of one session."""

    def __init__(self, url: str, collection: str | None) -> None:
        self.place = f"{url}, collection {collection}"
        self.is_empty = "empty" in url

    def sessions(self, **chosen: object) -> list[Summary]:
        return [] if self.is_empty else [summary(SESSION, None)]

    def session(self, uri: str) -> Session | None:
        return SESSION

    def inside(self, uri: str) -> list[str]:
        return []

    def find(self, reference: str) -> list[str]:
        return [] if self.is_empty else [SESSION.uri]


@contextmanager
def elsewhere(url: str, collection: str | None) -> Iterator[Elsewhere]:
    if "closed" in url:
        raise FetchError(f"{url}: is closed; come back later")
    yield Elsewhere(url, collection)


@pytest.fixture(autouse=True)
def packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two packages that bring a source."""
    brought = {
        "else": EntryPoint("else", "tests.fetch.test_sources:elsewhere", source.GROUP),
        "broken": EntryPoint("broken", "no_such_module:thing", source.GROUP),
    }

    def entry_points(group: str, name: str | None = None) -> list[EntryPoint]:
        assert group == source.GROUP
        return [entry for entry in brought.values() if name in (None, entry.name)]

    monkeypatch.setattr(source, "entry_points", entry_points)


def test_a_source_is_listed_and_shown_by_its_scheme(call: Call) -> None:
    assert isinstance(Elsewhere("", None), Source)
    assert "Who wrote this?" in call("list", "--from", "else://host/x").stdout
    assert "Ada." in call("show", "1", "--from", "else://host/x").stdout


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("else://closed", "else://closed: is closed; come back later"),
        ("else://empty", "no sessions in else://empty, collection x"),
        (
            "broken://host",
            "no_such_module:thing can't be loaded (ModuleNotFoundError: No module named 'no_such_module')",
        ),
        (
            "sparql+https://host/ds",
            "reading from sparql+https:// needs a package that is missing; pip install otel-prov-exporter-sparql",
        ),
    ],
)
def test_what_cannot_be_read_is_one_line(call: Call, url: str, said: str) -> None:
    assert call("list", "--from", url, "--collection", "x", expect=1).stderr == f"otel-prov: {said}\n"


def test_a_scheme_that_nobody_knows_is_no_address(call: Call) -> None:
    assert "write it like http://gateway:8888" in call("list", "--from", "other://host", expect=2).stderr
