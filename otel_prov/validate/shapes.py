"""The same checks as SHACL shapes, for those who have an engine, made from the same tables.

Here a blank node is no other node, and a time is what is written: nothing turns out to be the same. Inferences 9 to 11
are left out where it takes the node of a start, an end or a derivation to know them. Constraints 24 to 29 and cycles
are SHACL-SPARQL; all else is SHACL Core (W3C Recommendation of 20 July 2017).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from otel_prov.describe.vocabulary import PROV
from otel_prov.validate.violation import NAMES
from otel_prov.validate.vocabulary import (
    ACTIVITY,
    AGENT,
    CLASSES,
    ENTITY,
    IDENTIFIERS,
    KINDS,
    QUALIFIED,
    RELATIONS,
    SIMPLE,
    Relation,
)

__all__ = ["shapes"]

_HEAD: Final = """\
# PROV-CONSTRAINTS (https://www.w3.org/TR/prov-constraints/) as SHACL shapes. The number of the constraint begins each
# message. Made by 'otel-prov validate --shapes'; otel-prov itself finds more: what turns out to be the same.

@prefix : <urn:otel-prov:shapes:> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

: a owl:Ontology ;
    sh:declare [ sh:prefix "prov" ; sh:namespace "http://www.w3.org/ns/prov#"^^xsd:anyURI ] .
