"""Sends what otel-prov describes to TrustGraph: triples over Apache Pulsar, texts to its librarian.

otel-prov finds it by the scheme of ``OTEL_EXPORTER_PROV_ENDPOINT``, ``pulsar`` or ``pulsar+ssl``.
"""

from __future__ import annotations

from otel_prov_exporter_pulsar.destination import PulsarDestination, destination

__all__ = ["PulsarDestination", "destination"]
