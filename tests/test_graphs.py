"""Sessions that are no straight line, whose parts come in any order, twice or never: from the agent to the screen."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from otel_prov import session, trace_retrieval
from otel_prov.describe import describe, describe_prov, recognise
from otel_prov.describe.formats import read_file, write
from otel_prov.describe.vocabulary import PROV_DERIVED
from otel_prov.keep import Store
from otel_prov.names import AGENT
from otel_prov.read import parse_line
from otel_prov.record.journal import Journal, files
from otel_prov.show.document import session_document
from otel_prov.show.nested import tree, whole
from otel_prov.steps import Analysis, Conclusion, Observation, Session, in_line
from otel_prov.validate import validate
from tests.conftest import Program

randomly = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@dataclass(frozen=True)
class Call:
    """A tool call: what runs inside of it, if anything does."""

    inner: Run | str | None


@dataclass(frozen=True)
class Run:
    """An agent's run: for each iteration its calls, and how far back those lie that it uses."""

    iterations: tuple[tuple[tuple[Call, ...], tuple[int, ...] | None], ...]
    answer_uses: tuple[int, ...] | None


back = st.none() | st.lists(st.integers(1, 4), max_size=3, unique=True).map(tuple)


def runs(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Run]:
    calls = st.lists(st.builds(Call, inner), max_size=4).map(tuple)
    return st.builds(Run, st.lists(st.tuples(calls, back), max_size=4).map(tuple), back)


graphs = runs(st.none() | st.recursive(st.just("retrieval"), runs, max_leaves=4))


def carry_out(run: Run) -> str:
    """Trace a run as an agent would; gives the session's IRI."""
    with session("Why?", name="agent", detect_uses=True) as whole:
        for calls, uses in run.iterations:
            with whole.iteration() as step:
                before = step.number
                step.record(thought=f"thought {before}", action="act" if calls else None)
                step.record(uses=None if uses is None else [before - each for each in uses if each < before])
                handles = [step.tool(f"act {i}" if i else "act", {"i": i}) for i in range(len(calls))]
                for handle in handles:  # all of them at once, and each goes on within its own
                    handle.activate()
                    handle.suspend()
                for call, handle in zip(calls, handles, strict=True):
                    with handle:
                        handle.record(f"seen {before}: {ask(call.inner)}")
        last = whole.upcoming
        uses = run.answer_uses
        whole.record(answer="So.", uses=None if uses is None else [last - each for each in uses if each < last])
    return whole.uri


def ask(inner: Run | str | None) -> str:
    """What a tool comes back with."""
    if isinstance(inner, Run):
        carry_out(inner)
        return "an answer"
    if inner:
        with trace_retrieval("Where?", source="plant") as found:
            found.record(concepts=["place"], edges=3, selected=[{"edge": ("urn:a", "urn:b", "c"), "score": 0.5}])
            found.record(answer="There.")
    return "a thing"


def sessions_inside(run: Run) -> int:
    inner = [call.inner for calls, _ in run.iterations for call in calls if call.inner]
    return len(inner) + sum(sessions_inside(each) for each in inner if isinstance(each, Run))


def plain(told: Session) -> tuple[Any, ...]:
    """What the explanation view tells of a session."""
    number = max((step.number for step in told.of(Analysis)), default=0) + 1
    steps = []
    for step in told.steps:
        if isinstance(step, Analysis | Conclusion):
            line = in_line(step.number if isinstance(step, Analysis) else number)
            step = replace(step, uses=None if step.uses == line else step.uses)
        steps.append(step)
    return told.uri, told.caller, steps


