"""The command ``otel-prov query``: statements by a pattern, as TrustGraph's ``tg-query-graph`` asks for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

import click

from otel_prov import ask, fetch
from otel_prov.describe import DEFAULT_SHAPE, DEFAULT_VIEW, SHAPES, VIEWS, Literal, Quad, QuotedTriple
from otel_prov.describe.pattern import BadTerm, Pattern, object_term, resource, said
from otel_prov.describe.quads import Term, nquads, ntriples
from otel_prov.describe.uris import is_iri
from otel_prov.describe.vocabulary import short
from otel_prov.fetch.terms import triple
from otel_prov.keep import Store
from otel_prov.show.elsewhere import Sessions, from_option
from otel_prov.show.escape import json_line, rdf_text, visible
from otel_prov.show.program import Trouble, complain
from otel_prov.show.reading import count, one, source, write_utf8

__all__ = ["query"]

T = TypeVar("T")

_BATCH: Final = 200  # statements that are written at once
_REFERENCE: Final = re.compile("([^/#]+)([/#].*)?", re.DOTALL)
_FORMATS: Final = ("text", "json", "jsonl", "ntriples", "nquads")


@click.command("query")
@click.option("-s", "--subject", metavar="TERM", help="What is spoken of: an IRI, or a session or a node of one.")
@click.option("-p", "--predicate", metavar="IRI", help="What is said of it: tg:query.")
@click.option("-o", "--object", metavar="TERM", help="What it is said to be: an IRI, a text, or <<s p o>>.")
@click.option("-g", "--graph", metavar="IRI", help="The named graph it stands in; '' is the default graph.")
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", default=1000, show_default=True, help="How many, at most."
)
@click.option("--format", type=click.Choice(_FORMATS), default="text", show_default=True, help="How to write them.")
@click.option("--labels", is_flag=True, help="Behind each IRI what it is called, where that is known.")
@click.option("--shape", type=click.Choice(SHAPES), help=f"Shape of the triples.  [default: {DEFAULT_SHAPE}]")
@click.option("--view", type=click.Choice(VIEWS), help=f"Which graphs to look into.  [default: {DEFAULT_VIEW}]")
@from_option
@click.option("--collection", metavar="NAME", help="With --from: the collection to read.  [default: default]")
@click.pass_obj
def query(
    folder: Path,
    /,
    subject: str | None,
    predicate: str | None,
    object: str | None,
    graph: str | None,
    limit: int,
    format: str,
    labels: bool,
    shape: str | None,
    view: str | None,
    url: str | None,
    collection: str | None,
) -> None:
    """Find statements by subject, predicate, object and graph, each of which may be left out.

    An IRI is written in full, in <brackets>, or with a prefix (prov, tg, rdf, rdfs, xsd, dcterms, otelprov); a subject
    also as a session's id and, behind it, /i3 or /final. Nothing is loaded as a whole, so a store may be of any size;
    'otel-prov sparql' joins several patterns, counts and sorts, and needs memory for what it reads.
    """
    if labels and format != "text":
        raise click.UsageError("--labels goes with --format text.")
    if collection is not None and url is None:
        raise click.UsageError("--collection goes with --from.")
    with source(folder, url, {"collection": collection}) as there:
        pattern = Pattern(
            None if subject is None else _subject(there, folder, subject),
            _term("--predicate", resource, predicate),
            _term("--object", object_term, object),
            None if graph == "*" else graph and _term("--graph", resource, graph),
        )
        statements = _statements(there, shape, view)
        found = statements.match(pattern, limit + 1)
        number = _write(islice(found, limit), format, statements.labels if labels else None)
        if number == limit and next(found, None) is not None:
            complain(f"{count(number, 'statement')} written, and there are more; --limit N writes N")
    if not number:
        elsewhere = view is None and graph is None and not isinstance(there, fetch.Statements)
        raise Trouble("no statement matches; ask for less" + (", or look into --view both" if elsewhere else ""))


def _term(option: str, read: Callable[[str], T], text: str | None) -> T | None:
    try:
        return None if text is None else read(text)
    except BadTerm as error:
        raise click.UsageError(f"{option}: {error}.") from None


def _subject(there: Sessions, folder: Path, text: str) -> str:
    """An IRI, or what begins with a session's id."""
    try:
        return resource(text)
    except BadTerm:
        match = _REFERENCE.fullmatch(text)
        if match is None:
            raise click.UsageError(f"--subject: {text!r} is neither an IRI nor a session's id.") from None
        return one(there, folder, match[1]) + (match[2] or "")


def _statements(there: Sessions, shape: str | None, view: str | None) -> fetch.Statements:
    """What can be asked: the place itself, or its sessions as they are described."""
    if not isinstance(there, fetch.Statements):
        uris = there.uris() if isinstance(there, Store) else (each.uri for each in there.sessions(limit=None))
        return ask.Statements(there, uris, shape or DEFAULT_SHAPE, view or DEFAULT_VIEW)
    if shape or view:
        option = "--shape" if shape else "--view"
        raise click.UsageError(f"What is read from there is told as it stands there; leave out {option}.")
    return there


def _write(quads: Iterator[Quad], format: str, names: Callable[[set[str]], dict[str, str]] | None) -> int:
    """Write the statements as they come in, and give their number."""
    number = 0
    while batch := list(islice(quads, _BATCH)):
        if format == "json":
            write_utf8(("[\n  " if not number else ",\n  ") + ",\n  ".join(json_line(triple(quad)) for quad in batch))
        elif format == "jsonl":
            write_utf8("".join(f"{json_line(triple(quad))}\n" for quad in batch))
        elif format == "text":
            known = names({iri for quad in batch for iri in _iris(quad[:3])}) if names else {}
            write_utf8("".join(f"{' '.join(_shown(term, known) for term in quad[:3])}\n" for quad in batch))
        else:
            write_utf8(rdf_text((nquads if format == "nquads" else ntriples)(batch), format))
        number += len(batch)
    if format == "json":
        write_utf8("\n]\n" if number else "[]\n")
    return number


def _iris(terms: Iterable[Term]) -> Iterator[str]:
    """The IRIs that may be called something, those in quoted triples, too."""
    for term in terms:
        if isinstance(term, QuotedTriple):
            yield from _iris(term)
        elif not isinstance(term, Literal) and is_iri(term) and short(term) is None:
            yield term


def _shown(term: Term, names: dict[str, str]) -> str:
    if isinstance(term, QuotedTriple):
        return f"<<{' '.join(_shown(part, names) for part in term)}>>"
    name = None if isinstance(term, Literal) else names.get(term)
    return visible(said(term) + (f" ({' '.join(name.split())})" if name else ""))
