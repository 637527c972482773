"""Write the README's table of who finds which layout of a session valid PROV, as they find it now.

python scripts/conformance.py           # writes it
python scripts/conformance.py --check   # says whether it is up to date

A checker that can't run here, as ProvToolbox without Java and Maven, leaves its row as it is.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.conformance.checkers import CHECKERS  # noqa: E402
from tests.conformance.layouts import LAYOUTS, SESSION  # noqa: E402
from tests.integration.servers.cache import Missing  # noqa: E402

MARKED = re.compile(r"(?<=<!-- conformance -->\n).*?(?=\n<!-- end of conformance -->)", re.DOTALL)


def table(present: str) -> str:
    """One row for each checker, one column for each layout."""
    known = {line.split("|")[1].strip(): line for line in present.splitlines() if line.startswith("|")}
    rows = [f"| | {' | '.join(LAYOUTS)} |", f"| --- {'| --- ' * len(LAYOUTS)}|"]
    for name, check in CHECKERS.items():
        try:
            rows.append(f"| {name} | {' | '.join(map(cell, check(LAYOUTS.values())))} |")
        except Missing as missing:
            print(f"{name}: not run, {missing}", file=sys.stderr)
            rows += [known[name]] if name in known else []
    return "\n".join(rows)


def cell(problems: list[str]) -> str:
    """That it is valid, or the first thing that is wrong, in short."""
    if not problems:
        return "**valid**"
    problem = re.sub(r"^\w+Exception: |\[[^]]*\]|: \".*", "", problems[0].replace(SESSION.uri, "S"))
    return f"no: {problem.strip()}"


def main() -> int:
    """Write, or check."""
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    written = MARKED.sub(lambda found: table(found[0]), text)
    if "--check" in sys.argv:
        if written != text:
            print("The README's table of conformance is not up to date; run: python scripts/conformance.py")
        return written != text
    readme.write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