"""
_GENERAL: Final = "prov:specializationOf|prov:mentionOf"
_PAIRED: Final = (
    (24, "wasGeneratedBy", "prov:activity|prov:influencer"),
    (25, "wasInvalidatedBy", "prov:activity|prov:influencer"),
    (26, "wasStartedBy", "prov:hadActivity"),
    (27, "wasEndedBy", "prov:hadActivity"),
)
_DIFFERENT: Final = "FILTER(?one != ?other && !isBlank(?one) && !isBlank(?other))"
_BY_NAME: Final = {relation.name: relation for relation in RELATIONS}


def shapes() -> str:
    """The shapes, in Turtle."""
    return "\n".join([_HEAD, *_kinds(), *_relations(), *_impossible(), *_unique(), *_ordered()])


def _kinds() -> Iterator[str]:
    """What an entity, an activity and an agent are known by (constraint 50)."""
    for kind in (ENTITY, ACTIVITY, AGENT):
        signs = [f"[ sh:class {_short(name)} ]" for name, known in CLASSES.items() if known == kind]
        signs += [_has(property) for property, (of_subject, _) in KINDS.items() if of_subject == kind]
        signs += [_has(property, inverse=True) for property, (_, of_object) in KINDS.items() if of_object == kind]
        yield _known_by(kind, signs)


def _relations() -> Iterator[str]:
    """What the identifier of each relation is known by."""
    for relation in RELATIONS:
        yield _known_by(relation.noun, [_has(name, inverse) for name, inverse in _signs(relation)])


def _signs(relation: Relation) -> Iterator[tuple[str, bool | None]]:
    """Classes (``None``) and properties that tell an identifier of the relation, and whether as their object."""
    for name, known in QUALIFIED.items():
        if known is relation:
            yield name, True if "qualified" in name else None
    for name, (of_subject, of_object) in IDENTIFIERS.items():
        if of_subject == relation.name:
            yield name, False
        if of_object == relation.name:
            yield name, True


def _impossible() -> Iterator[str]:
    message = "a derivation that names a generation or a usage names the activity"
    targets = ["sh:targetSubjectsOf prov:hadGeneration, prov:hadUsage"]
    yield _shape(51, targets, message, _property(51, message, "sh:path prov:hadActivity ; sh:minCount 1"))
    targets = [f"sh:targetSubjectsOf {', '.join(_GENERAL.split('|'))}"]
    yield _query(52, targets, "an entity is no specialization of itself", f"$this ({_GENERAL})+ $this .")
    nouns = [relation.noun for relation in RELATIONS]
    apart = [noun for noun in nouns if noun not in ("Derivation", "Influence")]
    for noun in apart:
        others = _or(f":{other}" for other in apart if other != noun)
        yield _shape(53, _targets(noun), f"a {noun} is nothing else", f"sh:not [ {others} ]", noun)
    for noun in nouns:
        kinds = _or([":Entity", ":Activity", ":Agent"])
        yield _shape(54, _targets(noun), f"a {noun} is no entity, activity or agent", f"sh:not [ {kinds} ]", noun)
    entities = [f"sh:targetClass {', '.join(_short(name) for name, kind in CLASSES.items() if kind == ENTITY)}"]
    entities.append(f"sh:targetSubjectsOf {', '.join(_short(name) for name in KINDS if KINDS[name][0] == ENTITY)}")
    entities.append(f"sh:targetObjectsOf {', '.join(_short(name) for name in KINDS if KINDS[name][1] == ENTITY)}")
    yield _shape(55, entities, "an entity is no activity", "sh:not :Activity")
    path = f"[ sh:zeroOrMorePath [ sh:alternativePath ( {_GENERAL.replace('|', ' ')} ) ] ]"
    message, targets = "an empty collection has no members", ["sh:targetSubjectsOf prov:hadMember"]
    property = _property(56, message, f"sh:path {path} ; sh:not [ sh:class prov:EmptyCollection ]")
    yield _shape(56, targets, message, property)


def _unique() -> Iterator[str]:
    for property in ("prov:startedAtTime", "prov:endedAtTime"):
        message = "an activity starts and ends once"
        once = _property(22, message, f"sh:path {property} ; sh:maxCount 1")
        yield _shape(22, [f"sh:targetSubjectsOf {property}"], message, once, property[5:])
    for relation in RELATIONS:
        message = "an identifier has one value for each argument"
        links = " ".join(f"[ sh:inversePath {link} ]" for link in _links(relation).split("|"))
        paths = [f"[ sh:alternativePath ( {links} ) ]" if " ] [" in links else links]
        paths += [f"prov:{role.property}" for role in relation.roles]
        once = " ;\n    ".join(_property(23, message, f"sh:path {path} ; sh:maxCount 1") for path in paths)
        yield _shape(23, _targets(relation.noun), message, once, relation.noun)
    for number, name, second in _PAIRED:
        links = _links(_BY_NAME[name])
        targets = [f"sh:targetSubjectsOf {links.replace('|', ', ')}"]
        same = f"$this {links} ?one, ?other . ?one {second} ?by . ?other {second} ?by ."
        yield _query(number, targets, "it happens once by one activity", f"{same} {_DIFFERENT}")
        times = "?one prov:atTime ?time . ?other prov:atTime ?different . FILTER(?time != ?different && ?one != ?other)"
        yield _query(23, targets, "what happens once by one activity has one time", f"{same} {times}", f"{name}-time")
    for number, property, name in ((28, "startedAtTime", "wasStartedBy"), (29, "endedAtTime", "wasEndedBy")):
        event = f"({_links(_BY_NAME[name])})/prov:atTime"
        pattern = f"$this prov:{property}|{event} ?one . $this {event} ?other . {_DIFFERENT}"
        targets = [f"sh:targetSubjectsOf {_links(_BY_NAME[name]).replace('|', ', ')}"]
        yield _query(number, targets, "an activity and what starts or ends it have one time", pattern)


def _ordered() -> Iterator[str]:
    derived = _to("wasDerivedFrom")
    later = "|".join(
        [
            derived,
            *(_to(name) for name in ("wasGeneratedBy", "wasStartedBy", "wasAttributedTo")),
            "^prov:generated",
            _GENERAL,
            f"({_links(_BY_NAME['wasStartedBy'])}|{_links(_BY_NAME['wasDerivedFrom'])})/prov:hadActivity",
        ]
    )
    derivation = _BY_NAME["wasDerivedFrom"]
    simple = [_short(name) for name, relation in SIMPLE.items() if relation is derivation]
    targets = [f"sh:targetSubjectsOf {', '.join([*simple, *_links(derivation).split('|')])}"]
    pattern = f"$this {derived} ?source . ?source ({later})* $this ."
    yield _query(42, targets, "nothing is derived from what comes no earlier", pattern)


def _short(iri: str) -> str:
    return "prov:" + iri.removeprefix(PROV)


def _links(relation: Relation) -> str:
    """The properties that lead to the node of the qualified form, as a path."""
    return "|".join(_short(name) for name, known in QUALIFIED.items() if known is relation and "qualified" in name)


def _to(name: str) -> str:
    """The path from the first argument to the second, in both forms."""
    relation = _BY_NAME[name]
    simple = "|".join(_short(property) for property, known in SIMPLE.items() if known is relation)
    return f"{simple}|({_links(relation)})/(prov:{relation.roles[0].property}|prov:influencer)"


def _has(name: str, inverse: bool | None = False) -> str:
    if inverse is None:
        return f"[ sh:class {_short(name)} ]"
    path = f"[ sh:inversePath {_short(name)} ]" if inverse else _short(name)
    return f"[ sh:property [ sh:path {path} ; sh:minCount 1 ] ]"


def _or(parts: Iterable[str]) -> str:
    return f"sh:or ( {' '.join(parts)} )"


def _known_by(name: str, signs: list[str]) -> str:
    alternatives = "\n        ".join(signs)
    return f":{name} a sh:NodeShape ;\n    sh:or (\n        {alternatives}\n    ) .\n"


def _targets(noun: str) -> list[str]:
    """All that are known as identifiers of a relation."""
    relation = next(relation for relation in RELATIONS if relation.noun == noun)
    keywords = {None: "sh:targetClass", False: "sh:targetSubjectsOf", True: "sh:targetObjectsOf"}
    return [f"{keywords[inverse]} {_short(name)}" for name, inverse in _signs(relation)]


def _text(number: int, message: str) -> str:
    return f'sh:message "{number} {NAMES[number]}: {message}"'


def _shape(number: int, targets: list[str], message: str, constraint: str, part: str = "") -> str:
    name = f":c{number}-{NAMES[number]}{'-' if part else ''}{part}"
    said = " ;\n    ".join([*targets, _text(number, message), constraint])
    return f"{name} a sh:NodeShape ;\n    {said} .\n"


def _property(number: int, message: str, constraint: str) -> str:
    return f"sh:property [ {constraint} ; {_text(number, message)} ]"


def _query(number: int, targets: list[str], message: str, pattern: str, part: str = "") -> str:
    select = f'sh:select """SELECT DISTINCT $this WHERE {{ {pattern} }}"""'
    return _shape(number, targets, message, f"sh:sparql [ sh:prefixes : ; {_text(number, message)} ; {select} ]", part)
