"""``otel-prov show --from FILE`` of traces in every layout that TrustGraph, or a specification of it, has had."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Call = Callable[..., Result]

_PREFIXES = """\
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix tg: <https://trustgraph.ai/ns/> .
@prefix S: <urn:trustgraph:agent:1/> .
"""
_ACTIVITY = """
<urn:trustgraph:agent:1> a prov:Activity, tg:Question, tg:AgentQuestion ; rdfs:label "Agent Question" ;
    prov:startedAtTime "2026-03-05T08:00:00.5Z" ; tg:query "Why?" .
"""
_ENTITY = _ACTIVITY.replace("prov:Activity", "prov:Entity")
_ACTED = 'tg:action "look" ; tg:arguments "{\\"at\\": \\"it\\"}"'
_CHAIN = "<urn:trustgraph:agent:1>"

_LITERALS = f"""
S:i1 a prov:Entity, tg:Analysis ; prov:wasDerivedFrom {_CHAIN} ; tg:thought "Hm." ; {_ACTED} ; tg:observation "Rain." .
S:i2 a prov:Entity, tg:Analysis ; prov:wasDerivedFrom S:i1 ; tg:thought "And?" ; {_ACTED} ; tg:observation "Wind." .
S:final a prov:Entity, tg:Conclusion ; prov:wasDerivedFrom S:i2 ; tg:answer "Weather." .
"""

LAYOUTS = {
    "first specification": f"""
<urn:trustgraph:agent:1> a tg:AgentSession ; tg:query "Why?" ; prov:startedAtTime "2026-03-05T08:00:00.5Z" .
S:i1 a tg:AgentIteration ; prov:wasDerivedFrom {_CHAIN} ; tg:thought "Hm." ; {_ACTED} ; tg:observation "Rain." .
S:i2 a tg:AgentIteration ; prov:wasDerivedFrom S:i1 ; tg:thought "And?" ; {_ACTED} ; tg:observation "Wind." .
S:final a tg:AgentFinal ; prov:wasDerivedFrom S:i2 ; tg:answer "Weather." .
""",
    "second specification, as its code has it": _ACTIVITY.replace(", tg:AgentQuestion", "") + _LITERALS,
    "second specification, as its table has it": _ACTIVITY + _LITERALS,
    "2.1.16, texts on the iteration": _ACTIVITY.replace('"Agent Question"', '"Question"') + _LITERALS,
    "2.1.18, documents of the iteration": f"""{_ACTIVITY}
S:i1 a prov:Entity, tg:Analysis ; prov:wasDerivedFrom {_CHAIN} ; {_ACTED} ;
    tg:thoughtDocument <urn:d:1> ; tg:observationDocument <urn:d:2> .
S:i2 a prov:Entity, tg:Analysis ; prov:wasDerivedFrom S:i1 ; {_ACTED} ;
    tg:thoughtDocument <urn:d:3> ; tg:observationDocument <urn:d:4> .
S:final a prov:Entity, tg:Conclusion ; prov:wasDerivedFrom S:i2 ; tg:document <urn:d:5> .
""",
    "2.1.22, reflections": f"""{_ACTIVITY}
S:i1 a prov:Entity, tg:Analysis ; prov:wasGeneratedBy {_CHAIN} ; {_ACTED} ;
    tg:thought <urn:trustgraph:agent:1/i1/thought> ; tg:observation <urn:trustgraph:agent:1/i1/observation> .
<urn:trustgraph:agent:1/i1/thought> a tg:Reflection, tg:Thought ; prov:wasGeneratedBy S:i1 ; tg:document <urn:d:1> .
<urn:trustgraph:agent:1/i1/observation> a tg:Reflection, tg:Observation ; prov:wasGeneratedBy S:i1 ;
    tg:document <urn:d:2> .
S:i2 a prov:Entity, tg:Analysis ; prov:wasDerivedFrom S:i1 ; {_ACTED} .
S:final a prov:Entity, tg:Conclusion, tg:Answer ; prov:wasDerivedFrom S:i2 ; tg:document <urn:d:5> .
""",
    "2.2.13, observations of their own": f"""{_ENTITY}
S:i1 a prov:Entity, tg:Analysis, tg:ToolUse ; rdfs:label "Analysis: look" ; prov:wasDerivedFrom {_CHAIN} ; {_ACTED} ;
    tg:thought <urn:trustgraph:agent:1/i1/thought> .
<urn:trustgraph:agent:1/i1/thought> a tg:Reflection, tg:Thought ; prov:wasDerivedFrom S:i1 ; tg:document <urn:d:1> .
<urn:trustgraph:agent:1/i1/observation> a prov:Entity, tg:Observation ; prov:wasDerivedFrom S:i1 ;
    tg:document <urn:d:2> .
S:i2 a prov:Entity, tg:Analysis, tg:ToolUse ; prov:wasDerivedFrom <urn:trustgraph:agent:1/i1/observation> ; {_ACTED} .
S:final a prov:Entity, tg:Conclusion, tg:Answer ; prov:wasDerivedFrom S:i2 ; tg:document <urn:d:5> .
""",
    "2.3.1, with numbers, candidates and errors": f"""{_ENTITY}
