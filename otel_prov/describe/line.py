"""What each step of an agent's session derives from, in every shape of the explanation view.

Where nothing else was told, an iteration derives from the one before it, the first from the session. Plans and parts of
the work make branches of that line:

* The first iteration of a step derives from the result of the step before, if that had ended, or else from the plan; of
  a part of the work it derives from the decomposition, for parts are done side by side. Further ones derive from the
  one before them within the same step or part.
* A step's result, and what a part came to, derives from the last iteration within; where there is none, from what such
  an iteration would derive from. If another session did the work, it derives from that one's last node as well.
* An iteration that comes after a step or a part, and belongs to none, derives from its result.
* The answer derives from the last step, or from all findings.

TrustGraph's command line prints what derives from k others k times, and what derives from one thing in the order of
their IRIs. So steps follow one on the other, and an answer is said to derive from that finding alone which is printed
last, and to be influenced by the others.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from otel_prov.describe import uris
from otel_prov.steps import Analysis, Conclusion, Finding, Observation, Session, StepResult, in_line

__all__ = ["Line", "Origin"]


class Origin(NamedTuple):
    """What something comes from."""

    derived: list[str]
    influenced: list[str]
    """What it comes from, too, without being derived from it for the sake of TrustGraph's command line."""


class Line:
    """The order in which the steps of a session follow on each other."""

    def __init__(self, session: Session, end: Callable[[int], str]) -> None:
        """``end`` gives the node that an iteration ends with."""
        self._session = session.uri
        self._end = end
        self._within = {step.number: step.within for step in session.of(Analysis)}
        numbers = sorted(self._within.keys() | {step.number for step in session.of(Observation)})
        self._last = max(numbers, default=0)
        self._lanes: dict[str, list[int]] = {}
        for number in numbers:
            if (within := self._within.get(number)) is not None:
                self._lanes.setdefault(within, []).append(number)
        self._steps = sorted(session.of(StepResult), key=lambda step: step.index)
        self._findings = sorted(session.of(Finding), key=lambda step: step.index)
        self._results = {step.place for step in session.parts}

    def iteration(self, step: Analysis) -> list[str]:
        """What an iteration derives from."""
        if step.uses is not None:
            return self.used(step.uses)
        if step.within is None:
            return self._outside(step.number)
        lane = self._lanes[step.within]
        place = bisect_left(lane, step.number)
        return [self._end(lane[place - 1])] if place else [self._begin(step.within, step.started)]

    def used(self, numbers: tuple[int, ...]) -> list[str]:
        """Where the iterations end that were used; the session, if there were none."""
        return [self._end(number) for number in numbers] or [self._session]

    def detected(self, step: Analysis | Conclusion) -> list[str]:
        """Where the iterations end that it was seen to use."""
        return [self._end(number) for number in step.detected or ()]

    def result(self, step: StepResult | Finding) -> Origin:
        """What the result of a step, or of a part of the work, comes from."""
        lane = self._lanes.get(step.place)
        base = self._end(lane[-1]) if lane else self._begin(step.place, step.started)
        if step.sub_trace is None:
            return Origin([base], [])
        last = uris.legal(step.sub_trace)
        if not uris.is_synthesis(last):  # TrustGraph's command line doesn't go into sessions of other agents
            return Origin([base, last], [])
        return Origin([base], [last]) if lane else Origin([last], [])

    def answer(self, uses: tuple[int, ...] | None = None) -> Origin:
        """What the answer comes from."""
        if uses is not None:
            return Origin(self.used(uses), [])
        parts = [self._uri(step.place) for step in self._findings]
        if self._lanes and self._within.get(self._last) is None:  # iterations came after steps and parts
            return Origin(self._outside(self._last + 1), [])
        if self._steps:
            return Origin([self._uri(self._steps[-1].place)], parts)
        if parts:
            last = max(self._findings, key=self._branch)
            return Origin([self._uri(last.place)], [uri for uri in parts if uri != self._uri(last.place)])
        return Origin(self._outside(self._last + 1), [])

    def _outside(self, number: int) -> list[str]:
        """What an iteration of no step derives from."""
        before = self._within.get(number - 1)
        return [self._uri(before)] if before in self._results else self.used(in_line(number))

    def _begin(self, within: str, started: datetime | None) -> str:
        """What the first that is known of a step or a part derives from."""
        kind, _, index = within.partition("/")
        if kind == uris.FINDING:
            return uris.decomposition(self._session)
        if index.isdecimal():
            before = bisect_left(self._steps, int(index), key=lambda step: step.index)
            for step in reversed(self._steps[:before]):
                if started is None or step.started is None or (step.ended is not None and step.ended <= started):
                    return self._uri(step.place)  # else they were done side by side
        return uris.plan(self._session)

    def _branch(self, step: Finding) -> str:
        """The node through which TrustGraph's command line comes from the decomposition to a finding."""
        if lane := self._lanes.get(step.place):
            return uris.iteration(self._session, lane[0])
        retrieval = uris.retrieval_of(step.sub_trace) if step.sub_trace else None
        return retrieval[0] if retrieval else self._uri(step.place)

    def _uri(self, within: str | None) -> str:
        return f"{self._session}/{within}"
