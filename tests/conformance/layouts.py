"""One session, laid out in every way in which agents' provenance is found in the world."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Final

from otel_prov.describe import Literal, Quad, describe, describe_prov
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session

__all__ = ["LAYOUTS", "SESSION"]

_NOON: Final = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)


def _at(second: int) -> datetime:
    return _NOON + timedelta(seconds=second)


SESSION: Final = Session(
    "urn:trustgraph:agent:1",
    (
        Question("Which pump failed?", _at(0)),
        Analysis(1, "I look at the log.", "read", '{"file": "log"}', started=_at(1), ended=_at(2)),
        Observation(1, "P-7 stopped.", started=_at(2), ended=_at(3)),
        Analysis(2, "Is it the north pump?", "find", '{"name": "P-7"}', started=_at(3), ended=_at(4)),
        Observation(2, None, "TimeoutError", started=_at(4), ended=_at(5)),
        Conclusion("P-7", "The log is enough.", iteration=3, started=_at(5), ended=_at(6)),
    ),
    agent="researcher",
    user="ada",
    model="rules-1",
    trace_id="0af7651916cd43dd8448eb211c80319c",
    ended=_at(7),
    outcome="final",
)

_S: Final = "urn:trustgraph:agent:1"
_PROV: Final = "http://www.w3.org/ns/prov#"
_TG: Final = "https://trustgraph.ai/ns/"
_TYPE: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def _older() -> list[Quad]:
    """The layout of TrustGraph 2.1.22 to 2.2.12: the session generates its first iteration, each iteration its thought
    (``trustgraph/provenance/triples.py`` of that time)."""
    said: list[tuple[str, str, str | Literal]] = [
        (_S, _TYPE, f"{_PROV}Activity"),
        (_S, _TYPE, f"{_TG}Question"),
        (_S, f"{_TG}query", Literal("Which pump failed?")),
        (_S, f"{_PROV}startedAtTime", Literal("2026-01-01T12:00:00Z")),
        (f"{_S}/i1", _TYPE, f"{_PROV}Entity"),
        (f"{_S}/i1", _TYPE, f"{_TG}Analysis"),
        (f"{_S}/i1", f"{_PROV}wasGeneratedBy", _S),
        (f"{_S}/i1/thought", _TYPE, f"{_TG}Reflection"),
        (f"{_S}/i1/thought", f"{_PROV}wasGeneratedBy", f"{_S}/i1"),
        (f"{_S}/final", _TYPE, f"{_PROV}Entity"),
        (f"{_S}/final", _TYPE, f"{_TG}Conclusion"),
        (f"{_S}/final", f"{_PROV}wasDerivedFrom", f"{_S}/i1"),
    ]
    return [Quad(*each, "urn:graph:retrieval") for each in said]


LAYOUTS: Final[dict[str, list[Quad]]] = {
    "the PROV view": describe_prov(SESSION),
    "`trustgraph` (2.3 to 2.11)": describe(SESSION, "trustgraph"),
    "TrustGraph 2.1.22 to 2.2.12": _older(),
    "`question-analysis`": describe(SESSION, "question-analysis"),
    "`agent-session`": describe(SESSION, "agent-session"),
}
"""The quads of each, by its name in the table."""
