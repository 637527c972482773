"""PROV documents as pictures in the usual style: entities are yellow ellipses, activities blue boxes, agents orange
houses (W3C PROV, "Graphical Illustrations"). The library ``prov`` draws for Graphviz, which lays the picture out."""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from typing import TYPE_CHECKING, Final

from otel_prov.describe.prov.documents import NotInstalled

if TYPE_CHECKING:
    from prov.model import ProvBundle, ProvDocument

__all__ = ["dot", "program_to_draw", "svg"]

_LONGEST: Final = 40
"""Characters of a text that a picture shows."""
_PATIENCE: Final = 120
"""Seconds to wait for a layout."""
_NO_GRAPHVIZ: Final = "pictures need Graphviz: install it (Debian: apt install graphviz), or pip install graphviz-pure"


def dot(document: ProvDocument) -> str:
    """The document as Graphviz reads it.

    Raises:
        NotInstalled: The extra ``prov`` is missing.
    """
    try:
        from prov.dot import prov_to_dot
    except ImportError:
        raise NotInstalled("pictures need more of the library prov: pip install 'otel-prov[prov]'") from None
    for bundle in (document, *document.bundles):
        _label(bundle)
    drawn = prov_to_dot(document, use_labels=True, show_element_attributes=False, show_relation_attributes=False)
    return str(drawn.to_string())


def svg(document: ProvDocument) -> str:
    """The document as a picture.

    Raises:
        NotInstalled: The extra ``prov`` is missing, or Graphviz.
    """
    program = program_to_draw()
    if program is None:
        raise NotInstalled(_NO_GRAPHVIZ)
    try:
        done = subprocess.run(
            [program, "-Tsvg"], input=dot(document).encode(), capture_output=True, check=True, timeout=_PATIENCE
        )
    except subprocess.TimeoutExpired:
        raise NotInstalled(f"Graphviz took more than {_PATIENCE} s; draw fewer sessions at once") from None
    except (OSError, subprocess.CalledProcessError) as error:
        raise NotInstalled(f"Graphviz ({program}) failed: {error}; {_NO_GRAPHVIZ}") from None
    return done.stdout.decode()


def program_to_draw() -> str | None:
    """Graphviz, or the same program from PyPI, which may not be on the path where this environment isn't active."""
    scripts = sysconfig.get_path("scripts")
    return shutil.which("dot") or shutil.which("graphviz-pure") or shutil.which("graphviz-pure", path=scripts)


def _label(bundle: ProvBundle) -> None:
    """Let each element show its name, or the beginning of its text."""
    from prov.model import ProvElement

    for element in bundle.get_records(ProvElement):
        if element.get_attribute("prov:label"):
            continue
        texts = [str(text) for name in ("prov:value", "otelprov:action") for text in element.get_attribute(name)]
        text = re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", "".join(texts[:1])[: 2 * _LONGEST]).strip()
        text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
        element.add_attributes({"prov:label": text or str(element.identifier).partition(":")[2]})
