"""The command ``otel-prov``: its subcommands."""

from __future__ import annotations

import contextlib
import io
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import click

from otel_prov.describe.formats import FORMATS, NotRdf, read_file, write
from otel_prov.fetch import FetchError
from otel_prov.keep import Store, StoreError
from otel_prov.record.journal import store_folder
from otel_prov.show import delivery
from otel_prov.show.doctor import doctor
from otel_prov.show.document import listed, session_document
from otel_prov.show.elsewhere import Sessions, elsewhere, from_option, nothing
from otel_prov.show.escape import json_text, one_line, rdf_text
from otel_prov.show.files import OTLP_SUFFIX, read_otlp, whole_file
from otel_prov.show.follow import follow, next_session
from otel_prov.show.options import age, filters, rdf_options, size
from otel_prov.show.page import Page, console
from otel_prov.show.program import LOSSES, Commands, Trouble, complain
from otel_prov.show.rows import whole
from otel_prov.show.table import print_table

__all__ = ["main"]


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--store",
    type=click.Path(file_okay=False, path_type=Path),
    envvar="OTEL_EXPORTER_PROV_STORE",
    metavar="FOLDER",
    show_envvar=True,
    help="Where sessions are kept, if not in your data folder.",
)
@click.version_option(package_name="otel-prov", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context, store: Path | None) -> None:
    """See what your agents were asked, thought, did, saw and answered.

    A session is named by its URI or its id, the beginning of either, its trace id, or the word "latest".
    """
    logging.getLogger("otel_prov").addHandler(LOSSES)
    ctx.obj = store.expanduser() if store else store_folder()
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@main.command("list")
@filters
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", default=50, show_default=True, help="How many, newest first."
)
@click.option("--json", "as_json", is_flag=True, help="A JSON array instead of a table.")
@from_option
@click.pass_obj
def list_(folder: Path, /, url: str | None, as_json: bool, **chosen: Any) -> None:
    """List sessions, the newest first."""
    with _source(folder, url, chosen) as store:
        summaries = store.sessions(**chosen)
        if as_json:
            _write_utf8(json_text([listed(summary) for summary in summaries]) + "\n")
        elif summaries:
            print_table(console(), store, summaries)
        if not summaries:
            raise Trouble(nothing(store, folder))


@main.command()
@click.argument("reference")
@rdf_options("text", "json", default="text")
@click.option("--full", is_flag=True, help="Long texts whole, not folded.")
@from_option
@click.option("--collection", metavar="NAME", help="With --from: the collection that it is in.  [default: default]")
@click.pass_obj
def show(
    folder: Path, /, reference: str, format: str, shape: str, full: bool, url: str | None, collection: str | None
) -> None:
    """Show a session, from its question to its answer."""
    if collection is not None and url is None:
        raise click.UsageError("--collection goes with --from.")
    with _source(folder, url, {"collection": collection}) as store:
        session = store.session(_one(store, folder, reference))
    if session is None:
        raise Trouble(f"session {reference!r} was removed just now; 'otel-prov list' shows what there is")
    if format == "text":
        page = Page(console(), full=full)
        for section in whole(session):
            page.begin(section)
    elif format == "json":
        _write_utf8(json_text(session_document(session)) + "\n")
    else:
        rdf = io.BytesIO()
        write([session], format, shape, rdf)
        _write_utf8(rdf_text(rdf.getvalue().decode(), format))


@main.command("follow")
@click.argument("reference", required=False)
@click.option("--full", is_flag=True, help="Long texts whole, not folded.")
@click.pass_obj
def follow_(folder: Path, /, reference: str | None, full: bool) -> None:
    """Watch a session as it grows, until it ends.

    Without REFERENCE, wait for the next session to start.
    """
    with _reading(folder) as store:
        if reference is None:
            now = datetime.now(timezone.utc)
            click.echo("Waiting for a session to start; Ctrl-C stops.", err=True)
            uri = next_session(store, after=now)
        else:
            uri = _one(store, folder, reference)
        follow(store, uri, Page(console(), full=full))


@main.command()
@click.argument("references", metavar="[REFERENCE]...", nargs=-1)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
    help="The file to write; - is standard output.",
)
@rdf_options(default=None)
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
    url: str | None,
    **chosen: Any,
) -> None:
    """Write sessions to a file, as RDF.

    All sessions, unless some are named or chosen by options.
    """
    if references and any(value for name, value in chosen.items() if not (url and name == "collection")):
        raise click.UsageError("Name sessions or choose them by options, not both.")
    format = format or _format_of(output)
    with _source(folder, url, chosen) as store:
        if references:
            uris = list(dict.fromkeys(_one(store, folder, reference) for reference in references))
        elif not (uris := [summary.uri for summary in store.sessions(**chosen)]):
            raise Trouble(nothing(store, folder))
        _export(store, uris, output, format, shape)
    number = _count(len(uris), "session")
    if str(output) == "-":
        click.echo(f"Wrote {number}.", err=True)
    else:
        click.echo(f"Wrote {number} to {one_line(str(output))}")


