"""``otel-prov follow``: a session on the screen as it grows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime

from otel_prov.keep import Store
from otel_prov.show import rows
from otel_prov.show.lines import Row, Section
from otel_prov.show.page import Page
from otel_prov.steps import Session

__all__ = ["follow", "next_session"]

_GOES_ON = (rows.RUNNING, rows.WAITING)
_PAUSE = 0.2  # seconds between two looks


def next_session(store: Store, after: datetime) -> str:
    """Wait for the first session that starts after this, and give its URI."""
    while not (started := store.sessions(since=after)):
        _wait(store)
    return started[-1].uri


def follow(store: Store, uri: str, page: Page) -> None:
    """Tell each part of a session once, as soon as it is known, until the session has ended."""
    teller = _Teller(page)
    while True:
        session = store.session(uri)
        if session is None:  # pruned meanwhile
            return
        teller.tell(session)
        if session.outcome not in _GOES_ON:
            return
        _wait(store)


def _wait(store: Store) -> None:
    time.sleep(_PAUSE)
    store.take_in()


class _Teller:
    """Remembers what it has told."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._told: set[tuple[str, Row]] = set()
        self._title: str | None = None

    def tell(self, session: Session) -> None:
        """Draw what is new."""
        for section in _sections(session):
            new = Section(section.title, tuple(row for row in section.rows if (section.title, row) not in self._told))
            if not new.rows:
                continue
            draw = self._page.go_on if new.title == self._title else self._page.begin
            draw(new)
            self._title = new.title
            self._told.update((new.title, row) for row in new.rows)


def _sections(session: Session) -> Iterator[Section]:
    running = session.outcome in _GOES_ON
    acts = list(rows.acts(session))
    if running and acts and {row.label for row in acts[-1].rows} <= {"Thought", "Span"}:
        acts.pop()  # a last iteration that only thought, so far, may turn out to be the conclusion's
    yield rows.head(session)
    yield from acts
    if not running:
        yield rows.ending(session)
