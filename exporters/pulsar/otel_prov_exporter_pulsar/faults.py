"""What is wrong, in one line for whoever runs this: from the client's exceptions, and from what it logged meanwhile.

The client's exceptions carry no message of the broker, and some say the wrong thing: a token that is refused looks like
a broker that is away (``Timeout``).
"""

from __future__ import annotations

import re
from typing import Final

from otel_prov_exporter_pulsar.settings import Settings

__all__ = ["refusals", "unreachable"]

_TOKEN: Final = "OTEL_EXPORTER_PROV_TOKEN, _TOKEN_FILE or PULSAR_API_KEY"
_CERTIFICATE: Final = "OTEL_EXPORTER_PROV_CERTIFICATE"
_REFUSED: Final = re.compile(r"Received send error from server: (.*)")
_MESSAGE: Final = re.compile(r"(?:ERROR|WARN ) \[\d+\] \w+:\d+ \| (?:\[[^]]*\] )?(.*)")

_SILENT: Final = "{url}: accepts connections, but does not answer"
_FULL: Final = "{topic}: its backlog is full (a quota on {url}); nobody reads it fast enough"
_BY_KIND: Final = {
    "TopicNotFound": "{topic}: no such tenant or namespace; make them with: otel-prov pulsar init",
    "AuthorizationError": "{url} knows the token, but does not let it send to {topic}",
    "ProducerBusy": "{topic}: another worker is sending for this store",
    "TopicTerminated": "{topic} was terminated: it takes no messages any more",
    "ProducerBlockedQuotaExceededError": _FULL,
    "ProducerBlockedQuotaExceededException": _FULL,
    "IncompatibleSchema": "{topic}: has a schema that plain bytes are not allowed on",
}
_BY_LOG: Final = (
    ("No such trustCertFile", f"{{url}}: {_CERTIFICATE}={{certificate}}: the file can't be read"),
    (
        "certificate verify failed",
        f"{{url}}: its certificate is not vouched for by {{authority}}, or is not for this host; "
        f"name the right authority's in {_CERTIFICATE}",
    ),
    ("Host not found", "{url}: there is no host of this name"),
    ("Resolve error", "{url}: the name of the host can't be resolved"),
    ("Connection refused", "{url}: nothing listens there; the broker is away"),
    ("was not established in", _SILENT),
    ("Handshake failed", "{url}: no TLS there; pulsar:// is for the port without TLS"),
)


def unreachable(error: object, log: str, settings: Settings) -> str:
    """Why a broker can't be reached, or takes nothing.

    Args:
        error: The client's exception, or its result of a send.
        log: What the client logged since the attempt began.
        settings: What was tried.
    """
    kind = getattr(error, "name", None) or type(error).__name__
    said = _BY_KIND.get(kind) or next((text for mark, text in _BY_LOG if mark in log), None)
    if said is None and kind in ("Timeout", "TimeOut") and "Connected to broker" in log:
        is_ended = log.count("Connection disconnected") > 1  # and tried again, until the time was over
        said = "{url}: ends every connection at once; " + _no_entry(settings) if is_ended else _SILENT
    if said is None:
        messages = _MESSAGE.findall(log)
        said = "{url}: " + f"{kind} ({messages[-1] if messages else error})".replace("{", "{{").replace("}", "}}")
    authority = settings.certificate or "a public authority"
    return said.format(url=settings.url, topic=settings.topic, certificate=settings.certificate, authority=authority)


def _no_entry(settings: Settings) -> str:
    if settings.token is None:
        return f"it wants a token ({_TOKEN}), or TLS (pulsar+ssl://)"
    return f"the token is wrong or has expired ({_TOKEN}), or the port is for TLS (pulsar+ssl://)"


def refusals(log: str) -> list[str]:
    """What the broker said to the messages that it refused, one text for each time."""
    return _REFUSED.findall(log)
