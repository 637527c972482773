"""A session: one run of an agent, from its question to its answer."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterable
from operator import length_hint
from typing import TYPE_CHECKING, Any, TypeVar

from opentelemetry import trace
from opentelemetry.context import Context, set_value
from opentelemetry.trace import Span, Tracer

from otel_prov import names, uris
from otel_prov.environment import (
    OTEL_EXPORTER_PROV_COLLECTION,
    OTEL_EXPORTER_PROV_DETECT_USES,
    OTEL_EXPORTER_PROV_ENDPOINT,
    OTEL_EXPORTER_PROV_FLOW,
    OTEL_EXPORTER_PROV_WORKSPACE,
    flag,
    variable,
)
from otel_prov.instrument.activity import CHECKPOINTS, NOT_RECORDED, Activity, current, tracer
from otel_prov.instrument.answering import Answering
from otel_prov.instrument.content import Content, Redact
from otel_prov.instrument.iteration import IterationSpan
from otel_prov.instrument.nesting import Caller, caller_iri, enclosing, inside
from otel_prov.instrument.thinking import tool_names
from otel_prov.instrument.tool import ToolSpan
from otel_prov.instrument.uses import Seen, Use
from otel_prov.instrument.values import to_text
from otel_prov.instrument.work import Work
from otel_prov.losses import guarded, lost

if TYPE_CHECKING:
    from otel_prov.instrument.context import RemoteSession
    from otel_prov.instrument.detection import Detection
    from otel_prov.instrument.parts import PartSpan

G = TypeVar("G")

__all__ = ["SessionSpan", "current_session", "session"]


class SessionSpan(Answering):
    """A handle of a session. Threads and tasks that it is passed to can open iterations of it from anywhere."""

    def __init__(
        self,
        question: Any = None,
        *,
        session_id: str | None = None,
        iteration: int | None = None,
        context: Context | None = None,
        name: str | None = None,
        version: str | None = None,
        collection: str | None = None,
        user: str | None = None,
        model: str | None = None,
        pattern: str | None = None,
        task_type: str | None = None,
        tools: Iterable[Any] | None = None,
        caller: Caller = None,
        redact: Redact | None = None,
        detect_uses: bool | None = None,
    ) -> None:
        super().__init__()
        remote = None if context is None else _continued(context, session_id)
        if remote is not None:
            session_id, collection, user = remote.id, collection or remote.collection, user or remote.user
        first = iteration or (remote.iteration if remote is not None else 1)
        self._parent = enclosing(caller)
        outer = self._parent.session if self._parent is not None else None
        # A session that goes on within itself, as where a message is taken up at once, isn't its own caller.
        self._around = None if outer is not None and outer.id == session_id else self._parent
        self._caller = caller_iri(caller, self._around)
        if outer is not None:
            redact = redact or outer._content.redact
            collection = collection or outer.identity[names.COLLECTION]
            user = outer.identity.get(names.USER) if user is None else user
            detect_uses = outer.detection is not None if detect_uses is None else detect_uses
        content = self._content = Content(redact)
        self.id: str = str(uuid.uuid4()) if session_id is None else to_text(session_id)
        """Identity of the session; a fresh UUID unless the program gave one."""
        self.uri: str = names.session_uri(self.id)
        """Its IRI in the graph, ``urn:trustgraph:agent:{id}``."""
        self.identity: dict[str, str] = {
            names.SESSION_ID: self.id,
            names.COLLECTION: content.name(
                collection or variable(OTEL_EXPORTER_PROV_COLLECTION) or names.DEFAULT_COLLECTION
            ),
        }
        """Attributes that every span of the session carries."""
        if user is not None:
            self.identity[names.USER] = content.name(user)
        self.tracer: Tracer = tracer()
        self.open_inside: set[Activity] = set()
        """Its iterations, and the parts of its work, that have not ended yet."""
        self.work = Work(self.uri)
        """What its work is divided into."""
        self.candidates = None if tools is None else tool_names(content, tools)
        """Names of the tools that its iterations can choose from."""
        self._numbers = iter(range(first, sys.maxsize))
        self._latest = 0
        self._came_with = context
        self._continues = first if first > 1 or (remote is not None and remote.has_begun) else None
        self.seen: Seen = Seen()
        """What its iterations have observed."""
        self.detection: Detection | None = _detection(question, detect_uses)
        """What finds uses of that; ``None`` where they aren't looked for."""
        self._name = None if name is None else content.name(name)
        self._model = model
        self._version = version
        self._approach = {names.PATTERN: pattern, names.TASK_TYPE: task_type}
        self._question = question
        self._outcome: str | None = None

    @property
    def session(self) -> SessionSpan:
        """Itself."""
        return self

    @property
    def owner(self) -> Activity:
        """Itself."""
        return self

    @property
    def place(self) -> str:
        """Itself."""
        return self.uri

    def iteration(self) -> IterationSpan:
        """The next iteration, to be entered with ``with`` or ``async with``."""
        return IterationSpan(self._here())

    def tool(self, name: str, arguments: Any = None) -> ToolSpan:
        """A tool call outside of any iteration: an iteration of its own in the graph."""
        return ToolSpan(name, arguments, inside=self._here())

    def plan(self, goals: Iterable[G]) -> list[PartSpan[G]]:
        """A handle for each step of a plan, as :func:`otel_prov.plan`; from any thread."""
        return _divided(self, uris.STEP, goals)

    def delegate(self, goals: Iterable[G]) -> list[PartSpan[G]]:
        """A handle for each part that others do, as :func:`otel_prov.delegate`; from any thread."""
        return _divided(self, uris.FINDING, goals)

    def _here(self) -> Activity:
        """The part of its work that this code is inside of; else the session itself."""
        here = current()
        owner = here.owner if here is not None else None
        return owner if owner is not None and owner.session is self else self

    def next_number(self) -> int:
        """Number of the iteration that begins now."""
        self._latest = next(self._numbers)
        return self._latest

    @property
    def upcoming(self) -> int:
        """Number that the next iteration will have, here or in another process."""
        return sys.maxsize - length_hint(self._numbers)

    @guarded(None, NOT_RECORDED)
    def record(
        self,
        *,
        answer: Any = None,
        outcome: str | None = None,
        uses: Iterable[Use] | None = None,
        pattern: str | None = None,
        task_type: str | None = None,
    ) -> None:
        """Record what is known, when it is known; more than once if it changes.

        Args:
            answer: The session's answer, of any type.
            outcome: How the session ends where that can't be seen from outside: ``"max_iterations"`` for a loop that
                gave up.
            uses: The iterations whose results the answer uses, as in :meth:`IterationSpan.record`. After ``plan()`` or
                ``delegate()`` the answer follows from what came of those, so that ``uses`` is left out and counted.
            pattern: How the agent goes about its question, such as ``react``, ``plan-then-execute`` or ``supervisor``,
                where it decides that by itself. It is in the journal before this returns.
            task_type: What kind of task it takes the question for.
        """
        if approach := self._told_of({names.PATTERN: pattern, names.TASK_TYPE: task_type}):
            self._tell(approach)
            self.checkpoint()
        if uses is not None and self.work.is_divided:
            lost("uses of an answer left out", "it follows from what came of the plan, or of what was delegated")
        elif uses is not None:
            self._set(names.ITERATION_USES, self.seen.numbers(uses, self._content))
        if outcome is not None:
            self._outcome = self._content.name(outcome)
        if answer is not None:
            self._answer(answer)

    def _answer(self, value: Any) -> None:
        """Record the answer, and which results are used in it."""
        super()._answer(value)
        if self.detection is not None and (found := self.detection.used(value)):
            self._set(names.ITERATION_USES_DETECTED, sorted(found))

    def returned(self, value: Any) -> None:
        """The loop has returned: that is the answer, else what it has yielded.

        A loop that takes its session from messages, and returns nothing, has handed it on.
        """
        if value is None and self._came_with is not None:
            return
        if self._outcome is None:
            self._outcome = names.OUTCOME_FINAL
        if not self._answered or value is not None:
            self.record(answer=value)

    def _told_of(self, settings: dict[str, str | None]) -> dict[str, str]:
        """Those attributes that have a value, as names."""
        return {name: self._content.name(value) for name, value in settings.items() if value is not None}

    def _open(self, outside: Context) -> Span:
        attributes: dict[str, Any] = {
            names.OPERATION_NAME: names.INVOKE_AGENT,
            **self.identity,
            names.SESSION_URI: self.uri,
            **_place(),
        }
        if self._name is not None:
            attributes[names.AGENT_NAME] = self._name
        if self._version is not None:
            attributes[names.AGENT_VERSION] = self._content.name(self._version)
        if self._model is not None:
            attributes[names.REQUEST_MODEL] = self._content.name(self._model)
        if self._continues is not None:
            attributes[names.SESSION_CONTINUES] = self._continues
        attributes |= self._told_of(self._approach)
        attributes |= self._content.said(names.SESSION_QUESTION, self._question)
        self._question = None  # the span has it; the host's object is not kept alive
        if self._caller is not None:
            attributes[names.SESSION_CALLER] = self._caller
        self._told = attributes
        if self._around is not None:
            self._around.enclose(self.work.answer)
        title = names.INVOKE_AGENT if self._name is None else f"{names.INVOKE_AGENT} {self._name}"
        context = set_value(CHECKPOINTS, self.checkpoints, self._came_from(inside(self._parent, outside)))
        return self.tracer.start_span(title, context, attributes=attributes)

    def _came_from(self, outside: Context) -> Context:
        """The context with the parent of the session's span: the span that it came from, in another process, unless
        something here stands between the two already, such as a web framework's own span."""
        if self._came_with is None:
            return outside
        came_from = trace.get_current_span(self._came_with)
        there, here = came_from.get_span_context(), trace.get_current_span(outside).get_span_context()
        if not there.is_valid or there.trace_id == here.trace_id:
            return outside
        return trace.set_span_in_context(came_from, outside)

    def _close(self, outcome: str | None) -> None:
        for open_one in list(self.open_inside):
            open_one.end(outcome=names.OUTCOME_ABANDONED)
        if self.work.is_divided:
            self._tell(self.work.attributes())  # threads that planned at once may have told less than all
        self._answer_with_yields()
        if outcome is None:
            outcome = self._outcome or (names.OUTCOME_FINAL if self._answered else None)
        if outcome is not None:
            self._set(names.SESSION_OUTCOME, outcome)
        if self._around is not None and not self._answered and outcome != names.OUTCOME_FINAL:
            self._around.enclose(self.work.last(self._latest), instead_of=self.work.answer)


