"""Lines of a journal, as agents write them, and processes that write them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from otel_prov import names
from otel_prov.names import session_uri

START = 1_764_500_000_000_000_000
SECOND = 1_000_000_000
LOOKS = {names.ITERATION_ACTION: "look", names.ITERATION_ARGUMENTS: "{}"}


def line(**span: Any) -> bytes:
    """A span in a line of its own; ``attributes`` is a plain dictionary."""
    attributes = [{"key": key, "value": _any_value(value)} for key, value in span.pop("attributes", {}).items()]
    record = {"traceId": "f" * 32, "spanId": "f" * 16, "name": "", "attributes": attributes, **span}
    data = {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"spans": [record]}]}]}
    return json.dumps(data).encode() + b"\n"


def _any_value(value: Any) -> dict[str, Any]:
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


class Told:
    """What an agent tells of one session, line by line. Sessions start a second apart, in the order of ``number``."""

    def __init__(self, session_id: str = "s1", number: int = 1, **attributes: str) -> None:
        self.uri = session_uri(session_id)
        self.trace_id = f"{number:032x}"
        self.start = START + number * SECOND
        self.common = {names.SESSION_ID: session_id}
        self.run = {names.OPERATION_NAME: names.INVOKE_AGENT, names.AGENT_NAME: "a", names.COLLECTION: "c"}
        self.run |= {names.SESSION_QUESTION: f"Why {session_id}?", **attributes}

    def starts(self) -> bytes:
        return self._run(0, {})

    def ends(self, outcome: str | None = names.OUTCOME_FINAL, answer: str | None = "Because.") -> bytes:
        known = {names.SESSION_OUTCOME: outcome, names.SESSION_ANSWER: answer}
        return self._run(self.start + 900, {name: value for name, value in known.items() if value is not None})

    def acts(self, number: int, thought: str = "Hm.") -> bytes:
        return self._iteration(number, 0, {**LOOKS, names.ITERATION_THOUGHT: thought})

    def saw(self, number: int, observation: str = "Oh.", thought: str = "Hm.") -> bytes:
        known = {**LOOKS, names.ITERATION_THOUGHT: thought, names.ITERATION_OBSERVATION: observation}
        return self._iteration(number, self.start + number * 10 + 5, known)

    def thinks(self, number: int, thought: str) -> bytes:
        return self._iteration(number, self.start + number * 10 + 5, {names.ITERATION_THOUGHT: thought})

    def part(self, number: int, name: str, within: str, *, ended: bool = True, **told: str) -> bytes:
        """A step of a plan, or a part of the work."""
        start = self.start + 500 + number * 10
        return self._line(100 + number, start, start + 5 if ended else 0, {names.WITHIN: within, **told}, name=name)

    def whole(self, iterations: int = 2) -> list[bytes]:
        steps = [text for i in range(1, iterations + 1) for text in (self.acts(i), self.saw(i))]
        return [self.starts(), *steps, self.ends()]

    def _run(self, end: int, known: dict[str, str]) -> bytes:
        return self._line(1, self.start, end, {**self.run, **known}, name="invoke_agent a")

    def _iteration(self, number: int, end: int, known: dict[str, str]) -> bytes:
        attributes = {names.ITERATION_NUMBER: number, **known}
        return self._line(number + 1, self.start + number * 10, end, attributes, name=names.ITERATION)

    def _line(self, span: int, start: int, end: int, attributes: dict[str, Any], name: str) -> bytes:
        return line(
            traceId=self.trace_id,
            spanId=f"{span:016x}",
            name=name,
            startTimeUnixNano=str(start),
            endTimeUnixNano=str(end),
            attributes={**self.common, **attributes},
        )


class Writer:
    """An agent's process, which writes what it is told to its journal and lives until it is killed or let go."""

    def __init__(self, folder: Path) -> None:
        program = Path(__file__).with_name("writer.py")
        self._process = subprocess.Popen(
            [sys.executable, program, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def write(self, *texts: bytes) -> None:
        """Returns when all of it is in the file."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        for text in texts:
            self._process.stdin.write(json.dumps(text.decode()) + "\n")
            self._process.stdin.flush()
            assert self._process.stdout.readline() == "True\n"

    def kill(self) -> None:
        """``kill -9``"""
        self._process.kill()
        self._process.communicate()

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._process.communicate()  # the end of its input lets it go
