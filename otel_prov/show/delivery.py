"""The commands about sending: ``otel-prov deliver``, ``status`` and ``quarantine``."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otel_prov import retention
from otel_prov.describe import SHAPES, VIEWS
from otel_prov.environment import OTEL_EXPORTER_PROV_ENDPOINT
from otel_prov.keep import Delivery, Quarantined, Store, StoreError
from otel_prov.show.escape import json_text, one_line
from otel_prov.show.page import console
from otel_prov.show.reading import count
from otel_prov.show.times import iso, lasted, local

if TYPE_CHECKING:
    from otel_prov.deliver.endpoints import Endpoint

__all__ = ["deliver", "destinations", "quarantine", "status"]

# otel_prov.deliver is imported where it is needed: other commands shall not wait for it.


@click.command()
@click.option("--to", "urls", multiple=True, metavar="URL", help=f"Where to, if not {OTEL_EXPORTER_PROV_ENDPOINT}.")
@click.option("--once", is_flag=True, help="Send what is there, and end; with exit code 1 if something is left.")
@click.option("--shape", type=click.Choice(SHAPES), help="Shape of the triples.  [default: OTEL_EXPORTER_PROV_SHAPE]")
@click.option("--view", type=click.Choice(VIEWS), help="Which view.  [default: OTEL_EXPORTER_PROV_VIEW]")
@click.pass_obj
def deliver(folder: Path, /, urls: Sequence[str], once: bool, shape: str | None, view: str | None) -> None:
    """Send what is recorded to TrustGraph, or elsewhere.

    Runs until Ctrl-C or SIGTERM, and finishes what it is sending. Sends what was recorded in this store; for imported
    sessions there is 'otel-prov export'.
    """
    from otel_prov.deliver.alone import alone, other, wait_for_other
    from otel_prov.deliver.worker import Worker

    endpoints = _endpoints(urls, shape, view)
    if not endpoints:
        raise click.UsageError(f"Say where to: set {OTEL_EXPORTER_PROV_ENDPOINT}=pulsar://broker:6650, or give --to.")
    left: list[str] | None = None
    with _troubles():
        while left is None:
            with alone(folder) as ours, _progress(folder, endpoints if ours else ()) as told:
                if ours:
                    worker = Worker(folder, endpoints, once=once, retention=retention.configured(), told=told)
                    left = worker.run()
                    left = [] if worker.stopped else left
                elif once:
                    left = wait_for_other(folder, [endpoint.identity for endpoint in endpoints])
                else:
                    left = [f"process {other(folder)} delivers from {folder} already; see 'otel-prov status'"]
    if left:
        raise click.ClickException("; ".join(left))


@click.command()
@click.option("--json", "as_json", is_flag=True, help="A JSON object instead of text.")
@click.pass_obj
def status(folder: Path, /, as_json: bool) -> None:
    """Show what was sent where, and what waits."""
    from otel_prov.deliver.alone import other

    named = _named_endpoints()
    with _troubles(), Store(folder) as store:
        every = dict.fromkeys([*named, *store.outbox.destinations()])
        deliveries = [store.outbox.delivery(destination) for destination in every]
        journals = store.outbox.waiting_bytes()
        held, bad_lines = store.outbox.held(), store.bad_lines()
    worker = other(folder)
    if as_json:
        document = {
            "worker": worker,
            "journals": {"files": len(journals), "bytes": sum(journals.values())},
            "held": held,
            "bad_lines": bad_lines,
            "destinations": [{**asdict(each), "last_error_time": iso(each.last_error_time)} for each in deliveries],
        }
        click.echo(json_text(document).encode())
        return
    waiting = f"{sum(journals.values()):,} bytes in {count(len(journals), 'file')}" if journals else "none"
    _print("Worker", "not running" if worker is None else f"running, process {worker}")
    _print("Journals", f"{waiting} to take in")
    _print("Held", f"{count(held, 'step')} that may still be taken back")
    _print("Bad lines", f"{bad_lines:,}")
    for delivery in deliveries:
        click.echo()
        _print_delivery(delivery)
    if not deliveries:
        click.echo(
            f"\nNothing is sent anywhere; set {OTEL_EXPORTER_PROV_ENDPOINT}, or run 'otel-prov deliver --to URL'."
        )


def destinations(store: Store) -> list[str]:
    """Where the store's sessions are sent: to the endpoints that are set, else wherever something was sent before."""
    return _named_endpoints() or store.outbox.destinations()


def _named_endpoints() -> list[str]:
    return [endpoint.identity for endpoint in _endpoints(())]


