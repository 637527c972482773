"""Advisory locks on files: a process holds one as long as it lives, however it ends."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["hold", "is_held", "lock"]

try:
    import fcntl

    def lock(descriptor: int, *, shared: bool = False) -> bool:
        """Take the lock of an open file until it is closed; whether nobody else holds it.

        Raises ``OSError`` on a file system without locks.
        """
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

except ImportError:  # Windows, where locks are mandatory and exclusive: lock a byte far behind any content
    import msvcrt

    def lock(descriptor: int, *, shared: bool = False) -> bool:
        """Take the lock of an open file until it is closed; whether nobody else holds it."""
        try:
            os.lseek(descriptor, 2**40, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        except OSError:
            return False
        return True


@contextlib.contextmanager
def hold(file: Path, *, shared: bool = False) -> Iterator[bool]:
    """Hold the lock of a file, if nobody else does; gives whether that is so, ``False`` if there is no such file."""
    try:
        descriptor = os.open(file, os.O_RDWR | getattr(os, "O_BINARY", 0))
    except OSError:
        yield False
        return
    try:
        try:
            free = lock(descriptor, shared=shared)
        except OSError:  # a file system without locks: nobody can tell
            free = False
        yield free
    finally:
        os.close(descriptor)


def is_held(file: Path) -> bool:
    """Whether a living process holds the lock of a file, as far as one can tell."""
    with hold(file, shared=True) as free:
        return not free and file.exists()
