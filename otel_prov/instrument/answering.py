"""What ends with an answer: a session, or a retrieval inside of one."""

from __future__ import annotations

from typing import Any

from otel_prov import names
from otel_prov.instrument.activity import NOT_RECORDED, Activity, Checkpoint
from otel_prov.instrument.content import LONGEST
from otel_prov.instrument.values import plain, to_text
from otel_prov.losses import guarded

__all__ = ["Answering"]


class Answering(Activity):
    """What a session and a retrieval have in common.

    The answer is what was recorded as such; else what the function returns, or has handed over piece by piece.
    """

    def __init__(self) -> None:
        self.checkpoints: list[Checkpoint] = []
        self._answered = False
        self._yields = _Yields()

    def checkpoint(self) -> None:
        """Have in the journal, before this returns, what is known so far."""
        self._restore()
        for checkpoint in self.checkpoints:
            checkpoint(self._span)

    @guarded(None, NOT_RECORDED)
    def yielded(self, value: Any) -> None:
        """The function hands over a part of its answer."""
        if self._content.captured and self._span.is_recording():
            self._yields.add(value)

    def _answer(self, value: Any) -> None:
        """Record the answer."""
        self._answered = True
        self._say(names.SESSION_ANSWER, value)

    @guarded(None, NOT_RECORDED)
    def _answer_with_yields(self) -> None:
        """Where no answer was recorded, what was handed over is it."""
        if not self._answered and (answer := self._yields.joined()) is not None:
            self._answer(answer)


class _Yields:
    """What a generator has handed over so far: copies, so its host's objects are not kept alive, and not too many."""

    def __init__(self) -> None:
        self._parts: list[Any] = []
        self._room = LONGEST

    def add(self, value: Any) -> None:
        """Keep a copy of one more."""
        if self._room > 0:
            part = plain(value)
            self._parts.append(part)
            self._room -= len(to_text(part))
            if self._room <= 0:
                self._parts.append("… [cut]")

    def joined(self) -> Any:
        """All of them: texts as one text, anything else as a list; ``None`` for none."""
        if all(isinstance(part, str) for part in self._parts):
            return "".join(self._parts) if self._parts else None
        return self._parts
