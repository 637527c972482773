"""The Pulsar client in a process of its own: should it end its process, it does so alone, and preparing messages here
and sending them there don't wait for each other at one interpreter's lock.

The client's threads ask for that lock several times a message.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, Final

from otel_prov.deliver.destination import Unreachable

from otel_prov_exporter_pulsar.post import Post
from otel_prov_exporter_pulsar.producer import Message
from otel_prov_exporter_pulsar.settings import read

__all__ = ["Apart", "Ended"]

_TOGETHER: Final = 256 * 1024  # bytes of messages that are handed over in one go
_CLOSING: Final = 10.0  # seconds

Outgoing = Iterable[tuple[Message, str]]


class Ended(Exception):
    """The client has ended its process."""


class Apart:
    """A :class:`Post` in a process of its own, which begins when there is something to send.

    Args:
        url: The endpoint. That process reads the settings for it, as this one did, from the environment.
        name: Identity towards the broker, the same after a restart.
    """

    def __init__(self, url: str, name: str) -> None:
        self._url = url
        self._name = name
        self._process: SpawnProcess | None = None
        self._here: Connection[Any, Any]

    def send(self, messages: Outgoing) -> dict[int, str]:
        """Send messages, as :meth:`Post.send` has it.

        Raises:
            Unreachable: Not all could be delivered.
            Ended: That process has ended meanwhile. The next messages begin another one.
        """
        process = self._started()
        try:
            for some in _together(messages):
                self._here.send(some)
            self._here.send(None)
            outcome = self._here.recv()
        except (EOFError, ConnectionError):
            self.close()
            raise Ended(f"the Pulsar client has ended its process (exit code {process.exitcode})") from None
        except BaseException:
            self.close()
            raise
        if isinstance(outcome, Unreachable):
            raise outcome
        refused: dict[int, str] = outcome
        return refused

    def _started(self) -> SpawnProcess:
        if self._process is None:
            context = multiprocessing.get_context("spawn")
            here, there = context.Pipe()
            process = context.Process(
                target=_serve, args=(there, self._url, self._name), name="otel-prov-pulsar", daemon=True
            )
            process.start()
            atexit.register(process.kill)  # it goes by no gentler word; see _serve
            there.close()
            self._here, self._process = here, process
        return self._process

    def close(self) -> None:
        """Let go of the connection and the process, within some seconds; the next message begins another one."""
        process, self._process = self._process, None
        if process is not None:
            self._here.close()
            process.join(_CLOSING)
            process.kill()
            atexit.unregister(process.kill)


def _together(messages: Outgoing) -> Iterator[list[tuple[Message, str]]]:
    """Messages by the handful: one at a time would cost more than making them."""
    some, size = [], 0
    for each in messages:
        some.append(each)
        size += len(each[0].body)
        if size >= _TOGETHER:
            yield some
            some, size = [], 0
    if some:
        yield some


def _serve(connection: Connection[Any, Any], url: str, name: str) -> None:
    """What that process does, until the other end is closed."""
    for number in (signal.SIGTERM, signal.SIGINT):  # sent to all of a group: the worker ends with the batch in flight
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    post = Post(read(url), name)
    with suppress(EOFError, ConnectionError):
        while True:
            connection.send(_outcome(post, connection))
    post.close()


def _outcome(post: Post, connection: Connection[Any, Any]) -> dict[int, str] | Unreachable:
    handed = iter(connection.recv, None)
    first = next(handed, ())  # before anything is done: nobody may want to send for hours
    messages: Outgoing = chain(first, chain.from_iterable(handed))
    try:
        return post.send(messages)
    except Unreachable as error:
        for _ in messages:  # on their way from there
            pass
        return error


def _end_with_parent() -> None:
    """The name is to be free for who comes next, at once, whatever is waited for."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
