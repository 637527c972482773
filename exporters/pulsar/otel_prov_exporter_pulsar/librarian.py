"""TrustGraph's librarian, which keeps the texts that its command line shows."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, Protocol
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from otel_prov.deliver.destination import Unreachable
from otel_prov.losses import lost

from otel_prov_exporter_pulsar.documents import Document
from otel_prov_exporter_pulsar.literals import cut

__all__ = ["NOTHING", "Away", "Gateway", "Librarian", "Patient", "accepted", "request", "said"]

CONTENT_LIMIT: Final = 3_000_000
"""Bytes of UTF-8 in a document. The gateway puts it, in base64, into one Pulsar message; 4 MB were too large."""

NOTHING: Final = "urn:otel-prov:nothing"
"""Id of the document that is never added."""

_AT_ONCE: Final = 4  # requests
_PAUSE: Final = 30.0  # seconds that a librarian who was waited for long enough is left alone


class Away(Exception):
    """The librarian can't be asked now; says why, in one line."""


class Librarian(Protocol):
    """Keeps documents."""

    def keep(self, documents: Sequence[Document]) -> set[str]:
        """Add documents; one that is there stays as it is.

        Returns:
            The ids of those that it has now; the others it will never take.

        Raises:
            Away: It could not be asked about all of them.
        """

    def check(self) -> None:
        """See whether it answers, and would let us add documents, without adding any.

        Raises:
            Away: It doesn't.
        """

    def close(self) -> None:
        """Let go of connections."""


def request(document: Document) -> dict[str, Any]:
    """What is common to the request of the gateway and of the bus, but for the spelling of keys.

    Without a ``time`` the real librarian fails and the document can't be read.
    """
    return {
        "metadata": {
            "id": document.id,
            "time": int(time.time()),
            "kind": "text/plain",
            "title": cut(document.title, 1_000),
        },
        "content": base64.b64encode(cut(document.text, CONTENT_LIMIT).encode()).decode("ascii"),
    }


def accepted(document: Document, error: Any) -> bool:
    """Whether the librarian has a document, by the error object of its answer; errors come with status 200, too.

    Raises:
        Away: The error is about the way there.
    """
    if not error or "already exists" in (text := said(error)):
        return True
    lost("a text was refused by TrustGraph's librarian", f"{document.id}: {text}")
    return False


def said(error: Any) -> str:
    """What the librarian says in the error object of an answer.

    Raises:
        Away: Somebody on the way there says it.
    """
    kind, message = (str(error.get(key, "")) for key in ("type", "message")) if isinstance(error, dict) else ("", error)
    text = f"{kind}: {message}"
    if "MessageTooBig" not in text and (kind == "gateway-error" or "timeout" in text.lower()):
        raise Away(text)
    return text


class Gateway:
    """The librarian, over HTTP through TrustGraph's gateway."""

    def __init__(
        self, url: str, token: str | None, workspace: str, timeout: float, headers: Mapping[str, str] | None = None
    ) -> None:
        """
        Args:
            url: Of the gateway, with a slash at its end.
            token: What it wants in ``Authorization``, if anything.
            workspace: TrustGraph's workspace.
            timeout: Seconds for one answer.
            headers: Of each request, for a proxy before the gateway, say. The token goes before one of its name.
        """
        self._url = url + "api/v1/"
        self._headers = {name.title(): value for name, value in (headers or {}).items()}
        self._headers["Content-Type"] = "application/json"
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._workspace = workspace
        self._timeout = timeout

    def keep(self, documents: Sequence[Document]) -> set[str]:
        away = threading.Event()  # once it is set, nothing more is asked: each question would take its whole time

        def add(document: Document) -> bool:
            try:
                return not away.is_set() and self._add(document)
            except Away:
                away.set()
                raise

        with ThreadPoolExecutor(_AT_ONCE, "otel-prov-librarian") as pool:
            answers = list(pool.map(add, documents))
        return {document.id for document, kept in zip(documents, answers, strict=True) if kept}

    def _add(self, document: Document) -> bool:
        told = request(document)
        body = {
            "operation": "add-document",
            "workspace": self._workspace,
            "document-metadata": {**told["metadata"], "document-type": "answer"},
            "content": told["content"],
        }
        return accepted(document, self.ask("librarian", body).get("error"))

    def check(self) -> None:
        """See whether the librarian answers, and would let us add documents: nobody takes one without a kind.

        Raises:
            Away: It doesn't.
        """
        metadata = {"id": NOTHING, "document-type": "answer"}
        asked = {"operation": "add-document", "workspace": self._workspace, "document-metadata": metadata}
        said(self.ask("librarian", {**asked, "content": ""}).get("error"))

    def ask(self, service: str, request: dict[str, Any]) -> dict[str, Any]:
        """What a service behind the gateway answers.

        Raises:
            Away: There is no answer to be had.
        """
        url, body = self._url + service, json.dumps(request).encode()
        try:
            with urlopen(Request(url, body, self._headers), timeout=self._timeout) as reply:
                answer = json.loads(reply.read())
        except HTTPError as error:
            error.close()
            if error.code in (401, 403):
                raise Away(f"{url}: refuses the token (OTEL_EXPORTER_PROV_LIBRARIAN_TOKEN)") from None
            raise Away(f"{url}: answers {error.code} {error.reason}") from None
        except OSError as error:
            raise Away(f"{url}: {getattr(error, 'reason', error)}") from None
        except ValueError:
            raise Away(f"{url}: does not answer as TrustGraph's gateway does") from None
        if not isinstance(answer, dict):
            raise Away(f"{url}: does not answer as TrustGraph's gateway does")
        return answer

    def close(self) -> None:
        """Every request has its own connection."""


class Patient:
    """A librarian who is waited for, but not for ever."""

    def __init__(self, librarian: Librarian, wait: float) -> None:
        """
        Args:
            wait: Seconds from when it is first found to be away.
        """
        self._librarian = librarian
        self._wait = wait
        self._away_since: float | None = None
        self._asked = 0.0

    def keep(self, documents: Iterable[Document]) -> set[str]:
        """The ids of the documents that the librarian has.

        Raises:
            Unreachable: It is away, and it is not yet time to go on without it.
        """
        wanted = list(documents)
        overdue = self._away_since is not None and time.monotonic() - self._away_since >= self._wait
        if not wanted or (overdue and time.monotonic() - self._asked < _PAUSE):
            return set()
        self._asked = time.monotonic()
        try:
            kept = self._librarian.keep(wanted)
        except Away as away:
            if self._away_since is None:
                self._away_since = time.monotonic()
            if time.monotonic() - self._away_since < self._wait:
                raise Unreachable(f"TrustGraph's librarian is away: {away}") from None
            lost("texts were sent without TrustGraph's librarian", away, len(wanted))
            return set()
        self._away_since = None
        return kept

    def close(self) -> None:
        self._librarian.close()
