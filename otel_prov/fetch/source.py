"""What a source is: somewhere else that sessions are read from. TrustGraph's is here, each other one is a package.

A package names its sources in the entry-point group ``otel_prov_source``, by URL scheme; the entry point is a
:class:`Factory`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from importlib.metadata import entry_points
from typing import Final, Protocol, runtime_checkable
from urllib.parse import urlsplit

from otel_prov.describe import Quad
from otel_prov.describe.pattern import Pattern
from otel_prov.fetch.file import file
from otel_prov.fetch.gateway import FetchError
from otel_prov.fetch.sessions import trustgraph
from otel_prov.keep import Summary
from otel_prov.steps import Session

__all__ = ["GROUP", "Factory", "Source", "Statements", "opened", "schemes"]

GROUP: Final = "otel_prov_source"
"""Entry points of this group, each named after a URL scheme, are factories of sources."""

_PACKAGES: Final = {
    "sparql+http": "otel-prov-exporter-sparql",
    "sparql+https": "otel-prov-exporter-sparql",
}


@runtime_checkable
class Source(Protocol):
    """Sessions that live elsewhere, asked for as those of :class:`otel_prov.keep.Store`, which says what is meant.

    Every method raises :class:`~otel_prov.fetch.FetchError`.
    """

    place: str
    """Where the sessions are, for people, and how to name another place."""

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
    ) -> list[Summary]:
        """The newest sessions that meet all conditions."""
        ...

    def session(self, uri: str) -> Session | None:
        """One session with all its steps; ``None`` if there is none."""
        ...

    def inside(self, uri: str) -> list[str]:
        """URIs of the sessions that ran inside of one."""
        ...

    def find(self, reference: str) -> list[str]:
        """URIs of the sessions that a person may mean."""
        ...


@runtime_checkable
class Statements(Protocol):
    """A source that knows its statements, also those that are about no session. One that doesn't is asked for its
    sessions, which are described."""

    def match(self, pattern: Pattern, limit: int | None = None) -> Iterator[Quad]:
        """The statements that a pattern means, as they come in; ``limit`` is how many are wanted, at most."""
        ...

    def labels(self, nodes: Collection[str]) -> dict[str, str]:
        """What nodes are called (``rdfs:label``), as far as that is known."""
        ...


class Factory(Protocol):
    """Opens a source."""

    def __call__(self, url: str, collection: str | None) -> AbstractContextManager[Source]:
        """
        Args:
            url: As the user gave it.
            collection: TrustGraph's collection; ``None`` for all, or for the usual one.

        Raises:
            FetchError: It can't be read, or the URL or a variable can't be understood; the message is one line that
                names it and the remedy.
        """
        ...


def schemes() -> set[str]:
    """The schemes of URLs that sources of packages have, also of those that are missing."""
    return {*_PACKAGES, *(entry.name for entry in entry_points(group=GROUP))}


def opened(url: str, collection: str | None = None) -> AbstractContextManager[Source]:
    """The source behind a URL: TrustGraph for ``http`` and ``https``, others by packages; without a scheme, a file.

    Raises:
        FetchError: It can't be read, or its package is missing; also when the context is entered.
    """
    if "://" not in url:
        return file(url, collection)
    scheme = urlsplit(url).scheme
    found = list(entry_points(group=GROUP, name=scheme))
    if found:
        try:
            factory: Factory = found[0].load()
        except Exception as error:  # whatever importing somebody's package may raise
            raise FetchError(f"{found[0].value} can't be loaded ({type(error).__name__}: {error})") from None
        return factory(url, collection)
    if scheme in _PACKAGES:
        raise FetchError(f"reading from {scheme}:// needs a package that is missing; pip install {_PACKAGES[scheme]}")
    return trustgraph(url, collection)
