"""Whether OTLP arrives, told by the exporter that would send it."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import Final
from urllib.parse import urlsplit

from otel_prov.checks import reach
from otel_prov.checks.check import Check, bad, good
from otel_prov.environment import exporter_names, otlp_protocol

__all__ = ["otlp"]

_SPOKEN: Final = {"http": "OTLP over HTTP", "grpc": "OTLP over gRPC"}
_OTHERWISE: Final = {
    "http": "see OTEL_EXPORTER_OTLP_ENDPOINT and _HEADERS, or set _PROTOCOL=grpc (port 4317 as a rule)",
    "grpc": "see OTEL_EXPORTER_OTLP_ENDPOINT and _HEADERS, or set _PROTOCOL=http/protobuf (port 4318 as a rule)",
}


def otlp() -> Iterator[Check]:
    """Whether what listens where OTLP is sent to takes it, if any is: a request without spans goes there."""
    name = next((name for name in exporter_names() if name.startswith("otlp")), None)
    if name is None:
        return
    protocol = otlp_protocol(name)
    url = _otlp("ENDPOINT") or ("http://localhost:4318" if protocol == "http" else "http://localhost:4317")
    remedy = "start what should listen there (Jaeger), or name another place in OTEL_EXPORTER_OTLP_ENDPOINT"
    try:
        scheme, host, port = _parts(url)
    except ValueError as error:
        yield bad("OTLP", f"{url!r} is no endpoint ({error})", "write OTEL_EXPORTER_OTLP_ENDPOINT=http://host:4317")
        return
    place = f"{host}:{port}"
    try:
        reach.connect(host, port, tls=scheme == "https", certificate=_otlp("CERTIFICATE"))
    except OSError as error:
        yield bad("OTLP", f"{place} can't be reached ({error})", remedy)
        return
    try:
        refusal = _refused(f"otlp_proto_{protocol}")
    except LookupError:
        yield good("OTLP", f"{place} listens; whether it takes OTLP can't be told without the exporter")
        return
    spoken = _SPOKEN[protocol]
    if refusal is None:
        yield good("OTLP", f"{place} takes {spoken}")
    else:
        yield bad("OTLP", f"{place} listens, but does not take {spoken} ({refusal})", _OTHERWISE[protocol])


def _refused(exporter: str) -> str | None:
    """Why an exporter of OTLP, set up by its own variables, can't export; ``None`` where it can. It exports no span.

    Raises:
        LookupError: The exporter isn't installed.
    """
    found = list(entry_points(group="opentelemetry_traces_exporter", name=exporter))
    if not found:
        raise LookupError(exporter)
    said = _Said()
    log = logging.getLogger("opentelemetry.exporter")
    log.addHandler(said)  # without a handler it would say so on standard error, too
    outcome: list[str] = []

    def call() -> None:
        said.thread = threading.get_ident()
        made = found[0].load()(timeout=0.8 * reach.PATIENCE)
        outcome.append(made.export(()).name)
        made.shutdown()

    try:
        reach.within(reach.PATIENCE, call)
    except TimeoutError as error:
        return said.last or str(error)
    except Exception as error:  # whatever the exporter raises for variables that it can't understand
        return f"{type(error).__name__}: {error}"
    finally:
        log.removeHandler(said)
    return None if outcome == ["SUCCESS"] else said.last or "it says no more"


class _Said(logging.Handler):
    """Keeps the last line that a thread logs."""

    thread: int | None = None
    last: str | None = None

    def emit(self, record: logging.LogRecord) -> None:
        if record.thread == self.thread:
            self.last = " ".join(record.getMessage().split())


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
