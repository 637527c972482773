"""What type checkers must know of traced functions: all that they know of the functions themselves.

Read by mypy and pyright, not run. ``assert_type`` says what must be seen; each ``type: ignore`` marks a mistake that
must still be found, and is itself an error where it is not.
"""

# pyright: strict, reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from email.message import Message

from opentelemetry.context import Context
from typing_extensions import assert_type

from otel_prov import (
    IterationSpan,
    PartSpan,
    SessionSpan,
    ToolSpan,
    current_iteration,
    current_session,
    delegate,
    extract,
    inject,
    iteration,
    plan,
    session,
    tool,
    trace_agent,
)

# The bare decorator, on each kind of function


@trace_agent
def function(question: str, *, depth: int = 3) -> list[str]:
    return [question] * depth


@trace_agent
async def coroutine(question: str, *, depth: int = 3) -> list[str]:
    return [question] * depth


@trace_agent
def generator(question: str) -> Generator[str, int, bool]:
    return (yield question) > 0


@trace_agent
def iterator(question: str) -> Iterator[str]:
    yield question


@trace_agent
async def async_generator(question: str) -> AsyncGenerator[str, int]:
    yield question


@trace_agent
async def async_iterator(question: str) -> AsyncIterator[str]:
    yield question


@trace_agent
def later(question: str) -> Awaitable[str]:
    raise NotImplementedError


@trace_agent
def future(question: str) -> Future[str]:
    raise NotImplementedError


async def bare() -> None:
    assert_type(function("q", depth=1), list[str])
    assert_type(await coroutine("q"), list[str])
    assert_type(generator("q"), Generator[str, int, bool])
    assert_type(iterator("q"), Iterator[str])
    assert_type(async_generator("q"), AsyncGenerator[str, int])
    assert_type(async_iterator("q"), AsyncIterator[str])
    assert_type(await later("q"), str)
    assert_type(future("q").result(), str)
    function(1)  # type: ignore[arg-type]
    function("q", depth="deep")  # type: ignore[arg-type]
    function("q", 3)  # type: ignore[call-arg]
    function()  # type: ignore[call-arg]
    await coroutine(1)  # type: ignore[arg-type]
    generator("q").send("text")  # type: ignore[arg-type]
    await async_generator("q").asend("text")  # type: ignore[arg-type]
    async_iterator(1)  # type: ignore[arg-type]


# The decorator with options, each of the type that it wants


def user_of(question: str, user: str) -> str | None:
    return user or None


@trace_agent(
    name="researcher",
    question="question",
    session_id=None,
    collection="research",
    user=user_of,
    model="a-model",
    redact=str.upper,
)
def with_options(question: str, user: str) -> int:
    return len(question + user)


@trace_agent(name="researcher")
async def coroutine_with_options(question: str) -> int:
    return len(question)


@trace_agent(name="researcher")
async def async_generator_with_options(question: str) -> AsyncGenerator[int, None]:
    yield len(question)


async def options() -> None:
    assert_type(with_options("q", user="u"), int)
    assert_type(await coroutine_with_options("q"), int)
    assert_type(async_generator_with_options("q"), AsyncGenerator[int, None])
    assert_type(trace_agent(function)("q"), list[str])
    with_options("q")  # type: ignore[call-arg]
    await coroutine_with_options(question=1)  # type: ignore[arg-type]
    trace_agent(name=1)  # type: ignore[call-overload]
    trace_agent(redact=len)  # type: ignore[arg-type]
    trace_agent(agent="researcher")  # type: ignore[call-overload]
    trace_agent("researcher")  # type: ignore[call-overload]
    trace_agent(name="researcher")(1)  # type: ignore[type-var]


# Methods, static and class methods, and objects that can be called


class Agent:
    @trace_agent
    def method(self, question: str) -> int:
        return len(question)

    @trace_agent(name="researcher")
    async def async_method(self, question: str) -> int:
        return len(question)

    @classmethod
    @trace_agent
    def inner_class_method(cls, question: str) -> int:
        return len(question)

    @staticmethod
    @trace_agent
    def inner_static_method(question: str) -> int:
        return len(question)

    @trace_agent
    @classmethod
    def outer_class_method(cls, question: str) -> int:
        return len(question)

    @trace_agent(name="researcher")
    @staticmethod
    def outer_static_method(question: str) -> int:
        return len(question)

    def __call__(self, question: str) -> bytes:
        return question.encode()


async def methods(agent: Agent) -> None:
    assert_type(agent.method("q"), int)
    assert_type(Agent.method(agent, "q"), int)
    assert_type(await agent.async_method("q"), int)
    assert_type(Agent.inner_class_method("q"), int)
    assert_type(agent.inner_static_method("q"), int)
    assert_type(Agent.outer_class_method("q"), int)
    assert_type(Agent.outer_static_method("q"), int)
    assert_type(agent.outer_static_method("q"), int)
    assert_type(trace_agent(agent), Agent)
    assert_type(trace_agent(name="researcher")(agent)("q"), bytes)
    agent.method(1)  # type: ignore[arg-type]
    Agent.method("q")  # type: ignore[call-arg, arg-type]
    Agent.inner_class_method(1)  # type: ignore[arg-type]
    Agent.inner_static_method(1)  # type: ignore[arg-type]
    Agent.outer_class_method(1)  # type: ignore[arg-type]
    Agent.outer_static_method(1)  # type: ignore[arg-type]


# Tools: the bare decorator, the decorator with a name, the context manager


@tool
def search(query: str, limit: int = 10) -> list[str]:
    return [query] * limit


