"""The index of what steps name: it says what the steps say now, whatever they said before."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_prov.keep import Store, schema
from otel_prov.keep.sources import sources
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session

PAGE = "https://example.org/prices?year=2026"


def session(*steps: object, uri: str = "urn:trustgraph:agent:1") -> Session:
    return Session(uri, (Question("How much?"), *steps))  # type: ignore[arg-type]


def named(store: Store, source: str) -> list[tuple[str, str]]:
    return [(naming.session, naming.source) for naming in store.naming(source)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"See {PAGE}.", {PAGE}),
        (f"({PAGE})", {PAGE}),
        ("https://e.org/a_(b)", {"https://e.org/a_(b)"}),
        ("[label](https://e.org/x), <https://e.org/y>", {"https://e.org/x", "https://e.org/y"}),
        ("urn:chunk:12 and s3://bucket/key; HTTPS://E.ORG/", {"urn:chunk:12", "s3://bucket/key", "HTTPS://E.ORG/"}),
        ("no address: at 12:30, C:\\file", set()),
    ],
)
def test_addresses_are_found_in_what_was_seen_without_the_punctuation_around_them(text: str, found: set[str]) -> None:
    assert sources(Observation(1, text)) == found


def test_what_a_tool_was_called_with_is_a_source_if_it_may_be_a_name() -> None:
    arguments = json.dumps(
        {"path": "report.pdf", "options": [{"page": 3, "part": "table 2"}], "text": "a\nb", "no": ""}
    )
    assert sources(Analysis(1, action="read", arguments=arguments)) == {"report.pdf", "table 2"}
    assert sources(Analysis(1, action="read", arguments="report.pdf")) == {"report.pdf"}
    assert sources(Analysis(1, action="read", arguments=json.dumps("x" * 501))) == set()


@given(st.text(), st.one_of(st.none(), st.text()))
def test_no_text_is_too_odd(text: str, arguments: str | None) -> None:
    for source in sources(Observation(1, text)) | sources(Analysis(1, arguments=arguments)):
        assert source in text or source in (arguments or "") or source in json.loads(arguments or "")


def test_parts_of_a_source_are_found_but_not_what_only_begins_alike(store: Store) -> None:
    pages = ["https://e.org/a", "https://e.org/a/b", "https://e.org/a?c=d", "https://e.org/a#e", "https://e.org/ab"]
    store.add([session(Observation(1, " ".join(pages)))])
    assert {source for _, source in named(store, "https://e.org/a")} == set(pages[:4])
    assert {source for _, source in named(store, "https://e.org/")} == set(pages)
    assert {source for _, source in named(store, "https://e.org")} == set(pages)
    assert named(store, "https://e.org/b") == []


def test_the_answer_comes_along(store: Store) -> None:
    store.add([session(Observation(1, PAGE), Conclusion("12 euros"))])
    (naming,) = store.naming(PAGE)
    assert (naming.question, naming.answer, naming.answered) == ("How much?", "12 euros", True)
    assert naming.step == Observation(1, PAGE)


def test_a_session_that_goes_on_is_found_by_what_it_names_now(store: Store) -> None:
    store.add([session(Analysis(1, action="fetch", arguments=json.dumps({"url": PAGE})))])
    assert len(store.naming(PAGE)) == 1
    store.add([session(Observation(1, "moved to https://e.org/new"), Conclusion("unknown"))])
    assert [naming.answered for naming in store.naming(PAGE)] == [True]
    assert named(store, "https://e.org") == [("urn:trustgraph:agent:1", "https://e.org/new")]


def test_what_is_pruned_is_no_longer_found(store: Store) -> None:
    store.add([session(Observation(1, PAGE))])
    assert store.prune(max_bytes=1).removed == 1
    assert store.naming(PAGE) == []


def test_a_store_from_before_the_index_is_brought_forward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(tmp_path) as store:
        store.add([session(Observation(1, PAGE))])
    with contextlib.closing(schema.connect(tmp_path / "store.sqlite")) as db:
        db.execute("DROP TABLE source")
        index = next(n for n, each in enumerate(schema.MIGRATIONS) if any("TABLE source" in str(line) for line in each))
        db.execute(f"PRAGMA user_version = {index}")
        monkeypatch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[: index + 1])
    with Store(tmp_path) as store:
        assert named(store, PAGE) == [("urn:trustgraph:agent:1", PAGE)]
