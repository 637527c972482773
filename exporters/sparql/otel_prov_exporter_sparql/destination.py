"""The destination of ``sparql+http://`` and ``sparql+https://``: what otel-prov's worker sends parcels to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from otel_prov.deliver.destination import Parcel, Unreachable

from otel_prov_exporter_sparql.client import Client, Refused, Slow
from otel_prov_exporter_sparql.settings import Settings, read
from otel_prov_exporter_sparql.statements import Statement, Unsendable, insert, statements

__all__ = ["SparqlDestination", "destination"]

LIMIT: Final = 1_000_000
"""Characters in a request, unless a single statement has more."""
_LEAST: Final = 10_000  # to which that shrinks where a store is slow

_Piece = tuple[int, Statement]
"""A statement, and the place of its parcel among those that are sent."""


def destination(url: str, store: str) -> SparqlDestination:
    """The destination for an endpoint, as :class:`otel_prov.deliver.destination.Factory` has it."""
    return SparqlDestination(read(url))


class SparqlDestination:
    """Inserts the quads of parcels into a store. Inserted again, they change nothing."""

    def __init__(self, settings: Settings) -> None:
        self._client = Client(settings)
        self._limit = LIMIT
        self._url = settings.update_url

    def send(self, parcels: Iterable[Parcel]) -> list[str | None]:
        """Deliver parcels, as :meth:`otel_prov.deliver.destination.Destination.send` has it."""
        answers: list[str | None] = []
        pieces: list[_Piece] = []
        for place, parcel in enumerate(parcels):
            answers.append(None)
            try:
                pieces += [(place, statement) for statement in statements(parcel.quads)]
            except Unsendable as fault:
                answers[place] = str(fault)
        delivery = _Delivery(self._client, self._url)
        try:
            for request in _requests(pieces, self._limit):
                delivery.put(request)
        except Slow:
            self._limit = max(self._limit // 2, _LEAST)
            raise
        for place, reason in delivery.refused():
            answers[place] = reason
        self._limit = min(self._limit * 2, LIMIT)
        return answers

    def check(self) -> None:
        """See whether the store takes an update that changes nothing, as
        :meth:`otel_prov.deliver.destination.Checked.check` has it."""
        _Delivery(self._client, self._url).probe()

    def close(self) -> None:
        """Let go of connections."""
        self._client.close()


class _Delivery:
    """One attempt to deliver parcels, which finds those that a store will never take."""

    def __init__(self, client: Client, url: str) -> None:
        self._client = client
        self._url = url
        self._took = False  # whether the store has taken anything
        self._refused: dict[int, tuple[Refused, list[_Piece]]] = {}

    def put(self, pieces: Sequence[_Piece]) -> None:
        """Insert these. Where they are refused, the two halves are tried on their own, down to a single parcel.

        Raises:
            Unreachable: The store can't be reached, or takes nothing.
        """
        try:
            self._insert(pieces)
        except Refused as refused:
            if middle := _middle(pieces, refused.is_too_large):
                self.put(pieces[:middle])
                self.put(pieces[middle:])
            else:
                self._refused.setdefault(pieces[0][0], (refused, []))[1].extend(pieces)

    def refused(self) -> Iterator[tuple[int, str]]:
        """The places of parcels that will never be taken, each with the reason, when all have been put.

        That is for sure only of a store that takes others: a full disk, too, refuses each of them.

        Raises:
            Unreachable: The store takes nothing, or fails and may not fail for ever.
        """
        if self._refused and not self._took:
            self.probe()
        for place, (refused, pieces) in self._refused.items():
            if not refused.may_pass:
                yield place, f"the store refuses it: {refused}"
                continue
            if not self._took:
                raise Unreachable(f"{self._url}: answers {refused}")
            try:
                self._insert(pieces)
            except Refused as again:
                yield place, f"the store takes others, but fails at it: {again}"

    def probe(self) -> None:
        """See whether the store takes an update that changes nothing.

        Raises:
            Unreachable: It does not.
        """
        try:
            self._client.update(insert([]))
        except Refused as refused:
            raise Unreachable(f"{self._url}: takes no updates: {refused}") from None

    def _insert(self, pieces: Iterable[_Piece]) -> None:
        self._client.update(insert(statement for _, statement in pieces))
        self._took = True


def _requests(pieces: Iterable[_Piece], limit: int) -> Iterator[list[_Piece]]:
    """The pieces, put together up to the limit of a request."""
    request: list[_Piece] = []
    size = 0
    for piece in pieces:
        length = len(piece[1].text)
        if request and size + length > limit:
            yield request
            request, size = [], 0
        request.append(piece)
        size += length
    if request:
        yield request


def _middle(pieces: Sequence[_Piece], within_parcel: bool) -> int:
    """Where to cut these in two: between two parcels, else, if that helps, within one; 0 for nowhere."""
    half = len(pieces) // 2
    cuts = [at for at in range(1, len(pieces)) if pieces[at - 1][0] != pieces[at][0]]
    return min(cuts, key=lambda at: abs(at - half), default=half if within_parcel else 0)
