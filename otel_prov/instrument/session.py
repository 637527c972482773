"""A session: one run of an agent, from its question to its answer."""

from __future__ import annotations

import itertools
import os
import uuid
from typing import Any

from opentelemetry.context import Context, set_value
from opentelemetry.trace import Span

from otel_prov import names, uris
from otel_prov.environment import OTEL_EXPORTER_PROV_COLLECTION
from otel_prov.instrument.activity import CHECKPOINTS, NOT_RECORDED, Activity, Checkpoint, current, tracer
from otel_prov.instrument.content import LONGEST, Content, Redact
from otel_prov.instrument.iteration import IterationSpan
from otel_prov.instrument.nesting import Caller, caller_iri, enclosing, inside
from otel_prov.instrument.tool import ToolSpan
from otel_prov.instrument.values import plain, to_text
from otel_prov.losses import guarded

__all__ = ["SessionSpan", "current_session", "session"]


class SessionSpan(Activity):
    """A handle of a session. Threads and tasks that it is passed to can open iterations of it from anywhere."""

    def __init__(
        self,
        question: Any = None,
        *,
        session_id: str | None = None,
        iteration: int = 1,
        name: str | None = None,
        collection: str | None = None,
        user: str | None = None,
        model: str | None = None,
        caller: Caller = None,
        redact: Redact | None = None,
    ) -> None:
        self._parent = enclosing(caller)
        self._caller = caller_iri(caller, self._parent)
        outer = self._parent.session if self._parent is not None else None
        if outer is not None:
            redact = redact or outer._content.redact
            collection = collection or outer.identity[names.COLLECTION]
            user = outer.identity.get(names.USER) if user is None else user
        content = self._content = Content(redact)
        self.id = str(uuid.uuid4()) if session_id is None else to_text(session_id)
        """Identity of the session; a fresh UUID unless the program gave one."""
        self.uri = names.session_uri(self.id)
        """Its IRI in the graph, ``urn:trustgraph:agent:{id}``."""
        self.identity: dict[str, str] = {
            names.SESSION_ID: self.id,
            names.COLLECTION: content.name(
                collection or os.environ.get(OTEL_EXPORTER_PROV_COLLECTION) or names.DEFAULT_COLLECTION
            ),
        }
        """Attributes that every span of the session carries."""
        if user is not None:
            self.identity[names.USER] = content.name(user)
        self.tracer = tracer()
        self.checkpoints: list[Checkpoint] = []
        self.open_iterations: set[IterationSpan] = set()
        self._numbers = itertools.count(iteration)
        self._latest = 0
        self._name = None if name is None else content.name(name)
        self._model = model
        self._question = question
        self._outcome: str | None = None
        self._answered = False
        self._yields = Yields()

    @property
    def session(self) -> SessionSpan:
        """Itself."""
        return self

    @property
    def place(self) -> str:
        """Itself."""
        return self.uri

    def iteration(self) -> IterationSpan:
        """The next iteration, to be entered with ``with`` or ``async with``."""
        return IterationSpan(self)

    def tool(self, name: str, arguments: Any = None) -> ToolSpan:
        """A tool call outside of any iteration: an iteration of its own in the graph."""
        return ToolSpan(name, arguments, inside=self)

    def next_number(self) -> int:
        """Number of the iteration that begins now."""
        self._latest = next(self._numbers)
        return self._latest

    @guarded(None, NOT_RECORDED)
    def record(self, *, answer: Any = None, outcome: str | None = None) -> None:
        """Record what is known, when it is known; more than once if it changes.

        ``answer`` is the session's answer, of any type. ``outcome`` says how the session ends where that can't be seen
        from outside: ``"max_iterations"`` for a loop that gave up.
        """
        if outcome is not None:
            self._outcome = self._content.name(outcome)
        if answer is not None:
            self._answered = True
            if (text := self._content.text(answer)) is not None:
                self._span.set_attribute(names.SESSION_ANSWER, text)

    def returned(self, value: Any) -> None:
        """The loop has returned: that is the answer, else what it has yielded."""
        if self._outcome is None:
            self._outcome = names.OUTCOME_FINAL
        if not self._answered or value is not None:
            self.record(answer=value)

    @guarded(None, NOT_RECORDED)
    def yielded(self, value: Any) -> None:
        """The loop hands over a part of its answer."""
        if self._content.captured and self._span.is_recording():
            self._yields.add(value)

    def _open(self, outside: Context) -> Span:
        attributes: dict[str, str | int] = {
            names.OPERATION_NAME: names.INVOKE_AGENT,
            **self.identity,
            names.SESSION_URI: self.uri,
        }
        if self._name is not None:
            attributes[names.AGENT_NAME] = self._name
        if self._model is not None:
            attributes[names.REQUEST_MODEL] = self._content.name(self._model)
        if (text := self._content.text(self._question)) is not None:
            attributes[names.SESSION_QUESTION] = text
        self._question = None  # the span has it; the host's object is not kept alive
        if self._caller is not None:
            attributes[names.SESSION_CALLER] = self._caller
        if self._parent is not None:
            self._parent.enclose(uris.final(self.uri))
        title = names.INVOKE_AGENT if self._name is None else f"{names.INVOKE_AGENT} {self._name}"
        context = set_value(CHECKPOINTS, self.checkpoints, inside(self._parent, outside))
        return self.tracer.start_span(title, context, attributes=attributes)

    def _close(self, outcome: str | None) -> None:
        for iteration in list(self.open_iterations):
            iteration.end(outcome=names.OUTCOME_ABANDONED)
        if not self._answered and (answer := self._yields.joined()) is not None:
            self.record(answer=answer)
        if outcome is None:
            outcome = self._outcome or (names.OUTCOME_FINAL if self._answered else None)
        if outcome is not None:
            self._span.set_attribute(names.SESSION_OUTCOME, outcome)
        if self._parent is not None and not self._answered and outcome != names.OUTCOME_FINAL:
            last = uris.iteration(self.uri, self._latest) if self._latest else self.uri
            self._parent.enclose(last, instead_of=uris.final(self.uri))


