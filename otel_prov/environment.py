"""The environment variables of otel-prov, each with its meaning and default. OpenTelemetry's own apply beside them."""

from __future__ import annotations

import functools
import logging
import os
from typing import Final

__all__ = ["FLAGS", "PROV", "exporter_names", "flag", "misread", "otlp_protocol", "say_once"]

OTEL_EXPORTER_PROV_STORE: Final = "OTEL_EXPORTER_PROV_STORE"
"""Folder that sessions are kept in.

Default: ``otel-prov`` in the user's data folder, as the platform has it. Example: ``/var/lib/otel-prov``.
"""

OTEL_EXPORTER_PROV_CAPTURE_CONTENT: Final = "OTEL_EXPORTER_PROV_CAPTURE_CONTENT"
"""Whether questions, thoughts, arguments, observations and answers become attributes of spans, for every exporter.

Default: ``true``. With ``false`` only the shape of a session is recorded: names, numbers, times, outcomes, and of each
text its length and SHA-256.
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

OTEL_EXPORTER_PROV_VIEW: Final = "OTEL_EXPORTER_PROV_VIEW"
"""Which view of a session is sent: what TrustGraph reads (``explanation``), valid PROV (``prov``), or ``both``; one for
all endpoints, or one for each, separated by commas.

Default: ``explanation``.
"""

OTEL_EXPORTER_PROV_WORKER: Final = "OTEL_EXPORTER_PROV_WORKER"
"""Whether a program that records sessions starts the process that sends them, where there is an endpoint and none runs.

Default: ``on``. With ``off`` they wait for ``otel-prov deliver``.
"""

OTEL_EXPORTER_PROV_TRACE_URL: Final = "OTEL_EXPORTER_PROV_TRACE_URL"
"""Page on which ``otel-prov show`` says a session's trace can be seen; ``{trace_id}`` stands for its 32 hexadecimal
digits. With ``none`` it names no page.

Default: ``http://localhost:16686/trace/{trace_id}``, as Jaeger has it.
"""

# What destinations read: packages of their own, but a user looks for all variables in one place. ---------------------

OTEL_EXPORTER_PROV_WORKSPACE: Final = "OTEL_EXPORTER_PROV_WORKSPACE"
"""TrustGraph's workspace.

Default: ``default``.
"""

OTEL_EXPORTER_PROV_FLOW: Final = "OTEL_EXPORTER_PROV_FLOW"
"""Id of TrustGraph's flow that stores triples.

Default: ``default``.
"""

OTEL_EXPORTER_PROV_TOPIC: Final = "OTEL_EXPORTER_PROV_TOPIC"
"""The topic that triples are sent to, whole or within ``persistent://tg/flow/``.

Default: ``triples-store:{workspace}:{flow}``, as TrustGraph 2.4 and later has it.
"""

OTEL_EXPORTER_PROV_TOKEN: Final = "OTEL_EXPORTER_PROV_TOKEN"
"""Token for the endpoint.

Default: none.
"""

OTEL_EXPORTER_PROV_TOKEN_FILE: Final = "OTEL_EXPORTER_PROV_TOKEN_FILE"
"""File with the token for the endpoint, read again at each connection.

Default: none. Example: ``/run/secrets/pulsar-token``.
"""

OTEL_EXPORTER_PROV_OAUTH2_FILE: Final = "OTEL_EXPORTER_PROV_OAUTH2_FILE"
"""File with OAuth 2.0 client credentials for the endpoint, in the form of Pulsar's key files.

Default: none.
"""

OTEL_EXPORTER_PROV_CERTIFICATE: Final = "OTEL_EXPORTER_PROV_CERTIFICATE"
"""PEM file with the authorities that may vouch for the endpoint's certificate.

Default: the public ones.
"""

OTEL_EXPORTER_PROV_TIMEOUT: Final = "OTEL_EXPORTER_PROV_TIMEOUT"
"""Seconds without any acknowledgement after which the endpoint counts as away.

Default: ``30``.
"""

OTEL_EXPORTER_PROV_LIBRARIAN_ENDPOINT: Final = "OTEL_EXPORTER_PROV_LIBRARIAN_ENDPOINT"
"""TrustGraph's gateway, to whose librarian texts go; or ``bus``, to reach the librarian over Pulsar.

Default: none, texts stay in the graph. Example: ``http://gateway:8888/``.
"""

OTEL_EXPORTER_PROV_LIBRARIAN_TOKEN: Final = "OTEL_EXPORTER_PROV_LIBRARIAN_TOKEN"
"""Token for TrustGraph's gateway.

Default: none.
"""

OTEL_EXPORTER_PROV_LIBRARIAN_WAIT: Final = "OTEL_EXPORTER_PROV_LIBRARIAN_WAIT"
"""Seconds that triples wait for a librarian who is away, before they go without documents.

Default: ``120``.
"""

OTEL_EXPORTER_PROV_LEAN: Final = "OTEL_EXPORTER_PROV_LEAN"
"""Whether triples that TrustGraph's command line never shows are left out.

Default: ``false``.
"""

PROV: Final = "prov"
"""What ``OTEL_TRACES_EXPORTER`` calls our own exporter."""

FLAGS: Final = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
"""What a switch may be set to."""

_PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")


def exporter_names() -> list[str]:
    """The names in ``OTEL_TRACES_EXPORTER``; ours alone where it is not set."""
    value = os.environ.get("OTEL_TRACES_EXPORTER", "").strip() or PROV
    return list(dict.fromkeys(name for part in value.split(",") if (name := part.strip())))


def otlp_protocol(name: str) -> str:
    """``http`` or ``grpc``, which an exporter for OTLP speaks: by its name, else as chosen, else gRPC."""
    chosen = next((value for variable in _PROTOCOLS if (value := os.environ.get(variable))), "grpc")
    return "http" if name == "otlp_proto_http" or (name == "otlp" and chosen.startswith("http")) else "grpc"


def flag(name: str, default: bool) -> bool:
    """The variable's truth value; ``default`` where it is unset. A value that is neither counts as ``False``, said once
    in the log: whoever sets a switch to keep something in must not have it out for a misspelling."""
    value = os.environ.get(name, "").strip().lower()
    if not value:
        return default
    if value not in FLAGS:
        misread(name, value, "neither true nor false", "false")
    return FLAGS.get(value, False)


def misread(name: str, value: str, why: str, taken: str) -> None:
    """Say once in the log that a variable's value can't be understood, and what is taken in its place."""
    say_once(f"{name}={value} is {why}; {taken} is taken")


@functools.lru_cache(256)
def say_once(message: str) -> None:
    """Write a line to the log, if that has not been done in this process."""
    logging.getLogger("otel_prov").warning("%s", message)
