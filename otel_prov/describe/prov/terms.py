"""The IRIs that the PROV view is made of: W3C PROV-O, Dublin Core's terms, and our own, which ``vocabulary.ttl``
defines.

Our classes have the names of PROV-AGENT where that has one (Souza et al., "PROV-AGENT: Unified Provenance for Tracking
AI Agent Interactions in Agentic Workflows", IEEE e-Science 2025); it has published no IRIs for them.
"""

from __future__ import annotations

from typing import Final

from otel_prov.describe.vocabulary import DCTERMS, OTEL_PROV, PROV, XSD

# PROV-O ----------------------------------------------------------------------------------------------------------

ACTIVITY: Final = PROV + "Activity"
ENTITY: Final = PROV + "Entity"
PLAN: Final = PROV + "Plan"
AGENT: Final = PROV + "Agent"
SOFTWARE_AGENT: Final = PROV + "SoftwareAgent"
PERSON: Final = PROV + "Person"
ASSOCIATION: Final = PROV + "Association"

STARTED: Final = PROV + "startedAtTime"
ENDED: Final = PROV + "endedAtTime"
VALUE: Final = PROV + "value"
USED: Final = PROV + "used"
GENERATED_BY: Final = PROV + "wasGeneratedBy"
DERIVED_FROM: Final = PROV + "wasDerivedFrom"
INFORMED_BY: Final = PROV + "wasInformedBy"
ASSOCIATED_WITH: Final = PROV + "wasAssociatedWith"
ATTRIBUTED_TO: Final = PROV + "wasAttributedTo"
ON_BEHALF_OF: Final = PROV + "actedOnBehalfOf"
QUALIFIED_ASSOCIATION: Final = PROV + "qualifiedAssociation"
HAS_AGENT: Final = PROV + "agent"
HAD_PLAN: Final = PROV + "hadPlan"

# Others' ---------------------------------------------------------------------------------------------------------

PART_OF: Final = DCTERMS + "isPartOf"
VERSION: Final = "https://schema.org/version"
DATE_TIME: Final = XSD + "dateTime"
INTEGER: Final = XSD + "integer"

# Our own classes -------------------------------------------------------------------------------------------------

RUN: Final = OTEL_PROV + "Run"
THINK: Final = OTEL_PROV + "Think"
AI_MODEL_INVOCATION: Final = OTEL_PROV + "AIModelInvocation"
AGENT_TOOL: Final = OTEL_PROV + "AgentTool"
CONCLUDE: Final = OTEL_PROV + "Conclude"
QUESTION: Final = OTEL_PROV + "Question"
THOUGHT: Final = OTEL_PROV + "Thought"
OBSERVATION: Final = OTEL_PROV + "Observation"
ANSWER: Final = OTEL_PROV + "Answer"
SELECTION: Final = OTEL_PROV + "Selection"
STEP: Final = OTEL_PROV + "Step"
RESULT: Final = OTEL_PROV + "Result"
AI_AGENT: Final = OTEL_PROV + "AIAgent"
AI_MODEL: Final = OTEL_PROV + "AIModel"
TOOL: Final = OTEL_PROV + "Tool"

# Our own properties ----------------------------------------------------------------------------------------------

ITERATION: Final = OTEL_PROV + "iteration"
ACTION: Final = OTEL_PROV + "action"
ARGUMENTS: Final = OTEL_PROV + "arguments"
GOAL: Final = OTEL_PROV + "goal"
SHA256: Final = OTEL_PROV + "sha256"
LENGTH: Final = OTEL_PROV + "length"
OUTCOME: Final = OTEL_PROV + "outcome"
ERROR: Final = OTEL_PROV + "error"
TRACE_ID: Final = OTEL_PROV + "traceId"
SPAN_ID: Final = OTEL_PROV + "spanId"
DETECTED_USE: Final = OTEL_PROV + "detectedUse"
EXPLAINED_BY: Final = OTEL_PROV + "explainedBy"
