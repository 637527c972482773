"""``otel-prov show`` of sessions that are more than one chain: as text, for Mermaid, and for Graphviz."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from click.testing import Result
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_prov.describe import describe
from otel_prov.describe.prov.pictures import program_to_draw
from otel_prov.describe.vocabulary import PROV, PROV_DERIVED, TG, THOUGHT
from otel_prov.names import GRAPH_RAG, session_uri
from otel_prov.show.chains import chains
from otel_prov.show.dot import dot
from otel_prov.show.drawing import Cluster, Drawing, Node, called, draw, shortened
from otel_prov.show.mermaid import mermaid
from otel_prov.show.nested import Tree
from otel_prov.steps import Analysis, Conclusion, Focus, Observation, Question, Session, Synthesis
from tests.describe.strategies import calm, retrievals, sessions

from .sessions import a_session, uri

Call = Callable[..., Result]
Keep = Callable[..., None]

S = uri(1)
RETRIEVAL = Session(
    session_uri("3f0c", GRAPH_RAG),
    (Question('Where "is" pump #7?'), Focus(), Synthesis("In the <hall>.")),
    kind=GRAPH_RAG,
    agent="plant",
    caller=f"{S}/i2",
)
COMPARING = a_session(
    1,
    steps=(
        Question("Which is deeper?"),
        Analysis(1, "First.", "measure"),
        Observation(1, "9 m"),
        Analysis(2, "Second.", "ask", uses=()),
        Observation(2, "In the hall.", sub_trace="urn:trustgraph:prov:synthesis:3f0c"),
        Analysis(3, "Compare.", "compare", uses=(1, 2)),
        Observation(3, error="no scale"),
        Conclusion("The first."),
    ),
)


def graph(shown: str) -> list[str]:
    """The lines of the graph on a page."""
    return [line[17:] for line in shown.partition("\nGraph ")[1:] and shown[shown.index("\nGraph ") + 1 :].splitlines()]


def test_one_chain_needs_no_graph(call: Call, keep: Keep) -> None:
    steps = (Question("?"), Analysis(1, "a", "b"), Observation(1, "c"), Analysis(2, "d", "e"), Conclusion("f", "g"))
    keep(a_session(1, steps=steps))
    assert "Graph" not in call("show", "latest").stdout


def test_results_of_several_iterations_are_told_as_a_graph(call: Call, keep: Keep) -> None:
    keep(COMPARING, RETRIEVAL)
    assert graph(call("show", S).stdout) == ["Question → Iteration 1, Iteration 2 → Iteration 3 → Conclusion"]


def test_what_is_not_alike_stands_on_lines_of_its_own() -> None:
    looked = [step for n in (1, 2, 3) for step in (Analysis(n, action="look", uses=()), Observation(n, "seen"))]
    further = Observation(2, "seen", call=2, action="look")
    steps = (Question("?"), *looked, further, Analysis(4, action="think", uses=(1, 2)), Conclusion("So.", uses=(3, 4)))
    assert chains(Tree(Session(S, steps))) == [
        "Question → Iteration 1",
        "Question → Iteration 2 → Observation 2, Observation 2.2",
        "Question → Iteration 3",
        "Iteration 1, Observation 2, Observation 2.2 → Iteration 4",
        "Iteration 3, Iteration 4 → Conclusion",
    ]


def test_parallel_calls_are_told_as_a_graph(call: Call, keep: Keep) -> None:
    keep(a_session(1))
    assert graph(call("show", "latest").stdout) == [
        "Question → Iteration 1 → Iteration 2 → Observation 2, Observation 2.2 → Conclusion",
    ]


def test_many_branches_and_long_chains_take_few_lines() -> None:
    calls = [Observation(1, "x", call=call, action="f") for call in range(2, 201)]
    chain = [step for n in range(2, 1001) for step in (Analysis(n, action="g"), Observation(n, "y"))]
    tree = Tree(Session(S, (Question("?"), Analysis(1, action="f"), Observation(1, "x"), *calls, *chain)))
    (line,) = chains(tree)
    assert line.startswith("Question → Iteration 1 → Observation 1, Observation 1.2, ")
    assert line.endswith("Observation 1.8 and 192 more → Iteration 2 → … → Iteration 1000")


def test_what_a_session_derives_from_and_is_not_here_is_named() -> None:
    steps = (Question("?"), Analysis(2, action="f", uses=(1,)), Analysis(3, action="g", uses=(1, 2)))
    assert chains(Tree(Session(S, steps))) == [
        "Question",
        "Observation 1 (not here) → Iteration 2",
        "Observation 1 (not here), Iteration 2 → Iteration 3",
    ]


@pytest.mark.parametrize("format", ["mermaid", "dot"])
def test_a_picture_has_every_node_and_every_derivation_and_sub_traces_as_clusters(
    call: Call, keep: Keep, format: str
) -> None:
    keep(COMPARING, RETRIEVAL)
    drawn = call("show", S, "--format", format).stdout
    quads = [quad for session in (COMPARING, RETRIEVAL) for quad in describe(session)]
    thoughts = {quad.subject for quad in quads if quad.object == THOUGHT}
    derived = [quad for quad in quads if quad.predicate == PROV_DERIVED and quad.subject not in thoughts]
    assert len(re.findall(r"^ *n\d+ -+> n\d+$", drawn, re.MULTILINE)) == len(derived)
    assert len(re.findall(r"^ *n\d+ ?\[", drawn, re.MULTILINE)) == len(derived) + 1
    clusters = re.findall(r"subgraph", drawn)
    assert len(clusters) == 2
    folded = call("show", S, "--format", format, "--depth", 0).stdout
    assert "Synthesis" not in folded
    assert len(re.findall(r"-+> n\d+$", folded, re.MULTILINE)) == len(derived) - 2


def test_a_node_says_what_it_is_which_it_is_and_how_its_text_begins(call: Call, keep: Keep) -> None:
    keep(COMPARING, RETRIEVAL)
    drawn = call("show", S, "--format", "mermaid").stdout
    for label in (
        "Question<br/>Which is deeper?",
        "Iteration 3<br/>compare",
        "Observation 3<br/>no scale",
        "Conclusion<br/>The first.",
        "Question<br/>Where #34;is#34; pump #35;7?",
        "Synthesis<br/>In the #60;hall#62;.",
        "GraphRAG#58; plant",
    ):
        assert f'["{label}"]' in drawn
    failed = re.findall(r'(n\d+)\["Observation 3', drawn)[0]
    assert f"style {failed} stroke:red" in drawn


def test_a_caller_that_is_elsewhere_is_drawn_as_missing(call: Call, keep: Keep) -> None:
    keep(RETRIEVAL)
    drawn = call("show", RETRIEVAL.uri, "--format", "dot").stdout
    assert f'[label="Iteration 2", tooltip="{S}/i2", style="rounded,dashed"]' in drawn


def test_pictures_of_the_prov_view_are_elsewhere(call: Call, keep: Keep) -> None:
    keep(RETRIEVAL)
    error = call("show", RETRIEVAL.uri, "--format", "dot", "--view", "prov", expect=2).stderr
    assert "otel-prov export ID -o FILE.svg" in error


@pytest.mark.parametrize(
    ("node", "kinds", "name"),
    [
        ("plan", ["Plan"], "Plan"),
        ("step/0", ["StepResult", "Answer"], "Step result 1"),
        ("decompose", ["Decomposition"], "Decomposition"),
        ("finding/11", ["Finding", "Answer"], "Finding 12"),
        ("pattern-decision", ["PatternDecision"], "Pattern decision"),
        ("synthesis", ["Synthesis", "Answer"], "Synthesis"),
        ("i12/observation/3", ["Observation", "Error"], "Observation 12.3"),
        ("final", [], "Conclusion"),
    ],
)
def test_whatever_kind_a_node_is_of_it_is_called_by_it(node: str, kinds: list[str], name: str) -> None:
    assert called(f"{S}/{node}", [PROV + "Entity", *(TG + kind for kind in kinds)]) == name


# Any session -----------------------------------------------------------------------------------------------------


@calm
@given(sessions("trustgraph") | retrievals())
def test_whatever_is_known_of_a_session_can_be_drawn(session: Session) -> None:
    tree = Tree(session)
    drawing = draw(tree)
    for line in chains(tree):
        assert line
        assert "\n" not in line
    assert {uri for edge in drawing.edges for uri in edge} <= set(drawing.numbered())
    assert_sound(mermaid(drawing))
    assert dot(drawing).count("\n") == dot(drawing).rstrip("}\n").count("\n") + 2


# Any text --------------------------------------------------------------------------------------------------------

_LINES = [
    r"flowchart TB",
    r'subgraph s[0-9_]+\["(?P<title>[^"#]|#\d+;)*"\]',
    r'n\d+\["(?:[^"#;]|#\d+;)*"\]',
    r"n\d+ --> n\d+",
    r"style n\d+(?:,n\d+)* stroke(?::red|-dasharray:4)",
    r"end",
]


def assert_sound(text: str) -> None:
    """Each line is one of those that a flowchart of ours may have, with nothing in its texts that Mermaid obeys."""
    for line in text.splitlines():
        assert any(re.fullmatch(pattern, line.strip()) for pattern in _LINES), line
        for label in re.findall(r'"(.*)"', line):
            plain = re.sub(r"#\d+;", "", label.replace("<br/>", ""))
            assert not re.search(r'[<>&"`#;:%{}\[\]\\*|~^$@]', plain), label


def told(*texts: str) -> Drawing:
    """A drawing with a node for each text."""
    nodes = [Node(f"urn:{i}", "Observation 1", shortened(text)) for i, text in enumerate(texts)]
    return Drawing(Cluster(shortened(texts[0]), tuple(nodes)), (), ())


NASTY = [
    '"',
    "\\",
    "\\N",
    "\\l",
    "<b>",
    "&amp;",
    "#35;",
    "%%{init}%%",
    "`",
    "end",
    "]",
    "\n",
    "-->",
    "\x1b",
    "style:#a;",
    "ü😀",
]
nasty = st.text() | st.lists(st.sampled_from(NASTY)).map("".join)


@given(nasty)
def test_mermaid_reads_any_text_as_that_text(text: str) -> None:
    drawn = mermaid(told(text))
    assert_sound(drawn)
    (label,) = re.findall(r'n0\["Observation 1(?:<br/>(.*))?"\]', drawn)
    assert re.sub(r"#(\d+);", lambda code: chr(int(code[1])), label) == shortened(text)


@pytest.mark.skipif(program_to_draw() is None, reason="Graphviz is missing; pip install graphviz-pure")
@settings(calm, max_examples=5)
@given(st.lists(nasty, min_size=20, max_size=40))
def test_graphviz_draws_any_text_as_that_text(texts: list[str]) -> None:
    program = program_to_draw()
    assert program
    drawn = subprocess.run([program, "-Tsvg"], input=dot(told(*texts)).encode(), capture_output=True, check=True)
    picture = ElementTree.fromstring(drawn.stdout)
    found = [
        "".join(line.text or "" for line in list(node.iter("{http://www.w3.org/2000/svg}text"))[1:])
        for node in picture.iter("{http://www.w3.org/2000/svg}g")
        if node.get("class") == "node"
    ]
    assert [text.split() for text in found] == [
        shortened(text).translate({0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}).split() for text in texts
    ]
