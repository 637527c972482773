"""What is said of a retrieval to a person: its stages, with edges and chunks in short."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from otel_prov.show.lines import NOT_RECORDED, Row, Section
from otel_prov.steps import Exploration, Focus, Grounding, Selection, Session, Synthesis, Text
from otel_prov.uris import is_iri

__all__ = ["stages"]

_LAST_PART = re.compile(r"(?:[^/#]+[/#](?=[^A-Za-z/#]+[/#]*\Z))?[^/#]+(?=[/#]*\Z)")


def stages(session: Session, missing: str | None = None) -> Iterator[Section]:
    """The stages of which anything is known. ``missing`` stands where the answer is waited for."""
    found = [
        *(Section("Grounding", tuple(_grounding(step))) for step in session.of(Grounding)),
        *(Section("Exploration", tuple(_exploration(step))) for step in session.of(Exploration)),
        *(Section("Focus", tuple(_focus(step))) for step in session.of(Focus)),
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


def _exploration(step: Exploration) -> Iterator[Row]:
    counted = [(step.edges, "edge"), (step.chunks, "chunk")]
    found = [f"{number:,} {thing}{'s' * (number != 1)}" for number, thing in counted if number is not None]
    if found:
        yield Row("Found", ", ".join(found))
    if step.entities:
        yield Row("Starting from", ", ".join(map(_short, step.entities)))
    if step.chunk_ids:
        yield Row("Chunks", "\n".join(step.chunk_ids))


def _focus(step: Focus) -> Iterator[Row]:
    if step.selections:
        yield Row("Selected", "\n".join(map(_selection, step.selections)))


def _selection(step: Selection) -> str:
    if edge := step.edge:
        what = " → ".join(map(_short, (edge.subject, edge.predicate, edge.object)))
    else:
        what = NOT_RECORDED if step.chunk is None else step.chunk
    about = [step.concept, None if step.score is None else f"{step.score:.4g}"]
    why = ", ".join(part for part in about if part)
    reasoning = f"\n  {' '.join(step.reasoning.split())}" if step.reasoning else ""
    return f"{what}  ({why}){reasoning}" if why else f"{what}{reasoning}"


def _short(term: str | Text) -> str:
    """A text or a name as it is, an IRI by the last part of its path, or by two where the last is but a number."""
    if isinstance(term, Text):
        return " ".join(term.value.split())
    if not is_iri(term):
        return term
    match = _LAST_PART.search(term) if term.startswith(("http://", "https://")) else None
    return unquote(match[0]) if match else term.removeprefix("urn:")
