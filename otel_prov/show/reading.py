"""What every command does: open the store or another place, find the session that is meant, write the answer."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from otel_prov.fetch import FetchError
from otel_prov.keep import Store, StoreError
from otel_prov.show.elsewhere import Sessions, elsewhere, nothing
from otel_prov.show.escape import one_line
from otel_prov.show.program import Trouble, complain

__all__ = ["count", "one", "opened", "reading", "source", "write_utf8"]


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


def write_utf8(text: str) -> None:
    """What programs read is UTF-8, whatever the terminal's encoding."""
    click.echo(text.encode(), nl=False)


def count(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
