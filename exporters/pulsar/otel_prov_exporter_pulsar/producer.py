"""The Pulsar client, used so that it can neither hang nor end its process.

It is brittle: exceptions in a callback end the process, a message that the broker refuses is sent again for ever (and
its neighbours with it), a producer can be null without saying so. Hence: callbacks only put into a queue; no sending
from a callback and no lock around a call; nothing blocks without a limit; what is in flight is bounded here, as the
client bounds only its number.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from itertools import chain
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple

from otel_prov.deliver.destination import Unreachable

from otel_prov_exporter_pulsar.calls import within
from otel_prov_exporter_pulsar.clientlog import client_log
from otel_prov_exporter_pulsar.faults import refusals, unreachable
from otel_prov_exporter_pulsar.settings import Settings

__all__ = ["Message", "Producer", "Stalled", "check", "close", "connect", "renew"]

_OPERATION: Final = 6  # seconds; a broker looks for 5 s whether the last holder of our name still lives
_CONNECTION: Final = 3_000  # milliseconds
_OPENING: Final = 4.0 * (_OPERATION + _CONNECTION / 1000)  # lookup and creation have a limit each, and may be retried
_CLOSING: Final = _OPERATION + 2.0
_IN_FLIGHT: Final = 500
_BYTES_IN_FLIGHT: Final = 16 << 20
_GLANCE: Final = 0.5  # seconds without an answer after which the client's log is looked at
_ENOUGH: Final = 3  # refusals in one glance: the client is going round in circles


class Message(NamedTuple):
    """What is sent to the topic."""

    sequence: int
    """Rises over all that a producer's name ever sends, from 1; the same when sent again."""
    key: str
    """Messages with one key stay in order."""
    id: str
    """Tells a consumer which messages are the same."""
    body: bytes


class Stalled(Exception):
    """The broker is there, but a message isn't acknowledged; says why, where that is known."""


def renew(settings: Settings) -> None:
    """See that there is a token, where one is wanted; the client asks for it later, on a thread that can't wait.

    Raises:
        Unreachable: There is none to be had.
    """
    try:
        settings.renew()
        if settings.token is not None:
            settings.token()
    except OSError as error:
        raise Unreachable(f"there is no token for {settings.url}: {error}") from None


def connect(settings: Settings) -> Any:
    """A client of the broker; this alone doesn't open a connection.

    Raises:
        Unreachable: There is no token.
    """
    import pulsar

    renew(settings)
    return pulsar.Client(
        settings.url,
        authentication=pulsar.AuthenticationToken(settings.token) if settings.token else None,
        operation_timeout_seconds=_OPERATION,
        connection_timeout_ms=_CONNECTION,
        tls_trust_certs_file_path=settings.certificate,
        tls_validate_hostname=True,
        logger=client_log().logger,
    )


def check(settings: Settings) -> None:
    """See whether the broker lets us in, and has a namespace for the topic, without sending anything.

    Raises:
        Unreachable: It can't be reached, or doesn't.
    """
    client_log().take()
    client = connect(settings)
    try:
        within(_OPENING, partial(client.get_topic_partitions, settings.topic))
    except Exception as error:
        raise Unreachable(unreachable(error, client_log().take(), settings)) from None
    finally:
        close(client)


def close(client: Any) -> None:
    """Close a client, whatever state it is in. Never ``shutdown()``: that leaves callbacks uncalled."""
    with suppress(Exception):
        within(_CLOSING, client.close)


class Producer:
    """A producer of the topic, connected when made."""

    def __init__(self, settings: Settings, name: str) -> None:
        """
        Args:
            name: Identity towards the broker, the same after a restart.

        Raises:
            Unreachable: There is no connection to be had.
        """
        self._settings = settings
        client_log().take()
        self._client = connect(settings)
        try:
            self._producer = within(_OPENING, partial(self._create, name))
        except Exception as error:
            close(self._client)
            raise Unreachable(unreachable(error, client_log().take(), settings)) from None
        except BaseException:
            close(self._client)
            raise

    def _create(self, name: str) -> Any:
        import pulsar

        producer = self._client.create_producer(
            self._settings.topic,
            producer_name=name,
            schema=pulsar.schema.BytesSchema(),
            send_timeout_millis=0,  # a timeout says nothing about what was stored; see _answer for ours
            block_if_queue_full=False,
            max_pending_messages=2 * _IN_FLIGHT,
            batching_enabled=False,  # a batch would hide the sequence ids from deduplication
        )
        if not producer.topic():  # a null producer; any other method of it may end the process
            raise ConnectionError("the connection was lost while the producer was made")
        return producer

    def send(
        self,
        messages: dict[int, Message],
        refused: dict[int, str],
        patience: float,
        more: Iterable[tuple[int, Message]] = (),
    ) -> None:
        """Send messages, in order; each is taken out of ``messages`` when it is acknowledged or refused.

        Args:
            messages: By a number of the caller's.
            refused: Gets the reasons, by the same number.
            patience: Seconds without an answer to wait.
            more: Messages behind those, which are put into ``messages`` when it is their turn.

        Raises:
            Stalled: Those that are left got no answer in that time, or the broker refuses one over and over.
            Unreachable: The broker takes none of those that are left.
        """
        answers: SimpleQueue[tuple[int, Any]] = SimpleQueue()
        flying: dict[int, int] = {}  # size of each
        total = 0
        for number, message in chain(list(messages.items()), more):
            messages[number] = message
            size = len(message.body)
            while flying and (len(flying) >= _IN_FLIGHT or total + size > _BYTES_IN_FLIGHT):
                total -= self._answer(answers, flying, messages, refused, patience)
            flying[number] = size
            total += size
            self._producer.send_async(
                message.body,
                partial(_note, answers.put, number),
                partition_key=message.key,
                sequence_id=message.sequence,
                properties={"otel-prov.id": message.id},
            )
        while flying:
            self._answer(answers, flying, messages, refused, patience)

    def _answer(
        self,
        answers: SimpleQueue[tuple[int, Any]],
        flying: dict[int, int],
        messages: dict[int, Message],
        refused: dict[int, str],
        patience: float,
    ) -> int:
        """Wait for one answer; return the size of the message that it is about."""
        number, result = self._next(answers, patience)
        if result.name in ("MessageTooBig", "InvalidMessage"):
            size = len(messages[number].body)
            refused[number] = f"{self._settings.topic}: does not take a message of {size:,} bytes ({result.name})"
        elif result.name != "Ok":
            raise Unreachable(unreachable(result, client_log().take(), self._settings))
        del messages[number]
        return flying.pop(number)

    def _next(self, answers: SimpleQueue[tuple[int, Any]], patience: float) -> tuple[int, Any]:
        end = time.monotonic() + patience
        while True:
            try:
                return answers.get(timeout=_GLANCE)
            except Empty:
                said = refusals(client_log().take())
                if len(said) >= _ENOUGH:
                    raise Stalled(said[-1]) from None
                if time.monotonic() > end:
                    raise Stalled(f"no acknowledgement for {patience:g} s") from None

    def close(self) -> None:
        """Let go of the connection, within some seconds."""
        close(self._client)


def _note(put: Callable[[tuple[int, Any]], None], number: int, result: Any, _message_id: Any) -> None:
    """The callback, on a thread of the client: an exception in it would end the process."""
    with suppress(BaseException):
        put((number, result))