@tool
async def fetch(url: str) -> bytes:
    return url.encode()


@tool("search the web")
def search_web(query: str) -> Iterator[str]:
    yield query


@tool("watch")
async def watch(topic: str) -> AsyncGenerator[str, None]:
    yield topic


class Library:
    @tool
    def find(self, title: str) -> int:
        return len(title)

    @tool("lend")
    async def lend(self, title: str) -> bool:
        return bool(title)

    @staticmethod
    @tool
    def opened() -> bool:
        return True

    @classmethod
    @tool("founded")
    def founded(cls, year: int) -> bool:
        return year > 0

    @tool
    @staticmethod
    def closed(day: str) -> bool:
        return day == "Sunday"

    @tool("moved")
    @classmethod
    def moved(cls, year: int) -> bool:
        return year > 0


async def tools(library: Library) -> None:
    assert_type(search("q", limit=1), list[str])
    assert_type(await fetch("u"), bytes)
    assert_type(search_web("q"), Iterator[str])
    assert_type(watch("t"), AsyncGenerator[str, None])
    assert_type(library.find("t"), int)
    assert_type(await library.lend("t"), bool)
    assert_type(Library.opened(), bool)
    assert_type(Library.founded(1901), bool)
    assert_type(Library.closed("Monday"), bool)
    assert_type(Library.moved(1901), bool)
    search(1)  # type: ignore[arg-type]
    await fetch(1)  # type: ignore[arg-type]
    search_web(1)  # type: ignore[arg-type]
    watch(1)  # type: ignore[arg-type]
    library.find(1)  # type: ignore[arg-type]
    Library.founded("long ago")  # type: ignore[arg-type]
    Library.closed(7)  # type: ignore[arg-type]
    Library.moved("long ago")  # type: ignore[arg-type]
    tool(1)  # type: ignore[call-overload]
    tool("search")(1)  # type: ignore[type-var]


# Handles


async def handles(work: Callable[[], str]) -> None:
    with session("q", session_id="s-1", iteration=4, user="u") as run:
        assert_type(run, SessionSpan)
        assert_type((run.id, run.uri), tuple[str, str])
        with run.iteration() as step:
            assert_type(step, IterationSpan)
            assert_type(step.number, int)
            step.record(thought="t", action="a", arguments={"k": object()}, observation=object())
            with step.tool("search", {"q": "pumps"}) as call:
                assert_type(call, ToolSpan)
                call.record(work())
        run.record(answer=1, outcome="final")
    async with session() as run:
        assert_type(run, SessionSpan)
        async with iteration() as step:
            assert_type(step, IterationSpan)
            async with tool("search") as call:
                assert_type(call, ToolSpan)
    assert_type(current_session(), SessionSpan | None)
    assert_type(current_iteration(), IterationSpan | None)
    step.record(result="r")  # type: ignore[call-arg]
    step.record(action="a", outcome="final")  # type: ignore[call-arg]
    session(session_id=1)  # type: ignore[arg-type]
    print(current_session().uri)  # type: ignore[union-attr]


# Plans and delegation


def parts(goals: list[str], tasks: Iterator[Request], titles: dict[str, int]) -> None:
    assert_type(plan(goals), list[PartSpan[str]])
    assert_type(plan("look"), list[PartSpan[str]])
    assert_type(delegate(tasks), list[PartSpan["Request"]])
    assert_type(delegate(titles), list[PartSpan[str]])
    with session("q", pattern="supervisor", task_type="research", tools=[parts, "ask"]) as run:
        run.record(pattern="react")
        assert_type(run.plan(goals), list[PartSpan[str]])
        for part in run.delegate(tasks):
            assert_type(part.goal, Request)
            assert_type(part.index, int)
            with part as entered:
                assert_type(entered, PartSpan["Request"])
                assert_type(part.iteration(), IterationSpan)
                part.record(object(), sub_trace="urn:s:final")
    with iteration() as step:
        step.record(candidates=["a"], model="m", input_tokens=1, output_tokens=2)
        step.record(input_tokens="1")  # type: ignore[arg-type]
    plan(1)  # type: ignore[arg-type]
    plan(goals)[0].record(answer=1)  # type: ignore[call-arg]
    session("q", pattern=1)  # type: ignore[arg-type]


@trace_agent(pattern="supervisor", task_type=user_of, tools=[parts])
def with_a_pattern(question: str, user: str) -> int:
    return len(question + user)


# Handing a session on


@dataclass
class Request:  # as TrustGraph's AgentRequest
    session_id: str = ""
    history: list[str] = field(default_factory=list[str])


def context_of(message: Message) -> Context:
    return extract(message)


@trace_agent(context=extract)
def from_properties(properties: dict[str, str]) -> str | None:
    return properties.get("answer")


@trace_agent(name="researcher", context=context_of)
def from_message(message: Message) -> int:
    return len(message)


def handing_on(properties: dict[str, str], request: Request, headers: list[tuple[bytes, bytes]]) -> None:
    assert_type(extract(properties), Context)
    assert_type(extract(request), Context)
    assert_type(extract(headers, context=Context()), Context)
    assert_type(session("q", context=extract(properties)), SessionSpan)
    assert_type(from_properties({}), str | None)
    assert_type(from_message(Message()), int)
    inject(properties)
    inject(request)
    inject(properties, context=Context())
    inject(headers)  # type: ignore[arg-type]
    extract(1)  # type: ignore[arg-type]
    session("q", context=properties)  # type: ignore[arg-type]
    trace_agent(context="context")  # type: ignore[call-overload]
