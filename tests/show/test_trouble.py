"""What goes wrong is one line on standard error and an exit code, never a traceback."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from otel_prov.keep import Store, StoreError
from otel_prov.record.journal import Journal
from otel_prov.steps import Observation, Question, Session

from .conftest import OTEL_PROV
from .sessions import STARTED, a_session, line, uri

Call = Callable[..., Result]
Keep = Callable[..., None]
Run = Callable[..., subprocess.CompletedProcess[bytes]]

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions, pipes or devices")


def complaint(result: Result | subprocess.CompletedProcess[bytes]) -> str:
    """The one line on standard error."""
    error = result.stderr if isinstance(result.stderr, str) else result.stderr.decode()
    assert error.startswith("otel-prov: ")
    assert error.count("\n") == 1
    return error


def test_an_unknown_session_is_exit_1_with_the_remedy(call: Call, keep: Keep) -> None:
    keep(a_session(1))
    for command in (["show"], ["follow"], ["export", "-o", "x.nq"]):
        assert complaint(call(*command, "zz", expect=1)) == (
            "otel-prov: no session 'zz'; 'otel-prov list' shows what there is\n"
        )


def test_the_latest_of_no_sessions_says_how_to_record_one(call: Call) -> None:
    assert "@trace_agent" in complaint(call("show", "latest", expect=1))


def test_an_ambiguous_prefix_is_exit_2_and_lists_the_candidates(call: Call, keep: Keep) -> None:
    keep(a_session(1), a_session(2))
    for command in (["show"], ["follow"], ["export", "-o", "x.nq"]):
        assert call(*command, "0000000", expect=2).stderr == (
            f"otel-prov: '0000000' may be any of these sessions; give more of it:\n  {uri(1)}\n  {uri(2)}\n"
        )


@pytest.mark.parametrize(
    "arguments",
    [
        ["lst"],
        ["list", "--nope"],
        ["list", "--limit", "0"],
        ["list", "--since", "yesterday"],
        ["list", "--until", "99999999999d"],
        ["list", "--outcome", "fine"],
        ["show"],
        ["show", "latest", "--format", "yaml"],
        ["show", "latest", "--shape", "round"],
        ["export"],
        ["import"],
        ["prune"],
        ["prune", "--older-than", "30"],
        ["prune", "--max-size", "big"],
    ],
)
def test_wrong_usage_is_exit_2_and_names_the_help(call: Call, arguments: list[str]) -> None:
    assert "--help'" in complaint(call(*arguments, expect=2))


def test_help_and_version_are_exit_0(run: Run) -> None:
    assert b"Commands:" in run("--help").stdout
    assert run("-h").stdout == run().stdout == run("--help").stdout
    assert run("--version").stdout.startswith(b"otel-prov ")
    for command in ("list", "show", "follow", "export", "import", "prune"):
        assert b"Usage: " in run(command, "-h").stdout


def test_a_store_that_cannot_be_made_is_one_line(call: Call, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    complaint(call("--store", tmp_path / "file" / "store", "list", expect=1))
    complaint(call("--store", tmp_path / "file", "list", expect=2))


def test_a_newer_store_is_refused_in_one_line(call: Call, keep: Keep, folder: Path) -> None:
    keep(a_session(1))
    with sqlite3.connect(folder / "store.sqlite") as db:
        db.execute("PRAGMA user_version = 999")
    db.close()
    assert "upgrade" in complaint(call("list", expect=1))


def test_a_journal_that_cannot_be_taken_in_is_a_warning_and_the_rest_is_shown(
    call: Call, keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(a_session(1))

    def fail(store: Store) -> None:
        raise StoreError("the store is not writable")

    monkeypatch.setattr(Store, "take_in", fail)
    result = call("list")
    assert complaint(result) == "otel-prov: the store is not writable; showing what was taken in before\n"
    assert "overdue" in result.stdout


def test_a_journal_file_that_cannot_be_read_is_a_warning_too(keep: Keep, run: Run, folder: Path) -> None:
    keep(a_session(1))
    (folder / "journal" / "folder.1.jsonl").mkdir(parents=True)
    done = run("list")
    assert "folder.1.jsonl" in complaint(done)
    assert b"overdue" in done.stdout


def test_bad_lines_of_the_journal_are_counted_once(call: Call, folder: Path) -> None:
    journal = Journal(folder)
    journal.write(line(1, "invoke_agent", end=9, question="What is new?", outcome="final"))
    journal.write(b"{torn\n")
    journal.close()
    assert "1 line of the journal" in complaint(call("list"))
    assert call("list").stderr == ""


@posix
def test_a_reader_that_stops_early_is_no_trouble(keep: Keep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)  # with it, Python may take half a write for a whole one
    rows = "\n".join(f"row {number}" for number in range(100_000))
    keep(a_session(1, steps=(Question("?", STARTED), Observation(1, rows))))
    for arguments in (
        ["show", "latest", "--full"],
        ["show", "latest", "--format", "json"],
        ["export", "-o", "-", "--shape", "agent-session"],
    ):
        process = subprocess.Popen([*OTEL_PROV, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 1


@posix
@pytest.mark.parametrize("arguments", ["list", "list --json", "show latest --format nquads", "--help"])
def test_a_closed_standard_output_is_one_line(keep: Keep, arguments: str) -> None:
    keep(a_session(1))
    program = f"{' '.join(OTEL_PROV)} {arguments} >&-"
    done = subprocess.run(["/bin/sh", "-c", program], stderr=subprocess.PIPE, check=False)
    assert "standard output" in complaint(done)
    assert done.returncode == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", ["list", "list --json", "show latest", "export -o -"])
def test_a_full_standard_output_is_one_line(keep: Keep, run: Run, arguments: str) -> None:
    keep(a_session(1))
    with open("/dev/full", "wb") as full:
        assert "cannot write standard output" in complaint(run(*arguments.split(), stdout=full, expect=1))


def test_an_output_that_cannot_show_every_character_spells_them(
    keep: Keep, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(a_session(1, steps=(Question("Où est la clé 鍵?", STARTED),)))
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    assert rb"O\xf9 est la cl\xe9 \u9375?" in run("show", "latest").stdout
    assert rb"O\xf9 est la cl\xe9 \u9375?" in run("list").stdout
    assert "Où est la clé 鍵?".encode() in run("list", "--json").stdout


def test_a_file_name_that_the_output_cannot_show_is_no_trouble(
    keep: Keep, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(a_session(1))
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252")
    assert b"\\u9375.nq" in run("export", "-o", tmp_path / "鍵.nq").stdout


def test_prune_says_what_it_removed(call: Call, keep: Keep) -> None:
    keep(*(a_session(number) for number in range(3)), Session(uri(9), (Question("?", STARTED),)))
    assert call("prune", "--older-than", "52w").stdout == "Removed 0 sessions.\n"
    assert call("prune", "--max-size", "0B").stdout == "Removed 4 sessions.\n"
    assert call("list", expect=1).stdout == ""
