"""The command ``otel-prov``: its subcommands."""

from __future__ import annotations

import io
import logging
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import click

from otel_prov import retention
from otel_prov.describe import DEFAULT_VIEW
from otel_prov.describe.formats import FORMATS, write
from otel_prov.record.journal import store_folder
from otel_prov.show import delivery, exchange, questions
from otel_prov.show.chains import chains
from otel_prov.show.doctor import doctor
from otel_prov.show.document import listed, session_document
from otel_prov.show.dot import dot
from otel_prov.show.drawing import draw
from otel_prov.show.elsewhere import from_option, nothing
from otel_prov.show.escape import json_text, rdf_text
from otel_prov.show.follow import follow, next_session
from otel_prov.show.lines import Row, Section
from otel_prov.show.mermaid import mermaid
from otel_prov.show.nested import Tree, tree, whole
from otel_prov.show.options import age, depth_option, filters, rdf_options, size
from otel_prov.show.page import Page, console
from otel_prov.show.program import LOSSES, Commands, Trouble
from otel_prov.show.query import query
from otel_prov.show.reading import count, one, reading, session_of, source, write_utf8
from otel_prov.show.sparql import sparql
from otel_prov.show.table import print_table
from otel_prov.show.terms import naming, short
from otel_prov.show.validate import validate

__all__ = ["main"]

PICTURES = {"mermaid": mermaid, "dot": dot}
"""Texts that other programs make pictures of."""


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

    A session is named by its URI or its id, the beginning of either, the id of its trace or
    of a span in it, or the word "latest".
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
@click.option("--nested", is_flag=True, help="Those, too, that ran inside of others: retrievals, other agents.")
@click.option("--json", "as_json", is_flag=True, help="A JSON array instead of a table.")
@from_option
@click.pass_obj
def list_(folder: Path, /, url: str | None, as_json: bool, **chosen: Any) -> None:
    """List sessions, the newest first: runs of agents, and retrievals."""
    with source(folder, url, chosen) as store:
        summaries = store.sessions(**chosen)
        if as_json:
            write_utf8(json_text([listed(summary) for summary in summaries]) + "\n")
        elif summaries:
            print_table(console(), store, summaries)
        if not summaries:
            raise Trouble(nothing(store, folder))


@main.command()
@click.argument("reference")
@rdf_options("text", "json", *PICTURES, default="text")
@click.option("--full", is_flag=True, help="Long texts whole, not folded.")
@depth_option
@from_option
@click.option("--collection", metavar="NAME", help="With --from: the collection that it is in.  [default: default]")
@click.pass_obj
def show(
    folder: Path,
    /,
    reference: str,
    format: str,
    shape: str,
    view: str,
    full: bool,
    depth: int,
    url: str | None,
    collection: str | None,
) -> None:
    """Show a session, from its question to its answer, and what ran inside of its tool calls."""
    if collection is not None and url is None:
        raise click.UsageError("--collection goes with --from.")
    if format in PICTURES and view != DEFAULT_VIEW:
        raise click.UsageError("Pictures of the PROV view are made by 'otel-prov export ID -o FILE.svg', or FILE.dot.")
    with source(folder, url, {"collection": collection}) as store:
        session = session_of(store, folder, reference)
        seen = Tree(session) if format in FORMATS else tree(store, session, depth)
        name = naming(store, list(seen.sessions()), full=full) if format == "text" else short
    if format == "text":
        page = Page(console(), full=full)
        for section in whole(seen, name):
            page.begin(section)
        if lines := chains(seen):
            page.begin(Section("", (Row("Graph", "\n".join(lines)),)))
    elif format == "json":
        write_utf8(json_text(session_document(seen)) + "\n")
    elif format in PICTURES:
        write_utf8(PICTURES[format](draw(seen)))
    else:
        rdf = io.BytesIO()
        write([session], format, shape, rdf, view)
        write_utf8(rdf_text(rdf.getvalue().decode(), format))


@main.command("follow")
@click.argument("reference", required=False)
@click.option("--full", is_flag=True, help="Long texts whole, not folded.")
@depth_option
@click.pass_obj
def follow_(folder: Path, /, reference: str | None, full: bool, depth: int) -> None:
    """Watch a session as it grows, and what runs inside of its tool calls, until it ends.

    Without REFERENCE, wait for the next session to start.
    """
    with reading(folder) as store:
        if reference is None:
            now = datetime.now(timezone.utc)
            click.echo("Waiting for a session to start; Ctrl-C stops.", err=True)
            uri = next_session(store, after=now)
        else:
            uri = one(store, folder, reference)
        follow(store, uri, Page(console(), full=full), depth)


main.add_command(questions.why_)
main.add_command(questions.impact_)
main.add_command(questions.diff_)
main.add_command(query)
main.add_command(sparql)
main.add_command(exchange.export)
main.add_command(exchange.import_)
main.add_command(validate)


@main.command()
@click.option(
    "--older-than", type=age, metavar="AGE", help="Remove sessions with no sign of life for so long: 30d, 12h."
)
@click.option("--max-size", type=size, metavar="SIZE", help="Remove the oldest until the store is this small: 1GB.")
@click.option("--unsent", is_flag=True, help="Remove sessions that still wait to be sent somewhere, too.")
@click.pass_obj
def prune(folder: Path, /, older_than: timedelta | None, max_size: int | None, unsent: bool) -> None:
    """Remove old sessions from the store.

    Without options that say which, as OTEL_EXPORTER_PROV_RETENTION says. Those that run stay.
    """
    if older_than is None and max_size is None:
        older_than, max_size = retention.configured() or (None, None)
    if older_than is None and max_size is None:
        raise click.UsageError("Say what to remove: --older-than, --max-size, or both.")
    with reading(folder) as store:
        destinations = [] if unsent else delivery.destinations(store)
        pruned = store.prune(older_than=older_than, max_bytes=max_size, unless_unsent=destinations)
    click.echo(f"Removed {count(pruned.removed, 'session')}.")
    if pruned.waiting:
        waiting = f"{count(pruned.waiting, 'session')} not yet sent to {' and '.join(destinations)}"
        click.echo(f"Kept {waiting}; --unsent removes them, too.", err=True)


main.add_command(delivery.deliver)
main.add_command(delivery.status)
main.add_command(delivery.quarantine)
main.add_command(doctor)


if __name__ == "__main__":
    main()
