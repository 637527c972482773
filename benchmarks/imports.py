"""What importing the library costs, against importing OpenTelemetry's API alone."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile

from benchmarks import workload as w

RUNS = 15


def measure() -> list[w.Row]:
    """Milliseconds of the import in a fresh interpreter, from compiled files, as after an installation."""
    took: dict[str, list[float]] = {"otel_prov": [], "opentelemetry.trace": []}
    with tempfile.TemporaryDirectory() as compiled:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = compiled
        for run in range(RUNS + 1):
            for module, times in took.items():
                milliseconds = _milliseconds(module, environment)
                if run:  # the first compiles
                    times.append(milliseconds)
    ours, theirs = (statistics.median(times) for times in took.values())
    return [("import, ms", f"{ours:.1f}", f"{theirs:.1f}", f"{ours / theirs:.2f}", "1.3")]


def _milliseconds(module: str, environment: dict[str, str]) -> float:
    program = f"import time; t = time.perf_counter(); import {module}; print((time.perf_counter() - t) * 1000)"
    command = [sys.executable, "-c", program]
    return float(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
