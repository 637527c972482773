"""Where the software of the servers is kept, and how it gets there."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

__all__ = ["BRIEF", "Missing", "folder", "java", "maven", "once", "sha256"]


BRIEF: Final = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
"""Options of Java for a program that doesn't run for long: up after half of the work, but never as fast."""


class Missing(Exception):
    """A server can't be started here; says what is missing, and how to get it."""


def folder() -> Path:
    """``OTEL_PROV_CACHE``, or ``.cache`` in the checkout, which ``make clean`` empties."""
    given = os.environ.get("OTEL_PROV_CACHE")
    path = Path(given).resolve() if given else Path(__file__).resolve().parents[3] / ".cache"
    path.mkdir(parents=True, exist_ok=True)
    return path


def once(name: str, make: Callable[[Path], None]) -> Path:
    """The folder of that name in the cache; ``make`` fills it if it isn't there. Two that ask at once make it once."""
    place = folder() / name
    with open(folder() / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.is_dir():
            half = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=folder()))
            try:
                make(half)
                half.chmod(0o755)
                half.rename(place)
            finally:
                shutil.rmtree(half, ignore_errors=True)
    return place


def java() -> str:
    """The Java program.

    Raises:
        Missing: There is none, or it is older than 17.
    """
    home = os.environ.get("JAVA_HOME")
    program = os.path.join(home, "bin", "java") if home else "java"
    advice = "install Java 17 or later (Debian: apt install openjdk-17-jre-headless)"
    try:
        done = subprocess.run([program, "-XshowSettings:properties", "-version"], capture_output=True, text=True)
    except OSError as error:
        raise Missing(f"no Java: {error}; {advice}") from None
    found = re.search(r"java\.specification\.version = (\S+)", done.stderr)
    version = found[1] if found else ""
    if not version.isdecimal() or int(version) < 17:
        raise Missing(f"Java {version or 'of an unknown version'}; {advice}")
    return program


def maven(*arguments: str) -> None:
    """Run Maven.

    Raises:
        Missing: There is no Maven, or it can't fetch what it should.
    """
    try:
        subprocess.run(["mvn", "-q", "-B", *arguments], check=True, capture_output=True, text=True)
    except OSError as error:
        raise Missing(f"no Maven: {error}; install it (Debian: apt install maven)") from None
    except subprocess.CalledProcessError as error:
        raise Missing(f"Maven could not fetch {arguments[-1]}: {(error.stdout + error.stderr)[-500:]}") from None


def sha256(file: Path) -> str:
    """The checksum of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while block := content.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
