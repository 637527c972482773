"""What each shape consists of, triple by triple, and what all of them promise."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_prov.describe import DEFAULT_SHAPE, SHAPES, describe
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session, Step

from .planning import planned
from .strategies import calm, sessions
from .told import S, told

TWO_ITERATIONS = Session(
    S,
    (
        Question("Which pump failed?", datetime(2026, 1, 1, 12, 30, 0, 250, tzinfo=timezone.utc)),
        Analysis(1, "The log should say.", "read_log", '{"day": 3}'),
        Observation(1, "Pump 7 stopped."),
        Analysis(2, "Which one is pump 7?", "look_up", '{"pump": 7}'),
        Observation(2, "The north pump."),
        Conclusion("The north pump."),
    ),
)

AGENT_SESSION = """
    S        rdf:type             tg:AgentSession
    S        tg:query             "Which pump failed?"
    S        prov:startedAtTime   "2026-01-01T12:30:00.000250Z"
    S/i1     rdf:type             tg:AgentIteration
    S/i1     tg:thought           "The log should say."
    S/i1     tg:action            "read_log"
    S/i1     tg:arguments         "{"day": 3}"
    S/i1     tg:observation       "Pump 7 stopped."
    S/i1     prov:wasDerivedFrom  S
    S/i2     rdf:type             tg:AgentIteration
    S/i2     tg:thought           "Which one is pump 7?"
    S/i2     tg:action            "look_up"
    S/i2     tg:arguments         "{"pump": 7}"
    S/i2     tg:observation       "The north pump."
    S/i2     prov:wasDerivedFrom  S/i1
    S/final  rdf:type             tg:AgentFinal
    S/final  tg:answer            "The north pump."
    S/final  prov:wasDerivedFrom  S/i2
"""

QUESTION_ANALYSIS = """
    S        rdf:type             prov:Activity
    S        rdf:type             tg:Question
    S        rdf:type             tg:AgentQuestion
    S        tg:query             "Which pump failed?"
    S        prov:startedAtTime   "2026-01-01T12:30:00.000250Z"
    S/i1     rdf:type             prov:Entity
    S/i1     rdf:type             tg:Analysis
    S/i1     tg:thought           "The log should say."
    S/i1     tg:action            "read_log"
    S/i1     tg:arguments         "{"day": 3}"
    S/i1     tg:observation       "Pump 7 stopped."
    S/i1     prov:wasDerivedFrom  S
    S/i2     rdf:type             prov:Entity
    S/i2     rdf:type             tg:Analysis
    S/i2     tg:thought           "Which one is pump 7?"
    S/i2     tg:action            "look_up"
    S/i2     tg:arguments         "{"pump": 7}"
    S/i2     tg:observation       "The north pump."
    S/i2     prov:wasDerivedFrom  S/i1
    S/final  rdf:type             prov:Entity
    S/final  rdf:type             tg:Conclusion
    S/final  tg:answer            "The north pump."
    S/final  prov:wasDerivedFrom  S/i2
