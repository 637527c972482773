"""``otel-prov pulsar``: what is done once, before anything is sent."""

from __future__ import annotations

import click
from otel_prov.deliver.destination import Unreachable

from otel_prov_exporter_pulsar.admin import make_namespace
from otel_prov_exporter_pulsar.settings import read

__all__ = ["pulsar"]


@click.group()
def pulsar() -> None:
    """Prepare an Apache Pulsar for TrustGraph's topics."""


@pulsar.command()
@click.option(
    "--endpoint",
    envvar="OTEL_EXPORTER_PROV_ENDPOINT",
    default="pulsar://localhost:6650",
    show_default=True,
    help="The broker; its admin API is at PULSAR_ADMIN_URL, or on port 8080 of the same host.",
)
def init(endpoint: str) -> None:
    """Make the tenant and the namespace of the topic, where they are missing."""
    try:
        for line in make_namespace(read(endpoint)):
            click.echo(line)
    except (ValueError, Unreachable) as error:
        raise click.ClickException(str(error)) from None
