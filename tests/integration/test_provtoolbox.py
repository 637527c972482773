"""ProvToolbox finds the PROV view valid, and none of the other layouts."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from otel_prov.describe.prov.documents import write_prov
from otel_prov.steps import Session
from tests.conformance import checkers
from tests.conformance.layouts import LAYOUTS
from tests.conformance.sessions import RECORDINGS, ROOT, demo, recorded
from tests.conftest import Program, program  # noqa: F401
from tests.describe.prov.test_view import LOOPS
from tests.integration.servers.provtoolbox import ProvToolbox

pytestmark = pytest.mark.integration


def provn(*sessions: Session) -> str:
    out = io.BytesIO()
    write_prov(sessions, "provn", out)
    return out.getvalue().decode()


def test_sessions_of_the_demo_are_valid_alone_and_together(prov_toolbox: ProvToolbox, tmp_path: Path) -> None:
    sessions = demo(tmp_path)
    documents = [provn(session) for session in sessions]
    assert prov_toolbox.problems([*documents, provn(*sessions)]) == [[]] * 9


def test_sessions_are_valid_whatever_became_of_them(prov_toolbox: ProvToolbox, program: Program) -> None:  # noqa: F811
    for loop in LOOPS:
        loop()
    assert prov_toolbox.problems([provn(session) for session in program.sessions]) == [[]] * len(LOOPS)


@pytest.mark.skipif(not RECORDINGS.exists(), reason=f"no recorded sessions in {RECORDINGS.parent}")
def test_recorded_sessions_are_valid(prov_toolbox: ProvToolbox, program: Program) -> None:  # noqa: F811
    sessions = recorded(program.store, longest=6, every=20)
    assert sessions
    assert prov_toolbox.problems([provn(session) for session in sessions]) == [[]] * len(sessions)


def test_it_rejects_every_other_layout(prov_toolbox: ProvToolbox) -> None:
    found = dict(zip(LAYOUTS, checkers.prov_toolbox(LAYOUTS.values()), strict=True))
    assert found.pop("the PROV view") == []
    assert all("type overlap" in problems[0] for problems in found.values())


def test_the_table_in_the_readme_has_what_it_says(prov_toolbox: ProvToolbox) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "conformance.py", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "not run" not in done.stderr