"""

TRUSTGRAPH = """
    S                 rdf:type             prov:Entity
    S                 rdf:type             tg:Question
    S                 rdf:type             tg:AgentQuestion
    S                 rdfs:label           "Agent Question"
    S                 prov:startedAtTime   "2026-01-01T12:30:00.000250Z"
    S                 tg:query             "Which pump failed?"
    S/i1              rdf:type             prov:Entity
    S/i1              rdf:type             tg:Analysis
    S/i1              rdf:type             tg:ToolUse
    S/i1              rdfs:label           "Analysis: read_log"
    S/i1              tg:action            "read_log"
    S/i1              tg:arguments         "{"day": 3}"
    S/i1              tg:stepNumber        "1"
    S/i1              prov:wasDerivedFrom  S
    S/i1              tg:thought           S/i1/thought
    S/i1/thought      rdf:type             tg:Reflection
    S/i1/thought      rdf:type             tg:Thought
    S/i1/thought      rdfs:label           "Thought"
    S/i1/thought      prov:wasDerivedFrom  S/i1
    S/i1/thought      tg:document          S/i1/thought
    S/i1/thought      tg:content           "The log should say."
    S/i1/observation  rdf:type             prov:Entity
    S/i1/observation  rdf:type             tg:Observation
    S/i1/observation  rdfs:label           "Observation"
    S/i1/observation  prov:wasDerivedFrom  S/i1
    S/i1/observation  tg:document          S/i1/observation
    S/i1/observation  tg:content           "Pump 7 stopped."
    S/i2              rdf:type             prov:Entity
    S/i2              rdf:type             tg:Analysis
    S/i2              rdf:type             tg:ToolUse
    S/i2              rdfs:label           "Analysis: look_up"
    S/i2              tg:action            "look_up"
    S/i2              tg:arguments         "{"pump": 7}"
    S/i2              tg:stepNumber        "2"
    S/i2              prov:wasDerivedFrom  S/i1/observation
    S/i2              tg:thought           S/i2/thought
    S/i2/thought      rdf:type             tg:Reflection
    S/i2/thought      rdf:type             tg:Thought
    S/i2/thought      rdfs:label           "Thought"
    S/i2/thought      prov:wasDerivedFrom  S/i2
    S/i2/thought      tg:document          S/i2/thought
    S/i2/thought      tg:content           "Which one is pump 7?"
    S/i2/observation  rdf:type             prov:Entity
    S/i2/observation  rdf:type             tg:Observation
    S/i2/observation  rdfs:label           "Observation"
    S/i2/observation  prov:wasDerivedFrom  S/i2
    S/i2/observation  tg:document          S/i2/observation
    S/i2/observation  tg:content           "The north pump."
    S/final           rdf:type             prov:Entity
    S/final           rdf:type             tg:Conclusion
    S/final           rdf:type             tg:Answer
    S/final           rdfs:label           "Conclusion"
    S/final           prov:wasDerivedFrom  S/i2/observation
    S/final           tg:document          S/answer
    S/final           tg:content           "The north pump."
