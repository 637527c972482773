"""TrustGraph's librarian over Pulsar itself, as its own agents ask it (``trustgraph/base/async_librarian_client.py``).

Requests go to ``non-persistent://tg/request/librarian:{workspace}``, answers come on the topic of the same name in
``tg/response``, with the request's property ``id``. A request that nobody listens to is lost: no answer means away.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from otel_prov.deliver.destination import Unreachable

from otel_prov_exporter_pulsar.calls import within
from otel_prov_exporter_pulsar.clientlog import client_log
from otel_prov_exporter_pulsar.documents import Document
from otel_prov_exporter_pulsar.faults import unreachable
from otel_prov_exporter_pulsar.librarian import NOTHING, Away, accepted, request, said
from otel_prov_exporter_pulsar.producer import close, connect
from otel_prov_exporter_pulsar.settings import Settings

__all__ = ["BusLibrarian"]

_OPENING: Final = 36.0  # seconds, for producer and consumer
_AT_ONCE: Final = 8  # requests without an answer; each may be 4 MB large


class BusLibrarian:
    """The librarian of the settings' workspace."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._client: Any = None
        self._producer: Any = None
        self._consumer: Any = None

    def keep(self, documents: Sequence[Document]) -> set[str]:
        """Add documents, as :meth:`otel_prov_exporter_pulsar.librarian.Librarian.keep` has it."""
        kept: set[str] = set()
        try:
            self._open()
            for start in range(0, len(documents), _AT_ONCE):
                kept |= self._add(documents[start : start + _AT_ONCE])
        except BaseException:
            self.close()
            raise
        return kept

    def check(self) -> None:
        """See whether the librarian answers, as :meth:`otel_prov_exporter_pulsar.librarian.Librarian.check` has it."""
        body = {"operation": "add-document", "document_metadata": {"id": NOTHING, "document_type": "answer"}}
        try:
            self._open()
            self._producer.send_async(json.dumps(body).encode(), _unheard, properties={"id": "check"})
            said(json.loads(self._receive(time.monotonic() + self._settings.timeout).data()).get("error"))
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        if self._client is not None:
            return
        client_log().take()
        try:
            self._client = connect(self._settings)
            self._producer, self._consumer = within(_OPENING, self._ends)
        except Unreachable as error:
            raise Away(str(error)) from None
        except Exception as error:
            raise Away(unreachable(error, client_log().take(), self._settings)) from None

    def _ends(self) -> tuple[Any, Any]:
        """A producer of requests, and a consumer of answers, made first: an answer that nobody listens to is lost."""
        import pulsar

        name = f"librarian:{self._settings.workspace}"
        bytes_schema = pulsar.schema.BytesSchema()
        consumer = self._client.subscribe(
            f"non-persistent://tg/response/{name}", f"otel-prov-{uuid.uuid4()}", schema=bytes_schema
        )
        producer = self._client.create_producer(
            f"non-persistent://tg/request/{name}", schema=bytes_schema, block_if_queue_full=False
        )
        if not producer.topic():
            raise ConnectionError("the connection was lost while the producer was made")
        return producer, consumer

    def _add(self, documents: Sequence[Document]) -> set[str]:
        asked = {str(uuid.uuid4()): document for document in documents}
        for name, document in asked.items():
            told = request(document)
            body = {
                "operation": "add-document",
                "document_id": document.id,
                "document_metadata": {**told["metadata"], "document_type": "answer"},
                "content": told["content"],
            }
            self._producer.send_async(json.dumps(body).encode(), _unheard, properties={"id": name})
        end = time.monotonic() + self._settings.timeout
        kept = set()
        while asked:
            answer = self._receive(end)
            about = asked.pop(answer.properties().get("id", ""), None)
            if about is not None and accepted(about, json.loads(answer.data()).get("error")):
                kept.add(about.id)
        return kept

    def _receive(self, end: float) -> Any:
        import pulsar

        left = int(1000 * (end - time.monotonic()))
        try:
            if left <= 0:
                raise TimeoutError
            answer = within(left / 1000 + 1, partial(self._consumer.receive, left))
            self._consumer.acknowledge(answer)
        except (pulsar.Timeout, TimeoutError):
            raise Away(f"no answer on the bus for {self._settings.timeout:g} s") from None
        except pulsar.PulsarException as error:
            raise Away(unreachable(error, client_log().take(), self._settings)) from None
        return answer

    def close(self) -> None:
        """Let go of the connection; the next documents open another one."""
        client, self._client = self._client, None
        if client is not None:
            close(client)


def _unheard(_result: Any, _message_id: Any) -> None:
    """What became of a request shows by its answer."""
