"""``otel-prov follow``: a session on the screen as it grows, with what runs inside of its tool calls."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from otel_prov.keep import Store
from otel_prov.show import nested, rows
from otel_prov.show.lines import Row, Section
from otel_prov.show.page import Page

__all__ = ["Teller", "follow", "next_session"]

_PAUSE = 0.2  # seconds between two looks

_Path = tuple[str, ...]
"""The title of a section, and the headings in it that a row stands under."""


def next_session(store: Store, after: datetime) -> str:
    """Wait for the first session that starts after this, and give its URI."""
    while not (started := store.sessions(since=after)):
        _wait(store)
    return started[-1].uri


def follow(store: Store, uri: str, page: Page, depth: int) -> None:
    """Tell each part of a session, and of those inside of it, once, as soon as it is known, until it has ended."""
    teller = Teller(page)
    while True:
        session = store.session(uri)
        if session is None:  # pruned meanwhile
            return
        teller.tell(nested.tree(store, session, depth))
        if session.outcome not in rows.GOES_ON:
            return
        _wait(store)


def _wait(store: Store) -> None:
    time.sleep(_PAUSE)
    store.take_in()


class Teller:
    """Tells of a session that grows, and remembers what it has told."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._told: set[tuple[_Path, Row, int]] = set()
        self._texts: dict[tuple[_Path, str], str] = {}
        self._at: _Path = ()

    def tell(self, tree: nested.Tree) -> None:
        """Draw the rows that are new."""
        for section in _sections(tree):
            seen: Counter[tuple[_Path, Row]] = Counter()
            for headings, row in _under_headings(section.rows):
                path = (section.title, *map(_name, headings))
                seen[path, row] += 1
                if (path, row, seen[path, row]) not in self._told:
                    self._told.add((path, row, seen[path, row]))
                    self._draw(path, headings, row)

    def _draw(self, path: _Path, headings: list[Row], row: Row) -> None:
        """Draw a row; before it those of its headings that it isn't seen to stand under, since others came between."""
        same = next((i for i, (at, to) in enumerate(zip(self._at, path, strict=False)) if at != to), None)
        common = min(len(self._at), len(path)) if same is None else same
        draw = self._page.go_on if common else self._page.begin
        draw(Section(path[0], (*headings[max(common - 1, 0) :], self._new_lines(path, row))))
        self._at = (*path, _name(row)) if _is_heading(row) else path

    def _new_lines(self, path: _Path, row: Row) -> Row:
        """The row without the lines that were told before, when there were fewer."""
        told = self._texts.get((path, row.label))
        self._texts[path, row.label] = row.text
        return replace(row, text=row.text[len(told) + 1 :]) if told and row.text.startswith(f"{told}\n") else row


def _sections(tree: nested.Tree) -> Iterator[Section]:
    goes_on = tree.session.outcome in rows.GOES_ON
    yield rows.head(tree.session)
    yield from nested.acts(tree, live=goes_on)
    if not goes_on:
        yield rows.ending(tree.session)


def _under_headings(found: Iterable[Row]) -> Iterator[tuple[list[Row], Row]]:
    """Each row with the headings above it: of the sessions that it is inside of, and of the iterations of these."""
    headings: list[Row] = []
    for row in found:
        deepest = row.depth if row.session is None else row.depth - 1
        headings = [
            above
            for above in headings
            if above.depth <= deepest and not (row.is_title and above.is_title and above.depth == row.depth)
        ]
        yield headings, row
        if _is_heading(row):
            headings = [*headings, row]


def _is_heading(row: Row) -> bool:
    return row.is_title or row.session is not None


def _name(heading: Row) -> str:
    return heading.session or heading.label
