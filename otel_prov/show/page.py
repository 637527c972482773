"""Rows on the screen: labels, wrapped and folded texts, colours. Plain and unwrapped where no terminal reads."""

from __future__ import annotations

import os
import sys

from rich.console import Console
from rich.style import Style
from rich.text import Text

from otel_prov.show.escape import visible
from otel_prov.show.lines import Row, Section

__all__ = ["FOLD_CHARACTERS", "Page", "console", "fold"]

_MARGIN = 17  # where texts begin: an indent of 2, "Observation 2", and a gap of 2
_DEEPER = "    "  # what is drawn of a session inside of another one stands so far to the right
_NARROWEST = 20  # a text is wrapped no narrower, on whatever terminal
_UNBOUND = 1_000_000  # columns of a pipe: its lines are as long as they are
FOLD_LINES = 10
FOLD_CHARACTERS = 600


def console(*, stderr: bool = False) -> Console:
    """The terminal, or the pipe, that is written to. Interprets no markup; without any style under ``NO_COLOR``."""
    screen = Console(
        file=sys.stderr if stderr else sys.stdout,
        color_system=None if os.environ.get("NO_COLOR") else "auto",
        markup=False,
        emoji=False,
        highlight=False,
    )
    if not screen.is_terminal:
        screen.width = _UNBOUND
    return screen


class Page:
    """Draws sections on a console, one after the other."""

    def __init__(self, console: Console, *, full: bool = False) -> None:
        self._console = console
        self._full = full
        self._empty = True

    def begin(self, section: Section) -> None:
        """A section with its title, if it has one."""
        if not self._empty:
            self._print(Text())
        if section.title:
            self._print(Text(section.title, "bold"))
        self.go_on(section)

    def go_on(self, section: Section) -> None:
        """More rows of the section that was drawn last."""
        self._empty = False
        indent = "  " if section.title else ""
        for row in section.rows:
            deeper = indent + _DEEPER * row.depth
            if row.is_title:
                self._print(Text(deeper + row.label, "bold"))
                continue
            text, rest = fold(self._text(row), full=self._full)
            margin = _MARGIN + len(_DEEPER) * row.depth
            label = f"{deeper}{row.label} ".ljust(margin)
            first, *others = self._lines(text, margin)
            whole = first + "".join("\n" + (" " * margin + line if line else "") for line in others)
            style = Style.parse(row.style).update_link(row.link)
            block = Text.assemble((label, "dim"), (whole, style) if text else ("(empty)", "dim"))
            self._print(block.append("\n" + " " * margin + rest, "dim") if rest else block)

    def _text(self, row: Row) -> str:
        """What is written of a row: the link, too, where it can't be one to click on."""
        clickable = self._console.is_terminal and self._console.color_system is not None
        return visible(row.text).strip("\n") + (f"  {visible(row.link)}" if row.link and not clickable else "")

    def _lines(self, text: str, margin: int) -> list[str]:
        """The text's lines, wrapped where a terminal would cut them off from their margin."""
        if not self._console.is_terminal:
            return text.split("\n")
        wrapped = Text(text).wrap(self._console, max(self._console.width - margin, _NARROWEST))
        return [line.plain.rstrip() for line in wrapped]

    def _print(self, text: Text) -> None:
        self._console.print(text, soft_wrap=True)


def fold(text: str, *, full: bool = False) -> tuple[str, str]:
    """The beginning of a text, and what to say of the rest; nothing where it is short, or ``full`` is asked for."""
    lines = text.split("\n")
    if full or (len(lines) <= FOLD_LINES + 1 and len(text) <= FOLD_CHARACTERS):  # saying "1 more" takes a line, too
        return text, ""
    kept = "\n".join(lines[:FOLD_LINES])[:FOLD_CHARACTERS]
    whole = text[: len(kept) + 1].count("\n")  # lines that are not cut
    if len(lines) - whole == 1:
        return kept, f"... {len(text) - len(kept):,} more characters, --full"
    return kept, f"... {len(lines) - whole:,} more lines, --full"