class Yields:
    """What a generator has handed over so far: copies, so its host's objects are not kept alive, and not too many."""

    def __init__(self) -> None:
        self._parts: list[Any] = []
        self._room = LONGEST

    def add(self, value: Any) -> None:
        """Keep a copy of one more."""
        if self._room > 0:
            part = plain(value)
            self._parts.append(part)
            self._room -= len(to_text(part))
            if self._room <= 0:
                self._parts.append("… [cut]")

    def joined(self) -> Any:
        """All of them: texts as one text, anything else as a list; ``None`` for none."""
        if all(isinstance(part, str) for part in self._parts):
            return "".join(self._parts) if self._parts else None
        return self._parts


def session(
    question: Any = None,
    *,
    session_id: str | None = None,
    iteration: int = 1,
    name: str | None = None,
    collection: str | None = None,
    user: str | None = None,
    model: str | None = None,
    caller: Caller = None,
    redact: Redact | None = None,
) -> SessionSpan:
    """Trace a session that is not one function; to be entered with ``with`` or ``async with``.

    A session that goes on in another process has the same ``session_id`` there, and ``iteration`` says which number
    comes next. It has come to its end when an answer is recorded, or an exception leaves it.

    Args:
        question: What the agent is asked, of any type.
        session_id: The session's identity; a fresh UUID if left out.
        iteration: Number of the first iteration.
        name: The agent's name.
        collection: TrustGraph's collection; ``OTEL_EXPORTER_PROV_COLLECTION``, else ``default``, if left out.
        user: On whose behalf the agent runs.
        model: The model that the agent asks.
        caller: What the session is part of, where that can't be seen: the handle of an iteration or a tool call of
            another one, or the IRI of an iteration (:attr:`IterationSpan.uri`).
        redact: Rewrites every text before it becomes an attribute; a text on which it fails is left out.

    Inside of another session, collection, user and ``redact`` are that one's, if left out.
    """
    return SessionSpan(
        question,
        session_id=session_id,
        iteration=iteration,
        name=name,
        collection=collection,
        user=user,
        model=model,
        caller=caller,
        redact=redact,
    )


def current_session() -> SessionSpan | None:
    """Handle of the session that this code runs inside of, to be passed to threads and tasks."""
    activity = current()
    return activity.session if activity is not None else None
