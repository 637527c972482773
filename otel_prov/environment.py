"""The environment variables of otel-prov, each with its meaning and default. OpenTelemetry's own apply beside them."""

from __future__ import annotations

import os
from typing import Final

from otel_prov.losses import lost

OTEL_EXPORTER_PROV_STORE: Final = "OTEL_EXPORTER_PROV_STORE"
"""Folder that sessions are kept in.

Default: ``otel-prov`` in the user's data folder, as the platform has it. Example: ``/var/lib/otel-prov``.
"""

OTEL_EXPORTER_PROV_CAPTURE_CONTENT: Final = "OTEL_EXPORTER_PROV_CAPTURE_CONTENT"
"""Whether questions, thoughts, arguments, observations and answers become attributes of spans, for every exporter.

Default: ``true``. With ``false`` only the shape of a session is recorded: names, numbers, times, outcomes.
"""

OTEL_EXPORTER_PROV_COLLECTION: Final = "OTEL_EXPORTER_PROV_COLLECTION"
"""TrustGraph's collection for sessions that name none.

Default: ``default``. Example: ``research``.
"""

OTEL_EXPORTER_PROV_ENDPOINT: Final = "OTEL_EXPORTER_PROV_ENDPOINT"
"""Where recorded sessions are sent: a URL, or several separated by commas, whose scheme says how.

Default: nowhere, they are only kept. Example: ``pulsar://broker:6650``.
"""

OTEL_EXPORTER_PROV_SHAPE: Final = "OTEL_EXPORTER_PROV_SHAPE"
"""Shape of the triples that are sent: one for all endpoints, or one for each, separated by commas.

Default: ``trustgraph``. Others: ``agent-session``, ``question-analysis``.
"""

OTEL_EXPORTER_PROV_WORKER: Final = "OTEL_EXPORTER_PROV_WORKER"
"""Whether a program that records sessions starts the process that sends them, where there is an endpoint and none runs.

Default: ``on``. With ``off`` they wait for ``otel-prov deliver``.
"""

_FLAGS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


def flag(name: str, default: bool) -> bool:
    """The variable's truth value; ``default`` where it is unset. A value that is neither counts as ``False``, said once
    in the log: whoever sets a switch to keep something in must not have it out for a misspelling."""
    value = os.environ.get(name, "").strip().lower()
    if not value:
        return default
    if value not in _FLAGS:
        lost(f"{name} is neither true nor false", f"{value!r}, taken for false")
    return _FLAGS.get(value, False)
