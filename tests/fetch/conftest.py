"""A gateway that the command reads from, and a local store beside it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import Result

from tests.command import invoke

if TYPE_CHECKING:
    from .gateway import GatewayOfTests


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of the test's own, none of the caller's settings, and no proxy on the way."""
    for name in list(os.environ):
        if name.startswith(("OTEL_", "TRUSTGRAPH_", "FORCE_COLOR", "NO_COLOR")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("OTEL_EXPORTER_PROV_STORE", str(tmp_path / "store"))
    return tmp_path / "store"


@pytest.fixture
def gateway() -> Iterator[GatewayOfTests]:
    """A gateway, which a test fills."""
    from .gateway import GatewayOfTests, serving

    gateway = GatewayOfTests()
    with serving(gateway.talk) as gateway.url:
        yield gateway


@pytest.fixture
def call() -> Callable[..., Result]:
    """Call the command in this process."""

    def call(*arguments: object, expect: int = 0) -> Result:
        result = invoke(*arguments)
        assert result.exit_code == expect, result.output
        return result

    return call
