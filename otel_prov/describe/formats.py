"""Sessions to RDF files and back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import BinaryIO, Final, NamedTuple

from otel_prov.describe import DEFAULT_VIEW, check, describe, recognise
from otel_prov.describe.jsonld import TAIL as JSONLD_TAIL
from otel_prov.describe.jsonld import head as jsonld_head
from otel_prov.describe.jsonld import jsonld
from otel_prov.describe.parsing import NotRdf, read_quads
from otel_prov.describe.quads import Quad, nquads, ntriples
from otel_prov.describe.reify import reified
from otel_prov.describe.turtle import head as turtle_head
from otel_prov.describe.turtle import trig, turtle
from otel_prov.describe.vocabulary import PREFIXES, PROV_PREFIXES
from otel_prov.steps import Session

__all__ = ["FORMATS", "NotRdf", "read_file", "write"]

FORMATS: Final = {"nquads": ".nq", "trig": ".trig", "turtle": ".ttl", "jsonld": ".jsonld", "ntriples": ".nt"}
"""What can be written: each format's name, and the extension of its files. Turtle and N-Triples name no graph."""


class _Writer(NamedTuple):
    """How a format is put together: one text for each session, and what stands around them."""

    text: Callable[[Iterable[Quad]], str]
    head: Callable[[Mapping[str, str]], str] = lambda prefixes: ""
    between: str = ""
    tail: str = ""


_WRITERS: Final = {
    "nquads": _Writer(nquads),
    "trig": _Writer(trig, turtle_head),
    "turtle": _Writer(turtle, turtle_head),
    "jsonld": _Writer(jsonld, jsonld_head, ",\n", JSONLD_TAIL),
    "ntriples": _Writer(ntriples),
}
_PREFIXES: Final = {"explanation": PREFIXES, "prov": PROV_PREFIXES, "both": PREFIXES | PROV_PREFIXES}
"""What is abbreviated, by view."""


def write(sessions: Iterable[Session], format: str, shape: str, out: BinaryIO, view: str = DEFAULT_VIEW) -> None:
    """Write the sessions' quads to a file, each session as it comes; never more than one is in memory.

    Quoted triples stand there as RDF 1.1 has them, see :mod:`otel_prov.describe.reify`.

    Args:
        sessions: They are asked for one by one.
        format: One of :data:`FORMATS`.
        shape: One of :data:`otel_prov.describe.SHAPES`.
        out: Where to; it is left open.
        view: One of :data:`otel_prov.describe.VIEWS`.

    Raises:
        ValueError: There is no such format, shape or view.
    """
    if format not in _WRITERS:
        raise ValueError(f"there is no format {format!r}; there are {', '.join(FORMATS)}")
    check(shape, view)
    writer = _WRITERS[format]
    out.write(writer.head(_PREFIXES[view]).encode())
    between = ""
    for session in sessions:
        if quads := describe(session, shape, view):
            out.write((between + writer.text(reified(quads))).encode("utf-8", "replace"))
            between = writer.between
    out.write(writer.tail.encode())


def read_file(path: str | os.PathLike[str]) -> list[Session]:
    """The sessions in an RDF file, see :func:`otel_prov.describe.recognise`.

    Raises:
        NotRdf, OSError: as :func:`otel_prov.describe.parsing.read_quads` does.
    """
    return recognise(read_quads(path))
