"""The command ``otel-prov sparql``."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otel_prov.ask.sparql import VIEWS, QuestionError, ask, load, question, questions
from otel_prov.describe import DEFAULT_SHAPE, SHAPES
from otel_prov.describe.vocabulary import PREFIXES, PROV_PREFIXES
from otel_prov.show.elsewhere import from_option
from otel_prov.show.escape import one_line
from otel_prov.show.options import filters
from otel_prov.show.page import console
from otel_prov.show.program import Trouble, complain
from otel_prov.show.reading import count, not_both, progress, several, source, write_utf8

if TYPE_CHECKING:
    import pyoxigraph

__all__ = ["sparql"]

_FORMATS = ("table", "json", "csv")


def _binding(text: str) -> tuple[str, str]:
    """``answer=urn:x``: a variable and its value."""
    name, equals, value = text.partition("=")
    if not (equals and name.lstrip("?$").isidentifier()):
        raise click.BadParameter(f"{text!r} is no binding; write it like answer=urn:trustgraph:agent:1#answer.")
    return name.lstrip("?$"), value


def _epilog() -> str:
    """The questions that come along, a line each."""
    known = questions()
    width = max(map(len, known))
    return "\b\n" + "\n".join(["Questions that come along:", *(f"  {n.ljust(width)}  {t}" for n, t in known.items())])


@click.command("sparql", epilog=_epilog())
@click.argument("query")
@click.option("--session", "references", multiple=True, metavar="REFERENCE", help="Read this session only. Repeatable.")
@click.option("--view", type=click.Choice(VIEWS), default="both", show_default=True, help="The graphs to read.")
@click.option(
    "--shape", type=click.Choice(SHAPES), default=DEFAULT_SHAPE, show_default=True, help="Of the explanation view."
)
@click.option(
    "--format", type=click.Choice(_FORMATS), default="table", show_default=True, help="How to write the result."
)
@click.option(
    "--bind", "bound", multiple=True, type=_binding, metavar="NAME=VALUE", help="Give a variable a value. Repeatable."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    default=60.0,
    show_default=True,
    help="Give up on a query that takes longer.",
)
@filters
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Read the newest only.  [default: all]")
@from_option
@click.pass_obj
def sparql(
    folder: Path,
    /,
    query: str,
    references: Sequence[str],
    view: str,
    shape: str,
    format: str,
    bound: Sequence[tuple[str, str]],
    timeout: float,
    url: str | None,
    **chosen: Any,
) -> None:
    """Ask a question in SPARQL over the sessions' graphs.

    QUERY is a query (SELECT, ASK, CONSTRUCT or DESCRIBE), a file that holds one, or the name of a question that comes
    along. The prefixes prov, tg, otelprov, dcterms, rdfs and xsd are known. All sessions are read, which takes memory,
    unless some are chosen by options.
    """
    not_both(references, url, chosen)
    text = _query(query)
    try:
        with source(folder, url, chosen) as store:
            uris = several(store, folder, references, chosen)
            with progress(uris, "Reading", shown=len(uris) > 1) as each:
                known = filter(None, map(store.session, each))  # not pruned meanwhile
                graphs = load(known, shape, view)
        click.echo(f"Read {count(len(uris), 'session')}, {count(len(graphs), 'statement')}.", err=True)
        with _at_most(timeout):
            _write(ask(graphs, text, dict(bound)), format)
    except QuestionError as error:
        raise Trouble(str(error)) from None


def _query(text: str) -> str:
    """The query that is meant: what a file holds, a question that comes along, or the text itself."""
    if text.lower().endswith((".rq", ".sparql")) or ("{" not in text and os.path.isfile(text)):
        try:
            return Path(text).read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
            raise Trouble(f"cannot read {text}: {reason or error}") from None
    if "{" not in text and "describe" not in text.lower():
        if (known := question(text.strip())) is None:
            names = ", ".join(questions())
            raise click.UsageError(f"{text!r} is no query, no file, and no question that comes along ({names}).")
        return known
    return text


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """End the program when something takes longer: nothing else stops a query that is being answered."""

    def give_up() -> None:
        complain(f"no answer within {seconds:g} seconds; ask for less, read fewer sessions, or give --timeout")
        os._exit(1)

    alarm = threading.Timer(seconds, give_up)
    alarm.daemon = True
    alarm.start()
    try:
        yield
    finally:
        alarm.cancel()


def _write(found: pyoxigraph.QuerySolutions | pyoxigraph.QueryBoolean | pyoxigraph.QueryTriples, format: str) -> None:
    import pyoxigraph

    if isinstance(found, pyoxigraph.QueryTriples):
        if format != "table":
            raise click.UsageError(f"The result is a graph, which is written as Turtle; leave out --format {format}.")
        _write_bytes(found.serialize(format=pyoxigraph.RdfFormat.TURTLE))
    elif format != "table":
        kind = pyoxigraph.QueryResultsFormat.JSON if format == "json" else pyoxigraph.QueryResultsFormat.CSV
        if isinstance(found, pyoxigraph.QueryBoolean) and format == "csv":
            raise click.UsageError("The result is yes or no, which CSV can't say; leave out --format csv.")
        _write_bytes(found.serialize(format=kind))
    elif isinstance(found, pyoxigraph.QueryBoolean):
        click.echo("yes" if found else "no")
    else:
        _print_table(found)


def _print_table(found: pyoxigraph.QuerySolutions) -> None:
    """A column for each variable: cut to a terminal's width, whole in a pipe."""
    from rich.table import Table
    from rich.text import Text

    screen = console()
    table = Table(box=None, pad_edge=False, header_style="dim")
    for variable in found.variables:
        table.add_column(variable.value, overflow="ellipsis", no_wrap=True)
    for solution in found:
        table.add_row(*(Text("" if term is None else _cell(term)) for term in solution))
    screen.print(table)
    click.echo(f"{count(table.row_count, 'row')}.", err=True)


def _cell(term: pyoxigraph.NamedNode | pyoxigraph.BlankNode | pyoxigraph.Literal | pyoxigraph.Triple) -> str:
    """A term for the eye: IRIs short where a prefix is known, texts without quotes."""
    value = str(getattr(term, "value", term))
    for prefix, namespace in (PREFIXES | PROV_PREFIXES).items():
        if str(term).startswith(f"<{namespace}"):
            return f"{prefix}:{value.removeprefix(namespace)}"
    return one_line(value)


def _write_bytes(text: bytes | None) -> None:
    write_utf8((text or b"").decode().rstrip("\n") + "\n")
