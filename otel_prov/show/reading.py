"""What every command does: open the store or another place, find the session that is meant, write the answer."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from otel_prov.fetch import FetchError
from otel_prov.keep import Store, StoreError
from otel_prov.show.elsewhere import Sessions, elsewhere, nothing
from otel_prov.show.escape import one_line
from otel_prov.show.page import console
from otel_prov.show.program import Trouble, complain
from otel_prov.steps import Session

__all__ = [
    "count",
    "not_both",
    "one",
    "opened",
    "progress",
    "reading",
    "session_of",
    "several",
    "source",
    "write_utf8",
]


@contextlib.contextmanager
def opened(folder: Path) -> Iterator[Store]:
    """The store; its troubles are told in one line."""
    try:
        with Store(folder) as store:
            yield store
    except StoreError as error:
        raise Trouble(str(error)) from None


@contextlib.contextmanager
def reading(folder: Path) -> Iterator[Store]:
    """The store with what the journals hold by now, or as it was before where that can't be taken in."""
    with opened(folder) as store:
        try:
            intake = store.take_in()
        except StoreError as error:
            complain(f"{error}; showing what was taken in before")
        else:
            if intake.bad_lines:
                complain(f"{count(intake.bad_lines, 'line')} of the journal not understood, and set aside")
        yield store


@contextlib.contextmanager
def source(folder: Path, url: str | None, chosen: Mapping[str, Any]) -> Iterator[Sessions]:
    """Where to read: the store, or behind the gateway of that URL."""
    if url is None:
        with reading(folder) as store:
            yield store
        return
    try:
        with elsewhere(url, **chosen) as there:
            yield there
    except FetchError as error:
        raise Trouble(str(error)) from None


def one(store: Sessions, folder: Path, reference: str) -> str:
    """The URI of the session that is meant."""
    found = store.find(reference)
    if not found:
        if not store.sessions(limit=1):
            raise Trouble(nothing(store, folder))
        raise Trouble(f"no session {reference!r}; 'otel-prov list' shows what there is")
    if len(found) > 1:
        complain(f"{reference!r} may be any of these sessions; give more of it:")
        for uri in found:
            click.echo(f"  {one_line(uri)}", err=True)
        sys.exit(2)
    return found[0]


def session_of(store: Sessions, folder: Path, reference: str) -> Session:
    """The session that is meant."""
    session = store.session(one(store, folder, reference))
    if session is None:
        raise Trouble(f"session {reference!r} was removed just now; 'otel-prov list' shows what there is")
    return session


def several(store: Sessions, folder: Path, references: Sequence[str], chosen: Mapping[str, Any]) -> list[str]:
    """The URIs of the sessions that are meant: those that are named, each once, or else those that options choose."""
    if references:
        return list(dict.fromkeys(one(store, folder, reference) for reference in references))
    if not (uris := [summary.uri for summary in store.sessions(**chosen)]):
        raise Trouble(nothing(store, folder))
    return uris


def not_both(references: Sequence[str], url: str | None, chosen: Mapping[str, Any]) -> None:
    """See to it that sessions are named or chosen by options, not both; ``--collection`` may say where they are."""
    if references and any(value for name, value in chosen.items() if not (url and name == "collection")):
        raise click.UsageError("Name sessions or choose them by options, not both.")


@contextlib.contextmanager
def progress(uris: Sequence[str], description: str, *, shown: bool = True) -> Iterator[Iterable[str]]:
    """The URIs to go through, with a bar for the eye where there is a terminal."""
    terminal = console(stderr=True)
    if not (shown and terminal.is_terminal):
        yield uris
        return
    from rich.progress import Progress

    with Progress(console=terminal, transient=True) as bar:
        yield bar.track(uris, description=description)


def write_utf8(text: str) -> None:
    """What programs read is UTF-8, whatever the terminal's encoding."""
    click.echo(text.encode(), nl=False)


def count(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
