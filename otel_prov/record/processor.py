"""The span processor: each span is on disk as it starts and as it ends, and an iteration before it acts."""

from __future__ import annotations

from pathlib import Path

from opentelemetry.context import Context, get_value
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor

from otel_prov import names
from otel_prov.instrument.activity import CHECKPOINTS
from otel_prov.losses import guarded
from otel_prov.record.models import MODEL_CALLS
from otel_prov.record.recorder import recorder

__all__ = ["ProvSpanProcessor"]

NOT_RECORDED = "span not recorded: fault in the processor"


class ProvSpanProcessor(SpanProcessor):
    """Records agents' spans in the journal of the local store, on the caller's thread and without waiting for anyone.

    Spans that sampling keeps from other exporters but still records (``RECORD_ONLY``) are recorded too.

    Args:
        store: Folder of the store; ``OTEL_EXPORTER_PROV_STORE``, else the user's data folder, if left out.
    """

    def __init__(self, store: str | Path | None = None) -> None:
        self._recorder = recorder(store)

    @guarded(None, NOT_RECORDED)
    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Record the start of a session, a tool call or a part of the work; an iteration has nothing to tell yet."""
        if span.name == names.ITERATION:
            return
        if names.SESSION_ID not in (span.attributes or ()):
            MODEL_CALLS.started(span, parent_context)
            return
        checkpoints = get_value(CHECKPOINTS, parent_context)
        if isinstance(checkpoints, list):
            checkpoints.append(self.checkpoint)
        self._recorder.write(span)

    def checkpoint(self, span: object) -> None:
        """Record what a running iteration knows when it is about to act."""
        if isinstance(span, ReadableSpan):
            self._recorder.write(span)

    @guarded(None, NOT_RECORDED)
    def on_end(self, span: ReadableSpan) -> None:
        """Record an ended span. Of a model's, inside of an iteration, that one is told what it took."""
        if self._recorder.write(span):
            self._recorder.remember(span)
        MODEL_CALLS.ended(span)

    @guarded(None, NOT_RECORDED)
    def shutdown(self) -> None:
        """Let go of the journal's file, so that it can be taken in and removed."""
        self._recorder.close()

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        """Nothing waits: what has ended is on disk."""
        return True
