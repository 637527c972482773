"""PROV views as documents of the PROV family: PROV-N, PROV-JSON and PROV-XML, by the library ``prov``.

One session makes a document; several make a bundle each, named like its graph, for each is valid on its own
(PROV-CONSTRAINTS, section 7.2).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from otel_prov.describe.prov import terms as t
from otel_prov.describe.prov.view import describe_prov
from otel_prov.describe.quads import Literal, Quad, QuotedTriple, Term
from otel_prov.describe.vocabulary import PROV_PREFIXES, RDF_TYPE, RDFS_LABEL
from otel_prov.steps import Session

if TYPE_CHECKING:
    from prov.identifier import Namespace, QualifiedName
    from prov.model import ProvBundle, ProvDocument

__all__ = ["PROV_FORMATS", "NotInstalled", "document", "write_prov"]

PROV_FORMATS: Final = {"provn": ".provn", "provjson": ".json", "provxml": ".provx", "dot": ".dot", "svg": ".svg"}
"""What can be written: each format's name, and the extension of its files."""

_SERIALIZERS: Final = {"provn": "provn", "provjson": "json", "provxml": "xml"}
_ELEMENTS: Final = {t.ENTITY: "entity", t.ACTIVITY: "activity", t.AGENT: "agent"}
_RELATIONS: Final = {
    t.USED: "usage",
    t.GENERATED_BY: "generation",
    t.DERIVED_FROM: "derivation",
    t.INFORMED_BY: "communication",
    t.ASSOCIATED_WITH: "association",
    t.ATTRIBUTED_TO: "attribution",
    t.ON_BEHALF_OF: "delegation",
}
"""The library's methods, by PROV-O's properties; each takes what a statement is about, and what it leads to."""
_TIMES: Final = {t.STARTED: "startTime", t.ENDED: "endTime"}
_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class NotInstalled(Exception):
    """Something that this needs is not installed; the message is one line that says what to do."""


def write_prov(sessions: Iterable[Session], format: str, out: BinaryIO) -> None:
    """Write the sessions' PROV views as one document, or draw them. All of them are in memory at once.

    Args:
        sessions: What to write.
        format: One of :data:`PROV_FORMATS`.
        out: Where to; it is left open.

    Raises:
        NotInstalled: The extra ``prov`` is missing, or Graphviz, which draws.
    """
    if format in _SERIALIZERS:
        clean = _xml_text if format == "provxml" else str
        text = document(sessions, clean).serialize(format=_SERIALIZERS[format])
    else:
        from otel_prov.describe.prov.pictures import dot, svg

        text = (svg if format == "svg" else dot)(document(sessions))
    out.write(f"{text}\n".encode("utf-8", "replace"))


def document(sessions: Iterable[Session], clean: Callable[[str], str] = str) -> ProvDocument:
    """The sessions' PROV views as a document of the library ``prov``; ``clean`` is applied to all texts.

    Raises:
        NotInstalled: The extra ``prov`` is missing.
    """
    try:
        from prov.model import ProvDocument
    except ImportError:
        raise NotInstalled("PROV documents need the library prov: pip install 'otel-prov[prov]'") from None
    whole = ProvDocument()
    for prefix in ("dcterms", "otelprov"):
        whole.add_namespace(prefix, PROV_PREFIXES[prefix])
    views = [describe_prov(session) for session in sessions]
    for number, view in enumerate(views, 1):
        own = whole.add_namespace("s" if len(views) == 1 else f"s{number}", view[0].graph.removesuffix("prov"))
        bundle = whole if len(views) == 1 else whole.bundle(own["prov"])
        _Translation(bundle, own, clean).add(view)
    return whole


class _Translation:
    """Puts the statements of one view into a bundle of the library."""

    def __init__(self, bundle: ProvBundle, own: Namespace, clean: Callable[[str], str]) -> None:
        from prov.identifier import Namespace

        self._bundle = bundle
        self._own = own
        self._clean = clean
        self._others: dict[str, Namespace] = {}  # of entities that are no part of this session
        self._vocabularies = [Namespace(prefix, uri) for prefix, uri in PROV_PREFIXES.items()]

    def add(self, view: Iterable[Quad]) -> None:
        """Add all that a view says: first the elements, then how they hang together."""
        nodes = {subject: list(facts) for subject, facts in groupby(view, attrgetter("subject"))}
        for subject, facts in nodes.items():
            self._element(subject, facts)
        for subject, facts in nodes.items():
            for _, predicate, target, _ in facts:
                if not isinstance(target, str):
                    continue
                if predicate in _RELATIONS:
                    relate = getattr(self._bundle, _RELATIONS[predicate])
                    relate(self._name(subject), self._name(target))
                elif predicate == t.QUALIFIED_ASSOCIATION:
                    self._association(subject, target, nodes[target])

    def _element(self, subject: str, facts: list[Quad]) -> None:
        """An entity, an activity with its times, or an agent, with all else as attributes."""
        kinds = [str(fact.object) for fact in facts if fact.predicate == RDF_TYPE]
        element = next((_ELEMENTS[kind] for kind in kinds if kind in _ELEMENTS), None)
        if element is None:
            return  # what qualifies a relation
        attributes: list[tuple[Any, Any]] = [("prov:type", self._name(kind)) for kind in kinds if kind not in _ELEMENTS]
        times: dict[str, str] = {}
        for _, predicate, target, _ in facts:
            if isinstance(target, Literal) and predicate in _TIMES:
                times[_TIMES[predicate]] = target.text
            elif predicate not in _RELATIONS and predicate not in (RDF_TYPE, t.QUALIFIED_ASSOCIATION):
                name = "prov:label" if predicate == RDFS_LABEL else self._name(predicate)
                attributes.append((name, self._value(target)))
        getattr(self._bundle, element)(self._name(subject), **times, other_attributes=attributes)

    def _association(self, activity: str, association: str, facts: list[Quad]) -> None:
        said = {fact.predicate: self._name(str(fact.object)) for fact in facts}
        self._bundle.association(
            self._name(activity), said[t.HAS_AGENT], said[t.HAD_PLAN], identifier=self._name(association)
        )

    def _value(self, term: Term) -> Any:
        """A text, a number, the name of a neighbour, or an IRI that is none of this document."""
        from prov.identifier import Identifier
        from prov.model import Literal as ProvLiteral

        assert not isinstance(term, QuotedTriple), "the PROV view has none"
        if isinstance(term, str):
            return self._name(term) if term.startswith(self._own.uri) else Identifier(term)
        if term.datatype:
            return ProvLiteral(term.text, self._name(term.datatype))
        return self._clean(term.text)

    def _name(self, iri: str) -> QualifiedName:
        """An IRI of the session, of a vocabulary that has a prefix, or of something else, as the library wants it."""
        from prov.identifier import Namespace

        for namespace in (self._own, *self._vocabularies):
            if iri.startswith(namespace.uri):
                return namespace[iri.removeprefix(namespace.uri)]
        base, mark, _ = iri.rpartition("#")
        place = max(iri.rfind("/"), iri.rfind(":")) + 1 if not mark else len(base) + 1
        return self._others.setdefault(iri[:place], Namespace(f"other{len(self._others)}", iri[:place]))[iri[place:]]


def _xml_text(text: str) -> str:
    """XML 1.0 can't hold most control characters, in whatever way they are written."""
    return _NO_XML.sub("\ufffd", text)
