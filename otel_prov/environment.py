"""The environment variables of otel-prov, each with its meaning and default. OpenTelemetry's own apply beside them."""

from __future__ import annotations

import functools
import logging
import os
from typing import Final

__all__ = [
    "CONFIG_FILE",
    "FLAGS",
    "PREFIX",
    "PROV",
    "config_file",
    "exporter_names",
    "flag",
    "give",
    "given",
    "headers",
    "misread",
    "named_in_file",
    "otlp_protocol",
    "say_once",
    "seconds",
    "variable",
]

OTEL_EXPORTER_PROV_STORE: Final = "OTEL_EXPORTER_PROV_STORE"
"""Folder that sessions are kept in.

Default: ``otel-prov`` in the user's data folder, as the platform has it. Example: ``/var/lib/otel-prov``.
"""

OTEL_EXPORTER_PROV_CAPTURE_CONTENT: Final = "OTEL_EXPORTER_PROV_CAPTURE_CONTENT"
"""Whether questions, thoughts, arguments, observations and answers become attributes of spans, for every exporter.

Default: ``true``. With ``false`` only the shape of a session is recorded: names, numbers, times, outcomes, and of each
text its length and SHA-256.
"""

OTEL_EXPORTER_PROV_DETECT_USES: Final = "OTEL_EXPORTER_PROV_DETECT_USES"
"""Whether it is looked for which earlier results an iteration uses: values that are handed on, and quotations.

Default: ``false``, what the agent tells is all.
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
"""Whether a program that records sessions starts the process that sends them, and removes old ones, where an endpoint
or a retention is set and none runs.

Default: ``on``. With ``off`` they wait for ``otel-prov deliver``.
"""

OTEL_EXPORTER_PROV_RETENTION: Final = "OTEL_EXPORTER_PROV_RETENTION"
"""How long sessions are kept, how much room they may take, or both: older ones go first. One that runs, or still waits
to be sent to an endpoint, is never removed.

Default: all are kept. Examples: ``30d``, ``12h``, ``10GiB``, ``30d,10GiB``.
"""

OTEL_EXPORTER_PROV_TRACE_URL: Final = "OTEL_EXPORTER_PROV_TRACE_URL"
"""Page on which ``otel-prov show`` says a session and its steps can be seen. ``{trace_id}`` stands for the 32
hexadecimal digits of the trace, ``{span_id}`` for the 16 of a step's span. With ``none`` it names no page.

Default: ``http://localhost:16686/trace/{trace_id}?uiFind={span_id}``, as Jaeger has it.
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

OTEL_EXPORTER_PROV_HEADERS: Final = "OTEL_EXPORTER_PROV_HEADERS"
"""Headers of requests that send something over HTTP, to TrustGraph's librarian and to endpoints that are reached so;
written as ``OTEL_EXPORTER_OTLP_HEADERS`` is. Messages over Pulsar have none.

Default: none. Example: ``x-tenant=acme,authorization=Basic%20YW5uOmh1c2g=``.
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

PREFIX: Final = "OTEL_EXPORTER_PROV_"
"""What the names of our own variables begin with."""

CONFIG_FILE: Final = "OTEL_CONFIG_FILE"
"""OpenTelemetry's variable: the file of its declarative configuration, which then decides in place of the variables."""

FLAGS: Final = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
"""What a switch may be set to."""

_PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")


_given: dict[str, str] = {}  # what the arguments of an exporter say in place of variables

_is_in_file = False


def variable(name: str) -> str:
    """What a variable of ours says, without blanks around it; empty where it is not set. A setting that a configuration
    file has given goes before it."""
    return (_given.get(name) or os.environ.get(name, "")).strip()


def give(name: str, value: str) -> None:
    """Have a setting in place of a variable, for this process and the worker that it starts."""
    _given[name] = value


def given() -> dict[str, str]:
    """The settings that stand in place of variables."""
    return dict(_given)


def config_file() -> str:
    """The file of OpenTelemetry's declarative configuration; empty where there is none."""
    return os.environ.get(CONFIG_FILE, "").strip()


def named_in_file() -> None:
    """The configuration file names our exporter, which has been made."""
    global _is_in_file
    _is_in_file = True


def exporter_names() -> list[str]:
    """The names in ``OTEL_TRACES_EXPORTER``; ours alone where it is not set. With a configuration file, ours if that
    has named it: the variable has no say then."""
    if config_file():
        return [PROV] if _is_in_file else []
    value = os.environ.get("OTEL_TRACES_EXPORTER", "").strip() or PROV
    return list(dict.fromkeys(name for part in value.split(",") if (name := part.strip())))


def otlp_protocol(name: str) -> str:
    """``http`` or ``grpc``, which an exporter for OTLP speaks: by its name, else as chosen, else gRPC."""
    chosen = next((value for variable in _PROTOCOLS if (value := os.environ.get(variable))), "grpc")
    return "http" if name == "otlp_proto_http" or (name == "otlp" and chosen.startswith("http")) else "grpc"


def flag(name: str, default: bool) -> bool:
    """The variable's truth value; ``default`` where it is unset. A value that is neither counts as ``False``, said once
    in the log: whoever sets a switch to keep something in must not have it out for a misspelling."""
    value = variable(name).lower()
    if not value:
        return default
    if value not in FLAGS:
        misread(name, value, "neither true nor false", "false")
    return FLAGS.get(value, False)


def seconds(name: str, default: float) -> float:
    """The variable's number of seconds; ``default`` where it is unset, or none above 0 and up to a day."""
    value = variable(name)
    try:
        number = float(value) if value else default
    except ValueError:
        number = -1.0
    if 0 < number <= 86_400:
        return number
    misread(name, value, "no number of seconds above 0 and up to 86400", f"{default:g}")
    return default


def headers() -> dict[str, str]:
    """What ``OTEL_EXPORTER_PROV_HEADERS`` says: names in lower case, values with their escapes undone (OTLP exporter
    specification, "Specifying headers via environment variables"). What is no ``name=value`` is said in the log."""
    from urllib.parse import unquote

    found: dict[str, str] = {}
    for number, pair in enumerate(variable(OTEL_EXPORTER_PROV_HEADERS).split(","), start=1):
        name, _, value = (part.strip() for part in pair.partition("="))
        text = unquote(value)
        if name.isascii() and name.isprintable() and name and "=" in pair and text.isprintable():
            found[name.lower()] = text
        elif pair.strip():  # which may be a secret, and so is not told
            say_once(f"{OTEL_EXPORTER_PROV_HEADERS}: number {number} is no name=value; it is left out")
    return found


def misread(name: str, value: str, why: str, taken: str) -> None:
    """Say once in the log that a variable's value can't be understood, and what is taken in its place."""
    say_once(f"{name}={value} is {why}; {taken} is taken")


@functools.lru_cache(256)
def say_once(message: str) -> None:
    """Write a line to the log, if that has not been done in this process."""
    logging.getLogger("otel_prov").warning("%s", message)
