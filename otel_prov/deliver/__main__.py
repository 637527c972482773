"""The worker that a recording program starts: ``python -m otel_prov.deliver``. Configured by the environment alone."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

from otel_prov.deliver.alone import alone
from otel_prov.keep import StoreError
from otel_prov.record.journal import files, store_folder
from otel_prov.record.worker import trim


def main() -> int:
    """Work until there is nothing to do. Gives the exit code."""
    logging.basicConfig(format="%(asctime)s %(message)s", stream=sys.stderr)
    logging.getLogger().handlers[0].addFilter(_trim_log)
    folder = store_folder()
    is_over = False
    try:
        while not is_over:
            with alone(folder) as ours:
                is_over = not ours or _work(folder)
            # Whoever began to record just before the lock was let go has seen a worker, and started none.
            is_over = is_over or not files(folder)
    except (StoreError, ValueError) as error:
        logging.error("%s", error)
        return 1
    return 0


def _work(folder: Path) -> bool:
    """Whether the work was ended from outside, or can't go on."""
    from otel_prov.deliver.endpoints import configured  # loaded by the one of many that came first
    from otel_prov.deliver.worker import Worker

    worker = Worker(folder, configured(), leave=True)
    return bool(worker.run()) or worker.stopped


def _trim_log(record: logging.LogRecord) -> bool:
    """Before each line: standard error is a file that must not grow for ever."""
    trim(sys.stderr.buffer)
    return True


if __name__ == "__main__":
    sys.exit(main())
