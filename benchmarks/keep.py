"""What the store costs: taking journals in, and listing and showing sessions, few and many.

usage: python benchmarks/keep.py
"""

from __future__ import annotations

import json
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from otel_prov import names
from otel_prov.keep import Store
from otel_prov.record.journal import Journal

ITERATIONS = 10
THOUGHT = ("I should look for the entity first, then follow its relations. " * 4)[:200]
ARGUMENTS = json.dumps({"question": "Which report mentions the pump failure?"})
OBSERVATION = ('The "north" report names the pump; temperature 81 °C, line 4.\n' * 20)[:1024]
ANSWER = "Both reports cite the same maintenance log."

JOURNAL_SESSIONS = 2_000
FEW, MANY = 1_000, 100_000
LIMITS = {"taking in": 10_000.0, "milliseconds": 5.0, "growth": 3.0}


def main() -> None:
    """Measure, and print a table."""
    rows = [("what", "ours", "limit", "ratio"), *measure()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def measure() -> list[tuple[str, str, str, str]]:
    """The figures, as rows of what, ours, limit, ratio to the limit."""
    with tempfile.TemporaryDirectory() as folder:
        rate = _taking_in(Path(folder))
        few = _asking(Path(folder), FEW)
        many = _asking(Path(folder), MANY)
    limit = LIMITS["taking in"]
    table = [("taking in spans", f"{rate:,.0f}/s", f">= {limit:,.0f}/s", f"{rate / limit:.1f}x")]
    for what in few:
        for number, seconds in ((FEW, few[what]), (MANY, many[what])):
            ours = seconds * 1000
            limit = LIMITS["milliseconds"]
            table.append(
                (f"{what} of {number:,} sessions", f"{ours:.2f} ms", f"<= {limit:g} ms", f"{ours / limit:.2f}x")
            )
        growth, limit = many[what] / few[what], LIMITS["growth"]
        table.append((f"{what}, many to few", f"{growth:.2f}x", f"<= {limit:g}x", f"{growth / limit:.2f}x"))
    return table


def _taking_in(folder: Path) -> float:
    """Spans taken in per second. Leaves a store with their sessions in the folder."""
    journal = Journal(folder)
    for number in range(JOURNAL_SESSIONS):
        for line in _session(number):
            journal.write(line)
    journal.close()
    with Store(folder) as store:
        start = time.perf_counter()
        intake = store.take_in()
        seconds = time.perf_counter() - start
    records = JOURNAL_SESSIONS * 2 * (1 + ITERATIONS)
    assert intake.spans == records, intake
    return records / 2 / seconds


def _asking(folder: Path, number: int) -> dict[str, float]:
    """Median seconds of each question to a store of so many sessions."""
    _fill(folder / "store.sqlite", number)
    with Store(folder) as store:
        uris = [summary.uri for summary in store.sessions(limit=None)]
        assert len(uris) == number, len(uris)
        some = random.Random(number).sample(uris, 200)
        return {
            "list": _median(lambda _: store.sessions(), some),
            "list of a collection": _median(lambda _: store.sessions(collection="default"), some),
            "show": _median(store.session, some),
            "find by a prefix": _median(lambda uri: store.find(uri[:-4]), some),
        }


def _median(ask: Callable[[str], object], uris: list[str]) -> float:
    times = []
    for uri in uris:
        start = time.perf_counter()
        ask(uri)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _fill(file: Path, number: int) -> None:
    """Cut or copy the sessions of a database until there are so many of them."""
    db = sqlite3.connect(file)
    for table in ("span", "step"):
        db.execute(f"DELETE FROM {table} WHERE session > ?", (number,))
    db.execute("DELETE FROM session WHERE id > ?", (number,))
    (present,) = db.execute("SELECT count(*) FROM session").fetchone()
    while present < number:
        copied = min(present, number - present)
        values = {"shift": present, "last": copied}
        for table, column in (("session", "id"), ("span", "session"), ("step", "session")):
            _copy(db, table, column, values)
        present += copied
    db.commit()
    db.close()


def _copy(db: sqlite3.Connection, table: str, column: str, values: dict[str, int]) -> None:
    """Copy the first sessions' rows of a table, as those of further sessions."""
    changed = {column: f"{column} + :shift", "uri": "uri || ':' || :shift", "trace_id": "trace_id || :shift"}
    columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[1] != "seq"]
    chosen = ", ".join(changed.get(name, name) for name in columns)
    db.execute(
        f"INSERT INTO {table} ({', '.join(columns)}) SELECT {chosen} FROM {table} WHERE {column} <= :last", values
    )


def _session(number: int) -> list[bytes]:
    """The lines of one session, in the order in which its agent writes them."""
    trace, start = f"{number:032x}", 1_764_500_000_000_000_000 + number * 1_000_000_000
    common: dict[str, str | int] = {
        names.SESSION_ID: f"{number:08x}-0000-4000-8000-000000000001",
        names.COLLECTION: "default",
    }
    run: dict[str, str | int] = {**common, names.OPERATION_NAME: names.INVOKE_AGENT, names.AGENT_NAME: "researcher"}
    run[names.SESSION_QUESTION] = f"What links the reports of case {number}, and which source says so?"
    lines = [_line(trace, 0, "invoke_agent researcher", start, 0, run)]
    for i in range(1, ITERATIONS + 1):
        known: dict[str, str | int] = {**common, names.ITERATION_NUMBER: i, names.ITERATION_THOUGHT: THOUGHT}
        known |= {names.ITERATION_ACTION: "knowledge-query", names.ITERATION_ARGUMENTS: ARGUMENTS}
        lines.append(_line(trace, i, names.ITERATION, start + i, 0, known))
        known[names.ITERATION_OBSERVATION] = OBSERVATION
        lines.append(_line(trace, i, names.ITERATION, start + i, start + i + 1, known))
    run |= {names.SESSION_ANSWER: ANSWER, names.SESSION_OUTCOME: names.OUTCOME_FINAL}
    return [*lines, _line(trace, 0, "invoke_agent researcher", start, start + 100, run)]


def _line(trace: str, span: int, name: str, start: int, end: int, attributes: dict[str, str | int]) -> bytes:
    """A span as one line of a journal."""
    pairs = [
        {"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}
        for key, value in attributes.items()
    ]
    record = {
        "traceId": trace,
        "spanId": f"{span + 1:016x}",
        "parentSpanId": f"{1:016x}" if span else "",
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(end),
        "attributes": pairs,
        "status": {},
    }
    scope = {"scope": {"name": "otel_prov"}, "spans": [record]}
    data = {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [scope]}]}
    return json.dumps(data, ensure_ascii=False).encode() + b"\n"


if __name__ == "__main__":
    main()
