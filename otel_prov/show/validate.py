"""``otel-prov validate``: whether files, and what is kept of sessions, are valid PROV."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from otel_prov.describe import DEFAULT_SHAPE, SHAPES, VIEWS, Quad, describe
from otel_prov.describe.formats import FORMATS
from otel_prov.describe.parsing import NotRdf, read_quads
from otel_prov.describe.uris import legal
from otel_prov.show.escape import json_text, one_line
from otel_prov.show.program import Trouble
from otel_prov.show.reading import count, reading, several, write_utf8
from otel_prov.validate import Violation
from otel_prov.validate import validate as violations_in
from otel_prov.validate.shapes import shapes as all_shapes

__all__ = ["validate"]


class _Unreadable(Trouble):
    """What could not be validated at all; the exit code 1 says that something is not valid."""

    exit_code = 2


@click.command()
@click.argument("sources", metavar="[FILE|SESSION]...", nargs=-1)
@click.option("--all", "all_", is_flag=True, help="All sessions of the store.")
@click.option("--format", type=click.Choice(list(FORMATS)), help="What the files hold.  [default: by the file's name]")
@click.option("--view", type=click.Choice(VIEWS), default="prov", show_default=True, help="Which view of a session.")
@click.option(
    "--shape", type=click.Choice(SHAPES), default=DEFAULT_SHAPE, show_default=True, help="Which explanation view."
)
@click.option("--json", "as_json", is_flag=True, help="A JSON array instead of text.")
@click.option("--shapes", is_flag=True, help="Print the same as SHACL shapes, for a SHACL engine, and end.")
@click.pass_obj
def validate(
    folder: Path,
    /,
    sources: Sequence[str],
    all_: bool,
    format: str | None,
    view: str,
    shape: str,
    as_json: bool,
    shapes: bool,
) -> None:
    """Tell whether files and sessions are valid PROV, as the W3C's PROV-CONSTRAINTS has it.

    FILE is Turtle, TriG, N-Quads, N-Triples or JSON-LD; - is standard input, with --format. SESSION is one of the
    store, as it is described. Each graph is validated on its own. Exit code 1 if any is not valid.
    """
    if shapes:
        write_utf8(all_shapes())
        return
    if bool(sources) == all_:
        raise click.UsageError("Name files or sessions, or give --all." if not all_ else "--all goes with no others.")
    try:
        invalid = _report(_told(folder, sources, all_, format, shape, view), as_json, alone=len(sources) == 1)
    except Trouble as trouble:
        raise _Unreadable(trouble.format_message()) from None
    sys.exit(1 if invalid else 0)


def _told(
    folder: Path, sources: Sequence[str], all_: bool, format: str | None, shape: str, view: str
) -> Iterator[tuple[str, list[Quad]]]:
    """The name of each source, and what it says. Each is read when it is asked for."""
    references = []
    for source in sources:
        if _is_file(source):
            yield source, _read(source, format)
        else:
            references.append(source)
    if not (references or all_):
        return
    with reading(folder) as store:
        for uri in several(store, folder, references, {"limit": None}):
            if session := store.session(uri):  # not pruned meanwhile
                yield uri, describe(session, shape, view)


def _is_file(source: str) -> bool:
    """Whether a file is meant, and not a session: it is there, or it is called like one."""
    return source == "-" or Path(source).exists() or Path(source).suffix.lower() in FORMATS.values()


def _read(source: str, format: str | None) -> list[Quad]:
    if format is None:
        suffix = Path(source).suffix.lower()
        format = next((known for known, extension in FORMATS.items() if extension == suffix), None)
    if format is None:
        known = ", ".join(FORMATS.values())
        what = "standard input" if source == "-" else f"'{one_line(source)}'"
        raise click.UsageError(f"No format is known for {what}; give --format, or a name that ends in {known}.")
    try:
        return _checked(source, read_quads(source, format))
    except NotRdf as error:
        raise Trouble(str(error)) from None
    except OSError as error:
        raise Trouble(f"cannot read {source}: {error.strerror or error}") from None


def _checked(source: str, quads: list[Quad]) -> list[Quad]:
    """Refuse what is no IRI, which rdflib lets pass."""
    for quad in quads:
        for term in quad:
            if isinstance(term, str) and not term.startswith("_:") and legal(term) != term:
                raise NotRdf(f"{source} names {term!r}, which is no IRI; encode it: {legal(term)}")
    return quads


def _report(told: Iterator[tuple[str, list[Quad]]], as_json: bool, alone: bool) -> int:
    """Say what is found in each source; the number of those that are not valid."""
    documents = []
    number = invalid = 0
    for source, quads in told:
        violations = violations_in(quads)
        graphs = len({quad.graph for quad in quads})
        number += 1
        invalid += bool(violations)
        if as_json:
            documents.append(_document(source, violations))
        elif violations or alone:
            _print(source, violations, f"{count(len(quads), 'statement')} in {count(graphs, 'graph')}")
    if as_json:
        write_utf8(json_text(documents) + "\n")
    elif not alone:
        click.echo(f"{number - invalid:,} of {number:,} valid PROV.")
    return invalid


def _print(source: str, violations: list[Violation], size: str) -> None:
    verdict = f"not valid PROV, {count(len(violations), 'violation')}" if violations else f"valid PROV, {size}"
    click.echo(f"{one_line(source)}: {verdict}")
    for violation in violations:
        graph = f", graph {violation.graph}" if violation.graph else ""
        click.echo(f"  {violation.constraint} {violation.name}{one_line(graph)}")
        click.echo(f"     {one_line(violation.sentence)}")


def _document(source: str, violations: list[Violation]) -> dict[str, Any]:
    return {
        "source": source,
        "valid": not violations,
        "violations": [
            {
                "constraint": violation.constraint,
                "name": violation.name,
                "graph": violation.graph or None,
                "nodes": list(violation.nodes),
                "sentence": violation.sentence,
            }
            for violation in violations
        ],
    }
