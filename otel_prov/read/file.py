"""Files of OTLP/JSON lines, whoever wrote them."""

from __future__ import annotations

from pathlib import Path

from otel_prov.read import Span, parse_line, read
from otel_prov.steps import Session

__all__ = ["OTLP_SUFFIX", "read_otlp"]

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
