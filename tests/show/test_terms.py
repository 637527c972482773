"""What ``otel-prov show`` calls the terms of selected edges, and how files say it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from otel_prov.describe.vocabulary import RDFS_LABEL
from otel_prov.names import GRAPH_RAG, session_uri
from otel_prov.steps import Exploration, Focus, Question, Selection, Session, Synthesis, Text, Triple

Call = Callable[..., Result]
Keep = Callable[..., None]

PUMP, STANDS, HALL = "https://plant.example/id/P7", "https://plant.example/ns#standsIn", "urn:hall:2"
NAME = Selection(edge=Triple(PUMP, RDFS_LABEL, Text("pump 7")))
EDGE = Selection(edge=Triple(PUMP, STANDS, HALL))
LABELS = f'<{PUMP}> <{RDFS_LABEL}> "pump 7" .\n<{STANDS}> <{RDFS_LABEL}> "stands\\n in"@en .\n'


def retrieval(*selections: Selection) -> Session:
    steps = (Question("Where?"), Exploration(9, (PUMP,)), Focus(selections), Synthesis("There."))
    return Session(session_uri("1", GRAPH_RAG), steps, kind=GRAPH_RAG)


@pytest.fixture
def labelled(call: Call, keep: Keep, tmp_path: Path) -> Path:
    """A file with a retrieval, and labels beside it."""
    keep(retrieval(EDGE))
    call("export", "-o", tmp_path / "all.nt")
    with (tmp_path / "all.nt").open("a") as file:
        file.write(LABELS)
    return tmp_path / "all.nt"


def row(shown: str, label: str) -> str:
    """The text of a row."""
    (found,) = (line for line in shown.splitlines() if line.strip().startswith(label))
    return found[17:]


def test_without_labels_an_iri_is_called_by_its_last_part(call: Call, keep: Keep) -> None:
    keep(retrieval(EDGE))
    shown = call("show", "latest").stdout
    assert row(shown, "Selected") == "P7 → standsIn → hall:2"
    assert row(shown, "Starting from") == "P7"


def test_labels_of_the_same_graph_are_names(call: Call, labelled: Path) -> None:
    shown = call("show", "latest", "--from", labelled).stdout
    assert row(shown, "Selected") == "pump 7 → stands in → hall:2"
    assert row(shown, "Starting from") == "pump 7"


def test_a_selected_edge_can_be_a_label(call: Call, keep: Keep) -> None:
    keep(retrieval(NAME, EDGE))
    shown = call("show", "latest").stdout.splitlines()
    assert "  Selected       pump 7 → label → pump 7" in shown
    assert "                 pump 7 → standsIn → hall:2" in shown


def test_in_full_iris_are_whole_and_in_json_nothing_else(call: Call, labelled: Path) -> None:
    shown = call("show", "latest", "--from", labelled, "--full").stdout
    assert row(shown, "Selected") == f"pump 7 <{PUMP}> → stands in <{STANDS}> → {HALL}"
    (selected,) = json.loads(call("show", "latest", "--from", labelled, "--format", "json").stdout)["selected"]
    assert selected["edge"] == {"subject": PUMP, "predicate": STANDS, "object": HALL}
