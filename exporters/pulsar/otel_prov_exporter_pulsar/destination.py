"""The destination of ``pulsar://`` and ``pulsar+ssl://``: what otel-prov's worker sends parcels to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from otel_prov.checks.check import Check
from otel_prov.deliver.destination import Parcel

from otel_prov_exporter_pulsar.apart import Apart
from otel_prov_exporter_pulsar.bus import BusLibrarian
from otel_prov_exporter_pulsar.documents import documents
from otel_prov_exporter_pulsar.encode import Unsendable
from otel_prov_exporter_pulsar.examine import examine
from otel_prov_exporter_pulsar.lean import lean
from otel_prov_exporter_pulsar.librarian import Gateway, Patient
from otel_prov_exporter_pulsar.messages import messages
from otel_prov_exporter_pulsar.producer import Message, check
from otel_prov_exporter_pulsar.settings import BUS, Settings, read

__all__ = ["PulsarDestination", "destination"]


def destination(url: str, store: str) -> PulsarDestination:
    """The destination for an endpoint, as :class:`otel_prov.deliver.destination.Factory` has it."""
    return PulsarDestination(read(url), store)


class PulsarDestination:
    """Delivers parcels to a topic of TrustGraph's, and before them their texts to its librarian.

    Meant for one thread. What sends has a process of its own; what asks a librarian over Pulsar has not. So let nothing
    else depend on this process, and ``close()`` before it ends: the Pulsar client aborts one that ends while it works.
    """

    def __init__(self, settings: Settings, store: str) -> None:
        """
        Args:
            settings: Where to, and how.
            store: Identity of the sending store, the same after a restart. A broker that deduplicates goes by it.
        """
        self._store = store
        self._settings = settings
        self._lean = settings.lean
        self._post = Apart(settings.url, f"otel-prov-{store}")
        self._librarian = _librarian(settings)

    def send(self, parcels: Iterable[Parcel]) -> list[str | None]:
        """Deliver parcels, as :meth:`otel_prov.deliver.destination.Destination.send` has it."""
        if self._lean:
            parcels = (replace(parcel, quads=lean(parcel.quads)) for parcel in parcels)
        known: set[str] = set()
        if self._librarian is not None:
            parcels = list(parcels)  # texts first
            known = self._librarian.keep(document for parcel in parcels for document in documents(parcel.quads))
        answers: list[str | None] = []
        senders: list[int] = []  # place of each message's parcel

        def outgoing() -> Iterator[tuple[Message, str]]:
            """Made one after the other, while those before are on their way."""
            for place, parcel in enumerate(parcels):
                answers.append(None)
                try:
                    own = list(messages(parcel, self._store, known))
                except Unsendable as fault:
                    answers[place] = str(fault)
                    continue
                senders.extend([place] * len(own))
                yield from ((message, parcel.collection) for message in own)

        for number, reason in self._post.send(outgoing()).items():
            answers[senders[number]] = reason
        return answers

    def check(self) -> None:
        """See whether the broker lets us in, as :meth:`otel_prov.deliver.destination.Checked.check` has it."""
        check(self._settings)

    def examine(self) -> Iterator[Check]:
        """Look at what else is needed, as :meth:`otel_prov.deliver.destination.Examined.examine` has it."""
        return examine(self._settings)

    def close(self) -> None:
        """Let go of connections, within some seconds."""
        self._post.close()
        if self._librarian is not None:
            self._librarian.close()


def _librarian(settings: Settings) -> Patient | None:
    if settings.librarian is None:
        return None
    if settings.librarian == BUS:
        return Patient(BusLibrarian(settings), settings.librarian_wait)
    gateway = Gateway(
        settings.librarian, settings.librarian_token, settings.workspace, settings.timeout, settings.headers
    )
    return Patient(gateway, settings.librarian_wait)
