"""A stand-in for an OpenAI-compatible endpoint: real HTTP, and replies that a test has written."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

__all__ = ["Endpoint", "Reply", "calling", "saying"]

Reply = dict[str, Any]

_ids = itertools.count(1)


def calling(*calls: tuple[str, str], thought: str | None = None) -> Reply:
    """A model's message that calls tools, each with its name and the text of its arguments."""
    return {
        "role": "assistant",
        "content": thought,
        "tool_calls": [
            {"id": f"call-{next(_ids)}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for name, arguments in calls
        ],
    }


def saying(text: str) -> Reply:
    """A model's message that calls no tool: its answer."""
    return {"role": "assistant", "content": text}


class Endpoint:
    """Serves on a free port of this machine, and keeps the requests that it gets. Without replies, it refuses."""

    def __init__(self) -> None:
        self.requests: list[Any] = []
        """Bodies of the requests, in their order."""
        self._replies: Iterable[Reply] = iter(())
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, answer = endpoint._answer(self.path, body)
                content = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *arguments: Any) -> None:
                """Keep the test's output free of requests."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def will(self, replies: Iterable[Reply]) -> None:
        """Say from now on what the model's messages will be."""
        self._replies = iter(replies)

    def _answer(self, path: str, body: Any) -> tuple[int, Reply]:
        self.requests.append(body)
        reply = next(iter(self._replies), None)
        if path != "/v1/chat/completions" or reply is None:
            return 401, {"error": {"message": "this key is not known"}}
        choice = {"index": 0, "message": reply, "finish_reason": "tool_calls" if "tool_calls" in reply else "stop"}
        return 200, {
            "id": f"chat-{next(_ids)}",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [choice],
        }

    def __enter__(self) -> Endpoint:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
