"""The tools of the examples look at this environment, and say what they can't do."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import pytest

Tools = dict[str, Callable[..., Any]]


def test_the_calculator_works_out_arithmetic(tools: Tools) -> None:
    assert tools["calculate"]("-(1 + 2) * 3 / 4.5") == -2


@pytest.mark.parametrize("expression", ["__import__('os')", "9 ** 9", "print", "'a' * 3", "[1][0]"])
def test_the_calculator_refuses_all_else(tools: Tools, expression: str) -> None:
    with pytest.raises(ValueError, match="only numbers"):
        tools["calculate"](expression)


def test_one_field_can_be_looked_up_for_one_package_and_for_all(tools: Tools) -> None:
    assert tools["look_up"]("click", "version") == version("click")
    assert tools["survey"]("version")["click"] == version("click")


def test_an_unknown_field_is_told_with_those_that_there_are(tools: Tools) -> None:
    with pytest.raises(LookupError, match="no field 'colour', only version, summary"):
        tools["look_up"]("click", "colour")


def test_packages_are_found_by_the_words_of_their_names(tools: Tools) -> None:
    assert "opentelemetry-sdk" in tools["find"]("SDK OpenTelemetry")
    assert tools["find"]("no such package") == []


def test_only_files_of_the_package_can_be_read(tools: Tools) -> None:
    (initial,) = tools["files"]("rich", "rich/__init__.py")
    assert "Rich" in tools["read"]("rich", initial)
    with pytest.raises(LookupError, match="has no file"):
        tools["read"]("rich", "../../../../etc/passwd")
