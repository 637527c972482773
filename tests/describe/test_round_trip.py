"""Described and recognised again, a session is the same."""

from __future__ import annotations

import io
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_prov.describe import SHAPES, describe, recognise
from otel_prov.describe.formats import FORMATS, read_file, write
from otel_prov.steps import Session

from .planning import planned
from .strategies import calm, retrievals, sessions

shapes = pytest.mark.parametrize("shape", SHAPES)


@shapes
@calm
@given(data=st.data())
def test_a_session_comes_back_equal(shape: str, data: st.DataObject) -> None:
    session = data.draw(sessions(shape))
    assert recognise(describe(session, shape)) == [session]


@shapes
@calm
@given(session=retrievals())
def test_a_retrieval_comes_back_equal(shape: str, session: Session) -> None:
    assert recognise(describe(session, shape)) == [session]


@shapes
@calm
@given(data=st.data())
def test_plans_and_delegated_work_come_back_equal(shape: str, data: st.DataObject) -> None:
    session = data.draw(planned(shape))
    assert recognise(describe(session, shape)) == [session]


@shapes
@calm
@given(data=st.data(), random=st.randoms(use_true_random=False))
def test_neither_order_nor_repetition_of_quads_matters(shape: str, data: st.DataObject, random: Random) -> None:
    session = data.draw(sessions(shape) | planned(shape) | retrievals())
    quads = describe(session, shape)
    quads += random.choices(quads, k=len(quads))
    random.shuffle(quads)
    assert recognise(quads) == [session]


@calm
@given(session=sessions() | planned(), chosen=st.sets(st.sampled_from(SHAPES), min_size=2))
def test_a_session_that_stands_there_in_several_shapes_is_one(session, chosen) -> None:
    assert recognise(quad for shape in chosen for quad in describe(session, shape)) == [session]


@calm
@given(st.lists(st.tuples(sessions(), st.sampled_from(SHAPES)), max_size=4, unique_by=lambda pair: pair[0].uri))
def test_sessions_of_different_shapes_come_back_earliest_first(pairs) -> None:
    found = recognise(quad for session, shape in pairs for quad in describe(session, shape))
    assert {session.uri: session for session in found} == {session.uri: session for session, _ in pairs}
    started = [session.question.started for session in found]
    timed = [time for time in started if time]
    assert started == sorted(timed) + [None] * (len(started) - len(timed))


@shapes
@pytest.mark.parametrize("format", FORMATS)
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_a_session_comes_back_equal_from_a_file(tmp_path_factory, shape: str, format: str, data: st.DataObject) -> None:
    told = data.draw(
        st.lists(sessions(shape) | planned(shape) | retrievals(), max_size=2, unique_by=lambda session: session.uri)
    )
    out = io.BytesIO()
    write(told, format, shape, out)
    path = tmp_path_factory.getbasetemp() / f"sessions{FORMATS[format]}"
    path.write_bytes(out.getvalue())
    assert {session.uri: session for session in read_file(path)} == {session.uri: session for session in told}
