"""The decorator traces every kind of callable and changes none."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import gc
import inspect
import pickle
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from opentelemetry import context as otel_context
from opentelemetry import trace

from otel_prov import iteration, names, tool, trace_agent
from tests.conftest import Program


@tool
def look(x: int = 1) -> int:
    return x


def only_session_holds(program: Program, calls: int) -> bool:
    (session,) = program.session_spans
    return len(program.children(session)) == calls == len(program.spans) - 1


def test_a_function_is_traced_with_what_happens_inside(program: Program) -> None:
    @trace_agent
    def answer(question: str) -> int:
        return look(7)

    assert answer("how many?") == 7
    assert only_session_holds(program, 1)
    assert program.session.question.text == "how many?"
    assert program.session.conclusion.answer == "7"


async def test_a_coroutine_is_traced_with_what_happens_inside(program: Program) -> None:
    @trace_agent
    async def answer(question: str) -> int:
        await asyncio.sleep(0)
        return look(7)

    assert await answer("how many?") == 7
    assert only_session_holds(program, 1)


async def test_coroutines_gathered_keep_their_own_children(program: Program) -> None:
    @trace_agent
    async def answer(number: int) -> int:
        await asyncio.sleep(0)
        look(number)
        await asyncio.sleep(0)
        return look(number)

    assert await asyncio.gather(*(answer(number) for number in range(5))) == list(range(5))
    assert [len(program.children(session)) for session in program.session_spans] == [2] * 5


def test_a_generator_is_traced_from_its_first_to_its_last_item(program: Program) -> None:
    @trace_agent
    def answer(question: str) -> Iterator[str]:
        for word in ("forty", "-", "two"):
            look()
            yield word

    assert list(answer("?")) == ["forty", "-", "two"]
    assert only_session_holds(program, 3)
    assert program.session.conclusion.answer == "forty-two"


async def test_an_async_generator_is_traced_from_its_first_to_its_last_item(program: Program) -> None:
    @trace_agent
    async def answer(question: str) -> AsyncIterator[int]:
        for number in range(3):
            await asyncio.sleep(0)
            look(number)
            yield number

    assert [number async for number in answer("?")] == [0, 1, 2]
    assert only_session_holds(program, 3)
    assert program.session.conclusion.answer == "[0, 1, 2]"


async def test_an_async_generator_closed_early_ends_as_abandoned_with_what_it_gave(
    program: Program, caplog: pytest.LogCaptureFixture
) -> None:
    cleaned = asyncio.Event()

    @trace_agent
    async def answer(question: str) -> AsyncIterator[str]:
        try:
            for number in range(9):
                with iteration() as step:
                    step.record(action="look")
                    look()
                    yield str(number)
        finally:
            await asyncio.sleep(0)
            cleaned.set()

    items = answer("?")
    async for item in items:
        if item == "1":
            break
    await items.aclose()
    assert cleaned.is_set()
    assert program.session.outcome == names.OUTCOME_ABANDONED
    assert program.session.conclusion.answer == "01"
    assert len(program.spans) == len({span.context.span_id for span in program.spans}) == 1 + 2 + 2
    assert not caplog.records


async def test_an_async_generator_forgotten_is_closed_by_the_loop_and_ends(program: Program) -> None:
    @trace_agent
    async def answer(question: str) -> AsyncIterator[int]:
        yield 1
        yield 2

    async for _ in answer("?"):
        break
    gc.collect()
    while not program.session_spans:
        await asyncio.sleep(0)
    assert program.session.outcome == names.OUTCOME_ABANDONED


async def test_an_async_generator_may_be_stepped_from_any_task(
    program: Program, caplog: pytest.LogCaptureFixture
) -> None:
    @trace_agent
    async def answer(question: str) -> AsyncIterator[int]:
        for number in range(3):
            async with iteration():
                look(number)
                yield number

    items = answer("?")
    before = otel_context.get_current()
    got = [await asyncio.create_task(anext(items)) for _ in range(3)]
    await asyncio.create_task(items.aclose())
    assert got == [0, 1, 2]
    assert otel_context.get_current() is before
    (session,) = program.session_spans
    assert len(program.children(session)) == 3
    assert [span.status.is_ok for span in program.spans] == [True] * len(program.spans)
    assert not caplog.records


def test_a_generator_may_be_stepped_from_any_thread(program: Program) -> None:
    @trace_agent
    def answer(question: str) -> Iterator[int]:
        for number in range(3):
            with iteration():
                look(number)
                yield number

    items = answer("?")
    got = []
    for _ in range(3):
        with ThreadPoolExecutor(1) as thread:
            got.append(thread.submit(next, items).result())
    items.close()  # type: ignore[attr-defined]
    assert got == [0, 1, 2]
    (session,) = program.session_spans
    assert len(program.children(session)) == 3


def test_between_two_items_the_caller_has_its_own_context(program: Program) -> None:
    @trace_agent
    def answer(question: str) -> Iterator[int]:
        with iteration():
            yield 1
            yield 2

    before = otel_context.get_current()
    first, second = answer("a"), answer("b")
    for items in (first, second, first, second):
        next(items)
        assert otel_context.get_current() is before
        assert not trace.get_current_span().get_span_context().is_valid
    first.close()  # type: ignore[attr-defined]
    assert otel_context.get_current() is before
    second.close()  # type: ignore[attr-defined]
    assert otel_context.get_current() is before
    assert {session.outcome for session in program.sessions} == {names.OUTCOME_ABANDONED}


def test_what_the_caller_and_the_generator_tell_each_other_by_context_variables_stays(program: Program) -> None:
    told: contextvars.ContextVar[str] = contextvars.ContextVar("told", default="nothing")

    @trace_agent
    def answer(question: str) -> Iterator[str]:
        yield told.get()
        told.set("by the generator")
        yield "set"

    items = answer("?")
    told.set("by the caller")
    assert next(items) == "by the caller"
    next(items)
    assert told.get() == "by the generator"


def test_generators_pass_on_what_is_sent_and_thrown_and_returned(program: Program) -> None:
    @trace_agent
    def answer(question: str) -> Generator[Any, Any, str]:
        got = yield "first"
        try:
            yield got
        except LookupError as error:
            yield repr(error)
        return "the end"

    items = answer("?")
    assert next(items) == "first"
    assert items.send(5) == 5
    assert items.throw(LookupError("x")) == "LookupError('x')"
    with pytest.raises(StopIteration) as stop:
        next(items)
    assert stop.value.value == "the end"
    assert program.session.conclusion.answer == "the end"


async def test_async_generators_pass_on_what_is_sent_and_thrown(program: Program) -> None:
    @trace_agent
    async def answer(question: str) -> Any:
        got = yield "first"
        try:
            yield got
        except LookupError as error:
            yield repr(error)

    items = answer("?")
    assert await anext(items) == "first"
    assert await items.asend(5) == 5
    assert await items.athrow(LookupError("x")) == "LookupError('x')"
    with pytest.raises(StopAsyncIteration):
        await anext(items)
    assert program.session.outcome == names.OUTCOME_FINAL


def test_an_exception_passes_as_the_object_that_it_is(program: Program) -> None:
    boom = KeyError("boom")

    @trace_agent
    def answer(question: str) -> None:
        with iteration() as step:
            step.record(thought="try", action="break")
            raise boom

    with pytest.raises(KeyError) as caught:
        answer("?")
    assert caught.value is boom
    assert boom.__context__ is None
    assert program.session.outcome == names.OUTCOME_ERROR
    assert program.session.error == "KeyError: 'boom'"
    told = [event for span in program.spans for event in span.events]
    assert [event.name for event in told] == ["exception"], "recorded where it happened, not again above"
    assert [span.attributes["error.type"] for span in program.spans] == ["KeyError", "KeyError"]


async def test_cancellation_passes_and_is_the_outcome(program: Program) -> None:
    running = asyncio.Event()

    @trace_agent
    async def answer(question: str) -> None:
        with iteration() as step:
            step.record(action="wait")
            running.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(answer("?"))
    await running.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert program.session.outcome == names.OUTCOME_CANCELLED
    assert len(program.spans) == 2


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_being_told_to_stop_passes_and_is_the_outcome(program: Program, stop: type[BaseException]) -> None:
    @trace_agent
    def answer(question: str) -> None:
        with iteration():
            raise stop

    with pytest.raises(stop):
        answer("?")
    assert program.session.outcome == names.OUTCOME_CANCELLED
    assert len(program.spans) == 2


def test_inspect_tells_the_same_of_a_decorated_function() -> None:
    async def coroutine(question: str, *, deep: bool = False) -> str: ...
    def generator(question: str) -> Iterator[str]:
        yield question

    async def async_generator(question: str) -> AsyncIterator[str]:
        yield question

    def function(question: str) -> str:
        """Words about it."""
        return question

    asks: list[Callable[[Any], Any]] = [
        inspect.iscoroutinefunction,
        inspect.isgeneratorfunction,
        inspect.isasyncgenfunction,
        inspect.isfunction,
        inspect.signature,
        inspect.getdoc,
        lambda f: (f.__name__, f.__qualname__, f.__module__, f.__annotations__),
    ]
    for plain in (coroutine, generator, async_generator, function):
        for decorated in (trace_agent(plain), tool(plain)):
            assert [ask(decorated) for ask in asks] == [ask(plain) for ask in asks]


class Researcher:
    @trace_agent
    def method(self, question: str) -> str:
        return question + "!"

    @trace_agent
    @staticmethod
    def static(question: str) -> str:
        return question + "!"

    @staticmethod
    @trace_agent
    def static_inside(question: str) -> str:
        return question + "!"

    @trace_agent
    @classmethod
    def of_class(cls, question: str) -> str:
        return cls.__name__ + question

    @classmethod
    @trace_agent
    def of_class_inside(cls, question: str) -> str:
        return cls.__name__ + question

    async def __call__(self, question: str) -> str:
        return question + "!"


@pytest.mark.parametrize("name", ["method", "static", "static_inside", "of_class", "of_class_inside"])
def test_methods_of_every_kind_are_traced_and_self_is_not_the_question(program: Program, name: str) -> None:
    answered = getattr(Researcher(), name)("why?")
    assert program.session.question.text == "why?"
    assert program.session.conclusion.answer == answered
    assert program.session.agent == name


async def test_objects_that_can_be_called_are_traced(program: Program) -> None:
    assert await trace_agent(Researcher())("why?") == "why?!"
    assert await trace_agent(functools.partial(Researcher().__call__))("why?") == "why?!"
    assert [session.conclusion.answer for session in program.sessions] == ["why?!"] * 2


class Later:
    """Something to await that is neither coroutine nor future."""

    def __await__(self) -> Generator[Any, None, str]:
        yield from asyncio.sleep(0).__await__()
        return "later"


async def test_a_function_that_returns_something_to_await_lasts_until_that_is_done(program: Program) -> None:
    async def work() -> str:
        look()
        return "later"

    makers: list[Callable[[str], Awaitable[str]]] = [
        lambda question: work(),
        lambda question: asyncio.ensure_future(work()),
        lambda question: Later(),
    ]
    for make in makers:
        assert await trace_agent(make)("?") == "later"
        await asyncio.sleep(0)  # a task tells whoever waits for it one turn of the loop later
    assert [session.conclusion.answer for session in program.sessions] == ["later"] * 3
    assert sum(len(program.children(session)) for session in program.session_spans) == 2


async def test_a_task_that_is_returned_stays_the_same_object_and_its_error_is_still_missed(
    program: Program, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> None:
        raise LookupError("nobody asks")

    made = []

    @trace_agent
    def answer(question: str) -> asyncio.Task[None]:
        made.append(asyncio.create_task(work()))
        return made[0]

    task = answer("?")
    assert task is made.pop()
    await asyncio.wait([task])
    del task
    gc.collect()
    assert "Task exception was never retrieved" in caplog.text
    assert program.session.outcome == names.OUTCOME_ERROR


def test_a_function_that_returns_a_generator_lasts_until_that_is_exhausted(program: Program) -> None:
    def words() -> Iterator[str]:
        look()
        yield "forty"
        yield "-two"

    @trace_agent
    def answer(question: str) -> Iterator[str]:
        return words()

    items = answer("?")
    assert inspect.isgenerator(items)
    assert "".join(items) == "forty-two"
    assert only_session_holds(program, 1)
    assert program.session.conclusion.answer == "forty-two"


@trace_agent
def at_module_level(question: str) -> str:
    return question


def test_a_decorated_function_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(at_module_level)) is at_module_level


def test_wrong_arguments_raise_what_they_would_have_raised(program: Program) -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'question'"):
        at_module_level()  # type: ignore[call-arg]
    assert program.session.outcome == names.OUTCOME_ERROR
