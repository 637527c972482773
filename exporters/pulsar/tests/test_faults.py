"""What is said of a broker by what the client raises and logs, where no real one does it at will."""

from __future__ import annotations

import pytest

from otel_prov_exporter_pulsar.faults import unreachable
from otel_prov_exporter_pulsar.settings import read

CONNECTED = (
    "2026-01-01 12:00:00.000 INFO  [1] ClientConnection:420 | [127.0.0.1:2 -> 127.0.0.1:1] Connected to broker\n"
)
ENDED = (
    "2026-01-01 12:00:00.001 INFO  [1] ClientConnection:1290 | [127.0.0.1:2 -> 127.0.0.1:1] Connection disconnected\n"
)


class Timeout(Exception):
    """Called as the client's own, which says so whatever happened."""


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (CONNECTED, "accepts connections, but does not answer"),
        (CONNECTED + ENDED + CONNECTED, "accepts connections, but does not answer"),  # as when it starts anew
        ((CONNECTED + ENDED) * 3, "ends every connection at once; it wants a token"),
    ],
)
def test_a_broker_that_is_slow_is_told_from_one_that_does_not_let_us_in(log: str, said: str) -> None:
    assert unreachable(Timeout(), log, read("pulsar://broker:6650")).startswith(f"pulsar://broker:6650: {said}")
