"""The texts that TrustGraph keeps in its librarian, put where the graph has none, or has only the beginning."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from typing import Final

from otel_prov.describe import Literal, Quad
from otel_prov.describe import vocabulary as v
from otel_prov.fetch.gateway import Answer, Gateway

__all__ = ["with_texts"]

_CUT: Final = re.compile(r"… \[cut, [0-9,]+ bytes in all\]\Z")
"""How a text ends that was too long for TrustGraph's stores; the librarian has the whole."""

_SHOWN: Final = {
    v.THOUGHT,
    v.REFLECTION,
    v.OBSERVATION,
    v.STEP_RESULT,
    v.FINDING,
    v.CONCLUSION,
    v.AGENT_FINAL,
    v.SYNTHESIS,
}


def with_texts(gateway: Gateway, quads: Sequence[Quad]) -> list[Quad]:
    """The quads with ``tg:content`` for all that was thought, seen and answered.

    Where the librarian doesn't have a document, the text says so.

    Raises:
        FetchError: The gateway can't be asked.
    """
    known = {q.subject: q.object.text for q in quads if q.predicate == v.TG_CONTENT and isinstance(q.object, Literal)}
    links = {node: document for node, document in _links(quads) if node not in known or _CUT.search(known[node])}
    documents = sorted(set(links.values()))
    requests = [{"operation": "get-document-content", "document-id": document} for document in documents]
    answers = dict(zip(documents, gateway.ask("librarian", requests), strict=True))
    texts = {node: _text(answers[document]) for node, document in links.items()}
    for node, document in links.items():
        if texts[node] is None and node not in known:
            texts[node] = f"(TrustGraph's librarian does not have it: {document}: {answers[document].error})"
    better = {node: text for node, text in texts.items() if text is not None}
    rest = [q for q in quads if q.predicate != v.TG_CONTENT or q.subject not in better]
    return rest + [Quad(node, v.TG_CONTENT, Literal(text)) for node, text in better.items()]


def _links(quads: Sequence[Quad]) -> Iterator[tuple[str, str]]:
    """Nodes with the documents that hold their texts, in TrustGraph's layouts since 2.1.18."""
    shown = {q.subject for q in quads if q.predicate == v.RDF_TYPE and q.object in _SHOWN}
    for subject, predicate, document, _ in quads:
        if not isinstance(document, str):
            continue
        if predicate == v.TG_DOCUMENT and subject in shown:
            yield subject, document
        elif predicate in (v.TG_THOUGHT_DOCUMENT, v.TG_OBSERVATION_DOCUMENT):
            yield document, document


def _text(answer: Answer) -> str | None:
    content = answer.parts[-1].get("content") if answer.parts and answer.error is None else None
    try:
        return base64.b64decode(content).decode("utf-8", "replace") if isinstance(content, str) else None
    except (binascii.Error, ValueError):
        return None