"""

EXPECTED = {"agent-session": AGENT_SESSION, "question-analysis": QUESTION_ANALYSIS, "trustgraph": TRUSTGRAPH}


@pytest.mark.parametrize("shape", SHAPES)
def test_two_iterations_are_described_to_the_letter(shape: str) -> None:
    assert sorted(map(repr, describe(TWO_ITERATIONS, shape))) == sorted(map(repr, told(EXPECTED[shape])))


def test_the_default_shape_is_the_one_that_trustgraph_reads() -> None:
    assert describe(TWO_ITERATIONS) == describe(TWO_ITERATIONS, "trustgraph")
    assert DEFAULT_SHAPE == "trustgraph"


def test_an_unknown_shape_is_refused_with_the_names_of_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'star'.*agent-session, question-analysis, trustgraph"):
        describe(TWO_ITERATIONS, "star")


FAILED_CALLS = Session(
    S, (Analysis(1, action="look"), Observation(1, error="gone"), Observation(1, "yes", None, 2, "ask", "{}"))
)


@pytest.mark.parametrize("shape", ["agent-session", "question-analysis"])
def test_errors_and_further_calls_are_literals_beside_what_the_specifications_say(shape: str) -> None:
    added = """
        S/i1                tg:toolError         "gone"
        S/i1/observation/2  tg:action            "ask"
        S/i1/observation/2  tg:arguments         "{}"
        S/i1/observation/2  tg:observation       "yes"
        S/i1/observation/2  prov:wasDerivedFrom  S/i1
    """
    without = Session(S, FAILED_CALLS.steps[:1])
    assert set(describe(FAILED_CALLS, shape)) == {*describe(without, shape), *told(added)}


def test_errors_and_further_calls_are_observations_in_the_shape_of_trustgraph() -> None:
    added = """
        S/i1/observation    rdf:type             prov:Entity
        S/i1/observation    rdf:type             tg:Observation
        S/i1/observation    rdf:type             tg:Error
        S/i1/observation    rdfs:label           "Observation"
        S/i1/observation    tg:toolError         "gone"
        S/i1/observation    prov:wasDerivedFrom  S/i1
        S/i1/observation/2  rdf:type             prov:Entity
        S/i1/observation/2  rdf:type             tg:Observation
        S/i1/observation/2  rdfs:label           "Observation"
        S/i1/observation/2  tg:action            "ask"
        S/i1/observation/2  tg:arguments         "{}"
        S/i1/observation/2  tg:content           "yes"
        S/i1/observation/2  tg:document          S/i1/observation/2
        S/i1/observation/2  prov:wasDerivedFrom  S/i1/observation
    """
    without = Session(S, FAILED_CALLS.steps[:1])
    assert set(describe(FAILED_CALLS)) == {*describe(without), *told(added)}


@pytest.mark.parametrize("shape", ["agent-session", "question-analysis"])
def test_the_thought_before_the_answer_is_a_literal_on_the_answer(shape: str) -> None:
    plain, thoughtful = Session(S, (Conclusion("7"),)), Session(S, (Conclusion("7", "Sure."),))
    assert set(describe(thoughtful, shape)) == {*describe(plain, shape), *told('S/final tg:thought "Sure."')}


def test_the_thought_before_the_answer_is_a_node_like_the_others_in_the_shape_of_trustgraph() -> None:
    added = """
        S/final          tg:thought           S/final/thought
        S/final/thought  rdf:type             tg:Reflection
        S/final/thought  rdf:type             tg:Thought
        S/final/thought  rdfs:label           "Thought"
        S/final/thought  prov:wasDerivedFrom  S/final
        S/final/thought  tg:document          S/final/thought
        S/final/thought  tg:content           "Sure."
    """
    plain, thoughtful = Session(S, (Conclusion("7"),)), Session(S, (Conclusion("7", "Sure."),))
    assert set(describe(thoughtful)) == {*describe(plain), *told(added)}


@pytest.mark.parametrize(
    ("steps", "parent"),
    [
        ((Conclusion(),), "S"),
        ((Analysis(1), Conclusion()), "S/i1"),
        ((Analysis(1), Observation(1), Conclusion()), "S/i1/observation"),
        ((Analysis(1), Observation(1), Observation(1, call=3), Conclusion()), "S/i1/observation/3"),
        ((Observation(4), Conclusion()), "S/i4/observation"),
    ],
)
def test_an_answer_derives_from_the_last_observation_or_what_there_is(steps: tuple[Step, ...], parent: str) -> None:
    assert told(f"S/final prov:wasDerivedFrom {parent}")[0] in describe(Session(S, steps))


@pytest.mark.parametrize(("shape", "parent"), [("trustgraph", "S/i4/observation"), ("agent-session", "S/i4")])
def test_after_a_gap_an_iteration_derives_from_what_would_be_there(shape: str, parent: str) -> None:
    assert told(f"S/i5 prov:wasDerivedFrom {parent}")[0] in describe(Session(S, (Analysis(1), Analysis(5))), shape)


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_not_known_is_not_said(shape: str) -> None:
    session = Session(S, (Question(), Analysis(1), Observation(1), Conclusion()))
    kinds = {quad.object for quad in describe(session, shape) if quad.predicate.endswith(("type", "wasDerivedFrom"))}
    labels = {quad.object for quad in describe(session, shape) if quad.predicate.endswith("label")}
    numbers = {quad.object for quad in describe(session, shape) if quad.predicate.endswith("stepNumber")}
    assert {quad.object for quad in describe(session, shape)} == kinds | labels | numbers


def test_a_time_of_another_zone_is_written_in_utc() -> None:
    noon = datetime(2026, 7, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    assert told('S prov:startedAtTime "2026-07-01T10:00:00.000000Z"')[0] in describe(Session(S, (Question("", noon),)))


def test_the_iri_of_a_session_cannot_break_out_of_its_brackets() -> None:
    session = Session("urn:x> <urn:y> <urn:z", (Question("?"),))
    assert {quad.subject for quad in describe(session)} == {"urn:x%3E%20%3Curn:y%3E%20%3Curn:z"}


@pytest.mark.parametrize("shape", SHAPES)
@calm
@given(data=st.data())
def test_describing_more_of_a_session_only_adds(shape: str, data: st.DataObject) -> None:
    session = data.draw(sessions(shape))
    known = data.draw(st.integers(0, len(session.steps)))
    earlier = Session(session.uri, tuple(data.draw(less(step)) for step in session.steps[:known]))
    assert set(describe(earlier, shape)) <= set(describe(session, shape))


@st.composite
def less(draw: st.DrawFn, step: Step) -> Step:
    """The step when less of it was known."""
    optional: dict[str, Any] = {
        f.name: f.default for f in fields(step) if f.name not in ("number", "call", "sub_trace", "uses")
    }
    return replace(step, **{name: optional[name] for name in draw(st.sets(st.sampled_from([*optional])))})


@pytest.mark.parametrize("shape", SHAPES)
@calm
@given(data=st.data())
def test_no_quad_is_there_twice(shape: str, data: st.DataObject) -> None:
    quads = describe(data.draw(sessions(shape) | planned(shape)), shape)
    assert len(quads) == len(set(quads))
