"""Sessions that come from elsewhere: kept as they are, and made complete by what else is known of them."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_prov import names
from otel_prov.keep import RUNNING, Store
from otel_prov.keep.store import NOT_IMPORTED
from otel_prov.losses import losses
from otel_prov.record.journal import Journal
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session, Step

from .told import Told

URI = "http://example.org/session/1"
NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=timezone.utc)

texts = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
times = st.none() | st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(timezone.utc))


@st.composite
def sessions(draw: st.DrawFn) -> Session:
    """A session with its steps in their natural order, any of them missing."""
    steps: list[Step] = [Question(draw(texts), draw(times))] if draw(st.booleans()) else []
    for number in sorted(draw(st.sets(st.integers(1, 2**40), max_size=3))):
        steps += [Analysis(number, draw(texts), draw(texts), draw(texts))] if draw(st.booleans()) else []
        for call in sorted(draw(st.sets(st.integers(1, 3)))):
            steps.append(Observation(number, draw(texts), draw(texts), call, draw(texts), draw(texts)))
    steps += [Conclusion(draw(texts), draw(texts))] if draw(st.booleans()) else []
    facts = {name: draw(texts) for name in ("collection", "agent", "user", "model", "trace_id", "error")}
    outcome = draw(st.sampled_from([None, names.OUTCOME_FINAL, names.OUTCOME_ERROR]))
    return Session(URI, tuple(steps), ended=draw(times), outcome=outcome, **facts)


@given(sessions())
@settings(deadline=None, max_examples=60)
def test_an_imported_session_is_given_back_as_it_was_however_often_it_comes(session: Session) -> None:
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        for _ in range(2):
            store.add([session])
            assert store.session(URI) == session
        (summary,) = store.sessions()
        assert summary.started == session.question.started
        assert summary.iterations == len(list(session.of(Analysis)))


def test_what_comes_later_completes_and_counts_more(store: Store) -> None:
    store.add([Session(URI, (Question("Why?", NOW), Analysis(1, "Hm."), Conclusion("No.")), agent="a")])
    store.add([Session(URI, (Analysis(1, None, "look"), Observation(1, "Oh."), Conclusion("Yes.")), user="u")])
    assert store.session(URI) == Session(
        URI,
        (Question("Why?", NOW), Analysis(1, "Hm.", "look"), Observation(1, "Oh."), Conclusion("Yes.")),
        agent="a",
        user="u",
    )


@pytest.mark.parametrize("imported_first", [True, False])
def test_what_this_store_recorded_counts_most_and_what_it_lacks_is_added(
    tmp_path: Path, store: Store, imported_first: bool
) -> None:
    told = Told("s1")
    elsewhere = Session(
        told.uri,
        (
            Question("Something else?"),
            Analysis(1, "Hm!"),
            Observation(1, "Oh!"),
            Analysis(2, "Later."),
            Conclusion("So."),
        ),
        collection="other",
        user="u",
        outcome=names.OUTCOME_ERROR,
        error="It broke.",
    )
    journal = Journal(tmp_path)
    if imported_first:
        store.add([elsewhere])
    for text in (told.starts(), told.acts(1), told.ends(answer=None)):
        journal.write(text)
        store.take_in()
    if not imported_first:
        store.add([elsewhere])
    session = store.session(told.uri)
    journal.close()
    assert session is not None
    assert [*session.of(Analysis)] == [Analysis(1, "Hm.", "look", "{}"), Analysis(2, "Later.")]
    assert [*session.of(Observation)] == [Observation(1, "Oh!")]
    assert session.question.text == "Why s1?"
    assert session.conclusion == Conclusion("So.")
    assert (session.collection, session.user, session.outcome, session.error) == ("c", "u", names.OUTCOME_FINAL, None)


def test_an_imported_session_never_runs(store: Store) -> None:
    store.add([Session(URI, (Question("Why?", NOW),), outcome=RUNNING)])
    assert [each.outcome for each in store.sessions()] == [None]


def test_times_are_kept_in_utc(store: Store) -> None:
    there = NOW.astimezone(timezone(timedelta(hours=5)))
    store.add([Session(URI, (Question(None, there),), ended=NOW.replace(tzinfo=None))])
    session = store.session(URI)
    assert session is not None
    for time in (session.question.started, session.ended):
        assert time == NOW
        assert time.tzinfo == timezone.utc


def test_halves_of_surrogate_pairs_do_not_stop_an_import(store: Store) -> None:
    store.add([Session(URI + "\udc80", (Question("a\ud800b"),), agent="\udfff")])
    session = store.session(URI + "?")
    assert session is not None
    assert (session.question.text, session.agent) == ("a?b", "?")


@pytest.mark.parametrize(
    "impossible",
    [
        Session(URI, (Analysis(10**30),)),
        Session(URI, (Question("?", datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5)))),)),
    ],
)
def test_a_session_that_cannot_be_written_is_counted_and_the_others_are_kept(store: Store, impossible: Session) -> None:
    before = losses().get(NOT_IMPORTED, 0)
    store.add([impossible, replace(impossible, uri=URI + "0", steps=())])
    assert losses()[NOT_IMPORTED] == before + 1
    assert [each.uri for each in store.sessions()] == [URI + "0"]


def test_an_import_may_take_its_time(tmp_path: Path, store: Store) -> None:
    """Nobody has to wait while the next sessions are being read from a file."""

    def slowly() -> list[Session]:
        with Store(tmp_path) as other:
            other.add([Session(URI + "/other")])
        return [Session(URI)]

    store.add(session for part in [slowly] for session in part())
    assert len(store.sessions()) == 2
