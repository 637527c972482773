"""The options that several commands share, and what their values mean."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any, TypeVar

import click

from otel_prov import names, retention
from otel_prov.describe import DEFAULT_SHAPE, DEFAULT_VIEW, SHAPES, VIEWS
from otel_prov.describe.formats import FORMATS

__all__ = ["age", "depth_option", "filters", "rdf_options", "since", "size", "until"]

OUTCOMES = (
    names.OUTCOME_FINAL,
    names.OUTCOME_ERROR,
    names.OUTCOME_CANCELLED,
    names.OUTCOME_MAX_ITERATIONS,
    names.OUTCOME_ABANDONED,
    "running",
    "interrupted",
    "waiting",
)

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)

T = TypeVar("T")
Command = TypeVar("Command", bound=Callable[..., Any])


def age(text: str) -> timedelta:
    """``30d``, ``2h``; units s, m, h, d, w."""
    return _option(retention.age, text)


def since(text: str) -> datetime:
    """An age, counted back from now, or an ISO date or time, in the local zone unless it names another."""
    text = text.strip()
    try:
        if retention.AGE.fullmatch(text):
            return datetime.now(timezone.utc) - age(text)
        return datetime.fromisoformat(re.sub("[zZ]$", "+00:00", text)).astimezone(timezone.utc)
    except (ValueError, OverflowError, OSError):  # also a year that the calendar of this platform doesn't reach
        example = "2h, 30d, 2026-11-02 or 2026-11-02T14:00"
        raise click.BadParameter(f"{text!r} is no time; write it like {example}.") from None


def until(text: str) -> datetime:
    """The same, as the first moment that is too late: a date alone includes its day."""
    moment = since(text)
    return (moment.astimezone() + timedelta(days=1)) if _DATE.fullmatch(text.strip()) else moment


def size(text: str) -> int:
    """Bytes: ``1GB`` is 10**9, ``1GiB`` 2**30."""
    return _option(retention.size, text)


def _option(read: Callable[[str], T], text: str) -> T:
    try:
        return read(text)
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from None


_FILTERS = (
    click.option("--collection", metavar="NAME", help="Of this collection only."),
    click.option("--agent", metavar="NAME", help="Of this agent only."),
    click.option("--text", metavar="TEXT", help="Mentioning this text anywhere."),
    click.option("--since", type=since, metavar="TIME", help="Started no earlier: 2h, 30d, 2026-11-02."),
    click.option("--until", type=until, metavar="TIME", help="Started no later; a date includes its day."),
    click.option("--outcome", type=click.Choice(OUTCOMES), metavar="OUTCOME", help=f"Ended so: {', '.join(OUTCOMES)}."),
)


def filters(command: Command) -> Command:
    """Add the options that choose sessions; each has its name in :meth:`otel_prov.keep.Store.sessions`."""
    for option in reversed(_FILTERS):
        command = option(command)
    return command


def depth_option(command: Command) -> Command:
    """Add ``--depth``."""
    meaning = "How deep into sessions that ran inside of others."
    return click.option("--depth", type=click.IntRange(min=0), metavar="N", default=5, show_default=True, help=meaning)(
        command
    )


def rdf_options(*others: str, default: str | None) -> Callable[[Command], Command]:
    """Add ``--format``, of RDF and of the ``others``, ``--shape`` and ``--view``."""
    meaning = "How to write it." if default else "How to write it.  [default: by the file's name]"
    formats = click.Choice([*others, *FORMATS])

    def decorate(command: Command) -> Command:
        command = click.option(
            "--shape", type=click.Choice(SHAPES), default=DEFAULT_SHAPE, show_default=True, help="Shape of the triples."
        )(command)
        command = click.option(
            "--view",
            type=click.Choice(VIEWS),
            default=DEFAULT_VIEW,
            show_default=True,
            help="What TrustGraph reads, the same as valid PROV, or both.",
        )(command)
        return click.option("--format", type=formats, default=default, show_default=True, help=meaning)(command)

    return decorate
