"""The SPARQL 1.1 Protocol over HTTP: updates and queries, and what their answers mean."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import urlencode

import requests
from otel_prov.deliver.destination import Unreachable

from otel_prov_exporter_sparql import faults
from otel_prov_exporter_sparql.credentials import Password, Token
from otel_prov_exporter_sparql.settings import Settings

__all__ = ["Client", "Refused", "Row", "Slow"]

_CONNECT: Final = 10.0  # seconds
_JSON: Final = "application/sparql-results+json"

Row = dict[str, dict[str, str]]
"""What a query found, by variable: terms as SPARQL 1.1 Query Results JSON has them."""


class Refused(Exception):
    """The store does not take this update; the message says why, in its own words."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"{status} {reason}")
        self.is_too_large = status == 413
        self.may_pass = status >= 500
        """Whether it is the store that fails, and may not fail for ever."""


class Slow(Unreachable):
    """No answer in time."""


class Client:
    """A store, over connections that are kept. For one thread."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._session = requests.Session()
        self._session.headers["User-Agent"] = "otel-prov-exporter-sparql"
        self._secret: str | None = None

    def update(self, text: bytes) -> None:
        """Carry out an update.

        Raises:
            Refused: The store answers, but not this update.
            Unreachable: Any update would fare alike now; of kind :class:`Slow` where there was no answer in time.
        """
        url = self._settings.update_url
        answer = self._post(url, text, "application/sparql-update; charset=utf-8")
        if 200 <= answer.status_code < 300:
            return
        if answer.status_code in faults.REFUSALS:
            raise Refused(answer.status_code, faults.said(answer))
        raise Unreachable(faults.meaning(answer, self._settings, url, "updates"))

    def query(self, text: str) -> list[Row]:
        """What a ``SELECT`` finds.

        Raises:
            Unreachable: It can't be asked.
        """
        url = self._settings.query_url
        form = urlencode({"query": text}, errors="replace").encode("ascii")  # Virtuoso hangs at a query without a form
        answer = self._post(url, form, "application/x-www-form-urlencoded")
        if not 200 <= answer.status_code < 300:
            raise Unreachable(faults.meaning(answer, self._settings, url, "queries"))
        try:
            found: list[Row] = answer.json()["results"]["bindings"]
        except (ValueError, LookupError, TypeError):
            raise Unreachable(faults.no_store(url)) from None
        return found

    def close(self) -> None:
        """Let go of connections."""
        self._session.close()

    def _post(self, url: str, body: bytes, kind: str) -> requests.Response:
        with self._told(url):
            self._let_in()
            return self._session.post(
                url,
                body,
                headers={"Content-Type": kind, "Accept": f"{_JSON}, */*;q=0.1"},
                timeout=(min(_CONNECT, self._settings.timeout), self._settings.timeout),
                verify=self._settings.certificate or True,
                allow_redirects=False,
            )

    def _let_in(self) -> None:
        """Use the secret as it is now."""
        user, secret = self._settings.user, self._settings.secret
        try:
            now = secret() if secret else ""
        except OSError as error:
            raise Unreachable(f"there is no token: {error.filename}: {error.strerror}") from None
        if now != self._secret:
            self._secret = now
            self._session.auth = Password(user, now) if user is not None else Token(now) if now else None

    @contextmanager
    def _told(self, url: str) -> Iterator[None]:
        """What goes wrong on the way, in one line."""
        try:
            yield
        except (requests.RequestException, OSError) as error:
            kind = Slow if faults.is_slow(error) else Unreachable
            raise kind(faults.on_the_way(error, self._settings, url)) from None
