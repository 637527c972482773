"""TrustGraph's own ReAct agent, traced from outside by us: what we say of it is what it says of itself, and more."""

from __future__ import annotations

import json
import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

from otel_prov.instrument.context import derived_parent
from otel_prov.keep import Store
from otel_prov.steps import Analysis, Conclusion, Observation

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
_RUN = "import sys, runpy; sys.path += sys.argv[2:]; runpy.run_path(sys.argv[1], run_name='__main__')"


@pytest.fixture(scope="module")
def folder(trustgraph_environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store that the example has recorded into, and what it printed, as ``printed``.

    It runs in TrustGraph's own environment, with our packages behind those that are there.
    """
    folder = tmp_path_factory.mktemp("agent")
    example = ROOT / "examples" / "trustgraph_agent.py"
    python = trustgraph_environment / "bin" / "python"
    command = [python, "-c", _RUN, example, example.parent, ROOT, sysconfig.get_path("purelib")]
    env = {**os.environ, "OTEL_EXPORTER_PROV_STORE": str(folder), "OTEL_TRACES_EXPORTER": "prov"}
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=300, env=env, check=False)
    assert done.returncode == 0, done.stderr
    (folder / "printed").write_text(done.stdout)
    return folder


def test_each_message_is_an_iteration_of_one_session(folder: Path) -> None:
    with Store(folder) as store:
        store.take_in()
        (summary,) = store.sessions()
        session = store.session(summary.uri)
    assert session is not None
    assert (session.agent, session.outcome) == ("agent-manager", "final")
    trace_id = f"{derived_parent(session.uri.rpartition(':')[2]).trace_id:032x}"
    assert session.trace_id == trace_id, "whichever process takes a message knows it from the session's id"
    assert [(step.number, step.action) for step in session.of(Analysis)] == [(1, "knowledge-query"), (2, "reckon")]
    assert json.loads(next(session.of(Analysis)).arguments or "") == {"question": "When was each bridge built?"}
    assert [step.text for step in session.of(Observation)][1] == "154"
    assert session.conclusion == Conclusion("The mill bridge; it was 154 years old.", "I know both.")


def test_ours_says_all_that_trustgraph_says_and_adds_texts_and_the_last_thought(folder: Path) -> None:
    printed = (folder / "printed").read_text()
    _, _, rest = printed.partition("Statements of TrustGraph alone: ")
    theirs, _, ours = rest.partition("Statements of ours alone: ")
    assert predicates(theirs) == {("/", "prov#startedAtTime")}  # each looks at the clock itself
    added = {each for each in predicates(ours) if not each[1].endswith("DurationMs")}
    assert {each for each in added if not each[0].startswith("/final")} == {
        ("/i1", "stepNumber"),
        ("/i2", "stepNumber"),
        ("/", "prov#startedAtTime"),
        ("/i1/thought", "content"),
        ("/i1/observation", "content"),
        ("/i2/thought", "content"),
        ("/i2/observation", "content"),
    }
    assert ("/final", "content") in predicates(ours)
    assert ("/final", "thought") in predicates(ours)
    assert ("/final", "terminationReason") in predicates(ours)


def predicates(told: str) -> set[tuple[str, str]]:
    """Subject and predicate of each statement."""
    return {(words[0], words[1]) for line in told.splitlines()[1:] if len(words := line.split()) > 1}
