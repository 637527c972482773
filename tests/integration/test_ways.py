"""The four ways in of docs/ways.md, each as written there, in a fresh virtual environment with what it names."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from otel_prov.read import Span, parse_line
from otel_prov.record.journal import files

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a shell"),
]

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "ways.md").read_text(encoding="utf-8")
WAYS: Final = {
    mark: (packages.split(), commands)
    for mark, packages, commands in re.findall(r"<!-- way: (\S+) -->\n```sh\npip install (.*)\n([^`]+)```", PAGE)
}
LONGEST: Final = 300.0  # seconds that anything may take, on a machine that is busy
_AWAY: Final = re.compile(r"connection broken by|Failed to establish a new connection|Temporary failure in name")
_OF_NO_USE: Final = "ignoring configurator kwargs: ['auto_instrumentation_version']"  # opentelemetry-instrument's own


@dataclass
class Told:
    """What one way has left behind."""

    output: str
    records: list[Span]
    """In the journals, before anybody takes them in."""
    service: str
    quads: frozenset[str]
    """In the store, without what differs between any two runs."""


def pip(*arguments: object) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
    if done.returncode and _AWAY.search(done.stderr):
        pytest.skip("PyPI can't be reached, and these tests make fresh virtual environments")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, as it is installed from PyPI."""
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT)
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def environments(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> dict[tuple[str, ...], Path]:
    """For each set of packages that the page names, a virtual environment that has no others."""
    folder = tmp_path_factory.mktemp("environments")

    def make(packages: tuple[str, ...]) -> Path:
        place = folder / "-".join(packages)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True, timeout=LONGEST)
        wanted = [wheel if package == "otel-prov" else package for package in packages]
        pip("--python", place / "bin" / "python", "install", "--quiet", "--no-compile", *wanted)
        return place

    sets = sorted({tuple(packages) for packages, _ in WAYS.values()})
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(sets, pool.map(make, sets), strict=True))


def run(place: Path, folder: Path, commands: str) -> Told:
    """Run commands in the folder of the examples, with that environment active and a store of their own."""
    shutil.copytree(ROOT / "examples" / "ways", folder)
    store = folder / "store"
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "PYTHON"))}
    environment = {
        **clean,
        "OTEL_EXPORTER_PROV_STORE": str(store),
        "PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}",
    }

    def shell(commands: str) -> str:
        done = subprocess.run(
            ["sh", "-ec", commands], cwd=folder, env=environment, capture_output=True, text=True, timeout=LONGEST
        )
        said = [line for line in done.stderr.splitlines() if not line.endswith(_OF_NO_USE)]
        assert (done.returncode, said) == (0, []), done.stderr
        return done.stdout

    output = shell(commands)
    lines = [line for file in files(store) for line in file.read_bytes().splitlines()]
    shell("otel-prov export -o sessions.nq")
    quads = frozenset(without_ids((folder / "sessions.nq").read_text("utf-8")).splitlines())
    return Told(output, [span for line in lines for span in parse_line(line)], service(lines[0]), quads)


def service(line: bytes) -> str:
    """What the resource of a record is called."""
    attributes = json.loads(line)["resourceSpans"][0]["resource"]["attributes"]
    (name,) = [pair["value"]["stringValue"] for pair in attributes if pair["key"] == "service.name"]
    return str(name)


def without_ids(nquads: str) -> str:
    """What is left when ids and times are taken out."""
    uuids = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "ID", nquads)
    untimed = re.sub(r"\d{4}-\d\d-\d\dT[0-9:.]+(Z|\+00:00)", "TIME", re.sub(r'(DurationMs>) "\d+"', r"\1 TIME", uuids))
    return re.sub(r"\b[0-9a-f]{32}\b|\b[0-9a-f]{16}\b", "ID", untimed)


@pytest.fixture(scope="module")
def told(environments: dict[tuple[str, ...], Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    """What each way of the page has left behind, and one more."""
    folder = tmp_path_factory.mktemp("ways")
    found = {
        mark: run(environments[tuple(packages)], folder / mark, commands) for mark, (packages, commands) in WAYS.items()
    }
    with_file = environments[tuple(WAYS["otel.yaml"][0])]
    found["otel.yaml, install()"] = run(with_file, folder / "both", "OTEL_CONFIG_FILE=otel.yaml python installed.py")
    return found


def test_the_page_has_four_ways() -> None:
    assert list(WAYS) == ["agent.py", "installed.py", "own_provider.py", "otel.yaml"]
    assert set(WAYS) <= {path.name for path in (ROOT / "examples" / "ways").iterdir()}


def test_the_store_holds_the_same_session_whichever_way_it_was_recorded(told: dict[str, Told]) -> None:
    first, *others = told.values()
    assert len(first.quads) > 30
    assert any("Which pump needs oil?" in quad for quad in first.quads)
    assert any("The south pump." in quad for quad in first.quads)
    for other in others:
        assert other.quads == first.quads


def test_each_way_sees_what_runs_and_writes_what_has_ended_once(told: dict[str, Told]) -> None:
    for way, each in told.items():
        ended = Counter(span.span_id for span in each.records if span.end)
        assert sorted(ended.values()) == [1] * 5, f"{way}: session, two iterations, two tool calls, each once"
        running = sorted(span.name for span in each.records if not span.end)
        assert running == ["execute_tool oil_level", "execute_tool oil_level", "invoke_agent pump-keeper"], way


def test_what_the_program_had_before_still_gets_its_spans(told: dict[str, Told]) -> None:
    assert told["own_provider.py"].output.count('"name":') == 5
    assert all(each.output.endswith("The south pump.\n") for each in told.values())


def test_the_service_is_called_as_the_program_or_the_file_says(told: dict[str, Told]) -> None:
    for way in ("own_provider.py", "otel.yaml", "otel.yaml, install()"):
        assert told[way].service == "pump-station"
