"""The destination ``file:///path/out.nq``: N-Quads appended to a file, for whatever tails it, and for a first look."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from io import FileIO
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from otel_prov.deliver.destination import Parcel, Unreachable
from otel_prov.describe.quads import nquads
from otel_prov.describe.reify import reified

__all__ = ["FileDestination"]


class FileDestination:
    """Appends to a file, whole lines only. A parcel that is sent again stands there again."""

    def __init__(self, url: str, store: str) -> None:
        parts = urlsplit(url)
        if parts.netloc not in ("", "localhost") or not parts.path.strip("/"):
            raise ValueError("no file of this machine; write it with three slashes, file:///path/out.nq")
        self._path = Path(url2pathname(parts.path))

    def send(self, parcels: Iterable[Parcel]) -> list[str | None]:
        """Append the quads of all parcels, in order; they are acknowledged when they are on disk."""
        texts = [nquads(reified(parcel.quads)) for parcel in parcels]
        data = "".join(texts).encode()
        try:
            with self._path.open("a+b", buffering=0) as file:
                self._append(file, data)
        except OSError as error:
            raise Unreachable(f"cannot write {self._path}: {error.strerror or error}") from None
        return [None] * len(texts)

    def _append(self, file: FileIO, data: bytes) -> None:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(end - 1, 0))
        if file.read(1) not in (b"", b"\n"):
            data = b"\n" + data  # behind what a worker that was killed has left
        if file.write(data) < len(data):
            file.truncate(end)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(file.fileno())

    def check(self) -> None:
        """See whether the file can be written, or made; leave all as it is."""
        place = self._path if self._path.exists() else self._path.parent
        if not os.access(place, os.W_OK):
            why = "no right to" if place.exists() else "there is no such folder"
            raise Unreachable(f"cannot write {self._path}: {why}; make {place} writable, or name another file")

    def close(self) -> None:
        """Nothing is held between two batches."""
