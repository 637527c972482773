"""SPARQL 1.1 over sessions: their graphs in memory, asked by pyoxigraph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from typing import TYPE_CHECKING, Final

from otel_prov.describe import describe
from otel_prov.describe.prov import describe_prov
from otel_prov.describe.quads import nquads
from otel_prov.describe.vocabulary import PREFIXES, PROV_PREFIXES
from otel_prov.steps import Session

if TYPE_CHECKING:
    import pyoxigraph

    _Term = pyoxigraph.NamedNode | pyoxigraph.BlankNode | pyoxigraph.Literal | pyoxigraph.Triple

__all__ = ["VIEWS", "QuestionError", "ask", "load", "question", "questions"]

VIEWS: Final = ("explanation", "prov", "both")
_PREFIXES: Final = PREFIXES | PROV_PREFIXES
_BATCH: Final = 500  # sessions that are loaded at once

_NOT_CODE: Final = re.compile(
    r"""<[^<>"{}|^`\\\s]*>|#[^\n]*|(['"])\1\1.*?\1\1\1|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S
)
_SERVICE: Final = re.compile(r"(?<![?$:\w-])SERVICE\b(?![\w-]*:)", re.IGNORECASE)


_IRI: Final = re.compile(r"(?:urn|https?|file|tag|doi):[^\s<>\"{}|\\^`]+", re.IGNORECASE)


class QuestionError(Exception):
    """The question can't be asked; the message is one line with the remedy."""


def load(sessions: Iterable[Session], shape: str, view: str) -> pyoxigraph.Store:
    """The sessions' graphs: the explanation view in ``urn:graph:retrieval``, the PROV view of each in its own.

    Raises:
        QuestionError: pyoxigraph isn't installed.
    """
    try:
        import pyoxigraph
    except ImportError:
        raise QuestionError("SPARQL needs the package pyoxigraph: pip install 'otel-prov[sparql]'") from None
    store = pyoxigraph.Store()
    for lines in _batches(sessions, shape, view):
        store.bulk_load(lines.encode(), format=pyoxigraph.RdfFormat.N_QUADS)
    return store


def ask(
    store: pyoxigraph.Store, query: str, bound: Mapping[str, str] | None = None
) -> pyoxigraph.QuerySolutions | pyoxigraph.QueryBoolean | pyoxigraph.QueryTriples:
    """Ask; all graphs together are the default graph. The prefixes of our files are known.

    ``bound`` gives variables a value: an IRI if it looks like one, else a text.

    Raises:
        QuestionError: It is no query, or one that would ask another server.
    """
    if _SERVICE.search(_NOT_CODE.sub(" ", query)):
        raise QuestionError(
            "SERVICE asks another server, which is not done here; load its data with 'otel-prov import'"
        )
    try:
        return store.query(
            query, prefixes=_PREFIXES, use_default_graph_as_union=True, substitutions=_substitutions(bound or {})
        )
    except SyntaxError as error:
        raise QuestionError(
            f"no SPARQL query: {error}; what is kept can be asked (SELECT, ASK, CONSTRUCT, DESCRIBE), not changed"
        ) from None
    except (OSError, RuntimeError, ValueError) as error:
        raise QuestionError(f"the query failed: {error}") from None


def _substitutions(bound: Mapping[str, str]) -> dict[pyoxigraph.Variable, _Term]:
    import pyoxigraph

    return {
        pyoxigraph.Variable(name): (pyoxigraph.NamedNode if _IRI.fullmatch(value) else pyoxigraph.Literal)(value)
        for name, value in bound.items()
    }


def questions() -> dict[str, str]:
    """The questions that come with the library: the first line of each, by name."""
    files = resources.files("otel_prov.ask").joinpath("queries").iterdir()
    return {
        file.name.removesuffix(".rq"): file.read_text("utf-8").partition("\n")[0].lstrip("# ")
        for file in sorted(files, key=lambda file: file.name)
        if file.name.endswith(".rq")
    }


def question(name: str) -> str | None:
    """The text of a question that comes with the library; ``None`` if there is none of that name."""
    if name not in questions():
        return None
    return resources.files("otel_prov.ask").joinpath("queries").joinpath(f"{name}.rq").read_text("utf-8")


def _batches(sessions: Iterable[Session], shape: str, view: str) -> Iterator[str]:
    lines: list[str] = []
    for session in sessions:
        if view != "prov":
            lines.append(nquads(describe(session, shape)))
        if view != "explanation":
            lines.append(nquads(describe_prov(session)))
        if len(lines) >= _BATCH:
            yield "".join(lines)
            lines.clear()
    if lines:
        yield "".join(lines)
