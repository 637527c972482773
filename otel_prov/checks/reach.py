"""Whether somebody listens at the other end of the network, in a bounded time."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Final

__all__ = ["PATIENCE", "connect", "within"]

PATIENCE: Final = 5.0
"""Seconds for one connection, or one answer."""


def within(seconds: float, call: Callable[[], object]) -> None:
    """Make a call that may never come back; what it raises is raised here.

    Raises:
        TimeoutError: It takes longer than that. It goes on, on a thread that nobody waits for.
    """
    outcome: SimpleQueue[BaseException | None] = SimpleQueue()

    def run() -> None:
        try:
            call()
        except BaseException as error:
            outcome.put(error)
        else:
            outcome.put(None)

    threading.Thread(target=run, name="otel-prov-doctor", daemon=True).start()
    try:
        error = outcome.get(timeout=seconds)
    except Empty:
        raise TimeoutError(f"no answer within {seconds:g} s") from None
    if error is not None:
        raise error


def connect(host: str, port: int, *, tls: bool, certificate: str | None = None) -> None:
    """Connect, over TLS where that is wanted, and hang up. Raises ``OSError``."""

    def call() -> None:
        with socket.create_connection((host, port), PATIENCE) as connection:
            if tls:
                context = ssl.create_default_context(cafile=certificate)
                context.wrap_socket(connection, server_hostname=host).close()

    within(PATIENCE + 1, call)