def _print_delivery(delivery: Delivery) -> None:
    click.echo(one_line(delivery.destination))
    behind = f", the oldest for {lasted(delivery.lag)}" if delivery.lag is not None else ""
    _print("  Pending", f"{delivery.pending:,}{behind}")
    _print("  Sent", f"{delivery.sent:,}")
    _print("  Failed", f"{sum(delivery.failed.values()):,}")
    for reason, number in delivery.failed.items():
        _print("", f"{number:,} x {one_line(reason)}")
    listed = "; see 'otel-prov quarantine show'" if delivery.quarantined else ""
    _print("  Quarantined", f"{delivery.quarantined:,}{listed}")
    if delivery.last_error is not None:
        _print("  Last error", f"{local(delivery.last_error_time)} {one_line(delivery.last_error)}")


@click.group()
def quarantine() -> None:
    """Show, retry or drop steps that a destination has refused."""


@quarantine.command("show")
@click.argument("ids", metavar="[ID]...", nargs=-1, type=int)
@click.option("--json", "as_json", is_flag=True, help="A JSON array instead of text.")
@click.pass_obj
def show_(folder: Path, /, ids: Sequence[int], as_json: bool) -> None:
    """Show refused steps, all or some."""
    with _troubles(), Store(folder) as store:
        found = _named(store, ids, bool(not ids))
    if as_json:
        click.echo(json_text([_document(each) for each in found]).encode())
        return
    for each in found:
        click.echo(f"{each.id}  {local(each.refused)}  {one_line(each.destination)}  {count(each.attempts, 'attempt')}")
        _print("  Session", one_line(each.session))
        _print("  Step", _name(each))
        _print("  Refused", one_line(each.reason))


def _choosing(command: Callable[..., None]) -> Callable[..., None]:
    """What ``retry`` and ``drop`` are told."""
    every = click.option("--all", "every", is_flag=True, help="All refused steps.")
    return click.argument("ids", metavar="[ID]...", nargs=-1, type=int)(every(command))


@quarantine.command()
@_choosing
@click.pass_obj
def retry(folder: Path, /, ids: Sequence[int], every: bool) -> None:
    """Send refused steps once more, behind all that waits."""
    with _troubles(), Store(folder) as store:
        number = store.outbox.retry([each.id for each in _named(store, ids, every)])
    click.echo(f"{count(number, 'step')} will be sent again.")


@quarantine.command()
@_choosing
@click.pass_obj
def drop(folder: Path, /, ids: Sequence[int], every: bool) -> None:
    """Give refused steps up. Their sessions stay in the store."""
    with _troubles(), Store(folder) as store:
        number = store.outbox.drop([each.id for each in _named(store, ids, every)])
    click.echo(f"Dropped {count(number, 'step')}.")


def _named(store: Store, ids: Sequence[int], every: bool) -> list[Quarantined]:
    """The refused steps that are meant."""
    if every == bool(ids):
        raise click.UsageError("Name steps by their ID, or all of them with --all.")
    found = {each.id: each for each in store.outbox.quarantined()}
    if missing := [str(id) for id in ids if id not in found]:
        raise click.ClickException(f"no refused step {', '.join(missing)}; 'otel-prov quarantine show' lists them")
    return list(found.values()) if every else [found[id] for id in dict.fromkeys(ids)]


def _document(each: Quarantined) -> dict[str, Any]:
    return {**asdict(each), "step": _name(each), "refused": iso(each.refused)}


def _name(each: Quarantined) -> str:
    number = getattr(each.step, "number", None)
    return type(each.step).__name__ + (f" {number}" if number else "")


def _endpoints(urls: Sequence[str], shape: str | None = None, view: str | None = None) -> list[Endpoint]:
    from otel_prov.deliver.endpoints import configured, endpoints

    try:
        return endpoints(urls, shape, view) if urls else configured(shape, view)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


@contextlib.contextmanager
def _progress(folder: Path, endpoints: Sequence[Endpoint]) -> Iterator[Callable[[str, int], None]]:
    """A bar for each endpoint, where there is a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    terminal = console(stderr=True)
    if not terminal.is_terminal:
        yield lambda identity, steps: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=terminal, transient=True) as progress:
        with Store(folder) as store:
            store.take_in()
            tasks = {
                endpoint.identity: progress.add_task(
                    endpoint.identity, total=store.outbox.delivery(endpoint.identity).pending
                )
                for endpoint in endpoints
            }
        yield lambda identity, steps: progress.advance(tasks[identity], steps)


@contextlib.contextmanager
def _troubles() -> Iterator[None]:
    """What the store can't do, told in one line."""
    try:
        yield
    except StoreError as error:
        raise click.ClickException(str(error)) from None


def _print(label: str, text: str) -> None:
    click.echo(f"{label:<15}{text}")
