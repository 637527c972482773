"""The worker: takes the journals in, and has couriers send what is ready. One for a store."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType

from otel_prov.deliver.courier import Courier
from otel_prov.deliver.endpoints import Endpoint
from otel_prov.keep import Store, StoreError
from otel_prov.keep.schema import FILE
from otel_prov.losses import lost
from otel_prov.record import journal
from otel_prov.retention import Retention

__all__ = ["Worker"]

_POLL = 0.025  # seconds between two glances at the sizes of the journals
KEPT = "kept longer than OTEL_EXPORTER_PROV_RETENTION says"
"""Reason for sessions that can't be removed yet."""

_PRUNE = 60.0  # seconds between two looks for sessions that are kept no longer
_LOOK = 1.0  # seconds after which journals and held steps are looked at in any case: a writer may have gone
_ALONE = 60.0  # seconds without any writer, and without anything to send, after which a worker leaves
_ALONE_IN_VAIN = 3600.0  # the same, where what is left can't be sent
_GARBAGE = 50_000  # objects made between two looks for cycles among them; there is much that is sent, and it has none
_FLIGHT = 30.0  # seconds that a batch in flight is waited for


class Worker:
    """Sends what a store holds, and what is recorded, to endpoints.

    Args:
        folder: The store.
        endpoints: Where to.
        once: Send what is there now, trying each endpoint once, and end.
        leave: End when no program has recorded anything for a while.
        retention: Which sessions are kept no longer; those that wait to be sent are kept in any case.
        told: Called from several threads, with the identity of an endpoint and a number of steps that are done.
    """

    def __init__(
        self,
        folder: Path,
        endpoints: Sequence[Endpoint],
        *,
        once: bool = False,
        leave: bool = False,
        retention: Retention | None = None,
        told: Callable[[str, int], None] = lambda identity, steps: None,
    ) -> None:
        self._folder = folder
        self._endpoints = endpoints
        self._once = once
        self._leave = leave
        self._retention = retention
        self._told = told
        self.stopped = False
        """Whether a signal said so."""
        self.left = False
        """Whether it has left, as nobody recorded anything any more."""
        self._alone = self._prune_due = 0.0
        self._place: object = None

    def run(self) -> list[str]:
        """Work until it is done, or a signal says stop. Gives why something is left, a line for each such endpoint.

        To be called on the main thread. Raises :class:`otel_prov.keep.StoreError` for a store that can't be
        opened, and with ``once`` for one that can't be written.
        """
        gc.set_threshold(_GARBAGE)
        with Store(self._folder) as store, self._signals():
            self._place = _place(self._folder)
            couriers = [
                Courier(store.outbox, endpoint, once=self._once, told=self._told) for endpoint in self._endpoints
            ]
            if self._once:
                store.take_in()
                store.outbox.settle()
            for courier in couriers:
                courier.start()
            if self._once:
                self._wait_for(couriers)
                self._prune(store)
            else:
                self._serve(store, couriers)
            _stop(couriers)
        return [f"{courier.identity}: {courier.trouble}" for courier in couriers if courier.trouble]

    def _serve(self, store: Store, couriers: Sequence[Courier]) -> None:
        seen: dict[str, int] = {}
        due = 0.0
        self._alone = time.monotonic()
        while not self.stopped and (not couriers or any(courier.is_alive() for courier in couriers)):
            now, sizes = time.monotonic(), _sizes(self._folder)
            if sizes != seen or now >= due:
                seen, due = sizes, now + _LOOK
                if self._take_in(store):
                    for courier in couriers:
                        courier.wake()
                if now >= self._prune_due:
                    self._prune_due = now + _PRUNE
                    self._prune(store)
                if self._is_done(now, couriers):
                    self.left = True
                    return
            time.sleep(_POLL)

    def _take_in(self, store: Store) -> bool:
        """Whether there is something new to send."""
        try:
            store.take_in()
            return store.outbox.settle()
        except StoreError as error:  # a full disk, say, which somebody will see to
            lost("journals not taken in", error)
            return False

    def _prune(self, store: Store) -> None:
        """Remove what is kept no longer, and tell of what would go if it had been sent."""
        if self._retention is None:
            return
        destinations = [endpoint.identity for endpoint in self._endpoints]
        try:
            pruned = store.prune(**self._retention._asdict(), unless_unsent=destinations)
        except StoreError as error:
            lost("store not pruned", error)
            return
        if pruned.waiting:
            lost(KEPT, f"{pruned.waiting:,} sessions wait to be sent to {' and '.join(destinations)}")

    def _is_done(self, now: float, couriers: Sequence[Courier]) -> bool:
        """Whether it is time to leave: a writer that is alive has a file in the journal."""
        if not self._leave:
            return False
        if _place(self._folder) != self._place:  # somebody has removed the store, or put another one there
            return True
        if journal.files(self._folder):
            self._alone = now
        alone, busy = now - self._alone, [courier for courier in couriers if courier.is_alive() and not courier.idle]
        return alone > (_ALONE_IN_VAIN if busy else _ALONE) and all(courier.trouble for courier in busy)

    def _wait_for(self, couriers: Sequence[Courier]) -> None:
        while not self.stopped and any(courier.is_alive() for courier in couriers):
            time.sleep(_POLL)

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """End at SIGTERM and Ctrl-C with the batch in flight; at the second one at once."""

        def stop(number: int, frame: FrameType | None) -> None:
            self.stopped = True  # and nothing else: the main thread may be anywhere, holding any lock
            signal.signal(number, signal.SIG_DFL)

        before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _stop(couriers: Sequence[Courier]) -> None:
    for courier in couriers:
        courier.stop()
    until = time.monotonic() + _FLIGHT
    for courier in couriers:
        courier.join(max(until - time.monotonic(), 0))
        if courier.is_alive():
            courier.give_up()


def _place(folder: Path) -> object:
    """What tells the store's file from one that takes its place; ``None`` if there is none."""
    try:
        found = (folder / FILE).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _sizes(folder: Path) -> dict[str, int]:
    """What the journals look like from outside."""
    try:
        with os.scandir(folder / "journal") as entries:
            return {entry.name: entry.stat().st_size for entry in entries}
    except FileNotFoundError:  # no journal yet, or one that was removed meanwhile
        return {}
