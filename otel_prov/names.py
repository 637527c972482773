"""Names of the spans and attributes that otel-prov writes, and of the things that they identify.

OpenTelemetry's own names are used where they exist (GenAI semantic conventions, status Development as of November 2026:
https://github.com/open-telemetry/semantic-conventions-genai). They stand here as plain strings because the packaged
``GEN_AI_*`` constants are deprecated. OpenTelemetry has no names for a ReAct iteration, so ``agent.*`` are ours.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

# Span names ------------------------------------------------------------------------------------------------------

INVOKE_AGENT: Final = "invoke_agent"
"""A session: ``invoke_agent {agent name}``; also its ``gen_ai.operation.name``."""

ITERATION: Final = "agent.iteration"
"""One think/act/observe cycle."""

EXECUTE_TOOL: Final = "execute_tool"
"""One tool call: ``execute_tool {tool name}``; also its ``gen_ai.operation.name``."""

RETRIEVAL: Final = "retrieval"
"""A question to a knowledge graph or to documents: ``retrieval {source}``; also its ``gen_ai.operation.name``."""

# OpenTelemetry GenAI attributes ----------------------------------------------------------------------------------

OPERATION_NAME: Final = "gen_ai.operation.name"
"""``invoke_agent``, ``execute_tool`` or ``retrieval``."""

AGENT_NAME: Final = "gen_ai.agent.name"
"""Name of the agent, as its author gave it."""

AGENT_VERSION: Final = "gen_ai.agent.version"
"""Version of the agent: of its code, its prompt or its graph, as its author gave it."""

REQUEST_MODEL: Final = "gen_ai.request.model"
"""The model that the agent asks, as its author gave it."""

TOOL_NAME: Final = "gen_ai.tool.name"
"""Name of the tool."""

TOOL_ARGUMENTS: Final = "gen_ai.tool.call.arguments"
"""What the tool was called with, as JSON text."""

TOOL_RESULT: Final = "gen_ai.tool.call.result"
"""What the tool returned, as text."""

DATA_SOURCE: Final = "gen_ai.data_source.id"
"""What a retrieval looks into, as its author named it."""

RETRIEVAL_QUERY: Final = "gen_ai.retrieval.query.text"
"""What a retrieval was asked."""

RETRIEVAL_TOP_K: Final = "gen_ai.retrieval.top_k"
"""How many results a retrieval was to give at most."""

RETRIEVAL_DOCUMENTS: Final = "gen_ai.retrieval.documents"
"""The chunks that were retrieved, as JSON: a list of objects with an ``id``, and a ``score`` where there is one."""

ERROR_TYPE: Final = "error.type"
"""Class of the exception that ended the span, with its module unless that is ``builtins``."""

# Session attributes ----------------------------------------------------------------------------------------------

SESSION_ID: Final = "agent.session.id"
"""Identity of the session. On every span that otel-prov makes, so that each can be described alone."""

SESSION_URI: Final = "agent.session.uri"
"""The session's IRI in the graph, see :func:`session_uri`. On the session's span."""

SESSION_CONTINUES: Final = "agent.session.continues"
"""Number of the iteration with which a session goes on in this process; absent where it begins."""

SESSION_QUESTION: Final = "agent.session.question"
"""What the agent was asked."""

SESSION_ANSWER: Final = "agent.session.answer"
"""What the agent answered."""

SESSION_OUTCOME: Final = "agent.session.outcome"
"""How the session ended: one of the ``OUTCOME_*`` values; absent while it goes on."""

SESSION_CALLER: Final = "agent.session.caller"
"""IRI of what a session derives from: the iteration of another one inside of which it ran, or that session itself."""

OUTCOME_FINAL: Final = "final"
"""The loop returned its answer."""

OUTCOME_ERROR: Final = "error"
"""An exception left the loop."""

OUTCOME_CANCELLED: Final = "cancelled"
"""The task was cancelled, or the program was told to stop (``KeyboardInterrupt``, ``SystemExit``)."""

OUTCOME_MAX_ITERATIONS: Final = "max_iterations"
"""The loop gave up at its limit of iterations; only the loop's author can say so."""

OUTCOME_ABANDONED: Final = "abandoned"
"""The consumer of a generator stopped reading before its end."""

# Iteration attributes --------------------------------------------------------------------------------------------

ITERATION_NUMBER: Final = "agent.iteration.number"
"""Position of the iteration in its session, from 1."""

ITERATION_THOUGHT: Final = "agent.iteration.thought"
"""What the agent thought before it acted."""

ITERATION_ACTION: Final = "agent.iteration.action"
"""Name of the tool that the agent chose."""

ITERATION_ARGUMENTS: Final = "agent.iteration.arguments"
"""What the agent called the tool with, as JSON text."""

ITERATION_OBSERVATION: Final = "agent.iteration.observation"
"""What came back, as text."""

ITERATION_USES: Final = "agent.iteration.uses"
"""Numbers of the iterations whose results an iteration, or on the session's span the answer, used; absent where that
was not told."""

ITERATION_USES_DETECTED: Final = "agent.iteration.uses.detected"
"""Numbers of the iterations whose results were seen to be used, by an iteration, by a tool call of one, or on the
session's span by the answer: handed on, or quoted. Nobody told so; absent where that isn't looked for."""

ITERATION_OUTCOME: Final = "agent.iteration.outcome"
"""``error``, ``cancelled`` or ``abandoned`` where an iteration, a tool call, or a part of the work did not end by
itself."""

