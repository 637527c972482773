"""How soon after its start a step of a running agent can be read by another process.

python -m benchmarks latency
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import workload as w
from otel_prov.keep import Store
from otel_prov.names import session_uri
from otel_prov.steps import Analysis

STEPS = 300
_LOOK = 0.005  # seconds between two looks of the reader

AGENT = f"""
import time
from benchmarks import workload as w
from otel_prov import install, session

install()
with session(w.QUESTION, session_id="s") as run:
    for each in range({STEPS}):
        with run.iteration() as step:
            step.record(thought=w.THOUGHT, action=w.ACTION, arguments=w.ARGUMENTS)
            time.sleep(0.02)
            step.record(observation=w.OBSERVATION)
    run.record(answer=w.ANSWER)
"""


def measure() -> list[w.Row]:
    """Milliseconds from the start of an iteration until a reader has it from the store."""
    with tempfile.TemporaryDirectory() as name:
        delays = sorted(_delays(Path(name)))
    median, late = statistics.median(delays) * 1e3, delays[int(len(delays) * 0.99)] * 1e3
    return [(f"start of a step to its reading, ms ({STEPS} steps)", f"{median:.0f}", f"99th: {late:.0f}", "", "200 ms")]


def _delays(folder: Path) -> list[float]:
    environment = {**os.environ, "OTEL_EXPORTER_PROV_STORE": str(folder), "OTEL_TRACES_EXPORTER": "prov"}
    agent = subprocess.Popen([sys.executable, "-c", AGENT], env=environment)
    delays: dict[int, float] = {}
    with Store(folder) as store:
        while len(delays) < STEPS:
            ended = agent.poll() is not None
            store.take_in()
            told, now = store.session(session_uri("s")), time.time()
            for step in told.of(Analysis) if told else ():
                if step.number not in delays and step.started:
                    delays[step.number] = now - step.started.timestamp()
            assert not ended or len(delays) == STEPS, f"{len(delays)} of {STEPS} steps"
            time.sleep(_LOOK)
    assert agent.wait() == 0
    return list(delays.values())
