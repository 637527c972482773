"""Sessions recognised in graphs that others wrote: older, incomplete, foreign, broken."""

from __future__ import annotations

from datetime import datetime, timezone
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_prov.describe import Literal, Quad, recognise
from otel_prov.describe import vocabulary as v
from otel_prov.steps import Analysis, Conclusion, Observation, PatternDecision, Question, Session, Step, Synthesis

from .told import S, told


def steps(text: str, graph: str = "urn:graph:retrieval") -> tuple[Step, ...]:
    """The steps of the only session in a graph; it is :data:`S`."""
    (session,) = recognise(told(text, graph))
    assert session == Session(S, session.steps, caller=session.caller)
    return session.steps


# What the documents say ------------------------------------------------------------------------------------------


def test_the_english_specification_is_recognised_by_its_diagram_too() -> None:
    assert steps("""
        S        rdf:type             tg:AgentSession
        S        tg:query             "Why?"
        S/i1     rdf:type             tg:AgentIteration
        S/i1     tg:thought           "Hm."
        S/i1     prov:wasGeneratedBy  S
        S/final  rdf:type             tg:AgentFinal
        S/final  tg:answer            "So."
        S/final  prov:wasDerivedFrom  S/i1
    """) == (Question("Why?"), Analysis(1, "Hm."), Conclusion("So."))


def test_the_chinese_specification_is_recognised_as_its_code_has_it_without_the_type_for_agents() -> None:
    assert steps("""
        S     rdf:type             prov:Activity
        S     rdf:type             tg:Question
        S     tg:query             "Why?"
        S/i1  rdf:type             prov:Entity
        S/i1  rdf:type             tg:Analysis
        S/i1  tg:thought           "Hm."
        S/i1  tg:action            "look"
        S/i1  tg:arguments         "{}"
        S/i1  tg:observation       "Nothing."
        S/i1  prov:wasDerivedFrom  S
    """) == (Question("Why?"), Analysis(1, "Hm.", "look", "{}"), Observation(1, "Nothing."))


def test_a_question_that_nothing_derives_from_yet_is_an_agents_by_its_iri() -> None:
    assert steps('S rdf:type tg:Question\nS tg:query "Why?"') == (Question("Why?"),)
    asked = '<urn:trustgraph:question:1> rdf:type tg:Question\n<urn:trustgraph:question:1> tg:query "?"'
    assert [session.kind for session in recognise(told(asked))] == ["graph-rag"]


def test_a_question_with_a_foreign_iri_is_an_agents_by_what_derives_from_it() -> None:
    analysed = """
        <http://ex.org/q>  rdf:type             tg:Question
        <http://ex.org/a>  rdf:type             tg:Analysis
        <http://ex.org/a>  prov:wasDerivedFrom  <http://ex.org/q>
    """
    assert recognise(told(analysed)) == [Session("http://ex.org/q", (Question(), Analysis(1)))]
    explored = recognise(told(analysed.replace("tg:Analysis", "tg:Exploration")))
    assert [session.kind for session in explored] == ["graph-rag"]


# Older layouts of TrustGraph -------------------------------------------------------------------------------------

SESSION_OF_2_1 = """
    S  rdf:type            prov:Activity
    S  rdf:type            tg:Question
    S  rdf:type            tg:AgentQuestion
    S  rdfs:label          "Agent Question"
    S  prov:startedAtTime  "2026-03-05T08:00:00.5Z"
    S  tg:query            "Why?"
"""
ASKED = Question("Why?", datetime(2026, 3, 5, 8, 0, 0, 500000, tzinfo=timezone.utc))


