"""What a page consists of: labelled texts, in sections."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["NOT_RECORDED", "Row", "Section"]

NOT_RECORDED = "(not recorded)"


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled text."""

    label: str
    text: str
    style: str = ""
    depth: int = 0
    """How many sessions it is inside of."""
    is_title: bool = False
    """Whether the label is all there is, and what comes next belongs to it."""
    link: str | None = None
    """Page that a terminal opens for it."""
    session: str | None = None
    """URI of the session inside that it is the heading of."""


@dataclass(frozen=True, slots=True)
class Section:
    """Rows that belong together, under a title."""

    title: str
    rows: tuple[Row, ...]
