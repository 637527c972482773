"""Sessions from files and to files."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from otel_prov.read import Span, parse_line, read
from otel_prov.steps import Session

__all__ = ["OTLP_SUFFIX", "read_otlp", "whole_file"]

OTLP_SUFFIX = ".jsonl"


def read_otlp(path: Path) -> tuple[list[Session], int]:
    """The sessions in a file of OTLP/JSON lines, and how many lines were not understood."""
    spans: list[Span] = []
    bad = 0
    with path.open("rb") as lines:
        for line in lines:
            try:
                spans += _sound(line) if line.strip() else []
            except Exception:  # whatever a value that nobody has thought of makes a reader raise
                bad += 1
    return read(spans), bad


def _sound(line: bytes) -> list[Span]:
    """The spans of a line, if each of them can be read."""
    spans = parse_line(line)
    for span in spans:
        read([span])
    return spans


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Write a file that is there only when it is whole: under another name beside it until then."""
    path = path.resolve()
    if path.exists() and not path.is_file():  # a device or a pipe has to be written in place
        with path.open("wb") as out:
            yield out
        return
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as out:
            yield out
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
