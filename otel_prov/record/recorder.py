"""Puts an agent's spans into the journal: what span processor and span exporter share."""

from __future__ import annotations

import functools
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING

from otel_prov import names
from otel_prov.checks.spelling import tell_misspelled
from otel_prov.checks.values import tell_misread
from otel_prov.environment import OTEL_EXPORTER_PROV_STORE, variable
from otel_prov.record.encode import copy_of, envelope, span_json
from otel_prov.record.journal import Journal
from otel_prov.record.worker import Worker

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope

__all__ = ["Recorder", "recorder"]

_REMEMBERED = 8192
"""Ended spans that the processor tells the exporter of: more than a default batch processor holds back."""


class Recorder:
    """Writes spans of agents to one store's journal. Methods may raise; processor and exporter guard them."""

    def __init__(self, store: str) -> None:
        tell_misspelled()
        tell_misread()
        self._journal = Journal(store)
        self._worker = Worker(store)
        self._resource: Resource | None = None
        self._scope: InstrumentationScope | None = None
        self._envelope = b"", b""
        self._written: OrderedDict[int, None] | None = None

    def write(self, span: ReadableSpan) -> bool:
        """Append a span as it is now; whether it is on disk, or is no agent's and so not to be written."""
        attributes = copy_of(span.attributes)
        if names.SESSION_ID not in attributes:
            return True
        before, behind = self._around(span)
        if not self._journal.write(before + span_json(span, attributes) + behind):
            return False
        self._worker.ensure()
        return True

    def expect_exports(self) -> None:
        """There is an exporter too: from now on, remember which spans it need not write again."""
        if self._written is None:
            self._written = OrderedDict()

    def remember(self, span: ReadableSpan) -> None:
        """Tell the exporter that a span is written. What it has forgotten it writes once more, which does no harm."""
        if self._written is not None and span.context is not None and span.context.trace_flags.sampled:
            self._written[span.context.span_id] = None
            if len(self._written) > _REMEMBERED:
                self._written.popitem(last=False)

    def is_written(self, span: ReadableSpan) -> bool:
        """Whether the processor has written this span; asked once for each span."""
        if self._written is None or span.context is None:
            return False
        return self._written.pop(span.context.span_id, self) is None

    def close(self) -> None:
        """Nothing more is expected; a span that ends later is still written."""
        self._journal.close()

    def _around(self, span: ReadableSpan) -> tuple[bytes, bytes]:
        """The line's envelope, made anew when resource or scope change."""
        if span.resource is not self._resource or span.instrumentation_scope is not self._scope:
            around = envelope(span.resource, span.instrumentation_scope)
            self._resource, self._scope, self._envelope = span.resource, span.instrumentation_scope, around
            return around
        return self._envelope


def recorder(store: str | Path | None = None) -> Recorder:
    """The recorder of a store; one for each in a process, so that processor and exporter know of each other.

    Never raises: the folder is looked at when the first span is written.
    """
    return _recorder(str(store or variable(OTEL_EXPORTER_PROV_STORE)))


_recorder = functools.cache(Recorder)
