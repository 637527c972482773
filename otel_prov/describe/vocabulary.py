"""The IRIs of the explanation graph: W3C PROV-O, and TrustGraph's own vocabulary on top of it.

TrustGraph's terms are those of its two technical specifications ("Agent Explainability: Provenance Recording") and of
``trustgraph/provenance/namespaces.py`` in trustgraph-base 2.11.1.
"""

from __future__ import annotations

import re
from typing import Final

PROV: Final = "http://www.w3.org/ns/prov#"
TG: Final = "https://trustgraph.ai/ns/"
RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
DCTERMS: Final = "http://purl.org/dc/terms/"
OTEL_PROV: Final = "https://w3id.org/otel-prov#"
"""Our own vocabulary: ``vocabulary.ttl``, beside this file."""

PREFIXES: Final = {"dcterms": DCTERMS, "prov": PROV, "rdf": RDF, "rdfs": RDFS, "tg": TG, "otelprov": OTEL_PROV}
"""What files that abbreviate IRIs abbreviate."""
PROV_PREFIXES: Final = {"prov": PROV, "rdfs": RDFS, "dcterms": DCTERMS, "xsd": XSD, "otelprov": OTEL_PROV}
"""The same for the PROV view."""

RETRIEVAL: Final = "urn:graph:retrieval"
"""The named graph that everything about agents and retrieval stands in."""

RDF_TYPE: Final = RDF + "type"
RDF_STATEMENT: Final = RDF + "Statement"
RDF_SUBJECT: Final = RDF + "subject"
RDF_PREDICATE: Final = RDF + "predicate"
RDF_OBJECT: Final = RDF + "object"
RDF_REIFIES: Final = RDF + "reifies"
"""RDF 1.2: from a node to the triple that it stands for."""
RDFS_LABEL: Final = RDFS + "label"

PROV_ACTIVITY: Final = PROV + "Activity"
PROV_ENTITY: Final = PROV + "Entity"
PROV_STARTED: Final = PROV + "startedAtTime"
PROV_DERIVED: Final = PROV + "wasDerivedFrom"
PROV_GENERATED: Final = PROV + "wasGeneratedBy"
PROV_INFLUENCED: Final = PROV + "wasInfluencedBy"
"""More general than ``wasDerivedFrom``, and not followed by TrustGraph's programs."""

PART_OF: Final = DCTERMS + "isPartOf"
"""Of a step to its plan, of a part of the work to the decomposition, of an iteration to the step that it is for."""

# Classes ---------------------------------------------------------------------------------------------------------

AGENT_SESSION: Final = TG + "AgentSession"
AGENT_ITERATION: Final = TG + "AgentIteration"
AGENT_FINAL: Final = TG + "AgentFinal"

QUESTION: Final = TG + "Question"
AGENT_QUESTION: Final = TG + "AgentQuestion"
GRAPH_RAG_QUESTION: Final = TG + "GraphRagQuestion"
DOC_RAG_QUESTION: Final = TG + "DocRagQuestion"
ANALYSIS: Final = TG + "Analysis"
TOOL_USE: Final = TG + "ToolUse"
REFLECTION: Final = TG + "Reflection"
THOUGHT: Final = TG + "Thought"
OBSERVATION: Final = TG + "Observation"
ERROR: Final = TG + "Error"
CONCLUSION: Final = TG + "Conclusion"
ANSWER: Final = TG + "Answer"
GROUNDING: Final = TG + "Grounding"
EXPLORATION: Final = TG + "Exploration"
FOCUS: Final = TG + "Focus"
EDGE_SELECTION: Final = TG + "EdgeSelection"
CHUNK_SELECTION: Final = TG + "ChunkSelection"
SYNTHESIS: Final = TG + "Synthesis"
PATTERN_DECISION: Final = TG + "PatternDecision"
PLAN: Final = TG + "Plan"
STEP_RESULT: Final = TG + "StepResult"
DECOMPOSITION: Final = TG + "Decomposition"
FINDING: Final = TG + "Finding"

