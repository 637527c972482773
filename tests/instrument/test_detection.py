"""Uses of earlier results that nobody told of, but that can be seen. Off unless asked for."""

from __future__ import annotations

import gc
import json
import tracemalloc
import weakref
from dataclasses import dataclass, replace
from typing import Any

import pytest

from otel_prov import iteration, losses, names, session, tool, trace_agent
from otel_prov.ask.node import FINAL, Node
from otel_prov.ask.why import why
from otel_prov.describe import describe, describe_prov, recognise
from otel_prov.describe.vocabulary import DETECTED_USE, OTEL_PROV, PROV_DERIVED
from otel_prov.instrument import detection
from otel_prov.instrument.detection import QUOTATION, STEP, Detection
from otel_prov.show.document import session_document
from otel_prov.show.nested import Tree
from otel_prov.show.rows import acts
from otel_prov.steps import Analysis, Conclusion, Session
from tests.conftest import Program

REPORT = "The north pump stood at 81 °C when the night shift came, two hours before it failed; nobody wrote down why."
SENTENCE = "stood at 81 °C when the night shift came, two hours"
WEATHER = "Rain from the west, a little snow above 1,400 metres, and a fresh wind that turns to the north at night."


@dataclass
class Page:
    """What a tool may come back with."""

    title: str


def step(number_of_args: Any, seen: Any, thought: str | None = None) -> None:
    """An iteration whose tool is given something, and gives something back."""
    with iteration() as each:
        each.record(thought=thought, action="look", arguments={"at": number_of_args})
        each.record(observation=seen)


def detected(program: Program) -> list[tuple[int, ...] | None]:
    """What each iteration, and last the answer, was seen to use."""
    return [step.detected for step in program.session.steps if isinstance(step, Analysis | Conclusion)]


def test_nothing_is_looked_for_unless_asked(program: Program) -> None:
    with session("Why?") as run:
        assert run.detection is None
        step("a", REPORT)
        step(REPORT, "no")
    assert detected(program) == [None, None]


