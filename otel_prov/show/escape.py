"""Texts of others, made safe to show: what a terminal would act on stands there in letters."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["json_line", "json_text", "one_line", "rdf_text", "visible"]

_UNSAFE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but for tab and newline: cursor, colours, bell, title
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional marks, which reorder what is read
    "\u2028\u2029"  # line and paragraph separators
    "\ud800-\udfff"  # lone surrogates, which can't be encoded
    "\ufff9-\ufffb\U000e0000-\U000e007f"  # annotations and tags, which nobody sees
    "]"
)


def visible(text: str) -> str:
    """The text with every character that could do harm spelled out, as ``\\x1b`` or ``\\u202e``."""
    return _UNSAFE.sub(lambda match: match[0].encode("unicode_escape").decode(), text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """The same on one line, with single spaces."""
    return visible(" ".join(text.split()))


def json_text(value: Any) -> str:
    """The value as indented JSON that any terminal can be shown and any program can parse."""
    return _UNSAFE.sub(_in_json, json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2))


def json_line(value: Any) -> str:
    """The same on one line."""
    return _UNSAFE.sub(_in_json, json.dumps(value, ensure_ascii=False, allow_nan=False))


def rdf_text(text: str, format: str) -> str:
    """RDF that any terminal can be shown. It says the same: what could do harm stands within literals only."""
    return _UNSAFE.sub(_in_json if format == "jsonld" else _in_rdf, text)


def _in_json(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


def _in_rdf(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
