"""docs/entities.md, and the table of the README, leave nothing out."""

from __future__ import annotations

import re

import pytest

from tests.test_readme import ROOT

PAGE = (ROOT / "docs" / "entities.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXTRACTION = {"Document", "Page", "Section", "Chunk", "Image", "Subgraph"}
"""What TrustGraph tells of the making of its knowledge, not of questions."""


def test_every_cell_says_something() -> None:
    table = README.partition("| TrustGraph's entity |")[2].partition("\n\n")[0]
    rows = [line for line in PAGE.splitlines() if line.startswith("|")] + table.splitlines()[1:]
    assert len(rows) > 40
    for row in rows:
        assert all(cell.strip() for cell in row.strip().strip("|").split("|")), row


def test_every_entity_of_trustgraphs_is_there() -> None:
    namespaces = pytest.importorskip(
        "trustgraph.provenance.namespaces", reason="not installed; pip install trustgraph-base==2.11.1"
    )
    iris = [value for value in vars(namespaces).values() if isinstance(value, str) and value.startswith(namespaces.TG)]
    kinds = {iri.removeprefix(namespaces.TG) for iri in iris}
    entities = {kind for kind in kinds if kind[:1].isupper()} - EXTRACTION
    assert entities <= set(re.findall(r"\w+", PAGE))
    assert len(entities) > 20
