"""Whatever stands in the texts of a session, a terminal is never told to do anything, and JSON stays JSON."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from otel_prov.describe.formats import FORMATS, write
from otel_prov.keep import Store
from otel_prov.show.document import session_document
from otel_prov.show.escape import json_text, one_line, rdf_text, visible
from otel_prov.show.nested import Tree, whole
from otel_prov.show.page import Page
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session
from tests.command import invoke
from tests.rdf import read_rdf

from .sessions import PARSERS, STARTED, uri

_HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\U000e0000-\U000e007f]")
_TRICKS = [
    "\x1b[31m",
    "\x1b]0;title\x07",
    "\x9b2J",
    "\r",
    "\u202e",
    "\u2066",
    "\U000e0041",
    "[bold]",
    "[/]",
    "\\",
    ":x:",
]
_RDF = [f"show latest --shape agent-session --format {format}" for format in FORMATS]
texts = st.lists(st.sampled_from(_TRICKS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=9)).map("".join)


@st.composite
def sessions(draw: st.DrawFn) -> Session:
    """A session with any text in every place."""
    optional = st.none() | texts
    return Session(
        uri(1),
        (
            Question(draw(optional), STARTED),
            Analysis(1, draw(optional), draw(optional), draw(optional)),
            Observation(1, draw(optional), draw(optional)),
            Observation(1, draw(optional), draw(optional), 2, draw(optional), draw(optional)),
            Conclusion(draw(optional), draw(optional)),
        ),
        collection=draw(optional),
        agent=draw(optional),
        user=draw(optional),
        model=draw(optional),
        error=draw(optional),
    )


@given(sessions())
def test_no_text_reaches_a_terminal_as_more_than_letters(session: Session) -> None:
    for terminal in (True, False):
        screen = Console(file=io.StringIO(), force_terminal=terminal, color_system=None, markup=False, emoji=False)
        page = Page(screen, full=True)
        for section in whole(Tree(session)):
            page.begin(section)
        assert not _HARMFUL.search(screen.file.getvalue())  # type: ignore[attr-defined]


@given(sessions(), st.sampled_from(list(FORMATS)))
def test_rdf_means_the_same_and_is_harmless_too(session: Session, format: str) -> None:
    written = io.BytesIO()
    write([session], format, "agent-session", written)
    text = rdf_text(written.getvalue().decode(), format)
    assert not _HARMFUL.search(text)
    assert _triples(text, format) == _triples(written.getvalue().decode(), format)


def _triples(text: str, format: str) -> set[object]:
    return {quad[:3] for quad in read_rdf(text, PARSERS[format]).quads()}


@given(sessions())
def test_json_parses_back_equal_and_is_harmless_too(session: Session) -> None:
    document = session_document(Tree(session))
    text = json_text(document)
    assert json.loads(text) == document
    assert not _HARMFUL.search(text)
    assert text.encode()


def test_every_command_is_safe_at_its_door(tmp_path: Path) -> None:
    trick = "".join(_TRICKS)
    folder = tmp_path / "store"
    steps = Question(trick, STARTED), Analysis(1, trick, trick, trick), Observation(1, trick), Conclusion(trick)
    with Store(folder) as store:
        store.add([Session(uri(1), steps, agent=trick)])
        kept = store.session(uri(1))
    assert kept
    for command in ("list", "show latest", "follow latest", "list --json", "show latest --format json", *_RDF):
        result = invoke("--store", folder, *command.split())
        assert result.exit_code == 0
        assert not _HARMFUL.search(result.stdout)
        if command == "list --json":
            assert json.loads(result.stdout)[0]["question"] == trick
        elif command == "show latest --format json":
            assert json.loads(result.stdout) == session_document(Tree(kept))
        elif command in _RDF:
            assert r"[bold][/]" in result.stdout
        else:
            assert r"\x1b[31m\x1b]0;title\x07\x9b2J" in result.stdout
            assert r"\u202e\u2066\U000e0041[bold][/]\:x:" in result.stdout


def test_complaints_spell_what_a_user_typed(tmp_path: Path) -> None:
    result = invoke("--store", tmp_path, "import", "\x1b[31m\n.nq")
    assert "\x1b" not in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, ünïcödé 鍵 🔑", "plain, ünïcödé 鍵 🔑"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("two\r\nlines", "two\nlines"),
        ("over\rwritten", r"over\rwritten"),
        ("\x1b[0m\x00\x9b", r"\x1b[0m\x00\x9b"),
        ("abc\u202edef\u2069", r"abc\u202edef\u2069"),
        ("\ud800", r"\ud800"),
        ("family 👩\u200d👧", "family 👩\u200d👧"),
    ],
)
def test_what_could_do_harm_is_spelled_and_nothing_else_is(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_on_one_line_all_space_is_one_space() -> None:
    assert one_line(" a\r\n\tb  \u2028c ") == "a b c"
