"""Forward: every answer that rests on a source, or on a step of some session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from otel_prov.ask.node import FINAL, parse
from otel_prov.ask.why import Sessions
from otel_prov.describe import uris
from otel_prov.keep import Naming, Summary
from otel_prov.keep.sources import named_in
from otel_prov.read.nesting import outer_of
from otel_prov.steps import Session

__all__ = ["Affected", "Index", "Searched", "Use", "impact"]


class Index(Sessions, Protocol):
    """Sessions, and an index of what their steps name; :class:`otel_prov.keep.Store`."""

    def naming(self, source: str) -> Iterable[Naming]: ...


class Searchable(Sessions, Protocol):
    """Sessions elsewhere, which can be searched for a text; see :meth:`otel_prov.keep.Store.sessions`."""

    def sessions(self, *, text: str | None = None, limit: int | None = 50) -> list[Summary]: ...


class Searched:
    """An index of sessions elsewhere: those that a search for the source's name finds are read."""

    def __init__(self, there: Searchable) -> None:
        self._there = there

    def session(self, uri: str) -> Session | None:
        """One session."""
        return self._there.session(uri)

    def naming(self, source: str) -> Iterator[Naming]:
        """The steps that name a source or a part of it."""
        for summary in self._there.sessions(text=source, limit=None):
            if (session := self._there.session(summary.uri)) is not None:
                yield from named_in(session, source)


@dataclass(frozen=True, slots=True)
class Use:
    """Where a session took the source in."""

    number: int | None
    """Number of the iteration, where the step belongs to one."""
    source: str
    """The source as the step names it."""
    action: str | None
    """The tool that was called, where this step tells."""


@dataclass(frozen=True, slots=True)
class Affected:
    """A session that took a source in, and its answer, which rests on it."""

    session: str
    """URI of the session."""
    question: str | None
    started: datetime | None
    answer: str | None
    """``None`` where there is none yet, or it was not recorded."""
    answered: bool
    """Whether the session has come to an answer."""
    uses: tuple[Use, ...]
    through: str | None = None
    """URI of the session that was affected before, where this one used its answer."""


def impact(index: Index, source: str) -> list[Affected]:
    """Every session whose answer rests on a source, directly first, then through the answers of others.

    ``source`` is an address, the name of a file or document, any text that tools were called with, or the IRI of a step
    or a session. Parts count: a site's address means each of its pages.
    """
    found: dict[str, Affected] = {}
    waiting = list(_directly(index, source))
    while waiting:
        found.update({affected.session: affected for affected in waiting})
        waiting = [
            replace(further, through=affected.session)
            for affected in waiting
            if affected.answered
            for further in _using(index, affected.session)
            if further.session not in found
        ]
    return list(found.values())


def _directly(index: Index, source: str) -> Iterator[Affected]:
    """Those that name the source; of a step of a session, that session itself."""
    node = parse(source)
    if (session := index.session(node.session)) is None:
        yield from _naming(index, source)
        return
    is_whole = node.number == FINAL and node.part is None
    uses = () if is_whole else (Use(max(node.number, 0) or None, source, None),)
    yield _affected(session, uses)


def _using(index: Index, session: str) -> Iterator[Affected]:
    """The sessions that name a session, or inside of whose tool calls it ran."""
    found = [*_naming(index, session)]
    answer = uris.stage(session, uris.SYNTHESIS)
    if not answer.startswith(f"{session}/"):  # which is a part of the session by its name already
        found += _naming(index, answer)
    known = {affected.session for affected in found}
    yield from found
    yield from (affected for affected in _callers(index, session) if affected.session not in known)


def _callers(index: Index, uri: str) -> Iterator[Affected]:
    """The session inside of which one ran, where only that one tells of it."""
    inner = index.session(uri)
    outer = index.session(outer_of(inner.caller)) if inner and inner.caller else None
    if inner and inner.caller and outer and outer.uri != uri:
        yield _affected(outer, (Use(max(parse(inner.caller).number, 0) or None, uri, None),))


def _affected(session: Session, uses: tuple[Use, ...]) -> Affected:
    question = session.question
    return Affected(session.uri, question.text, question.started, session.answer, session.answered, uses)


def _naming(index: Index, source: str) -> Iterator[Affected]:
    """The sessions whose steps name a source, each once, with all its uses."""
    affected: dict[str, Affected] = {}
    for naming in index.naming(source):
        step = naming.step
        use = Use(getattr(step, "number", None), naming.source, getattr(step, "action", None))
        known = affected.get(naming.session)
        uses = (*known.uses, use) if known else (use,)
        affected[naming.session] = Affected(
            naming.session, naming.question, naming.started, naming.answer, naming.answered, uses
        )
    yield from affected.values()
