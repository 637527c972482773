"""Files as places where sessions are: RDF in any shape, or OTLP/JSON lines. The user's own store is left alone."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from otel_prov.describe import Quad, recognise
from otel_prov.describe.parsing import NotRdf, read_quads
from otel_prov.describe.pattern import Pattern, labels, matching
from otel_prov.fetch.gateway import FetchError
from otel_prov.fetch.summary import outcome
from otel_prov.keep import Store
from otel_prov.read.file import OTLP_SUFFIX, read_otlp

__all__ = ["File", "RdfFile", "file"]

_log = logging.getLogger("otel_prov")


class File(Store):
    """The sessions of a file, in a store that is gone afterwards."""

    def __init__(self, folder: str, path: str) -> None:
        super().__init__(Path(folder))
        self.place = path
        """Where the sessions are, for people."""


class RdfFile(File):
    """One whose statements are known as they stand there, also those that are about no session."""

    def __init__(self, folder: str, path: str, quads: Iterable[Quad]) -> None:
        super().__init__(folder, path)
        self._quads = list(dict.fromkeys(quads))

    def match(self, pattern: Pattern, limit: int | None = None) -> Iterator[Quad]:
        """The statements that a pattern means."""
        return matching(pattern, self._quads)

    def labels(self, nodes: Collection[str]) -> dict[str, str]:
        """What nodes are called, as far as the file says."""
        wanted = set(nodes)
        return labels(quad for quad in self._quads if quad.subject in wanted)


@contextmanager
def file(path: str, collection: str | None = None) -> Iterator[File]:
    """The sessions in a file.

    Raises:
        FetchError: It can't be read, or a collection is asked for, of which RDF knows nothing.
    """
    if collection is not None and not path.lower().endswith(OTLP_SUFFIX):
        raise FetchError(f"{path}: RDF knows no collections; leave out --collection")
    with (
        TemporaryDirectory(prefix="otel-prov-", ignore_cleanup_errors=True) as folder,
        closing(_read(folder, path)) as found,
    ):
        yield found


def _read(folder: str, path: str) -> File:
    try:
        if path.lower().endswith(OTLP_SUFFIX):
            sessions, bad = read_otlp(Path(path))
            if bad:
                _log.warning("%s: lines not understood, and left out: %d", path, bad)
            told = File(folder, path)
            told.add(sessions)
            return told
        quads = read_quads(path)
    except NotRdf as error:
        raise FetchError(str(error)) from None
    except OSError as error:
        raise FetchError(f"cannot read {path}: {error.strerror or error}; give the path of a file") from None
    stated = RdfFile(folder, path, quads)
    stated.add(replace(session, outcome=outcome(session)) for session in recognise(quads))
    return stated
