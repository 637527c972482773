"""Takes what waits for one destination there, batch by batch, for as long as it takes."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

import tenacity

from otel_prov.deliver.destination import Destination, Parcel, Unreachable
from otel_prov.deliver.endpoints import Endpoint, open_destination
from otel_prov.describe import DEFAULT_VIEW, describe_prov, describe_steps
from otel_prov.describe.quads import Quad
from otel_prov.describe.uris import legal
from otel_prov.keep import Batch, Outbox, StoreError, Waiting
from otel_prov.keep.rows import key
from otel_prov.losses import lost
from otel_prov.names import DEFAULT_COLLECTION

__all__ = ["NOT_DELIVERED", "Courier", "parcels"]

NOT_DELIVERED: Final = "not delivered"
ENDED: Final = "the worker ended, or had a fault, each time; see its log"

_AT_ONCE = 16  # batches that are sent in one go
_LOOK = 1.0  # seconds after which a courier looks for more, though nobody has told it of any
_LONGEST = 60.0  # seconds between two attempts to reach a destination
_TURN = threading.Lock()  # to send what may have ended a worker: should it end again, one of them only was in flight


class Courier(threading.Thread):
    """A thread for each destination, so that one that is away holds up no other.

    Args:
        outbox: What is sent, and where it is remembered.
        endpoint: Where to.
        once: Send what waits, trying once, and end.
        told: Called with the endpoint's identity and a number of steps that are done.
    """

    def __init__(self, outbox: Outbox, endpoint: Endpoint, *, once: bool, told: Callable[[str, int], None]) -> None:
        super().__init__(name=f"to {endpoint.identity}", daemon=True)
        self.identity = endpoint.identity
        self.idle = False
        """Whether all that waited has been sent."""
        self.trouble: str | None = None
        """Why nothing can be sent now."""
        self._outbox = outbox
        self._endpoint = endpoint
        self._once = once
        self._told = told
        self._done = 0  # number of the last step that needs no more thought
        self._is_sure = False  # whether the last batch did no harm
        self._news = threading.Event()
        self._stopping = threading.Event()

    def wake(self) -> None:
        """There may be more to send."""
        self._news.set()

    def stop(self) -> None:
        """End after the batch in flight."""
        self._stopping.set()
        self._news.set()

    def run(self) -> None:
        """Send until stopped, or until there is nothing more."""
        try:
            with contextlib.closing(open_destination(self._endpoint, self._outbox.identity())) as destination:
                self._send(destination)
        except Exception as error:
            self._fail(error)

    def _send(self, destination: Destination) -> None:
        persistently = tenacity.Retrying(
            wait=tenacity.wait_exponential_jitter(max=_LONGEST),
            stop=tenacity.stop_after_attempt(1) if self._once else tenacity.stop_when_event_set(self._stopping),
            sleep=tenacity.sleep_using_event(self._stopping),
            before_sleep=lambda state: self._fail(state.outcome.exception() if state.outcome else None),
            reraise=True,
        )
        while not self._stopping.is_set():
            self._news.clear()
            if persistently(self._send_batch, destination):
                continue
            self.idle = True
            if self._once:
                return
            self._news.wait(_LOOK)

    def _send_batch(self, destination: Destination) -> bool:
        """Send the next batch, and what more there is behind it; whether there was one."""
        batch = self._outbox.next_batch(self.identity)
        if self._stopping.is_set() or batch.until == self._done:
            return False
        self.idle = False
        batches = [batch]
        with self._watched(batch):
            sent, refused = self._deliver(destination, batches)
        whole = replace(batch, steps=[step for each in batches for step in each.steps], until=batches[-1].until)
        self._outbox.acknowledge(self.identity, whole, refused, sent)
        self.trouble, self._done = None, whole.until
        for step, reason in refused:
            lost("step refused and quarantined", f"{self.identity}: {reason} ({step.session.uri})")
        self._told(self.identity, len(whole.steps))
        return True

    def _deliver(self, destination: Destination, batches: list[Batch]) -> tuple[int, list[tuple[Waiting, str]]]:
        """Number of steps that were taken, and those that were refused. Adds the batches that were sent behind."""
        batch = batches[0]
        if batch.is_fatal:
            return 0, [(step, f"it was tried alone: {self.trouble or ENDED}") for step in batch.steps]
        steps: list[Waiting] = []
        outgoing = self._outgoing(batches, steps)
        first = next(outgoing, None)
        answers = destination.send(chain([first], outgoing)) if first else []
        refused = [(step, reason) for step, reason in zip(steps, answers, strict=True) if reason is not None]
        return len(steps) - len(refused), refused

    def _outgoing(self, batches: list[Batch], steps: list[Waiting]) -> Iterator[Parcel]:
        """The parcels of a batch, and, as long as all goes well, of those behind it, which are read while those before
        them are on their way. Each batch is noted, and the step of each parcel."""
        batch = batches[0]
        while True:
            for waiting, parcel in parcels(batch.steps, self._endpoint.shape, self._endpoint.view):
                steps.append(waiting)
                yield parcel
            if not self._is_sure or batch.is_apart or self._stopping.is_set() or len(batches) == _AT_ONCE:
                return
            batch = self._outbox.next_batch(self.identity, after=batch.until)
            if not batch.steps:
                return
            batches.append(batch)

    @contextlib.contextmanager
    def _watched(self, batch: Batch) -> Iterator[None]:
        """See to it that the store knows of a batch whose sending has no known end.

        That costs a transaction, so it is left out while all goes well: the worker that comes next will do it.
        """
        if batch.is_fatal or (self._is_sure and not batch.is_apart):
            yield
            return
        with _TURN if batch.begun else contextlib.nullcontext():
            self._is_sure = False
            self._outbox.begin(self.identity, batch)
            yield
            self._is_sure = True

    def give_up(self) -> None:
        """The process ends, and the batch in flight is not acknowledged yet."""
        self._fail(Unreachable("told to stop before all was acknowledged"))

    def _fail(self, error: BaseException | None) -> None:
        """Remember why nothing can be sent now, and tell it, unless this was the only attempt."""
        kind = "" if isinstance(error, Unreachable | StoreError | ValueError) else f"{type(error).__name__}: "
        self.trouble, self._is_sure = " ".join(f"{kind}{error}".split()), False
        if not self._once:
            lost(NOT_DELIVERED, f"{self.identity}: {self.trouble}")
        try:
            self._outbox.failed(self.identity, self.trouble, is_known=isinstance(error, Unreachable | StoreError))
        except StoreError as trouble:
            lost("failure not counted", trouble)


def parcels(steps: Sequence[Waiting], shape: str, view: str = DEFAULT_VIEW) -> Iterator[tuple[Waiting, Parcel]]:
    """What is sent of each step; nothing of one that the shape can't express.

    The PROV view is sent with the last of a session's steps that are here, all that is known by then: what it says of
    the session as a whole belongs to no step. Sent again, when there is more, it only adds to what it said.
    """
    last = {waiting.session.uri: waiting.number for waiting in steps}
    described: dict[str, dict[str, list[Quad]]] = {}
    for waiting in steps:
        session = waiting.session
        if session.uri not in described:
            explained = describe_steps(session, shape) if view != "prov" else ()
            described[session.uri] = {key(step): quads for step, quads in explained}
        quads = described[session.uri].get(key(waiting.step), [])
        if view != "explanation" and last[session.uri] == waiting.number:
            quads = quads + describe_prov(session)
        if quads:
            collection = session.collection or DEFAULT_COLLECTION
            yield waiting, Parcel(waiting.number, legal(session.uri), quads[0].subject, collection, quads)
