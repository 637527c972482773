"""Random sessions of which all is known, and what may have been known of them before."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import datetime, timedelta, timezone
from typing import TypeVar

from hypothesis import strategies as st

from otel_prov.names import session_uri
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session, Step

T = TypeVar("T", Session, Step)

_texts = st.sampled_from(["", "a", "two\nlines", 'q"\\', "😀"])
_maybe = st.none() | _texts
_uses = st.none() | st.lists(st.integers(1, 6), max_size=3, unique=True).map(tuple)
_BEGIN = datetime(2026, 1, 1, tzinfo=timezone.utc)


@st.composite
def wholes(draw: st.DrawFn) -> Session:
    """A session, its iterations numbered from any number, in which times go forward."""
    seconds = iter(range(10_000))

    def now() -> datetime:
        return _BEGIN + timedelta(seconds=next(seconds))

    steps: list[Step] = [Question(draw(_maybe), now())]
    first, number = draw(st.integers(1, 3)), draw(st.integers(0, 4))
    for n in range(first, first + number):
        began, acted = now(), now()
        told = draw(_maybe), draw(_maybe), draw(_maybe)
        steps.append(Analysis(n, *told, uses=draw(_uses), detected=draw(_uses), started=began, ended=acted))
        for call in sorted(draw(st.sets(st.integers(1, 3)))):
            name = draw(_maybe) if call > 1 else None
            steps.append(Observation(n, draw(_maybe), draw(_maybe), call, name, name, started=acted, ended=now()))
    if draw(st.booleans()):
        thought = draw(_maybe)
        closing = {} if thought is None else {"iteration": first + number, "started": now(), "ended": now()}
        steps.append(Conclusion(draw(_maybe), thought, uses=draw(_uses), detected=draw(_uses), **closing))
    return Session(
        session_uri(draw(st.uuids()).hex),
        tuple(steps),
        agent=draw(_maybe),
        user=draw(_maybe),
        model=draw(_maybe),
        trace_id=draw(_maybe),
        ended=now(),
        outcome=draw(st.sampled_from(["final", "error", "max_iterations"])),
        error=draw(_maybe),
    )


@st.composite
def growing(draw: st.DrawFn, whole: Session) -> Session:
    """The same session with less of it known: fields and steps are missing, anywhere."""
    steps = [_less(draw, step) for step in whole.steps if draw(st.integers(0, 3))]
    known = _less(draw, whole)
    standing = draw(st.sampled_from(["running", "interrupted"]))
    return replace(known, steps=tuple(steps), outcome=known.outcome or standing)


def _less(draw: st.DrawFn, value: T) -> T:
    """The step or session without some of what it may do without; when an iteration ran is known from the first."""
    kept = {"uri", "steps", "kind", "number", "call", "index", "started", "iteration"}
    optional = [each for each in fields(value) if each.name not in kept]
    return replace(value, **{each.name: each.default for each in optional if draw(st.booleans())})
