"""RDF files to quads, by rdflib. Files may come from anybody: nothing that they refer to is fetched."""

from __future__ import annotations

import codecs
import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

import orjson

from otel_prov.describe.quads import Quad
from otel_prov.describe.rdf import from_pyoxigraph, from_rdflib

__all__ = ["MAX_BYTES", "NotRdf", "read_quads"]

MAX_BYTES: Final = 100_000_000
"""The largest file that is read. It is parsed as a whole, and takes some twenty times its size in memory."""

_PIECE: Final = 1_000_000

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
_RDFLIB: Final = {"jsonld": "json-ld", "ntriples": "nt"}
"""rdflib's names of formats, where they aren't ours."""
_RDF_1_2: Final = {"nquads": "N_QUADS", "nt": "N_TRIPLES", "trig": "TRIG", "turtle": "TURTLE"}
"""Names that pyoxigraph has for formats in which a triple can be quoted."""


class NotRdf(ValueError):
    """A file that can't be read as RDF. The message names the file, what is wrong, and what to do."""


def read_quads(path: str | os.PathLike[str], format: str | None = None) -> list[Quad]:
    """The statements of an RDF file. Quoted triples as RDF 1.2 has them, which rdflib doesn't know, need pyoxigraph.

    Args:
        path: The file; ``-`` is standard input, if a format is given.
        format: One of :data:`otel_prov.describe.formats.FORMATS`. By default the extension says it: those, and what
            else rdflib knows, such as RDF/XML (``.rdf``, ``.owl``). With any other extension, the formats are tried
            one after the other.

    Raises:
        NotRdf: The file isn't in that format, or in none; it is larger than :data:`MAX_BYTES`; or it is JSON-LD that
            needs a context from elsewhere.
        OSError: The file can't be read.
    """
    if format and str(path) == "-":
        path = Path("standard input")
        data = _bytes(path, sys.stdin.buffer)
    else:
        path = Path(path)
        with path.open("rb") as file:
            data = _bytes(path, file)
    with _quiet():
        return _parsed(path, data, _RDFLIB.get(format, format) if format else None)


def _bytes(path: Path, file: BinaryIO) -> bytes:
    data = b""
    while len(data) <= MAX_BYTES and (
        piece := file.read(max(_PIECE, len(data)))
    ):  # asked for all, it takes room for all
        data += piece
    if len(data) > MAX_BYTES:
        raise NotRdf(
            f"{path} is larger than {MAX_BYTES // 10**6} MB, the most that is read at once; "
            "split it, as N-Quads at any line between two sessions"
        )
    return data.removeprefix(codecs.BOM_UTF8)


def _parsed(path: Path, data: bytes, format: str | None) -> list[Quad]:
    from rdflib.util import guess_format

    known = format or guess_format(path.name)
    formats = [known] if known in _READABLE else list(_READABLE)
    reason = ""
    for one in formats:
        try:
            if one == "json-ld":
                _stands_alone(path, data)
            return _quads(data, one, path)
        except NotRdf:
            raise
        except Exception as error:  # whatever rdflib and the parsers beneath it raise, it means that
            if (quads := _with_triple_terms(data, one, path)) is not None:
                return quads
            reason = " ".join(str(error).split())[:120] or type(error).__name__
    if known in _READABLE:
        remedy = "name the format that it is in" if format else "give it the extension of what it holds"
        raise NotRdf(f"{path} is not {_READABLE[known]} ({reason}); correct it, or {remedy}")
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
    """Refuse JSON-LD whose context, or a part of it, would have to be fetched, and what can't be looked through."""
    waiting = [(orjson.loads(data), False)]
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