def _detection(question: Any, wanted: bool | None) -> Detection | None:
    if not (flag(OTEL_EXPORTER_PROV_DETECT_USES, False) if wanted is None else wanted):
        return None
    from otel_prov.instrument.detection import Detection  # here, for the sake of a light import of the library

    return Detection(question)


def _place() -> dict[str, str]:
    """Where in TrustGraph the session can be found, beside its collection; nothing where it isn't sent anywhere."""
    if not variable(OTEL_EXPORTER_PROV_ENDPOINT):
        return {}
    return {
        names.WORKSPACE: variable(OTEL_EXPORTER_PROV_WORKSPACE) or "default",
        names.FLOW: variable(OTEL_EXPORTER_PROV_FLOW) or "default",
    }


def _divided(session: SessionSpan, kind: str, goals: Iterable[G]) -> list[PartSpan[G]]:
    from otel_prov.instrument.parts import divided  # here, for the sake of a light import of the library

    return divided(session, kind, goals)


@guarded(None, NOT_RECORDED)
def _continued(context: Context, session_id: str | None) -> RemoteSession | None:
    """The session that a context carries, unless another one is wanted."""
    from otel_prov.instrument.context import remote_session  # here, for the sake of a light import of the library

    remote = remote_session(context)
    return remote if remote is not None and session_id in (None, remote.id) else None


