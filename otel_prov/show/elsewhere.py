"""Where commands read sessions: in the local store, or in a TrustGraph elsewhere, ``--from URL``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

import click

from otel_prov.fetch import TrustGraph, trustgraph
from otel_prov.keep import Summary
from otel_prov.names import OUTCOME_FINAL
from otel_prov.steps import Session

__all__ = ["Sessions", "elsewhere", "from_option", "nothing"]

Command = TypeVar("Command", bound=Callable[..., Any])


class Sessions(Protocol):
    """What can be asked of either; :class:`otel_prov.keep.Store` says what it means."""

    def sessions(
        self,
        *,
        collection: str | None = None,
        agent: str | None = None,
        text: str | None = None,
        outcome: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        nested: bool = True,
        limit: int | None = 50,
    ) -> list[Summary]: ...

    def session(self, uri: str) -> Session | None: ...

    def inside(self, uri: str) -> list[str]: ...

    def find(self, reference: str) -> list[str]: ...


def from_option(command: Command) -> Command:
    """Add ``--from``, as ``url``."""
    meaning = "Read sessions that live in TrustGraph: the URL of its gateway. TRUSTGRAPH_TOKEN lets you in."
    return click.option("--from", "url", metavar="URL", callback=_gateway, help=meaning)(command)


@contextmanager
def elsewhere(url: str, *, collection: str | None = None, **chosen: Any) -> Iterator[TrustGraph]:
    """The sessions behind a gateway.

    Raises:
        click.UsageError: They are chosen by what TrustGraph doesn't keep.
        FetchError: They can't be read.
    """
    if chosen.get("agent") is not None:
        raise click.UsageError("TrustGraph does not keep the names of agents; leave out --agent.")
    if chosen.get("outcome") not in (None, OUTCOME_FINAL):
        raise click.UsageError(f"TrustGraph keeps no outcome but {OUTCOME_FINAL}; leave out --outcome.")
    with trustgraph(url, collection) as there:
        yield there


def nothing(source: Sessions, folder: Path) -> str:
    """Why no session was found, and what to do."""
    if source.sessions(limit=1):
        return "no session matches; ask for less, or see 'otel-prov list'"
    if isinstance(source, TrustGraph):
        return f"no sessions in {source.place}; --collection and TRUSTGRAPH_WORKSPACE name others"
    return (
        f"no sessions in {folder} yet. Put @trace_agent on your agent's loop, "
        "call otel_prov.install() at its start, and run it."
    )


def _gateway(context: click.Context, option: click.Parameter, url: str | None) -> str | None:
    """The URL, if it can be a gateway's."""
    if url is None:
        return None
    example = "write it like http://gateway:8888"
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        bare = not (parts.query or parts.fragment or any(character.isspace() for character in url))
        secret = "@" in parts.netloc
    except ValueError:
        good = bare = secret = False
    if secret:
        raise click.BadParameter(f"it holds a name or password; {example}, and put the token in TRUSTGRAPH_TOKEN.")
    if not (good and bare):
        raise click.BadParameter(f"{url!r} is no address of a gateway; {example}.")
    return url
