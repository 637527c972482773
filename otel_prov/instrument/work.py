"""What an agent has divided its work into, by a plan or by delegation."""

from __future__ import annotations

from itertools import count

from otel_prov import names, uris

__all__ = ["Work"]

_GOALS = {uris.STEP: names.PLAN_GOALS, uris.FINDING: names.PART_GOALS}


class Work:
    """The parts of one session's work: steps (:data:`otel_prov.uris.STEP`) and what others do
    (:data:`otel_prov.uris.FINDING`). Threads may divide it further at the same time.

    Args:
        session: The session's IRI.
    """

    __slots__ = ("_goals", "_indices", "_session", "reached")

    def __init__(self, session: str) -> None:
        self._session = session
        self._indices: dict[str, count[int]] = {}
        self._goals: dict[str, dict[int, str]] = {}
        self.reached: str | None = None
        """IRI of the part that began last."""

    @property
    def is_divided(self) -> bool:
        """Whether there is a plan, or a decomposition."""
        return bool(self._goals)

    def index(self, kind: str) -> int:
        """Index of one more part."""
        return next(self._indices.setdefault(kind, count()))

    def add(self, kind: str, index: int, goal: str | None) -> None:
        """What a part is to achieve; ``None`` where content is not recorded."""
        self._goals.setdefault(kind, {})[index] = goal or ""

    def attributes(self) -> dict[str, list[str]]:
        """The attributes of the session's span that have all goals. An array of OpenTelemetry has no room for ``None``:
        what is not recorded is an empty text."""
        told = {}
        for kind, goals in list(self._goals.items()):
            known = dict(goals)
            told[_GOALS[kind]] = [known.get(index, "") for index in range(max(known, default=-1) + 1)]
        return told

    @property
    def answer(self) -> str:
        """IRI of the session's answer."""
        return uris.stage(self._session, uris.SYNTHESIS) if self._goals else uris.final(self._session)

    def last(self, number: int) -> str:
        """IRI of the last node of a session that comes to no answer, whose last iteration has this number."""
        if self.reached is not None:
            return self.reached
        if number:
            return uris.iteration(self._session, number)
        if uris.FINDING in self._goals:
            return uris.decomposition(self._session)
        return uris.plan(self._session) if self._goals else self._session
