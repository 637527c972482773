"""Messages to the topic, whatever happens on the way: connecting anew, and finding the one that is refused for ever."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from otel_prov.deliver.destination import Unreachable

from otel_prov_exporter_pulsar.encode import encode
from otel_prov_exporter_pulsar.producer import Message, Producer, Stalled, renew
from otel_prov_exporter_pulsar.settings import Settings

__all__ = ["Post"]

_PROBE: Final = 10.0  # seconds for a single message, while others show that the broker takes some


class Post:
    """Sends messages to the topic of the settings, under a steady name; connects when there is something to send."""

    def __init__(self, settings: Settings, name: str) -> None:
        self._settings = settings
        self._name = name
        self._producer: Producer | None = None

    def send(self, messages: Iterable[tuple[Message, str]]) -> dict[int, str]:
        """Send messages, in order, and come back when each is acknowledged or refused.

        Args:
            messages: Each with the collection that it belongs to; taken one by one while those before are on their way.

        Returns:
            Why the broker will never take a message, by its place; without those that it has taken.

        Raises:
            Unreachable: Not all could be delivered.
        """
        waiting: dict[int, Message] = {}
        collections: list[str] = []
        refused: dict[int, str] = {}

        def fresh() -> Iterator[tuple[int, Message]]:
            for place, (message, collection) in enumerate(messages):
                collections.append(collection)
                yield place, message

        more = fresh()
        try:
            while True:
                try:
                    self._connected().send(waiting, refused, self._settings.timeout, more)
                    return refused
                except Stalled as stalled:
                    self.close()
                    head = next(iter(waiting))
                    self._settle(head, collections[head], str(stalled), waiting, refused)
        except BaseException:
            self.close()
            raise

    def _settle(
        self, head: int, collection: str, reason: str, waiting: dict[int, Message], refused: dict[int, str]
    ) -> None:
        """Find out whether the first message that waits is refused, or all would be; take it out if it is settled.

        The client sends a refused message again and again, and what follows with it, without telling. So a message that
        changes nothing goes first: only a broker that takes that can be said to refuse the other.
        """
        message = waiting[head]
        nothing = message._replace(sequence=message.sequence - 1, body=encode(message.key, collection, ()))
        patience = min(_PROBE, self._settings.timeout)
        try:
            self._connected().send({head: nothing}, {}, patience)
        except Stalled as stalled:
            raise Unreachable(f"{self._settings.topic}: the broker takes no messages now: {stalled}") from None
        try:
            alone = {head: message}
            self._connected().send(alone, refused, patience)
        except Stalled as stalled:
            self.close()
            refused[head] = f"{self._settings.topic}: the broker refuses it: {stalled or reason}"
        del waiting[head]

    def _connected(self) -> Producer:
        if self._producer is None:
            self._producer = Producer(self._settings, self._name)
        else:
            renew(self._settings)
        return self._producer

    def close(self) -> None:
        """Let go of the connection; the next message opens another one."""
        producer, self._producer = self._producer, None
        if producer is not None:
            producer.close()
