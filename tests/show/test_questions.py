"""``otel-prov why``, ``impact`` and ``diff``."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result

from otel_prov.ask import Searched, impact
from otel_prov.keep import Store
from otel_prov.names import GRAPH_RAG, session_uri
from otel_prov.steps import (
    Analysis,
    Conclusion,
    Focus,
    Observation,
    Question,
    Selection,
    Session,
    Synthesis,
    Text,
    Triple,
)

from .sessions import STARTED, a_session, uri

Call = Callable[..., Result]
Keep = Callable[..., None]

PAGE = "https://example.org/fines?year=2026"


def fines(number: int = 2, **more: object) -> Session:
    """A session that reads a page."""
    steps = (
        Question("What does a late book cost?", STARTED),
        Analysis(1, "The page on fines says it.", "fetch", json.dumps({"url": PAGE})),
        Observation(1, "20 cents a day"),
        Conclusion("20 cents a day."),
    )
    return Session(uri(number), **{"steps": steps, "outcome": "final", **more})  # type: ignore[arg-type]


def asking(number: int, other: int) -> Session:
    """A session that uses the answer of another one."""
    return fines(
        number,
        steps=(
            Question("What does Ms Woodhouse owe?", STARTED),
            Analysis(1, None, "ask", json.dumps({"question": "What does a late book cost?"})),
            Observation(1, f"20 cents a day ({uri(other)})"),
            Conclusion("60 cents."),
        ),
    )


def graph_rag(number: int) -> Session:
    """A question to a knowledge graph."""
    selected = Selection(Triple("urn:fine", "urn:amount", Text("20 cents")), chunk="urn:chunk:fines-7")
    return Session(
        session_uri(str(number), GRAPH_RAG),
        (Question("What is the fine?", STARTED), Focus((selected,)), Synthesis("20 cents a day")),
        kind=GRAPH_RAG,
        caller=f"{uri(1)}/i1",
        outcome="final",
    )


def with_inside(inner: Session) -> Session:
    """A session in whose call another one ran."""
    steps = (Question("What does she owe?", STARTED), Analysis(1, None, "ask"), Observation(1, "20"), Conclusion("60."))
    return Session(uri(1), steps, outcome="final")


@pytest.mark.parametrize("inner", [graph_rag(2), fines(2, caller=f"{uri(1)}/i1")], ids=["retrieval", "agent"])
def test_what_ran_inside_of_a_call_is_followed_both_ways(call: Call, keep: Keep, inner: Session) -> None:
    keep(with_inside(inner), inner)
    told = json.loads(call("why", uri(1), "--json").stdout)
    seen = told["because"][0]
    assert (seen["kind"], seen["because"][0]["kind"]) == ("observation", "answer")
    source = "urn:chunk:fines-7" if inner.kind == GRAPH_RAG else PAGE
    affected = json.loads(call("impact", source, "--json").stdout)
    assert [(each["session"], each["through"]) for each in affected] == [(inner.uri, None), (uri(1), inner.uri)]
    assert [each["answer"] for each in affected][1] == "60."


def test_why_of_a_retrieval_is_what_it_selected(call: Call, keep: Keep) -> None:
    keep(graph_rag(2))
    assert call("why", graph_rag(2).uri).stdout.splitlines() == [
        "answer  20 cents a day",
        "├── edge  urn:fine urn:amount 20 cents",
        "│   └── source  urn:chunk:fines-7",
        "└── question  What is the fine?",
    ]


def test_why_shows_what_an_answer_rests_on_the_latest_first(call: Call, keep: Keep) -> None:
    keep(a_session(1))
    assert call("why", "latest").stdout.splitlines() == [
        "answer  Two: Emma (Ms Woodhouse) and Ivanhoe (unknown).",
        "├── thought  One reader is enough to answer.",
        "├── observation 2  KeyError: 'Ivanhoe'",
        '│   └── call  reader({"book": "Ivanhoe"})',
        "│       └── thought 2  I need both readers.",
        "├── observation 2  Ms Woodhouse",
        '│   └── call  reader({"book": "Emma"})',
        "│       └── thought 2  I need both readers.",
        "├── observation 1  Emma, due 1 October Ivanhoe, due 3 October",
        '│   └── call  read_loans({"overdue": true, "limit": 10})',
        "│       └── thought 1  The loans tell.",
        "└── question  How many books are overdue, and whose?",
    ]


@pytest.mark.parametrize("reference", [f"{uri(1)}/i2", "00000001/i2", f"{uri(1)}#i2-think", f"{uri(1)}/i2/thought"])
def test_why_of_an_iteration_is_what_was_seen_before_it(call: Call, keep: Keep, reference: str) -> None:
    keep(a_session(1))
    told = json.loads(call("why", reference, "--json").stdout)
    assert (told["kind"], told["uri"]) == ("call", f"{uri(1)}/i2")
    assert [each["uri"] for each in told["because"]] == [
        f"{uri(1)}/i2/thought",
        f"{uri(1)}/i1/observation",
        uri(1),
    ]


def test_why_of_an_observation_is_the_call_that_brought_it(call: Call, keep: Keep) -> None:
    keep(a_session(1))
    told = call("why", f"{uri(1)}/i2/observation/2").stdout
    assert "observation 2  KeyError" in told
    assert '{"book": "Ivanhoe"}' in told
    assert "Emma" not in told


def test_why_goes_on_into_the_session_whose_answer_was_used(call: Call, keep: Keep) -> None:
    keep(fines(2), asking(3, other=2))
    assert call("why", uri(3)).stdout.splitlines() == [
        "answer  60 cents.",
        f"├── observation 1  20 cents a day ({uri(2)})",
        "│   ├── answer  20 cents a day.",
        "│   │   ├── observation 1  20 cents a day",
        f"│   │   │   ├── source  {PAGE}",
        f'│   │   │   └── call  fetch({{"url": "{PAGE}"}})',
        "│   │   │       └── thought 1  The page on fines says it.",
        "│   │   └── question  What does a late book cost?",
        '│   └── call  ask({"question": "What does a late book cost?"})',
        "└── question  What does Ms Woodhouse owe?",
    ]


def test_sessions_that_name_each_other_are_told_once_each(call: Call, keep: Keep) -> None:
    keep(asking(2, other=3), asking(3, other=2))
    assert call("why", uri(3)).stdout.count("answer  60 cents.") == 2


def test_why_follows_what_was_really_used_where_that_was_told(call: Call, keep: Keep) -> None:
    seen = [Observation(number, f"sight {number}") for number in (1, 2, 3, 4)]
    acts = [Analysis(number, action="look", arguments=str(number)) for number in (1, 2, 3, 4)]
    acts[2], acts[3] = replace(acts[2], uses=(1,)), replace(acts[3], uses=(1, 3))
    loop = [step for pair in zip(acts, seen, strict=True) for step in pair]
    keep(fines(2, steps=(Question("Where?", STARTED), *loop, Conclusion("There.", uses=(4,)))))
    assert call("why", uri(2)).stdout.splitlines() == [
        "answer  There.",
        "├── observation 4  sight 4",
        "│   └── call  look(4)",
        "│       ├── observation 3  sight 3",
        "│       │   └── call  look(3)",
        "│       │       └── observation 1  sight 1",
        "│       │           └── call  look(1)",
        "│       └── observation 1  sight 1",
        "└── question  Where?",
    ]


def test_why_says_what_is_missing(call: Call, keep: Keep) -> None:
    steps = a_session(1).steps[:-1]
    keep(a_session(1, steps=steps, outcome="error"))
    assert "has no answer (error); ask for a step of it" in call("why", uri(1), expect=1).stderr
    assert "has no such step" in call("why", f"{uri(1)}/i9", expect=1).stderr
    assert "no session '00000009'" in call("why", "00000009/i1", expect=1).stderr


def test_content_that_was_not_recorded_is_named_so(call: Call, keep: Keep) -> None:
    keep(fines(2, steps=(Question(None, STARTED), Analysis(1, action="fetch"), Observation(1), Conclusion())))
    assert call("why", uri(2)).stdout.splitlines() == [
        "answer  (not recorded)",
        "├── observation 1  (not recorded)",
        "│   └── call  fetch()",
        "└── question  (not recorded)",
    ]


@pytest.mark.parametrize("source", [PAGE, "https://example.org", "https://example.org/fines"])
def test_impact_shows_every_answer_that_rests_on_a_source(call: Call, keep: Keep, source: str) -> None:
    keep(a_session(1), fines(2), asking(3, other=2))
    affected = json.loads(call("impact", source, "--json").stdout)
    assert [(each["session"], each["answer"], each["through"]) for each in affected] == [
        (uri(2), "20 cents a day.", None),
        (uri(3), "60 cents.", uri(2)),
    ]
    assert affected[0]["uses"] == [{"number": 1, "source": PAGE, "action": "fetch"}]


def test_impact_of_a_step_is_its_answer_and_all_that_used_that(call: Call, keep: Keep) -> None:
    keep(fines(2), asking(3, other=2), asking(4, other=3))
    for reference in (f"{uri(2)}/i1/observation", f"{uri(2)}#i1-obs", "00000002"):
        affected = json.loads(call("impact", reference, "--json").stdout)
        assert [(each["session"], each["through"]) for each in affected] == [
            (uri(2), None),
            (uri(3), uri(2)),
            (uri(4), uri(3)),
        ]


def test_impact_elsewhere_is_found_by_a_search(folder: Path, keep: Keep) -> None:
    keep(a_session(1), fines(2), asking(3, other=2))
    with Store(folder) as store:
        for source in (PAGE, "https://example.org", f"{uri(2)}/i1", "https://example.com"):
            assert impact(Searched(store), source) == impact(store, source)


def test_impact_is_told_in_words(call: Call, keep: Keep) -> None:
    keep(fines(2), fines(3, steps=fines(3).steps[:-1], outcome="error"))
    told = call("impact", PAGE).stdout
    assert "1 answer of 2 sessions" in told
    assert f"Iteration 1    fetch: {PAGE}" in told
    assert "Answer         20 cents a day." in told
    assert "Answer         (none)" in told


def test_a_source_that_nobody_names_is_said(call: Call, keep: Keep) -> None:
    keep(fines(2))
    assert (
        "no step of any session names 'https://example.com'" in call("impact", "https://example.com", expect=1).stderr
    )


def test_diff_shows_where_two_sessions_part(call: Call, keep: Keep) -> None:
    other = json.dumps({"overdue": True, "limit": 5})
    steps = [
        replace(step, arguments=other) if step == a_session().steps[1] else step  # type: ignore[call-arg]
        for step in a_session(2).steps[:-1]
    ]
    keep(a_session(1), a_session(2, steps=(*steps, Conclusion("One.", "One reader is enough to answer."))))
    assert call("diff", "00000001", "00000002").stdout.splitlines() == [
        f"First            {uri(1)}",
        f"Second           {uri(2)}",
        "They part        iteration 1, arguments",
        "",
        "Iteration 1",
        '  Arguments      {"overdue": true, "limit": 10}',
        f"                 {other}",
        "",
        "End",
        "  Answer         Two: Emma (Ms Woodhouse) and Ivanhoe (unknown).",
        "                 One.",
    ]


def test_diff_of_runs_of_different_length_says_which_has_more(call: Call, keep: Keep) -> None:
    steps = a_session(2).steps
    keep(a_session(1), a_session(2, steps=(*steps[:3], steps[-1])))
    differences = json.loads(call("diff", "00000001", "00000002", "--json").stdout)
    assert {(each["number"], each["second"]) for each in differences} == {(2, None)}
    assert "iteration 2, action: only the first has one" in call("diff", "00000001", "00000002").stdout


def test_sessions_with_other_words_for_the_same_part_nowhere(call: Call, keep: Keep) -> None:
    steps = a_session(2).steps
    keep(a_session(1), a_session(2, steps=(steps[0], replace(steps[1], thought="Look at loans."), *steps[2:])))  # type: ignore[call-arg]
    assert (
        "nowhere: the same was asked, done, seen and answered, in other words"
        in call("diff", "00000001", "00000002").stdout
    )
