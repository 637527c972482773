"""What an iteration tells of its thinking: tools to choose from, model, tokens, and how long it took."""

from __future__ import annotations

import time
from types import SimpleNamespace

from opentelemetry import trace

from otel_prov import iteration, losses, session, tool, trace_agent
from otel_prov.steps import Analysis, Usage
from tests.conftest import Program


def test_an_iteration_tells_its_candidates_model_and_tokens(program: Program) -> None:
    with session("?"), iteration() as step:
        step.record(thought="t", candidates=["search", "look", "look"], model="m", input_tokens=12, output_tokens=3)
    assert program.session.steps[1:] == (Analysis(1, "t", candidates=("look", "search"), usage=Usage("m", 12, 3)),)
    attributes = dict(program.spans[0].attributes or {})
    assert attributes["gen_ai.request.model"] == "m"
    assert (attributes["gen_ai.usage.input_tokens"], attributes["gen_ai.usage.output_tokens"]) == (12, 3)


def test_a_session_names_the_tools_of_all_its_iterations(program: Program) -> None:
    def search() -> None: ...

    tools = [search, SimpleNamespace(name="look"), "ask", {"type": "function", "function": {"name": "call"}}]

    @trace_agent(tools=tools)
    def agent(question: str) -> None:
        with iteration():
            pass
        with iteration() as step:
            step.record(candidates="ask")
        with tool("ask"):
            pass

    agent("?")
    everything = ("ask", "call", "look", "search")
    assert [step.candidates for step in program.session.of(Analysis)] == [everything, ("ask",), everything]


def test_names_of_tools_are_rewritten_like_all_names(program: Program) -> None:
    with session("?", tools=["secret tool"], redact=lambda text: text.replace("secret", "***")), iteration():
        pass
    assert next(program.session.of(Analysis)).candidates == ("*** tool",)


def test_what_the_agents_own_code_sets_on_the_span_is_read(program: Program) -> None:
    with session("?"), iteration():
        span = trace.get_current_span()
        span.set_attribute("gen_ai.request.model", "m")
        span.set_attribute("gen_ai.response.model", "m-2026")
        span.set_attribute("gen_ai.usage.output_tokens", 5)
        span.set_attribute("gen_ai.usage.input_tokens", "many")
    assert next(program.session.of(Analysis)).usage == Usage("m-2026", None, 5)


def test_what_is_no_number_of_tokens_is_left_out_and_counted(program: Program) -> None:
    reason = "number of tokens left out"
    before = losses().get(reason, 0)
    with session("?"), iteration() as step:
        step.record(thought="t", input_tokens="12", output_tokens="many")  # type: ignore[arg-type]
        step.record(input_tokens=-1, candidates=(name for name in "ab"))
    assert list(program.session.of(Analysis)) == [Analysis(1, "t", usage=Usage(None, 12))]
    assert losses()[reason] == before + 2


def test_thinking_lasts_until_the_action_is_told(program: Program) -> None:
    with session("?"), iteration() as step:
        time.sleep(0.02)
        step.record(action="look")
        (before,) = program.session.of(Analysis)
        time.sleep(0.02)
        step.record(action="look", arguments={"at": 1})
        step.record(observation="o")
    (analysis,) = program.session.of(Analysis)
    assert before.thinking_ms is not None, "it is known while the tool is called"
    assert 20 <= before.thinking_ms < 40_000
    assert analysis.thinking_ms == before.thinking_ms


def test_thinking_ends_as_the_tool_is_called_where_it_is(program: Program) -> None:
    with session("?"), iteration() as step:
        step.record(action="look")
        with tool("look"):
            pass
    analysis, *_ = program.session.of(Analysis)
    (call,) = (span for span in program.spans if span.name == "execute_tool look")
    assert analysis.ended is not None
    assert round(analysis.ended.timestamp() * 1e6) == int(call.start_time or 0) // 1000


def test_thinking_is_not_told_by_what_is_recorded_when_all_is_over(program: Program) -> None:
    with session("?"), iteration() as step:
        step.record(thought="t", action="look", observation="o")
    assert next(program.session.of(Analysis)).thinking_ms is None
