"""The examples, run as a reader runs them: as programs, each with a store of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from otel_prov.keep import Store
from otel_prov.steps import Session
from tests.examples.endpoint import Endpoint

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMAND = Path(sysconfig.get_path("scripts")) / "otel-prov"


@dataclass
class Reader:
    """Somebody who runs the examples, then looks at what they did."""

    store: Path
    settings: dict[str, str] = field(default_factory=dict)

    def run(self, example: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run an example."""
        return self._call(sys.executable, str(EXAMPLES / example), *arguments)

    def look(self, *arguments: str) -> Any:
        """What the command ``otel-prov`` says, as JSON."""
        done = self._call(str(COMMAND), *arguments)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def sessions(self) -> list[Any]:
        """Every session, the oldest first."""
        return [self.look("show", listed["uri"], "--format", "json") for listed in self.look("list", "--json")[::-1]]

    def kept(self) -> list[Session]:
        """Every session, the oldest first, as the store has it."""
        with Store(self.store) as store:
            store.take_in()
            found = [store.session(listed.uri) for listed in store.sessions()]
        return [session for session in found[::-1] if session is not None]

    def _call(self, *command: str) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "OTEL_"))}
        environment |= {"OTEL_EXPORTER_PROV_STORE": str(self.store), "NO_PROXY": "127.0.0.1", "PYTHONUTF8": "1"}
        environment |= self.settings
        return subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", timeout=60, check=False)


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    """A reader with an empty store."""
    return Reader(tmp_path / "store")


@pytest.fixture
def endpoint(reader: Reader) -> Iterator[Endpoint]:
    """A stand-in for an OpenAI-compatible endpoint, which the reader has set."""
    with Endpoint() as endpoint:
        reader.settings = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "none", "OPENAI_MODEL": "stand-in"}
        yield endpoint


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> dict[str, Callable[..., Any]]:
    """The tools that both examples act with."""
    monkeypatch.syspath_prepend(EXAMPLES)
    from environment_tools import TOOLS

    return TOOLS
