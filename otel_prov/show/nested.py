"""Sessions inside of sessions: a retrieval, or another agent, under the tool call that it ran for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from otel_prov.describe.uris import ITERATION, WHOLE
from otel_prov.names import AGENT
from otel_prov.read.nesting import last_node, outer_of
from otel_prov.show import rows
from otel_prov.show.elsewhere import Sessions
from otel_prov.show.lines import NOT_RECORDED, Row, Section
from otel_prov.show.plans import Place
from otel_prov.show.table import type_of
from otel_prov.show.terms import Name, short
from otel_prov.steps import Finding, Observation, Session, StepResult

__all__ = ["Tree", "acts", "tree", "whole"]

Places = Mapping[Place, "list[Tree]"]
"""The sessions inside of another one, by the call that they ran for."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A session, and those that ran inside of it."""

    session: Session
    inner: tuple[Tree, ...] = ()
    deeper: tuple[Session, ...] = ()
    """Those that are not looked into: they are too deep inside."""
    is_orphan: bool = False
    """Whether what it ran inside of isn't there."""

    def sessions(self) -> Iterator[Session]:
        """The session, and all inside that are looked into."""
        yield self.session
        for each in self.inner:
            yield from each.sessions()

    def by_place(self) -> Places:
        """The sessions inside, by the call, the step, or the part of the work that they ran for."""
        links = {step.sub_trace: _place(step) for step in _linking(self.session)}
        places: dict[Place, list[Tree]] = {}
        for each in (*self.inner, *map(Tree, self.deeper)):
            usual = self._usual(each.session.caller or "")
            place = links.get(last_node(each.session), usual)
            places.setdefault(place if _agree(place, usual) else usual, []).append(each)
        return places

    def _usual(self, caller: str) -> Place:
        """Where a session ran, as far as its caller tells."""
        if match := ITERATION.fullmatch(caller):
            return int(match[2]), 1
        match = WHOLE.fullmatch(caller)
        return match[2] if match else (0, 1)

    def missing(self) -> Iterator[Observation | StepResult | Finding]:
        """Observations and results that derive from a session that isn't there."""
        there = {last_node(each.session) for each in (*self.inner, *map(Tree, self.deeper))}
        started = {each.session.uri for each in self.inner}
        for step in _linking(self.session):
            known = step.sub_trace is None or step.sub_trace in there
            if not known and not any(str(step.sub_trace).startswith(uri) for uri in started):
                yield step


def _linking(session: Session) -> Iterator[Observation | StepResult | Finding]:
    """The steps that may tell of a session which ran for them."""
    yield from session.of(Observation)
    yield from session.parts


def _place(step: Observation | StepResult | Finding) -> Place:
    return (step.number, step.call) if isinstance(step, Observation) else step.place


def _agree(place: Place, usual: Place) -> bool:
    """Whether what links to a session, and that session itself, name the same iteration, or steps and parts alike."""
    if isinstance(place, str) or isinstance(usual, str):
        return isinstance(place, str) and isinstance(usual, str)
    return place[0] == usual[0]


def tree(store: Sessions, session: Session, depth: int) -> Tree:
    """The session with what ran inside of it, so many levels deep."""
    outer = outer_of(session.caller) if session.caller else None
    return replace(_tree(store, session, depth), is_orphan=outer is not None and store.session(outer) is None)


def _tree(store: Sessions, session: Session, depth: int) -> Tree:
    found = [each for uri in store.inside(session.uri) if (each := store.session(uri)) is not None]
    if depth <= 0:
        return Tree(session, deeper=tuple(found))
    return Tree(session, tuple(_tree(store, each, depth - 1) for each in found))


def whole(tree: Tree, name: Name = short) -> Iterator[Section]:
    """Everything about a session, from the question to the answer, and about those inside of it."""
    session = tree.session
    head = [*rows.head(session).rows]
    if tree.is_orphan:
        head = [replace(row, text=f"{row.text} (not here)") if row.label == "Called by" else row for row in head]
    yield Section("", (*head, *rows.ending(session).rows))
    yield from acts(tree, name)


def acts(tree: Tree, name: Name = short, *, live: bool = False) -> Iterator[Section]:
    """What was done, with what ran inside of it; see :func:`otel_prov.show.rows.acts`."""
    return rows.acts(tree.session, _inner(tree, 1, name, live), name, live=live)


def _inner(tree: Tree, depth: int, name: Name, live: bool) -> dict[Place, list[Row]]:
    """Rows for what ran inside of each call."""
    deeper = {each.uri for each in tree.deeper}
    found = {
        place: [row for each in trees for row in _drawn(each, depth, name, live, folded=each.session.uri in deeper)]
        for place, trees in tree.by_place().items()
    }
    for step in () if live else tree.missing():
        gap = Row("Sub-trace", f"{step.sub_trace} (not here)", "yellow", depth)
        found.setdefault(_place(step), []).append(gap)
    return found


def _drawn(tree: Tree, depth: int, name: Name, live: bool, *, folded: bool) -> Iterator[Row]:
    session = tree.session
    text = NOT_RECORDED if session.question.text is None else session.question.text
    yield Row(type_of(session.kind, session.pattern), text, "bold", depth, session=session.uri)
    if folded:
        yield Row("Session", f"{session.uri} (deeper inside, --depth)", "dim", depth)
        return
    yield Row("Session", session.uri, "dim", depth)
    yield from (replace(row, depth=depth) for row in rows.span("Span", session.question))
    goes_on = live and session.outcome in rows.GOES_ON
    outcome = [row for row in rows.ending(session).rows if row.label == "Outcome" and session.outcome != "final"]
    if not live:
        yield from (replace(row, depth=depth) for row in outcome)
    for section in rows.acts(session, _inner(tree, depth + 1, name, live), name, live=goes_on):
        if session.kind == AGENT:
            yield Row(section.title, "", "", depth, is_title=True)
        yield from (row if row.depth > depth else replace(row, depth=depth) for row in section.rows)
    if live and not goes_on:
        yield from (replace(row, depth=depth) for row in outcome)
