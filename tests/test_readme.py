"""What the README says is what happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")

AGENT = """
DECISIONS = iter([
    ("I look first.", "look", {"at": "the log"}),
    ("The log says so.", "finish", {"answer": "the north pump"}),
])
think = lambda question: next(DECISIONS)
act = lambda action, arguments: "the north pump stopped at noon"
"""


def block(mark: str) -> str:
    """The code block that follows a mark."""
    found = re.search(rf"<!-- run: {re.escape(mark)} -->\n```\w+\n(.*?)```", README, re.DOTALL)
    assert found, f"the README has no block marked {mark}"
    return found[1]


def run(command: list[str], folder: Path) -> str:
    environment = {
        **os.environ,
        "OTEL_EXPORTER_PROV_STORE": str(folder / "store"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_ten_lines_and_the_commands_after_them_work_as_written(tmp_path: Path) -> None:
    agent = f"{AGENT}\n{block('agent.py')}\nprint(answer('Which pump stopped?'))"
    assert run([sys.executable, "-c", agent], tmp_path) == "the north pump\n"
    outputs = [run(line.partition("#")[0].split(), tmp_path) for line in block("shell").splitlines()]
    listed, shown, exported = outputs
    assert "Which pump stopped?" in listed
    assert "I look first." in shown
    assert "the north pump stopped at noon" in shown
    assert "Wrote 1 session to answer.trig" in exported
    assert "tg:query" in (tmp_path / "answer.trig").read_text(encoding="utf-8")


def test_the_table_of_variables_is_up_to_date() -> None:
    subprocess.run([sys.executable, str(ROOT / "scripts" / "readme.py"), "--check"], check=True)


def test_every_command_in_the_table_exists(tmp_path: Path) -> None:
    commands = re.findall(r"^\| `otel-prov (\w+)", README, re.MULTILINE)
    assert len(commands) >= 6
    for command in commands:
        assert "Usage: otel-prov" in run(["otel-prov", command, "--help"], tmp_path)


@pytest.mark.parametrize(
    "code", [b for b in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "think(" not in b]
)
def test_every_other_piece_of_code_is_python(code: str) -> None:
    compile(code, "README.md", "exec")


def test_the_commands_on_prov_run_here_and_on_its_page(tmp_path: Path) -> None:
    pytest.importorskip("prov")
    page = (ROOT / "docs" / "prov.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"<!-- run: shell -->\n```sh\n(.*?)```", page, re.DOTALL)
    (tmp_path / "agent.py").write_text(AGENT + block("agent.py") + '\nanswer("Why?")\n')
    run([sys.executable, "agent.py"], tmp_path)
    said = run(["sh", "-ec", block("prov") + script], tmp_path)
    assert ":answer a prov:Entity" in said
    assert {file.suffix for file in tmp_path.glob("answer.*")} == {".trig", ".provn", ".json", ".provx", ".svg"}
