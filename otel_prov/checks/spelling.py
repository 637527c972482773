"""Variables with misspelled names: nobody reads them, and nobody would say so."""

from __future__ import annotations

import os
import re
from typing import Final

from otel_prov import environment
from otel_prov.environment import PREFIX
from otel_prov.losses import guarded

__all__ = ["misspelled", "nearest", "tell_misspelled"]

_LIKE_OURS: Final = re.compile(r"OTEL_(?:\w*_)?PROV_(?P<rest>\w+)", re.IGNORECASE)


def misspelled() -> dict[str, str | None]:
    """The variables that are set and named as if they were ours, but are not; each with the one that may be meant."""
    alike = {name: match["rest"].upper() for name in os.environ if (match := _LIKE_OURS.fullmatch(name))}
    known = _known()
    return {name: nearest(PREFIX + rest) for name, rest in alike.items() if name not in known}


def nearest(name: str) -> str | None:
    """The variable of this name, else the one that may be meant."""
    known = _known()
    if name in known:
        return name
    from difflib import get_close_matches

    found = get_close_matches(name.removeprefix(PREFIX), [each.removeprefix(PREFIX) for each in known], 1)
    return PREFIX + found[0] if found else None


def _known() -> list[str]:
    return [name for name in vars(environment) if name.startswith(PREFIX)]


@guarded(None, "variables not looked at")
def tell_misspelled() -> None:
    """Say of each in the log, once, that nobody reads it. Its value is not told: it may be a secret."""
    for name, nearest in misspelled().items():
        environment.say_once(f"{name} is no variable of otel-prov" + (f"; {nearest} may be meant" if nearest else ""))
