"""From an agent's program to a real store, and back to the command line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import Store
from otel_prov.describe import Literal, Quad, describe
from otel_prov.names import session_uri
from tests.command import invoke
from tests.integration.deployment import OTEL_PROV, Deployment
from tests.integration.servers.oxigraph import Oxigraph

from otel_prov_exporter_sparql import source

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[3]

Deploy = Callable[..., Deployment]

UNKNOWN_THERE = {"agent", "user", "model", "trace_id", "trace_url", "ended", "duration", "collection"}
UNKNOWN_THERE |= {"span", "observation_span", "answer_span"}

AGENT = r"""
import sys
import otel_prov

@otel_prov.trace_agent(name="clerk", model="rules-1", session_id=lambda question, name: name)
def clerk(question, name):
    with otel_prov.iteration() as step:
        step.record(thought="Die Bücher wissen \\u0041 es. 🐛", action="look", arguments={"at": [1, None], "in": "file:///shelf/1"})
        step.record(observation="l\n" * 100 + '"quoted"')
    with otel_prov.iteration() as step:
        step.record(thought="Once more.")
    return "Zwei."

otel_prov.install()
clerk("Warum, \\ und \"wie\"?", sys.argv[1])
assert otel_prov.losses() == {}
"""


def known_there(document: Any) -> Any:
    """What the explanation view has of a document: not the spans that told of it, for one thing."""
    if isinstance(document, list):
        return [known_there(each) for each in document]
    if not isinstance(document, dict):
        return document
    return {key: known_there(value) for key, value in document.items() if key not in UNKNOWN_THERE}


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The command, called in this process: ``here(machine, "show", …)``."""

    def call(machine: Deployment, *arguments: object) -> str:
        monkeypatch.setenv("OTEL_EXPORTER_PROV_STORE", str(machine.folder))
        result = invoke(*arguments)
        assert (result.exit_code, result.stderr) == (0, ""), result.output
        return result.stdout

    return call


def test_what_an_agent_did_is_shown_from_the_store_as_from_the_local_one(
    store: Store, deploy: Deploy, here: Callable[..., str], tmp_path: Path
) -> None:
    name = f"e2e-{type(store).__name__}".lower()
    machine = deploy(store.update_url, view="both")
    program = tmp_path / "agent.py"
    program.write_text(AGENT, encoding="utf-8")
    machine.run(sys.executable, program, name)
    machine.wait_until_delivered()
    there = ("--from", store.update_url)
    local, remote = (json.loads(here(machine, "show", name, "--format", "json", *at)) for at in ((), there))
    assert known_there(remote) == known_there(local)
    assert len(local["iterations"]) == 1
    rdf = ("show", name, "--format", "nquads")
    assert here(machine, *rdf, *there) == here(machine, *rdf)
    listed = json.loads(here(machine, "list", *there, "--json", "--text", "wissen \\U0041 ES"))
    assert session_uri(name) in [each["uri"] for each in listed]
    assert "Warum" in here(machine, "list", *there)
    assert here(machine, "why", name, *there) == here(machine, "why", name)
    affected, known = (json.loads(here(machine, "impact", "file:///shelf", "--json", *at)) for at in (there, ()))
    assert affected == known
    assert [each["session"] for each in affected] == [session_uri(name)]
    for at, file in (((), "here"), (there, "there")):
        here(machine, "export", name, *at, "-o", tmp_path / f"{file}.nq")
    assert (tmp_path / "there.nq").read_bytes() == (tmp_path / "here.nq").read_bytes()
    (session,) = machine.sessions()
    with source(store.update_url) as stored:
        assert set(map(by_value, stored.quads(session.uri))) == set(map(by_value, describe(session, view="both")))


def by_value(quad: Quad) -> tuple[object, ...]:
    """The quad with its time as a time: stores may write it anew."""
    target: object = quad.object
    if isinstance(quad.object, Literal) and quad.object.datatype.endswith("dateTime"):
        target = datetime.fromisoformat(re.sub(r"\.(\d+)", lambda found: f".{found[1]:0<6}", quad.object.text[:-1]))
    return quad.subject, quad.predicate, target, quad.graph


