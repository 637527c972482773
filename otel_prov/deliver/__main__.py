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
    is_over = troubled = False
    try:
        while not is_over:
            with alone(folder) as ours:
                if ours:
                    troubled, is_over = _work(folder)
                else:
                    is_over = True
            # Whoever began to record just before the lock was let go has seen a worker, and started none.
            is_over = is_over or not files(folder)
    except (StoreError, ValueError) as error:
        logging.error("%s", error)
        return 1
    return int(troubled)


def _work(folder: Path) -> tuple[bool, bool]:
    """Whether the work can't go on, and whether it is over, for that reason or as it was ended from outside."""
    from otel_prov import retention  # loaded by the one of many that came first
    from otel_prov.deliver.endpoints import configured
    from otel_prov.deliver.worker import Worker

    worker = Worker(folder, configured(), leave=True, retention=retention.configured())
    troubled = bool(worker.run())
    return troubled and not (worker.stopped or worker.left), troubled or worker.stopped


def _trim_log(record: logging.LogRecord) -> bool:
    """Before each line: standard error is a file that must not grow for ever."""
    trim(sys.stderr.buffer)
    return True


if __name__ == "__main__":
    sys.exit(main())
