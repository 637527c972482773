"""The command ``otel-prov``, called in this process."""

from __future__ import annotations

import inspect

from click.testing import CliRunner, Result

from otel_prov.show.cli import main

__all__ = ["invoke"]

# click 8.1 puts standard error into standard output, unless it is told not to; later ones have both ways at once
_APART = {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}


def invoke(*arguments: object) -> Result:
    """Call the command with these arguments."""
    return CliRunner(**_APART).invoke(main, [str(argument) for argument in arguments])
