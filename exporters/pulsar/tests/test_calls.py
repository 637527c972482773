"""Calls that may never come back."""

from __future__ import annotations

import threading

import pytest

from otel_prov_exporter_pulsar.calls import within


def test_what_comes_back_in_time_is_returned_or_raised() -> None:
    assert within(5, lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        within(5, lambda: 1 // 0)


def test_what_does_not_come_back_is_given_up() -> None:
    never = threading.Event()
    with pytest.raises(TimeoutError, match=r"not back within 0\.05 s"):
        within(0.05, lambda: never.wait(30))
    never.set()
