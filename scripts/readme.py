"""Write the README's table of variables from their docstrings.

python scripts/readme.py           # writes it
python scripts/readme.py --check   # says whether it is up to date
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[1]
MARKED = re.compile(r"(?<=<!-- variables -->\n).*?(?=\n<!-- end of variables -->)", re.DOTALL)


def variables() -> Iterator[tuple[str, str]]:
    """Name and docstring of each variable, in the order of their definition."""
    body = ast.parse((ROOT / "otel_prov" / "environment.py").read_text()).body
    for definition, docstring in pairwise(body):
        match definition, docstring:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                if name.startswith("OTEL_"):
                    yield name, text


def table() -> str:
    """One row for each variable: its name, its default, and what it means."""
    rows = ["| variable | default | meaning |", "| --- | --- | --- |"]
    for name, docstring in variables():
        meaning, _, default = docstring.partition("\n\nDefault: ")
        text = " ".join(meaning.replace("``", "`").split())
        rows.append(f"| `{name}` | {' '.join(default.replace('``', '`').split())} | {text} |")
    return "\n".join(rows)


def main() -> int:
    """Write, or check."""
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    written = MARKED.sub(lambda _: table(), text)
    if "--check" in sys.argv:
        if written != text:
            print("The README's table of variables is not up to date; run: python scripts/readme.py")
        return written != text
    readme.write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
