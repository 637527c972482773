"""Retrievals in the PROV view: the answer, and what was selected for it, derive from chunks of documents.

================== ======== =======================================================================================
``#run``           Activity the retrieval, which used the question and the chunks that it found
``#selected-{i}``  Entity   what was selected, an edge of a knowledge graph or a chunk, counted from 0
``#answer``        Entity   what was answered, derived from what was selected, else from all chunks that were found
================== ======== =======================================================================================

A chunk is an entity under its own IRI. The stages are told by the explanation view.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from otel_prov import names
from otel_prov.describe import uris
from otel_prov.describe.prov import terms as t
from otel_prov.describe.prov.facts import Fact, content, text, types
from otel_prov.describe.vocabulary import RDFS_LABEL
from otel_prov.steps import Exploration, Focus, Selection, Session, Synthesis, Text

__all__ = ["answer_of", "chunks", "retrieved"]

_SYNTHESIS: Final = re.compile(f"(.+)/{uris.SYNTHESIS}", re.DOTALL)
"""Session of an agent's answer that was made of results or findings."""


def answer_of(node: str | None, base: str) -> str | None:
    """The answer, in the PROV view, of the session that ends with this node; ``None`` for another node, and for one of
    the session itself, with this base, since nothing derives from itself."""
    if node is None:
        return None
    node = uris.legal(node)
    if uris.is_synthesis(node):
        session = (uris.retrieval_of(node) or ("",))[0]
    elif match := uris.CONCLUSION.fullmatch(node) or _SYNTHESIS.fullmatch(node):
        session = match[1]
    else:
        return None
    found = uris.fragments(session)
    return None if found == base else f"{found}answer"


def chunks(session: Session) -> list[str]:
    """The chunks that were found, as far as they have an IRI."""
    return [name for step in session.of(Exploration) for name in map(_chunk, step.chunk_ids) if name]


def retrieved(session: Session, base: str) -> Iterator[tuple[str, tuple[Fact, ...]]]:
    """The entities of a retrieval, each with what is said of it; none for an agent's session."""
    explanation, run = uris.legal(session.uri), base + "run"
    found = chunks(session)
    selections = [selection for step in session.of(Focus) for selection in step.selections]
    named = [name for name in (_chunk(selection.chunk) for selection in selections) if name]
    for chunk in dict.fromkeys([*found, *named]):
        yield chunk, types(t.ENTITY)
    selected = [f"{base}selected-{i}" for i in range(len(selections))]
    for i, selection in enumerate(selections):
        kind = "chunk" if selection.edge is None else "edge"
        yield (
            selected[i],
            (
                *types(t.ENTITY, t.SELECTION),
                (t.VALUE, text(_said(selection))),
                (RDFS_LABEL, text(selection.concept)),
                (t.GENERATED_BY, run),
                (t.DERIVED_FROM, _chunk(selection.chunk)),
                (t.EXPLAINED_BY, uris.selection(explanation, kind, i)),
            ),
        )
    for step in session.of(Synthesis) if session.kind != names.AGENT else ():
        yield (
            f"{base}answer",
            (
                *types(t.ENTITY, t.ANSWER),
                *content(step.text, step.digest),
                (t.GENERATED_BY, run),
                *((t.DERIVED_FROM, source) for source in (selected or found)),
                (t.EXPLAINED_BY, uris.stage(explanation, uris.SYNTHESIS)),
            ),
        )


def _chunk(name: str | None) -> str | None:
    """A chunk's IRI, if it has one that is no session's or a step's, which need not be an entity."""
    is_free = name is not None and uris.is_iri(name) and not name.startswith(("_:", *names.URI_STARTS.values()))
    return name if is_free else None


def _said(selection: Selection) -> str | None:
    """An edge as a line, else the name of a chunk."""
    if selection.edge is None:
        return selection.chunk
    edge = selection.edge
    return f"{edge.subject} {edge.predicate} {edge.object.value if isinstance(edge.object, Text) else edge.object}"
