"""Uses of earlier results that can be seen: the value that an iteration observed is handed on, or its text is quoted.

What is found is evidence, and is recorded as such, never as what the agent told. Nothing of the host's is kept alive,
and no text is kept at all: hashes are, a limited number. So it works where content isn't recorded, and only numbers of
iterations leave this module.
"""

from __future__ import annotations

import json
import weakref
from collections.abc import Iterator, Set
from contextlib import suppress
from enum import Enum
from itertools import islice
from typing import Any

from otel_prov.instrument.values import members, to_text
from otel_prov.losses import guarded

__all__ = ["LONGEST", "MOST", "QUOTATION", "STEP", "Detection"]

QUOTATION = 40
"""Characters that a quotation has at least. Agents repeat names, addresses and phrases of a few words without having
them from anywhere in particular; some seven words in a row, equal to the character, are no chance."""

STEP = 10
"""An observation's passages of :data:`QUOTATION` characters are remembered from each tenth character on, and looked for
from each. So a quotation of ``QUOTATION + STEP - 1`` characters is found wherever it begins, a shorter one mostly."""

_VARIED = 10
"""Different characters of a passage that can be recognised: rulers, blanks and padding have fewer."""

MOST = 50_000
"""Half of the passages that are remembered of a session, with a tenth as many values; beyond, the older half is
forgotten. 100,000 passages stand for a million characters, and take some 10 MB."""

LONGEST = 200_000
"""Characters of one value that are looked at, all of its texts together."""

_PARTS = 1_000
"""Values inside of one that are looked at."""

NOT_DETECTED = "uses of earlier results not detected"
"""Reason under which a fault in here is counted."""


class Detection:
    """What the iterations of a session have observed, as far as it can be recognised."""

    def __init__(self, question: Any) -> None:
        self._values = _Memory(MOST // 10)
        self._passages = _Memory(MOST)
        self._known: Set[int] = frozenset()
        self._ask(question)

    @guarded(None, NOT_DETECTED)
    def _ask(self, question: Any) -> None:
        """What was asked comes from no observation, though many repeat it."""
        self._known = {passage for text in _texts(question) for passage in _passages(text, 1)}

    @guarded(None, NOT_DETECTED)
    def observed(self, value: Any, number: int) -> None:
        """An iteration has observed a value. If another did before, it is this one's from now on."""
        if (mark := _mark(value)) is not None:
            self._values.put(id(value), (number, mark))
        for text in _texts(value):
            for passage in _passages(text, STEP, _VARIED):
                if passage not in self._known and self._passages.get(passage) is None:
                    self._passages.put(passage, number)

    @guarded(frozenset[int](), NOT_DETECTED)
    def used(self, value: Any, before: int | None = None) -> Set[int]:
        """The numbers of the iterations, before one, whose results are handed on with this value, or quoted in it."""
        found: set[int] = set()
        for part in _parts(value):
            known = self._values.get(id(part))
            if known is not None and _is_it(part, known[1]):
                found.add(known[0])
        if self._passages:
            for text in _texts(value):
                found |= self._quoted(text)
        return {number for number in found if before is None or number < before}

    def _quoted(self, text: str) -> Set[int]:
        """The iterations that a text quotes. What several observed was the first's: the others may repeat it. They have
        it in passages that begin a little sooner or later."""
        young, old = self._passages.young, self._passages.old
        places = {  # in one expression, for it is done for each character
            at: young[passage] if passage in young else old[passage]
            for at in range(len(text) - QUOTATION + 1)
            if (passage := hash(text[at : at + QUOTATION])) in young or passage in old
        }
        near = range(1 - STEP, STEP)
        return {n for at, n in places.items() if n == min(places.get(at + by, n) for by in near)}


class _Memory:
    """A mapping that forgets the older half of itself when it is full."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.young: dict[int, Any] = {}
        self.old: dict[int, Any] = {}

    def __bool__(self) -> bool:
        return bool(self.young or self.old)

    def put(self, key: int, value: Any) -> None:
        if len(self.young) >= self._most:
            self.old, self.young = self.young, {}
        self.young[key] = value

    def get(self, key: int) -> Any:
        found = self.young.get(key)
        return self.old.get(key) if found is None else found


Mark = weakref.ref[Any] | tuple[type, int]
"""By which a value is known again."""


def _mark(value: Any) -> Mark | None:
    """A weak reference; of dicts, lists and texts, which know none, the type and a hash of the content: with the same
    place in memory and the same content they are taken for the same. ``None`` for values that the interpreter itself
    shares, such as numbers and names, so that being the same says nothing."""
    if value is None or isinstance(value, int | float | complex | Enum | type) or callable(value):
        return None
    if isinstance(value, str | bytes | tuple | frozenset) and (not value or _is_name(value)):
        return None
    try:
        return weakref.ref(value)
    except TypeError:
        return type(value), hash(to_text(value))


def _is_it(value: Any, mark: Mark) -> bool:
    return mark() is value if isinstance(mark, weakref.ref) else mark == _mark(value)


def _is_name(value: Any) -> bool:
    """Whether a text is made of letters, digits and underscores only: such constants are one object in all modules."""
    return isinstance(value, str) and value.isascii() and value.replace("_", "a").isalnum()


def _parts(value: Any) -> Iterator[Any]:
    """The value and what is inside of it, a limited number."""

    def walk() -> Iterator[Any]:
        waiting, seen = [value], set()
        while waiting:
            part = waiting.pop()
            yield part
            if isinstance(part, str | bytes) or id(part) in seen:
                continue
            seen.add(id(part))
            if (named := members(part)) is not None:
                waiting += islice(named.values(), _PARTS)
            elif isinstance(part, list | tuple | Set):
                waiting += islice(part, _PARTS)

    return islice(walk(), _PARTS)


def _texts(value: Any) -> Iterator[str]:
    """The texts in a value that are long enough; of JSON the texts that it holds, too, without its escapes."""
    room = LONGEST
    for part in _parts(value):
        if isinstance(part, str) and len(part) >= QUOTATION <= room:
            text = part[:room]
            room -= len(text)
            yield text
            if text[0] in "{[" and "\\" in text:
                with suppress(ValueError, RecursionError):
                    yield from (inner for inner in _parts(json.loads(text)) if isinstance(inner, str))


def _passages(text: str, step: int, varied: int = 0) -> Iterator[int]:
    """Hashes of the passages of a text, each beginning so many characters behind the one before."""
    for start in range(0, len(text) - QUOTATION + 1, step):
        passage = text[start : start + QUOTATION]
        if not varied or len(set(passage)) >= varied:
            yield hash(passage)
