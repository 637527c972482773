"""What an iteration says that it used: numbers of earlier ones, whichever way they are named."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from otel_prov.instrument.activity import Activity
from otel_prov.instrument.content import Content
from otel_prov.losses import lost

__all__ = ["Seen", "Use"]

Use = int | Activity | Any
"""The number of an iteration; its handle, or that of one of its tool calls; or what it observed."""


class Seen:
    """What the iterations of a session have observed, as hashes: the host's objects and texts are not kept alive."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}

    def add(self, observation: str, number: int) -> None:
        """An iteration has observed a text. Of equal ones the last counts."""
        self._numbers[hash(observation)] = number

    def numbers(self, uses: Iterable[Use], content: Content, before: int | None = None) -> list[int]:
        """The numbers of the iterations that are meant, rising; what is none before ``before`` is left out, and counted
        as a loss."""
        found = set()
        for use in uses:
            number = self._number(use, content)
            if number is None or number < 1 or (before is not None and number >= before):
                lost(
                    "use of an iteration left out",
                    f"{use!r:.100} is no iteration before {'the answer' if before is None else f'number {before}'}; "
                    "give its number, its handle, or what it observed",
                )
            else:
                found.add(number)
        return sorted(found)

    def _number(self, use: Use, content: Content) -> int | None:
        if isinstance(use, int) and not isinstance(use, bool):
            return use
        if isinstance(use, Activity):
            return getattr(use, "number", None)
        text = content.text(use)
        return None if text is None else self._numbers.get(hash(text))
