"""What of a session's content leaves the process, and in which form."""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opentelemetry.sdk.trace import ReadableSpan

from otel_prov import iteration, losses, session, tool, trace_agent
from otel_prov.instrument.values import fit_json, fit_text, plain, to_text
from otel_prov.keep import Store
from otel_prov.steps import Analysis, Digest, Observation
from tests.conftest import Program

SECRET = "tell-nobody-4711"


def leak_everywhere(**options: Any) -> None:
    """An agent that has the secret in question, thought, action's arguments, observation, answer and two errors."""

    @trace_agent(**options)
    def answer(question: str) -> str:
        with iteration() as step:
            step.record(thought=f"I know {SECRET}", action="search", arguments={"q": SECRET, SECRET: [SECRET]})
            step.record(observation=f"found {SECRET}")
        with iteration() as step, tool("look", {"for": SECRET}) as call:
            call.record({"result": SECRET})
        try:
            with iteration(), tool("fail", json.dumps({"q": SECRET})):
                raise LookupError(SECRET)
        except LookupError:
            pass
        return f"the answer is {SECRET}"

    answer(f"what is {SECRET}?")
    with pytest.raises(RuntimeError), session(SECRET, **options):
        raise RuntimeError(SECRET)


def bytes_that_leave(program: Program) -> str:
    """The journal, and all that any other exporter is given."""
    exported = [span.to_json() for span in program.spans]
    journal = [file.read_text() for file in Path(program.store).rglob("*.jsonl")]
    assert exported
    assert journal
    return "".join(exported + journal)


def test_content_is_recorded_by_default(program: Program) -> None:
    leak_everywhere()
    assert SECRET in bytes_that_leave(program)


@pytest.mark.parametrize("off", ["false", "0", "off", "No", "fasle"])
def test_one_switch_keeps_all_content_in_on_every_path(
    program: Program, monkeypatch: pytest.MonkeyPatch, off: str
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_CAPTURE_CONTENT", off)
    leak_everywhere()
    assert SECRET not in bytes_that_leave(program)
    first = program.sessions[0]
    assert [step.action for step in first.of(Analysis)] == ["search", "look", "fail"]
    assert [step.error for step in first.of(Observation)] == [None, None, "LookupError"]


def test_with_content_off_whoever_has_a_text_can_tell_that_it_was_this_one(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_CAPTURE_CONTENT", "false")
    leak_everywhere()
    first = program.sessions[0]
    look, found = next(first.of(Analysis)), next(first.of(Observation))
    assert first.conclusion
    texts = {
        f"what is {SECRET}?": first.question.digest,
        f"I know {SECRET}": look.thought_digest,
        f"found {SECRET}": found.digest,
        f"the answer is {SECRET}": first.conclusion.digest,
    }
    for text, digest in texts.items():
        assert digest == Digest(hashlib.sha256(text.encode()).hexdigest(), len(text))
    with Store(program.store) as store:
        store.take_in()
        kept = store.session(first.uri)
    assert kept
    assert kept.question.digest == first.question.digest


@pytest.mark.parametrize("redact", [None, lambda text: text.replace(SECRET, "***")])
def test_a_digest_is_that_of_the_redacted_text(program: Program, monkeypatch: pytest.MonkeyPatch, redact: Any) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_PROV_CAPTURE_CONTENT", "false")
    leak_everywhere(redact=redact)
    text = f"what is {'***' if redact else SECRET}?"
    digest = program.sessions[0].question.digest
    assert digest == Digest(hashlib.sha256(text.encode()).hexdigest(), len(text))


def test_a_redact_function_rewrites_every_text(program: Program) -> None:
    leak_everywhere(redact=lambda text: text.replace(SECRET, "***"))
    assert SECRET not in bytes_that_leave(program)
    told = program.sessions[0]
    assert told.question.text == "what is ***?"
    first = next(told.of(Analysis))
    assert first.arguments is not None
    assert json.loads(first.arguments) == {"q": "***", "***": ["***"]}


def test_a_redact_function_that_fails_lets_nothing_out(program: Program) -> None:
    def fails(text: str) -> str:
        raise ValueError("cannot say")

    leak_everywhere(redact=fails)
    assert SECRET not in bytes_that_leave(program)
    assert losses()["text left out: redact failed"] > 0
    assert program.sessions[0].question.text == "[redact failed]"


def test_redaction_reaches_numbers_and_leaves_the_others(program: Program) -> None:
    with session("?", redact=lambda text: text.replace("1234", "****")), iteration() as step:
        step.record(action="pay", arguments={"pin": 1234, "sum": 50, "ok": True})
    (analysis,) = program.session.of(Analysis)
    assert json.loads(analysis.arguments or "") == {"pin": "****", "sum": 50, "ok": True}


# Values that cannot be written -----------------------------------------------------------------------------------


class Unprintable:
    def __str__(self) -> str:
        raise ValueError("no words")

    __repr__ = __str__


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int
    label: object


CYCLE: dict[str, object] = {}
CYCLE["self"] = CYCLE


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("lone \ud800 surrogate", "lone \ufffd surrogate"),
        ("pair \ud83d\ude00", "pair \U0001f600"),
        (CYCLE, '{"self": "<cycle>"}'),
        ({"n": math.nan, "i": -math.inf}, '{"n": "nan", "i": "-inf"}'),
        (b"caf\xc3\xa9 \xff", "café \\xff"),
        (Unprintable(), "<Unprintable: ValueError>"),
        ([Unprintable(), 1], '["<Unprintable: ValueError>", 1]'),
        ({1: {2}, None: Colour.RED}, '{"1": [2], "None": "red"}'),
        (Point(1, Point(2, None)), '{"x": 1, "label": {"x": 2, "label": null}}'),
        pytest.param(10**5000, "<int: ValueError>", id="an integer of too many digits"),
    ],
)
def test_values_that_cannot_be_written_are_made_safe(program: Program, value: object, text: str) -> None:
    with session(value) as run, iteration() as step:
        step.record(action="a", observation=value, arguments={"it": value})
        run.record(answer=value)
    assert program.session.question.text == text
    assert next(program.session.of(Observation)).text == text
    assert program.session.conclusion.answer == text
    json.loads(next(program.session.of(Analysis)).arguments or "")
    assert len(program.spans) == 2


