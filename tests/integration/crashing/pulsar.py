"""Stands before the Pulsar client on the path, and is the client, but for this: it crashes while it sends.

The variable ``CRASH`` names a file; while it is there, the client crashes once, and renames it to ``crashed``, with the
process id in it. Where ``CRASH_AT`` is a text, the client crashes each time that it is to send a message with it.
"""

import importlib
import os
import sys
from pathlib import Path

sys.path.remove(str(Path(__file__).parent))
del sys.modules["pulsar"]

pulsar = importlib.import_module("pulsar")
_crash = Path(os.environ.get("CRASH", "none"))
_fatal = os.environ.get("CRASH_AT", "").encode()
_send = pulsar.Producer.send_async
_sent = 0


def _send_or_crash(self, content, *args, **kwargs):
    global _sent
    _sent += 1
    if _fatal and _fatal in content:
        os.abort()
    if _sent == 3 and _crash.exists():
        _crash.write_text(str(os.getpid()))
        _crash.rename(_crash.with_name("crashed"))
        os.abort()
    return _send(self, content, *args, **kwargs)


pulsar.Producer.send_async = _send_or_crash
