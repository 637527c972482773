"""A session goes through TrustGraph's own AgentRequest, of which only the session's id survives."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from otel_prov import names
from otel_prov.instrument.context import derived_parent
from otel_prov.keep import Store
from otel_prov.read import Span, parse_line
from otel_prov.record.journal import files
from otel_prov.steps import Analysis, Conclusion, Observation
from trustgraph.base.serialization import dataclass_to_dict
from trustgraph.schema import AgentRequest

WORKER = """
import json, sys
from trustgraph.base.serialization import dataclass_to_dict, dict_to_dataclass
from trustgraph.schema import AgentRequest, AgentStep
import otel_prov

otel_prov.install()
for line in sys.stdin:  # a message of the bus each
    request = dict_to_dataclass(json.loads(line), AgentRequest)
    with otel_prov.session(request.question, name="manager", context=otel_prov.extract(request)) as run:
        with run.iteration() as step:
            if step.number == 4:
                step.record(thought="enough")
                run.record(answer="the answer")
                print("{}", flush=True)
                continue
            step.record(thought=f"t{step.number}", action="look", arguments={"at": step.number})
            step.record(observation=f"o{step.number}")
        done = AgentStep(f"t{step.number}", "look", {"at": str(step.number)}, f"o{step.number}")
        following = AgentRequest(
            question=request.question, history=[*request.history, done], collection=request.collection
        )
        otel_prov.inject(following)
    print(json.dumps(dataclass_to_dict(following)), flush=True)
assert otel_prov.losses() == {}, otel_prov.losses()
"""


class Worker:
    """A process that takes a request, and gives the next."""

    def __init__(self, store: Path, running: ExitStack) -> None:
        self._process = running.enter_context(
            subprocess.Popen(
                [sys.executable, "-c", WORKER],
                env={"OTEL_EXPORTER_PROV_STORE": str(store)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )

    def take(self, request: str) -> str:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(request + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def end(self) -> None:
        self._process.communicate(timeout=60)
        assert self._process.returncode == 0


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[list[Worker]]:
    with ExitStack() as running:
        yield [Worker(tmp_path, running) for _ in range(2)]


@pytest.mark.parametrize("session_id", ["", "chosen by the client"])
def test_two_workers_take_turns_at_one_session_in_one_trace(
    tmp_path: Path, workers: list[Worker], session_id: str
) -> None:
    requests = [
        json.dumps(dataclass_to_dict(AgentRequest(question="Why?", collection="papers", session_id=session_id)))
    ]
    while requests[-1] != "{}":
        requests.append(workers[len(requests) % 2].take(requests[-1]))
    assert len(requests) == 5
    for again in reversed(requests[1:-1]):  # they come once more, out of order, to the other worker
        workers[0].take(again)
    recorded = spans(tmp_path)
    for worker in workers:
        worker.end()

    with Store(tmp_path) as store:
        store.take_in()
        (listed,) = store.sessions()
        told = store.session(listed.uri)
    assert told is not None
    assert told.steps[1:] == (
        Analysis(1, "t1", "look", '{"at": 1}'),
        Observation(1, "o1"),
        Analysis(2, "t2", "look", '{"at": 2}'),
        Observation(2, "o2"),
        Analysis(3, "t3", "look", '{"at": 3}'),
        Observation(3, "o3"),
        Conclusion("the answer", "enough"),
    )
    assert (told.outcome, told.collection, told.question.text) == (names.OUTCOME_FINAL, "papers", "Why?")
    assert told.question.started is not None
    identity = json.loads(requests[1])["session_id"]
    assert identity == (session_id or identity) != ""
    assert {span.trace_id for span in recorded} == {f"{derived_parent(identity).trace_id:032x}"} == {told.trace_id}


def spans(store: Path) -> list[Span]:
    """All that is in the journals."""
    return [span for file in files(store) for line in file.open("rb") for span in parse_line(line)]
