"""What is recorded is on disk at once, whatever happens to the process."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from otel_prov import losses
from otel_prov.read import parse_line, read
from otel_prov.record.journal import NOT_WRITTEN, Journal, files, hold, writer_of, writes
from otel_prov.steps import Analysis


def python(program: str, store: Path) -> subprocess.Popen[str]:
    """Start a program of its own that records into a store."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        env={**os.environ, "OTEL_EXPORTER_PROV_STORE": str(store)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def lines(store: Path) -> list[bytes]:
    return [line for file in files(store) for line in file.read_bytes().splitlines(keepends=True)]


def test_a_writer_holds_its_file_while_it_lives_and_only_then(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    assert journal.write(b"one\n")
    (file,) = files(tmp_path)
    assert writes(tmp_path, writer_of(file))
    with hold(file) as free:
        assert not free
    journal.close()
    assert not writes(tmp_path, writer_of(file))
    with hold(file) as free:
        assert free


def test_two_readers_that_ask_at_once_both_learn_that_the_writer_is_gone(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.write(b"one\n")
    journal.close()
    (file,) = files(tmp_path)
    with hold(file, shared=True) as first, hold(file, shared=True) as second:
        assert first
        assert second


def test_lines_of_many_threads_stay_whole(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    together = threading.Barrier(8)

    def write(letter: str) -> None:
        together.wait(timeout=10)
        for _ in range(200):
            journal.write(letter.encode() * 5000 + b"\n")

    threads = [threading.Thread(target=write, args=(letter,)) for letter in "abcdefgh"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(lines(tmp_path)) == sorted(letter.encode() * 5000 + b"\n" for letter in "abcdefgh" * 200)


def test_a_file_that_has_grown_large_is_let_go_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("otel_prov.record.journal._FILE_BYTES", 100)
    journal = Journal(tmp_path)
    for _ in range(5):
        journal.write(b"x" * 60 + b"\n")
    first, *_, last = files(tmp_path)
    assert len(lines(tmp_path)) == 5
    assert len({writer_of(file) for file in files(tmp_path)}) == 1
    with hold(first) as free:
        assert free
    with hold(last) as free:
        assert not free


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_a_forked_child_writes_a_file_of_its_own_and_leaves_its_parents_held(tmp_path: Path) -> None:
    agent = python(
        """
        import os, sys
        from otel_prov import install, iteration, session
        install()
        with session("parent", session_id="parent") as run:
            with run.iteration() as step:
                step.record(action="fork")
                pid = os.fork()
                if pid == 0:
                    with session("child", session_id="child") as inner:
                        inner.record(answer="from the child")
                    os._exit(0)
                os.waitpid(pid, 0)
            run.record(answer="from the parent")
            print("waiting", flush=True)
            sys.stdin.readline()
            __import__("time").sleep(600)
        """,
        tmp_path,
    )
    assert agent.stdout is not None
    assert agent.stdout.readline() == "waiting\n", agent.communicate()
    assert len(files(tmp_path)) == 2
    assert sorted(writes(tmp_path, writer_of(file)) for file in files(tmp_path)) == [False, True]
    agent.kill()
    agent.communicate()
    told = {s.question.text: s for s in read(span for line in lines(tmp_path) for span in parse_line(line))}
    assert told["child"].conclusion.answer == "from the child"
    assert [step.action for step in told["parent"].of(Analysis)] == ["fork"]


# Trouble ---------------------------------------------------------------------------------------------------------


def test_a_store_that_cannot_be_written_is_counted_and_logged_once_and_the_agent_goes_on(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file where a folder should be")
    agent = python(
        """
        import logging
        logging.basicConfig(format="%(name)s: %(message)s")
        from otel_prov import install, iteration, losses, trace_agent
        install()

        @trace_agent
        def answer(question):
            for number in range(5):
                with iteration() as step:
                    step.record(action="look", observation="seen")
            return "the answer"

        print(answer("?"))
        print(losses())
        """,
        tmp_path / "store",
    )
    out, log = agent.communicate(timeout=60)
    answer, counted = out.splitlines()
    assert answer == "the answer"
    assert NOT_WRITTEN in counted
    (line,) = log.splitlines()
    assert NOT_WRITTEN in line
    assert str(tmp_path / "store") in line


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with room for 64 KiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if not sys.platform.startswith("linux") or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small file system can't be mounted here: run the tests as root on Linux")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_is_counted_and_what_fits_again_is_written_whole(small_disk: Path) -> None:
    before = losses().get(NOT_WRITTEN, 0)
    filler = small_disk / "filler"
    journal = Journal(small_disk)
    assert journal.write(b"first\n")
    filler.write_bytes(b"x" * 40_000)
    assert not journal.write(b"y" * 60_000 + b"\n")
    assert losses()[NOT_WRITTEN] == before + 1
    filler.unlink()
    assert journal.write(b"last\n")
    journal.close()
    first, *torn, last = lines(small_disk)
    assert first == b"first\n"
    assert last == b"last\n"
    assert set(b"".join(torn)) <= set(b"y\n")
