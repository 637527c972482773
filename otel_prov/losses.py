"""Nothing is lost silently, and nothing of ours harms its host: the one guard, the one count of what could not be kept.

Every entry point that runs in somebody else's program stands under :func:`guarded`. What it swallows is counted with a
reason and logged by the logger ``otel_prov``: the first time at once, then at most once a minute with the number since.
"""

from __future__ import annotations

import functools
import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import ParamSpec, TypeVar

__all__ = ["guarded", "losses", "lost"]

P = ParamSpec("P")
R = TypeVar("R")
D = TypeVar("D")

_log = logging.getLogger("otel_prov")
_EVERY = 60.0  # seconds between two lines about the same reason

_lock = threading.Lock()
_counts: Counter[str] = Counter()
_spoken: dict[str, tuple[float, int]] = {}  # reason: when it was last logged, and the count then


def lost(reason: str, detail: object = "", number: int = 1) -> None:
    """Count ``number`` losses for a reason (a short fixed phrase) and log it, rate-limited. Never raises."""
    now = time.monotonic()
    with _lock:
        _counts[reason] += number
        total = _counts[reason]
        last, told = _spoken.get(reason, (float("-inf"), 0))
        if now - last < _EVERY:
            return
        _spoken[reason] = (now, total)
    try:
        _log.warning("%s: %s (%d so far, %d since last told)", reason, detail, total, total - told)
    except Exception:  # a detail whose __str__ fails; logging itself swallows the errors of handlers
        _log.warning("%s (%d so far)", reason, total)


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()  # another thread of the parent may have held the old one


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def losses() -> dict[str, int]:
    """How much could not be recorded in this process, by reason. Empty is what it should be."""
    with _lock:
        return dict(_counts)


def guarded(otherwise: D, reason: str) -> Callable[[Callable[P, R]], Callable[P, R | D]]:
    """Make a function return ``otherwise`` where it would raise an ``Exception``, and count that as a loss.

    ``KeyboardInterrupt``, ``SystemExit`` and cancellation pass: they belong to the host.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R | D]:
        @functools.wraps(function)
        def guard(*args: P.args, **kwargs: P.kwargs) -> R | D:
            try:
                return function(*args, **kwargs)
            except Exception as error:
                lost(reason, f"{type(error).__name__} in {function.__qualname__}")
                return otherwise

        return guard

    return decorate
