"""What is sent while a session goes on is never taken back: all of it stands in the graph of the session's end."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from otel_prov import IterationSpan, ProvSpanExporter, ProvSpanProcessor, iteration, names, session, tool
from otel_prov.deliver.courier import parcels
from otel_prov.describe import SHAPES, VIEWS, describe
from otel_prov.describe.quads import Quad
from otel_prov.keep import Store
from otel_prov.names import session_uri
from otel_prov.record.journal import Journal, files
from otel_prov.steps import Analysis, Conclusion, Finding, Observation, Question, Session, Step, StepResult
from tests.keep.told import Told, Writer


class Turn(NamedTuple):
    """What an agent does in one iteration."""

    thinks: bool
    says_action: bool
    tools: int
    tool_fails: bool
    observes: bool
    says_all_at_the_end: bool


turns = st.builds(Turn, *[st.booleans()] * 2, st.integers(0, 2), *[st.booleans()] * 3)


def go(turns: list[Turn], tools_outside: bool, answers: bool) -> None:
    """Run an agent that does these things."""
    with session("?", session_id="s") as run:
        for turn in turns:
            with iteration() as step:
                _act(turn, step)
        if tools_outside:
            with tool("outside", {"x": 1}) as call:
                call.record("out")
        if answers:
            run.record(answer="!")


def _act(turn: Turn, step: IterationSpan) -> None:
    known: dict[str, Any] = {"thought": "t"} if turn.thinks else {}
    if turn.says_action:
        known |= {"action": "a", "arguments": {"said": True}}
    if known and not turn.says_all_at_the_end:
        step.record(**known)
    for number in range(turn.tools):
        try:
            with tool("a", {"of": "the tool", "call": number}) as call:
                if turn.tool_fails:
                    raise ValueError("no")
                call.record(f"result {number}")
        except ValueError:
            pass
    if turn.observes:
        step.record(observation="what the loop made of it")
    if known and turn.says_all_at_the_end:
        step.record(**known)


def lines_of(agent: Callable[[], None], processor: bool = True) -> list[bytes]:
    """What an agent records, line by line."""
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(
            ProvSpanProcessor(name) if processor else SimpleSpanProcessor(ProvSpanExporter(name))
        )
        patch.setattr(trace, "_TRACER_PROVIDER", provider)
        with contextlib.suppress(LookupError):
            agent()
        return [line for file in files(Path(name)) for line in file.read_bytes().splitlines(keepends=True)]


def sent(store: Store, shape: str = "trustgraph", view: str = "explanation") -> Iterator[tuple[Step, list[Quad], int]]:
    """What would be sent now; acknowledged at once."""
    store.take_in()
    store.outbox.settle()
    while (batch := store.outbox.next_batch("d", steps=3)).steps:
        for waiting, parcel in parcels(batch.steps, shape, view):
            yield waiting.step, list(parcel.quads), parcel.sequence
        store.outbox.acknowledge("d", batch, [], len(batch.steps))


@given(
    st.lists(turns, max_size=4),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(SHAPES),
    st.sampled_from(VIEWS),
)
@settings(deadline=None, max_examples=100)
def test_nothing_that_is_sent_while_a_session_goes_on_is_contradicted_by_its_end(
    turns: list[Turn], tools_outside: bool, answers: bool, processor: bool, shape: str, view: str
) -> None:
    lines = lines_of(lambda: go(turns, tools_outside, answers), processor)
    with tempfile.TemporaryDirectory() as name, Store(Path(name)) as store:
        journal = Journal(Path(name))
        all_quads: set[Quad] = set()
        numbers: list[int] = []
        for line in lines:
            journal.write(line)
            for _, quads, number in sent(store, shape, view):
                all_quads.update(quads)
                numbers.append(number)
        journal.close()
        for _, quads, number in sent(store, shape, view):
            all_quads.update(quads)
            numbers.append(number)
        whole = store.session(session_uri("s"))
        assert whole is not None
        assert set(all_quads) == set(describe(whole, shape, view))
        assert numbers == sorted(set(numbers)), "numbers rise in the order of sending"


def fails(turn: Turn) -> None:
    """Run an agent that fails after one iteration."""
    with session("?", session_id="s", name="agent"):
        with iteration() as step:
            _act(turn, step)
        raise LookupError("no such book")


def test_the_end_of_a_session_that_fails_is_told_in_the_prov_view() -> None:
    lines = lines_of(lambda: fails(Turn(True, True, 1, False, True, False)))
    with tempfile.TemporaryDirectory() as name, Store(Path(name)) as store:
        journal = Journal(Path(name))
        told: list[tuple[Step, list[Quad]]] = []
        for line in lines:
            journal.write(line)
            told += [(step, quads) for step, quads, _ in sent(store, view="both")]
        journal.close()
        whole = store.session(session_uri("s"))
        assert whole is not None
        assert whole.outcome == "error"
        assert {quad for _, quads in told for quad in quads} == set(describe(whole, view="both"))
        assert told[-1][0] == whole.steps[-1], "the last step once more, since there is no conclusion"


def test_question_and_analysis_go_out_before_the_tool_has_run_and_the_observation_when_its_iteration_ends(
    store: Store, folder: Path
) -> None:
    told = Told()
    with Writer(folder) as writer:
        writer.write(told.starts())
        assert [type(step) for step, *_ in sent(store)] == [Question]
        writer.write(told.acts(1))
        assert [type(step) for step, *_ in sent(store)] == [Analysis]
        writer.write(told.saw(1))
        assert [type(step) for step, *_ in sent(store)] == [Observation]
        writer.write(told.ends())
        assert [type(step) for step, *_ in sent(store)] == [Conclusion]
    assert not list(sent(store))


def test_what_a_step_came_to_goes_out_when_the_step_has_ended(store: Store, folder: Path) -> None:
    told = Told()
    with Writer(folder) as writer:
        writer.write(told.starts(), told.part(0, names.PLAN_STEP, "step/0", ended=False))
        assert StepResult not in [type(step) for step, *_ in sent(store)]
        writer.write(told.part(0, names.PLAN_STEP, "step/0", **{names.RESULT: "done"}))
        assert [step.text for step, *_ in sent(store) if isinstance(step, StepResult)] == ["done"]
        writer.write(told.part(1, names.PART, "finding/0", **{names.RESULT: "found"}))
        assert [step.text for step, *_ in sent(store) if isinstance(step, Finding)] == ["found"]


def test_what_is_held_goes_out_when_the_writer_is_gone(store: Store, folder: Path) -> None:
    lines = lines_of(lambda: go([Turn(True, False, 0, False, False, False)], tools_outside=False, answers=True))
    with Writer(folder) as writer:
        writer.write(*lines[:-1])
        assert [type(step) for step, *_ in sent(store)] == [Question]
        assert store.outbox.held() == 1, "a thought that may turn out to be the conclusion's"
        writer.kill()
    assert [type(step) for step, *_ in sent(store)] == [Analysis]
    assert store.outbox.held() == 0


def test_what_was_imported_is_not_sent(store: Store) -> None:
    store.add([Session("urn:trustgraph:agent:other", (Question("?"), Conclusion("!")))])
    assert not list(sent(store))
    assert store.outbox.delivery("d").pending == 0


def test_a_new_destination_gets_all_that_is_kept(store: Store, folder: Path) -> None:
    journal = Journal(folder)
    for line in Told().whole(2):
        journal.write(line)
    journal.close()
    assert len(list(sent(store))) == 6
    batch = store.outbox.next_batch("another")
    assert type(batch.steps[0].step) is Question
    assert len(batch.steps) == 6