def test_trustgraph_2_1_17_had_texts_on_the_iteration() -> None:
    assert steps(
        f"""{SESSION_OF_2_1}
        S/i1     rdf:type             prov:Entity
        S/i1     rdf:type             tg:Analysis
        S/i1     rdfs:label           "Analysis: look"
        S/i1     prov:wasDerivedFrom  S
        S/i1     tg:thought           "Hm."
        S/i1     tg:action            "look"
        S/i1     tg:arguments         "{{}}"
        S/i1     tg:observation       "Nothing."
        S/final  rdf:type             prov:Entity
        S/final  rdf:type             tg:Conclusion
        S/final  prov:wasDerivedFrom  S/i1
        S/final  tg:answer            "So."
    """.replace("\n\n", "\n")
    ) == (ASKED, Analysis(1, "Hm.", "look", "{}"), Observation(1, "Nothing."), Conclusion("So."))


def test_trustgraph_2_1_18_had_references_to_documents_on_the_iteration() -> None:
    assert steps(
        f"""{SESSION_OF_2_1}
        S/i1     rdf:type                prov:Entity
        S/i1     rdf:type                tg:Analysis
        S/i1     prov:wasDerivedFrom     S
        S/i1     tg:action               "look"
        S/i1     tg:arguments            "{{}}"
        S/i1     tg:thoughtDocument      <urn:doc:thought>
        S/i1     tg:observationDocument  <urn:doc:observation>
        S/final  rdf:type                prov:Entity
        S/final  rdf:type                tg:Conclusion
        S/final  prov:wasDerivedFrom     S/i1
        S/final  tg:document             <urn:doc:answer>
    """.replace("\n\n", "\n")
    ) == (ASKED, Analysis(1, None, "look", "{}"), Observation(1), Conclusion())


def test_trustgraph_2_1_22_had_reflections_generated_by_the_iteration() -> None:
    assert steps(
        f"""{SESSION_OF_2_1}
        S/i1              rdf:type             prov:Entity
        S/i1              rdf:type             tg:Analysis
        S/i1              tg:action            "look"
        S/i1              tg:arguments         "{{}}"
        S/i1              prov:wasGeneratedBy  S
        S/i1              tg:thought           S/i1/thought
        S/i1/thought      rdf:type             tg:Reflection
        S/i1/thought      rdf:type             tg:Thought
        S/i1/thought      prov:wasGeneratedBy  S/i1
        S/i1/thought      tg:document          <urn:doc:thought>
        S/i1              tg:observation       S/i1/observation
        S/i1/observation  rdf:type             tg:Reflection
        S/i1/observation  rdf:type             tg:Observation
        S/i1/observation  prov:wasGeneratedBy  S/i1
        S/i1/observation  tg:document          <urn:doc:observation>
        S/i2              rdf:type             prov:Entity
        S/i2              rdf:type             tg:Analysis
        S/i2              prov:wasDerivedFrom  S/i1
    """.replace("\n\n", "\n")
    ) == (ASKED, Analysis(1, None, "look", "{}"), Observation(1), Analysis(2))


def test_trustgraph_2_11_keeps_texts_in_the_librarian_and_tells_of_more_than_we_keep() -> None:
    assert steps("""
        S                     rdf:type             prov:Entity
        S                     rdf:type             tg:Question
        S                     rdf:type             tg:AgentQuestion
        S                     tg:query             "Why?"
        S                     prov:wasDerivedFrom  <urn:trustgraph:agent:0/decompose>
        S/pattern-decision    rdf:type             tg:PatternDecision
        S/pattern-decision    tg:pattern           "react"
        S/pattern-decision    prov:wasDerivedFrom  S
        S/i1                  rdf:type             tg:Analysis
        S/i1                  rdf:type             tg:ToolUse
        S/i1                  tg:action            "look"
        S/i1                  tg:arguments         "{}"
        S/i1                  tg:toolCandidate     "look"
        S/i1                  tg:stepNumber        "1"
        S/i1                  prov:wasDerivedFrom  S/pattern-decision
        S/i1                  tg:thought           S/i1/thought
        S/i1/thought          rdf:type             tg:Thought
        S/i1/thought          tg:document          S/i1/thought
        S/i1/observation      rdf:type             tg:Observation
        S/i1/observation      rdf:type             tg:Error
        S/i1/observation      tg:toolError         "gone"
        S/i1/observation      tg:toolDurationMs    "12"
        S/i1/observation      prov:wasDerivedFrom  S/i1
        S/final               rdf:type             tg:Conclusion
        S/final               tg:terminationReason "final-answer"
        S/final               tg:document          S/answer
        S/final               prov:wasDerivedFrom  S/i1/observation
    """) == (
        Question("Why?"),
        PatternDecision("react"),
        Analysis(1, None, "look", "{}", candidates=("look",)),
        Observation(1, None, "gone"),
        Conclusion(),
    )


