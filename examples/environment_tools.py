"""Tools that really look at the Python environment they run in: package metadata, files on disk, a calculator."""

from __future__ import annotations

import ast
import json
import operator
import re
from collections.abc import Callable
from fnmatch import fnmatch
from functools import cache
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

from otel_prov import tool

__all__ = ["TOOLS", "act"]


def act(action: str, arguments: dict[str, Any] | str) -> Any:
    """Use a tool, with arguments by name, or as the JSON text that a model writes.

    What goes wrong is an observation like any other: the agent sees it, and can think again. ``tool`` gives the call a
    span of its own, with its result or its error.
    """
    try:
        with tool(action, arguments) as call:
            if action not in TOOLS:
                raise LookupError(f"there is no tool {action!r}, only {', '.join(TOOLS)}")
            named = json.loads(arguments) if isinstance(arguments, str) else arguments
            observation = TOOLS[action](**named)
            call.record(observation)
            return observation
    except Exception as error:
        return f"Error: {error}"


def survey(field: str) -> dict[str, Any]:
    """Look one field up for every installed package. Fields: version, summary, licence, needs, bytes."""
    return {name: value for name, package in _packages().items() if (value := _field(package, field))}


def look_up(package: str, field: str) -> Any:
    """Look one field up for one installed package. Fields: version, summary, licence, needs, bytes."""
    value = _field(_package(package), field)
    if value is None:
        raise LookupError(f"{package} gives no {field}")
    return value


def find(text: str) -> list[str]:
    """Find the installed packages whose names have all the words of a text in them."""
    return [name for name in _packages() if all(word in name for word in text.lower().split())]


def files(package: str, pattern: str) -> dict[str, int]:
    """List a package's files that match a pattern such as *.py, with the number of lines of each."""
    found = {path: file for path, file in _files(_package(package)).items() if fnmatch(path, pattern)}
    return {path: len(_text(file).splitlines()) for path, file in found.items()}


def read(package: str, file: str) -> str:
    """Read the beginning of one of a package's files, by its path as `files` lists it."""
    known = _files(_package(package))
    if file not in known:
        raise LookupError(f"{package} has no file {file!r}")
    return _text(known[file])[:1000]


def calculate(expression: str) -> float:
    """Work out an expression of numbers, + - * / and parentheses."""
    return _value(ast.parse(expression, mode="eval").body)


TOOLS: dict[str, Callable[..., Any]] = {
    function.__name__: function for function in (survey, look_up, find, files, read, calculate)
}


@cache
def _packages() -> dict[str, Distribution]:
    """The installed packages by name, all names spelled alike."""
    return dict(sorted((_spelled(package.metadata["Name"]), package) for package in distributions()))


def _package(name: str) -> Distribution:
    if name not in (packages := _packages()):
        raise LookupError(f"no package is named {name!r}")
    return packages[name]


def _spelled(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _files(package: Distribution) -> dict[str, Path]:
    """A package's files that are there, by their paths within the environment."""
    listed = {str(file): Path(str(file.locate())) for file in package.files or ()}
    return {path: file for path, file in listed.items() if file.is_file()}


def _text(file: Path) -> str:
    return file.read_text("utf-8", errors="replace")


def _field(package: Distribution, field: str) -> Any:
    if field not in _FIELDS:
        raise LookupError(f"there is no field {field!r}, only {', '.join(_FIELDS)}")
    return _FIELDS[field](package)


def _told(package: Distribution, key: str) -> list[str]:
    """What a package's metadata say under a key, as often as they do."""
    return package.metadata.get_all(key) or []


def _licence(package: Distribution) -> str | None:
    """The licence by name. Packages say it in three ways; the newest is looked for first."""
    free_text = [text for text in _told(package, "License") if text and "\n" not in text]
    classifiers = [text.rpartition(" :: ")[2] for text in _told(package, "Classifier") if text.startswith("License ::")]
    return ", ".join(_told(package, "License-Expression") or free_text or classifiers) or None


def _needs(package: Distribution) -> list[str]:
    """The installed packages that a package needs, with the condition if there is one; not those of its extras."""
    needed = []
    for requirement in package.requires or ():
        wanted, _, condition = requirement.partition(";")
        name = _spelled(re.split(r"[^\w.-]", wanted.strip())[0])
        if "extra" not in condition and name in _packages():
            needed.append(f"{name} if {condition.strip()}" if condition else name)
    return sorted(needed)


_FIELDS: dict[str, Callable[[Distribution], Any]] = {
    "version": lambda package: package.version,
    "summary": lambda package: next(iter(_told(package, "Summary")), None),
    "licence": _licence,
    "needs": _needs,
    "bytes": lambda package: sum(file.stat().st_size for file in _files(package).values()),
}

_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    raise ValueError(f"only numbers, + - * / and parentheses can be worked out, not {ast.unparse(node)!r}")
