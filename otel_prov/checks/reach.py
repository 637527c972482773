"""Whether somebody listens at the other end of the network, in a bounded time."""

from __future__ import annotations

import os
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from typing import Final
from urllib.parse import urlsplit

from otel_prov.checks.check import Check, bad, good
from otel_prov.environment import exporter_names, otlp_protocol

__all__ = ["connect", "otlp", "within"]

_PATIENCE: Final = 5.0
"""Seconds for one connection."""


def within(seconds: float, call: Callable[[], object]) -> None:
    """Make a call that may never come back; what it raises is raised here.

    Raises:
        TimeoutError: It takes longer than that. It goes on, on a thread that nobody waits for.
    """
    outcome: SimpleQueue[BaseException | None] = SimpleQueue()

    def run() -> None:
        try:
            call()
        except BaseException as error:
            outcome.put(error)
        else:
            outcome.put(None)

    threading.Thread(target=run, name="otel-prov-doctor", daemon=True).start()
    try:
        error = outcome.get(timeout=seconds)
    except Empty:
        raise TimeoutError(f"no answer within {seconds:g} s") from None
    if error is not None:
        raise error


def connect(host: str, port: int, *, tls: bool, certificate: str | None = None) -> None:
    """Connect, over TLS where that is wanted, and hang up. Raises ``OSError``."""

    def call() -> None:
        with socket.create_connection((host, port), _PATIENCE) as connection:
            if tls:
                context = ssl.create_default_context(cafile=certificate)
                context.wrap_socket(connection, server_hostname=host).close()

    within(_PATIENCE + 1, call)


def otlp() -> Iterator[Check]:
    """Whether something listens where OTLP is sent to, if it is."""
    name = next((name for name in exporter_names() if name.startswith("otlp")), None)
    if name is None:
        return
    url = _otlp("ENDPOINT") or ("http://localhost:4318" if otlp_protocol(name) == "http" else "http://localhost:4317")
    remedy = "start what should listen there (Jaeger), or name another place in OTEL_EXPORTER_OTLP_ENDPOINT"
    try:
        scheme, host, port = _parts(url)
    except ValueError as error:
        yield bad("OTLP", f"{url!r} is no endpoint ({error})", "write OTEL_EXPORTER_OTLP_ENDPOINT=http://host:4317")
        return
    place = f"{host}:{port}"
    try:
        connect(host, port, tls=scheme == "https", certificate=_otlp("CERTIFICATE"))
    except OSError as error:
        yield bad("OTLP", f"{place} can't be reached ({error})", remedy)
    else:
        yield good("OTLP", f"{place} listens, {'HTTP' if otlp_protocol(name) == 'http' else 'gRPC'} is sent there")


def _otlp(what: str) -> str | None:
    """OpenTelemetry's variable for traces, else that for all signals."""
    return os.environ.get(f"OTEL_EXPORTER_OTLP_TRACES_{what}") or os.environ.get(f"OTEL_EXPORTER_OTLP_{what}") or None


def _parts(url: str) -> tuple[str, str, int]:
    """Scheme, host and port. gRPC's endpoints may have no scheme: then they are secure, unless it is said otherwise."""
    if "://" not in url:
        url = ("http://" if (_otlp("INSECURE") or "").lower() == "true" else "https://") + url
    parts = urlsplit(url)
    if not parts.hostname:
        raise ValueError("no host")
    return parts.scheme, parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
