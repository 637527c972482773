"""The process that sends what is recorded to the endpoints: started when there is something to send and none runs."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from otel_prov import retention
from otel_prov.checks.setup import without_secrets
from otel_prov.environment import (
    OTEL_EXPORTER_PROV_ENDPOINT,
    OTEL_EXPORTER_PROV_STORE,
    OTEL_EXPORTER_PROV_WORKER,
    flag,
    given,
    misread,
    variable,
)
from otel_prov.losses import guarded, lost
from otel_prov.record.journal import store_folder
from otel_prov.record.locks import is_held

if TYPE_CHECKING:
    import subprocess

__all__ = ["LOCK_FILE", "LOG_FILE", "NOT_STARTED", "Worker", "trim"]

LOCK_FILE = "worker.lock"
"""File of the store that a worker holds the lock of while it lives, with its process id."""
LOG_FILE = "worker.log"
"""File of the store that a worker complains to."""
NOT_STARTED = "sessions recorded but not sent: worker not started"
ENDED = "sessions recorded but not sent: the worker has ended"

_PAUSE = 5.0  # seconds between two looks whether the worker is alive
_LONGEST_PAUSE = 60.0  # where workers that were started don't live long
_LOG_BYTES = 1024 * 1024


class Worker:
    """Sees to it that a worker runs for a store. Costs a glance at the clock, but for once every few seconds."""

    def __init__(self, store: str) -> None:
        self._store = store
        self._due = 0.0
        self._pause = _PAUSE
        self._process: subprocess.Popen[bytes] | None = None

    def ensure(self) -> None:
        """To be called when something was recorded. Never raises, and waits for nobody."""
        if (now := time.monotonic()) >= self._due:
            self._due = now + self._pause
            self._look()

    @guarded(None, NOT_STARTED)
    def _look(self) -> None:
        if not _is_wanted():
            return
        folder = store_folder(self._store).absolute()
        if self._process is not None and self._process.poll() == 1:  # which also keeps it from being a zombie
            lost(ENDED, without_secrets(_last_line(folder / LOG_FILE)))
            self._process = None
        if is_held(folder / LOCK_FILE):
            self._pause = _PAUSE
        elif not _runs_python(sys.executable):
            lost(NOT_STARTED, "this program has no Python interpreter to start; run 'otel-prov deliver' beside it")
        else:
            self._process = _start(folder)
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)


def _is_wanted() -> bool:
    """Whether there is something for a worker to do, as far as the variables say."""
    if not flag(OTEL_EXPORTER_PROV_WORKER, True):
        return False
    endpoint = variable(OTEL_EXPORTER_PROV_ENDPOINT)
    if endpoint and "://" not in endpoint:
        what = endpoint.rpartition("@")[2]  # a password may stand before it
        misread(OTEL_EXPORTER_PROV_ENDPOINT, what, "no URL like pulsar://broker:6650", "no endpoint")
        return False
    return bool(endpoint) or retention.configured() is not None


def _last_line(log: Path) -> str:
    """What a worker has complained of last."""
    lines = log.read_text("utf-8", "replace").splitlines()
    return f"{lines[-1] if lines else 'it says nothing'} ({log})"


def trim(log: IO[Any]) -> None:
    """Empty a worker's log that has grown too long."""
    if os.fstat(log.fileno()).st_size > _LOG_BYTES:
        log.truncate(0)


def _runs_python(executable: str | None) -> bool:
    """Whether this is an interpreter, and not a program that holds one: that would start itself again."""
    return Path(executable or "").name.lower().startswith(("python", "pypy")) and not hasattr(sys, "frozen")


def _start(folder: Path) -> subprocess.Popen[bytes]:
    """Start a worker that outlives this process, and whose signals are not this process's."""
    import subprocess

    class Detached(subprocess.Popen[bytes]):
        def __del__(self) -> None:
            """Python would warn of a process that outlives its parent."""

    environment = {
        **os.environ,
        **given(),
        OTEL_EXPORTER_PROV_STORE: str(folder),
        OTEL_EXPORTER_PROV_WORKER: "off",
        "OTEL_SDK_DISABLED": "true",  # what a worker does is nobody's trace
    }
    with (folder / LOG_FILE).open("ab") as log:
        trim(log)
        return Detached(
            [sys.executable, "-m", "otel_prov.deliver"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            env=environment,
            start_new_session=True,
            creationflags=getattr(subprocess, "DETACHED_PROCESS", 0),
        )
