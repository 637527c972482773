"""ProvToolbox, which checks documents against PROV-CONSTRAINTS: the implementation of one of the standard's authors.

Fetched once by Maven, 39 jars of 14 MB, and a small program of ours around it is compiled, since it has no command that
checks. It looks at uniqueness, cycles in the order of events, and types; not at whether times are in order, which no
constraint asks for. Its time grows fast: 1 s for 200 derivations in a chain, half a minute for 1,000.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.integration.servers.cache import BRIEF, Missing, java, maven, once

__all__ = ["ProvToolbox"]

VERSION: Final = "2.2.1"
_SOURCES: Final = Path(__file__).with_name("provtoolbox")
_PATIENCE: Final = 300.0  # seconds, on a machine that is busy


class ProvToolbox:
    """ProvToolbox's validator.

    Raises:
        Missing: There is no Java of 17 or later with a compiler, no Maven, or what it fetches can't be reached.
    """

    def __init__(self) -> None:
        self._java = java()
        self._home = once(f"provtoolbox-{VERSION}", self._make)

    def _make(self, place: Path) -> None:
        maven(
            "-f",
            str(_SOURCES / "pom.xml"),
            "dependency:copy-dependencies",
            "-DincludeScope=runtime",
            f"-DoutputDirectory={place / 'lib'}",
        )
        compiler = str(Path(self._java).with_name("javac")) if os.sep in self._java else "javac"
        source = str(_SOURCES / "ProvValidate.java")
        try:
            subprocess.run(
                [compiler, "-nowarn", "-cp", f"{place / 'lib'}/*", "-d", str(place / "classes"), source],
                check=True,
                capture_output=True,
                text=True,
            )
        except OSError as error:
            raise Missing(
                f"no Java compiler: {error}; install a JDK (Debian: apt install openjdk-17-jdk-headless)"
            ) from None

    def problems(self, documents: Sequence[str]) -> list[list[str]]:
        """What is wrong with each of these documents in PROV-N; nothing with one that is valid. One run of Java."""
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, f"{number}.provn") for number in range(len(documents))]
            for file, document in zip(files, documents, strict=True):
                file.write_text(document, encoding="utf-8")
            path = os.pathsep.join([str(self._home / "classes"), f"{self._home / 'lib'}/*"])
            options = [*BRIEF, "-cp", path]
            done = subprocess.run(
                [self._java, *options, "ProvValidate", *map(str, files)],
                capture_output=True,
                text=True,
                timeout=_PATIENCE,
            )
        found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        assert len(found) == len(documents), done.stderr
        return [each["problems"] + ([each["error"]] if "error" in each else []) for each in found]
