"""``otel-prov export`` and ``otel-prov import``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from otel_prov.describe import SHAPES, dataset
from otel_prov.describe.formats import FORMATS
from otel_prov.keep import Store
from tests.rdf import read_rdf

from .sessions import PARSERS, a_session, an_id, line, uri

Call = Callable[..., Result]
Keep = Callable[..., None]


@pytest.mark.parametrize("format", FORMATS)
def test_the_name_of_the_file_says_its_format(call: Call, keep: Keep, tmp_path: Path, format: str) -> None:
    keep(a_session(1), a_session(2))
    target = tmp_path / f"all{FORMATS[format]}"
    assert call("export", "-o", target).stdout == f"Wrote 2 sessions to {target}\n"
    written = {quad[:3] for quad in read_rdf(target, PARSERS[format]).quads()}
    assert written == {quad[:3] for quad in dataset([a_session(1), a_session(2)]).quads()}


def test_format_and_shape_can_be_asked_for(call: Call, keep: Keep, tmp_path: Path) -> None:
    keep(a_session(1))
    target = tmp_path / "sessions.txt"
    call("export", "-o", target, "--format", "nquads", "--shape", "agent-session")
    written = read_rdf(target, "nquads")
    assert set(written.quads()) == set(dataset([a_session(1)], "agent-session").quads())


def test_some_are_chosen_by_reference_or_by_filters(call: Call, keep: Keep, tmp_path: Path) -> None:
    keep(a_session(1), a_session(2, outcome="error"), a_session(3))
    for options, number in [(["00000001", "latest", uri(1)], 2), (["--outcome", "error"], 1), (["--limit", "1"], 1)]:
        result = call("export", *options, "-o", tmp_path / "some.nq")
        assert result.stdout.startswith(f"Wrote {number} session")


def test_references_and_filters_together_are_a_usage_error(call: Call, keep: Keep, tmp_path: Path) -> None:
    keep(a_session(1))
    assert "not both" in call("export", "latest", "--limit", 1, "-o", tmp_path / "x.nq", expect=2).stderr


def test_a_dash_writes_to_standard_output_and_reports_beside_it(call: Call, keep: Keep) -> None:
    keep(a_session(1))
    result = call("export", "-o", "-")
    assert set(read_rdf(result.stdout, "nquads").quads()) == set(dataset([a_session(1)]).quads())
    assert result.stderr == "Wrote 1 session.\n"


def test_a_name_without_a_format_is_a_usage_error(call: Call, keep: Keep, tmp_path: Path) -> None:
    keep(a_session(1))
    error = call("export", "-o", tmp_path / "sessions.xyz", expect=2).stderr
    assert error.startswith("otel-prov: No format is known for 'sessions.xyz'")
    assert error.count("\n") == 1


def test_nothing_to_export_leaves_no_file(call: Call, keep: Keep, tmp_path: Path) -> None:
    keep(a_session(1))
    call("export", "--agent", "nobody", "-o", tmp_path / "none.nq", expect=1)
    assert not (tmp_path / "none.nq").exists()


def test_an_export_that_fails_leaves_the_old_file_and_no_half_one(
    call: Call, keep: Keep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(a_session(1), a_session(2))
    target = tmp_path / "out" / "all.nq"
    target.parent.mkdir()
    target.write_text("old")
    session = Store.session

    def fail_at_the_second(store: Store, wanted: str) -> object:
        if wanted == uri(1):
            raise OSError(28, "No space left on device")
        return session(store, wanted)

    monkeypatch.setattr(Store, "session", fail_at_the_second)
    assert "cannot write" in call("export", "-o", target, expect=1).stderr
    assert target.read_text() == "old"
    assert list(target.parent.iterdir()) == [target]


def test_a_place_that_cannot_be_written_is_one_line(call: Call, keep: Keep, tmp_path: Path) -> None:
    keep(a_session(1))
    target = tmp_path / "nowhere" / "all.nq"
    error = call("export", "-o", target, expect=1).stderr
    assert error.startswith(f"otel-prov: cannot write {target}: ")
    assert error.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes among its files")
def test_a_pipe_or_a_device_is_written_in_place(call: Call, keep: Keep, tmp_path: Path) -> None:
    keep(a_session(1))
    pipe = tmp_path / "pipe.nq"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    call("export", "-o", pipe)
    assert os.read(reader, 100).startswith(b"<urn:trustgraph:agent:")
    os.close(reader)
    assert pipe.is_fifo()


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_what_was_exported_in_any_shape_can_be_imported_and_shown(
    call: Call, keep: Keep, tmp_path: Path, shape: str, format: str
) -> None:
    keep(a_session(1))
    target = tmp_path / f"all{FORMATS[format]}"
    call("export", "-o", target, "--shape", shape)
    there = ["--store", tmp_path / "there"]
    assert call(*there, "import", target).stdout == f"Took in 1 session from {target}\n"
    assert json.loads(call(*there, "list", "--json").stdout)[0]["uri"] == uri(1)
    here, imported = (json.loads(call(*at, "show", uri(1), "--format", "json").stdout) for at in ([], there))
    for key in ("question", "started", "iterations", "thought", "answer"):
        assert imported[key] == here[key]
    assert here["answer"] in call(*there, "show", an_id(1)).stdout


def test_a_foreign_graph_of_a_session_is_listed_and_shown(call: Call, tmp_path: Path) -> None:
    target = tmp_path / "theirs.ttl"
    target.write_text("""
        @prefix tg: <https://trustgraph.ai/ns/> . @prefix prov: <http://www.w3.org/ns/prov#> .
        <urn:trustgraph:agent:theirs> a tg:AgentSession ;
            tg:query "Who was first?" ; prov:startedAtTime "2026-01-01T00:00:00Z" .
        <urn:trustgraph:agent:theirs/i1> a tg:AgentIteration ; prov:wasDerivedFrom <urn:trustgraph:agent:theirs> ;
            tg:thought "I look it up." ; tg:action "search" ; tg:arguments "{}" ; tg:observation "Ada" .
        <urn:trustgraph:agent:theirs/final> a tg:AgentFinal ;
            prov:wasDerivedFrom <urn:trustgraph:agent:theirs/i1> ; tg:answer "Ada." .
    """)
    call("import", target)
    assert "Who was first?" in call("list").stdout
    shown = call("show", "theirs").stdout
    assert "Observation    Ada\n" in shown
    assert "Answer         Ada.\n" in shown


def test_otlp_lines_come_in_and_the_bad_ones_are_counted(call: Call, tmp_path: Path) -> None:
    target = tmp_path / "spans.jsonl"
    known = line(1, "invoke_agent", end=9, question="What is new?", answer="Nothing.", outcome="final")
    senseless = line(2, "invoke_agent", question="When?").replace(
        b'"startTimeUnixNano": "', b'"startTimeUnixNano": "99999'
    )
    target.write_bytes(known + b"\n" + b"{torn\n" + b'{"resourceMetrics": []}\n' + senseless)
    assert call("import", target).stdout == f"Took in 1 session from {target}; 3 lines not understood\n"
    assert "Nothing." in call("show", "latest").stdout


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("notes.txt", "These are notes."),
        ("broken.ttl", "<a> <b> ."),
        ("broken.jsonld", "{"),
        ("empty.nq", ""),
        ("other.ttl", "<urn:a> <urn:b> <urn:c> ."),
        ("foreign.jsonl", '{"resourceSpans": []}\n'),
        ("torn.jsonl", "{"),
        ("binary.trig", "\x00\x01\x02"),
    ],
)
def test_a_file_without_a_session_is_one_line_and_exit_1(call: Call, tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    error = call("import", tmp_path / name, expect=1).stderr
    assert error.startswith("otel-prov: ")
    assert name in error
    assert error.count("\n") == 1


def test_good_files_come_in_beside_bad_ones(call: Call, keep: Keep, tmp_path: Path) -> None:
    keep(a_session(1))
    call("export", "-o", tmp_path / "good.nq")
    there = ["--store", tmp_path / "there"]
    result = call(*there, "import", tmp_path / "missing.nq", tmp_path, tmp_path / "good.nq", expect=1)
    assert result.stderr.count("otel-prov: cannot read") == result.stderr.count("\n") == 2
    assert result.stdout == f"Took in 1 session from {tmp_path / 'good.nq'}\n"


def test_a_progress_bar_is_for_terminals_only(
    keep: Keep,
    tmp_path: Path,
    run: Callable[..., subprocess.CompletedProcess[bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keep(a_session(1))
    assert run("export", "-o", tmp_path / "all.nq").stderr == b""
    monkeypatch.setenv("FORCE_COLOR", "1")  # as good as a terminal
    assert b"Exporting" in run("export", "-o", tmp_path / "all.nq").stderr
    assert run("export", "-o", "-").stderr == b"Wrote 1 session.\n"
