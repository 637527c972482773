"""Sessions that live elsewhere, in TrustGraph or in another store: listed, found and shown as the local ones."""

from __future__ import annotations

from otel_prov.fetch.gateway import FetchError
from otel_prov.fetch.sessions import TrustGraph, trustgraph
from otel_prov.fetch.source import Source, Statements, opened, schemes
from otel_prov.fetch.summary import outcome, summary

__all__ = ["FetchError", "Source", "Statements", "TrustGraph", "opened", "outcome", "schemes", "summary", "trustgraph"]
