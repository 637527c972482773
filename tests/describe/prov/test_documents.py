"""PROV-N, PROV-JSON, PROV-XML and pictures, through the command line."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from otel_prov import iteration, trace_agent
from otel_prov.describe.prov.pictures import program_to_draw
from tests.command import invoke
from tests.conftest import Program

prov = pytest.importorskip("prov.model")
S = "urn:trustgraph:agent:s"


@pytest.fixture
def recorded(program: Program) -> Program:
    """Two sessions, one of them with everything that is hard to write."""

    @trace_agent(
        name='a "b" <c>', session_id=lambda question: "s" if question != "?" else "other", user="ada", model="m/1"
    )
    def answer(question: str) -> str:
        with iteration() as step:
            step.record(thought="line\nline \x1b[31m\x00 \\ '''\"", action="look up/é", arguments={"a": ["<b>", "&"]})
            step.record(observation="😀" * 5000)
        return "yes"

    answer("Is it so?")
    answer("?")
    return program


def exported(program: Program, file: Path, *references: str) -> bytes:
    done = invoke("--store", program.store, "export", *references, "-o", file)
    assert done.exit_code == 0, done.output
    return file.read_bytes()


@pytest.mark.parametrize("extension", [".provn", ".json", ".provx"])
def test_the_same_is_said_in_every_format(recorded: Program, tmp_path: Path, extension: str) -> None:
    format = {".provn": "provn", ".json": "json", ".provx": "xml"}[extension]
    text = exported(recorded, tmp_path / f"out{extension}", "s").decode()
    document = prov.ProvDocument.deserialize(content=text, format=format)
    (answer,) = document.get_record(f"{S}#answer") or document.get_record("s:answer")
    assert answer.value == {"yes"}
    kinds = [record.get_type().localpart for record in document.get_records()]
    elements, relations = (
        {"Activity", "Agent", "Entity"},
        {"Association", "Attribution", "Delegation", "Generation", "Usage"},
    )
    assert set(kinds) == elements | relations
    assert kinds.count("Association") == 6
    document.unified()


def test_several_sessions_are_bundles_each_with_its_own_graphs_name(recorded: Program, tmp_path: Path) -> None:
    text = exported(recorded, tmp_path / "out.json").decode()
    document = prov.ProvDocument.deserialize(content=text, format="json")
    assert {bundle.identifier.uri for bundle in document.bundles} == {f"{S}#prov", "urn:trustgraph:agent:other#prov"}


def test_a_picture_has_entities_as_ellipses_activities_as_boxes_and_agents_as_houses(
    recorded: Program, tmp_path: Path
) -> None:
    dot = exported(recorded, tmp_path / "out.dot", "s").decode()
    for shape, colour, name in (
        ("oval", "#FFFC87", "yes"),
        ("box", "#9FB1FC", "conclude"),
        ("house", "#FED37F", "ada"),
    ):
        (node,) = re.findall(rf"^\w+ \[[^]]*label=<{name}<br[^]]*\];$", dot, re.MULTILINE)
        assert f"shape={shape}" in node
        assert colour in node
    if program_to_draw() is None:
        pytest.skip("no Graphviz")
    picture = ElementTree.fromstring(exported(recorded, tmp_path / "out.svg", "s"))
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    assert "yes" in "".join(picture.itertext())


def test_without_graphviz_it_says_what_to_install(
    recorded: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    done = invoke("--store", recorded.store, "export", "-o", tmp_path / "out.svg")
    assert done.exit_code == 1
    assert "graphviz-pure" in done.output
    assert not list(tmp_path.glob("*.svg*"))


@pytest.mark.parametrize("format", ["provn", "svg"])
def test_without_the_extra_its_name_is_said(recorded: Program, tmp_path: Path, format: str) -> None:
    program = (
        "import sys; sys.modules['prov'] = sys.modules['prov.model'] = None;"
        "from otel_prov.show.cli import main; main(sys.argv[1:])"
    )
    command = ["--store", recorded.store, "export", "--format", format, "-o", tmp_path / "out"]
    done = subprocess.run([sys.executable, "-c", program, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install 'otel-prov[prov]'" in done.stderr
    assert done.stderr.count("\n") == 1
