"""PROV-O as tables: its classes, and its relations in their simple and in their qualified form.

The reader, the checks and the SHACL shapes are all made from these. Domains and ranges are those of the PROV-O ontology
(W3C Recommendation of 30 April 2013), which are also what PROV-CONSTRAINTS has as constraint 50 (typing).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from otel_prov.describe.vocabulary import PROV

__all__ = [
    "ACTIVITY",
    "AGENT",
    "CLASSES",
    "EMPTY_COLLECTION",
    "ENTITY",
    "IDENTIFIERS",
    "INVERSES",
    "KINDS",
    "NOUNS",
    "QUALIFIED",
    "RELATIONS",
    "SIMPLE",
    "Relation",
    "Role",
]

ENTITY: Final = "Entity"
ACTIVITY: Final = "Activity"
AGENT: Final = "Agent"

EMPTY_COLLECTION: Final = PROV + "EmptyCollection"

CLASSES: Final = {
    PROV + name: kind
    for kind, names in {
        ENTITY: ("Entity", "Plan", "Bundle", "Collection", "EmptyCollection"),
        ACTIVITY: ("Activity",),
        AGENT: ("Agent", "SoftwareAgent", "Person", "Organization"),
    }.items()
    for name in names
}
"""What a node is that has one of these types."""


class Role(NamedTuple):
    """One argument of a relation, but for the first, which is what the relation says something of."""

    property: str
    """What leads to it from the node of the qualified form."""
    kind: str = ""
    """What it has to be; empty for a time, for another relation's identifier, and where it may be anything."""
    expandable: bool = True
    """Whether it exists where it isn't named (PROV-CONSTRAINTS, table 3); else it may not exist."""


class Relation(NamedTuple):
    """A relation of PROV-DM that has an identifier, with its arguments in PROV-DM's order."""

    name: str
    """In PROV-DM, and of the property that is its simple form."""
    noun: str
    """The class of the qualified form's node."""
    kind: str
    """What the first argument has to be."""
    roles: tuple[Role, ...]
    """The others, the one that the simple form leads to first."""
    narrower: tuple[tuple[str, str], ...] = ()
    """Properties and classes that mean the same and more."""


_TIME: Final = Role("atTime")

RELATIONS: Final = (
    Relation("wasGeneratedBy", "Generation", ENTITY, (Role("activity", ACTIVITY), _TIME)),
    Relation("wasInvalidatedBy", "Invalidation", ENTITY, (Role("activity", ACTIVITY), _TIME)),
    Relation("used", "Usage", ACTIVITY, (Role("entity", ENTITY), _TIME)),
    Relation("wasStartedBy", "Start", ACTIVITY, (Role("entity", ENTITY), Role("hadActivity", ACTIVITY), _TIME)),
    Relation("wasEndedBy", "End", ACTIVITY, (Role("entity", ENTITY), Role("hadActivity", ACTIVITY), _TIME)),
    Relation("wasInformedBy", "Communication", ACTIVITY, (Role("activity", ACTIVITY),)),
    Relation(
        "wasDerivedFrom",
        "Derivation",
        ENTITY,
        (
            Role("entity", ENTITY),
            Role("hadActivity", ACTIVITY, expandable=False),
            Role("hadGeneration", expandable=False),
            Role("hadUsage", expandable=False),
        ),
        (("wasRevisionOf", "Revision"), ("wasQuotedFrom", "Quotation"), ("hadPrimarySource", "PrimarySource")),
    ),
    Relation("wasAttributedTo", "Attribution", ENTITY, (Role("agent", AGENT),)),
    Relation("wasAssociatedWith", "Association", ACTIVITY, (Role("agent", AGENT), Role("hadPlan", ENTITY, False))),
    Relation("actedOnBehalfOf", "Delegation", AGENT, (Role("agent", AGENT), Role("hadActivity", ACTIVITY))),
    Relation("wasInfluencedBy", "Influence", "", (Role("influencer"),)),
)

NOUNS: Final = {relation.name: relation.noun for relation in RELATIONS}
"""The class of each relation's identifiers."""

SIMPLE: Final = {
    PROV + property: relation
    for relation in RELATIONS
    for property in (relation.name, *(property for property, _ in relation.narrower))
}
"""The relation that each property is the simple form of."""

INVERSES: Final = {PROV + "generated": "wasGeneratedBy", PROV + "invalidated": "wasInvalidatedBy"}
"""Properties that say the same the other way round. (``prov:influenced`` breaks nothing, like its inverse.)"""

QUALIFIED: Final = {
    PROV + prefix + noun: relation
    for prefix in ("qualified", "")
    for relation in RELATIONS
    for noun in (relation.noun, *(noun for _, noun in relation.narrower))
}
"""The relation of each property that leads to a qualified form's node, and of each class of such nodes."""

IDENTIFIERS: Final = {
    PROV + "hadGeneration": ("wasDerivedFrom", "wasGeneratedBy"),
    PROV + "hadUsage": ("wasDerivedFrom", "used"),
    PROV + "hadPlan": ("wasAssociatedWith", ""),
}
"""Properties of qualified forms that tell what they are: the relation that the subject identifies, and the object."""

KINDS: Final[dict[str, tuple[str, str]]] = {
    **{property: (relation.kind, relation.roles[0].kind) for property, relation in SIMPLE.items()},
    **{PROV + "qualified" + relation.noun: (relation.kind, "") for relation in RELATIONS},
    **{PROV + "qualified" + noun: (ENTITY, "") for relation in RELATIONS for _, noun in relation.narrower},
    **{PROV + role.property: ("", role.kind) for relation in RELATIONS for role in relation.roles if role.kind},
    PROV + "generated": (ACTIVITY, ENTITY),
    PROV + "invalidated": (ACTIVITY, ENTITY),
    PROV + "startedAtTime": (ACTIVITY, ""),
    PROV + "endedAtTime": (ACTIVITY, ""),
    PROV + "generatedAtTime": (ENTITY, ""),
    PROV + "invalidatedAtTime": (ENTITY, ""),
    PROV + "alternateOf": (ENTITY, ENTITY),
    PROV + "specializationOf": (ENTITY, ENTITY),
    PROV + "mentionOf": (ENTITY, ENTITY),
    PROV + "asInBundle": (ENTITY, ENTITY),
    PROV + "hadMember": (ENTITY, ENTITY),
    PROV + "value": (ENTITY, ""),
}
"""What the subject and the object of each property have to be; empty where they may be anything."""
