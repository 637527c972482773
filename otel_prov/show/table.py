"""The table of ``otel-prov list``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime

from rich.console import Console
from rich.text import Text

from otel_prov.keep import Summary
from otel_prov.names import AGENT, DOCUMENT_RAG, GRAPH_RAG, PLANS, SUPERVISES, session_uri
from otel_prov.show.elsewhere import Sessions
from otel_prov.show.escape import one_line
from otel_prov.show.page import FOLD_CHARACTERS
from otel_prov.show.rows import OUTCOME_STYLES
from otel_prov.show.times import lasted, local, seconds, short

__all__ = ["print_table", "type_of"]

_HEADERS = ("Started", "Type", "Id", "Outcome", "Iter", "Took", "Question")
_NUMBERS = ("Iter", "Took")  # these stand at the right of their columns
_TYPES = {AGENT: "Agent", GRAPH_RAG: "GraphRAG", DOCUMENT_RAG: "DocRAG", PLANS: "Plan", SUPERVISES: "Supervisor"}
"""What kinds of sessions, and patterns of agents, are called, as TrustGraph calls them."""
_STARTS = tuple(session_uri("", kind) for kind in (AGENT, GRAPH_RAG, DOCUMENT_RAG))
_WIDE = 100  # columns that leave room for date and time
_NARROWEST = 8  # a question is cut no shorter, on whatever terminal
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_UUID_CUTS = (8, 13, 18, 23)  # at the hyphens


def type_of(kind: str, pattern: str | None) -> str:
    """What a session is called, by its kind and by how it works."""
    return _TYPES.get(pattern or kind, kind)


def print_table(console: Console, store: Sessions, summaries: Sequence[Summary]) -> None:
    """A line for each session: cut to a terminal's width, aligned without a cut in a pipe.

    (``rich.table`` takes 20 ms for fifty sessions, ten times what the store needs to find them.)
    """
    narrow = console.is_terminal and console.width < _WIDE
    rows = [_row(store, summary, short if narrow else local) for summary in summaries]
    widths = [max(map(len, column)) for column in zip(_HEADERS, *rows, strict=True)][:-1]
    room = max(console.width - sum(widths) - 2 * len(widths), _NARROWEST) if console.is_terminal else None
    lines = [Text("  ".join(_aligned(_HEADERS, widths)), "dim")]
    lines += [_line(row, widths, room) for row in rows]
    console.print(Text("\n").join(lines), soft_wrap=True)


def _line(row: tuple[str, ...], widths: Sequence[int], room: int | None) -> Text:
    started, kind, reference, outcome, iterations, took, question = _aligned(row, widths)
    last = Text(question)
    if room is not None:
        last.truncate(room, overflow="ellipsis")
    style = OUTCOME_STYLES.get(outcome.strip(), "")
    return Text("  ").join(
        [Text(started), Text(kind), Text(reference, "bold"), Text(outcome, style), Text(iterations), Text(took), last]
    )


def _aligned(row: tuple[str, ...], widths: Sequence[int]) -> list[str]:
    """The row's cells as wide as their columns, but for the last."""
    cells = zip(_HEADERS, row, widths, strict=False)
    return [
        *(cell.rjust(width) if header in _NUMBERS else cell.ljust(width) for header, cell, width in cells),
        row[-1],
    ]


def _row(store: Sessions, summary: Summary, time: Callable[[datetime | None], str]) -> tuple[str, ...]:
    return (
        time(summary.started) or "-",
        type_of(summary.type, summary.pattern),
        _reference(store, summary.uri),
        summary.outcome or "-",
        str(summary.iterations) if summary.type == AGENT else "-",
        lasted(seconds(summary.started, summary.ended)) or "-",
        "(not recorded)" if summary.question is None else _cut(one_line(summary.question)),
    )


def _cut(text: str) -> str:
    """Questions can be as long as a file; in a list they are folded, too."""
    return text if len(text) <= FOLD_CHARACTERS else text[: FOLD_CHARACTERS - 1] + "…"


def _reference(store: Sessions, uri: str) -> str:
    """What to paste into ``show``: the first digits of a UUID, as many as it needs; any other id as it is."""
    session_id = next((uri[len(start) :] for start in _STARTS if uri.startswith(start)), uri)
    if _UUID.fullmatch(session_id):
        return next((cut for end in _UUID_CUTS if store.find(cut := session_id[:end]) == [uri]), session_id)
    return one_line(session_id)
