"""Those who know what valid PROV is, and what each of them says of a graph."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

import rdflib
from rdflib import OWL, PROV, RDF, SH, XSD

from otel_prov.describe import Literal, Quad
from otel_prov.describe.rdf import to_rdflib
from otel_prov.validate import validate
from otel_prov.validate.shapes import shapes

__all__ = ["CHECKERS", "owl_rl", "prov_library", "prov_toolbox", "shacl", "validator"]

Graph = Sequence[Quad]
"""One graph, which is an instance of PROV."""

_PROV_O: Final = Path(__file__).with_name("prov-o.ttl")


def owl_rl(graphs: Iterable[Graph]) -> list[list[str]]:
    """What contradicts PROV-O, after all that OWL RL can conclude: something that is in two disjoint classes."""
    import owlrl

    ontology = rdflib.Graph().parse(_PROV_O, format="turtle")
    disjoint = list(ontology.subject_objects(OWL.disjointWith))
    found = []
    for graph in graphs:
        closed = _rdf(graph) + ontology
        owlrl.DeductiveClosure(owlrl.OWLRL_Semantics).expand(closed)
        both = [
            (node, one, other)
            for one, other in disjoint
            for node in set(closed.subjects(RDF.type, one)) & set(closed.subjects(RDF.type, other))
        ]
        found.append([f"{node} is {_local(one)} and {_local(other)}" for node, one, other in sorted(both)])
    return found


def prov_library(graphs: Iterable[Graph]) -> list[list[str]]:
    """What keeps the library ``prov`` from reading the graph, or from unifying what it has read."""
    return [_problem(lambda graph=graph: _document(graph).unified()) for graph in graphs]


def prov_toolbox(graphs: Iterable[Graph]) -> list[list[str]]:
    """What ProvToolbox finds. It reads no RDF, so the library ``prov`` writes PROV-N for it.

    PROV-N has a start for activities alone, and ``prov`` passes over that of anything else. So what it means in PROV-O
    is spelled out first: the time's type, and that it is an activity's. Raises ``Missing`` where ProvToolbox can't run.
    """
    return _toolbox().problems([_document([*map(_typed, graph), *_starting(graph)]).get_provn() for graph in graphs])


def validator(graphs: Iterable[Graph]) -> list[list[str]]:
    """What our own validator finds."""
    return [[f"{each.constraint} {each.name}" for each in validate(graph)] for graph in graphs]


def shacl(graphs: Iterable[Graph]) -> list[list[str]]:
    """What a SHACL engine finds with our shapes."""
    import pyshacl

    wanted = rdflib.Graph().parse(data=shapes(), format="turtle")
    found = []
    for graph in graphs:
        _, report, _ = pyshacl.validate(_rdf(graph), shacl_graph=wanted)
        found.append(sorted({str(text).partition(":")[0] for text in report.objects(None, SH.resultMessage)}))
    return found


CHECKERS: Final[dict[str, Callable[[Iterable[Graph]], list[list[str]]]]] = {
    "OWL RL with PROV-O": owl_rl,
    "`prov` reads and unifies": prov_library,
    "ProvToolbox": prov_toolbox,
    "`otel-prov validate`": validator,
    "pyshacl with our shapes": shacl,
}
"""What each says is wrong with each of the graphs; nothing with those that are valid."""


@functools.cache
def _toolbox():  # type: ignore[no-untyped-def]
    from tests.integration.servers.provtoolbox import ProvToolbox

    return ProvToolbox()


def _document(graph: Graph):  # type: ignore[no-untyped-def]
    from prov.model import ProvDocument

    text = _rdf(graph).serialize(format="turtle")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        document = ProvDocument.deserialize(content=text, format="rdf", rdf_format="turtle")
        document.add_namespace(*_prefix(graph))  # it has forgotten those that Turtle had no use for
        return document


def _prefix(graph: Graph) -> tuple[str, str]:
    session, mark, _ = graph[0].subject.partition("#")
    return ("s", f"{session}#") if mark else ("sessions", session.rpartition(":")[0] + ":")


def _rdf(graph: Graph) -> rdflib.Graph:
    """The graph without its name, and with a prefix for its own nodes."""
    dataset = to_rdflib(quad._replace(graph="urn:g") for quad in graph)
    bare = rdflib.Graph()
    bare.bind(*_prefix(graph))
    for triple in dataset.graph(rdflib.URIRef("urn:g")):
        bare.add(triple)
    return bare


def _typed(quad: Quad) -> Quad:
    if isinstance(quad.object, Literal) and quad.predicate == str(PROV.startedAtTime):
        return quad._replace(object=quad.object._replace(datatype=str(XSD.dateTime)))
    return quad


def _starting(graph: Graph) -> list[Quad]:
    starts = [quad for quad in graph if quad.predicate == str(PROV.startedAtTime)]
    return [Quad(quad.subject, str(RDF.type), str(PROV.Activity), quad.graph) for quad in starts]


def _problem(attempt: Callable[[], object]) -> list[str]:
    try:
        attempt()
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]
    return []


def _local(iri: object) -> str:
    return str(iri).rpartition("#")[2]
