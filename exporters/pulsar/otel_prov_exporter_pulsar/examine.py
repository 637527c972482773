"""What ``otel-prov doctor`` looks at beside the way to the broker: the topic, the librarian, the collection."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from otel_prov.checks.check import Check, bad, good
from otel_prov.deliver.destination import Unreachable
from otel_prov.environment import OTEL_EXPORTER_PROV_COLLECTION
from otel_prov.names import DEFAULT_COLLECTION

from otel_prov_exporter_pulsar.admin import subscriptions
from otel_prov_exporter_pulsar.bus import BusLibrarian
from otel_prov_exporter_pulsar.librarian import Away, Gateway, said
from otel_prov_exporter_pulsar.settings import BUS, Settings

__all__ = ["examine"]

_PATIENCE: Final = 10.0  # seconds for one answer
_WHOSE: Final = "see OTEL_EXPORTER_PROV_WORKSPACE, _FLOW and _TOPIC, and that TrustGraph's flow runs"


def examine(settings: Settings) -> Iterator[Check]:
    """One line for each, in a bounded time."""
    settings = replace(settings, timeout=min(settings.timeout, _PATIENCE))
    yield _topic(settings)
    if settings.librarian == BUS:
        yield _librarian(BUS, BusLibrarian(settings))
    elif settings.librarian is not None:
        gateway = Gateway(settings.librarian, settings.librarian_token, settings.workspace, settings.timeout)
        yield _librarian(settings.librarian, gateway)
        yield _collection(settings.workspace, gateway)


def _topic(settings: Settings) -> Check:
    subject = f"topic {settings.topic}"
    try:
        names = subscriptions(settings)
    except Unreachable as error:
        return good(subject, f"not looked at ({error})")
    if names is None:
        return bad(subject, "there is none, as nobody has read it yet", _WHOSE)
    if not names:
        return bad(subject, "nobody has subscribed to it, so what is sent there is lost", _WHOSE)
    return good(subject, f"there; subscribed to it: {', '.join(names)}")


def _librarian(place: str, librarian: Gateway | BusLibrarian) -> Check:
    subject = f"librarian {place}"
    try:
        librarian.check()
    except Away as away:
        return bad(subject, away, "see OTEL_EXPORTER_PROV_LIBRARIAN_ENDPOINT and _TOKEN, and that TrustGraph runs")
    finally:
        librarian.close()
    return good(subject, "answers, and lets us in")


def _collection(workspace: str, gateway: Gateway) -> Check:
    """TrustGraph keeps collections in its configuration (``trustgraph/librarian/collection_manager.py``)."""
    name = os.environ.get(OTEL_EXPORTER_PROV_COLLECTION, "").strip() or DEFAULT_COLLECTION
    subject = f"collection {name}"
    try:
        answer = gateway.ask("config", {"operation": "list", "type": "collection", "workspace": workspace})
        if error := answer.get("error"):
            return good(subject, f"not looked at ({said(error)})")
    except Away as away:
        return good(subject, f"not looked at ({away})")
    if name in (answer.get("directory") or ()):
        return good(subject, f"there, in the workspace {workspace}")
    remedy = f"make it with: tg-set-collection {name}; or name another in {OTEL_EXPORTER_PROV_COLLECTION}"
    return bad(subject, f"there is none in the workspace {workspace}", remedy)
