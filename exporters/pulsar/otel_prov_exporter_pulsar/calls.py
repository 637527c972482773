"""Calls that may never come back, made so that their caller does."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TypeVar

__all__ = ["within"]

T = TypeVar("T")


def within(seconds: float, call: Callable[[], T]) -> T:
    """What the call returns, or raises; it runs on a thread of its own, so that signals reach the caller meanwhile.

    Raises:
        TimeoutError: It takes longer than that. It goes on, and nobody hears of its end.
    """
    outcome: SimpleQueue[tuple[T | None, BaseException | None]] = SimpleQueue()

    def run() -> None:
        try:
            outcome.put((call(), None))
        except BaseException as error:
            outcome.put((None, error))

    threading.Thread(target=run, name="otel-prov-pulsar", daemon=True).start()
    try:
        value, error = outcome.get(timeout=seconds)
    except Empty:
        raise TimeoutError(f"not back within {seconds:g} s") from None
    if error is not None:
        raise error
    return value  # type: ignore[return-value]  # a T, as there is no error
