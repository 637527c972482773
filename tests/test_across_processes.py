"""A session that goes on in a server of another process, over real HTTP: one session, one trace."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from otel_prov import inject, names, session
from otel_prov.instrument.context import FIELDS, derived_parent
from otel_prov.keep import WAITING, Store
from otel_prov.steps import Analysis, Conclusion, Observation
from tests.conftest import Program

DOCUMENT = (Path(__file__).parents[1] / "docs" / "context.md").read_text(encoding="utf-8")

SERVER = """
import http.server, os
import otel_prov

class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        question = self.rfile.read(int(self.headers["Content-Length"])).decode()
        with otel_prov.session(question, name="server", context=otel_prov.extract(self.headers)) as run:
            with run.iteration() as step:
                step.record(thought="I look.", action="look", observation=os.getpid())
            with run.iteration() as step:
                step.record(thought="I see.")
            run.record(answer="the answer")
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments):
        pass

otel_prov.install()
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


@pytest.fixture
def server(program: Program) -> Iterator[subprocess.Popen[str]]:
    """A web server in another process, with the same store."""
    process = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate()


def post(server: subprocess.Popen[str], question: str, headers: dict[str, str]) -> None:
    """Returns when the server has answered."""
    assert server.stdout is not None
    request = Request(f"http://127.0.0.1:{server.stdout.readline().strip()}/", question.encode(), headers)
    with build_opener(ProxyHandler({})).open(request, timeout=60) as reply:
        assert reply.status == 204


def test_a_server_goes_on_with_the_session_of_its_client(program: Program, server: subprocess.Popen[str]) -> None:
    headers: dict[str, str] = {}  # urllib sends them as Otel-prov-session
    with session("the question", name="client", user="ada", collection="papers") as run:
        with run.iteration() as step:
            step.record(thought="I ask the server.", action="ask", observation="asked")
        inject(headers)
    with Store(program.store) as store:
        store.take_in()
        assert [each.outcome for each in store.sessions()] == [WAITING]

        post(server, "the question", headers)
        store.take_in()
        (listed,) = store.sessions()
        told = store.session(run.uri)
    assert told is not None
    assert told.steps[1:] == (
        Analysis(1, "I ask the server.", "ask"),
        Observation(1, "asked"),
        Analysis(2, "I look.", "look"),
        Observation(2, str(server.pid)),
        Conclusion("the answer", "I see."),
    )
    assert (listed.uri, listed.outcome, listed.iterations) == (run.uri, names.OUTCOME_FINAL, 2)
    assert (told.user, told.collection, told.agent) == ("ada", "papers", "client")
    assert {span.trace_id for span in program.recorded} == {told.trace_id}


def test_a_server_to_which_damaged_headers_come_does_its_work(program: Program, server: subprocess.Popen[str]) -> None:
    headers = {"traceparent": "00-xyz", "otel-prov-session": "s-1%zz", "otel-prov-iteration": "two"}
    post(server, "the question", headers)
    (told,) = program.sessions
    assert told.uri != "urn:trustgraph:agent:s-1"
    assert (told.outcome, [step.number for step in told.of(Analysis)]) == (names.OUTCOME_FINAL, [1])


def block(mark: str) -> str:
    """The code of docs/context.md that follows a mark."""
    found = re.search(rf"<!-- run: {mark} -->\n```\w+\n(.*?)```", DOCUMENT, re.DOTALL)
    assert found, mark
    return found[1]


def test_the_document_does_what_it_says(program: Program) -> None:
    done = subprocess.run(
        [sys.executable, "-c", block("both ends") + "\nprint(sorted(headers))"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == (f"{sorted(['traceparent', *FIELDS])}\n", "")
    (told,) = program.sessions
    assert told.steps[1:] == (
        Analysis(1, "The log will tell.", "ask_archive"),
        Observation(1, "The archive is asked."),
        Conclusion("The north pump.", "The north pump stopped at noon."),
    )
    assert told.user == "ada"
    for code in re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL):
        compile(code, "docs/context.md", "exec")


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="no sha256sum here")
def test_the_document_says_how_a_trace_is_derived() -> None:
    done = subprocess.run(
        ["sh", "-c", block("digest")],
        env={**os.environ, "SESSION_ID": "s-1"},
        capture_output=True,
        text=True,
        check=True,
    )
    parent = derived_parent("s-1")
    assert done.stdout.startswith(f"{parent.trace_id:032x}{parent.span_id:016x}")


def test_the_document_names_what_travels() -> None:
    assert set(re.findall(r"`(otel-prov-\w+)`", DOCUMENT)) == set(FIELDS)
