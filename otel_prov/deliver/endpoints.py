"""Where to send to: endpoints as the user names them, and the destinations that packages bring for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Final
from urllib.parse import urlsplit

from otel_prov.deliver.destination import Destination, Factory
from otel_prov.deliver.file import FileDestination
from otel_prov.describe import DEFAULT_SHAPE, DEFAULT_VIEW, SHAPES, VIEWS
from otel_prov.environment import (
    OTEL_EXPORTER_PROV_ENDPOINT,
    OTEL_EXPORTER_PROV_SHAPE,
    OTEL_EXPORTER_PROV_VIEW,
    variable,
)

__all__ = ["GROUP", "Endpoint", "configured", "endpoints", "open_destination"]

GROUP: Final = "otel_prov_destination"
"""Entry points of this group, each named after a URL scheme, are factories of destinations."""

_BUILT_IN: Final[dict[str, Factory]] = {"file": FileDestination}
_PACKAGES: Final = {
    "pulsar": "otel-prov-exporter-pulsar",
    "pulsar+ssl": "otel-prov-exporter-pulsar",
    "sparql+http": "otel-prov-exporter-sparql",
    "sparql+https": "otel-prov-exporter-sparql",
}
_SECRET: Final = re.compile("auth|key|password|secret|token", re.IGNORECASE)
_BETWEEN: Final = re.compile(r",\s*(?=[A-Za-z][A-Za-z0-9+.-]*://)")  # a list of brokers, too, has commas


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One place to send to."""

    url: str
    """As the user gave it."""
    shape: str = DEFAULT_SHAPE
    view: str = DEFAULT_VIEW

    @property
    def identity(self) -> str:
        """The URL without credentials: what has been sent is remembered by it."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        query = "&".join(field for field in parts.query.split("&") if not _SECRET.search(field.partition("=")[0]))
        return f"{parts.scheme}://{host}{parts.path}" + (f"?{query}" if query else "")


def configured(shape: str | None = None, view: str | None = None) -> list[Endpoint]:
    """The endpoints of ``OTEL_EXPORTER_PROV_ENDPOINT``; the rest as :func:`endpoints` has it."""
    return endpoints(_BETWEEN.split(variable(OTEL_EXPORTER_PROV_ENDPOINT)), shape, view)


def endpoints(urls: Sequence[str], shape: str | None = None, view: str | None = None) -> list[Endpoint]:
    """Each of the URLs once, with the shape and the view that are sent there; ``OTEL_EXPORTER_PROV_SHAPE`` and
    ``OTEL_EXPORTER_PROV_VIEW`` say them if left out.

    Raises:
        ValueError: A URL is none, or a shape or view is; the message is one line that names it and the remedy.
    """
    urls = [url for url in (url.strip(", ") for url in urls) if url]
    shapes = _for_each(urls, "shape", OTEL_EXPORTER_PROV_SHAPE, shape, DEFAULT_SHAPE, SHAPES)
    views = _for_each(urls, "view", OTEL_EXPORTER_PROV_VIEW, view, DEFAULT_VIEW, VIEWS)
    found = {endpoint.identity: endpoint for endpoint in map(_endpoint, urls, shapes, views)}
    return list(found.values())


def _for_each(
    urls: Sequence[str], kind: str, setting: str, given: str | None, default: str, choices: Sequence[str]
) -> list[str]:
    """A choice for each of the URLs: as given, else as the variable says."""
    chosen = [name.strip() or default for name in (given or variable(setting)).split(",")]
    if len(chosen) == 1:
        chosen *= len(urls)
    if len(chosen) != len(urls):
        raise ValueError(f"{setting}: {len(chosen)} {kind}s for {len(urls)} endpoints; give one, or one for each")
    if wrong := [name for name in chosen if name not in choices]:
        raise ValueError(f"{setting}: there is no {kind} {wrong[0]!r}; choose from {', '.join(choices)}")
    return chosen


def _endpoint(url: str, shape: str, view: str) -> Endpoint:
    try:
        if urlsplit(url).scheme and "://" in url:
            return Endpoint(url, shape, view)
    except ValueError:
        pass
    raise ValueError(f"{url!r} is no endpoint; write it like pulsar://broker:6650 or file:///path/out.nq")


def open_destination(endpoint: Endpoint, store: str) -> Destination:
    """The destination of an endpoint, not connected yet. ``store`` is the identity of the sending store.

    Raises:
        ValueError: No package brings it, or it doesn't understand its URL or a variable; the message is one line that
            names it and the remedy.
    """
    return _factory(urlsplit(endpoint.url).scheme)(endpoint.url, store)


def _factory(scheme: str) -> Factory:
    if scheme in _BUILT_IN:
        return _BUILT_IN[scheme]
    found = list(entry_points(group=GROUP, name=scheme))
    if found:
        try:
            factory: Factory = found[0].load()
        except Exception as error:  # whatever importing somebody's package may raise
            raise ValueError(f"{found[0].value} can't be loaded ({type(error).__name__}: {error})") from None
        return factory
    if scheme in _PACKAGES:
        raise ValueError(f"needs a package that is missing; pip install {_PACKAGES[scheme]}")
    schemes = sorted({*_BUILT_IN, *_PACKAGES, *(entry.name for entry in entry_points(group=GROUP))})
    raise ValueError(f"nothing here sends to {scheme}://; known are {', '.join(schemes)}")
