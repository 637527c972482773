"""A real MLflow, whose tracking server takes OTLP over HTTP, keeps spans in SQLite, and gives them back by its API.

Of what it depends on, only what its server needs is installed: 260 MB in place of 650.
"""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any, Final

from tests.integration.servers.cache import Missing, once
from tests.integration.servers.jaeger import get
from tests.integration.servers.process import Process, free_port, until

__all__ = ["MLflow"]

VERSION: Final = "3.17.2"
_BARE: Final = f"mlflow=={VERSION}"  # without what it depends on: packages for learning and plotting
_PACKAGES: Final = (
    f"mlflow-skinny=={VERSION}",
    f"mlflow-tracing=={VERSION}",
    "flask<4",
    "flask-cors<7",
    "alembic<2",
    "sqlalchemy<3",
    "graphene<4",
    "huey<4",
    "aiohttp<4",
    "cryptography<51",
    "numpy<3",
    "pandas<4",
)
_UP: Final = 300.0  # seconds, on a machine that is busy; 15 s on one that is idle
_IDS: Final = ("trace_id", "span_id", "parent_span_id")


class MLflow:
    """An MLflow with one experiment, the default one."""

    def __init__(self, work: Path) -> None:
        """
        Args:
            work: Where its database and its log are.

        Raises:
            Missing: It can't be installed here.
        """
        self._python = once(f"mlflow-{VERSION}-py3{sys.version_info[1]}", _install) / "bin" / "python"
        self._work = work
        self._process: Process | None = None
        self.url = f"http://127.0.0.1:{free_port()}"

    def otlp(self) -> dict[str, str]:
        """The variables that have an exporter send here."""
        return {
            "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
            "OTEL_EXPORTER_OTLP_ENDPOINT": self.url,
            "OTEL_EXPORTER_OTLP_HEADERS": "x-mlflow-experiment-id=0",
        }

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [str(self._python), "-m", "mlflow", "server", "--host", "127.0.0.1", "--workers", "1"]
        command += [
            "--port",
            self.url.rpartition(":")[2],
            "--backend-store-uri",
            f"sqlite:///{self._work / 'mlflow.db'}",
        ]
        command += ["--default-artifact-root", str(self._work / "artifacts")]
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "MLFLOW_"))}
        quiet = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "MLFLOW_DISABLE_TELEMETRY": "true"}
        self._process = Process(command, self._work / "mlflow.log", {**clean, **quiet}, self._work)
        self._process.wait("MLflow", lambda: get(f"{self.url}/api/3.0/mlflow/server-info"), _UP)

    def stop(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.stop()

    def trace(self, trace_id: str, spans: int) -> list[dict[str, Any]]:
        """The spans of a trace, in the words of OTLP/JSON, once there are that many."""

        def look() -> list[dict[str, Any]]:
            found = get(f"{self.url}/api/3.0/mlflow/traces/get?trace_id=tr-{trace_id}")["trace"].get("spans", [])
            return [_otlp(span) for span in found] if len(found) == spans else []

        return until(f"{spans} spans of {trace_id} in MLflow", look, 60)


def _otlp(told: Any) -> Any:
    """Protobuf's own JSON as OTLP has it: names in camel case, ids in hexadecimal digits."""
    if isinstance(told, list):
        return [_otlp(item) for item in told]
    if not isinstance(told, dict):
        return told
    return {_camel(name): _hex(value) if name in _IDS else _otlp(value) for name, value in told.items()}


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def _hex(text: str) -> str:
    return base64.b64decode(text).hex()


def _install(place: Path) -> None:
    venv.create(place, with_pip=True, symlinks=True)
    pip = [str(place / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    try:
        for what in (_PACKAGES, ("--no-deps", _BARE)):
            subprocess.run([*pip, *what], check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        raise Missing(f"MLflow could not be installed: {error.stderr[-500:]}") from None
