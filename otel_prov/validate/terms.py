"""The terms of an instance: nodes and times, as they are compared and as they are shown.

An IRI stands bare, a blank node as ``_:label``, a time in quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from otel_prov.describe.quads import Literal

__all__ = ["UNKNOWN", "instant", "is_time", "is_unknown", "is_variable", "listing", "shown"]

UNKNOWN: Final = "_:\0"
"""How the names of things begin that are only known to exist; no parser gives a blank node such a label."""


_TIME: Final = re.compile(
    r"(-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?", re.ASCII
)  # XML Schema 1.1 Part 2, dateTime


def is_variable(term: str) -> bool:
    """Whether it may turn out to be the same as another one."""
    return term.startswith("_:")


def is_unknown(term: str) -> bool:
    """Whether the graph doesn't name it."""
    return term.startswith(UNKNOWN)


def is_time(term: str) -> bool:
    """Whether it is no node."""
    return term.startswith('"')


def shown(term: str) -> str:
    """The term in a sentence."""
    if is_unknown(term):
        return "something"
    return term if term.startswith(("_:", '"')) else f"<{term}>"


def listing(terms: Iterable[str]) -> str:
    """Several of them: ``<a>, <b> and <c>``."""
    *first, last = map(shown, terms)
    return f"{', '.join(first)} and {last}" if first else last


def instant(value: str | Literal) -> str:
    """What a time means, in quotes: exactly, and the same for two that are one instant, in UTC where a zone is given.

    What isn't an ``xsd:dateTime`` means itself.
    """
    text = value if isinstance(value, str) else value.text
    found = _TIME.fullmatch(text.strip())
    if found is None:
        return f'"{text}"'
    local, fraction, zone = found.groups()
    try:
        time = datetime.fromisoformat(local)
        if zone and zone != "Z":
            offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[4:]))
            time += offset if zone[0] == "-" else -offset
    except (ValueError, OverflowError):
        return f'"{text}"'
    digits = (fraction or "").rstrip("0")
    return f'"{time.isoformat()}{"." if digits else ""}{digits}{"Z" if zone else ""}"'
