"""Tokens by OAuth 2.0 client credentials (RFC 6749, section 4.4), asked for with a time limit.

The Pulsar client can do this itself, but asks without one: an issuer that does not answer would hang it for ever.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode
from urllib.request import Request, urlopen

__all__ = ["Key", "Tokens", "read"]

_PATIENCE: Final = 10.0  # seconds for one answer of the issuer
_EARLY: Final = 60.0  # seconds before its end at which a token is renewed


@dataclass(frozen=True, slots=True)
class Key:
    """What a key file says, in the form of Pulsar's own tools."""

    issuer_url: str
    client_id: str
    client_secret: str
    audience: str = ""
    scope: str = ""


def read(file: Path) -> Key:
    """The key in a JSON file.

    Raises:
        ValueError: The file can't be read, or something is missing in it.
    """
    try:
        told = json.loads(file.read_bytes())
        return Key(**{name: str(told[name]) for name in Key.__slots__ if name in told})
    except (OSError, ValueError, TypeError) as error:
        raise ValueError(
            f"no JSON object with issuer_url, client_id and client_secret, and perhaps audience and scope ({error})"
        ) from None


class Tokens:
    """The current token for a key."""

    def __init__(self, key: Key) -> None:
        self._key = key
        self._token = ""
        self._end = 0.0  # of the token, by the monotonic clock

    def now(self) -> str:
        """The token that was last had."""
        return self._token

    def renew(self) -> None:
        """Ask the issuer for another token, unless the last one is good for a while.

        Raises:
            OSError: It gives none, or does not answer.
        """
        if time.monotonic() < self._end - _EARLY:
            return
        key, asked = self._key, time.monotonic()
        form = {"grant_type": "client_credentials", "client_id": key.client_id, "client_secret": key.client_secret}
        form |= {name: value for name, value in (("audience", key.audience), ("scope", key.scope)) if value}
        told = _get(Request(_token_endpoint(key.issuer_url), data=urlencode(form).encode()))
        token = told.get("access_token")
        if not isinstance(token, str) or not token:
            raise OSError(f"{key.issuer_url} answers without an access_token")
        lifetime = told.get("expires_in")
        self._token = token
        self._end = asked + (float(lifetime) if isinstance(lifetime, int | float) else 2 * _EARLY)


def _token_endpoint(issuer: str) -> str:
    """Where the issuer gives tokens (OpenID Connect Discovery 1.0, section 4)."""
    endpoint = _get(Request(issuer.rstrip("/") + "/.well-known/openid-configuration")).get("token_endpoint")
    if not isinstance(endpoint, str) or not endpoint.startswith(("http://", "https://")):
        raise OSError(f"{issuer} does not name its token_endpoint")
    return endpoint


def _get(request: Request) -> dict[str, Any]:
    try:
        with urlopen(request, timeout=_PATIENCE) as answer:
            told = json.loads(answer.read(1 << 20))
    except (OSError, ValueError) as error:
        raise OSError(f"{request.full_url}: {error}") from None
    return told if isinstance(told, dict) else {}
