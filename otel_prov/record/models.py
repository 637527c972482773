"""What models are asked for inside of an iteration, as other instrumentations tell: those of model clients, which make
a span for each call.

(OpenTelemetry GenAI semantic conventions, "Inference".)
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from otel_prov import names
from otel_prov.instrument.activity import current
from otel_prov.instrument.iteration import IterationSpan

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import ReadableSpan

__all__ = ["MODEL_CALLS", "ModelCalls"]

_MOST = 4096
"""Spans that are open at a time. Of more, the oldest are forgotten."""

_OPERATIONS = ("chat", "generate_content", "text_completion")
_TOKENS = (names.INPUT_TOKENS, names.OUTPUT_TOKENS)
_MODELS = (names.REQUEST_MODEL, names.RESPONSE_MODEL)


@dataclass(slots=True)
class _Call:
    """A span that may turn out to be a model's."""

    iteration: IterationSpan
    around: _Call | None
    counted: dict[str, int] = field(default_factory=dict)
    """Tokens of what ran inside of it, which are counted already."""


class ModelCalls:
    """The spans of others that run inside of iterations now. That one is a model's is known for sure when it ends.

    Where several instrumentations tell of one call, by spans inside of spans, its tokens are counted once.
    """

    def __init__(self) -> None:
        self._open: OrderedDict[int, _Call] = OrderedDict()

    def started(self, span: ReadableSpan, context: Context | None) -> None:
        """A span begins that is not ours."""
        iteration = current(context)
        if not isinstance(iteration, IterationSpan) or span.context is None or span.context.span_id in self._open:
            return
        around = self._open.get(span.parent.span_id) if span.parent is not None else None
        self._open[span.context.span_id] = _Call(iteration, around)
        if len(self._open) > _MOST:
            self._open.popitem(last=False)

    def ended(self, span: ReadableSpan) -> None:
        """A span has ended. Those of models tell the iteration around them what they took."""
        call = self._open.pop(span.context.span_id, None) if self._open and span.context is not None else None
        if call is None:
            return
        told: Mapping[str, Any] = span.attributes or {}
        if told.get(names.OPERATION_NAME) in _OPERATIONS:
            tokens = {name: number for name in _TOKENS if type(number := told.get(name)) is int and number >= 0}
            fresh = {name: max(0, number - call.counted.get(name, 0)) for name, number in tokens.items()}
            call.iteration.add_usage({name: told[name] for name in _MODELS if name in told}, fresh)
            call.counted = _sum(call.counted, fresh)
        if call.around is not None:
            call.around.counted = _sum(call.around.counted, call.counted)


def _sum(first: Mapping[str, int], second: Mapping[str, int]) -> dict[str, int]:
    return {name: first.get(name, 0) + second.get(name, 0) for name in _TOKENS}


MODEL_CALLS = ModelCalls()
"""Of this process: several processors count a call once."""
