"""Which of a call's arguments is the question."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["question_finder"]

_USUAL_NAMES = ("question", "query", "task", "prompt", "message", "input", "user_input", "request", "goal")


def question_finder(function: Any, wanted: str | None) -> Callable[[tuple[Any, ...], dict[str, Any]], Any]:
    """A function that finds the question among a call's arguments."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # some built-in functions have no signature
        parameters = []
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    known = [parameter.name for parameter in parameters if parameter.kind is not parameter.VAR_KEYWORD]
    if wanted is not None and wanted not in known and not takes_any:
        raise ValueError(f"question={wanted!r} is no parameter of {function!r}; it has {', '.join(known) or 'none'}")
    candidates = [name for name in known if name not in ("self", "cls")]
    usual = [name for name in _USUAL_NAMES if name in candidates]
    chosen = wanted or next(iter(usual + candidates), None)
    position = known.index(chosen) if chosen in known else None
    default = parameters[position].default if position is not None else None

    def find(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if chosen in kwargs:
            return kwargs[chosen]
        if position is None:
            return next((kwargs[name] for name in _USUAL_NAMES if name in kwargs), args[0] if args else None)
        if position < len(args):
            return args[position]
        return None if default is inspect.Parameter.empty else default

    return find
