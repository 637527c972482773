"""PROV-CONSTRAINTS taken literally, rule by rule, for small instances: slow, and nothing like the validator.

Every event is a node of its own, every inference adds statements, every pair of statements is compared, and what comes
before what is searched from each strict pair. It reads statements, not RDF.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, count, permutations, product
from typing import NamedTuple

E, A, G = "entity", "activity", "agent"
SIGNATURES = {
    "wasGeneratedBy": (E, A, "time"),
    "wasInvalidatedBy": (E, A, "time"),
    "used": (A, E, "time"),
    "wasStartedBy": (A, E, A, "time"),
    "wasEndedBy": (A, E, A, "time"),
    "wasInformedBy": (A, A),
    "wasDerivedFrom": (E, E, A, "wasGeneratedBy", "used"),
    "wasAttributedTo": (E, G),
    "wasAssociatedWith": (A, G, E),
    "actedOnBehalfOf": (G, G, A),
}
PLAIN = {"specializationOf": (E, E), "hadMember": (E, E)}
ALL = SIGNATURES | PLAIN | {"wasInfluencedBy": ("", "")}


class Said(NamedTuple):
    """A statement; ``None`` is what it leaves out. ``entity`` and so on have no arguments; ``activity`` has two times;
    ``empty`` is an empty collection; the last two relations have no identifier."""

    name: str
    id: str | None
    arguments: tuple[str | None, ...] = ()


def broken(said: list[Said]) -> set[int]:
    """The numbers of all constraints that are broken; only those up to 29 if there are such."""
    return _Oracle(said).broken()


class _Oracle:
    def __init__(self, said: list[Said]) -> None:
        self._numbers = count()
        self.all = {self._expanded(one, said) for one in said}

    def _new(self) -> str:
        return f"?{next(self._numbers)}"

    def _expanded(self, one: Said, said: list[Said]) -> Said:
        """Definitions 2 to 4, after what statements of one identifier leave out is taken from each other, as in RDF."""
        given = list(one.arguments)
        for other in said:
            if one.id is not None and other[:2] == one[:2]:
                given = [
                    mine if mine is not None else theirs for mine, theirs in zip(given, other.arguments, strict=True)
                ]
        if one.name == "wasAssociatedWith":
            fixed = {2}
        elif one.name == "wasDerivedFrom" and given[2] is None:
            fixed = {2, 3, 4}
        else:
            fixed = set()
        arguments = tuple(
            value if value is not None or place in fixed else self._new() for place, value in enumerate(given)
        )
        return Said(one.name, one.id or self._new(), arguments)

    def _kinds(self, one: Said) -> Iterator[tuple[str, str]]:
        """Constraint 50."""
        if one.name in (E, A, G):
            yield one.id or "", one.name
        elif one.name == "empty":
            yield one.id or "", E
        else:
            for term, kind in zip(one.arguments, ALL[one.name], strict=True):
                if term is not None and kind in (E, A, G):
                    yield term, kind

    def _of(self, name: str) -> list[Said]:
        return [one for one in self.all if one.name == name]

    def broken(self) -> set[int]:
        kinds = {pair for one in self.all for pair in self._kinds(one)}
        for term, kind in kinds:
            if kind == A and not any(one.id == term for one in self._of(A)):
                self.all.add(Said(A, term, (self._new(), self._new())))
        self._infer(kinds)
        if uniqueness := self._unify():
            return uniqueness
        kinds = {pair for one in self.all for pair in self._kinds(one)}
        return self._impossible(kinds) | ({42} if self._disordered(kinds) else set())

    def _infer(self, kinds: set[tuple[str, str]]) -> None:
        new = self._new
        for one in list(self.all):
            match one.name, one.arguments:
                case "wasInformedBy", (later, earlier):  # 5
                    between = new()
                    self.all |= {
                        Said("wasGeneratedBy", new(), (between, earlier, new())),
                        Said("used", new(), (later, between, new())),
                    }
                case "wasStartedBy" | "wasEndedBy", (_, trigger, other, _):  # 9, 10
                    self.all.add(Said("wasGeneratedBy", new(), (trigger, other, new())))
                case "wasDerivedFrom", (derived, source, str(activity), generation, usage):  # 11
                    self.all |= {
                        Said("used", usage, (activity, source, new())),
                        Said("wasGeneratedBy", generation, (derived, activity, new())),
                    }
                case "wasAttributedTo", (entity, agent):  # 13
                    activity = new()
                    self.all |= {
                        Said("wasGeneratedBy", new(), (entity, activity, new())),
                        Said("wasAssociatedWith", new(), (activity, agent, new())),
                    }
                case "actedOnBehalfOf", (one_agent, other_agent, activity):  # 14
                    self.all |= {
                        Said("wasAssociatedWith", new(), (activity, agent, new())) for agent in (one_agent, other_agent)
                    }
        for term, kind in kinds:
            if kind == E:  # 7
                self.all |= {
                    Said("wasGeneratedBy", new(), (term, new(), new())),
                    Said("wasInvalidatedBy", new(), (term, new(), new())),
                }
            elif kind == A:  # 8
                self.all |= {
                    Said("wasStartedBy", new(), (term, new(), new(), new())),
                    Said("wasEndedBy", new(), (term, new(), new(), new())),
                }
        for one in list(self.all):  # 6 leads to nothing else that counts; 15
            if one.name in SIGNATURES:
                self.all.add(Said("wasInfluencedBy", one.id, one.arguments[:2]))

    def _unify(self) -> set[int]:
        """Constraints 22 to 29, until nothing changes; the numbers of those that can't be met."""
        while True:
            change, failed = None, set()
            for number, one, other in self._equalities():
                if one == other:
                    continue
                if one is not None and one.startswith("?"):
                    change = one, other
                elif other is not None and other.startswith("?"):
                    change = other, one
                else:
                    failed.add(number)
                    continue
                break
            if change is None:
                return failed
            old, to = change
            assert to is not None
            self.all = {
                Said(name, to if id == old else id, tuple(to if value == old else value for value in arguments))
                for name, id, arguments in self.all
            }

    def _equalities(self) -> Iterator[tuple[int, str | None, str | None]]:
        unique = {
            "wasGeneratedBy": (24, 1),
            "wasInvalidatedBy": (25, 1),
            "wasStartedBy": (26, 2),
            "wasEndedBy": (27, 2),
        }
        for one, other in combinations(sorted(self.all, key=repr), 2):
            if one.name == other.name:
                if one.id == other.id:  # 22, 23
                    number = 22 if one.name == A else 23
                    for mine, theirs in zip(one.arguments, other.arguments, strict=True):
                        yield number, mine, theirs
                if one.name in unique:
                    number, place = unique[one.name]
                    if (one.arguments[0], one.arguments[place]) == (other.arguments[0], other.arguments[place]):
                        yield number, one.id, other.id
        for activity in self._of(A):
            for number, name, which in ((28, "wasStartedBy", 0), (29, "wasEndedBy", 1)):
                for event in self._of(name):
                    if event.arguments[0] == activity.id:
                        yield number, activity.arguments[which], event.arguments[3]

    def _impossible(self, kinds: set[tuple[str, str]]) -> set[int]:
        found = set()
        general = {one.arguments for one in self._of("specializationOf")}
        while (
            more := {(one, last) for (one, two), (three, last) in product(general, general) if two == three} - general
        ):
            general |= more  # 19
        empty = {one.id for one in self._of("empty")}
        empty |= {specific for specific, other in general if other in empty}  # 21
        for one in self._of("wasDerivedFrom"):
            _, _, activity, generation, usage = one.arguments
            if activity is None and (generation, usage) != (None, None):
                found.add(51)
        if any(specific == other for specific, other in general):
            found.add(52)
        relations = {(one.id, one.name) for one in self.all if one.name in SIGNATURES}
        for one in self._of("wasDerivedFrom"):  # in PROV-O hadGeneration leads to a generation, hadUsage to a usage
            named = zip(one.arguments[3:], ("wasGeneratedBy", "used"), strict=True)
            relations |= {(id, name) for id, name in named if id is not None}
        for (id, name), (other_id, other) in combinations(relations, 2):
            if id == other_id and name != other and "wasDerivedFrom" not in (name, other):
                found.add(53)
        if {id for id, _ in relations} & {term for term, _ in kinds}:
            found.add(54)
        if any((term, A) in kinds for term, kind in kinds if kind == E):
            found.add(55)
        if any(one.arguments[0] in empty for one in self._of("hadMember")):
            found.add(56)
        return found

    def _disordered(self, kinds: set[tuple[str, str]]) -> bool:
        pairs = set(self._order())
        onward: dict[str, set[str]] = {}
        for earlier, later, _ in pairs:
            onward.setdefault(earlier, set()).add(later)

        def reached(start: str) -> set[str]:
            seen, waiting = {start}, [start]
            while waiting:
                for event in onward.get(waiting.pop(), set()) - seen:
                    seen.add(event)
                    waiting.append(event)
            return seen

        return any(earlier in reached(later) for earlier, later, strict in pairs if strict)

    def _order(self) -> Iterator[tuple[str, str, bool]]:
        """Constraints 30 to 49: pairs of events, and whether one comes strictly before the other."""
        events = {
            name: [(one.id or "", one.arguments) for one in self._of(name)]
            for name in ("wasGeneratedBy", "wasInvalidatedBy", "used", "wasStartedBy", "wasEndedBy")
        }

        def of(name: str, node: str | None, place: int = 0) -> list[str]:
            return [id for id, arguments in events[name] if arguments[place] == node]

        def before(earlier: list[str], later: list[str], strict: bool = False) -> Iterator[tuple[str, str, bool]]:
            return ((one, other, strict) for one, other in product(earlier, later))

        for node in {term for one in self.all for term in (one.id, *one.arguments) if term is not None}:
            starts, ends = of("wasStartedBy", node), of("wasEndedBy", node)
            generations, invalidations = of("wasGeneratedBy", node), of("wasInvalidatedBy", node)
            yield from before(starts, ends)  # 30
            for same in (starts, ends, generations, invalidations):  # 31, 32, 39, 40
                yield from ((one, other, False) for one, other in permutations(same, 2))
            for inside in (of("used", node), of("wasGeneratedBy", node, 1)):  # 33, 34
                yield from before(starts, inside)
                yield from before(inside, ends)
            yield from before(generations, invalidations)  # 36
            yield from before(generations, of("used", node, 1))  # 37
            yield from before(of("used", node, 1), invalidations)  # 38
            for name in ("wasStartedBy", "wasEndedBy"):  # 43, 44
                yield from before(generations, of(name, node, 1))
                yield from before(of(name, node, 1), invalidations)
        for one in self.all:
            yield from self._ordered(one, of, before)

    def _ordered(self, one: Said, of, before) -> Iterator[tuple[str, str, bool]]:  # type: ignore[no-untyped-def]
        match one.name, one.arguments:
            case "wasInformedBy", (later, earlier):  # 35
                yield from before(of("wasStartedBy", earlier), of("wasEndedBy", later))
            case "wasDerivedFrom", (derived, source, activity, generation, usage):
                if None not in (activity, generation, usage):  # 41
                    yield usage, generation, False
                yield from before(of("wasGeneratedBy", source), of("wasGeneratedBy", derived), True)  # 42
            case "specializationOf", (specific, general):
                yield from before(of("wasGeneratedBy", general), of("wasGeneratedBy", specific))  # 45
                yield from before(of("wasInvalidatedBy", specific), of("wasInvalidatedBy", general))  # 46
            case "wasAssociatedWith", (activity, agent, _):  # 47
                yield from before(of("wasStartedBy", activity), of("wasInvalidatedBy", agent))
                yield from before(of("wasGeneratedBy", agent), of("wasEndedBy", activity))
                yield from before(of("wasStartedBy", activity), of("wasEndedBy", agent))
                yield from before(of("wasStartedBy", agent), of("wasEndedBy", activity))
            case "wasAttributedTo", (entity, agent):  # 48
                yield from before(of("wasGeneratedBy", agent), of("wasGeneratedBy", entity))
                yield from before(of("wasStartedBy", agent), of("wasGeneratedBy", entity))
            case "actedOnBehalfOf", (delegate, responsible, _):  # 49
                yield from before(of("wasGeneratedBy", responsible), of("wasInvalidatedBy", delegate))
                yield from before(of("wasStartedBy", responsible), of("wasEndedBy", delegate))
