"""One worker for a store."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from otel_prov.keep import Store
from otel_prov.keep.schema import NOT_WRITABLE, StoreError
from otel_prov.record.locks import hold, is_held
from otel_prov.record.worker import LOCK_FILE

__all__ = ["alone", "other", "wait_for_other"]

_TRIES = 10  # somebody may just be looking whether there is a worker
_BETWEEN = 0.02  # seconds
_PATIENCE = 10.0  # seconds that another worker may send nothing


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Be the store's worker, if there is none; gives whether that is so. Raises :class:`otel_prov.keep.StoreError`."""
    file = folder / LOCK_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
    except OSError as error:
        raise StoreError(f"{file}: {error.strerror or error}; {NOT_WRITABLE}") from None
    for _ in range(_TRIES):
        with hold(file) as ours:
            if ours:
                file.write_text(str(os.getpid()))
                yield True
                return
        time.sleep(_BETWEEN)
    yield False


def other(folder: Path) -> int | None:
    """Process id of the store's worker, 0 if it isn't known; ``None`` where there is no worker."""
    file = folder / LOCK_FILE
    if not is_held(file):
        return None
    with contextlib.suppress(OSError, ValueError):
        return int(file.read_text())
    return 0


def wait_for_other(folder: Path, destinations: Sequence[str]) -> list[str] | None:
    """Wait until the store's worker has sent all that is there now, as long as it gets on.

    Gives what is left, a line for each destination; ``None`` if that worker has ended. Raises
    :class:`otel_prov.keep.StoreError`.
    """
    sent, until = -1, 0.0
    with Store(folder) as store:
        while (process := other(folder)) is not None:
            store.take_in()
            store.outbox.settle()
            left = [store.outbox.delivery(destination) for destination in destinations]
            if sum(each.sent for each in left) != sent:
                sent, until = sum(each.sent for each in left), time.monotonic() + _PATIENCE
            left = [each for each in left if each.pending]
            if not left or time.monotonic() > until:
                why = f"process {process} delivers from {folder}, and has sent nothing for {_PATIENCE:.0f} seconds"
                return [f"{each.destination}: {each.last_error or why}" for each in left]
            time.sleep(_BETWEEN)
    return None
