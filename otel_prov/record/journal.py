"""The journal: files of OTLP/JSON lines that one process appends to and any other may read meanwhile.

A file is called ``{writer}.{number}.jsonl``, where a writer is one process, and is held by an advisory lock as long as
its writer lives. So a reader can tell a running session from an interrupted one, and what may be removed.
"""

from __future__ import annotations

import os
import secrets
import threading
import weakref
from pathlib import Path

from otel_prov.environment import OTEL_EXPORTER_PROV_STORE, variable
from otel_prov.losses import lost
from otel_prov.record.locks import hold, is_held, lock

__all__ = ["NOT_WRITTEN", "Journal", "files", "hold", "store_folder", "writer_of", "writes"]

NOT_WRITTEN = "span not recorded: journal not writable"

_SUFFIX = ".jsonl"
_FILE_BYTES = 64 * 1024 * 1024  # a file that has grown larger is closed, so that it can be taken in and removed
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_BINARY", 0)


def store_folder(store: str | Path | None = None) -> Path:
    """Where sessions are kept: the given folder, else ``OTEL_EXPORTER_PROV_STORE``, else this user's data folder."""
    if folder := store or variable(OTEL_EXPORTER_PROV_STORE):
        return Path(folder).expanduser()
    from platformdirs import user_data_path

    return user_data_path("otel-prov")


def files(store: Path) -> list[Path]:
    """The journal files of a store, oldest name first."""
    return sorted((store / "journal").glob("*" + _SUFFIX))


def writer_of(file: Path) -> str:
    """Which writer a journal file belongs to."""
    return file.name.split(".")[0]


def writes(store: Path, writer: str) -> bool:
    """Whether a writer is still alive."""
    return any(is_held(file) for file in (store / "journal").glob(f"{writer}.*{_SUFFIX}"))


class Journal:
    """Appends lines to a file of this process's own. Makes the file at the first line, and a new one after a fork.

    The lock inside is held for one ``write()`` and can be entered again: a garbage collection in the middle of a write
    may end a span.
    """

    def __init__(self, store: str | Path | None = None) -> None:
        self._store = store
        self._descriptor: int | None = None
        self._start_anew()
        if hasattr(os, "register_at_fork"):
            start_anew = weakref.WeakMethod(self._start_anew)
            os.register_at_fork(after_in_child=lambda: (method := start_anew()) and method())

    def _start_anew(self) -> None:
        self._lock = threading.RLock()  # another thread of the parent may have held the old one
        self.close()  # in a child of fork: its copy only, the parent keeps the file and its lock
        self._writer = f"{os.getpid()}-{secrets.token_hex(6)}"
        self._number = self._written = 0
        self._torn = False

    def write(self, line: bytes) -> bool:
        """Append one line, newline included; whether it is on disk, safe from a ``kill -9``.

        What could not be written is counted and logged.
        """
        with self._lock:
            try:
                if self._descriptor is None or self._written > _FILE_BYTES:
                    self._descriptor = self._open()
                data = b"\n" + line if self._torn else line
                done = os.write(self._descriptor, data)
            except OSError as error:
                lost(NOT_WRITTEN, f"{error.strerror or error}: {self._folder()}")
                return False
            self._written += done
            self._torn = done < len(data)
            if self._torn:  # the disk is full: the next line begins on a line of its own
                lost(NOT_WRITTEN, f"no space left: {self._folder()}")
            return not self._torn

    def close(self) -> None:
        """Let go of the file: this writer says no more. A later line opens another file."""
        with self._lock:
            descriptor, self._descriptor = self._descriptor, None
            if descriptor is not None:
                os.close(descriptor)

    def _folder(self) -> Path:
        return store_folder(self._store) / "journal"

    def _open(self) -> int:
        """Make and lock a file, and let go of the one before."""
        folder = self._folder()
        folder.mkdir(parents=True, exist_ok=True)
        while True:
            self._number += 1
            descriptor = os.open(folder / f"{self._writer}.{self._number}{_SUFFIX}", _FLAGS, 0o600)
            try:
                if lock(descriptor) and os.fstat(descriptor).st_nlink:
                    break
                os.close(descriptor)  # a reader was quicker: it took the empty file for one whose writer is gone
            except OSError:  # a file system without locks: no reader will remove the file either
                break
        self.close()
        self._written, self._torn = 0, False
        return descriptor
