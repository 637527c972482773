"""Where commands read sessions: in the local store, or elsewhere, ``--from URL``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import click

from otel_prov.fetch import Source, opened, schemes
from otel_prov.keep import Store
from otel_prov.names import OUTCOME_FINAL
from otel_prov.read.file import OTLP_SUFFIX

__all__ = ["Sessions", "elsewhere", "from_option", "nothing"]

Command = TypeVar("Command", bound=Callable[..., Any])


Sessions = Store | Source
"""What can be asked of either; :class:`otel_prov.keep.Store` says what it means."""


def from_option(command: Command) -> Command:
    """Add ``--from``, as ``url``."""
    meaning = "Read sessions that live elsewhere: in TrustGraph (http://gateway:8888; TRUSTGRAPH_TOKEN lets you in), "
    meaning += "in a SPARQL store (sparql+http://host/update), or in a file (RDF, or OTLP/JSON lines, .jsonl)."
    return click.option("--from", "url", metavar="URL|FILE", callback=_address, help=meaning)(command)


@contextmanager
def elsewhere(url: str, *, collection: str | None = None, **chosen: Any) -> Iterator[Source]:
    """The sessions behind a URL.

    Raises:
        click.UsageError: They are chosen by what no graph there tells.
        FetchError: They can't be read.
    """
    if url.lower().endswith(OTLP_SUFFIX):
        with opened(url, None) as there:
            yield there
        return
    if chosen.get("agent") is not None:
        raise click.UsageError("What is read from there has no names of agents; leave out --agent.")
    if chosen.get("outcome") not in (None, OUTCOME_FINAL):
        raise click.UsageError(f"What is read from there has no outcome but {OUTCOME_FINAL}; leave out --outcome.")
    with opened(url, collection) as there:
        yield there


def nothing(source: Sessions, folder: Path) -> str:
    """Why no session was found, and what to do."""
    if source.sessions(limit=1):
        return "no session matches; ask for less, or see 'otel-prov list'"
    if isinstance(source, Source):
        return f"no sessions in {source.place}"
    return (
        f"no sessions in {folder} yet. Put @trace_agent on your agent's loop, "
        "call otel_prov.install() at its start, and run it."
    )


def _address(context: click.Context, option: click.Parameter, url: str | None) -> str | None:
    """The path of a file, or the URL, if it can be a gateway's; a package looks at URLs of its scheme itself."""
    if url is None or url.partition("://")[0] in schemes() or ("://" not in url and os.path.exists(url)):
        return url
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
        if "://" not in url:
            raise click.BadParameter(f"{url!r} is neither a file nor the address of a gateway; {example}.")
        raise click.BadParameter(f"{url!r} is no address of a gateway; {example}.")
    return url
