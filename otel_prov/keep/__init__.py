"""Sessions on disk: taken in from the journals, listed, shown, imported, pruned."""

from __future__ import annotations

from otel_prov.keep.intake import Intake
from otel_prov.keep.listing import Summary
from otel_prov.keep.outbox import Batch, Delivery, Outbox, Quarantined, Waiting
from otel_prov.keep.schema import StoreError
from otel_prov.keep.sources import Naming
from otel_prov.keep.standing import INTERRUPTED, RUNNING, WAITING
from otel_prov.keep.store import Store

__all__ = [
    "INTERRUPTED",
    "RUNNING",
    "WAITING",
    "Batch",
    "Delivery",
    "Intake",
    "Naming",
    "Outbox",
    "Quarantined",
    "Store",
    "StoreError",
    "Summary",
    "Waiting",
]
