"""Stands before the Pulsar client on the path, and is the client, but for this: once it crashes while it sends.

The variable ``CRASH`` names a file; while it is there, the client crashes, and renames it to ``crashed``, with the
process id in it.
"""

import importlib
import os
import sys
from pathlib import Path

sys.path.remove(str(Path(__file__).parent))
del sys.modules["pulsar"]

pulsar = importlib.import_module("pulsar")
_crash = Path(os.environ["CRASH"])
_send = pulsar.Producer.send_async
_sent = 0


def _send_or_crash(*args, **kwargs):
    global _sent
    _sent += 1
    if _sent == 3 and _crash.exists():
        _crash.write_text(str(os.getpid()))
        _crash.rename(_crash.with_name("crashed"))
        os.abort()
    return _send(*args, **kwargs)


pulsar.Producer.send_async = _send_or_crash
