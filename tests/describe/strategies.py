"""Random sessions, as a running agent may leave them: parts missing, texts odd."""

from __future__ import annotations

from datetime import timezone

from hypothesis import settings
from hypothesis import strategies as st

from otel_prov.names import session_uri
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session, Step

calm = settings(deadline=None)
"""For tests that may run on a busy machine."""

AWKWARD = [
    "",
    '"',
    "\\",
    '\n\\"',
    '"""\n',
    "'\"\n",
    "\r\n",
    "\t",
    "\x00\x1b[31m\x7f",
    "\x85\u2028",
    "\ufeff",
    "\\u0041",
    "😀",
]

texts = st.text(st.characters(exclude_categories=["Cs"])) | st.lists(st.sampled_from(AWKWARD), max_size=4).map("".join)
maybe = st.none() | texts
questions = st.builds(Question, maybe, st.none() | st.datetimes(timezones=st.just(timezone.utc)))
conclusions = st.builds(Conclusion, maybe, maybe)


@st.composite
def iterations(draw: st.DrawFn, number: int, shape: str) -> list[Step]:
    """An analysis and its observations, some of them missing."""
    steps: list[Step] = []
    if draw(st.booleans()):
        steps.append(Analysis(number, draw(maybe), draw(maybe), draw(maybe)))
    for call in sorted(draw(st.sets(st.integers(1, 3)))):
        text, error = draw(maybe), draw(maybe)
        if call > 1:
            steps.append(Observation(number, text, error, call, draw(maybe), draw(maybe)))
        elif shape == "trustgraph" or (text, error) != (None, None):  # the others can't express it
            steps.append(Observation(number, text, error))
    return steps


@st.composite
def sessions(draw: st.DrawFn, shape: str = "agent-session") -> Session:
    """A session that the shape can express."""
    steps: list[Step] = [draw(questions)] if draw(st.booleans()) else []
    for number in sorted(draw(st.sets(st.integers(1, 12), max_size=4))):
        steps += draw(iterations(number, shape))
    if not steps or draw(st.booleans()):
        steps.append(draw(conclusions))
    return Session(session_uri(draw(st.uuids()).hex), tuple(steps))
