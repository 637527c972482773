"""What a destination is: somewhere that finished steps are sent to. Each is a package of its own.

A package names its destinations in the entry-point group ``otel_prov_destination``, by URL scheme; the entry point is a
:class:`Factory`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from otel_prov.checks.check import Check
from otel_prov.describe.quads import Quad

__all__ = ["Checked", "Destination", "Examined", "Factory", "Parcel", "Unreachable"]


@dataclass(frozen=True, slots=True)
class Parcel:
    """What is sent of one step."""

    sequence: int
    """Rises, from 1, in the order in which parcels were made; a parcel that is sent again has the same."""
    session: str
    """IRI of the session: parcels of one session stay in order."""
    subject: str
    """IRI of what the parcel is mainly about."""
    collection: str
    quads: Sequence[Quad]


class Unreachable(Exception):
    """The destination can't be reached now, or does not let us in; the message says why, in one line."""


class Destination(Protocol):
    """Used by one thread of the worker's process, which nothing else depends on."""

    def send(self, parcels: Iterable[Parcel]) -> list[str | None]:
        """Deliver parcels, in their order, and come back when each is acknowledged or refused.

        Args:
            parcels: Some thousands at most. Each is made when it is asked for, while those before it may be on their
                way already.

        Returns:
            For each parcel ``None``, or the reason why the destination will never take it.

        Raises:
            Unreachable: Not all could be delivered. They will be sent again, those that were acknowledged too.
        """
        ...

    def close(self) -> None:
        """Let go of connections, within a few seconds."""
        ...


@runtime_checkable
class Checked(Protocol):
    """A destination that can tell whether it would take something without being sent anything, for a doctor to ask."""

    def check(self) -> None:
        """Connect, and be let in.

        Raises:
            Unreachable: It can't be reached now, or does not let us in; the message names the remedy.
        """
        ...


@runtime_checkable
class Examined(Protocol):
    """A destination with more to it than the way there, such as a topic, or a service beside it."""

    def examine(self) -> Iterator[Check]:
        """Look at each of them, in a bounded time and without sending anything; one line for each."""
        ...


class Factory(Protocol):
    """Makes a destination without connecting to it."""

    def __call__(self, url: str, store: str) -> Destination:
        """
        Args:
            url: The endpoint, as the user gave it.
            store: Identity of the sending store, the same after a restart.

        Raises:
            ValueError: The URL, or a variable, can't be understood; the message names it and the remedy, in one line.
        """
        ...
