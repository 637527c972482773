"""TrustGraph's gateway: many requests at once over its one socket, ``/api/v1/socket``.

The first frame brings the token; afterwards each request has an id, and its answer comes in one or more frames with
that id, the last of them marked ``complete`` (``trustgraph/gateway/dispatch/mux.py`` in trustgraph-flow 2.11.1).
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

__all__ = ["Answer", "FetchError", "Gateway"]

PATIENCE = 10.0
"""Seconds without a sign of an answer after which none is waited for."""

_PATH: Final = "/api/v1/socket"
_AT_ONCE: Final = 12  # requests; beyond 15 the gateway makes them wait, and is slow to let them go on
_LARGEST: Final = 64 * 2**20  # bytes of a frame
_CLOSING: Final = 1.0  # seconds for the gateway to say goodbye
_NOT_ONE: Final = "does not answer as TrustGraph's gateway does; give the address and port of the gateway"
_TOKEN: Final = "refuses the token; set TRUSTGRAPH_TOKEN to one that it knows"


class FetchError(Exception):
    """What could not be read from TrustGraph: one line that names the thing and the remedy."""


@dataclass(slots=True)
class Answer:
    """What came back for one request."""

    parts: list[dict[str, Any]] = field(default_factory=list)
    error: str | None = None
    """Why there is no answer, or only a part of it."""


class Gateway:
    """A connection to a gateway."""

    def __init__(self, url: str, token: str = "", workspace: str | None = None) -> None:
        """Connect, and be let in.

        Args:
            url: Of the gateway, ``http://`` or ``https://``.
            token: Empty for a gateway that wants none.
            workspace: TrustGraph's workspace; ``None`` for the one that goes with the token.

        Raises:
            FetchError: It isn't there, isn't a gateway, or doesn't let us in.
        """
        self.url = url.rstrip("/")
        self._asked = 0
        with ExitStack() as opening, self._told():
            self._socket = opening.enter_context(self._connection())
            own = self._let_in(token)
            self._open = opening.pop_all()
        self.workspace = workspace or own or "default"

    def __enter__(self) -> Gateway:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        self._open.close()

    def ask(self, service: str, requests: Sequence[dict[str, Any]], flow: str | None = None) -> list[Answer]:
        """Make requests to a service, several at once.

        Args:
            flow: The flow that the service belongs to; ``None`` for one of the whole workspace.

        Returns:
            An answer for each request; where the service fails or is silent for too long, its ``error`` says so.

        Raises:
            FetchError: The connection is gone, or the gateway refuses to be asked this.
        """
        answers = [Answer(error=f"no answer within {PATIENCE:g} s") for _ in requests]
        waiting = list(enumerate(requests))[::-1]
        asked: dict[str, int] = {}
        heard = time.monotonic()
        with self._told():
            while waiting or asked:
                while waiting and len(asked) < _AT_ONCE:
                    place, request = waiting.pop()
                    asked[self._send(service, flow, request)] = place
                try:
                    frame = self._receive(heard + PATIENCE)
                except TimeoutError:
                    break
                place = asked.get(str(frame.get("id")), -1)
                if place < 0:  # what came too late for an earlier question
                    continue
                heard = time.monotonic()
                if self._take(frame, answers[place]):
                    del asked[str(frame["id"])]
        return answers

    def stream(self, service: str, request: dict[str, Any], flow: str | None = None) -> Iterator[Answer]:
        """Make one request, and give its answer in parts, as they come in.

        Raises:
            FetchError: The connection is gone, the gateway refuses to be asked this, or is silent for too long.
        """
        with self._told():
            name = self._send(service, flow, request)
            is_last = False
            while not is_last:
                frame = self._receive(time.monotonic() + PATIENCE)
                if str(frame.get("id")) == name:
                    answer = Answer()
                    is_last = self._take(frame, answer)
                    yield answer

    def _send(self, service: str, flow: str | None, request: dict[str, Any]) -> str:
        self._asked += 1
        name = f"otel-prov-{self._asked}"
        frame = {"id": name, "workspace": self.workspace, "service": service, "request": request}
        self._socket.send(json.dumps(frame | ({"flow": flow} if flow else {})))
        return name

    def _take(self, frame: dict[str, Any], answer: Answer) -> bool:
        """Put a frame into the answer that it belongs to; whether it was the last one."""
        part = frame.get("response")
        error = frame.get("error") or (part.get("error") if isinstance(part, dict) else None)
        if error:
            answer.error = self._meaning(error)
            return True
        if isinstance(part, dict):
            answer.parts.append(part)
        if done := bool(frame.get("complete")):
            answer.error = None
        return done

    def _meaning(self, error: object) -> str:
        """What an error object says.

        Raises:
            FetchError: Every other request would be answered so.
        """
        kind, text = (str(error.get(key, "")) for key in ("type", "message")) if isinstance(error, dict) else ("", "")
        if kind == "workspace-not-found":
            raise FetchError(f"{self.url}: has no workspace {self.workspace!r}; set TRUSTGRAPH_WORKSPACE to one it has")
        if kind == "access-denied":
            raise FetchError(f"{self.url}: the token may not read workspace {self.workspace!r}; set TRUSTGRAPH_TOKEN")
        if kind == "auth-required":
            raise FetchError(f"{self.url}: {_TOKEN}")
        return text or str(error)

    def _connection(self) -> AbstractContextManager[ClientConnection]:
        try:
            from websockets.sync.client import connect
        except ImportError:
            remedy = "pip install 'otel-prov[trustgraph]'"
            raise FetchError(f"reading from TrustGraph needs a WebSocket client: {remedy}") from None
        return connect(
            f"ws{self.url.removeprefix('http')}{_PATH}",
            open_timeout=PATIENCE,
            close_timeout=_CLOSING,
            max_size=_LARGEST,
        )

    def _let_in(self, token: str) -> str | None:
        """Show the token; gives the workspace that goes with it."""
        self._socket.send(json.dumps({"type": "auth", "token": token}))
        frame = self._receive(time.monotonic() + PATIENCE)
        if frame.get("type") == "auth-failed":
            raise FetchError(f"{self.url}: {_TOKEN}")
        if frame.get("type") != "auth-ok":
            raise FetchError(f"{self.url}: {_NOT_ONE}")
        workspace = frame.get("default_workspace")
        return workspace if isinstance(workspace, str) else None

    def _receive(self, until: float) -> dict[str, Any]:
        if (left := until - time.monotonic()) <= 0:
            raise TimeoutError
        text = self._socket.recv(timeout=left)
        try:
            frame = json.loads(text)
        except (ValueError, RecursionError):
            frame = None
        if not isinstance(frame, dict):
            raise FetchError(f"{self.url}: {_NOT_ONE}")
        return frame

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What goes wrong on the way, in one line."""
        try:
            yield
        except TimeoutError:
            late = f"{self.url}: no answer within {PATIENCE:g} s; is it the gateway, and is it well?"
            raise FetchError(late) from None
        except OSError as error:
            reason = error.strerror or str(error)
            raise FetchError(f"{self.url}: cannot be reached: {reason}; is TrustGraph's gateway there?") from None
        except Exception as error:
            raise self._failure(error) from None

    def _failure(self, error: Exception) -> Exception:
        """The failure of the WebSocket client in one line; any other one as it is."""
        if isinstance(error, FetchError):
            return error
        from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

        match error:
            case InvalidStatus() if error.response.status_code in (401, 403):
                return FetchError(f"{self.url}: {_TOKEN}")
            case ConnectionClosed():
                return FetchError(f"{self.url}: the connection was cut; try again, or see the gateway's log")
            case WebSocketException() | EOFError():
                return FetchError(f"{self.url}: {_NOT_ONE}")
        return error
