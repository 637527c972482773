"""Tracing a function takes nothing away from what type checkers know of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).with_name("examples.py")
PROJECT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("checker", "options"),
    [("mypy", ["--strict"]), ("pyright", ["--pythonpath", sys.executable])],
)
def test_traced_functions_keep_their_static_types(checker: str, options: list[str]) -> None:
    pytest.importorskip(checker)
    command = [sys.executable, "-m", checker, *options, str(EXAMPLES)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=300, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
