"""One server process, and waiting for what it does."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

__all__ = ["Process", "free_port", "until"]

T = TypeVar("T")

_PERIOD = 0.1  # seconds between two looks


def free_port(host: str = "127.0.0.1") -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


def until(what: str, look: Callable[[], T], seconds: float) -> T:
    """What ``look`` returns, as soon as that is true; errors of the network count as not yet.

    Raises:
        TimeoutError: It isn't true in time.
    """
    end = time.monotonic() + seconds
    trouble: object = ""
    while True:
        try:
            if found := look():
                return found
        except (OSError, ValueError) as error:
            trouble = error
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds:g} s; {trouble}")
        time.sleep(_PERIOD)


class Process:
    """A running program, whose output goes to a file."""

    def __init__(self, command: Sequence[str], log: Path, env: Mapping[str, str], cwd: Path) -> None:
        self.log = log
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=dict(env),
                cwd=cwd,
                start_new_session=True,
            )

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def wait(self, what: str, look: Callable[[], T], seconds: float) -> T:
        """Wait for something that this program is to do; end it if it doesn't.

        Raises:
            RuntimeError: It ends, or doesn't do it in time; the message has the end of its output.
        """

        def look_or_fail() -> T:
            if not self.alive:
                raise RuntimeError(f"{what}: the program ended\n{self.tail()}")
            return look()

        try:
            return until(what, look_or_fail, seconds)
        except TimeoutError as error:
            self.stop()
            raise RuntimeError(f"{error}\n{self.tail()}") from None

    def tail(self) -> str:
        """The end of its output."""
        return self.log.read_text(errors="replace")[-3000:]

    def pause(self) -> None:
        os.kill(self._process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self._process.pid, signal.SIGCONT)

    def kill(self) -> None:
        """End it as a crash would."""
        self._process.kill()
        self._process.wait()

    def stop(self, seconds: float = 20) -> None:
        """Ask it to end, and see that it does."""
        if self.alive:
            self.resume()
            self._process.terminate()
            try:
                self._process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.kill()
