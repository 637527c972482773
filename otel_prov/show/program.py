"""How the program runs: each failure becomes one line and an exit code, and other packages may bring commands along."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import sys
from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import click

from otel_prov.show.escape import one_line

__all__ = ["LOSSES", "Commands", "Trouble", "complain"]


class Trouble(click.ClickException):
    """What could not be done: one line that names the thing and the remedy."""


class _Losses(logging.Handler):
    """Tells what the rooms below log, such as a journal file that can't be read."""

    def emit(self, record: logging.LogRecord) -> None:
        complain(record.getMessage())


LOSSES = _Losses()
"""Added to the log for as long as a command runs."""


class Commands(click.Group):
    """Commands in the order of their definition, whose every failure is one line and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.commands, *sorted(_others())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command of ours, or one that another package brings along."""
        if cmd_name in self.commands or cmd_name not in (others := _others()):
            return super().get_command(ctx, cmd_name)
        command = others[cmd_name].load()
        return command if isinstance(command, click.Command) else None

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run, and exit. The program has one name, however it was started."""
        if sys.stdout is None:
            complain("standard output is closed; send it to a terminal, a file or a pipe")
            sys.exit(1)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # where not every character can be shown
        try:
            code = super().main(args, "otel-prov", complete_var, standalone_mode=False, **extra) or 0
        except click.UsageError as error:
            command = error.ctx.command_path if error.ctx else "otel-prov"
            complain(f"{error.format_message()} See '{command} --help'.")
            code = error.exit_code
        except click.ClickException as error:
            complain(error.format_message())
            code = error.exit_code
        except click.Abort:  # Ctrl-C
            code = 130
        except OSError as error:
            complain(f"cannot write standard output: {error.strerror or error}")
            _drop_output()
            code = 1
        sys.exit(code)


def _others() -> dict[str, EntryPoint]:
    """Commands of other packages, such as that of a destination: entry points of the group ``otel_prov_command``."""
    return {entry.name: entry for entry in entry_points(group="otel_prov_command")}


def complain(message: str) -> None:
    """Say one line on standard error."""
    click.echo(f"otel-prov: {one_line(message)}", err=True)


def _drop_output() -> None:
    """Let go of what could not be written: Python would try again at its end, and complain."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
