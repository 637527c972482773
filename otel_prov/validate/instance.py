"""One graph of PROV-O as what PROV-CONSTRAINTS calls an instance: statements with all their arguments.

A property (``e prov:wasGeneratedBy a``) is a statement whose identifier and time are not known; a node of the qualified
form (``e prov:qualifiedGeneration g``) is one whose identifier is the node. What is not known exists (PROV-CONSTRAINTS,
definitions 2 to 4): it gets a name of its own, a blank node like those of the graph. An activity, the generation and
the usage of a derivation, and the plan of an association may also not exist, and are ``None``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Final, NamedTuple

from otel_prov.describe.quads import Literal, Quad, QuotedTriple
from otel_prov.describe.vocabulary import PROV, RDF_TYPE
from otel_prov.validate.terms import UNKNOWN, instant
from otel_prov.validate.vocabulary import (
    ACTIVITY,
    CLASSES,
    EMPTY_COLLECTION,
    IDENTIFIERS,
    INVERSES,
    KINDS,
    QUALIFIED,
    RELATIONS,
    SIMPLE,
    Relation,
)

__all__ = ["Instance", "Reason", "Statement"]

_ACTIVITY_TIMES: Final = (PROV + "startedAtTime", PROV + "endedAtTime")
_ENTITY_TIMES: Final = {PROV + "generatedAtTime": "wasGeneratedBy", PROV + "invalidatedAtTime": "wasInvalidatedBy"}
_GENERAL: Final = (PROV + "specializationOf", PROV + "mentionOf")
_MEMBER: Final = PROV + "hadMember"
_ROLES: Final = {PROV + role.property for relation in RELATIONS for role in relation.roles}
_KNOWN: Final = {RDF_TYPE, *KINDS, *SIMPLE, *_ROLES, PROV + "qualifiedInfluence"}
_BY_NAME: Final = {relation.name: relation for relation in RELATIONS}
_PATTERNS: Final = {relation.name: tuple(role.expandable for role in relation.roles) for relation in RELATIONS}


class Statement(NamedTuple):
    """A statement of PROV-DM, such as ``wasGeneratedBy(g; e, a, t)``."""

    relation: str
    """``activity`` for the two times of an activity, whose identifier is the activity."""
    id: str
    arguments: tuple[str | None, ...]


class Reason(NamedTuple):
    """Why a node is something: it has this type, or it stands on one side of this property."""

    term: str
    side: str = ""
    other: str = ""


class Instance:
    """What one graph says in PROV."""

    def __init__(self, quads: Iterable[Quad]) -> None:
        self.statements: list[Statement] = []
        self.kinds: dict[str, dict[str, Reason]] = {}
        """What each node is (constraint 50), and a reason for each."""
        self.relations: dict[str, dict[str, Reason]] = {}
        """Which relations each node is the identifier of."""
        self.specializations: list[tuple[str, str]] = []
        """Specific and general entity."""
        self.members: list[tuple[str, str]] = []
        """Collection and member."""
        self.empty: list[str] = []
        """The empty collections."""
        self._pairs: dict[str, list[tuple[str, str | Literal]]] = defaultdict(list)
        self._fresh = count()
        for subject, predicate, target in _relevant(quads):
            self._pairs[predicate].append((subject, target))
        self._read_kinds()
        self._read_simple()
        self._read_qualified()
        self._read_times()
        self._read_collections()

    def _unknown(self) -> str:
        return f"{UNKNOWN}{next(self._fresh)}"

    def _links(self, property: str) -> Iterator[tuple[str, str]]:
        """What a property leads to; texts are no nodes, and lead nowhere."""
        return ((subject, target) for subject, target in self._pairs.get(property, ()) if isinstance(target, str))

    def _read_kinds(self) -> None:
        for subject, kind in self._links(RDF_TYPE):
            if kind in CLASSES:
                self._is(subject, CLASSES[kind], Reason(kind))
            elif kind in QUALIFIED:
                self._identifies(subject, QUALIFIED[kind].name, Reason(kind))
            if kind == EMPTY_COLLECTION:
                self.empty.append(subject)
        for property, (of_subject, of_object) in KINDS.items():
            for subject, target in self._pairs.get(property, ()):
                if of_subject:
                    other = target if isinstance(target, str) else ""
                    self._is(subject, of_subject, Reason(property, "subject", other))
                if of_object and isinstance(target, str):
                    self._is(target, of_object, Reason(property, "object", subject))
        for property, (relation, identified) in IDENTIFIERS.items():
            for subject, target in self._links(property):
                self._identifies(subject, relation, Reason(property, "subject", target))
                if identified:
                    self._identifies(target, identified, Reason(property, "object", subject))

    def _is(self, node: str, kind: str, reason: Reason) -> None:
        self.kinds.setdefault(node, {}).setdefault(kind, reason)

    def _identifies(self, node: str, relation: str, reason: Reason) -> None:
        self.relations.setdefault(node, {}).setdefault(relation, reason)

    def _read_simple(self) -> None:
        for property, relation in SIMPLE.items():
            for subject, target in self._links(property):
                self._add(relation, self._unknown(), subject, [target])
        for property, name in INVERSES.items():
            for subject, target in self._links(property):
                self._add(_BY_NAME[name], self._unknown(), target, [subject])

    def _read_qualified(self) -> None:
        said: dict[tuple[str, str], list[str]] = defaultdict(list)
        for property, relation in QUALIFIED.items():
            for subject, node in self._links(property):
                said[node, relation.name].append(subject)
                self._identifies(node, relation.name, Reason(property, "object", subject))
        values: dict[tuple[str, str], list[str]] = defaultdict(list)
        for property in _ROLES:
            name = property.removeprefix(PROV)
            for node, value in self._pairs.get(property, ()):
                if name == "atTime":
                    values[node, name].append(instant(value))
                elif isinstance(value, str):
                    values[node, name].append(value)
        for node, names in self.relations.items():
            for name in names:
                relation = _BY_NAME[name]
                columns = [values.get((node, role.property), []) for role in relation.roles]
                if name != "wasInfluencedBy":
                    columns[0] = columns[0] or values.get((node, "influencer"), [])
                self._add_each(relation, node, said.get((node, name), []), columns)

    def _add_each(self, relation: Relation, id: str, subjects: list[str], columns: list[list[str]]) -> None:
        """A node with several values says several things of one identifier, which constraint 23 looks at."""
        subjects = subjects or [self._unknown()]
        for row in range(max(len(subjects), *map(len, columns))):
            arguments = [column[row if row < len(column) else 0] if column else None for column in columns]
            self._add(relation, id, subjects[row if row < len(subjects) else 0], arguments)

    def _add(self, relation: Relation, id: str, subject: str, values: list[str | None] | list[str]) -> None:
        """A statement; the arguments that it lacks exist, or don't."""
        given = [*values, *[None] * (len(relation.roles) - len(values))]
        if relation.name == "wasDerivedFrom" and given[1]:
            expandable: tuple[bool, ...] = (True,) * len(given)  # table 3: with an activity, all of it exists
        else:
            expandable = _PATTERNS[relation.name]
        arguments = [
            value or (self._unknown() if exists else None) for value, exists in zip(given, expandable, strict=True)
        ]
        self.statements.append(Statement(relation.name, id, (subject, *arguments)))
        if relation.name == "wasDerivedFrom" and given[1]:
            self._infer_use(subject, arguments)

    def _infer_use(self, derived: str, arguments: list[str | None]) -> None:
        """Inference 11: what is derived by an activity was generated by it, and the other one used."""
        source, activity, generation, usage = arguments
        for name, id, values in (
            ("wasGeneratedBy", generation, (derived, activity, self._unknown())),
            ("used", usage, (activity, source, self._unknown())),
        ):
            self.statements.append(Statement(name, id or self._unknown(), values))

    def _read_times(self) -> None:
        times: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
        for which, property in enumerate(_ACTIVITY_TIMES):
            for activity, time in self._pairs.get(property, ()):
                times[activity][which].append(instant(time))
        for activity in (node for node, kinds in self.kinds.items() if ACTIVITY in kinds):
            started, ended = times.get(activity, ([], []))
            for row in range(max(len(started), len(ended), 1)):
                start = started[min(row, len(started) - 1)] if started else self._unknown()
                end = ended[min(row, len(ended) - 1)] if ended else self._unknown()
                self.statements.append(Statement("activity", activity, (start, end)))
        for property, name in _ENTITY_TIMES.items():
            for entity, time in self._pairs.get(property, ()):
                values = (entity, self._unknown(), instant(time))
                self.statements.append(Statement(name, self._unknown(), values))

    def _read_collections(self) -> None:
        self.specializations += [pair for property in _GENERAL for pair in self._links(property)]
        self.members += self._links(_MEMBER)


def _relevant(quads: Iterable[Quad]) -> list[tuple[str, str, str | Literal]]:
    """What is said in PROV, each statement once, in an order that depends on nothing else."""
    found = {(s, p, o) for s, p, o, _ in quads if p in _KNOWN and not isinstance(o, QuotedTriple)}
    return sorted(found, key=lambda triple: (triple[0], triple[1], isinstance(triple[2], str), triple[2]))
