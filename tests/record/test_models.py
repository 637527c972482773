"""What models take, as instrumentations of model clients tell, is told by the iteration that asked them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from opentelemetry import trace

from otel_prov import ProvSpanProcessor, iteration, losses, names, session, tool
from otel_prov.steps import Analysis, Conclusion, Usage
from tests.conftest import Program


@contextmanager
def client(program: Program, tokens: tuple[int, int] | None, operation: str = "chat", **more: Any) -> Iterator[None]:
    """A call of a model, as an instrumentation of its client has it: it knows the tokens when the call ends."""
    attributes = {"gen_ai.operation.name": operation, "gen_ai.request.model": "m", **more}
    with program.provider.get_tracer("client").start_as_current_span(f"{operation} m", attributes=attributes) as span:
        yield
        if tokens is not None:
            span.set_attribute("gen_ai.usage.input_tokens", tokens[0])
            span.set_attribute("gen_ai.usage.output_tokens", tokens[1])
            span.set_attribute("gen_ai.response.model", "m-2026")


def usages(program: Program) -> list[Usage | None]:
    return [step.usage for step in program.session.of(Analysis)]


@pytest.mark.parametrize("operation", ["chat", "generate_content", "text_completion"])
def test_an_iteration_tells_what_its_model_took(program: Program, operation: str) -> None:
    with session("?"):
        for _ in range(2):
            with iteration() as step:
                with client(program, (100, 20), operation):
                    pass
                step.record(action="look")
        assert usages(program)[0] == Usage("m-2026", 100, 20)
    assert usages(program) == [Usage("m-2026", 100, 20)] * 2


def test_it_is_known_before_the_iteration_acts(program: Program) -> None:
    with session("?"), iteration() as step:
        with client(program, (100, 20)):
            pass
        step.record(action="look")
        assert usages(program) == [Usage("m-2026", 100, 20)]


def test_calls_one_after_another_add_up(program: Program) -> None:
    with session("?"), iteration():
        for _ in range(3):
            with client(program, (100, 20)):
                pass
    assert usages(program) == [Usage("m-2026", 300, 60)]


def test_a_call_that_two_instrumentations_tell_of_is_counted_once(program: Program) -> None:
    program.provider.add_span_processor(ProvSpanProcessor(program.store / "another"))
    request = program.provider.get_tracer("http").start_as_current_span("POST")
    with session("?"), iteration(), client(program, (100, 20)), request, client(program, (100, 20)):
        pass
    assert usages(program) == [Usage("m-2026", 100, 20)]


def test_a_call_of_several_calls_counts_what_is_more(program: Program) -> None:
    with session("?"):
        with iteration(), client(program, (250, 40)):
            for _ in range(2):
                with client(program, (100, 20)):
                    pass
        with iteration(), client(program, None):
            for _ in range(2):
                with client(program, (100, 20)):
                    pass
    assert usages(program) == [Usage("m-2026", 250, 40), Usage("m-2026", 200, 40)]


def test_what_the_agent_says_itself_counts(program: Program) -> None:
    with session("?"):
        for before in (True, False):
            with iteration() as step:
                if before:
                    step.record(input_tokens=1, model="mine")
                with client(program, (100, 20)):
                    pass
                if not before:
                    step.record(input_tokens=1, model="mine")
                with client(program, (100, 20)):
                    pass
        with iteration():
            trace.get_current_span().set_attribute("gen_ai.usage.input_tokens", 7)
            with client(program, (100, 20)):
                pass
    assert [(usage.input_tokens, usage.output_tokens) for usage in usages(program) if usage] == [(1, 40)] * 2 + [
        (7, 20)
    ]
    models = [span.attributes["gen_ai.request.model"] for span in program.spans if span.name == "agent.iteration"]
    assert models == ["mine", "mine", "m"]


def test_what_a_tool_asks_a_model_is_no_thinking(program: Program) -> None:
    with session("?"):
        with iteration(), tool("summarise"), client(program, (100, 20)):
            pass
        with client(program, (100, 20)):
            pass
    assert usages(program) == [None]


def test_the_thought_before_the_answer_took_something_too(program: Program) -> None:
    with session("?") as run:
        with iteration() as step, client(program, (100, 20)):
            step.record(thought="enough")
        run.record(answer="so")
    assert program.session.conclusion == Conclusion("so", "enough", usage=Usage("m-2026", 100, 20))


def test_a_call_that_ends_after_its_iteration_harms_nothing(program: Program) -> None:
    before = losses()
    with session("?"):
        call = client(program, (100, 20))
        with iteration():
            call.__enter__()
        call.__exit__(None, None, None)
        other = client(program, ("many", None))  # type: ignore[arg-type]
        with iteration(), other:
            pass
    assert usages(program) == [None, Usage("m-2026")]
    assert losses() == before


def test_other_peoples_spans_stay_as_they_are(program: Program) -> None:
    with session("?"), iteration(), client(program, (100, 20)):
        pass
    (call,) = (span for span in program.spans if span.name == "chat m")
    assert names.SESSION_ID not in (call.attributes or {})
    assert all(names.SESSION_ID in span.attributes for span in program.recorded)
