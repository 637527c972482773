"""The broker's admin API: makes tenant and namespace of the topic (``otel-prov pulsar init``), tells who reads it.

TrustGraph makes them itself when it first starts (``trustgraph/bootstrap/initialisers/pulsar_topology.py``): as there,
the tenant may use all clusters, and the namespace has the broker's own policies.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from otel_prov.deliver.destination import Unreachable

from otel_prov_exporter_pulsar import topic
from otel_prov_exporter_pulsar.settings import Settings

__all__ = ["make_namespace", "subscriptions"]

_PATIENCE: Final = 10.0  # seconds for one answer


def make_namespace(settings: Settings) -> Iterator[str]:
    """Make what is missing for the topic of the settings; tell of each thing that it was there, or is now.

    Raises:
        Unreachable: The admin API can't be reached, or does not allow it.
    """
    tenant, namespace = topic.namespace(settings.topic)
    admin = _Admin(settings)
    if admin.ask("GET", f"tenants/{tenant}") is None:
        clusters = admin.ask("GET", "clusters")
        admin.ask("PUT", f"tenants/{tenant}", {"adminRoles": [], "allowedClusters": clusters})
        yield f"tenant {tenant}: made"
    else:
        yield f"tenant {tenant}: was there"
    if admin.ask("GET", f"namespaces/{tenant}/{namespace}") is None:
        admin.ask("PUT", f"namespaces/{tenant}/{namespace}", {})
        yield f"namespace {tenant}/{namespace}: made"
    else:
        yield f"namespace {tenant}/{namespace}: was there"


def subscriptions(settings: Settings) -> list[str] | None:
    """Who has subscribed to the topic of the settings; ``None`` where there is no such topic.

    Raises:
        Unreachable: The admin API can't be reached, or does not allow it.
    """
    kind, _, name = settings.topic.partition("://")
    tenant, namespace, topic_name = name.split("/")
    admin = _Admin(settings)
    for stats in ("stats", "partitioned-stats"):
        told = admin.ask("GET", f"{kind}/{tenant}/{namespace}/{quote(topic_name, safe='')}/{stats}")
        if told is not None:
            return sorted(told["subscriptions"])
    return None


class _Admin:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._headers = {"Content-Type": "application/json"}
        try:
            settings.renew()
            if settings.token is not None:
                self._headers["Authorization"] = f"Bearer {settings.token()}"
        except OSError as error:
            raise Unreachable(f"there is no token for {settings.admin}: {error}") from None
        self._tls = ssl.create_default_context(cafile=settings.certificate)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The answer, or ``None`` where there is no such thing; a conflict means that somebody else made it."""
        url = f"{self._settings.admin}/admin/v2/{path}"
        data = None if body is None else json.dumps(body).encode()
        try:
            with urlopen(
                Request(url, data, self._headers, method=method), timeout=_PATIENCE, context=self._tls
            ) as answer:
                return json.loads(answer.read() or b"true")
        except HTTPError as error:
            error.close()
            if error.code == 404 and method == "GET":
                return None
            if error.code == 409:
                return True
            if error.code in (401, 403):
                raise Unreachable(f"{url}: needs an administrator's token ({error.code})") from None
            raise Unreachable(f"{url}: {error.code} {error.reason}") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise Unreachable(f"{url}: {reason}; PULSAR_ADMIN_URL names the broker's admin API") from None
