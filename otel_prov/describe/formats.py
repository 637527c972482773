"""Sessions to RDF files and back."""

from __future__ import annotations

import codecs
import logging
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import orjson

from otel_prov.describe import describe, recognise
from otel_prov.describe.jsonld import HEAD as JSONLD_HEAD
from otel_prov.describe.jsonld import TAIL as JSONLD_TAIL
from otel_prov.describe.jsonld import jsonld
from otel_prov.describe.quads import Quad, nquads, ntriples
from otel_prov.describe.rdf import from_pyoxigraph, from_rdflib
from otel_prov.describe.reify import reified
from otel_prov.describe.turtle import HEAD as TURTLE_HEAD
from otel_prov.describe.turtle import trig, turtle
from otel_prov.steps import Session

__all__ = ["FORMATS", "NotRdf", "read_file", "write"]

FORMATS: Final = {"nquads": ".nq", "trig": ".trig", "turtle": ".ttl", "jsonld": ".jsonld", "ntriples": ".nt"}
"""What can be written: each format's name, and the extension of its files. Turtle and N-Triples name no graph."""


class _Writer(NamedTuple):
    """How a format is put together: one text for each session, and what stands around them."""

    text: Callable[[Iterable[Quad]], str]
    head: str = ""
    between: str = ""
    tail: str = ""


_WRITERS: Final = {
    "nquads": _Writer(nquads),
    "trig": _Writer(trig, TURTLE_HEAD),
    "turtle": _Writer(turtle, TURTLE_HEAD),
    "jsonld": _Writer(jsonld, JSONLD_HEAD, ",\n", JSONLD_TAIL),
    "ntriples": _Writer(ntriples),
}
_READABLE: Final = {  # by rdflib's names; tried in this order where the extension doesn't tell
    "nquads": "N-Quads",
    "nt": "N-Triples",
    "trig": "TriG",
    "turtle": "Turtle",
    "json-ld": "JSON-LD",
    "xml": "RDF/XML",
    "trix": "TriX",
    "n3": "Notation3",
}
_RDF_1_2: Final = {"nquads": "N_QUADS", "nt": "N_TRIPLES", "trig": "TRIG", "turtle": "TURTLE"}
"""Names that pyoxigraph has for formats in which a triple can be quoted."""


class NotRdf(ValueError):
    """A file that can't be read as RDF. The message names the file, what is wrong, and what to do."""


def write(sessions: Iterable[Session], format: str, shape: str, out: BinaryIO) -> None:
    """Write the sessions' quads to a file, each session as it comes; never more than one is in memory.

    Quoted triples stand there as RDF 1.1 has them, see :mod:`otel_prov.describe.reify`.

    Args:
        sessions: They are asked for one by one.
        format: One of :data:`FORMATS`.
        shape: One of :data:`otel_prov.describe.SHAPES`.
        out: Where to; it is left open.

    Raises:
        ValueError: There is no such format, or no such shape.
    """
    if format not in _WRITERS:
        raise ValueError(f"there is no format {format!r}; there are {', '.join(FORMATS)}")
    writer = _WRITERS[format]
    out.write(writer.head.encode())
    between = ""
    for session in sessions:
        if quads := describe(session, shape):
            out.write((between + writer.text(reified(quads))).encode("utf-8", "replace"))
            between = writer.between
    out.write(writer.tail.encode())


def read_file(path: str | os.PathLike[str]) -> list[Session]:
    """The sessions in an RDF file, see :func:`otel_prov.describe.recognise`.

    The extension says which format it is in: those of :data:`FORMATS`, and what else rdflib knows, such as RDF/XML
    (``.rdf``, ``.owl``). With any other extension, the formats are tried one after the other. Nothing that the file
    refers to is fetched. Quoted triples as RDF 1.2 has them, which rdflib doesn't know, need the package pyoxigraph.

    Raises:
        NotRdf: The file isn't in that format, or in none; or it is JSON-LD that needs a context from elsewhere.
        OSError: The file can't be read.
    """
    path = Path(path)
    data = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    with _quiet():
        return recognise(_parsed(path, data))


def _parsed(path: Path, data: bytes) -> list[Quad]:
    from rdflib.util import guess_format

    known = guess_format(path.name)
    formats = [known] if known in _READABLE else list(_READABLE)
    reason = ""
    for format in formats:
        if format == "json-ld":
            _stands_alone(path, data)
        try:
            return _quads(data, format, path)
        except Exception as error:  # whatever rdflib and the parsers beneath it raise, it means that
            if (quads := _with_triple_terms(data, format, path)) is not None:
                return quads
            reason = " ".join(str(error).split())[:120]
    if known in _READABLE:
        raise NotRdf(
            f"{path} is not {_READABLE[known]} ({reason}); correct it, or give it the extension of what it holds"
        )
    raise NotRdf(f"{path} is not RDF in any known format; convert it to one, such as N-Quads ({path.stem}.nq)")


def _quads(data: bytes, format: str, path: Path) -> list[Quad]:
    import rdflib

    parsed = rdflib.Dataset()
    parsed.parse(data=data, format=format, publicID=path.absolute().as_uri())
    return list(from_rdflib(parsed))


def _with_triple_terms(data: bytes, format: str, path: Path) -> list[Quad] | None:
    """The quads of a file of RDF 1.2; ``None`` for one that is none."""
    if b"<<" not in data or format not in _RDF_1_2:
        return None
    try:
        import pyoxigraph
    except ImportError:
        raise NotRdf(f"{path} may hold quoted triples (RDF 1.2); to read them: pip install pyoxigraph") from None
    parser = getattr(pyoxigraph.RdfFormat, _RDF_1_2[format])
    try:
        return list(from_pyoxigraph(pyoxigraph.parse(data, format=parser, base_iri=path.absolute().as_uri())))
    except (SyntaxError, ValueError):
        return None


def _stands_alone(path: Path, data: bytes) -> None:
    """Refuse JSON-LD whose context, or a part of it, would have to be fetched."""
    try:
        waiting = [(orjson.loads(data), False)]
    except orjson.JSONDecodeError:
        return  # the parser says it better
    while waiting:
        value, is_context = waiting.pop()
        if (is_context and isinstance(value, str)) or (isinstance(value, dict) and "@import" in value):
            remote = value if isinstance(value, str) else value["@import"]
            raise NotRdf(f"{path} needs the context {remote}, which is not fetched; put the context into the file")
        if isinstance(value, dict):
            waiting += [(part, key == "@context") for key, part in value.items()]
        elif isinstance(value, list):
            waiting += [(part, is_context) for part in value]


@contextmanager
def _quiet() -> Iterator[None]:
    """rdflib warns of itself, and logs every odd IRI and date, with a traceback; both are no concern of the user's."""

    def silent(record: logging.LogRecord) -> bool:
        return False

    logger = logging.getLogger("rdflib.term")
    logger.addFilter(silent)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.removeFilter(silent)
