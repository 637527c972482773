"""Stores to test with."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from otel_prov.keep import Store
from otel_prov.record.journal import Journal


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path) as store:
        yield store


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """Written by this process, which lives."""
    journal = Journal(tmp_path)
    yield journal
    journal.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of 4 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount(folder, "-t", "tmpfs", "-o", "size=4m", "tmpfs")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)  # lazily: a test that fails may have left a file open


def mount(folder: Path, *options: str) -> None:
    if sys.platform != "linux":
        pytest.skip("mounts a file system, as Linux does")
    done = subprocess.run(["mount", *options, folder], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"may not mount a file system here: {done.stderr.strip()}")
