"""Which steps may be sent: those that nothing can take back.

A session that goes on may still change its mind: an iteration that only thought turns out to have been the conclusion,
and the result of a tool gives way to what the iteration itself tells at its end. What was sent somewhere can't be taken
back there. Such steps are held, and those of their session behind them, until the session has ended or its writers are
gone. A held step gets a new, higher number when it is let go, so that numbers rise in the order of sending.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from otel_prov import names
from otel_prov.keep import evidence, rows
from otel_prov.keep.schema import reading, writing
from otel_prov.record import journal
from otel_prov.steps import (
    Analysis,
    Conclusion,
    Decomposition,
    Exploration,
    Finding,
    Focus,
    Grounding,
    Observation,
    PatternDecision,
    Plan,
    Question,
    Step,
    StepResult,
    Synthesis,
)

__all__ = ["renumber", "settle"]

_WINDOW = 20_000  # numbers that one transaction looks at; other writers get their turn in between
_ITERATION = re.compile(r"i(\d+)(/.*)?")

_ALIVE = """EXISTS (SELECT 1 FROM span WHERE span.session = session.id
    AND span.writer IN (SELECT value FROM json_each(:writers)))"""
_WORTH_A_LOOK = f"session.outcome IS NOT NULL OR session.active IS NOT held.active OR NOT {_ALIVE}"
"""A held step's session has ended, has told something since the last look, or can tell nothing more."""
_HELD = "held JOIN step USING (seq) JOIN session ON session.id = step.session"
_GOES_ON = f"session.outcome IS NULL AND {_ALIVE}"


def settle(db: sqlite3.Connection, folder: Path) -> bool:
    """Look at what is new, and decide which steps may be sent and which are held. Gives whether anything was."""
    found = False
    while _is_due(db, folder):
        found = True
        with writing(db):
            writers = _writers(db, folder)
            _let_go(db, writers)
            _look_at_new(db, writers)
    return found


def renumber(db: sqlite3.Connection, steps: list[int]) -> None:
    """Give steps new numbers, in this order: they will be sent once more, behind everything else."""
    columns = "session, key, kind, body"
    db.executemany(
        f"INSERT OR REPLACE INTO step ({columns}) SELECT {columns} FROM step WHERE seq = ?",
        [(step,) for step in steps],
    )


def _is_due(db: sqlite3.Connection, folder: Path) -> bool:
    """Whether a look may change something: asked often, so without a lock that others would wait for."""
    with reading(db):
        (new,) = db.execute("SELECT coalesce(max(seq), 0) > (SELECT settled FROM outbox) FROM step").fetchone()
        writers = _writers(db, folder)
        held = db.execute(f"SELECT 1 FROM {_HELD} WHERE {_WORTH_A_LOOK} LIMIT 1", {"writers": writers}).fetchone()
    return bool(new) or held is not None


def _writers(db: sqlite3.Connection, folder: Path) -> str:
    """Writers that may say more than this transaction sees, as JSON: their files aren't removed, or were just now."""
    known = {writer for (writer,) in db.execute("SELECT writer FROM journal")}
    return json.dumps(sorted(known | {journal.writer_of(file) for file in journal.files(folder)}))


def _let_go(db: sqlite3.Connection, writers: str) -> None:
    """Number those held steps anew that nothing can take back any more."""
    due = db.execute(
        f"SELECT DISTINCT step.session, session.active, {_GOES_ON} FROM {_HELD} WHERE {_WORTH_A_LOOK}",
        {"writers": writers},
    ).fetchall()
    for session, active, goes_on in due:
        held = db.execute(
            "SELECT seq, kind, body FROM held JOIN step USING (seq) WHERE session = ? ORDER BY seq", (session,)
        ).fetchall()
        open_ended = _OpenEnded(db, session, [rows.decode(*each[1:]) for each in held]) if goes_on else None
        free = 0
        while free < len(held) and (open_ended is None or open_ended.is_settled(rows.decode(*held[free][1:]))):
            free += 1
        renumber(db, [seq for seq, _, _ in held[:free]])
        db.executemany("UPDATE held SET active = ? WHERE seq = ?", [(active, seq) for seq, _, _ in held[free:]])
    db.execute("DELETE FROM held WHERE seq NOT IN (SELECT seq FROM step)")


def _look_at_new(db: sqlite3.Connection, writers: str) -> None:
    """Hold, of the steps that nobody has looked at, those that may still be taken back, and those behind them."""
    (settled,) = db.execute("SELECT settled FROM outbox").fetchone()
    (last,) = db.execute("SELECT coalesce(max(seq), 0) FROM step").fetchone()
    until = min(settled + _WINDOW, last)
    new = db.execute(
        f"""SELECT step.session, session.active, seq, kind, body FROM step JOIN session ON session.id = step.session
        WHERE seq > :after AND seq <= :until AND {_GOES_ON} ORDER BY step.session, seq""",
        {"after": settled, "until": until, "writers": writers},
    )
    for session, new_steps in groupby(new.fetchall(), key=itemgetter(0)):
        steps = [(active, seq, rows.decode(kind, body)) for _, active, seq, kind, body in new_steps]
        open_ended = _OpenEnded(db, session, [step for _, _, step in steps])
        hold = db.execute("SELECT 1 FROM held JOIN step USING (seq) WHERE session = ?", (session,)).fetchone()
        for active, seq, step in steps:
            if hold := hold or not open_ended.is_settled(step):
                db.execute("INSERT INTO held (seq, active) VALUES (?, ?)", (seq, active))
    db.execute("UPDATE outbox SET settled = ?", (until,))


class _OpenEnded:
    """A session that goes on: how far its iterations, its parts, or the stages of its retrieval, have come."""

    def __init__(self, db: sqlite3.Connection, session: int, asked: Iterable[Step]) -> None:
        self._ended: set[object] = set()
        self._acting: set[object] = set()
        self._parts: dict[object, bool] = {}
        since = min((step.number for step in asked if isinstance(step, Analysis | Observation)), default=0)
        for span in evidence.spans(db, session, since):
            if span.name in (names.PLAN_STEP, names.PART):
                part = span.attributes.get(names.WITHIN)
                self._parts[part] = span.end > 0 and self._parts.get(part, True)
            elif span.attributes.get(names.OPERATION_NAME) != names.EXECUTE_TOOL:
                number = span.attributes.get(names.ITERATION_NUMBER)
                if span.end:
                    self._ended.add(number)
                if names.ITERATION_ACTION in span.attributes:
                    self._acting.add(number)
        self._keys = {key for (key,) in db.execute("SELECT key FROM step WHERE session = ?", (session,))}
        places = [(int(match[1]), match[2] or "") for key in self._keys if (match := _ITERATION.fullmatch(key))]
        self._last = max(places, default=(0, ""))

    def is_settled(self, step: Step) -> bool:
        """Whether nothing that the session may still tell takes this step back."""
        match step:
            case Question() | PatternDecision() | Plan() | Decomposition() | Grounding() | Focus():  # these only grow
                return True
            case Analysis():
                only_thinks = step.action is None and step.arguments is None
                may_conclude = only_thinks and self._last == (step.number, "")
                return step.number in self._acting or (step.number in self._ended and not may_conclude)
            case Observation():
                return step.number in self._ended
            case Exploration():  # its numbers may rise
                return not self._keys.isdisjoint(("focus", "synthesis"))
            case StepResult() | Finding():  # one that is tried once more may come to something else
                return self._parts.get(rows.key(step), False)
            case Conclusion() | Synthesis():
                return False
