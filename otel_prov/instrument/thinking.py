"""What an iteration's thinking took: the tools that there were to choose from, the model, its tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from typing import Any

from otel_prov import names
from otel_prov.instrument.activity import Activity
from otel_prov.instrument.content import Content
from otel_prov.losses import guarded, lost

__all__ = ["Attributes", "beforehand", "thinking", "tool_names"]


Attributes = dict[str, str | int | list[str]]


def beforehand(owner: Activity, candidates: list[str] | None) -> Attributes:
    """The attributes of an iteration that are known as it begins: what part of the work it is for, which tools there
    are."""
    told: Attributes = {}
    if owner.within is not None:
        told[names.WITHIN] = owner.within
    if candidates is not None:
        told[names.ITERATION_CANDIDATES] = candidates
    return told


def thinking(
    content: Content, candidates: Iterable[Any] | None, model: Any, input_tokens: Any, output_tokens: Any
) -> Attributes:
    """The attributes for what is given of it."""
    told: Attributes = {}
    if candidates is not None and (named := tool_names(content, candidates)) is not None:
        told[names.ITERATION_CANDIDATES] = named
    if model is not None:
        told[names.REQUEST_MODEL] = content.name(model)
    for name, value in ((names.INPUT_TOKENS, input_tokens), (names.OUTPUT_TOKENS, output_tokens)):
        if value is not None and (number := _number(value)) is not None:
            told[name] = number
    return told


@guarded(None, "tools to choose from left out")
def tool_names(content: Content, tools: Iterable[Any]) -> list[str]:
    """The names of tools: as texts, or of what has a name, as a function or a tool of a framework."""
    if not isinstance(tools, Sized):
        lost("tools to choose from left out", f"{type(tools).__name__} can be read only once; give a list")
        return []
    return [content.name(_name(tool)) for tool in ([tools] if isinstance(tools, str) else tools)]


def _name(tool: Any) -> Any:
    if isinstance(tool, str):
        return tool
    if isinstance(tool, Mapping):  # as models are given them
        return tool.get("name") or _name(tool.get("function") or str(tool))
    return getattr(tool, "name", None) or getattr(tool, "__name__", None) or tool


def _number(value: Any) -> int | None:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = -1
    if number >= 0:
        return number
    lost("number of tokens left out", f"{value!r:.100} is none")
    return None
