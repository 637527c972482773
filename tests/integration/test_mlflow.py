"""The same session in a second real back end for OTLP, so that ours are spans for anybody."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_prov.read import Span
from tests.integration.machine import AGENT, Machine, told
from tests.integration.servers.mlflow import MLflow

pytest.importorskip("opentelemetry.exporter.otlp", reason="not installed; pip install opentelemetry-exporter-otlp")

pytestmark = pytest.mark.integration

CODES = {"STATUS_CODE_UNSET": 0, "STATUS_CODE_OK": 1, "STATUS_CODE_ERROR": 2}


def kept(span: Span) -> dict[str, Any]:
    """What MLflow keeps of what a span says: not its kind, and JSON texts as what they stand for."""
    said = told(span)
    del said["kind"]
    code, message = said["status"]
    said["status"] = (CODES.get(code, code), message)
    own = {name: value for name, value in span.attributes.items() if not name.startswith("mlflow.")}
    said["attributes"] = {name: parsed(value) for name, value in own.items()}
    return said


def ids(said: dict[str, Any]) -> Any:
    return said["ids"]


def parsed(value: Any) -> Any:
    try:
        return json.loads(value)
    except (TypeError, ValueError):
        return value


def test_mlflow_and_the_store_tell_the_same(mlflow: MLflow, machine: Machine) -> None:
    assert machine.run([*AGENT, "2", "install"], **mlflow.otlp()) == "done\n"
    recorded = machine.recorded
    for session in machine.sessions():
        assert session.trace_id
        own = [span for span in recorded if span.trace_id == session.trace_id]
        found = [Span.of(raw) for raw in mlflow.trace(session.trace_id, len(own))]
        assert sorted(map(kept, found), key=ids) == sorted(map(kept, own), key=ids)
