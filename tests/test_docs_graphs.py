"""What docs/graphs.md says is what happens."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from otel_prov import names
from otel_prov.describe.vocabulary import DETECTED_USE, OTEL_PROV
from otel_prov.environment import OTEL_EXPORTER_PROV_DETECT_USES
from otel_prov.instrument import detection
from tests.test_readme import ROOT, run

PAGE = (ROOT / "docs" / "graphs.md").read_text(encoding="utf-8")


def test_the_program_shows_what_the_page_shows(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert run([sys.executable, "-c", code], tmp_path) == "A bearing ran hot.\n"
    shown = run(["otel-prov", "show", "latest"], tmp_path)
    (promised,) = re.findall(r"```\n(Iteration 3\n.*?)```", PAGE, re.DOTALL)
    assert promised in shown
    assert shown.count("Detected use") == 1


def test_names_and_numbers_are_those_of_the_code() -> None:
    for name in (names.ITERATION_USES, names.ITERATION_USES_DETECTED, OTEL_EXPORTER_PROV_DETECT_USES):
        assert f"`{name}" in PAGE
    assert f"`{DETECTED_USE.replace(OTEL_PROV, 'otelprov:')}`" in PAGE
    assert (detection.QUOTATION, detection.QUOTATION + detection.STEP - 1) == (40, 49)
    assert detection.LONGEST == 200_000
    assert 2 * detection.MOST * detection.STEP == 1_000_000
