"""What docs/retrieval.md says is what happens."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.test_readme import ROOT, run

PAGE = (ROOT / "docs" / "retrieval.md").read_text(encoding="utf-8")
CODE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_program_shows_what_the_page_shows(tmp_path: Path) -> None:
    assert run([sys.executable, "-c", CODE[0]], tmp_path) == "It stands in the north hall.\n"
    shown = run(["otel-prov", "show", "latest"], tmp_path)
    (promised,) = re.findall(r"```\n(Iteration 1\n.*?)```", PAGE, re.DOTALL)
    lines = [re.sub(r"(urn:trustgraph:question:)\S+", r"\1…", line) for line in shown.splitlines()]
    for line in promised.splitlines():
        assert re.sub(r"(urn:trustgraph:question:)\S+", r"\1…", line) in lines
    assert "GraphRAG" in run(["otel-prov", "list", "--nested"], tmp_path)
    assert "GraphRAG" not in run(["otel-prov", "list"], tmp_path)


@pytest.mark.parametrize("code", CODE[1:])
def test_every_other_piece_of_code_is_python(code: str) -> None:
    compile(code, "retrieval.md", "exec")
