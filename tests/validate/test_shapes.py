"""The SHACL shapes say what the validator says, by a SHACL engine, wherever SHACL can express it."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest
import rdflib

from otel_prov.describe import SHAPES, Quad, describe
from otel_prov.describe.rdf import to_rdflib
from otel_prov.describe.vocabulary import PROV
from otel_prov.validate import validate
from otel_prov.validate.shapes import shapes

from . import test_constraints as constraints
from .test_layouts import ASKED, OLDER
from .turtle import quads as told

pyshacl = pytest.importorskip("pyshacl", reason="the SHACL engine")

SH = rdflib.Namespace("http://www.w3.org/ns/shacl#")
BEYOND = {
    "broken-6": "23 of a derivation and a usage with one identifier, by inference 15",
    "broken-9": "24 of a generation that only a derivation tells of, by inference 11",
    "valid-1": "one instant, written in two ways",
    "valid-2": "a blank node that is the same as another node",
}
"""Where the shapes say something else."""


def cases() -> dict[str, list[Quad]]:
    """Graphs by name: those of each constraint, the layouts, and the corpus, where it is."""
    found = {f"broken-{number}": told(case[2]) for number, case in enumerate(constraints.BROKEN)}
    found |= {f"valid-{number}": told(text) for number, text in enumerate(constraints.VALID)}
    found |= {f"layout-{shape}": describe(ASKED, shape) for shape in SHAPES}
    found |= {"layout-older": OLDER, "layout-prov": describe(ASKED, view="prov")}
    try:
        from . import corpus

        files = corpus.cases()
    except ModuleNotFoundError:
        return found
    for number, name in enumerate(name for name in files if re.search("1[.]|type", name)):  # the engine takes its time
        found[name] = corpus.quads(files[name], simple=number % 2 == 0)
    return {name: quads for name, quads in found.items() if len({quad.graph for quad in quads}) == 1}


def renamed(quads: list[Quad], case: str) -> list[Quad]:
    """The same in one graph, with nodes that no other case has."""

    def name(term: object) -> object:
        if not isinstance(term, str) or term.startswith(PROV):
            return term
        return f"_:{case}--{term[2:]}" if term.startswith("_:") else f"urn:case:{case}--{term}"

    return [Quad(name(s), p, name(o)) for s, p, o, _ in quads]  # type: ignore[arg-type]


def found_by_shapes(graphs: dict[str, list[Quad]]) -> dict[str, set[int]]:
    """The constraints that the engine finds broken, by case. All cases go through it at once."""
    data = rdflib.Graph()
    for subject, predicate, target, _ in to_rdflib([quad for quads in graphs.values() for quad in quads]).quads():
        data.add((subject, predicate, target))
    _, report, _ = pyshacl.validate(data, shacl_graph=rdflib.Graph().parse(data=shapes(), format="turtle"))
    found: dict[str, set[int]] = defaultdict(set)
    for result in report.subjects(rdflib.RDF.type, SH.ValidationResult):
        case = str(report.value(result, SH.focusNode)).split("--")[0].removeprefix("urn:case:")
        found[case].add(int(str(report.value(result, SH.resultMessage)).split()[0]))
    return found


def test_the_shapes_agree_with_the_validator() -> None:
    graphs = {name: renamed(quads, name) for name, quads in cases().items()}
    by_shapes = found_by_shapes(graphs)
    other = {
        name
        for name, quads in graphs.items()
        if by_shapes[name] != {violation.constraint for violation in validate(quads)}
    }
    assert other == set(BEYOND)
