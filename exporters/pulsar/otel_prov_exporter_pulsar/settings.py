"""What is told by the endpoint and by environment variables; README.md lists them all."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from otel_prov.deliver import variables
from otel_prov.environment import flag

from otel_prov_exporter_pulsar import oauth2, topic

__all__ = ["BUS", "Settings", "read"]

BUS: Final = "bus"
"""In place of the librarian's URL: ask it over Pulsar, as TrustGraph's own agents do."""

_PREFIX: Final = variables.PREFIX


@dataclass(frozen=True, slots=True)
class Settings:
    """Where to send to, and how to be let in."""

    url: str
    """Of the broker: ``pulsar://broker:6650``, ``pulsar+ssl://broker:6651``."""
    topic: str
    """Its whole name."""
    workspace: str
    flow: str
    token: Callable[[], str] | None
    """Gives the token as it is now; called on a thread of the Pulsar client, so it does not wait for anything. Raises
    :class:`OSError` where it can't be had."""
    renew: Callable[[], None]
    """To be called before sending: gets a new token, where one has to be asked for, and waits for it. Raises
    :class:`OSError` where it can't be had."""
    certificate: str | None
    """File with the certificates of the authorities that may vouch for the broker; ``None`` for the public ones."""
    timeout: float
    """Seconds without any acknowledgement after which the broker counts as away."""
    admin: str
    """URL of the broker's admin API, without a slash at its end."""
    librarian: str | None
    """URL of TrustGraph's gateway, with a slash at its end, or :data:`BUS`; ``None`` for no librarian."""
    librarian_token: str | None
    librarian_wait: float
    """Seconds that triples wait for a librarian who is away."""
    lean: bool = False
    """Whether what TrustGraph's command line never shows is left out."""


def read(url: str) -> Settings:
    """The settings for an endpoint.

    Raises:
        ValueError: The endpoint or a variable can't be understood; the message names it, its value and the remedy.
    """
    host = _host(url)
    workspace, flow = _name("WORKSPACE", "default"), _name("FLOW", "default")
    token, renew = _credentials()
    return Settings(
        url=url,
        topic=_topic(workspace, flow),
        workspace=workspace,
        flow=flow,
        token=token,
        renew=renew,
        certificate=variables.file("CERTIFICATE"),
        timeout=variables.seconds("TIMEOUT", 30.0),
        admin=_http("PULSAR_ADMIN_URL", os.environ.get("PULSAR_ADMIN_URL") or f"http://{host}:8080").rstrip("/"),
        librarian=_librarian(),
        librarian_token=variables.text("LIBRARIAN_TOKEN") or None,
        librarian_wait=variables.seconds("LIBRARIAN_WAIT", 120.0),
        lean=flag(f"{_PREFIX}LEAN", False),
    )


def _host(url: str) -> str:
    """The (first) host of the endpoint."""
    example = "write it as pulsar://broker:6650"
    scheme, _, place = url.partition("://")
    if scheme not in ("pulsar", "pulsar+ssl") or not place.strip("/"):
        raise ValueError(f"{_PREFIX}ENDPOINT={url}: no broker's address; {example}")
    if "@" in place:
        raise ValueError(f"{_PREFIX}ENDPOINT: holds a name or password; {example}, and the token in {_PREFIX}TOKEN")
    try:
        first = urlsplit(f"{scheme}://{place.split(',')[0]}")
        host, _ = first.hostname, first.port
    except ValueError as error:
        raise ValueError(f"{_PREFIX}ENDPOINT={url}: {error}; {example}") from None
    if not host or first.path.strip("/") or first.query or first.fragment:
        raise ValueError(f"{_PREFIX}ENDPOINT={url}: more than an address; {example}, a topic in {_PREFIX}TOPIC")
    return f"[{host}]" if ":" in host else host


def _name(name: str, default: str) -> str:
    value = variables.text(name) or default
    if any(character in "/:{}" or character.isspace() for character in value):
        raise ValueError(f"{_PREFIX}{name}={value}: holds one of / : {{ }} or a space; give the bare name")
    return value


def _topic(workspace: str, flow: str) -> str:
    try:
        return topic.named(variables.text("TOPIC") or topic.DEFAULT, workspace, flow)
    except ValueError as error:
        raise ValueError(f"{_PREFIX}TOPIC={variables.text('TOPIC')}: {error}") from None


def _http(variable: str, value: str) -> str:
    try:
        parts = urlsplit(value)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good:
        raise ValueError(f"{variable}={value}: no web address; write it as http://host:8080/")
    return value


def _librarian() -> str | None:
    value = variables.text("LIBRARIAN_ENDPOINT")
    if not value or value == BUS:
        return value or None
    return _http(f"{_PREFIX}LIBRARIAN_ENDPOINT", value).rstrip("/") + "/"


def _credentials() -> tuple[Callable[[], str] | None, Callable[[], None]]:
    """What gives the token, and what renews it; a token in a file is read anew each time it is asked for."""
    given = [name for name in ("TOKEN", "TOKEN_FILE", "OAUTH2_FILE") if variables.text(name)]
    if len(given) > 1:
        raise ValueError(f"{' and '.join(_PREFIX + name for name in given)} are both set; leave one of them unset")
    if path := variables.file("TOKEN_FILE"):
        return lambda: Path(path).read_text("utf-8").strip(), lambda: None
    if path := variables.file("OAUTH2_FILE"):
        try:
            tokens = oauth2.Tokens(oauth2.read(Path(path)))
        except ValueError as error:
            raise ValueError(f"{_PREFIX}OAUTH2_FILE={path}: {error}") from None
        return tokens.now, tokens.renew
    if token := variables.text("TOKEN") or os.environ.get("PULSAR_API_KEY", "").strip():
        return lambda: token, lambda: None
    return None, lambda: None