S:pattern-decision a prov:Entity, tg:PatternDecision ; prov:wasDerivedFrom {_CHAIN} ; tg:pattern "react" .
S:i1 a prov:Entity, tg:Analysis, tg:ToolUse ; prov:wasDerivedFrom S:pattern-decision ; {_ACTED} ;
    tg:toolCandidate "look", "ask" ; tg:stepNumber "1" ; tg:llmDurationMs "12" ; tg:inToken "3" ; tg:outToken "4" .
<urn:trustgraph:agent:1/i1/observation> a prov:Entity, tg:Observation, tg:Error ; prov:wasDerivedFrom S:i1 ;
    tg:toolError "too dark" ; tg:toolDurationMs "5" .
S:i2 a prov:Entity, tg:Analysis, tg:ToolUse ; prov:wasDerivedFrom <urn:trustgraph:agent:1/i1/observation> ; {_ACTED} .
S:final a prov:Entity, tg:Conclusion, tg:Answer ; prov:wasDerivedFrom S:i2 ; tg:document <urn:d:5> ;
    tg:terminationReason "final-answer" .
""",
}


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """Write a file in Turtle."""

    def write(text: str) -> Path:
        file = tmp_path / "trace.ttl"
        file.write_text(_PREFIXES + text, encoding="utf-8")
        return file

    return write


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_trace_of_each_layout_is_rendered(call: Call, write: Callable[[str], Path], layout: str) -> None:
    file = write(LAYOUTS[layout])
    assert call("list", "--from", file).stdout.splitlines()[1].split()[2:] == ["Agent", "1", "final", "2", "-", "Why?"]
    lines = [line.strip() for line in call("show", "latest", "--from", file).stdout.splitlines()]
    assert lines[0] == "Question         Why?"
    acted = ["Action         look", "Arguments      at: it"]
    for number in (1, 2):
        start = lines.index(f"Iteration {number}")
        assert set(acted) <= set(lines[start : start + 4])
    has_texts = "tg:answer" in LAYOUTS[layout]
    texts = {"Thought        Hm.", "Observation    Rain.", "Thought        And?", "Observation    Wind."}
    assert texts & set(lines) == (texts if has_texts else set())
    assert ("Error          too dark" in lines) == ("tg:toolError" in LAYOUTS[layout])
    assert f"Answer         {'Weather.' if has_texts else '(not recorded)'}" in lines[lines.index("Conclusion") :]


_GRAPH = """
<{question}> a {types} ; tg:query "Which pump?" .
<{stage}exploration> a {exploration} ; prov:wasDerivedFrom <{question}> ; {found} .
<{stage}synthesis> a {synthesis} ; prov:wasDerivedFrom <{stage}exploration> ; tg:content "Pump 7." .
"""
_PLAIN = "prov:Entity, tg:Question"


@pytest.mark.parametrize(
    ("question", "types", "found", "kind"),
    [
        # by the IRI, whatever else is said
        ("urn:trustgraph:question:1", _PLAIN, "tg:chunkCount '3'", "GraphRAG"),
        ("urn:trustgraph:docrag:1", _PLAIN, "tg:edgeCount '3'", "DocRAG"),
        # then by the types
        ("http://ex.org/q", f"{_PLAIN}, tg:GraphRagQuestion", "tg:chunkCount '3'", "GraphRAG"),
        ("http://ex.org/q", f"{_PLAIN}, tg:DocRagQuestion", "tg:edgeCount '3'", "DocRAG"),
        # then by what derives from it
        ("http://ex.org/q", _PLAIN, "tg:edgeCount '3'", "GraphRAG"),
        ("http://ex.org/q", _PLAIN, "tg:chunkCount '3'", "DocRAG"),
    ],
)
def test_the_type_is_told_by_the_iri_then_by_the_types_then_by_what_derives(
    call: Call, write: Callable[[str], Path], question: str, types: str, found: str, kind: str
) -> None:
    told = {"question": question, "types": types, "found": found, "stage": "http://ex.org/"}
    told |= {"exploration": "prov:Entity, tg:Exploration", "synthesis": "prov:Entity, tg:Synthesis"}
    file = write(_GRAPH.format(**told))
    assert call("list", "--from", file).stdout.splitlines()[1].split()[1] == kind
    shown = call("show", question, "--from", file).stdout
    assert shown.startswith("Question         Which pump?\n")
    assert "Answer         Pump 7.\n" in shown


@pytest.mark.parametrize(
    ("question", "types"),
    [
        ("urn:trustgraph:agent:1", _PLAIN),
        ("http://ex.org/q", f"{_PLAIN}, tg:AgentQuestion"),
        ("http://ex.org/q", _PLAIN),
    ],
)
def test_a_question_to_an_agent_is_known_in_the_same_ways(
    call: Call, write: Callable[[str], Path], question: str, types: str
) -> None:
    analysis = f"<http://ex.org/a> a tg:Analysis ; prov:wasDerivedFrom <{question}> ; {_ACTED} ."
    file = write(f'<{question}> a {types} ; tg:query "Which pump?" . {analysis}')
    assert call("list", "--from", file).stdout.splitlines()[1].split()[1] == "Agent"
    assert "Action         look" in call("show", question, "--from", file).stdout
