"""What was looked at, what was found, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Check", "bad", "good"]


@dataclass(frozen=True, slots=True)
class Check:
    """One line of ``otel-prov doctor``."""

    subject: str
    """What was looked at."""
    ok: bool
    found: str
    remedy: str = ""
    """What to do; empty where all is well."""

    @property
    def mark(self) -> str:
        """What the line begins with."""
        return "ok    " if self.ok else "FAIL  "

    def __str__(self) -> str:
        return f"{self.subject}: {self.found}" + (f"; {self.remedy}" if self.remedy else "")


def good(subject: str, found: str) -> Check:
    """All is well."""
    return Check(subject, True, found)


def bad(subject: str, found: object, remedy: str = "") -> Check:
    """Something is wrong. Without a remedy, that stands behind a semicolon, as in all our messages."""
    text = str(found)
    if not remedy:
        text, _, remedy = text.partition("; ")
    return Check(subject, False, text, remedy)
