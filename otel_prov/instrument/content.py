"""What of a session becomes attributes: the one place where it is switched off, redacted, made safe and cut."""

from __future__ import annotations

import hashlib
import json
import os
import traceback
from collections.abc import Callable
from copy import copy
from typing import Any

from otel_prov import names
from otel_prov.environment import OTEL_EXPORTER_PROV_CAPTURE_CONTENT, flag
from otel_prov.instrument.values import fit_json, fit_text, plain, to_text, well_formed
from otel_prov.losses import lost

__all__ = ["LONGEST", "Content", "Redact", "qualified_name"]

Redact = Callable[[str], str]
"""Rewrites a text before it becomes an attribute."""

LONGEST = 8 * 1024 * 1024
"""Characters of one attribute. OpenTelemetry's own limit, where one is set, applies if it is lower."""

_parse_json = json.JSONDecoder().raw_decode
_LIMITS = ("OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT")


class Content:
    """How one session's content is treated. Settings are read when the session starts."""

    __slots__ = ("_limit", "captured", "redact")

    def __init__(self, redact: Redact | None = None) -> None:
        self.captured = flag(OTEL_EXPORTER_PROV_CAPTURE_CONTENT, True)
        """Whether texts are recorded at all."""
        self.redact = redact
        self._limit = _attribute_limit()

    def text(self, value: Any) -> str | None:
        """A value as text for an attribute; ``None`` where there is none, or none may be recorded."""
        if value is None or not self.captured:
            return None
        if self.redact is None:
            text = value if type(value) is str and value.isascii() else to_text(value)
        elif isinstance(value, str):
            text = self._redacted(value)
        else:
            text = to_text(plain(value, self._redacted_leaf))
        return text if len(text) <= self._limit else fit_text(text, self._limit)

    def name(self, value: Any) -> str:
        """A name, such as a tool's: recorded even where content is not, but redacted like it."""
        text = value if type(value) is str and value.isascii() else to_text(value)
        if self.redact is not None:
            text = self._redacted(text)
        return text if len(text) <= self._limit else fit_text(text, self._limit)

    def json(self, value: Any) -> str | None:
        """A value as JSON text for an attribute; a string that holds a JSON object or array is taken for that."""
        if value is None or not self.captured:
            return None
        if isinstance(value, str) and value[:1] in ("{", "["):
            parsed = None
            try:
                parsed, end = _parse_json(value)
            except (ValueError, RecursionError):
                end = -1  # text that only looks like JSON
            if end == len(value):
                if self.redact is None and end <= self._limit and value == well_formed(value):
                    return value
                value = parsed
        return fit_json(plain(value, self._redacted_leaf if self.redact else None), self._limit)

    def structure(self, value: Any) -> str:
        """As JSON text, what is made only of texts that were treated, and of what needs no treatment."""
        return fit_json(value, self._limit)

    def said(self, name: str, value: Any) -> dict[str, str | int]:
        """The attribute that records a value as text. Where content is off, those by which somebody who has the text
        knows it again: its SHA-256 and length."""
        if (text := self.text(value)) is not None:
            return {name: text}
        if value is None or self.captured:
            return {}
        whole = copy(self)
        whole.captured = True
        if (text := whole.text(value)) is None:
            return {}
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        return {name + names.SHA256: digest, name + names.LENGTH: len(text)}

    def message(self, error: BaseException) -> str:
        """Type of an exception and, where content may be recorded, what it says."""
        text = self.text(_what_it_says(error))
        return f"{type(error).__name__}: {text}" if text else type(error).__name__

    def exception(self, error: BaseException) -> dict[str, str]:
        """Attributes of the event that records an exception (OpenTelemetry semantic conventions, "Exceptions")."""
        told = {"exception.type": qualified_name(type(error))}
        if self.captured:
            told["exception.message"] = self.text(_what_it_says(error)) or ""
            told["exception.stacktrace"] = self.text("".join(traceback.format_exception(error))) or ""
        return told

    def _redacted(self, text: str) -> str:
        assert self.redact is not None
        try:
            return well_formed(str(self.redact(well_formed(text))))
        except Exception as error:
            lost("text left out: redact failed", type(error).__name__)
            return "[redact failed]"

    def _redacted_leaf(self, scalar: Any) -> Any:
        """A key or scalar, redacted; a number that is not touched stays a number."""
        if scalar is None or isinstance(scalar, bool):
            return scalar
        text = str(scalar)
        redacted = self._redacted(text)
        return scalar if redacted == text else redacted


def qualified_name(kind: type) -> str:
    """Name of a class with its module, unless that is ``builtins``."""
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _what_it_says(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return ""


def _attribute_limit() -> int:
    """The least of our limit and the SDK's, so that the SDK never slices what we write."""
    limit = LONGEST
    for variable in _LIMITS:
        value = os.environ.get(variable, "").strip()
        if value.isdecimal():
            return min(limit, int(value))
    return limit
