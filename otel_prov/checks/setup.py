"""What is installed, what the variables say, and whether sessions can be recorded with that."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, entry_points, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from otel_prov import environment, retention
from otel_prov.checks.check import Check, bad, good
from otel_prov.checks.spelling import misspelled
from otel_prov.environment import CONFIG_FILE, FLAGS, PROV, config_file, exporter_names, otlp_protocol

__all__ = ["exporters", "packages", "sampling", "variables", "without_secrets", "writable"]

_PACKAGES: Final = (
    "otel-prov",
    "otel-prov-exporter-pulsar",
    "pulsar-client",
    "otel-prov-exporter-sparql",
    "opentelemetry-api",
    "opentelemetry-sdk",
    "opentelemetry-exporter-otlp-proto-grpc",
    "opentelemetry-exporter-otlp-proto-http",
    "opentelemetry-distro",
)
_OURS: Final = "OTEL_EXPORTER_PROV_"
_FLAGS: Final = (
    environment.OTEL_EXPORTER_PROV_CAPTURE_CONTENT,
    environment.OTEL_EXPORTER_PROV_DETECT_USES,
    environment.OTEL_EXPORTER_PROV_WORKER,
    environment.OTEL_EXPORTER_PROV_LEAN,
)
_ALSO: Final = re.compile(r"OTEL_(TRACES_(EXPORTER|SAMPLER|SAMPLER_ARG)|SERVICE_NAME|SDK_DISABLED|EXPORTER_OTLP_\w+)")
_SECRET: Final = re.compile(r"TOKEN|HEADERS|KEY|PASSWORD|SECRET")
_IN_URL: Final = re.compile(
    r"[^/@\s,'\"]+@|(?<=[?&])[^=&\s]*(auth|key|password|secret|token)[^=&\s]*=[^&\s]*", re.IGNORECASE
)
_SAMPLER: Final = "prov_parentbased_traceidratio"


def packages() -> Iterator[Check]:
    """Which of the packages that matter are here."""
    found = [f"Python {platform.python_version()}"]
    for name in _PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    yield good("packages", ", ".join(found))


def variables() -> Iterator[Check]:
    """What is set, as it is understood; secrets are not shown."""
    wrong = misspelled()
    for name in sorted(os.environ):
        value = os.environ[name].strip()
        if name in wrong:
            remedy = f"set {wrong[name]} instead" if wrong[name] else "see the table in README.md"
            yield bad(name, "no variable of otel-prov, so nobody reads it", remedy)
        elif name in _FLAGS and value and value.lower() not in FLAGS:
            yield bad(name, f"{value!r} is neither true nor false, and taken for false", "write true or false")
        elif name == environment.OTEL_EXPORTER_PROV_RETENTION and value and not _is_retention(value):
            yield bad(name, f"{value!r} is no age and no size, so nothing is removed", "write it like 30d or 10GiB")
        elif value and (name.startswith(_OURS) or _ALSO.fullmatch(name)):
            yield good(name, _shown(name, value))


def _is_retention(value: str) -> bool:
    try:
        return bool(retention.read(value))
    except ValueError:
        return False


def _shown(name: str, value: str) -> str:
    if _SECRET.search(name) and not name.endswith("_FILE"):
        return "set, not shown"
    return str(FLAGS[value.lower()]).lower() if name in _FLAGS else without_secrets(value)


def without_secrets(text: str) -> str:
    """A text without what may be a secret in the URLs in it."""
    return _IN_URL.sub("***", text)


def exporters() -> Iterator[Check]:
    """Whether ``OTEL_TRACES_EXPORTER`` names ours, and whether all that it names are installed."""
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        yield bad("OTEL_SDK_DISABLED", "true, so nothing is traced", "unset it")
    if file := config_file():
        yield _configured(file)
        return
    names = exporter_names()
    if PROV not in names:
        found = f"{','.join(names)} does not name prov, so no session is recorded"
        yield bad("OTEL_TRACES_EXPORTER", found, f"set it to {','.join([*(n for n in names if n != 'none'), PROV])}")
    elif not os.environ.get("OTEL_TRACES_EXPORTER", "").strip():
        found = "not set, which install() takes for prov and opentelemetry-instrument for otlp"
        yield good("OTEL_TRACES_EXPORTER", found)
    for name in names:
        if name != "none":
            yield _exporter(name)


def _configured(file: str) -> Check:
    """What can be told of a configuration file without doing what it says."""
    if not _is_there("opentelemetry.configuration"):
        return bad(CONFIG_FILE, "the package that reads it is not installed", "pip install opentelemetry-configuration")
    try:
        text = Path(file).read_text("utf-8")
    except (OSError, UnicodeError) as error:
        return bad(CONFIG_FILE, f"{file} can't be read ({error})", "name a file that can, or unset it")
    if not re.search(rf"^[^#]*\b{PROV}\s*:", text, re.MULTILINE):
        found = f"{file} does not name the exporter prov, so no session is recorded"
        return bad(CONFIG_FILE, found, "add it, as docs/ways.md has it")
    return good(CONFIG_FILE, f"{file} names the exporter prov; it decides, and variables about exporters do not")


def _exporter(name: str) -> Check:
    subject = f"exporter {name}"
    full = f"otlp_proto_{otlp_protocol(name)}" if name == "otlp" else name
    for entry in entry_points(group="opentelemetry_traces_exporter", name=full):
        if _is_there(entry.module):
            return good(subject, f"found, {entry.value}")
    package = {"prov": "otel-prov", "otlp": "opentelemetry-exporter-otlp"}.get(full.partition("_")[0])
    remedy = f"pip install {package}" if package else "install the package that brings it, or leave it out"
    return bad(subject, "not installed", remedy)


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def sampling() -> Iterator[Check]:
    """Whether the sampler that ``OTEL_TRACES_SAMPLER`` names drops sessions from the graph."""
    if config_file() or not (name := os.environ.get("OTEL_TRACES_SAMPLER", "").strip()):
        return
    argument = os.environ.get("OTEL_TRACES_SAMPLER_ARG", "").strip()
    remedy = f"set OTEL_TRACES_SAMPLER={_SAMPLER}, which drops none for the graph"
    ratio = _ratio(argument)
    if not list(entry_points(group="opentelemetry_traces_sampler", name=name)):
        yield bad("sampling", f"there is no sampler {name!r}", remedy)
    elif name.endswith("traceidratio") and ratio is None:
        yield bad("sampling", f"{argument!r} is no number from 0 to 1", "set OTEL_TRACES_SAMPLER_ARG to one")
    elif name.endswith("always_off") or (name != _SAMPLER and name.endswith("traceidratio") and ratio != 1):
        yield bad("sampling", f"{name} drops sessions, for the graph too", remedy)
    else:
        yield good("sampling", f"{name} drops no session for the graph")


def _ratio(argument: str) -> float | None:
    try:
        ratio = float(argument or 1)
    except ValueError:
        return None
    return ratio if 0 <= ratio <= 1 else None


def writable(store: Path) -> Iterator[Check]:
    """Whether sessions can be recorded in a store's folder."""
    journal = store / "journal"
    try:
        journal.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=journal) as file:
            file.write(b"\n")
            file.flush()
    except OSError as error:
        remedy = f"make it writable, or set {environment.OTEL_EXPORTER_PROV_STORE} to another folder"
        yield bad("store", f"{journal} can't be written ({error.strerror or error})", remedy)
    else:
        yield good("store", f"{store} can be written")
