"""``otel-prov doctor``: whether the set-up works, in one line each, with the remedy where it doesn't."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from otel_prov.checks.check import Check, bad, good
from otel_prov.environment import (
    OTEL_EXPORTER_PROV_ENDPOINT,
    OTEL_EXPORTER_PROV_TRACE_URL,
    OTEL_EXPORTER_PROV_WORKER,
    flag,
)
from otel_prov.keep import Store, StoreError
from otel_prov.show.escape import json_text, one_line
from otel_prov.show.links import JAEGER, makes_sense

if TYPE_CHECKING:
    from otel_prov.deliver.destination import Destination, Examined
    from otel_prov.deliver.endpoints import Endpoint

__all__ = ["doctor"]

_LONGEST = 60.0  # seconds that looking at one endpoint may take


@click.command()
@click.option("--json", "as_json", is_flag=True, help="A JSON array instead of text.")
@click.pass_obj
def doctor(folder: Path, /, as_json: bool) -> None:
    """Tell whether the set-up works, and what to do where it doesn't.

    Run it where your agent runs, with the same variables. Inside of the agent, otel_prov.doctor() tells of its tracer
    provider, too.
    """
    checks = []
    for check in _checks(folder):
        checks.append(check)
        if not as_json:
            click.echo(check.mark + one_line(str(check)))
    if as_json:
        click.echo(json_text([asdict(check) for check in checks]).encode())
    if not all(check.ok for check in checks):
        sys.exit(1)


def _checks(folder: Path) -> Iterator[Check]:
    from otel_prov.checks import setup
    from otel_prov.checks.otlp import otlp

    yield from setup.packages()
    yield from setup.variables()
    yield from _trace_url()
    yield from setup.exporters()
    yield from setup.sampling()
    yield from setup.writable(folder)
    yield from _delivery(folder)
    yield from otlp()


def _trace_url() -> Iterator[Check]:
    value = os.environ.get(OTEL_EXPORTER_PROV_TRACE_URL, "").strip()
    if not makes_sense(value):
        yield bad(OTEL_EXPORTER_PROV_TRACE_URL, "no URL with {trace_id} in it", f"write it like {JAEGER}")


def _delivery(folder: Path) -> Iterator[Check]:
    """The store's database, the endpoints, and the worker between them."""
    from otel_prov.checks.setup import without_secrets
    from otel_prov.deliver.endpoints import configured

    try:
        endpoints = configured()
    except ValueError as error:
        yield bad("endpoint", without_secrets(str(error)))
        endpoints = []
    try:
        with Store(folder) as store:
            yield _worker(folder, store, endpoints)
    except StoreError as error:
        yield bad("store", error)
    for endpoint in endpoints:
        yield from _endpoint(endpoint)


def _worker(folder: Path, store: Store, endpoints: list[Endpoint]) -> Check:
    from otel_prov.deliver.alone import other

    process = other(folder)
    waiting = sum(store.outbox.delivery(endpoint.identity).pending for endpoint in endpoints)
    if process is not None:
        return good("worker", f"running, process {process}; {waiting:,} steps wait")
    if not endpoints:
        return good("worker", f"not needed, as {OTEL_EXPORTER_PROV_ENDPOINT} names no endpoint")
    if not waiting and not store.outbox.waiting_bytes() and flag(OTEL_EXPORTER_PROV_WORKER, True):
        return good("worker", "not running, as nothing waits; an agent starts it")
    return bad("worker", f"not running; run 'otel-prov deliver', and see {folder / 'worker.log'}")


def _endpoint(endpoint: Endpoint) -> Iterator[Check]:
    from otel_prov.deliver.destination import Examined
    from otel_prov.deliver.endpoints import open_destination

    subject = f"endpoint {endpoint.identity}"
    try:
        destination = open_destination(endpoint, "doctor")
    except ValueError as error:
        yield bad(subject, error)
        return
    try:
        yield _reached(subject, destination)
        if isinstance(destination, Examined):
            yield from _examined(subject, destination)
    finally:
        destination.close()


def _reached(subject: str, destination: Destination) -> Check:
    from otel_prov.checks.reach import within
    from otel_prov.deliver.destination import Checked, Unreachable

    if not isinstance(destination, Checked):
        return good(subject, "understood; it can only be tried by sending")
    try:
        within(_LONGEST, destination.check)
    except (Unreachable, TimeoutError) as error:
        return bad(subject, error, "" if "; " in str(error) else "see that it runs, and lets this machine in")
    return good(subject, "reached, and lets us in")


def _examined(subject: str, destination: Examined) -> list[Check]:
    from otel_prov.checks.reach import within

    found: list[Check] = []
    try:
        within(_LONGEST, lambda: found.extend(destination.examine()))
    except TimeoutError as error:
        found.append(bad(subject, error, "see that all of it runs"))
    return found