def session(
    question: Any = None,
    *,
    session_id: str | None = None,
    iteration: int | None = None,
    context: Context | None = None,
    name: str | None = None,
    version: str | None = None,
    collection: str | None = None,
    user: str | None = None,
    model: str | None = None,
    pattern: str | None = None,
    task_type: str | None = None,
    tools: Iterable[Any] | None = None,
    caller: Caller = None,
    redact: Redact | None = None,
    detect_uses: bool | None = None,
) -> SessionSpan:
    """Trace a session that is not one function; to be entered with ``with`` or ``async with``.

    A session that goes on in another process is the same session there: with the ``context`` that came with the
    message (:func:`otel_prov.extract`), or with its ``session_id``, where ``iteration`` says which number comes next.
    It has come to its end when an answer is recorded, or an exception leaves it and nobody takes it up again.

    Args:
        question: What the agent is asked, of any type.
        session_id: The session's identity; that of the context, else a fresh UUID, if left out.
        iteration: Number of the first iteration here; that of the context, else 1, if left out.
        context: What :func:`otel_prov.extract` gave. The session that it carries goes on, in its trace; with another
            ``session_id``, or where it carries none, this is a session of its own.
        name: The agent's name.
        version: The agent's version: of its code, its prompt or its graph.
        collection: TrustGraph's collection; ``OTEL_EXPORTER_PROV_COLLECTION``, else ``default``, if left out.
        user: On whose behalf the agent runs.
        model: The model that the agent asks.
        pattern: How the agent goes about its question, such as ``react``, ``plan-then-execute`` or ``supervisor``.
        task_type: What kind of task it takes the question for.
        tools: The tools that each iteration can choose from: their names, or what has a ``name`` or ``__name__``.
        caller: What the session is part of, where that can't be seen: the handle of an iteration or a tool call of
            another one, or the IRI of an iteration (:attr:`IterationSpan.uri`).
        redact: Rewrites every text before it becomes an attribute; a text on which it fails is left out.
        detect_uses: Whether it is looked for which earlier results an iteration uses, as values that are handed on or
            as quotations; as ``OTEL_EXPORTER_PROV_DETECT_USES`` says, if left out.

    Inside of another session, collection, user, ``redact`` and ``detect_uses`` are that one's, if left out.
    """
    return SessionSpan(
        question,
        session_id=session_id,
        iteration=iteration,
        context=context,
        name=name,
        version=version,
        collection=collection,
        user=user,
        model=model,
        pattern=pattern,
        task_type=task_type,
        tools=tools,
        caller=caller,
        redact=redact,
        detect_uses=detect_uses,
    )


def current_session() -> SessionSpan | None:
    """Handle of the session that this code runs inside of, to be passed to threads and tasks."""
    activity = current()
    return activity.session if activity is not None else None
