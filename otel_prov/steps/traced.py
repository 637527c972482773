"""What any step may tell: of the span that it was read from, of a text that was not recorded, of a model."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Digest", "Traced", "Usage", "unordered"]


@dataclass(frozen=True, slots=True)
class Digest:
    """What is known of a text that was not recorded."""

    sha256: str
    """SHA-256 of its UTF-8 form, 64 hexadecimal digits."""
    length: int
    """Its length in characters."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a language model was asked for, to think one thing."""

    model: str | None = None
    """Name of the model."""
    input_tokens: int | None = None
    """Tokens that it read."""
    output_tokens: int | None = None
    """Tokens that it wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """What every step may tell of the span that it was read from. Steps that say the same are equal all the same."""

    trace_id: str | None = field(default=None, compare=False)
    """OpenTelemetry trace id, 32 hexadecimal digits; a session that went on in another process may have several."""
    span_id: str | None = field(default=None, compare=False)
    """OpenTelemetry span id, 16 hexadecimal digits: of the span that told of the step, or told most of it."""


def unordered(texts: tuple[str, ...]) -> tuple[str, ...]:
    """A graph has neither order nor repetition."""
    return tuple(sorted(set(texts)))
