"""Plans and delegated work in the PROV view.

======================== ======== =================================================================================
``#work-plan``           Entity   a plan: what each step was to achieve, in order, a line for each
``#step-{i}``            Activity a step, by ``#agent``, according to ``#work-plan``, which used what was seen within
``#step-{i}-result``     Entity   what came of it, derived from the answer of the session that ran for it
``#decomposition``       Entity   a plan, too: what each part of the work was to achieve
``#part-{i}``            Activity a part of the work, according to ``#decomposition``
``#part-{i}-finding``    Entity   what came of it, derived from the answer of the agent that did it
======================== ======== =================================================================================

Steps and parts are counted from 0. The iterations within are parts of the activity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from otel_prov.describe import uris
from otel_prov.describe.prov import terms as t
from otel_prov.describe.prov.facts import Fact, content, text, types
from otel_prov.describe.prov.retrieved import answer_of
from otel_prov.steps import Decomposition, Finding, Plan, Session, StepResult

__all__ = ["Part", "activities", "plans", "result", "result_of"]

Part = StepResult | Finding

_PLAN: Final = types(t.ENTITY, t.PLAN)
_ASSOCIATION: Final = types(t.ASSOCIATION)
_STEP: Final = types(t.ACTIVITY, t.STEP)
_RESULT: Final = types(t.ENTITY, t.RESULT)


def activities(session: Session, base: str) -> dict[str | None, str]:
    """The activity of each step and part of which anything is known, by what its iterations are within."""
    return {part.place: _activity(part, base) for part in session.parts}


def plans(session: Session, base: str) -> Iterator[tuple[str, tuple[Fact, ...]]]:
    """What there was to do."""
    steps: list[Plan | Decomposition] = [*session.of(Plan), *session.of(Decomposition)]
    for step in steps:
        goals = [goal for goal in step.goals if goal is not None]
        node = uris.plan if isinstance(step, Plan) else uris.decomposition
        said = text("\n".join(goals)) if goals else None
        yield (
            _whole(isinstance(step, Plan), base),
            (*_PLAN, (t.VALUE, said), (t.EXPLAINED_BY, node(uris.legal(session.uri)))),
        )


def result(
    session: Session, part: Part, base: str, seen: Iterable[Fact], over: bool
) -> Iterator[tuple[str, tuple[Fact, ...]]]:
    """A step or a part, with what came of it; nothing is certain of that while it goes on.

    ``seen`` is what was observed within. The facts of the activity are those that hold for steps alone.
    """
    uri = _activity(part, base)
    is_step = isinstance(part, StepResult)
    has_plan = any(session.of(Plan if is_step else Decomposition))
    association = f"{uri}-association" if has_plan else None
    yield (
        uri,
        (
            *_STEP,
            (t.GOAL, text(part.goal)),
            *seen,
            (t.ASSOCIATED_WITH, f"{base}agent"),
            (t.QUALIFIED_ASSOCIATION, association),
            (t.ERROR, text(part.error)),
            (t.PART_OF, f"{base}run"),
        ),
    )
    if association:
        yield association, (*_ASSOCIATION, (t.HAS_AGENT, f"{base}agent"), (t.HAD_PLAN, _whole(is_step, base)))
    if over or part.started is None or part.ended is not None:
        yield (
            result_of(part, base),
            (
                *_RESULT,
                *content(part.text, part.digest),
                (t.GENERATED_BY, uri),
                (t.DERIVED_FROM, answer_of(part.sub_trace, base)),
                (t.EXPLAINED_BY, f"{uris.legal(session.uri)}/{part.place}"),
            ),
        )


def result_of(part: Part, base: str) -> str:
    """The entity that came of a step or a part."""
    return f"{_activity(part, base)}-{'result' if isinstance(part, StepResult) else 'finding'}"


def _activity(part: Part, base: str) -> str:
    return f"{base}{'step' if isinstance(part, StepResult) else 'part'}-{part.index}"


def _whole(is_plan: bool, base: str) -> str:
    return f"{base}{'work-plan' if is_plan else 'decomposition'}"
