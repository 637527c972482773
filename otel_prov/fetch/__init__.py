"""Sessions that live in TrustGraph, read through its gateway: listed, found and shown as those of the local store."""

from __future__ import annotations

from otel_prov.fetch.gateway import FetchError
from otel_prov.fetch.sessions import TrustGraph, trustgraph

__all__ = ["FetchError", "TrustGraph", "trustgraph"]
