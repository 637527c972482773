"""Run the benchmarks and print one table, which Markdown reads too.

python -m benchmarks                # all of them, a few minutes
python -m benchmarks recording      # one
"""

from __future__ import annotations

import importlib
import sys

BENCHMARKS = ("imports", "recording", "keep", "nquads", "views", "validate", "questions", "graphs", "latency")
WIDTHS = (46, 10, 18, 6, 16)


def main() -> None:
    """Print each row as it is measured."""
    row("what", "ours", "beside", "ratio", "at most")
    row(*("-" * width for width in WIDTHS))
    for name in sys.argv[1:] or BENCHMARKS:
        for measured in importlib.import_module(f"benchmarks.{name}").measure():
            row(*measured)


def row(*cells: str) -> None:
    padded = (cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True))
    print("|", " | ".join(padded), "|", flush=True)


if __name__ == "__main__":
    main()
