"""The examples that show the whole way on real servers, run as a reader runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.servers.cache import folder
from tests.test_readme import block

pytest.importorskip("otel_prov_exporter_pulsar", reason="not installed; pip install -e exporters/pulsar")

pytestmark = pytest.mark.integration

EXAMPLES = Path(__file__).parents[2] / "examples"


def demo(temporary: Path, program: str = "trustgraph_demo.py", **variables: str) -> str:
    """What it prints; it ends well, and leaves nothing in the folder for temporary files."""
    told = {"OTEL_PROV_CACHE": str(folder()), "TMPDIR": str(temporary), "PYTHONUTF8": "1", **variables}
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / program)],
        env={**os.environ, **told},
        capture_output=True,
        encoding="utf-8",
        timeout=900,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [each.name for each in temporary.iterdir() if each.name.startswith("otel-prov-demo")] == []
    return done.stdout


def test_it_shows_the_agents_sessions_in_trustgraph(tmp_path: Path) -> None:
    printed = demo(tmp_path)
    if skipped := re.search("^Skipped: (.*)", printed, re.MULTILINE):
        pytest.skip(skipped[1])
    agent, status, listed, shown = re.split(r"^\$ (?:otel-prov status|tg-\S+ .*)$", printed, flags=re.MULTILINE)
    answers = re.findall(r"^    (.*)$", agent, re.MULTILINE)
    assert "times as large as" in answers[0]
    assert re.search(r"^  Pending +0$", status, re.MULTILINE)
    assert re.search(r"^  Sent +[1-9]\d*$", status, re.MULTILINE)
    assert listed.count("urn:trustgraph:agent:") == 2
    assert "Question: Which version of the OpenTelemetry SDK is here, and what does it need?" in shown
    assert "Action: look_up" in shown
    assert "Error: no package is named 'OpenTelemetry SDK'" in shown
    assert answers[1] in shown


def test_without_java_it_says_what_is_missing_and_how_to_get_it(tmp_path: Path) -> None:
    printed = demo(tmp_path, JAVA_HOME=str(tmp_path / "nowhere"))
    assert "Skipped: no Java: " in printed
    assert "install Java 17 or later" in printed


def commands(text: str, mark: str) -> list[str]:
    """Commands, without comments, and with no address in particular."""
    lines = [line.partition("#")[0].strip() for line in re.findall(f"^{mark}(.*)$", text, re.MULTILINE)]
    return [re.sub(r"(localhost|127\.0\.0\.1):\d+", "HERE", line) for line in lines if line]


def test_jaeger_and_trustgraph_in_two_minutes_is_what_the_readme_says(tmp_path: Path) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp", reason="not installed; pip install opentelemetry-exporter-otlp")
    printed = demo(tmp_path, "jaeger_demo.py")
    if skipped := re.search("^Skipped: (.*)|^Without TrustGraph, (.*)", printed, re.MULTILINE):
        pytest.skip(skipped[1] or skipped[2])
    assert commands(printed, r"\$ ") == commands(block("jaeger"), "")
    assert "FAIL" not in printed
    left, right = re.findall(r"Jaeger: trace (\w{32}) .*?(urn:trustgraph:agent:\S+) ", printed, re.DOTALL)[0]
    assert f"Session          {right}\nTrace            {left}\n" in printed
    assert re.search(r"^\s*│   thought: Perhaps the name .* │   thought: Perhaps the name .* │$", printed, re.MULTILINE)
    assert "The same 10 steps in both." in printed


def test_without_java_the_graph_beside_jaeger_is_that_of_the_store(tmp_path: Path) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp", reason="not installed; pip install opentelemetry-exporter-otlp")
    printed = demo(tmp_path, "jaeger_demo.py", JAVA_HOME=str(tmp_path / "nowhere"))
    if skipped := re.search("^Skipped: (.*)", printed, re.MULTILINE):
        pytest.skip(skipped[1])
    assert "Without TrustGraph, so the graph is that of the local store: no Java: " in printed
    assert "The same 10 steps in both." in printed