@randomly
@given(run=graphs)
def test_any_graph_of_sessions_is_kept_described_and_shown_whole(program: Program, tmp_path: Path, run: Run) -> None:
    uri = carry_out(run)
    with Store(program.store) as store:
        store.take_in()
        told = store.session(uri)
        assert told is not None
        all_of_it = [told, *_inside(store, uri)]
        assert len(all_of_it) == 1 + sessions_inside(run)
        made = [len(calls) for calls, _ in run.iterations]
        if made and made[-1] == 0:
            made.pop()  # it only thought, and so is part of the conclusion
        assert [sum(seen.number == n for seen in told.of(Observation)) for n in range(1, len(made) + 1)] == made
        for each in all_of_it:
            assert validate(describe_prov(each)) == []
        for shape in ("trustgraph", "question-analysis"):
            found = {each.uri: each for session in all_of_it for each in recognise(describe(session, shape))}
            assert found.keys() == {each.uri for each in all_of_it}
        quads = [quad for each in all_of_it for quad in describe(each)]
        assert len(quads) == len(set(quads))
        out = io.BytesIO()
        write(all_of_it, "nquads", "trustgraph", out)
        file = tmp_path / "graph.nq"
        file.write_bytes(out.getvalue())
        read = {each.uri: plain(each) for each in read_file(file)}
        assert read == {each.uri: plain(each) for each in all_of_it}
        drawn = [row.text for section in whole(tree(store, told, 99)) for row in section.rows]
        assert sum(text.startswith("seen ") for text in drawn) == _observations(all_of_it)
        assert not any("not here" in text for text in drawn)
        assert _sub_traces(session_document(tree(store, told, 99))) == sessions_inside(run)


def _inside(store: Store, uri: str) -> Iterator[Session]:
    for inner in store.inside(uri):
        found = store.session(inner)
        assert found is not None
        yield found
        yield from _inside(store, inner)


def _observations(sessions: list[Session]) -> int:
    return sum(1 for each in sessions if each.kind == AGENT for _ in each.of(Observation))


def _sub_traces(value: Any) -> int:
    if isinstance(value, list):
        return sum(map(_sub_traces, value))
    if isinstance(value, dict):
        return len(value.get("sub_traces", ())) + sum(map(_sub_traces, value.values()))
    return 0


