"""What delivery costs the agent: recording a session with worker and broker alive, dead and hung, in one run.

    PYTHONPATH=../.. python benchmarks/recording.py [rounds]

Starts a broker (Java 17 or later, Maven). An agent records sessions of ten iterations at an agent's pace, one every few
milliseconds; a round has a block of each case, and what counts is the median time of a session in it.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.integration.servers.pulsar import Broker

EACH = 25  # sessions in a block

AGENT = """
import json, sys, time
from benchmarks import workload as w
from benchmarks.recording import agent
import otel_prov

otel_prov.install()
for line in sys.stdin:
    times = []
    for _ in range(int(line)):
        start, cpu = time.perf_counter_ns(), time.thread_time_ns()
        agent(w.QUESTION)
        times.append((time.perf_counter_ns() - start, time.thread_time_ns() - cpu))
        time.sleep(0.02)
    print(json.dumps(times), flush=True)
"""


def agent(folder: Path, endpoint: str, topic: str) -> subprocess.Popen[str]:
    """An agent that records as many sessions as each line of its input says, and starts its worker by itself."""
    environment = {**os.environ, "OTEL_EXPORTER_PROV_STORE": str(folder), "OTEL_EXPORTER_PROV_TOPIC": topic}
    environment["OTEL_EXPORTER_PROV_ENDPOINT"] = endpoint
    command = [sys.executable, "-c", AGENT]
    return subprocess.Popen(command, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def block(process: subprocess.Popen[str]) -> tuple[float, float]:
    """Median microseconds of a session: on the clock, and of the agent's own thread."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{EACH}\n")
    process.stdin.flush()
    times = json.loads(process.stdout.readline())
    return tuple(statistics.median(each) / 1000 for each in zip(*times, strict=True))  # type: ignore[return-value]


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 25
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        brokers = {case: Broker(work / case, for_long=True) for case in ("alive", "hung")}
        agents = {}
        try:
            for case, broker in brokers.items():
                (work / case).mkdir()
                broker.start()
                agents[case] = agent(work / f"store-{case}", broker.url, broker.namespace("bench") + "triples")
            agents["dead"] = agent(work / "store-dead", "pulsar://127.0.0.1:1", "persistent://public/default/triples")
            for each in agents.values():  # which starts the workers
                block(each)
            brokers["hung"].process.pause()
            for each in agents.values():
                block(each)
            measured = {case: [] for case in agents}
            for _ in range(rounds):
                for case, each in agents.items():
                    measured[case].append(block(each))
        finally:
            for each in agents.values():
                each.kill()
                each.communicate()
            for broker in brokers.values():
                broker.stop()
    for what, place in (("on the clock", 0), ("of the agent's CPU", 1)):
        medians = {case: statistics.median(each[place] for each in found) for case, found in measured.items()}
        told = ", ".join(f"{case} {median:.0f}" for case, median in medians.items())
        ratio = max(medians.values()) / min(medians.values())
        print(f"a session of 11 spans, µs {what}: {told}; largest / smallest {ratio:.3f}")


if __name__ == "__main__":
    main()
