"""The example that shows the whole way to TrustGraph, run as a reader runs it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.servers.cache import folder

pytest.importorskip("otel_prov_exporter_pulsar", reason="not installed; pip install -e exporters/pulsar")

pytestmark = pytest.mark.integration

DEMO = Path(__file__).parents[2] / "examples" / "trustgraph_demo.py"


def demo(temporary: Path, **variables: str) -> str:
    """What it prints; it ends well, and leaves nothing in the folder for temporary files."""
    told = {"OTEL_PROV_CACHE": str(folder()), "TMPDIR": str(temporary), "PYTHONUTF8": "1", **variables}
    done = subprocess.run(
        [sys.executable, str(DEMO)], env={**os.environ, **told}, capture_output=True, encoding="utf-8", timeout=900
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
