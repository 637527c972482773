"""A real Oxigraph server, in memory or with its data on disk. It writes literals anew, in their canonical form.

The program comes with ``pip install oxigraph``. Up in a twentieth of a second, 16 MB of memory.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

from tests.integration.servers.cache import Missing
from tests.integration.servers.process import Process, free_port

__all__ = ["Oxigraph"]

_UP = 60.0  # seconds, on a machine that is busy
_DIRECT = build_opener(ProxyHandler({}))


class Oxigraph:
    """An Oxigraph server, which keeps its data over restarts."""

    def __init__(self, work: Path) -> None:
        """
        Args:
            work: Where its data and its log are.

        Raises:
            Missing: The program isn't here.
        """
        program = shutil.which("oxigraph", path=str(Path(sys.executable).parent)) or shutil.which("oxigraph")
        if program is None:
            raise Missing("no Oxigraph; pip install oxigraph")
        self._program = program
        self._work = work
        self._port = free_port()
        self._process: Process | None = None
        self.update_url = f"sparql+http://127.0.0.1:{self._port}/update"
        self.query_url = f"http://127.0.0.1:{self._port}/query"

    def start(self, *, read_only: bool = False) -> None:
        """Start it, and wait until it answers."""
        command = [self._program, "serve-read-only" if read_only else "serve", "--bind", f"127.0.0.1:{self._port}"]
        command += ["--location", str(self._work / "data")]
        self._process = Process(command, self._work / "oxigraph.log", os.environ, self._work)
        self._process.wait("Oxigraph", self._answers, _UP)

    def _answers(self) -> bool:
        with _DIRECT.open(f"http://127.0.0.1:{self._port}/", timeout=30) as reply:
            return bool(reply.read())

    @property
    def process(self) -> Process:
        assert self._process is not None, "not started"
        return self._process

    def stop(self) -> None:
        if self._process is not None:
            self._process.stop()
