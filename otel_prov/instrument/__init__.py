"""What an agent's author writes: a decorator, sessions, iterations, tool calls. Needs ``opentelemetry-api`` only."""

from otel_prov.instrument.decorator import trace_agent
from otel_prov.instrument.iteration import IterationSpan, current_iteration, iteration
from otel_prov.instrument.session import SessionSpan, current_session, session
from otel_prov.instrument.tool import ToolSpan, tool

__all__ = [
    "IterationSpan",
    "SessionSpan",
    "ToolSpan",
    "current_iteration",
    "current_session",
    "iteration",
    "session",
    "tool",
    "trace_agent",
]
