"""Which topic TrustGraph reads triples from.

TrustGraph 2.4 and later reads ``persistent://tg/flow/triples-store:{workspace}:{flow}``, versions before it
``persistent://tg/flow/triples-store:{flow}`` (templates 2.1 to 2.8, ``flows/graph-store.jsonnet``; tenant and namespace
by ``trustgraph/base/async_pulsar_backend.py``).
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["DEFAULT", "named", "namespace"]

DEFAULT: Final = "triples-store:{workspace}:{flow}"

_TRUSTGRAPH: Final = "persistent://tg/flow/"
_WHOLE: Final = re.compile(r"(?:non-)?persistent://([^/\s]+)/([^/\s]+)/([^/\s]+)")


def named(topic: str, workspace: str, flow: str) -> str:
    """The whole name of a topic.

    Args:
        topic: A whole name, or one in TrustGraph's namespace; ``{workspace}`` and ``{flow}`` stand for those.
        workspace: TrustGraph's workspace.
        flow: Id of the flow.

    Raises:
        ValueError: It isn't a name that Pulsar takes.
    """
    name = topic.replace("{workspace}", workspace).replace("{flow}", flow)
    if "://" not in name:
        name = _TRUSTGRAPH + name
    if _WHOLE.fullmatch(name) is None:
        raise ValueError(f"{name!r} is no name of a topic, such as {_TRUSTGRAPH}{DEFAULT}")
    return name


def namespace(topic: str) -> tuple[str, str]:
    """Tenant and namespace of a topic, given by its whole name."""
    found = _WHOLE.fullmatch(topic)
    assert found is not None, topic
    return found[1], found[2]
