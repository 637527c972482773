"""RDF as rdflib reads it."""

from __future__ import annotations

from pathlib import Path

import rdflib

__all__ = ["read_rdf"]


def read_rdf(source: str | Path, format: str) -> rdflib.Dataset:
    """The statements of a file, or of a text. (What ``parse`` itself returns had no quads before rdflib 7.3.)"""
    dataset = rdflib.Dataset()
    if isinstance(source, Path):
        dataset.parse(source, format=format)
    else:
        dataset.parse(data=source, format=format)
    return dataset
