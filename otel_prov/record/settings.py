"""What the arguments of the exporter say, as a file of OpenTelemetry's declarative configuration gives them:
``endpoint: pulsar://broker:6650`` is what ``OTEL_EXPORTER_PROV_ENDPOINT=pulsar://broker:6650`` is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from otel_prov.checks.spelling import nearest
from otel_prov.environment import PREFIX, give, say_once
from otel_prov.losses import guarded

__all__ = ["take"]


@guarded(None, "settings of the exporter not understood")
def take(settings: Mapping[str, object]) -> None:
    """Have settings in place of variables. One of an unknown name is said once in the log, and nobody reads it."""
    for key, value in settings.items():
        name = PREFIX + key.upper()
        found = nearest(name)
        if found != name:
            meant = f"; {found.removeprefix(PREFIX).lower()} may be meant" if found else ""
            say_once(f"{key} is no setting of the exporter prov{meant}")
        elif value is not None:
            give(name, _text(value))


def _text(value: object) -> str:
    """The value as the variable would have it."""
    if isinstance(value, Mapping):  # headers: {x-tenant: acme}
        return ",".join(f"{key}={quote(str(one))}" for key, one in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(map(_one_of_many, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _one_of_many(value: object) -> str:
    """One endpoint, shape or header; a header may stand there as OpenTelemetry's own are written."""
    if isinstance(value, Mapping) and "name" in value:  # headers: [{name: x-tenant, value: acme}]
        return f"{value['name']}={quote(str(value.get('value') or ''))}"
    return _text(value)
