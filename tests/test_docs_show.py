"""What docs/show.md says is what happens."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from otel_prov.describe.pattern import object_term, resource
from otel_prov.describe.vocabulary import PREFIXES, PROV_PREFIXES
from tests.test_readme import ROOT, run

PAGE = (ROOT / "docs" / "show.md").read_text(encoding="utf-8")
(CODE,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SHELL = [
    line.partition("  #")[0] for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()
]


@pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a POSIX shell")
def test_the_commands_do_what_the_page_says(tmp_path: Path) -> None:
    run([sys.executable, "-c", CODE], tmp_path)
    said = {command: run(["sh", "-ec", command], tmp_path) for command in SHELL}
    (graph,) = re.findall(r"```\n(Graph .*?)```", PAGE, re.DOTALL)
    assert said["otel-prov show pumps"].endswith(graph)
    assert said["otel-prov show pumps --format mermaid"].startswith("flowchart TB\n")
    assert (tmp_path / "pumps.dot").read_text(encoding="utf-8").startswith("digraph {")
    assert graph in said["otel-prov show latest --from pumps.trig"]
    queries = [lines.splitlines() for command, lines in said.items() if " query " in command]
    assert [len(lines) for lines in queries] == [6, 2, 1, 20]
    assert all("(Observation)" in line for line in queries[1])


def test_terms_are_written_as_the_table_says() -> None:
    for prefix in re.findall(r"`(\w+):`", PAGE):
        assert resource(f"{prefix}:x").endswith("x")
    assert {f"`{prefix}:`" for prefix in PREFIXES | PROV_PREFIXES} <= set(re.findall(r"`\w+:`", PAGE))
    for text in ('"text"', '"text"@en', '"5"^^xsd:integer', '<<urn:pump:7 urn:in "the hall">>'):
        assert f"`{text}`" in PAGE
        assert not isinstance(object_term(text), str)
