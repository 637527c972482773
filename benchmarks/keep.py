"""What the store costs: taking journals in, and listing and showing sessions, of few and of many.

python -m benchmarks keep
"""

from __future__ import annotations

import json
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import workload as w
from otel_prov import names
from otel_prov.keep import Store
from otel_prov.record.journal import Journal

JOURNAL_SESSIONS = 2_000
FEW, MANY = 1_000, 100_000
ROUNDS = 3


def measure() -> list[w.Row]:
    """Rates and times, and how the times grow with the store."""
    with tempfile.TemporaryDirectory() as name:
        folders = [Path(name) / str(number) for number in range(ROUNDS)]
        rate = statistics.median(map(_spans_per_second, folders))
        few, many = (_milliseconds(folders[0] / "store.sqlite", number) for number in (FEW, MANY))
    table = [("take in, spans a second", f"{rate:,.0f}", "", "", "at least 10,000")]
    for what in few:
        ratio = many[what] / few[what]
        of_few = f"{few[what]:.2f} (of {FEW:,})"
        table.append((f"{what} of {MANY:,} sessions, ms", f"{many[what]:.2f}", of_few, f"{ratio:.2f}", "5 ms, 3"))
    return table


def _spans_per_second(folder: Path) -> float:
    """Take in a journal as an agent leaves it, each span at its start and at its end. Leaves a store in the folder."""
    journal = Journal(folder)
    for number in range(JOURNAL_SESSIONS):
        for line in _session(number):
            journal.write(line)
    journal.close()
    with Store(folder) as store:
        start = time.perf_counter()
        intake = store.take_in()
        seconds = time.perf_counter() - start
    spans = JOURNAL_SESSIONS * (1 + w.ITERATIONS)
    assert intake.spans == 2 * spans, intake
    return spans / seconds


def _milliseconds(file: Path, number: int) -> dict[str, float]:
    """Median time of each question to a store of so many sessions."""
    fill(file, number)
    with Store(file.parent) as store:
        uris = [summary.uri for summary in store.sessions(limit=None)]
        assert len(uris) == number, len(uris)
        some = random.Random(number).sample(uris, 500)
        return {
            "list the newest 50": _median(lambda _: store.sessions(), some),
            "show one": _median(store.session, some),
        }


def _median(ask: Callable[[str], object], uris: Sequence[str]) -> float:
    times = []
    for uri in uris:
        start = time.perf_counter_ns()
        ask(uri)
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times) / 1e6


def fill(file: Path, number: int) -> None:
    """Remove or copy sessions until there are so many. Their spans, which aren't asked for, stay as they are."""
    db = sqlite3.connect(file)
    db.execute("DELETE FROM session WHERE id > ?", (number,))
    for table in ("step", "source"):
        db.execute(f"DELETE FROM {table} WHERE session > ?", (number,))
    (present,) = db.execute("SELECT count(*) FROM session").fetchone()
    while present < number:
        values = {"present": present, "last": min(present, number - present)}
        _copy(db, "session", "id", values)
        for table in ("step", "source"):
            _copy(db, table, "session", values)
        present += values["last"]
    db.commit()
    db.close()


def _copy(db: sqlite3.Connection, table: str, session: str, values: dict[str, int]) -> None:
    changed = {session: f"{session} + :present", "uri": "uri || ':' || :present", "started": "started + :present"}
    columns = [column for _, column, *_ in db.execute(f"PRAGMA table_info({table})") if column != "seq"]
    chosen = ", ".join(changed.get(column, column) for column in columns)
    db.execute(
        f"INSERT INTO {table} ({', '.join(columns)}) SELECT {chosen} FROM {table} WHERE {session} <= :last", values
    )


def _session(number: int) -> list[bytes]:
    """The lines of one session, in the order in which its agent writes them."""
    trace, start = f"{number:032x}", 1_764_500_000_000_000_000 + number * 1_000_000_000
    common = {names.SESSION_ID: f"{number:08x}-0000-4000-8000-000000000001", names.COLLECTION: names.DEFAULT_COLLECTION}
    run = {
        **common,
        names.OPERATION_NAME: names.INVOKE_AGENT,
        names.AGENT_NAME: "bench",
        names.SESSION_QUESTION: w.QUESTION,
    }
    lines = [_line(trace, 0, "invoke_agent bench", start, 0, run)]
    for i, thought, action, arguments, observation in w.steps():
        known = {**common, names.ITERATION_THOUGHT: thought, names.ITERATION_ACTION: action}
        known[names.ITERATION_ARGUMENTS] = arguments
        lines.append(_line(trace, i, names.ITERATION, start + i, 0, known))
        known[names.ITERATION_OBSERVATION] = observation
        lines.append(_line(trace, i, names.ITERATION, start + i, start + i + 1, known))
    run |= {names.SESSION_ANSWER: w.ANSWER, names.SESSION_OUTCOME: names.OUTCOME_FINAL}
    return [*lines, _line(trace, 0, "invoke_agent bench", start, start + 100, run)]


def _line(trace: str, number: int, name: str, start: int, end: int, texts: dict[str, str]) -> bytes:
    """A span as one line of a journal: the session's, whose number is 0, or an iteration's."""
    attributes: list[object] = [{"key": key, "value": {"stringValue": text}} for key, text in texts.items()]
    if number:
        attributes.append({"key": names.ITERATION_NUMBER, "value": {"intValue": str(number)}})
    span = {
        "traceId": trace,
        "spanId": f"{number + 1:016x}",
        "parentSpanId": f"{1:016x}" if number else "",
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(end),
        "attributes": attributes,
        "status": {},
    }
    scopes = [{"scope": {"name": "otel_prov"}, "spans": [span]}]
    data = {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": scopes}]}
    return json.dumps(data, ensure_ascii=False).encode() + b"\n"
