"""Constraints 22 to 29: what has to be the same, is merged; what can't be the same, breaks the constraint.

Each of them is a dependency: statements that agree on some terms have to agree on others. Terms that have to agree are
put together (union and find), which may make further statements agree, until nothing changes. IRIs and times are what
they are; blank nodes, and what isn't known, can be the same as anything. Every statement is looked at again only when
one of its terms was put together with another, in the smaller of two sets: O(n log n).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Final, NamedTuple

from otel_prov.validate.instance import Statement
from otel_prov.validate.terms import is_time, is_unknown, is_variable, shown
from otel_prov.validate.violation import Violation
from otel_prov.validate.vocabulary import NOUNS

__all__ = ["Terms", "merge"]

_PAIRED: Final = {
    "wasGeneratedBy": (24, 1),
    "wasInvalidatedBy": (25, 1),
    "wasStartedBy": (26, 2),
    "wasEndedBy": (27, 2),
}
"""By constraint: which argument, with the first, tells one such event from another."""
_INFLUENCE: Final = "wasInfluencedBy"
_TIMED: Final = {"wasStartedBy": 28, "wasEndedBy": 29}


class Terms:
    """Which terms are the same."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def __getitem__(self, term: str) -> str:
        """The one term that stands for all that are the same: their IRI or time, if there is one."""
        root = term
        while (above := self._above.get(root, root)) != root:
            root = above
        while term != root:
            self._above[term], term = root, self._above[term]
        return root

    def put(self, term: str, under: str) -> None:
        """Let one root stand under another one."""
        self._above[term] = under


class _Dependency(NamedTuple):
    """One constraint on one statement: statements with the same key have to have the same values."""

    constraint: int
    relation: str
    key: tuple[str, ...]
    values: tuple[str | None, ...]
    noun: str
    """What its identifier is."""
    subject: str
    """What the statement says something of; empty for the times of an activity beside its starts and ends."""


def _dependencies(statement: Statement) -> Iterator[_Dependency]:
    relation, id, arguments = statement
    if relation == "activity":
        yield _Dependency(22, relation, (id,), arguments, "", id)
        yield _Dependency(28, "wasStartedBy", (id,), arguments[:1], "", "")
        yield _Dependency(29, "wasEndedBy", (id,), arguments[1:], "", "")
        return
    noun, subject, named = NOUNS[relation], arguments[0] or "", not is_unknown(id)
    if named or relation in _PAIRED:
        yield _Dependency(23, relation, (id,), arguments, noun, subject)
    if named:  # inference 15: an influence with the same identifier
        yield _Dependency(23, _INFLUENCE, (id,), arguments[:2], noun, subject)
    if relation in _PAIRED:
        constraint, second = _PAIRED[relation]
        yield _Dependency(constraint, relation, (subject, arguments[second] or ""), (id,), noun, subject)
    if relation in _TIMED:
        yield _Dependency(_TIMED[relation], relation, (subject,), arguments[-1:], noun, subject)


def _said_once(one: _Dependency, other: _Dependency) -> bool:
    """Whether what they say together is for another constraint to say: 22, 23 of their own relation, or 53."""
    if one.relation == _INFLUENCE:
        return one.noun == other.noun or not {one.noun, other.noun} & {"Derivation", "Influence"}
    return not one.subject and not other.subject


def merge(statements: list[Statement]) -> tuple[Terms, list[Violation]]:
    """Put together what has to be the same, and tell what can't be."""
    return _Merger(statements).run()


class _Merger:
    def __init__(self, statements: list[Statement]) -> None:
        self._terms = Terms()
        self._waiting = deque(found for statement in statements for found in _dependencies(statement))
        self._users: dict[str, list[_Dependency]] = {}
        for dependency in self._waiting:
            for term in dependency.key:
                if is_variable(term):  # only these can change
                    self._users.setdefault(term, []).append(dependency)
        self._first: dict[tuple[int, str, tuple[str, ...]], _Dependency] = {}
        self._violations: set[Violation] = set()

    def run(self) -> tuple[Terms, list[Violation]]:
        while self._waiting:
            dependency = self._waiting.popleft()
            key = tuple(self._terms[term] for term in dependency.key)
            first = self._first.setdefault((dependency.constraint, dependency.relation, key), dependency)
            if first is not dependency and not _said_once(first, dependency):
                for one, other in zip(first.values, dependency.values, strict=True):
                    self._same(one, other, dependency, key)
        return self._terms, sorted(self._violations)

    def _same(self, one: str | None, other: str | None, dependency: _Dependency, key: tuple[str, ...]) -> None:
        if one is None or other is None:
            if one != other:
                self._violations.add(_broken(dependency, key, (one or other or "",), "both with and without"))
            return
        one, other = self._terms[one], self._terms[other]
        if one == other:
            return
        if not is_variable(one) and not is_variable(other):
            self._violations.add(_broken(dependency, key, tuple(sorted((one, other))), "both"))
            return
        if is_variable(one) and (
            not is_variable(other) or len(self._users.get(one, ())) <= len(self._users.get(other, ()))
        ):
            one, other = other, one
        self._terms.put(other, one)  # a variable under an IRI or a time, or the less used one under the other
        moved = self._users.pop(other, [])
        self._waiting.extend(moved)
        if is_variable(one) and moved:
            self._users.setdefault(one, []).extend(moved)


_VERBS: Final = {24: "generated", 25: "invalidated", 26: "started", 27: "ended", 28: "start", 29: "end"}


def _broken(dependency: _Dependency, key: tuple[str, ...], terms: tuple[str, ...], how: str) -> Violation:
    number, _, _, _, noun, subject = dependency
    both = f"{how} {' and '.join(map(shown, terms))}"
    if number in (24, 25, 26, 27):
        sentence = f"{shown(key[0])} can be {_VERBS[number]} by {shown(key[1])} only once, not as {both}"
    elif number == 23:
        one = f"a {noun} of {shown(subject)}"
        sentence = f"{one if is_unknown(key[0]) else f'{shown(key[0])}, {one},'} can't have {both}"
    else:
        sentence = f"the activity {shown(key[0])} can't {_VERBS.get(number, 'start or end')} at {both}"
    nodes = dict.fromkeys((*key, subject, *terms))
    named = tuple(term for term in nodes if term and not is_unknown(term) and not is_time(term))
    return Violation(number, named, sentence)
