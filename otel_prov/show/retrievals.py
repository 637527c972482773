"""What is said of a retrieval to a person: its stages, with edges and chunks in short."""

from __future__ import annotations

from collections.abc import Iterator

from otel_prov.show.lines import NOT_RECORDED, Row, Section
from otel_prov.show.terms import Name, short
from otel_prov.steps import Exploration, Focus, Grounding, Selection, Session, Synthesis

__all__ = ["stages"]


def stages(session: Session, missing: str | None = None, name: Name = short) -> Iterator[Section]:
    """The stages of which anything is known. ``missing`` stands where the answer is waited for."""
    found = [
        *(Section("Grounding", tuple(_grounding(step))) for step in session.of(Grounding)),
        *(Section("Exploration", tuple(_exploration(step, name))) for step in session.of(Exploration)),
        *(Section("Focus", tuple(_focus(step, name))) for step in session.of(Focus)),
    ]
    yield from (section for section in found if section.rows)
    rows = [Row("Answer", NOT_RECORDED if step.text is None else step.text, "bold") for step in session.of(Synthesis)]
    if not rows and missing:
        rows.append(Row("Answer", missing, "yellow"))
    if session.error is not None:
        rows.append(Row("Error", session.error, "red"))
    if rows:
        yield Section("Synthesis" if any(session.of(Synthesis)) else "End", tuple(rows))


def _grounding(step: Grounding) -> Iterator[Row]:
    if step.concepts:
        yield Row("Concepts", ", ".join(step.concepts))


def _exploration(step: Exploration, name: Name) -> Iterator[Row]:
    counted = [(step.edges, "edge"), (step.chunks, "chunk")]
    found = [f"{number:,} {thing}{'s' * (number != 1)}" for number, thing in counted if number is not None]
    if found:
        yield Row("Found", ", ".join(found))
    if step.entities:
        yield Row("Starting from", ", ".join(map(name, step.entities)))
    if step.chunk_ids:
        yield Row("Chunks", "\n".join(step.chunk_ids))


def _focus(step: Focus, name: Name) -> Iterator[Row]:
    if step.selections:
        yield Row("Selected", "\n".join(_selection(each, name) for each in step.selections))


def _selection(step: Selection, name: Name) -> str:
    if edge := step.edge:
        what = " → ".join(map(name, (edge.subject, edge.predicate, edge.object)))
    else:
        what = NOT_RECORDED if step.chunk is None else step.chunk
    about = [step.concept, None if step.score is None else f"{step.score:.4g}"]
    why = ", ".join(part for part in about if part)
    reasoning = f"\n  {' '.join(step.reasoning.split())}" if step.reasoning else ""
    return f"{what}  ({why}){reasoning}" if why else f"{what}{reasoning}"
