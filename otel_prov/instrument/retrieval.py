"""A retrieval: a question to a knowledge graph or to documents, from the question to what was made of the findings."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeVar, overload

from opentelemetry.context import Context, set_value
from opentelemetry.trace import Span

from otel_prov import names, uris
from otel_prov.environment import OTEL_EXPORTER_PROV_COLLECTION, variable
from otel_prov.instrument.activity import CHECKPOINTS, NOT_RECORDED, current, tracer
from otel_prov.instrument.answering import Answering
from otel_prov.instrument.callables import wrap
from otel_prov.instrument.content import Content, Redact
from otel_prov.instrument.findings import Findings
from otel_prov.instrument.nesting import Caller, caller_iri, enclosing, inside
from otel_prov.instrument.questions import question_finder
from otel_prov.instrument.values import to_text
from otel_prov.losses import guarded, lost

__all__ = ["RetrievalSpan", "current_retrieval", "trace_retrieval"]

F = TypeVar("F", bound="Callable[..., Any] | staticmethod[..., Any] | classmethod[Any, ..., Any]")
Kind = Literal["graph", "document"]

_KINDS = {"graph": names.GRAPH_RAG, "document": names.DOCUMENT_RAG}


class RetrievalSpan(Answering):
    """A handle of a retrieval: a context manager, or a decorator for the function that carries it out."""

    def __init__(
        self,
        question: Any = None,
        *,
        kind: Kind = "graph",
        source: str | None = None,
        caller: Caller = None,
        session_id: str | None = None,
        collection: str | None = None,
        user: str | None = None,
        top_k: int | None = None,
        redact: Redact | None = None,
        parameter: str | None = None,
    ) -> None:
        super().__init__()
        if kind not in _KINDS:
            lost("retrieval of an unknown kind", f"kind={kind!r}; there are graph and document, taken for graph")
            kind = "graph"
        self._settings: dict[str, Any] = {
            "kind": kind,
            "source": source,
            "caller": caller,
            "session_id": session_id,
            "collection": collection,
            "user": user,
            "top_k": top_k,
            "redact": redact,
        }
        self._parameter = parameter
        self._parent = enclosing(caller)
        self._caller = caller_iri(caller, self._parent)
        outer = self._parent.session if self._parent is not None else None
        self._content = outer._content if outer is not None and redact is None else Content(redact)
        self._kind, self._source, self._top_k, self._question = kind, source, top_k, question
        self.id = str(uuid.uuid4()) if session_id is None else to_text(session_id)
        """Identity of the retrieval; a fresh UUID unless the program gave one."""
        self.uri = names.session_uri(self.id, _KINDS[kind])
        """Its IRI in the graph, ``urn:trustgraph:question:{id}`` or ``urn:trustgraph:docrag:{id}``."""
        self.identity = self._identity(outer.identity if outer is not None else {}, collection, user)
        self._findings = Findings(self._content)

    def _identity(self, theirs: Mapping[str, str], collection: str | None, user: str | None) -> dict[str, str]:
        """Attributes that say which session this is, and where it belongs, as the session around it does."""
        collection = collection or theirs.get(names.COLLECTION) or variable(OTEL_EXPORTER_PROV_COLLECTION)
        identity = {
            names.SESSION_ID: self.id,
            names.COLLECTION: self._content.name(collection or names.DEFAULT_COLLECTION),
        }
        if (user := user or theirs.get(names.USER)) is not None:
            identity[names.USER] = self._content.name(user)
        return identity

    @property
    def place(self) -> str:
        """Itself."""
        return self.uri

    def __call__(self, function: F) -> F:
        """Trace each call of a function as a retrieval. The answer is what it returns, or what it yields."""
        find_question = question_finder(function, self._parameter)

        def begin(args: tuple[Any, ...], kwargs: dict[str, Any]) -> RetrievalSpan:
            return RetrievalSpan(find_question(args, kwargs), **self._settings)

        return wrap(function, begin)

    @guarded(None, NOT_RECORDED)
    def record(
        self,
        *,
        concepts: Iterable[Any] | None = None,
        edges: int | Any = None,
        entities: Iterable[Any] | None = None,
        chunks: int | Iterable[Any] | None = None,
        selected: Iterable[Any] | None = None,
        answer: Any = None,
    ) -> None:
        """Record what is known, when it is known. What is given again is added to what was given before.

        What is new goes to the journal before this returns. Nothing that could be read only once is read.

        Args:
            concepts: What the question is about: texts.
            edges: How many edges of the knowledge graph were found, or the edges themselves, which are counted.
            entities: Nodes of the knowledge graph that the search started from: IRIs or names.
            chunks: Chunks of documents that were found: ids, or what has an ``id`` and perhaps a ``score``; or their
                number.
            selected: What of it is to be part of the answer. Each is an edge (a tuple of subject, predicate and object,
                each an IRI or a name, the object perhaps a text or an rdflib term), the id of a chunk, or a dictionary
                with ``edge`` or ``chunk``, and ``concept``, ``score`` and ``reasoning`` where known.
            answer: What was made of it, of any type; given again, it replaces the one before.
        """
        if not self._span.is_recording():
            return
        told = self._findings.add(concepts, edges, entities, chunks, selected)
        self._tell(told)
        if answer is not None:
            self._answer(answer)
        elif told:
            self.checkpoint()

    def returned(self, value: Any) -> None:
        """The function has returned: that is the answer, unless one was recorded."""
        if not self._answered:
            self.record(answer=value)

    def _open(self, outside: Context) -> Span:
        attributes: dict[str, Any] = {
            names.OPERATION_NAME: names.RETRIEVAL,
            **self.identity,
            names.SESSION_URI: self.uri,
            names.RETRIEVAL_KIND: self._kind,
        }
        title = names.RETRIEVAL
        if self._source is not None:
            attributes[names.DATA_SOURCE] = source = self._content.name(self._source)
            title = f"{title} {source}"
        if self._top_k is not None:
            attributes[names.RETRIEVAL_TOP_K] = int(self._top_k)
        if self._caller is not None:
            attributes[names.SESSION_CALLER] = self._caller
        attributes |= self._content.said(names.RETRIEVAL_QUERY, self._question)
        self._question = None  # the span has it; the host's object is not kept alive
        self._told = attributes
        if self._parent is not None:
            self._parent.enclose(self._last_node)
        context = set_value(CHECKPOINTS, self.checkpoints, inside(self._parent, outside))
        return tracer().start_span(title, context, attributes=attributes)

    def _close(self, outcome: str | None) -> None:
        self._answer_with_yields()
        self._tell(self._findings.rest())
        self._set(names.SESSION_OUTCOME, outcome or names.OUTCOME_FINAL)
        if self._parent is not None and not self._answered:
            stage = self._findings.last_stage
            self._parent.enclose(uris.stage(self.uri, stage) if stage else self.uri, instead_of=self._last_node)

    @property
    def _last_node(self) -> str:
        return uris.stage(self.uri, uris.SYNTHESIS)


@overload
def trace_retrieval(function: F, /) -> F: ...  # pyright: ignore[reportOverlappingOverload]
@overload
def trace_retrieval(
    question: Any = None,
    *,
    kind: Kind = "graph",
    source: str | None = None,
    caller: Caller = None,
    session_id: str | None = None,
    collection: str | None = None,
    user: str | None = None,
    top_k: int | None = None,
    redact: Redact | None = None,
    parameter: str | None = None,
) -> RetrievalSpan: ...
def trace_retrieval(question: Any = None, **settings: Any) -> Any:
    """Trace a question to a knowledge graph or to documents: a trace of its own, linked to the tool call around it.

    As a context manager, ``with trace_retrieval("Who?", source="people") as retrieval: retrieval.record(...)``. As a
    decorator of the function that carries it out, ``@trace_retrieval`` or ``@trace_retrieval(kind="document")``, for
    functions of every kind: the question is found among the arguments, the answer is what the function returns, and
    :func:`current_retrieval` gives the handle inside of it.

    Args:
        question: What is asked, of any type; not for a decorator.
        kind: ``graph`` for a knowledge graph (GraphRAG), ``document`` for chunks of documents.
        source: Name of what is looked into.
        caller: What the retrieval is part of, where that can't be seen: the handle of an iteration or a tool call, in a
            thread that was not given its context; or the IRI of an iteration (:attr:`IterationSpan.uri`), in another
            process.
        session_id: Identity of the retrieval; a fresh UUID for each, if left out.
        collection: TrustGraph's collection; that of the session around it, else ``OTEL_EXPORTER_PROV_COLLECTION``, else
            ``default``, if left out.
        user: On whose behalf; that of the session around it, if left out.
        top_k: How many results are asked for at most.
        redact: Rewrites every text before it becomes an attribute; as the session around it does, if left out.
        parameter: Name of the decorated function's parameter that is the question. If left out: the one with a usual
            name (``question``, ``query``, ...), else the first.
    """
    if callable(question) or isinstance(question, (staticmethod, classmethod)):
        return RetrievalSpan(**settings)(question)
    return RetrievalSpan(question, **settings)


def current_retrieval() -> RetrievalSpan | None:
    """Handle of the retrieval that this code runs inside of, also to be passed to threads and tasks."""
    activity = current()
    while activity is not None and not isinstance(activity, RetrievalSpan):
        activity = activity._parent
    return activity
