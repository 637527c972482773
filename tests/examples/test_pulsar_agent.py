"""The example over Pulsar, where there is none; with a real broker it is run in tests/integration/test_context.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.examples.conftest import Reader


def test_without_pulsars_client_it_says_what_to_install(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "pulsar.py").write_text("raise ImportError")
    reader.settings = {"PYTHONPATH": str(tmp_path)}
    done = reader.run("pulsar_agent.py", "pulsar://localhost:6650")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "pulsar-client is not installed; pip install pulsar-client\n"


def test_without_a_broker_named_it_says_how_it_is_used(reader: Reader) -> None:
    pytest.importorskip("pulsar", reason="not installed; pip install pulsar-client")
    done = reader.run("pulsar_agent.py")
    assert done.returncode == 1
    assert done.stderr.startswith("Usage: python ")
    assert done.stderr.endswith("pulsar_agent.py pulsar://HOST:PORT [QUESTION ...]\n")
