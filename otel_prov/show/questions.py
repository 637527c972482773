"""The commands that ask: ``otel-prov why``, ``impact``, ``diff``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.text import Text
from rich.tree import Tree

from otel_prov.ask import Affected, Difference, Node, Reason, Searched, diff, impact, parse, parting, why
from otel_prov.keep import Store
from otel_prov.names import AGENT, URI_STARTS
from otel_prov.show.elsewhere import Sessions, from_option
from otel_prov.show.escape import json_text, one_line
from otel_prov.show.lines import Row, Section
from otel_prov.show.page import Page, console
from otel_prov.show.program import Trouble
from otel_prov.show.reading import count, session_of, source, write_utf8
from otel_prov.show.times import iso, local
from otel_prov.steps import Session

__all__ = ["diff_", "impact_", "why_"]

_NOT_RECORDED = "(not recorded)"
_WIDEST = 160  # characters of a text in a tree
_STYLES = {"answer": "bold", "question": "bold", "call": "cyan", "source": "magenta", "edge": "magenta"}


@click.command("why")
@click.argument("reference")
@click.option("--json", "as_json", is_flag=True, help="A JSON object instead of a tree.")
@click.option("--full", is_flag=True, help="Texts whole, not cut to a line.")
@from_option
@click.pass_obj
def why_(folder: Path, /, reference: str, as_json: bool, full: bool, url: str | None) -> None:
    """Show what an answer rests on.

    REFERENCE is a session, or a step of one: its IRI, or the session's id and then /i3 or /i3/observation.
    """
    with source(folder, url, {}) as store:
        session, at = _place(store, folder, reference)
        found = why(store, session, at)
    if found is None:
        raise Trouble(_nothing_there(session, at))
    if as_json:
        write_utf8(json_text(asdict(found)) + "\n")
    else:
        console().print(_tree(found, full))


@click.command("impact")
@click.argument("name", metavar="SOURCE")
@click.option("--json", "as_json", is_flag=True, help="A JSON array instead of text.")
@from_option
@click.pass_obj
def impact_(folder: Path, /, name: str, as_json: bool, url: str | None) -> None:
    """Show which answers rest on a source.

    SOURCE is an address (a whole site's, too), the name of a file or document, any text that a tool was called with, or
    a session or a step of one.
    """
    with source(folder, url, {}) as store:
        affected = impact(store if isinstance(store, Store) else Searched(store), _known(store, name))
    if as_json:
        write_utf8(json_text([_affected_document(each) for each in affected]) + "\n")
    elif affected:
        _print_affected(name, affected)
    if not affected:
        raise Trouble(f"no step of any session names {name!r}; 'otel-prov list --text' looks for a part of a text")


@click.command("diff")
@click.argument("first")
@click.argument("second")
@click.option("--json", "as_json", is_flag=True, help="A JSON array instead of text.")
@click.option("--full", is_flag=True, help="Long texts whole, not folded.")
@from_option
@click.pass_obj
def diff_(folder: Path, /, first: str, second: str, as_json: bool, full: bool, url: str | None) -> None:
    """Show where two sessions part, as when one question was asked twice."""
    with source(folder, url, {}) as store:
        ours, theirs = (session_of(store, folder, reference) for reference in (first, second))
    differences = diff(ours, theirs)
    if as_json:
        write_utf8(json_text([asdict(each) for each in differences]) + "\n")
        return
    page = Page(console(), full=full)
    page.begin(Section("", (Row("First", ours.uri), Row("Second", theirs.uri), Row("They part", _parted(differences)))))
    for section in _sections(differences):
        page.begin(section)


def _place(store: Sessions, folder: Path, reference: str) -> tuple[Session, Node]:
    """The session and the step in it that is meant. A session's own id may look like a step's."""
    at = Node(reference) if store.find(reference) else parse(reference)
    session = session_of(store, folder, at.session)
    return session, at._replace(session=session.uri)


def _known(store: Sessions, name: str) -> str:
    """The IRI of the session or step that a person may mean by its id; otherwise what was given."""
    at = parse(name)
    found = store.find(at.session)
    return found[0] + name[len(at.session) :] if len(found) == 1 and store.session(name) is None else name


def _nothing_there(session: Session, at: Node) -> str:
    if at.number > 0 or at.part is not None:
        return f"{session.uri} has no such step; 'otel-prov show {session.uri}' shows what it has"
    return f"{session.uri} has no answer ({session.outcome or 'not ended'}); ask for a step of it, as {session.uri}/i1"


def _tree(reason: Reason, full: bool) -> Tree:
    tree = Tree(_label(reason, full), guide_style="dim")
    waiting = [(tree, reason)]
    while waiting:
        branch, about = waiting.pop()
        waiting += [(branch.add(_label(each, full)), each) for each in about.because]
    return tree


def _label(reason: Reason, full: bool) -> Text:
    place = f" {reason.number}" if reason.number is not None and reason.kind != "call" else ""
    label = Text(f"{reason.kind}{place}  ", "dim")
    if reason.error is not None:
        return label.append(_fitted(reason.error, full), "red")
    text = reason.uri if reason.kind == "source" else reason.text
    return label.append(_NOT_RECORDED if text is None else _fitted(text, full), _STYLES.get(reason.kind, ""))


def _fitted(text: str, full: bool) -> str:
    line = one_line(text)
    return line if full or len(line) <= _WIDEST else line[: _WIDEST - 1] + "…"


def _affected_document(affected: Affected) -> dict[str, Any]:
    return asdict(affected) | {"started": iso(affected.started)}


def _print_affected(name: str, affected: Sequence[Affected]) -> None:
    answers = sum(each.answered for each in affected)
    number = f"{count(answers, 'answer')} of {count(len(affected), 'session')}"
    page = Page(console())
    page.begin(Section("", (Row("Source", name), Row("Affects", number))))
    for each in affected:
        title = " ".join(filter(None, [local(each.started), each.session]))
        page.begin(Section(title, tuple(_affected_rows(each))))


def _affected_rows(affected: Affected) -> Iterator[Row]:
    yield Row("Question", _NOT_RECORDED if affected.question is None else affected.question)
    if affected.through is not None:
        yield Row("By the answer", f"of {affected.through}")
    for use in affected.uses:
        other = "Done by" if use.source.startswith(URI_STARTS[AGENT]) else "Retrieved"
        label = f"Iteration {use.number}" if use.number else other
        yield Row(label, f"{use.action}: {use.source}" if use.action else use.source)
    if affected.answer is not None:
        yield Row("Answer", affected.answer, "bold")
    else:
        yield Row("Answer", _NOT_RECORDED if affected.answered else "(none)")


def _parted(differences: Sequence[Difference]) -> str:
    """Where two sessions part, in a sentence."""
    where = parting(differences)
    if where is None:
        return "nowhere: the same was asked, done, seen and answered" + (", in other words" if differences else "")
    place = f"iteration {where.number}, " if where.number is not None else ""
    if where.first is None:
        return f"{place}{where.field}: only the second has one"
    return f"{place}{where.field}" + (": only the first has one" if where.second is None else "")


def _sections(differences: Sequence[Difference]) -> Iterator[Section]:
    """The differences, an iteration at a time."""
    sections: dict[str, list[Row]] = {}
    for each in differences:
        title = each.field.capitalize() if each.field in ("question", "plan", "decomposition") else "End"
        rows = sections.setdefault(title if each.number is None else f"Iteration {each.number}", [])
        call = f" {each.call}" if each.call > 1 else ""
        rows.append(Row(each.field.capitalize() + call, "(none)" if each.first is None else each.first, "red"))
        rows.append(Row("", "(none)" if each.second is None else each.second, "green"))
    for title, members in sections.items():
        yield Section(title, tuple(members))