@main.command("import")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.pass_obj
def import_(folder: Path, /, files: Sequence[Path]) -> None:
    """Take in sessions from files.

    The files are RDF of any format, in any of the shapes, or OTLP/JSON lines (.jsonl).
    """
    failed = False
    with _opened(folder) as store:
        for file in files:
            try:
                _import(store, file)
            except Trouble as trouble:
                complain(trouble.format_message())
                failed = True
    if failed:
        sys.exit(1)


@main.command()
@click.option(
    "--older-than", type=age, metavar="AGE", help="Remove sessions with no sign of life for so long: 30d, 12h."
)
@click.option("--max-size", type=size, metavar="SIZE", help="Remove the oldest until the store is this small: 1GB.")
@click.pass_obj
def prune(folder: Path, /, older_than: timedelta | None, max_size: int | None) -> None:
    """Remove old sessions from the store."""
    if older_than is None and max_size is None:
        raise click.UsageError("Say what to remove: --older-than, --max-size, or both.")
    with _reading(folder) as store:
        removed = store.prune(older_than=older_than, max_bytes=max_size)
    click.echo(f"Removed {_count(removed, 'session')}.")


main.add_command(delivery.deliver)
main.add_command(delivery.status)
main.add_command(delivery.quarantine)
main.add_command(doctor)


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[Store]:
    """The store; its troubles are told in one line."""
    try:
        with Store(folder) as store:
            yield store
    except StoreError as error:
        raise Trouble(str(error)) from None


@contextlib.contextmanager
def _reading(folder: Path) -> Iterator[Store]:
    """The store with what the journals hold by now, or as it was before where that can't be taken in."""
    with _opened(folder) as store:
        try:
            intake = store.take_in()
        except StoreError as error:
            complain(f"{error}; showing what was taken in before")
        else:
            if intake.bad_lines:
                complain(f"{_count(intake.bad_lines, 'line')} of the journal not understood, and set aside")
        yield store


@contextlib.contextmanager
def _source(folder: Path, url: str | None, chosen: Mapping[str, Any]) -> Iterator[Sessions]:
    """Where to read: the store, or behind the gateway of that URL."""
    if url is None:
        with _reading(folder) as store:
            yield store
        return
    try:
        with elsewhere(url, **chosen) as there:
            yield there
    except FetchError as error:
        raise Trouble(str(error)) from None


def _one(store: Sessions, folder: Path, reference: str) -> str:
    """The URI of the session that is meant."""
    found = store.find(reference)
    if not found:
        if not store.sessions(limit=1):
            raise Trouble(nothing(store, folder))
        raise Trouble(f"no session {reference!r}; 'otel-prov list' shows what there is")
    if len(found) > 1:
        complain(f"{reference!r} may be any of these sessions; give more of it:")
        for uri in found:
            click.echo(f"  {one_line(uri)}", err=True)
        sys.exit(2)
    return found[0]


def _format_of(output: Path) -> str:
    """The format that a file's name asks for; N-Quads, which any line tool can read, for standard output."""
    if str(output) == "-":
        return "nquads"
    for format, extension in FORMATS.items():
        if output.suffix.lower() == extension:
            return format
    known = ", ".join(FORMATS.values())
    raise click.UsageError(f"No format is known for '{output.name}'; give --format, or a name that ends in {known}.")


def _export(store: Sessions, uris: Sequence[str], output: Path, format: str, shape: str) -> None:
    """Write the sessions one after the other, with a bar for the eye where there is a terminal."""
    from rich.progress import Progress

    terminal = console(stderr=True)
    to_file = str(output) != "-"
    bar = Progress(console=terminal, transient=True) if terminal.is_terminal and to_file else None
    with bar or contextlib.nullcontext():
        sessions = (store.session(uri) for uri in (bar.track(uris, description="Exporting") if bar else uris))
        known = (session for session in sessions if session is not None)  # not pruned meanwhile
        if not to_file:
            write(known, format, shape, sys.stdout.buffer)
            sys.stdout.buffer.flush()
            return
        try:
            with whole_file(output) as file:
                write(known, format, shape, file)
        except OSError as error:
            raise Trouble(f"cannot write {output}: {error.strerror or error}; choose another place with -o") from None


def _import(store: Store, file: Path) -> None:
    """Take in the sessions of one file, and say how many."""
    try:
        sessions, bad = read_otlp(file) if file.suffix.lower() == OTLP_SUFFIX else (read_file(file), 0)
    except NotRdf as error:
        raise Trouble(str(error)) from None
    except OSError as error:
        raise Trouble(f"cannot read {file}: {error.strerror or error}") from None
    not_understood = f"; {_count(bad, 'line')} not understood" if bad else ""
    if not sessions:
        raise Trouble(f"no agent's session in {file}{not_understood}")
    store.add(sessions)
    click.echo(f"Took in {_count(len(sessions), 'session')} from {one_line(str(file))}{not_understood}")


def _write_utf8(text: str) -> None:
    """What programs read is UTF-8, whatever the terminal's encoding."""
    click.echo(text.encode(), nl=False)


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


if __name__ == "__main__":
    main()
