"""Parcels as messages of the topic, checked: what a consumer fails at is not sent, for it would get it for ever."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Final

from otel_prov.deliver.destination import Parcel

from otel_prov_exporter_pulsar.documents import linked
from otel_prov_exporter_pulsar.encode import Unsendable, checked, encode
from otel_prov_exporter_pulsar.literals import storable
from otel_prov_exporter_pulsar.producer import Message

__all__ = ["messages"]

QUADS: Final = 64
"""Most quads in a message. At the limits of texts and IRIs that is 700 kB where texts are ASCII, and 3.3 MB where each
of their bytes is written in six: below the 5 MiB that brokers take, without asking how much this one does."""

_PARTS: Final = 1_000
"""Sequence numbers for each parcel: 0 for a probe, then one for each part."""


def messages(parcel: Parcel, store: str, known: Container[str]) -> Iterator[Message]:
    """The messages that a parcel is sent in; sent again, each has the same sequence number and the same quads.

    Args:
        store: Identity of the sending store.
        known: Ids of the documents that may be linked to.

    Raises:
        Unsendable: A consumer would fail at it.
    """
    key = parcel.session
    checked(key)
    if len(parcel.quads) > QUADS * (_PARTS - 1):
        raise Unsendable(f"{len(parcel.quads):,} triples in one step, {QUADS * (_PARTS - 1):,} are the limit")
    for part, start in enumerate(range(0, len(parcel.quads), QUADS), 1):
        # Cut into parts first: which documents are known may change until it is sent again.
        quads = storable(linked(parcel.quads[start : start + QUADS], known))
        sequence = parcel.sequence * _PARTS + part
        yield Message(sequence, key, f"{store}/{sequence}", encode(parcel.subject, parcel.collection, quads))
