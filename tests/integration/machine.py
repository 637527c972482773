"""A machine on which an agent runs, set up by variables alone; and what the spans say that it leaves behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from otel_prov.keep import Store
from otel_prov.read import Span, parse_line
from otel_prov.record.journal import files
from otel_prov.steps import Session

__all__ = ["AGENT", "INSTRUMENT", "LONGEST", "Machine", "by_id", "places", "told"]

AGENT: Final = [sys.executable, str(Path(__file__).with_name("traced.py"))]
INSTRUMENT: Final = str(Path(sys.executable).with_name("opentelemetry-instrument"))
LONGEST: Final = 120.0  # seconds that anything may take, on a machine that is busy


class Machine:
    """A machine on which the agent runs, set up by variables alone."""

    def __init__(self, store: Path, service: str) -> None:
        self.store = store
        self.service = service
        clean = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
        self.environment = {
            **clean,
            "NO_PROXY": "*",
            "no_proxy": "*",
            "OTEL_SERVICE_NAME": service,
            "OTEL_TRACES_EXPORTER": "otlp,prov",
            "OTEL_METRICS_EXPORTER": "none",
            "OTEL_LOGS_EXPORTER": "none",
            "OTEL_EXPORTER_PROV_STORE": str(store),
        }
        self.started: list[subprocess.Popen[str]] = []

    def start(self, command: Sequence[str], **variables: str) -> subprocess.Popen[str]:
        """Start a program."""
        process = subprocess.Popen(
            command,
            env={**self.environment, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.started.append(process)
        return process

    def run(self, command: Sequence[str], **variables: str) -> str:
        """What a program prints that ends well, and complains of nothing."""
        process = self.start(command, **variables)
        out, err = process.communicate(timeout=LONGEST)
        assert (process.returncode, err) == (0, ""), (process.returncode, err)
        return out

    @property
    def recorded(self) -> list[Span]:
        """The ended spans in the store's journals, before anybody takes them in."""
        records = [span for file in files(self.store) for line in file.open("rb") for span in parse_line(line)]
        return [span for span in records if span.end]

    def sessions(self) -> list[Session]:
        """All that the store knows, the oldest first."""
        with Store(self.store) as store:
            store.take_in()
            found = [store.session(summary.uri) for summary in store.sessions(limit=None)]
        return [session for session in reversed(found) if session]


def told(span: Span) -> dict[str, Any]:
    """What a span says, whoever writes it down: what is empty may be missing, and a constant have a name."""
    raw = json.loads(span.raw)
    status = raw.get("status") or {}
    return {
        "name": span.name,
        "ids": (span.trace_id, span.span_id, raw.get("parentSpanId") or ""),
        "kind": raw.get("kind"),
        "times": (span.start, span.end),
        "status": (status.get("code") or 0, status.get("message") or ""),
        "attributes": span.attributes,
        "events": [(event["name"], int(event["timeUnixNano"]), plain(event)) for event in raw.get("events") or ()],
        "links": [(link["traceId"], link["spanId"], plain(link)) for link in raw.get("links") or ()],
    }


def plain(raw: dict[str, Any]) -> dict[str, Any]:
    """Attributes of an event or a link."""
    return Span.of({"traceId": "", "spanId": "", "attributes": raw.get("attributes")}).attributes


def places(session: Session) -> list[tuple[str | None, str | None]]:
    """Where each step stands in the traces."""
    return [(step.trace_id, step.span_id) for step in session.steps]


def by_id(spans: Sequence[Span]) -> list[dict[str, Any]]:
    return sorted(map(told, spans), key=lambda span: span["ids"])
