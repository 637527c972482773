"""What is wrong, in one line for whoever runs this: from a store's answers, and from what happens on the way there."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from typing import Final

import requests

from otel_prov_exporter_sparql.settings import Settings

__all__ = ["REFUSALS", "is_slow", "meaning", "no_store", "on_the_way", "said"]

REFUSALS: Final = frozenset({400, 413, 422, 500})
"""Answers that may be about what was sent, and not about the store."""

_LONGEST: Final = 200  # characters of a store's own words
_CERTIFICATE: Final = "OTEL_EXPORTER_PROV_CERTIFICATE"
_SECRET: Final = "OTEL_EXPORTER_PROV_TOKEN, _TOKEN_FILE, or name:password@ in the URL"
_WHICH: Final = "README.md of otel-prov-exporter-sparql has the paths of each store"


def said(answer: requests.Response) -> str:
    """The reason in the store's words, if it has any."""
    kind = answer.headers.get("Content-Type", "")
    text = "" if "html" in kind else " ".join(answer.content[:10_000].decode("utf-8", "replace").split())
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1] + "…"
    return text or answer.reason or "without a reason"


def no_store(url: str) -> str:
    """What to say of an answer that no store gives."""
    return f"{url}: does not answer as a SPARQL store does; {_WHICH}"


def meaning(answer: requests.Response, settings: Settings, url: str, what: str) -> str:
    """Why a store did not do what it was asked.

    Args:
        what: ``updates`` or ``queries``.
    """
    status = answer.status_code
    if status == 401 and settings.user is not None:
        text = f"does not know user {settings.user!r} with this password"
    elif status == 401 and settings.secret is not None:
        text = f"does not know the token ({_SECRET})"
    elif status == 401:
        text = f"wants to know who asks ({_SECRET})"
    elif status == 403:
        text = f"does not let us in for {what}, or is read-only ({said(answer)})"
    elif status in (404, 405, 410, 415):
        text = f"takes no {what} at this path, or none at all ({status} {said(answer)}); {_WHICH}"
    elif 300 <= status < 400:
        text = f"has moved to {answer.headers.get('Location', 'nowhere')}; give that address"
    else:
        text = f"answers {status} {said(answer)}"
    return f"{url}: {text}"


def is_slow(error: Exception) -> bool:
    """Whether a store that was reached did not answer, or not even read the request, in time."""
    waited = any(isinstance(cause, requests.ReadTimeout | TimeoutError) for cause in _causes(error))
    return waited and not isinstance(error, requests.ConnectTimeout)


def on_the_way(error: Exception, settings: Settings, url: str) -> str:
    """Why there is no answer."""
    if is_slow(error):
        return f"{url}: no answer within {settings.timeout:g} s; the store is away, or busy"
    if isinstance(error, requests.ConnectTimeout):
        return f"{url}: nobody takes the connection; is the host right, and no firewall before it?"
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            authority = settings.certificate or "a public authority"
            text = f"its certificate is not vouched for by {authority}, or is not for this host"
            return f"{url}: {text}; name the right authority's in {_CERTIFICATE}"
        if isinstance(cause, ssl.SSLError):
            return f"{url}: no TLS there; sparql+http:// is for the port without TLS"
        if isinstance(cause, ConnectionRefusedError):
            return f"{url}: nothing listens there; the store is away"
        if type(cause).__name__ in ("gaierror", "NameResolutionError"):
            return f"{url}: there is no host of this name"
    text = next((cause.strerror for cause in causes if isinstance(cause, OSError) and cause.strerror), "")
    return f"{url}: the connection failed: {text or ' '.join(str(error).split())[:_LONGEST]}"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception, and those that led to it: requests and urllib3 wrap them in several ways."""
    waiting: list[object] = [error]
    seen: set[int] = set()
    while waiting:
        each = waiting.pop(0)
        if isinstance(each, BaseException) and id(each) not in seen:
            seen.add(id(each))
            yield each
            waiting += [*each.args, getattr(each, "reason", None), each.__cause__, each.__context__]
