"""Any value as text or JSON that can be written: no lone surrogates, no cycles, no NaN, nothing that raises.

OpenTelemetry's SDK raises for some values, drops others, and cuts JSON into no JSON; so values are made safe, and short
enough, before it sees them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import Any

__all__ = ["fit_json", "fit_text", "members", "plain", "to_text", "well_formed"]

_DEEPEST = 32
_ELLIPSIS = "…"


def well_formed(text: str) -> str:
    """The text with surrogate pairs joined and lone surrogates replaced by U+FFFD, so that it has a UTF-8 form."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def to_text(value: Any) -> str:
    """A value as a person would read it: a string as it is, anything with a structure as JSON. Never raises."""
    if type(value) is str:
        return well_formed(value)
    structure = plain(value)
    return structure if isinstance(structure, str) else json.dumps(structure, ensure_ascii=False)


def plain(value: Any, leaf: Callable[[Any], Any] | None = None) -> Any:
    """A copy made only of dicts with string keys, lists, strings, numbers, booleans and ``None``. Never raises.

    Mappings, sequences, sets, dataclasses, enumerations and pydantic models keep their structure; iterators are not
    consumed; everything else becomes its ``str()``. ``leaf`` may replace each key and each scalar.
    """
    return _plain(value, leaf or (lambda scalar: scalar), ())


def _plain(value: Any, leaf: Callable[[Any], Any], within: tuple[int, ...]) -> Any:
    try:
        if isinstance(value, Enum):
            value = value.value
        if value is None or isinstance(value, (bool, str, int, float, bytes, bytearray)):
            return leaf(_scalar(value))
        if id(value) in within:
            return "<cycle>"
        if len(within) >= _DEEPEST:
            return "<too deep>"
        within = (*within, id(value))
        if (named := members(value)) is not None:
            return {str(leaf(_scalar_text(key))): _plain(member, leaf, within) for key, member in named.items()}
        if isinstance(value, (list, tuple, AbstractSet)):
            return [_plain(item, leaf, within) for item in list(value)]
        return leaf(_scalar_text(value))
    except Exception as error:
        return f"<{type(value).__name__}: {type(error).__name__}>"


def members(value: Any) -> Mapping[Any, Any] | None:
    """The named parts of a value that has such."""
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(type(value), "__dataclass_fields__"):
        from dataclasses import fields  # here, for the sake of a light import of the library

        return {field.name: getattr(value, field.name) for field in fields(value)}
    if hasattr(type(value), "__pydantic_validator__"):
        return dict(value.model_dump(mode="json"))
    return None


def _scalar(value: Any) -> Any:
    if isinstance(value, str):
        return well_formed(str.__str__(value))
    if isinstance(value, (bytes, bytearray)):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        str(value)  # raises for a number of too many digits, as writing it would
    return value


def _scalar_text(value: Any) -> str:
    return well_formed(str.__str__(value if isinstance(value, str) else str(value)))


def fit_text(text: str, limit: int) -> str:
    """The text, cut to at most ``limit`` characters; what was cut is said at its end."""
    if len(text) <= limit:
        return text
    note = f"{_ELLIPSIS} [cut: {len(text)} characters in all]"
    return text[: limit - len(note)] + note if len(note) < limit else text[:limit]


def fit_json(structure: Any, limit: int) -> str:
    """A plain structure as JSON of at most ``limit`` characters; valid, and saying what was cut, however short.

    Long strings go first, then all but the first members of long lists and objects.
    """
    text = json.dumps(structure)
    if len(text) <= limit:
        return text
    size = limit
    while size > 8:
        size //= 2
        shorter = json.dumps(_shorten(structure, size, max(1, size // 16)))
        if len(shorter) <= limit:
            return shorter
    note = json.dumps({"cut": len(text)})
    return note if len(note) <= limit else "0"


def _shorten(value: Any, characters: int, members: int) -> Any:
    if isinstance(value, str):
        return fit_text(value, max(characters, 40)) if len(value) > 40 else value
    if isinstance(value, list):
        kept = [_shorten(item, characters, members) for item in value[:members]]
        return [*kept, f"{_ELLIPSIS} [cut: {len(value)} items in all]"] if len(value) > members else kept
    if isinstance(value, dict):
        names = list(value)[:members]
        kept_members = {name: _shorten(value[name], characters, members) for name in names}
        return (
            {**kept_members, _ELLIPSIS: f"[cut: {len(value)} members in all]"} if len(value) > members else kept_members
        )
    return value
