"""What may be imported where: `lint-imports` checks the order of the rooms, these what a user's process loads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "otel_prov"


def loaded_by(*modules: str) -> set[str]:
    """All modules that are loaded when these are imported in a fresh interpreter."""
    program = f"import sys, {', '.join(modules)}; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def modules_of(room: str) -> list[str]:
    path = PACKAGE / room
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
    names = (file.relative_to(PACKAGE.parent).with_suffix("").as_posix().replace("/", ".") for file in files)
    return [name.removesuffix(".__init__") for name in names if not name.endswith("__main__")]


def test_importing_the_library_needs_opentelemetrys_api_and_the_standard_library_alone() -> None:
    loaded = loaded_by("otel_prov") - loaded_by("opentelemetry.trace", "json", "contextvars")
    ours = {name for name in loaded if name.startswith("otel_prov")}
    assert {name.split(".")[0] for name in loaded - ours} <= sys.stdlib_module_names
    assert not {name for name in ours if name.split(".")[1:2] not in ([], ["instrument"], ["names"], ["losses"], ["environment"], ["uris"])}  # fmt: skip  # noqa: E501


@pytest.mark.parametrize("room", ["instrument", "names", "uris", "losses", "environment", "checks", "steps", "read", "keep", "describe", "deliver", "fetch", "show"])  # fmt: skip  # noqa: E501
def test_only_record_loads_opentelemetrys_sdk(room: str) -> None:
    loaded = loaded_by(*modules_of(room))
    assert not {name for name in loaded if name.startswith("opentelemetry.sdk")}
    assert not {name for name in loaded if name.split(".")[0] in ("pulsar", "rdflib", "pyoxigraph")}