# Predicates ------------------------------------------------------------------------------------------------------

TG_QUERY: Final = TG + "query"
TG_THOUGHT: Final = TG + "thought"
"""A text in the technical specifications, the IRI of a node since TrustGraph 2.1.22."""
TG_ACTION: Final = TG + "action"
TG_ARGUMENTS: Final = TG + "arguments"
TG_OBSERVATION: Final = TG + "observation"
"""A text in the technical specifications, the IRI of a node in TrustGraph 2.1.22 to 2.2.12, not used since."""
TG_ANSWER: Final = TG + "answer"
TG_TOOL_ERROR: Final = TG + "toolError"
TG_TOOL_DURATION: Final = TG + "toolDurationMs"
TG_TOOL_CANDIDATE: Final = TG + "toolCandidate"
TG_STEP_NUMBER: Final = TG + "stepNumber"
TG_LLM_DURATION: Final = TG + "llmDurationMs"
TG_LLM_MODEL: Final = TG + "llmModel"
TG_IN_TOKEN: Final = TG + "inToken"
TG_OUT_TOKEN: Final = TG + "outToken"
TG_TERMINATION_REASON: Final = TG + "terminationReason"
TG_PLAN_STEP: Final = TG + "planStep"
TG_SUBAGENT_GOAL: Final = TG + "subagentGoal"
TG_PATTERN: Final = TG + "pattern"
TG_TASK_TYPE: Final = TG + "taskType"
TG_CONCEPT: Final = TG + "concept"
TG_EDGE_COUNT: Final = TG + "edgeCount"
TG_ENTITY: Final = TG + "entity"
TG_CHUNK_COUNT: Final = TG + "chunkCount"
TG_SELECTED_CHUNK: Final = TG + "selectedChunk"
"""On an exploration a chunk itself, on a focus the node that says why it was selected."""
TG_SELECTED_EDGE: Final = TG + "selectedEdge"
TG_EDGE: Final = TG + "edge"
"""The edge that was selected, as a quoted triple."""
TG_SCORE: Final = TG + "score"
TG_REASONING: Final = TG + "reasoning"
TG_CONTENT: Final = TG + "content"
"""The text of a node, in the graph itself."""
TG_DOCUMENT: Final = TG + "document"
"""Where TrustGraph's librarian keeps the text of a node."""
TG_THOUGHT_DOCUMENT: Final = TG + "thoughtDocument"
"""TrustGraph 2.1.18 to 2.1.21: where the librarian keeps an iteration's thought."""
TG_OBSERVATION_DOCUMENT: Final = TG + "observationDocument"
"""TrustGraph 2.1.18 to 2.1.21: where the librarian keeps an iteration's observation."""

# Our own ---------------------------------------------------------------------------------------------------------

DETECTED_USE: Final = OTEL_PROV + "detectedUse"
"""From an iteration, or an answer, to an earlier result that it was seen to use. Not told by anybody, and so no
``prov:wasDerivedFrom``; TrustGraph's command line doesn't follow it."""

_ALL: Final = PREFIXES | PROV_PREFIXES
_LOCAL: Final = re.compile("[A-Za-z]+")


def short(iri: str) -> str | None:
    """The IRI as ``prefix:name``, ``None`` if it is of no vocabulary that has a prefix."""
    for prefix, namespace in _ALL.items():
        if iri.startswith(namespace) and _LOCAL.fullmatch(iri, len(namespace)):
            return f"{prefix}:{iri[len(namespace) :]}"
    return None


def full(name: str) -> str | None:
    """The IRI that is written as ``prefix:name``, ``None`` if no vocabulary has that prefix."""
    prefix, colon, local = name.partition(":")
    return _ALL[prefix] + local if colon and prefix in _ALL and _LOCAL.fullmatch(local) else None