def test_an_observation_derived_from_a_question_to_graphrag_belongs_to_the_iteration_that_asked_it() -> None:
    text = """
        <urn:a>  rdf:type             tg:AgentQuestion
        <urn:b>  rdf:type             tg:Analysis
        <urn:b>  prov:wasDerivedFrom  <urn:a>
        <urn:c>  rdf:type             tg:Question
        <urn:c>  rdf:type             tg:GraphRagQuestion
        <urn:c>  tg:query             "Which pumps?"
        <urn:c>  prov:wasDerivedFrom  <urn:b>
        <urn:d>  rdf:type             tg:Synthesis
        <urn:d>  prov:wasDerivedFrom  <urn:c>
        <urn:e>  rdf:type             tg:Observation
        <urn:e>  tg:content           "Two."
        <urn:e>  prov:wasDerivedFrom  <urn:d>
    """
    agent, retrieval = recognise(told(text))
    seen = Observation(1, "Two.", sub_trace="urn:d")
    assert agent == Session("urn:a", (Question(), Analysis(1), seen))
    assert retrieval == Session("urn:c", (Question("Which pumps?"), Synthesis()), kind="graph-rag", caller="urn:b")


# Missing parts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('S tg:query "Why?"', (Question("Why?"),)),
        ("S/i3 rdf:type tg:AgentIteration", (Analysis(3),)),
        ("S/i3 rdf:type tg:Analysis", (Analysis(3),)),
        ('S/i3 tg:observation "Nothing."', (Observation(3, "Nothing."),)),
        ('S/i3 tg:toolError "gone"', (Observation(3, None, "gone"),)),
        ("S/i3/observation rdf:type tg:Observation", (Observation(3),)),
        ("S/i3/observation/2 prov:wasDerivedFrom S/i3", (Observation(3, call=2),)),
        ("S/final rdf:type tg:Conclusion", (Conclusion(),)),
        ("S/final rdf:type tg:AgentFinal", (Conclusion(),)),
    ],
)
def test_a_part_alone_is_a_session_too(text: str, expected: tuple[Step, ...]) -> None:
    assert steps(text) == expected


@pytest.mark.parametrize("graph", ["", "urn:graph:retrieval", "http://ex.org/any"])
def test_the_graph_that_it_stands_in_does_not_matter(graph: str) -> None:
    assert steps('S rdf:type tg:AgentSession\nS tg:query "Why?"', graph) == (Question("Why?"),)


# Foreign IRIs ----------------------------------------------------------------------------------------------------


