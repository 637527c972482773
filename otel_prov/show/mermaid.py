"""A drawing as Mermaid reads it (mermaid.js.org, "Flowcharts": quoted texts, and entity codes such as ``#35;``)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from otel_prov.show.drawing import Cluster, Drawing, Node

__all__ = ["mermaid"]

_SPECIAL: Final = re.compile(r"[^\w ,.()/?!=+'-]")


def mermaid(drawing: Drawing) -> str:
    """The drawing, each session as a subgraph."""
    numbers = drawing.numbered()
    lines = [
        "flowchart TB",
        *(f"  {line}" for line in _cluster(drawing.cluster, numbers, "0")),
        *(f"  {_node(node, numbers)}" for node in drawing.others),
        *(f"  n{numbers[origin]} --> n{numbers[derived]}" for origin, derived in drawing.edges),
    ]
    failed = [f"n{numbers[node.uri]}" for node in drawing.cluster.all_nodes() if node.failed]
    missing = [f"n{numbers[node.uri]}" for node in drawing.others]
    lines += [f"  style {','.join(failed)} stroke:red"] if failed else []
    lines += [f"  style {','.join(missing)} stroke-dasharray:4"] if missing else []
    return "\n".join(lines) + "\n"


def _cluster(cluster: Cluster, numbers: Mapping[str, int], name: str) -> Iterator[str]:
    yield f'subgraph s{name}["{_text(cluster.title)}"]'
    yield from (f"  {_node(node, numbers)}" for node in cluster.nodes)
    for position, inner in enumerate(cluster.inner):
        yield from (f"  {line}" for line in _cluster(inner, numbers, f"{name}_{position}"))
    yield "end"


def _node(node: Node, numbers: Mapping[str, int]) -> str:
    return f'n{numbers[node.uri]}["{"<br/>".join(map(_text, filter(None, [node.name, node.text])))}"]'


def _text(text: str) -> str:
    """A text in which Mermaid finds no markup: what isn't plain stands there as its code."""
    return _SPECIAL.sub(lambda match: f"#{ord(match[0])};", text)
