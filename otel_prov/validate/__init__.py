"""Is it valid PROV? A check of the W3C's PROV-CONSTRAINTS for graphs of PROV-O.

Each graph is an instance and stands alone, the default graph like the named ones (PROV-CONSTRAINTS, section 7.2,
"Bundles and Documents"). Properties and qualified forms are both read, with the narrower ones (``prov:wasRevisionOf``)
and the inverses (``prov:generated``). Decided are all constraints that RDF can break:

- uniqueness, 22 to 29: :mod:`~otel_prov.validate.uniqueness`;
- ordering, 30 to 49, all as violations of 42: :mod:`~otel_prov.validate.ordering` says why;
- typing, 50, which never fails alone, and impossibility, 51 to 56: :mod:`~otel_prov.validate.impossibility`.

Applied on the way are inferences 7 to 11, 15, 19 and 21. The others lead to nothing that a constraint could fail on:
5, 6, 13 and 14 to events of things unnamed, 12, 16 to 18 and 20 to alternates.

Domains and ranges of PROV-O say what a node is, as constraint 50 does, and what is an entity or an activity that way
counts as one that is stated. A blank node may be the same as any other node. What isn't said is not denied: the
placeholder ``-`` of PROV-N, and a missing argument that PROV-DM requires, have no form in RDF.

    >>> from otel_prov.describe.quads import Quad
    >>> prov = "http://www.w3.org/ns/prov#"
    >>> quads = [Quad("urn:x", prov + "used", "urn:y"), Quad("urn:x", prov + "wasDerivedFrom", "urn:z")]
    >>> for violation in validate(quads):
    ...     print(violation.constraint, violation.name, *violation.nodes)
    55 entity-activity-disjoint urn:x
"""

from __future__ import annotations

from collections.abc import Iterable

from otel_prov.describe.quads import Quad
from otel_prov.validate.impossibility import impossible
from otel_prov.validate.instance import Instance
from otel_prov.validate.ordering import disorder
from otel_prov.validate.uniqueness import merge
from otel_prov.validate.violation import NAMES, Violation

__all__ = ["NAMES", "Violation", "validate"]


def validate(quads: Iterable[Quad]) -> list[Violation]:
    """Every constraint that the quads break, sorted by graph and number; none if each of their graphs is valid PROV.

    Neither the order of the quads nor repeating them changes it. It takes time in proportion to their number, nearly.
    """
    graphs: dict[str, list[Quad]] = {}
    for quad in quads:
        graphs.setdefault(quad[3], []).append(quad)
    return [violation for graph in sorted(graphs) for violation in _violations(graph, graphs[graph])]


def _violations(graph: str, quads: list[Quad]) -> list[Violation]:
    instance = Instance(quads)
    terms, differences = merge(instance.statements)
    found = {*differences, *impossible(instance, terms), *disorder(instance, terms)}
    return [Violation(violation.constraint, violation.nodes, violation.sentence, graph) for violation in sorted(found)]