def test_the_variable_asks_for_it_and_the_argument_decides(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_DETECT_USES", "true")

    def look(question: str) -> None:
        step("a", REPORT)
        step(REPORT, "no")

    trace_agent(name="on")(look)("Why?")
    trace_agent(name="off", detect_uses=False)(look)("Why?")
    monkeypatch.delenv("OTEL_EXPORTER_PROV_DETECT_USES")
    trace_agent(name="asked", detect_uses=True)(look)("Why?")
    found = {told.agent: [each.detected for each in told.of(Analysis)] for told in program.sessions}
    assert found == {"on": [None, (1,)], "off": [None, None], "asked": [None, (1,)]}


@pytest.mark.parametrize("seen", [{"a": 1}, ["b"], {"c"}, Page("d"), "urn:pump:7", b"e", (1, 2)], ids=repr)
def test_the_same_value_is_handed_on(program: Program, seen: Any) -> None:
    with session("Why?", detect_uses=True):
        step("a", "nothing")
        step("b", seen)
        step({"deep": [seen]}, "nothing")
        step("c", "nothing")
    assert detected(program) == [None, None, (2,), None]


@pytest.mark.parametrize("seen", [0, 1, True, None, "", "yes", "pump_7", (), object, len])
def test_what_the_interpreter_shares_is_no_evidence(program: Program, seen: Any) -> None:
    with session("Why?", detect_uses=True):
        step("a", seen)
        step(seen, "nothing")
    assert detected(program) == [None, None]


def test_an_equal_value_is_not_the_same(program: Program) -> None:
    page, weight = Page("one"), {"grams": 12}
    with session("Why?", detect_uses=True):
        step("a", page)
        step(Page("one"), weight)
        step({"grams": 12}, "nothing")
    assert detected(program) == [None, None, None]


def test_a_tool_that_is_given_what_another_returned(program: Program) -> None:
    @tool
    def find(what: str) -> Page:
        return Page(what)

    @tool
    def read(page: Page, twice: bool = False) -> str:
        return page.title

    with session("Why?", detect_uses=True):
        with iteration():
            page = find("a")
        with iteration():
            read(page)
        with iteration():
            read(page, twice=True)
            find("b")
    assert detected(program) == [None, (1,), (1,)]


@pytest.mark.parametrize(
    "said",
    [
        {"thought": f"The report says: “{SENTENCE}”."},
        {"arguments": {"notes": ["so", f"({SENTENCE})"]}},
        {"arguments": json.dumps({"note": f'It said\n"{SENTENCE}"'})},
        {"arguments": SENTENCE},
    ],
    ids=["thought", "inside of arguments", "arguments as JSON", "arguments as text"],
)
def test_a_long_quotation(program: Program, said: dict[str, Any]) -> None:
    assert len(SENTENCE) >= QUOTATION + STEP - 1
    with session("Why?", detect_uses=True):
        step("a", REPORT)
        step("b", {"weather": WEATHER})
        with iteration() as each:
            each.record(action="write", **said)
    assert detected(program) == [None, None, (1,)]


def test_a_quotation_out_of_json(program: Program) -> None:
    with session("Why?", detect_uses=True):
        step("a", json.dumps({"text": f'"Well":\n{REPORT}'}))
        step("b", "nothing", thought=f'It says "{REPORT[:60]}"')
    assert detected(program) == [None, (1,)]


@pytest.mark.parametrize(
    "said",
    [SENTENCE[: QUOTATION - 1], SENTENCE.upper(), SENTENCE[:30] + " then " + SENTENCE[30:], "The pump was hot."],
    ids=["too short", "other letters", "broken", "told in other words"],
)
def test_no_quotation(program: Program, said: str) -> None:
    with session("Why?", detect_uses=True):
        step("a", REPORT)
        step(said, "nothing", thought=said)
    assert detected(program) == [None, None]


@pytest.mark.parametrize("start", range(STEP))
def test_wherever_it_begins(program: Program, start: int) -> None:
    seen = Detection(None)
    seen.observed(REPORT, 4)
    assert seen.used(REPORT[start : start + QUOTATION + STEP - 1]) == {4}


def test_what_stands_in_the_question_too_and_rulers_are_no_quotations(program: Program) -> None:
    with session(f"Is this true? {REPORT}", detect_uses=True):
        step("a", f"Results for: {REPORT}\n" + "-" * 100)
        step(REPORT, "nothing", thought="-" * 100)
    assert detected(program) == [None, None]


def test_what_several_observed_is_the_firsts(program: Program) -> None:
    with session("Why?", detect_uses=True):
        step("a", REPORT)
        step("b", f"Again: {REPORT}")
        step("c", "nothing", thought=f"So {REPORT}")
    assert detected(program) == [None, None, (1,)]


def test_the_answer_and_the_thought_before_it(program: Program) -> None:
    with session("Why?", detect_uses=True) as run:
        step("a", REPORT)
        step("b", WEATHER)
        with iteration() as last:
            last.record(thought=f"Enough: {WEATHER}")
        run.record(answer=f"Because {SENTENCE}.")
    assert detected(program) == [None, None, (1, 2)]
    assert {span.name: list(span.attributes[names.ITERATION_USES_DETECTED]) for span in program.spans[-2:]} == {
        "agent.iteration": [2],
        "invoke_agent": [1],
    }


def test_it_works_where_content_is_not_recorded(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_CAPTURE_CONTENT", "false")
    with session("Why?", detect_uses=True):
        step("a", REPORT)
        step(REPORT, "nothing")
    assert detected(program) == [None, (1,)]
    assert SENTENCE not in str([dict(span.attributes) for span in program.spans])


def test_it_is_marked_as_detected_wherever_it_is_told(program: Program) -> None:
    with session("Why?", detect_uses=True) as run:
        step("a", REPORT)
        step("b", WEATHER)
        step(REPORT, "nothing")
        run.record(answer=WEATHER, uses=[1])
    told, uri = program.session, run.uri
    assert [(step.uses, step.detected) for step in told.of(Analysis)][2] == (None, (1,))

    def edges(quads: list[Any], predicate: str) -> set[tuple[str, str]]:
        return {(q.subject.removeprefix(uri), q.object.removeprefix(uri)) for q in quads if q.predicate == predicate}

    assert OTEL_PROV + "detectedUse" == DETECTED_USE
    assert edges(describe(told), DETECTED_USE) == {("/i3", "/i1/observation"), ("/final", "/i2/observation")}
    assert ("/i3", "/i1/observation") not in edges(describe(told), PROV_DERIVED)
    for shape in ("agent-session", "question-analysis"):
        assert edges(describe(told, shape), DETECTED_USE) == {("/i3", "/i1"), ("/final", "/i2")}
    assert edges(describe_prov(told), DETECTED_USE) == {("#i3-thought", "#i1-obs"), ("#answer", "#i2-obs")}
    assert edges(describe_prov(told), PROV_DERIVED) == {("#answer", "#i1-obs")}
    assert recognise(describe(told))[0].steps == told.steps
    shown = [
        (row.label, row.text) for section in acts(told) for row in section.rows if row.label in ("Uses", "Detected use")
    ]
    assert shown == [("Detected use", "iteration 1"), ("Uses", "iteration 1"), ("Detected use", "iteration 2")]
    assert asked(replace(told, steps=(*told.steps[:-1], replace(told.steps[-1], uses=None)))) == {
        "nothing": "in reach",
        WEATHER: "detected",
        REPORT: "in reach",
    }
    document = session_document(Tree(told))
    assert [each.get("uses_detected") for each in document["iterations"]] == [None, None, [1]]
    assert (document["uses"], document["uses_detected"]) == ([1], [2])


def asked(told: Session) -> dict[str | None, str | None]:
    """Why an answer's observations are named among what it rests on."""
    reason = why({told.uri: told}, told, Node(told.uri, FINAL))  # type: ignore[arg-type]
    assert reason is not None
    return {each.text: each.how for each in reason.because if each.kind == "observation"}


def test_the_hosts_objects_are_not_kept_alive(program: Program) -> None:
    with session("Why?", detect_uses=True) as run:
        page = Page("a")
        step("a", page)
        gone = weakref.ref(page)
        del page
        gc.collect()
        assert gone() is None
        step(Page("b"), "nothing")
        assert run.detection is not None
    assert detected(program) == [None, None]


def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detection, "MOST", 1_000)
    texts = [" ".join(f"the {word}th word of page {number}" for word in range(200)) for number in range(300)]
    seen = Detection("Why?")
    tracemalloc.start()
    for number, text in enumerate(texts[:50], start=1):
        seen.observed(text, number)
    before = tracemalloc.get_traced_memory()[0]
    for number, text in enumerate(texts[50:], start=51):
        seen.observed(text, number)
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after < before * 2, "of three times as many"
    assert seen.used(texts[-1]) == {300}
    assert seen.used(texts[0]) == set(), "forgotten"


class Awkward:
    """A value that nothing can be asked of."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __iter__(self) -> Any:
        raise RuntimeError

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = None  # type: ignore[assignment]


def test_a_fault_harms_nobody_and_is_counted(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    with session("Why?", detect_uses=True):
        step("a", Awkward())
        step(Awkward(), Awkward())
        monkeypatch.setattr(detection, "_texts", lambda value: 1 / 0)
        step("b", "it goes on")
    assert losses()[detection.NOT_DETECTED] >= 1
    assert len(list(program.session.of(Analysis))) == 3
    assert program.session.steps[-1].text == "it goes on"  # type: ignore[union-attr]
