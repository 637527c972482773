"""What docs/validate.md shows is what happens."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from otel_prov.validate import NAMES
from tests.command import invoke

PAGE = (Path(__file__).parents[2] / "docs" / "validate.md").read_text(encoding="utf-8")


def test_the_example_is_told_as_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = re.search(r"<!-- file: (\S+) -->\n```turtle\n(.*?)```", PAGE, re.DOTALL)
    shown = re.search(r"<!-- run -->\n```console\n\$ otel-prov (.*?)\n(.*?)```", PAGE, re.DOTALL)
    assert file
    assert shown
    monkeypatch.chdir(tmp_path)
    Path(file[1]).write_text(file[2], encoding="utf-8")
    result = invoke(*shlex.split(shown[1]))
    assert (result.exit_code, result.stdout) == (1, shown[2])


def test_every_option_of_the_page_exists() -> None:
    usage = invoke("validate", "--help").stdout
    for command in re.findall(r"^otel-prov validate (.*)$", PAGE, re.MULTILINE):
        for option in re.findall(r"--[a-z]+", command):
            assert f"{option} " in usage


def test_the_page_names_every_constraint_that_can_be_broken() -> None:
    ranges = [(int(low), int(high or low)) for low, high in re.findall(r"^\| (\d+)(?:–(\d+))? ", PAGE, re.MULTILINE)]
    assert all(any(low <= number <= high for low, high in ranges) for number in NAMES)
