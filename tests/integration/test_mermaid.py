"""Mermaid reads what ``otel-prov show --format mermaid`` writes, whatever the texts are."""

from __future__ import annotations

from random import Random

import pytest

from otel_prov.show.drawing import draw, shortened
from otel_prov.show.mermaid import mermaid
from otel_prov.show.nested import Tree
from tests.integration.servers.cache import Missing
from tests.integration.servers.mermaid import parsed
from tests.show.test_drawing import COMPARING, NASTY, RETRIEVAL, told

pytestmark = pytest.mark.integration


def test_mermaid_reads_each_node_edge_and_text() -> None:
    chance = Random(1)
    texts = [*NASTY, *("".join(chance.choices(NASTY, k=5)) for _ in range(50))]
    drawings = [draw(Tree(COMPARING, (Tree(RETRIEVAL),))), told(*texts)]
    try:
        session, nasty = parsed([mermaid(drawing) for drawing in drawings])
    except Missing as missing:
        pytest.skip(str(missing))
    assert (len(session["nodes"]), session["edges"]) == (len(drawings[0].numbered()), len(drawings[0].edges))
    assert set(session["subgraphs"]) == {"Agent: librarian", "GraphRAG: plant"}
    assert nasty["nodes"] == ["<br>".join(filter(None, ["Observation 1", shortened(text)])) for text in texts]
