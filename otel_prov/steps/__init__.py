"""What happened in a session, free of OpenTelemetry and of RDF: the one model in the middle.

Spans are read into steps (``read``), steps are kept (``keep``), steps become triples and triples become steps again
(``describe``), and steps are what the command line shows (``show``).
"""

from otel_prov.steps.agent import Analysis, Conclusion, Observation, Question, in_line
from otel_prov.steps.retrieval import Exploration, Focus, Grounding, Selection, Synthesis, Text, Triple
from otel_prov.steps.session import Session, Step
from otel_prov.steps.traced import Digest, Usage
from otel_prov.steps.work import Decomposition, Finding, PatternDecision, Plan, StepResult

__all__ = [
    "Analysis",
    "Conclusion",
    "Decomposition",
    "Digest",
    "Exploration",
    "Finding",
    "Focus",
    "Grounding",
    "Observation",
    "PatternDecision",
    "Plan",
    "Question",
    "Selection",
    "Session",
    "Step",
    "StepResult",
    "Synthesis",
    "Text",
    "Triple",
    "Usage",
    "in_line",
]
