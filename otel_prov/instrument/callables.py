"""One wrapper for every kind of callable: what it is traced as changes, what it is does not.

Nothing is held current while a generator is suspended, so code between two items, whichever thread or task it runs in,
has its own context. Each wrapper has the kind of the function that it wraps, so ``inspect`` tells the same of both.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import Any, TypeVar

from otel_prov import names
from otel_prov.instrument.activity import Activity

__all__ = ["Begin", "wrap"]

Begin = Callable[[tuple[Any, ...], dict[str, Any]], Activity]
"""Makes the activity that traces one call, from the call's arguments. Must not raise."""

F = TypeVar("F")
Function = Callable[..., Any]


def wrap(function: F, begin: Begin) -> F:
    """The function, each call of it traced.

    For functions, coroutine functions, generators of both kinds, methods, static and class methods, and whatever else
    can be called.
    """
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(wrap(function.__func__, begin))
    assert callable(function)
    body = function if inspect.isroutine(function) or isinstance(function, functools.partial) else function.__call__
    for is_kind, wrapper in (
        (inspect.iscoroutinefunction, _coroutine),
        (inspect.isasyncgenfunction, _async_generator),
        (inspect.isgeneratorfunction, _generator),
    ):
        if is_kind(body):
            return functools.wraps(function)(wrapper(begin, function))  # type: ignore[return-value]
    return functools.wraps(function)(_plain(begin, function))  # type: ignore[return-value]


def _plain(begin: Begin, function: Function) -> Function:
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        run = begin(args, kwargs)
        run.activate()
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            run.suspend()
            run.end(error)
            raise
        run.suspend()
        if type(result) not in _AT_ONCE and (later := _later(run, result)) is not None:
            return later
        run.returned(result)
        run.end()
        return result

    return wrapper


_AT_ONCE = (str, type(None), dict, list, int, float, bool)
"""What is not worth asking whether it is awaited or iterated later."""


def _later(run: Activity, result: Any) -> Any:
    """The result to hand over in place of one that does its work later; ``None`` for one that is done."""

    def same_run(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Activity:
        return run

    if inspect.isgenerator(result) and not inspect.isawaitable(result):
        return _named(_generator(same_run, lambda: result)(), result)
    if inspect.isasyncgen(result):
        return _named(_async_generator(same_run, lambda: result)(), result)
    if not inspect.isawaitable(result):
        return None
    if notify := getattr(result, "add_done_callback", None):  # a future or task runs by itself, and stays what it is
        notify(functools.partial(_done, run))
        return result
    return _named(_coroutine(same_run, lambda: result)(), result)


def _done(run: Activity, future: Any) -> None:
    """A future is done. (Asking it for ``exception()`` would keep asyncio from logging that nobody else did.)"""
    if future.cancelled():
        run.end(outcome=names.OUTCOME_CANCELLED)
    elif (error := getattr(future, "_exception", None)) is not None:
        run.end(error)
    else:
        run.returned(future.result())
        run.end()


def _named(ours: Any, theirs: Any) -> Any:
    """Let warnings about what is never awaited, and debuggers, name the function that wrote it."""
    for attribute in ("__name__", "__qualname__"):
        if isinstance(name := getattr(theirs, attribute, None), str):
            setattr(ours, attribute, name)
    return ours


def _coroutine(begin: Begin, function: Callable[..., Awaitable[Any]]) -> Function:
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        with begin(args, kwargs) as run:
            result = await function(*args, **kwargs)
            run.returned(result)
        return result

    return wrapper


def _generator(begin: Begin, function: Callable[..., Generator[Any, Any, Any]]) -> Function:
    def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        generator = function(*args, **kwargs)
        run = begin(args, kwargs)
        resume: Callable[[Any], Any] = generator.send
        value: Any = None
        while True:
            run.activate()
            try:
                item = resume(value)
            except StopIteration as stop:
                run.suspend()
                run.returned(stop.value)
                run.end()
                return stop.value
            except BaseException as error:
                run.suspend()
                run.end(error)
                raise
            run.suspend()
            run.yielded(item)
            try:
                value = yield item
                resume = generator.send
            except GeneratorExit as error:
                run.activate()
                try:
                    generator.close()
                finally:
                    run.suspend()
                    run.end(error)
                raise
            except BaseException as error:
                resume, value = generator.throw, error

    return wrapper


def _async_generator(begin: Begin, function: Callable[..., AsyncGenerator[Any, Any]]) -> Function:
    async def wrapper(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        generator = function(*args, **kwargs)
        run = begin(args, kwargs)
        resume: Callable[[Any], Any] = generator.asend
        value: Any = None
        while True:
            run.activate()
            try:
                item = await resume(value)
            except StopAsyncIteration:
                run.suspend()
                run.returned(None)
                run.end()
                return
            except BaseException as error:
                run.suspend()
                run.end(error)
                raise
            run.suspend()
            run.yielded(item)
            try:
                value = yield item
                resume = generator.asend
            except GeneratorExit as error:
                run.activate()
                try:
                    await generator.aclose()
                finally:
                    run.suspend()
                    run.end(error)
                raise
            except BaseException as error:
                resume, value = generator.athrow, error

    return wrapper