def test_no_iterator_is_consumed_and_no_unknown_method_called() -> None:
    items = iter([1, 2])
    assert to_text({"items": items}).startswith('{"items": "<list_iterator')
    assert list(items) == [1, 2]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=()))
    | st.binary(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=())) | st.integers(), inner)
    ),
    max_leaves=30,
)


@given(json_values)
def test_any_value_becomes_text_and_json_that_can_be_encoded(value: object) -> None:
    to_text(value).encode()
    text = json.dumps(plain(value), allow_nan=False)
    text.encode()
    json.loads(text)


@given(json_values, st.integers(1, 400))
def test_json_that_is_cut_is_short_enough_and_still_json(value: object, limit: int) -> None:
    structure = plain(value)
    text = fit_json(structure, limit)
    assert len(text) <= limit
    if json.dumps(structure) == text:
        assert json.loads(text) == structure
    else:
        assert "cut" in text or limit < 20
        json.loads(text)


@given(st.text(), st.integers(0, 200))
def test_text_that_is_cut_is_short_enough_and_says_so(text: str, limit: int) -> None:
    cut = fit_text(text, limit)
    assert len(cut) <= limit or cut == text
    assert cut == text or limit < 50 or f"cut: {len(text)} characters" in cut


@pytest.mark.parametrize("variable", ["OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT"])
def test_content_is_cut_below_the_limit_of_the_sdk_so_that_json_stays_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, variable: str
) -> None:
    monkeypatch.setenv(variable, "200")
    program: Program = request.getfixturevalue("program")
    with session("why? " * 100) as run, iteration() as step:
        step.record(action="a", arguments={"text": "x" * 1000, "list": list(range(1000))}, observation="y" * 1000)
        run.record(answer="z")
    (analysis,) = program.session.of(Analysis)
    assert "cut" in json.dumps(json.loads(analysis.arguments or ""))
    assert next(program.session.of(Observation)).text.endswith("[cut: 1000 characters in all]")  # type: ignore[union-attr]
    assert all(len(str(value)) <= 200 for span in program.spans for value in (span.attributes or {}).values())


def test_a_huge_text_is_cut_and_says_so(program: Program) -> None:
    with session("?") as run, iteration() as step:
        step.record(action="read", observation="x" * 20_000_000)
        run.record(answer="read")
    text = next(program.session.of(Observation)).text
    assert text is not None
    assert len(text) == 8 * 1024 * 1024
    assert text.endswith("[cut: 20000000 characters in all]")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(arguments=st.dictionaries(st.text(), json_values, max_size=4))
def test_arguments_given_as_json_text_and_as_a_value_are_the_same(program: Program, arguments: dict[str, Any]) -> None:
    program.exported.clear()
    value = plain(arguments)
    with session("?"):
        with iteration() as step:
            step.record(action="a", arguments=value)
        with iteration() as step:
            step.record(action="a", arguments=json.dumps(value))
    first, second, _ = program.spans
    assert first.attributes["agent.iteration.arguments"] == second.attributes["agent.iteration.arguments"]


def test_text_that_only_looks_like_json_is_a_json_string(program: Program) -> None:
    with session("?"), iteration() as step:
        step.record(action="search", arguments="{not json")
    assert next(program.session.of(Analysis)).arguments == '"{not json"'


# Nothing of ours harms the host ----------------------------------------------------------------------------------


class Faulty:
    """A span processor of somebody else's that fails at everything."""

    def on_start(self, span: object, parent_context: object = None) -> None:
        raise RuntimeError("on_start")

    def on_end(self, span: ReadableSpan) -> None:
        raise RuntimeError("on_end")

    _on_ending = on_end

    def shutdown(self) -> None:
        raise RuntimeError("shutdown")


def test_a_span_processor_that_fails_does_not_reach_the_agent(program: Program) -> None:
    program.provider.add_span_processor(Faulty())  # type: ignore[arg-type]
    before = losses().get("span not recorded", 0)

    @trace_agent
    def answer(question: str) -> str:
        with iteration() as step:
            step.record(thought="t", action="a", arguments={}, observation="o")
        with tool("t") as call:
            call.record("r")
        return "fine"

    assert answer("?") == "fine"
    assert losses()["span not recorded"] > before