@pytest.mark.parametrize("readme", ["README.md", "exporters/sparql/README.md"])
def test_the_commands_in_the_readme_work_as_written(
    oxigraph: Oxigraph, deploy: Deploy, tmp_path: Path, readme: str
) -> None:
    text = (ROOT / readme).read_text(encoding="utf-8")
    block = re.search(
        r"(?:```sh\n|\n    )(pip install [^\n]*otel-prov-exporter-sparql\n.*?)(?:```|\n\n)", text, re.DOTALL
    )
    assert block
    lines = [line.strip() for line in block[1].splitlines() if not line.startswith("pip install")]
    script = re.sub(r"sparql\+http://localhost:\d+/\S+", oxigraph.update_url, "\n".join(lines))
    assert script.count(oxigraph.update_url) >= 2
    machine = deploy("file:///unused")
    (tmp_path / "agent.py").write_text(AGENT.replace("sys.argv[1]", repr(f"readme-{len(readme)}")), encoding="utf-8")
    before, _, after = script.partition("python agent.py")
    machine.environment["PATH"] = f"{Path(sys.executable).parent}:{machine.environment['PATH']}"
    machine.environment |= dict(re.findall(r"export (\w+)=(\S+)", before))
    assert machine.run("sh", "-ec", f"cd {tmp_path}\n{before}\npython agent.py") == ""
    machine.identity = oxigraph.update_url
    machine.wait_until_delivered()
    shown = machine.run("sh", "-ec", after)
    assert "Warum" in shown
    assert f"readme-{len(readme)}" in shown


def test_a_store_that_is_down_at_first_and_killed_in_between_has_every_session_once(
    oxigraph: Oxigraph, deploy: Deploy, tmp_path: Path
) -> None:
    oxigraph.stop()
    machine = deploy(oxigraph.update_url)
    machine.agents(30, "e2e-down")
    machine.wait_for_trouble("nothing listens there; the store is away")
    oxigraph.start()
    machine.agents(30, "e2e-killed")
    oxigraph.process.kill()
    oxigraph.start()
    machine.wait_until_delivered()
    sent = {each.uri: each.steps for each in machine.sessions()}
    assert len(sent) == 60
    there, here = tmp_path / "there.nq", tmp_path / "here.nq"
    machine.otel_prov("export", "--from", oxigraph.update_url, "-o", there, "--text", "Why e2e-")
    machine.otel_prov("export", "-o", here)
    assert sorted(there.read_bytes().splitlines()) == sorted(here.read_bytes().splitlines())
    assert machine.quarantined == []


def test_without_the_package_the_command_says_what_to_install(tmp_path: Path) -> None:
    hidden = "import importlib.metadata as m; m.entry_points = lambda **wanted: []; "
    program = f"{hidden}from otel_prov.show.cli import main; main(['list', '--from', 'sparql+http://host/ds'])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    remedy = "pip install otel-prov-exporter-sparql"
    assert done.stderr == f"otel-prov: reading from sparql+http:// needs a package that is missing; {remedy}\n"


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (
            ["--from", "sparql+http://ann:hidden@host:x/ds"],
            1,
            "no address of a SPARQL store; write it like sparql+http",
        ),
        (["--from", "sparql+http://host/ds", "--collection", "x"], 1, "knows no collections; leave out --collection"),
        (["--from", "sparql+http://host/ds", "--agent", "x"], 2, "leave out --agent"),
        (["--from", "sparql+http://ann:hidden@nowhere.invalid/ds"], 1, "there is no host of this name"),
    ],
)
def test_what_cannot_be_asked_for_is_one_line(options: list[str], code: int, said: str, tmp_path: Path) -> None:
    done = subprocess.run([*OTEL_PROV, "list", *options], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (code, "", 1)
    assert said in done.stderr
    assert "hidden" not in done.stderr


def test_a_store_without_sessions_is_said_to_have_none(tmp_path: Path, stand_in: Any) -> None:
    done = subprocess.run([*OTEL_PROV, "list", "--from", stand_in.url], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    queries = stand_in.url.removeprefix("sparql+").replace("/update", "/query")
    assert done.stderr == (f"otel-prov: no sessions in the store at {queries}; 'otel-prov deliver' sends some there\n")


def test_the_doctor_asks_the_store(oxigraph: Oxigraph, deploy: Deploy) -> None:
    machine = deploy(oxigraph.update_url)
    machine.configure(OTEL_TRACES_EXPORTER="prov")
    assert f"endpoint {oxigraph.update_url}: reached, and lets us in" in machine.otel_prov("doctor")
