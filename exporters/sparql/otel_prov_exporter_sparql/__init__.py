"""Sends what otel-prov describes to any SPARQL 1.1 store, and reads sessions back from there.

otel-prov finds both by the scheme of a URL, ``sparql+http`` or ``sparql+https``: that of
``OTEL_EXPORTER_PROV_ENDPOINT``, and that of ``otel-prov list --from``.
"""

from __future__ import annotations

from otel_prov_exporter_sparql.destination import SparqlDestination, destination
from otel_prov_exporter_sparql.source import SparqlSource, source

__all__ = ["SparqlDestination", "SparqlSource", "destination", "source"]
