"""What the Pulsar client logs: the only place where it tells what the broker said.

A logger in Python would be called on the client's threads and has ended programs, and the client's own writes to
standard output; so it writes to a file, which is read here. The first logger of a process serves all its clients.
"""

from __future__ import annotations

import atexit
import functools
import os
import tempfile
from contextlib import suppress
from typing import Any

__all__ = ["ClientLog", "client_log"]


class ClientLog:
    """The log since it was last taken."""

    def __init__(self) -> None:
        import pulsar

        handle, self._path = tempfile.mkstemp(prefix="otel-prov-pulsar-", suffix=".log")
        os.close(handle)
        atexit.register(self._remove)
        self.logger: Any = pulsar.FileLogger(pulsar.LoggerLevel.Info, self._path)

    def take(self) -> str:
        """What was logged since the last time; it is then forgotten, so that the file stays small."""
        try:
            with open(self._path, "r+b") as file:
                text = file.read().decode("utf-8", "replace")
                file.truncate(0)
        except OSError:
            return ""
        return text

    def _remove(self) -> None:
        with suppress(OSError):
            os.unlink(self._path)


@functools.cache
def client_log() -> ClientLog:
    """The log of this process."""
    return ClientLog()
