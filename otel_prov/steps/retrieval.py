"""The steps of a retrieval, and what it finds in knowledge graphs and documents."""

from __future__ import annotations

from dataclasses import dataclass, field

from otel_prov.steps.traced import Digest, Traced, unordered

__all__ = ["Exploration", "Focus", "Grounding", "Selection", "Synthesis", "Text", "Triple"]


@dataclass(frozen=True, slots=True)
class Text:
    """A text in a knowledge graph."""

    value: str
    datatype: str = ""
    """IRI of its datatype, if it has one."""
    language: str = ""
    """Its language, if it has one."""


@dataclass(frozen=True, slots=True)
class Triple:
    """An edge of a knowledge graph."""

    subject: str
    """An IRI, or a name where the graph has no IRIs."""
    predicate: str
    """An IRI, or a name where the graph has no IRIs."""
    object: str | Text
    """An IRI, or else a text."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Something that a retrieval found worth being part of the answer, and why."""

    edge: Triple | None = None
    """Of a knowledge graph."""
    chunk: str | None = None
    """IRI or name of a chunk of a document."""
    concept: str | None = None
    """Which of the concepts it is about."""
    score: float | None = None
    """How much it is worth; a finite number, the scale is the retrieval's own."""
    reasoning: str | None = None


@dataclass(frozen=True, slots=True)
class Grounding(Traced):
    """What a question to a knowledge graph, or to documents, is about."""

    concepts: tuple[str, ...] = ()
    """Each once, in alphabetical order."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "concepts", unordered(self.concepts))


@dataclass(frozen=True, slots=True)
class Exploration(Traced):
    """What a retrieval found, before any of it was selected."""

    edges: int | None = None
    """How many edges of a knowledge graph."""
    entities: tuple[str, ...] = ()
    """IRIs or names of nodes that the search started from: each once, in alphabetical order."""
    chunks: int | None = None
    """How many chunks of documents."""
    chunk_ids: tuple[str, ...] = ()
    """IRIs or names of chunks: each once, in alphabetical order. Of very many, only the first."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "entities", unordered(self.entities))
        object.__setattr__(self, "chunk_ids", unordered(self.chunk_ids))


@dataclass(frozen=True, slots=True)
class Focus(Traced):
    """What a retrieval selected, in the order in which it did."""

    selections: tuple[Selection, ...] = ()


@dataclass(frozen=True, slots=True)
class Synthesis(Traced):
    """What a retrieval answered; what an agent made of the results of its plan, or of what others found for it."""

    text: str | None = None
    digest: Digest | None = field(default=None, compare=False, kw_only=True)
    """Of the text."""
