"""The commands that exchange sessions with others by files: ``otel-prov export`` and ``import``."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import click

from otel_prov.describe.formats import FORMATS, NotRdf, read_file, write
from otel_prov.describe.prov.documents import PROV_FORMATS, NotInstalled, write_prov
from otel_prov.keep import Store
from otel_prov.read.file import OTLP_SUFFIX, read_otlp
from otel_prov.show.elsewhere import Sessions, from_option
from otel_prov.show.escape import one_line
from otel_prov.show.files import whole_file
from otel_prov.show.options import filters, rdf_options
from otel_prov.show.program import Trouble, complain
from otel_prov.show.reading import count, not_both, opened, progress, several, source
from otel_prov.steps import Session

__all__ = ["export", "import_"]


@click.command()
@click.argument("references", metavar="[REFERENCE]...", nargs=-1)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
    help="The file to write; - is standard output.",
)
@rdf_options(*PROV_FORMATS, default=None)
@filters
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="How many, newest first.  [default: all]")
@from_option
@click.pass_obj
def export(
    folder: Path,
    /,
    references: Sequence[str],
    output: Path,
    format: str | None,
    shape: str,
    view: str,
    url: str | None,
    **chosen: Any,
) -> None:
    """Write sessions to a file, as RDF, as a PROV document, or as a picture.

    All sessions, unless some are named or chosen by options. PROV documents (provn, provjson, provxml) and pictures
    (svg, dot) are of the PROV view.
    """
    not_both(references, url, chosen)
    format = format or _format_of(output)
    with source(folder, url, chosen) as store:
        uris = several(store, folder, references, chosen)
        _export(store, uris, output, format, shape, view)
    number = count(len(uris), "session")
    if str(output) == "-":
        click.echo(f"Wrote {number}.", err=True)
    else:
        click.echo(f"Wrote {number} to {one_line(str(output))}")


@click.command("import")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.pass_obj
def import_(folder: Path, /, files: Sequence[Path]) -> None:
    """Take in sessions from files.

    The files are RDF of any format, in any of the shapes, or OTLP/JSON lines (.jsonl).
    """
    failed = False
    with opened(folder) as store:
        for file in files:
            try:
                _import(store, file)
            except Trouble as trouble:
                complain(trouble.format_message())
                failed = True
    if failed:
        sys.exit(1)


def _format_of(output: Path) -> str:
    """The format that a file's name asks for; N-Quads, which any line tool can read, for standard output."""
    if str(output) == "-":
        return "nquads"
    extensions = {extension: format for format, extension in (FORMATS | PROV_FORMATS).items()}
    if format := extensions.get(output.suffix.lower()):
        return format
    known = ", ".join(extensions)
    raise click.UsageError(f"No format is known for '{output.name}'; give --format, or a name that ends in {known}.")


def _export(store: Sessions, uris: Sequence[str], output: Path, format: str, shape: str, view: str) -> None:
    """Write the sessions one after the other, with a bar for the eye where there is a terminal."""
    to_file = str(output) != "-"
    with progress(uris, "Exporting", shown=to_file) as each:
        sessions = map(store.session, each)
        known = (session for session in sessions if session is not None)  # not pruned meanwhile
        try:
            if not to_file:
                _write(known, format, shape, view, sys.stdout.buffer)
                sys.stdout.buffer.flush()
                return
            with whole_file(output) as file:
                _write(known, format, shape, view, file)
        except NotInstalled as error:
            raise Trouble(str(error)) from None
        except OSError as error:
            if not to_file:
                raise
            raise Trouble(f"cannot write {output}: {error.strerror or error}; choose another place with -o") from None


def _write(sessions: Iterable[Session], format: str, shape: str, view: str, out: BinaryIO) -> None:
    if format in PROV_FORMATS:
        write_prov(sessions, format, out)
    else:
        write(sessions, format, shape, out, view)


def _import(store: Store, file: Path) -> None:
    """Take in the sessions of one file, and say how many."""
    try:
        sessions, bad = read_otlp(file) if file.suffix.lower() == OTLP_SUFFIX else (read_file(file), 0)
    except NotRdf as error:
        raise Trouble(str(error)) from None
    except OSError as error:
        raise Trouble(f"cannot read {file}: {error.strerror or error}") from None
    not_understood = f"; {count(bad, 'line')} not understood" if bad else ""
    if not sessions:
        raise Trouble(f"no agent's session in {file}{not_understood}")
    store.add(sessions)
    click.echo(f"Took in {count(len(sessions), 'session')} from {one_line(str(file))}{not_understood}")
