"""The cases of ProvToolbox and of the W3C that the package ``prov`` ships, as PROV-O.

They are PROV-XML (W3C Note of 30 April 2013). ``prov`` can't read all of them, and merges what it reads; so they are
read here, statement by statement.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from importlib.resources import files
from itertools import count
from pathlib import Path

from otel_prov.describe.quads import Literal, Quad
from otel_prov.describe.vocabulary import PROV, RDF_TYPE

XSD_TIME = "http://www.w3.org/2001/XMLSchema#dateTime"
RELATIONS = {  # the node of the qualified form, what the statement is about, what leads where from the node
    "wasGeneratedBy": ("Generation", "entity", {"activity": "activity", "time": "atTime"}),
    "wasInvalidatedBy": ("Invalidation", "entity", {"activity": "activity", "time": "atTime"}),
    "used": ("Usage", "activity", {"entity": "entity", "time": "atTime"}),
    "wasStartedBy": ("Start", "activity", {"trigger": "entity", "starter": "hadActivity", "time": "atTime"}),
    "wasEndedBy": ("End", "activity", {"trigger": "entity", "ender": "hadActivity", "time": "atTime"}),
    "wasInformedBy": ("Communication", "informed", {"informant": "activity"}),
    "wasDerivedFrom": (
        "Derivation",
        "generatedEntity",
        {"usedEntity": "entity", "activity": "hadActivity", "generation": "hadGeneration", "usage": "hadUsage"},
    ),
    "wasAttributedTo": ("Attribution", "entity", {"agent": "agent"}),
    "wasAssociatedWith": ("Association", "activity", {"agent": "agent", "plan": "hadPlan"}),
    "actedOnBehalfOf": ("Delegation", "delegate", {"responsible": "agent", "activity": "hadActivity"}),
    "wasInfluencedBy": ("Influence", "influencee", {"influencer": "influencer"}),
}
PAIRS = {
    "specializationOf": ("specificEntity", "generalEntity"),
    "alternateOf": ("alternate1", "alternate2"),
    "mentionOf": ("specificEntity", "generalEntity"),
    "hadMember": ("collection", "entity"),
}
OBJECTS = {"entity": "Entity", "activity": "Activity", "agent": "Agent", "plan": "Plan"}


def cases() -> dict[str, Path]:
    """All files of the corpus, by name. Needs the package ``prov``, 3.0 or later."""
    folder = Path(str(files("prov.tests"))) / "unification" / "constraints"
    return {file.name: file for file in sorted(folder.iterdir(), key=lambda file: file.name) if ".md" not in file.name}


def quads(case: Path, *, simple: bool) -> list[Quad]:
    """A case as PROV-O: in the simple form whatever can be, or all in the qualified form."""
    return list(_Reader(simple)._all(ElementTree.fromstring(case.read_bytes()), ""))


class _Reader:
    def __init__(self, simple: bool) -> None:
        self._simple = simple
        self._number = count()

    def _all(self, parent: ElementTree.Element, graph: str) -> Iterator[Quad]:
        for element in parent:
            name = _local(element.tag)
            if name in ("bundle", "bundleContent"):
                yield from self._all(element, _attribute(element, "id"))
            elif name in OBJECTS:
                yield from self._object(element, OBJECTS[name], graph)
            elif name in RELATIONS:
                yield from self._relation(element, name, graph)
            elif name in PAIRS:
                subject, target = (_references(element).get(side) for side in PAIRS[name])
                if subject and target:
                    yield Quad(subject, PROV + name, target, graph)
            else:
                raise AssertionError(f"no such element is known: {name}")

    def _object(self, element: ElementTree.Element, kind: str, graph: str) -> Iterator[Quad]:
        node = _attribute(element, "id")
        yield Quad(node, RDF_TYPE, PROV + kind, graph)
        for child in element:
            name, text = _local(child.tag), (child.text or "").strip()
            if name in ("startTime", "endTime"):
                property = {"startTime": "startedAtTime", "endTime": "endedAtTime"}[name]
                yield Quad(node, PROV + property, Literal(text, XSD_TIME), graph)
            elif name == "type" and _attribute(child, "type").endswith(":QName") and text.startswith("prov:"):
                yield Quad(node, RDF_TYPE, PROV + text[5:], graph)

    def _relation(self, element: ElementTree.Element, name: str, graph: str) -> Iterator[Quad]:
        noun, about, leads = RELATIONS[name]
        values = _references(element)
        subject, id = values.pop(about, None), _attribute(element, "id")
        if self._simple and not id and subject and set(values) == {next(iter(leads))}:
            yield Quad(subject, PROV + name, next(iter(values.values())), graph)
            return
        node = id or f"_:{next(self._number)}"
        yield Quad(node, RDF_TYPE, PROV + noun, graph)
        if subject:
            yield Quad(subject, PROV + "qualified" + noun, node, graph)
        for key, value in values.items():
            yield Quad(node, PROV + leads[key], Literal(value, XSD_TIME) if key == "time" else value, graph)


def _references(element: ElementTree.Element) -> dict[str, str]:
    """What a statement says: nodes that it refers to, and its time."""
    found = {}
    for child in element:
        name = _local(child.tag)
        if value := _attribute(child, "ref") or ((child.text or "").strip() if name == "time" else ""):
            found[name] = value
    return found


def _attribute(element: ElementTree.Element, name: str) -> str:
    return next((value for key, value in element.attrib.items() if _local(key) == name), "")


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]