def test_without_numbers_in_their_iris_iterations_are_numbered_by_the_chain() -> None:
    text = """
        <urn:q>     rdf:type             tg:AgentQuestion
        <urn:c>     rdf:type             tg:Analysis
        <urn:c>     tg:action            "first"
        <urn:c>     prov:wasDerivedFrom  <urn:q>
        <urn:o>     rdf:type             tg:Observation
        <urn:o>     tg:content           "seen"
        <urn:o>     prov:wasDerivedFrom  <urn:c>
        <urn:a>     rdf:type             tg:Analysis
        <urn:a>     tg:action            "second"
        <urn:a>     prov:wasDerivedFrom  <urn:o>
        <urn:a>     prov:wasDerivedFrom  <urn:q>
        <urn:b>     rdf:type             tg:Analysis
        <urn:b>     tg:action            "third"
        <urn:b>     prov:wasDerivedFrom  <urn:a>
        <urn:end>   rdf:type             tg:Conclusion
        <urn:end>   tg:content           "So."
        <urn:end>   prov:wasDerivedFrom  <urn:b>
    """
    assert recognise(told(text)) == [
        Session(
            "urn:q",
            (
                Question(),
                Analysis(1, action="first"),
                Observation(1, "seen"),
                Analysis(2, action="second"),
                Analysis(3, action="third"),
                Conclusion("So."),
            ),
        )
    ]


def test_a_chain_whose_question_is_missing_is_a_session_of_what_it_starts_from() -> None:
    text = """
        <urn:b>  rdf:type             tg:AgentIteration
        <urn:b>  prov:wasDerivedFrom  <urn:q>
        <urn:a>  rdf:type             tg:AgentIteration
        <urn:a>  tg:observation       "seen"
        <urn:a>  prov:wasDerivedFrom  <urn:b>
    """
    assert recognise(told(text)) == [Session("urn:q", (Analysis(1), Analysis(2), Observation(2, "seen")))]


def test_two_observations_of_one_iteration_are_two_calls() -> None:
    text = """
        <urn:q>  rdf:type             tg:AgentQuestion
        <urn:a>  rdf:type             tg:Analysis
        <urn:a>  prov:wasDerivedFrom  <urn:q>
        <urn:x>  rdf:type             tg:Observation
        <urn:x>  tg:content           "one"
        <urn:x>  prov:wasDerivedFrom  <urn:a>
        <urn:y>  rdf:type             tg:Observation
        <urn:y>  tg:content           "two"
        <urn:y>  prov:wasDerivedFrom  <urn:a>
    """
    found = (Question(), Analysis(1), Observation(1, "one"), Observation(1, "two", call=2))
    assert recognise(told(text)) == [Session("urn:q", found)]


def test_the_chain_says_which_question_numbered_iterations_belong_to() -> None:
    text = """
        <http://ex.org/q>       rdf:type             tg:AgentQuestion
        <http://ex.org/run/i1>  rdf:type             tg:Analysis
        <http://ex.org/run/i1>  prov:wasDerivedFrom  <http://ex.org/q>
        <http://ex.org/run/i2>  rdf:type             tg:Analysis
        <http://ex.org/run/i2>  prov:wasDerivedFrom  <http://ex.org/run/i1>
        <http://ex.org/old/i2>  rdf:type             tg:Analysis
        <http://ex.org/old/i2>  prov:wasDerivedFrom  <http://ex.org/run/i1>
    """
    found = (Question(), Analysis(1), Analysis(2), Analysis(3, uses=(1,)))
    assert recognise(told(text)) == [Session("http://ex.org/q", found)]


def test_a_session_at_a_blank_node_gets_an_iri() -> None:
    assert recognise(told('_:run rdf:type tg:AgentSession\n_:run tg:query "Why?"')) == [
        Session("urn:trustgraph:agent:run", (Question("Why?"),))
    ]


