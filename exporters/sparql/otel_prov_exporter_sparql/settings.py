"""What is told by the URL and by environment variables; README.md lists them all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from otel_prov.deliver import variables

__all__ = ["Settings", "read"]

_SCHEMES: Final = {"sparql+http": "http", "sparql+https": "https"}
_EXAMPLE: Final = "write it like sparql+http://host:3030/dataset/update"


@dataclass(frozen=True, slots=True)
class Settings:
    """Where a store is, and how to be let in."""

    update_url: str
    """What updates are sent to; no name or password is in it."""
    query_url: str
    """What is asked, see :func:`read`."""
    user: str | None
    """Name for basic or digest authentication."""
    secret: Callable[[], str] | None
    """Gives the user's password as it is now, or a bearer token where there is no user. Raises :class:`OSError` where
    it can't be had."""
    certificate: str | None
    """File with the certificates of the authorities that may vouch for the store; ``None`` for the public ones."""
    timeout: float
    """Seconds without any answer after which the store counts as away."""


def read(url: str) -> Settings:
    """The settings for a store: ``sparql+http://[user[:password]@]host[:port]/path``, or ``sparql+https://``.

    Updates go to the URL as it is. What queries go to follows from it: where its path ends in ``update``, that is
    ``query`` (Fuseki, Oxigraph, Stardog); an ending ``statements`` is left out (RDF4J, GraphDB); else it is the same (a
    dataset of Fuseki's, Virtuoso, Blazegraph, Amazon Neptune, QLever).

    Raises:
        ValueError: The URL or a variable can't be understood; the message names it, its value and the remedy.
    """
    try:
        parts = urlsplit(url)
        good = parts.scheme in _SCHEMES and bool(parts.hostname) and parts.port != 0 and not parts.fragment
        good = good and not any(character.isspace() for character in url)
    except ValueError:
        good = False
    if not good:
        raise ValueError(f"{variables.shown(url)!r} is no address of a SPARQL store; {_EXAMPLE}")
    name, _, host = parts.netloc.rpartition("@")
    user, colon, password = name.partition(":")
    web = parts._replace(scheme=_SCHEMES[parts.scheme], netloc=host, path=parts.path or "/")
    return Settings(
        update_url=web.geturl(),
        query_url=web._replace(path=_queries(web.path)).geturl(),
        user=unquote(user) or None,
        secret=(lambda: unquote(password)) if colon else _secret(),
        certificate=variables.file("CERTIFICATE"),
        timeout=variables.seconds("TIMEOUT", 30.0),
    )


def _queries(path: str) -> str:
    """Where queries go, by where updates go."""
    before, _, last = path.rpartition("/")
    if last == "update":
        return f"{before}/query"
    return before if last == "statements" else path


def _secret() -> Callable[[], str] | None:
    """What gives the token, or the password of a user who is named without; in a file it is read anew each time."""
    if path := variables.file("TOKEN_FILE"):
        if variables.text("TOKEN"):
            raise ValueError(
                f"{variables.PREFIX}TOKEN and {variables.PREFIX}TOKEN_FILE are both set; unset one of them"
            )
        return lambda: Path(path).read_text("utf-8").strip()
    token = variables.text("TOKEN")
    return (lambda: token) if token else None
