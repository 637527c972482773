"""``otel-prov sparql``: the questions that come along, one's own, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import Result

from otel_prov.ask.sparql import questions
from otel_prov.steps import Analysis, Conclusion, Observation, Question

from .sessions import STARTED, a_session, an_id, uri

pytest.importorskip("pyoxigraph", minversion="0.5")

Call = Callable[..., Result]
Keep = Callable[..., None]


def timed(number: int = 1, **more: object) -> object:
    """The session in which everything happens once, with the times of its steps: seconds 1, 2, 3, …"""
    session = a_session(number)
    started = session.question.started
    assert started is not None
    steps = [
        replace(step, started=started + timedelta(seconds=second), ended=started + timedelta(seconds=second + 1))  # type: ignore[call-arg]
        if not isinstance(step, Question)
        else step
        for second, step in enumerate(session.steps)
    ]
    return replace(session, steps=tuple(steps), ended=started + timedelta(seconds=60), **more)  # type: ignore[arg-type]


def rows(result: Result) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(result.stdout)))


def test_all_questions_that_come_along_can_be_asked_and_begin_with_what_they_ask(call: Call, keep: Keep) -> None:
    keep(timed())
    names = questions()
    assert set(names) == {
        *("why", "impact", "diff"),
        *("reproduce", "plan-changes", "limits", "failed-step", "effort", "time", "authority", "reuse"),
    }
    assert all("?" in asked for asked in names.values())
    assert "How can a result be reproduced" in call("sparql", "--help").stdout
    for name in names:
        call("sparql", name)


def test_reproduce_gives_each_call_in_order(call: Call, keep: Keep) -> None:
    keep(timed())
    found = rows(call("sparql", "reproduce", "--format", "csv"))
    assert [(row["iteration"], row["tool"], row["arguments"], row["observation"]) for row in found] == [
        ("1", "read_loans", '{"overdue": true, "limit": 10}', "Emma, due 1 October\nIvanhoe, due 3 October"),
        ("2", "reader", '{"book": "Emma"}', "Ms Woodhouse"),
        ("2", "reader", '{"book": "Ivanhoe"}', ""),
    ]
    assert {(row["agent"], row["model"]) for row in found} == {("librarian", "rules")}


def test_a_plan_changes_where_another_tool_is_turned_to(call: Call, keep: Keep) -> None:
    keep(timed())
    (found,) = rows(call("sparql", "plan-changes", "--format", "csv"))
    assert (found["iteration"], found["before"], found["after"]) == ("2", "read_loans", "reader")
    assert found["thought"] == "I need both readers."


def test_limits_name_first_what_was_stopped(call: Call, keep: Keep) -> None:
    keep(timed(1), timed(2, outcome="max_iterations"), timed(3, outcome="cancelled"))
    found = rows(call("sparql", "limits", "--format", "csv"))
    assert [row["outcome"] for row in found] == ["cancelled", "max_iterations", "final"]
    assert {row["iterations"] for row in found} == {"3"}  # the thought before the answer counts


def test_a_failed_step_is_told_with_its_thought(call: Call, keep: Keep) -> None:
    keep(timed())
    (found,) = rows(call("sparql", "failed-step", "--format", "csv"))
    assert (found["error"], found["arguments"]) == ("KeyError: 'Ivanhoe'", '{"book": "Ivanhoe"}')
    assert found["thought"] == "I need both readers."


def test_effort_is_counted_by_outcome(call: Call, keep: Keep) -> None:
    keep(timed(1), timed(2), timed(3, outcome="error"))
    found = rows(call("sparql", "effort", "--format", "csv"))
    assert [(row["outcome"], row["runs"], float(row["calls"])) for row in found] == [
        ("error", "1", 3),
        ("final", "2", 3),
    ]


def test_time_is_added_up_by_tool(call: Call, keep: Keep) -> None:
    keep(timed())
    found = {
        row["what"]: (int(row["times"]), float(row["total"])) for row in rows(call("sparql", "time", "--format", "csv"))
    }
    assert found["reader"] == (2, 2.0)
    assert found["read_loans"] == (1, 1.0)


def test_everybody_acts_on_behalf_of_somebody(call: Call, keep: Keep) -> None:
    keep(timed())
    found = {row["actor"]: row["onBehalfOf"] for row in rows(call("sparql", "authority", "--format", "csv"))}
    assert found == {"librarian": "ann", "rules": "librarian", "reader": "librarian", "read_loans": "librarian"}


def test_a_call_that_was_made_before_is_a_result_to_reuse(call: Call, keep: Keep) -> None:
    keep(timed(1), timed(2))
    found = rows(call("sparql", "reuse", "--format", "csv"))
    assert [(row["tool"], row["earlierRun"], row["laterRun"], row["same"]) for row in found] == [
        (tool, f"{uri(1)}#run", f"{uri(2)}#run", "true") for tool in ("read_loans", "reader", "reader")
    ]


def test_why_and_impact_and_diff_can_be_asked_of_any_store_of_graphs(call: Call, keep: Keep) -> None:
    keep(timed(1), timed(2), a_session(3, steps=(Question("Other?", STARTED), Conclusion("Yes."))))
    why = rows(call("sparql", "why", "--bind", f"answer={uri(1)}#answer", "--format", "csv"))
    assert {row["node"].removeprefix(uri(1)) for row in why} > {"#question", "#i1-obs", "#i2-obs", "#i2-thought"}
    assert all(row["node"].startswith(uri(1)) for row in why)
    impact = rows(call("sparql", "impact", "--bind", "source=Ivanhoe", "--format", "csv"))
    assert {row["answer"] for row in impact} == {f"{uri(1)}#answer", f"{uri(2)}#answer"}
    runs = ["--bind", f"first={uri(1)}#run", "--bind", f"second={uri(2)}#run", "--format", "csv"]
    assert rows(call("sparql", "diff", *runs)) == []


def test_a_query_of_ones_own_over_chosen_sessions(call: Call, keep: Keep, tmp_path: Path) -> None:
    keep(timed(1), timed(2))
    query = "SELECT (COUNT(?answer) AS ?number) { ?answer a otelprov:Answer }"
    assert rows(call("sparql", query, "--format", "csv")) == [{"number": "2"}]
    chosen = call("sparql", query, "--session", "00000001", "--format", "json")
    assert json.loads(chosen.stdout)["results"]["bindings"][0]["number"]["value"] == "1"
    assert chosen.stderr.startswith("Read 1 session, ")
    assert rows(call("sparql", query, "--view", "explanation", "--format", "csv")) == [{"number": "0"}]
    (tmp_path / "q.rq").write_text(query)
    assert call("sparql", tmp_path / "q.rq", "--limit", 1).stdout.split() == ["number", "1"]


def test_answers_that_are_no_table(call: Call, keep: Keep) -> None:
    keep(timed())
    assert call("sparql", "ASK { ?run a otelprov:Run }").stdout == "yes\n"
    assert json.loads(call("sparql", "ASK { ?x a tg:Error }", "--format", "json").stdout)["boolean"] is True
    graph = call("sparql", "CONSTRUCT { ?run a prov:Activity } WHERE { ?run a otelprov:Run }").stdout
    assert f"<{uri(1)}#run> a <http://www.w3.org/ns/prov#Activity>" in graph
    assert "written as Turtle" in call("sparql", "DESCRIBE <urn:x>", "--format", "csv", expect=2).stderr
    assert "yes or no" in call("sparql", "ASK { ?s ?p ?o }", "--format", "csv", expect=2).stderr


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT ?x {", "no SPARQL query: "),
        ("INSERT DATA { <urn:a> <urn:b> <urn:c> }", "not changed"),
        ("SELECT * { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }", "SERVICE asks another server"),
        ("select * { service silent <http://127.0.0.1:1/> { ?s ?p ?o } }", "SERVICE asks another server"),
    ],
)
def test_what_is_no_question_is_refused_in_one_line(call: Call, keep: Keep, query: str, said: str) -> None:
    keep(timed())
    told = call("sparql", query, expect=1).stderr.splitlines()[-1]
    assert told.startswith("otel-prov: ")
    assert said in told


def test_the_word_service_may_stand_elsewhere(call: Call, keep: Keep) -> None:
    keep(timed())
    query = """PREFIX service: <urn:service> # SERVICE
    SELECT ?service { ?service a otelprov:Run . FILTER(?service != <urn:SERVICE> && "SERVICE" != 'a SERVICE "b"') }"""
    assert len(rows(call("sparql", query, "--format", "csv"))) == 1


def test_a_name_that_is_no_question_lists_those_that_are(call: Call, keep: Keep) -> None:
    assert "no question that comes along (authority, diff, effort" in call("sparql", "whey", expect=2).stderr
    assert "no binding; write it like" in call("sparql", "why", "--bind", "answer", expect=2).stderr
    assert "cannot read nowhere.rq: No such file" in call("sparql", "nowhere.rq", expect=1).stderr


def test_a_query_that_runs_for_ever_is_given_up(
    keep: Keep, run: Callable[..., subprocess.CompletedProcess[bytes]]
) -> None:
    keep(*(timed(number) for number in range(1, 9)))
    endless = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l FILTER(?a != ?d && ?g != ?j) }"
    done = run("sparql", endless, "--timeout", "0.5", expect=1)
    assert b"no answer within 0.5 seconds; ask for less" in done.stderr


def test_without_pyoxigraph_the_package_is_named(call: Call, keep: Keep, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(timed())
    monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    assert "pip install 'otel-prov[sparql]'" in call("sparql", "why", expect=1).stderr


def test_every_command_of_the_page_on_questions_works_as_written(call: Call, keep: Keep) -> None:
    steps = list(a_session().steps)
    third = [Analysis(3, "Look.", "read"), Observation(3, "https://tides.example/harbour says so")]
    keep(timed(1), a_session(2, steps=(*steps[:-1], *third, steps[-1])))
    page = (Path(__file__).parents[2] / "docs" / "questions.md").read_text("utf-8")
    commands = [line for line in page.splitlines() if line.startswith("otel-prov ")]
    assert len(commands) >= 6
    for command in [*commands, "otel-prov why ID/i3", "otel-prov why ID/i3/observation"]:
        words = re.sub(r"\bID\b", an_id(2), command.replace("ID ID", f"ID {an_id(1)}"))
        call(*shlex.split(words)[1:])
