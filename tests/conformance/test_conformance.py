"""The PROV view is valid PROV for others, too; the README's table says so, and what they say of the other layouts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from otel_prov.describe import describe_prov
from tests.conformance.checkers import owl_rl, prov_library, shacl, validator
from tests.conformance.sessions import RECORDINGS, ROOT, demo, recorded
from tests.conftest import Program

pytest.importorskip("owlrl")
pytest.importorskip("prov")
pytest.importorskip("pyshacl")


def test_the_table_in_the_readme_is_what_checkers_say() -> None:
    command = [sys.executable, ROOT / "scripts" / "conformance.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, env={"PATH": ""}, check=False)  # finds no Java
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_session_of_the_demo_contradicts_prov_o_or_the_library(tmp_path: Path) -> None:
    graphs = [describe_prov(session) for session in demo(tmp_path)]
    assert len(graphs) == 8
    assert not any(prov_library(graphs))
    assert not any(validator(graphs))
    longest = [max(graphs, key=len)]  # these take a second or two
    assert not any(owl_rl(longest))
    assert not any(shacl(longest))


@pytest.mark.skipif(not RECORDINGS.exists(), reason=f"no recorded sessions in {RECORDINGS.parent}")
def test_the_library_reads_and_unifies_recorded_sessions(program: Program) -> None:
    sessions = recorded(program.store, longest=100, every=60)
    assert len(sessions) == 12
    assert not any(prov_library(map(describe_prov, sessions)))