# Values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-01-01T00:00:00.000000Z", datetime(2026, 1, 1)),
        ("2026-01-01T00:00:00Z", datetime(2026, 1, 1)),
        ("2026-01-01T00:00:00.123456789Z", datetime(2026, 1, 1, microsecond=123456)),
        ("2026-01-01T00:00:00.5", datetime(2026, 1, 1, microsecond=500000)),
        ("2026-01-01t02:00+02:00", datetime(2026, 1, 1)),
        ("2025-12-31T18:30:00-0530", datetime(2026, 1, 1)),
        ("2026-01-01 01:00:00,25+01", datetime(2026, 1, 1, microsecond=250000)),
        ("2026-01-01", datetime(2026, 1, 1)),
        ("2026-01", datetime(2026, 1, 1)),
        ("2026", datetime(2026, 1, 1)),
    ],
)
@pytest.mark.parametrize("datatype", ["", "^^xsd:dateTime"])
def test_times_of_any_precision_are_understood(text: str, time: datetime, datatype: str) -> None:
    found = steps(f'S rdf:type tg:AgentSession\nS prov:startedAtTime "{text}"{datatype}')
    assert found == (Question(None, time.replace(tzinfo=timezone.utc)),)


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-13-01", "2026-02-30T00:00:00Z", "0001-01-01T00:00+01:00", "٢٠٢٦"]
)
def test_a_text_that_is_no_time_is_none(text: str) -> None:
    assert steps(f'S rdf:type tg:AgentSession\nS prov:startedAtTime "{text}"') == (Question(),)


def test_of_two_starts_the_earlier_counts_and_of_two_texts_the_longer() -> None:
    assert steps("""
        S  rdf:type            tg:AgentSession
        S  tg:query            "Why not"
        S  tg:query            "Why"
        S  prov:startedAtTime  "2026-01-02"
        S  prov:startedAtTime  "2026-01-01"
    """) == (Question("Why not", datetime(2026, 1, 1, tzinfo=timezone.utc)),)


def test_typed_literals_are_texts_as_well() -> None:
    assert steps('S rdf:type tg:AgentSession\nS tg:query "Why?"^^xsd:string') == (Question("Why?"),)


# Strangers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "",
        '<http://ex.org/me> <http://xmlns.com/foaf/0.1/name> "Me"',
        "<http://ex.org/station/i3/observation> rdf:type <http://www.w3.org/ns/sosa/Observation>",
        '<http://ex.org/station/i3/observation/2> rdfs:label "21 degrees"',
    ],
)
def test_what_is_about_something_else_is_passed_over(text: str) -> None:
    assert recognise(told(text)) == []


def test_what_goes_round_in_circles_is_recognised_all_the_same() -> None:
    text = """
        <urn:a>  rdf:type             tg:Analysis
        <urn:a>  prov:wasDerivedFrom  <urn:b>
        <urn:b>  rdf:type             tg:Analysis
        <urn:b>  prov:wasDerivedFrom  <urn:a>
    """
    assert recognise(told(text)) == [Session("urn:a", (Analysis(1), Analysis(2)))]


NODES = [S, f"{S}/i1", f"{S}/i2", f"{S}/i1/observation", f"{S}/i1/observation/2", f"{S}/i1/thought", f"{S}/final"]
NODES += ["http://ex.org/x", "http://ex.org/y", "http://ex.org/x/i1", "_:b", "/i1", "/final", ""]
TERMS = [value for name, value in vars(v).items() if name.isupper() and isinstance(value, str)]
TEXTS = st.sampled_from(["", "a", "2026-01-01", "99999999999999999999"]).map(Literal)
QUADS = st.lists(
    st.builds(
        Quad,
        st.sampled_from(NODES),
        st.sampled_from([v.RDF_TYPE, v.PROV_DERIVED]) | st.sampled_from(TERMS),
        st.sampled_from(NODES) | st.sampled_from(TERMS) | TEXTS,
    ),
    max_size=30,
)


@given(QUADS, st.randoms(use_true_random=False))
@settings(max_examples=500, deadline=None)
def test_any_triples_at_all_give_well_formed_sessions_in_any_order(quads: list[Quad], random: Random) -> None:
    sessions = recognise(quads)
    for session in sessions:
        places = [(step.number, getattr(step, "call", 0)) for step in session.steps if hasattr(step, "number")]
        assert session.steps
        assert places == sorted(set(places))
        assert min(places, default=(1,)) >= (1,)
    random.shuffle(quads)
    assert recognise(quads) == sessions