@randomly
@given(run=graphs, random=st.randoms(use_true_random=False), lost=st.floats(0, 0.7))
def test_in_any_order_twice_or_never_it_is_a_valid_graph_and_is_shown(
    program: Program, tmp_path_factory: pytest.TempPathFactory, run: Run, random: Any, lost: float
) -> None:
    before = {file: file.stat().st_size for file in files(program.store)}
    uri = carry_out(run)
    lines = []
    for file in files(program.store):
        with file.open("rb") as stream:
            stream.seek(before.get(file, 0))
            lines += stream.readlines()
    lines = [line for line in lines if random.random() >= lost]
    lines += random.choices(lines, k=len(lines) // 2) if lines else []
    random.shuffle(lines)
    folder = tmp_path_factory.mktemp("shuffled")
    journal = Journal(folder)
    for line in lines:
        journal.write(line)
    journal.close()
    with Store(folder) as store:
        store.take_in()
        for summary in store.sessions(limit=None):
            each = store.session(summary.uri)
            assert each is not None
            assert validate(describe_prov(each)) == []
            assert recognise(describe(each)) or not each.steps
            assert list(whole(tree(store, each, 5)))
        known = {span.span_id for line in lines for span in parse_line(line)}
        assert bool(known) == bool(store.sessions(limit=None))
        if not lost:
            assert store.session(uri) is not None


def drawn(store: Store, uri: str) -> str:
    told = store.session(uri)
    assert told is not None
    sections = whole(tree(store, told, 5))
    return "\n".join(f"{section.title}: {row.label}: {row.text}" for section in sections for row in section.rows)


def test_what_is_missing_is_named(program: Program, tmp_path: Path) -> None:
    with session("Why?") as run:
        for number in range(1, 7):
            with run.iteration() as step, step.tool("look") as call:
                step.record(thought=f"thought {number}", action="look")
                call.record(f"seen {number}")
        run.record(answer="So.")
    journal = Journal(tmp_path / "partly")
    for file in files(program.store):
        for line in file.read_bytes().splitlines(keepends=True):
            number = parse_line(line)[0].attributes.get("agent.iteration.number")
            is_call = b"execute_tool" in line
            if number not in (2, 4, 5) or (number == 2 and is_call):
                journal.write(line)
    journal.close()
    with Store(tmp_path / "partly") as store:
        store.take_in()
        shown = drawn(store, run.uri)
    assert "Iteration 2: Observation: seen 2" in shown
    assert "Iterations 4 to 5: : (not here)" in shown
    assert "Iteration 6: Observation: seen 6" in shown


def test_an_observation_whose_iteration_is_not_told_says_so(tmp_path: Path) -> None:
    told = Session("urn:trustgraph:agent:1", (Observation(1, "seen"), Conclusion("So.")), outcome="final")
    with Store(tmp_path) as store:
        store.add([told])
        assert "Iteration 1: Thought: (not here)" in drawn(store, told.uri)


def test_a_parent_that_ends_first_has_its_late_calls_all_the_same(program: Program) -> None:
    with session("Why?") as run:
        with run.iteration() as step:
            step.record(thought="a", action="look")
            late = step.tool("look")
            late.activate()
            late.suspend()
        run.record(answer="So.")
    late.record("seen late")
    late.end()
    told = program.session
    assert [seen.text for seen in told.of(Observation)] == ["seen late"]
    assert validate(describe_prov(told)) == []
    assert recognise(describe(told))[0].steps == told.steps


RING = """
<urn:trustgraph:agent:1> a tg:AgentQuestion ; tg:query "Why?" .
<urn:trustgraph:agent:1/i1> a tg:Analysis ; prov:wasDerivedFrom <urn:trustgraph:agent:1/i2/observation> .
<urn:trustgraph:agent:1/i1/observation> a tg:Observation ; prov:wasDerivedFrom <urn:trustgraph:agent:1/i1> .
<urn:trustgraph:agent:1/i2> a tg:Analysis ;
    prov:wasDerivedFrom <urn:trustgraph:agent:1/i2>, <urn:trustgraph:agent:1/i1/observation> .
<urn:trustgraph:agent:1/i2/observation> a tg:Observation ; prov:wasDerivedFrom <urn:trustgraph:agent:1/i2> .
"""


def test_a_graph_that_goes_round_in_circles_is_read_without_the_edges_that_close_them(tmp_path: Path) -> None:
    file = tmp_path / "ring.ttl"
    prefixes = "@prefix tg: <https://trustgraph.ai/ns/> .\n@prefix prov: <http://www.w3.org/ns/prov#> .\n"
    file.write_text(prefixes + RING)
    (told,) = read_file(file)
    assert [step.number for step in told.of(Analysis)] == [1, 2]
    assert all(n < step.number for step in told.of(Analysis) for n in step.uses or ())
    assert validate(describe_prov(told)) == []


AGENT_PROGRAM = """
import sys, time
from otel_prov import install, session

install()
first, last = int(sys.argv[1]), int(sys.argv[2])
with session("Why?", session_id="again", iteration=first) as run:
    for number in range(first, last + 1):
        with run.iteration() as step:
            step.record(thought=f"thought {number}", action="look", arguments={"at": number})
            if len(sys.argv) > 3 and number == last:
                print("acting", flush=True)
                time.sleep(600)
            step.record(observation=f"seen {number}")
    run.record(answer="So.")
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this platform")
def test_a_session_that_goes_on_after_a_crash_is_one_chain(tmp_path: Path) -> None:
    environment = {**os.environ, "OTEL_EXPORTER_PROV_STORE": str(tmp_path)}
    command = [sys.executable, "-c", AGENT_PROGRAM]
    agent = subprocess.Popen([*command, "1", "3", "hang"], env=environment, stdout=subprocess.PIPE, text=True)
    assert agent.stdout is not None
    assert agent.stdout.readline() == "acting\n"
    agent.kill()
    agent.communicate()
    uri = "urn:trustgraph:agent:again"
    with Store(tmp_path) as store:
        store.take_in()
        crashed = store.session(uri)
        assert crashed is not None
        assert crashed.outcome == "interrupted"
        subprocess.run([*command, "3", "5"], env=environment, check=True)
        store.take_in()
        told = store.session(uri)
    assert told is not None
    assert (told.outcome, told.answer) == ("final", "So.")
    assert [step.number for step in told.of(Analysis)] == [1, 2, 3, 4, 5]
    assert [step.text for step in told.of(Observation)] == [f"seen {n}" for n in range(1, 6)]
    assert set(describe(crashed)) <= set(describe(told)), "what was known stays"
    edges = [
        (q.subject, q.object) for q in describe(told) if q.predicate == PROV_DERIVED and "thought" not in q.subject
    ]
    assert max(Counter(child for child, _ in edges).values()) == 1
    assert max(Counter(parent for _, parent in edges).values()) == 1, "no fork"
    assert len(edges) == 11
