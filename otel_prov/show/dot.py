"""A drawing as Graphviz reads it (The DOT Language, "Abstract Grammar": quoted strings, and the escapes of labels)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from otel_prov.show.drawing import Cluster, Drawing, Node

__all__ = ["dot"]


_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "&": "&amp;", "\ufffe": "\ufffd", "\uffff": "\ufffd"})
"""Also for what no SVG may hold (XML 1.0, section 2.2)."""


def dot(drawing: Drawing) -> str:
    """The drawing, each session as a cluster."""
    numbers = drawing.numbered()
    lines = [
        "digraph {",
        '  graph [fontname="Helvetica", style=rounded, color=gray]',
        '  node [fontname="Helvetica", shape=box, style=rounded]',
        *(f"  {line}" for line in _cluster(drawing.cluster, numbers, "0")),
        *(f"  {_node(node, numbers)}" for node in drawing.others),
        *(f"  n{numbers[origin]} -> n{numbers[derived]}" for origin, derived in drawing.edges),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _cluster(cluster: Cluster, numbers: Mapping[str, int], name: str) -> Iterator[str]:
    yield f"subgraph cluster_{name} {{"
    yield f"  label={_quoted(cluster.title)}"
    yield from (f"  {_node(node, numbers)}" for node in cluster.nodes)
    for position, inner in enumerate(cluster.inner):
        yield from (f"  {line}" for line in _cluster(inner, numbers, f"{name}_{position}"))
    yield "}"


def _node(node: Node, numbers: Mapping[str, int]) -> str:
    label = _quoted(*filter(None, [node.name, node.text]))
    look = ", color=red" if node.failed else "" if node.is_here else ', style="rounded,dashed"'
    return f"n{numbers[node.uri]} [label={label}, tooltip={_quoted(node.uri)}{look}]"


def _quoted(*lines: str) -> str:
    """Lines of a label. Graphviz knows escapes such as ``\\N``, and HTML's entities."""
    return '"' + "\\n".join(line.translate(_ESCAPES) for line in lines) + '"'