# Instead of a text -----------------------------------------------------------------------------------------------

SHA256: Final = ".sha256"
"""Behind the name of a text's attribute: its SHA-256 in UTF-8, as hexadecimal digits, where content is not recorded."""

LENGTH: Final = ".length"
"""Behind the name of a text's attribute: its length in characters, where content is not recorded."""

SUB_TRACE: Final = "agent.iteration.sub_trace"
"""On an iteration, a tool call, or a part of the work: IRI of the last node of the session that ran inside of it, if
one did."""

# Plans and delegation --------------------------------------------------------------------------------------------

PLAN_STEP: Final = "agent.plan.step"
"""Name of the span of one step of a plan."""

PLAN_GOALS: Final = "agent.plan.goals"
"""On the session's span: what each step of the agent's plan is to achieve, an array of texts in order."""

PART: Final = "agent.part"
"""Name of the span of one part of the work that was delegated."""

PART_GOALS: Final = "agent.part.goals"
"""On the session's span: what each part of the work that was delegated is to achieve, an array of texts in order."""

WITHIN: Final = "agent.within"
"""On a step or a part: which it is, ``step/{i}`` or ``finding/{i}``, i from 0; on an iteration, what it is for."""

GOAL: Final = "agent.goal"
"""On a step or a part: what it is to achieve."""

RESULT: Final = "agent.result"
"""On a step or a part: what it came to."""

PATTERN: Final = "agent.session.pattern"
"""How an agent goes about its question, such as ``react``, ``plan-then-execute`` or ``supervisor``."""

TASK_TYPE: Final = "agent.session.task_type"
"""What kind of task an agent takes its question for."""

ITERATION_CANDIDATES: Final = "agent.iteration.candidates"
"""Names of the tools that an iteration could choose from, an array."""

ITERATION_THINKING: Final = "agent.iteration.thinking_ms"
"""How long it took from the start of an iteration until it chose its action, in milliseconds."""

INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
"""Tokens that a model read."""

OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
"""Tokens that a model wrote."""

RESPONSE_MODEL: Final = "gen_ai.response.model"
"""The model that really answered, as it calls itself."""

# Retrieval attributes --------------------------------------------------------------------------------------------

RETRIEVAL_KIND: Final = "agent.retrieval.kind"
"""What is looked into: ``graph`` or ``document``."""

RETRIEVAL_CONCEPTS: Final = "agent.retrieval.concepts"
"""What the question is about, as far as that was looked for: an array of texts."""

RETRIEVAL_EDGES: Final = "agent.retrieval.edges"
"""How many edges of the knowledge graph were retrieved."""

RETRIEVAL_ENTITIES: Final = "agent.retrieval.entities"
"""IRIs or names of the nodes of the knowledge graph that the search started from: an array."""

RETRIEVAL_CHUNKS: Final = "agent.retrieval.chunks"
"""How many chunks of documents were retrieved."""

RETRIEVAL_SELECTED: Final = "agent.retrieval.selected"
"""What was selected of it, as JSON: a list of objects with an ``edge`` (subject, predicate, object) or a ``chunk``, and
its ``concept``, ``score`` and ``reasoning`` where known."""

# TrustGraph's coordinates ----------------------------------------------------------------------------------------

USER: Final = "trustgraph.user"
"""On whose behalf the agent runs."""

COLLECTION: Final = "trustgraph.collection"
"""TrustGraph's collection that the trace belongs to. On every span."""

WORKSPACE: Final = "trustgraph.workspace"
"""TrustGraph's workspace that the session is sent to. On the session's span, where there is an endpoint."""

FLOW: Final = "trustgraph.flow"
"""Id of TrustGraph's flow that stores the session. On the session's span, where there is an endpoint."""

DEFAULT_COLLECTION: Final = "default"
"""The collection of whoever names none; TrustGraph's stock configuration has it."""


AGENT: Final = "agent"
"""Kind of a session: a run of an agent."""

GRAPH_RAG: Final = "graph-rag"
"""Kind of a session: a question to a knowledge graph, and what was retrieved there to answer it."""

DOCUMENT_RAG: Final = "document-rag"
"""Kind of a session: a question to documents, and what was retrieved there to answer it."""

PLANS: Final = "plan"
"""Pattern of an agent's session: it makes a plan, and follows it step by step."""

SUPERVISES: Final = "supervisor"
"""Pattern of an agent's session: it gives parts of the work to others, or does them one by one."""

URI_STARTS: Final = {
    AGENT: "urn:trustgraph:agent:",
    GRAPH_RAG: "urn:trustgraph:question:",
    DOCUMENT_RAG: "urn:trustgraph:docrag:",
}
"""What the IRI of a session starts with, by its kind."""


@lru_cache(maxsize=1024)  # asked for each span of a session
def session_uri(session_id: str, kind: str = AGENT) -> str:
    """The IRI of a session of one of the kinds above: ``urn:trustgraph:agent:{session id}``,
    ``urn:trustgraph:question:{session id}``, ``urn:trustgraph:docrag:{session id}``.

    Characters that an IRI can't hold are percent-encoded; a UUID stays as it is. (TrustGraph 2.11.1,
    ``trustgraph/provenance/uris.py``.)
    """
    from urllib.parse import quote  # here, for the sake of a light import of the library

    return URI_STARTS[kind] + quote(session_id, safe="-._~:@!$&'()*+,;=")
