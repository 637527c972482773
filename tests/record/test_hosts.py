"""Hosts that fork, spawn, begin again, or end in the middle of something: what ended is kept, and nothing is said."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from otel_prov.keep import Store
from otel_prov.record.journal import files, writer_of

from .test_named import run

PROLOGUE = """
import asyncio, contextlib, multiprocessing, os, signal, sys
import otel_prov

@otel_prov.trace_agent(session_id=lambda question: question)
def answer(question):
    with otel_prov.iteration() as step:
        step.record(thought="Hm.", action="look", arguments={}, observation="seen")
    return "Because."

otel_prov.install()
"""

POOL = """
def main():
    answer("parent")
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        pool.map(answer, [f"child-{n}" for n in range(6)], chunksize=1)
        pool.close()
        pool.join()
    answer("parent again")

if __name__ == "__main__":
    main()
"""

PRELOADED = """
answer("preload")
workers = []
for number in range(3):
    ready, done = os.pipe()
    if not (worker := os.fork()):
        for request in range(2):
            answer(f"worker-{number}-{request}")
        os.write(done, b".")
        signal.pause()
    os.read(ready, 1)
    workers.append(worker)
for worker in workers:
    os.kill(worker, signal.SIGTERM)
    os.waitpid(worker, 0)
"""

SERVED = (
    PROLOGUE
    + """
answer("preload")

def application(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [answer(environ["PATH_INFO"]).encode()]
"""
)

CELLS = """
import importlib
from otel_prov.record import exporter, install, processor, recorder

CELL = "import otel_prov as p; p.install(); ask = p.trace_agent(session_id=lambda q: q)(lambda q: 'Because.')"

notebook = {}
for number in range(3):
    exec(CELL, notebook)
    notebook["ask"](f"cell-{number}")
for module in (recorder, processor, exporter, install, otel_prov):
    importlib.reload(module)
exec(CELL, notebook)
notebook["ask"]("reloaded")
"""

TWO_LOOPS = """
async def ask(question):
    await asyncio.sleep(0)
    return answer(question)

async def main(name):
    await asyncio.gather(*(ask(f"{name}-{n}") for n in range(3)))

asyncio.run(main("first"))
otel_prov.install()
asyncio.run(main("second"))
"""

OPEN = """
answer("ended")
otel_prov.session("?", session_id="open").__enter__()
otel_prov.iteration().__enter__().record(thought="Hm.", action="wait", arguments={})
"""


def outcomes(store: Path, program: str, *arguments: str) -> dict[str, str | None]:
    """How the sessions ended that a program has begun which names several exporters, and says nothing."""
    file = store.with_suffix(".py")
    file.write_text(PROLOGUE + program)
    command = [sys.executable, "-W", "ignore::DeprecationWarning", str(file), *arguments]
    done: subprocess.CompletedProcess[str] = run(store, *command, OTEL_TRACES_EXPORTER="console,prov")
    assert done.stderr == ""
    return ends(store)


def ends(store: Path) -> dict[str, str | None]:
    """How each session ended."""
    with Store(store) as kept:
        kept.take_in()
        return {summary.uri.rpartition(":")[2]: summary.outcome for summary in kept.sessions(limit=None)}


forks = pytest.mark.skipif(sys.platform == "win32", reason="there is no fork on Windows")


@pytest.mark.parametrize("method", [pytest.param("fork", marks=forks), "spawn"])
def test_each_process_of_a_pool_records_what_it_runs(tmp_path: Path, method: str) -> None:
    found = outcomes(tmp_path / "store", POOL, method)
    assert found == dict.fromkeys(["parent", "parent%20again", *(f"child-{n}" for n in range(6))], "final")


@forks
def test_workers_that_were_forked_after_preloading_and_are_ended_have_lost_nothing(tmp_path: Path) -> None:
    found = outcomes(tmp_path / "store", PRELOADED)
    assert found.pop("preload") == "final"
    assert Counter(found.values()) == {"final": 6}


@forks
def test_gunicorn_preloads_and_forks_and_no_request_is_lost(tmp_path: Path) -> None:
    pytest.importorskip("gunicorn", reason="not installed; pip install gunicorn")
    store, server = tmp_path / "store", tmp_path / "s"
    (tmp_path / "served.py").write_text(SERVED)
    options = ["--preload", "--workers", "3", "--bind", f"unix:{server}", "--chdir", str(tmp_path)]
    process = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", *options, "--no-control-socket", "served:application"],
        env={**os.environ, "OTEL_EXPORTER_PROV_STORE": str(store), "OTEL_TRACES_EXPORTER": "prov"},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while not server.exists():
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        assert {request(server, f"/{number}") for number in range(12)} == {b"Because."}
        process.terminate()
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert "Traceback" not in said
    writers = {writer_of(file) for file in files(store)}
    assert len(writers) > 1, "the process that preloads, and the workers that have served"
    assert ends(store) == dict.fromkeys(["preload", *(f"%2F{number}" for number in range(12))], "final")


def request(server: Path, path: str) -> bytes:
    """What a server answers that listens on a socket in the file system."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(server))
        connection.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
        with connection.makefile("rb") as answer:
            return answer.read().partition(b"\r\n\r\n")[2]


def test_a_notebook_whose_cells_run_again_records_each_session_once(tmp_path: Path) -> None:
    found = outcomes(tmp_path / "store", CELLS)
    assert found == dict.fromkeys(["cell-0", "cell-1", "cell-2", "reloaded"], "final")


def test_one_event_loop_after_the_other_records_all(tmp_path: Path) -> None:
    found = outcomes(tmp_path / "store", TWO_LOOPS)
    assert found == {f"{name}-{n}": "final" for name in ("first", "second") for n in range(3)}


def test_a_program_that_ends_with_open_spans_ends_quietly(tmp_path: Path) -> None:
    assert outcomes(tmp_path / "store", OPEN) == {"ended": "final", "open": "interrupted"}
