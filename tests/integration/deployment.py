"""A machine on which agents run: a store, settings by variables, and the programs that use them."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from otel_prov.deliver.alone import other
from otel_prov.deliver.endpoints import endpoints
from otel_prov.keep import Delivery, Quarantined, Store
from otel_prov.steps import Session
from tests.integration.servers.process import until

__all__ = ["Deployment"]

AGENT: Final = [sys.executable, str(Path(__file__).parents[1] / "deliver" / "agent.py")]
REPLAY: Final = [sys.executable, str(Path(__file__).with_name("replay.py"))]
OTEL_PROV: Final = [sys.executable, "-m", "otel_prov.show.cli"]
LONGEST: Final = 180.0  # seconds that anything may take, on a machine that is busy
_ROOT: Final = Path(__file__).parents[2]
_FOREIGN: Final = ("OTEL_", "PULSAR_", "TRUSTGRAPH_")


class Deployment:
    """Agents, and a worker, with one store and one endpoint."""

    def __init__(self, folder: Path, endpoint: str, **variables: str) -> None:
        """
        Args:
            folder: The store.
            endpoint: Where recorded sessions are sent.
            variables: What else is set: ``topic="..."`` for ``OTEL_EXPORTER_PROV_TOPIC``; others in capitals.
        """
        self.folder = folder
        (self.identity,) = (each.identity for each in endpoints([endpoint]))
        clean = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
        self.environment = {**clean, "NO_PROXY": "*", "no_proxy": "*", "PYTHONPATH": str(_ROOT)}
        self.configure(store=str(folder), endpoint=endpoint, **variables)
        self._started: list[subprocess.Popen[str]] = []

    def configure(self, **variables: str) -> None:
        """Set variables for all that is started from now on."""
        for name, value in variables.items():
            self.environment[name if name.isupper() else f"OTEL_EXPORTER_PROV_{name.upper()}"] = value

    def start(self, *command: object) -> subprocess.Popen[str]:
        """Start a program."""
        process = subprocess.Popen(
            list(map(str, command)),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._started.append(process)
        return process

    def run(self, *command: object) -> str:
        """What a program prints that ends well, and complains of nothing."""
        process = self.start(*command)
        out, err = process.communicate(timeout=LONGEST)
        assert (process.returncode, err) == (0, ""), (process.returncode, err)
        return out

    def agents(self, number: int, name: str = "s") -> None:
        """Run an agent for that many sessions, of six steps each; it ends well, and has lost nothing."""
        assert self.run(*AGENT, number, "-", name) == "{}\n"

    def otel_prov(self, *arguments: object) -> str:
        """What the command prints."""
        return self.run(*OTEL_PROV, *arguments)

    def deliver(self) -> subprocess.Popen[str]:
        """Start a worker in the foreground."""
        return self.start(*OTEL_PROV, "deliver")

    @property
    def worker(self) -> int | None:
        """Process id of the worker that runs."""
        return other(self.folder)

    @property
    def delivery(self) -> Delivery:
        """How far the endpoint has come."""
        with Store(self.folder) as store:
            return store.outbox.delivery(self.identity)

    @property
    def quarantined(self) -> list[Quarantined]:
        """The steps that the endpoint has refused."""
        with Store(self.folder) as store:
            return store.outbox.quarantined()

    def sessions(self) -> list[Session]:
        """All that the store knows."""
        with Store(self.folder) as store:
            found = [store.session(summary.uri) for summary in store.sessions(limit=None)]
            return [session for session in found if session]

    def is_delivered(self) -> bool:
        """Whether all that was recorded has been acknowledged or refused."""
        with Store(self.folder) as store:
            outbox = store.outbox
            # In the order that a step takes.
            return not (outbox.waiting_bytes() or outbox.held() or outbox.delivery(self.identity).pending)

    def wait_for(self, what: str, look: Callable[[], Any]) -> Any:
        """Wait for something that a program here is to do."""
        try:
            return until(what, look, LONGEST)
        except TimeoutError as error:
            log = self.folder / "worker.log"
            said = log.read_text()[-2000:] if log.exists() else ""
            raise AssertionError(f"{error}\n{self.otel_prov('status')}\n{said}") from None

    def wait_until_delivered(self) -> None:
        self.wait_for("all is delivered", self.is_delivered)

    def wait_for_trouble(self, text: str) -> None:
        """Wait until ``otel-prov status`` gives such a reason why nothing is delivered."""
        self.wait_for(text, lambda: text in str(json.loads(self.otel_prov("status", "--json"))["destinations"]))

    def end_worker(self, number: signal.Signals = signal.SIGTERM) -> None:
        """End the worker, and wait until it is gone."""
        if process := self.worker:
            os.kill(process, number)
            until("the worker has gone", functools.partial(self._is_gone, process), LONGEST)

    def _is_gone(self, process: int) -> bool:
        for each in self._started:
            each.poll()
        return self.worker != process

    def stop(self) -> None:
        """End all that runs, also a worker that an agent has only just started."""
        for process in self._started:  # agents first: they would start another worker
            process.kill()
            process.communicate()
        self.end_worker(signal.SIGKILL)
        mark = f"OTEL_EXPORTER_PROV_STORE={self.folder}\0".encode()
        for file in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):  # gone meanwhile, or somebody else's
                if mark in file.read_bytes():
                    os.kill(int(file.parent.name), signal.SIGKILL)
