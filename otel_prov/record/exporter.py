"""The span exporter, for wherever only an exporter can be named. It sees ended spans only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from otel_prov.environment import config_file, named_in_file
from otel_prov.losses import guarded
from otel_prov.record.recorder import recorder
from otel_prov.record.settings import take

__all__ = ["ProvSpanExporter"]

NOT_RECORDED = "span not recorded: fault in the exporter"


class ProvSpanExporter(SpanExporter):
    """Records agents' spans in the journal of the local store. A span that a processor of ours has recorded is not
    recorded twice.

    Never raises, whatever it is given.

    Args:
        store: Folder of the store; ``OTEL_EXPORTER_PROV_STORE``, else the user's data folder, if left out.
        settings: In place of variables, for the whole process: ``endpoint`` for ``OTEL_EXPORTER_PROV_ENDPOINT``, and so
            on. A file of OpenTelemetry's declarative configuration has them below ``prov:``.
    """

    def __init__(self, store: str | Path | None = None, **settings: object) -> None:
        if config_file():  # which speaks for the whole process, as the variables do
            settings["store"] = store
            named_in_file()
        take(settings)
        self._recorder = recorder(store)
        self._recorder.expect_exports()

    @guarded(SpanExportResult.FAILURE, NOT_RECORDED)
    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Record ended spans. FAILURE means that some could not be written; each is counted by reason."""
        results = [self._write(span) for span in spans]
        return SpanExportResult.SUCCESS if all(results) else SpanExportResult.FAILURE

    @guarded(False, NOT_RECORDED)
    def _write(self, span: ReadableSpan) -> bool:
        return self._recorder.is_written(span) or self._recorder.write(span)

    @guarded(None, NOT_RECORDED)
    def shutdown(self) -> None:
        """Let go of the journal's file, so that it can be taken in and removed."""
        self._recorder.close()

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        """Nothing waits: what was exported is on disk."""
        return True
