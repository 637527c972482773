"""What lets requests in: a user's name and password, or a token."""

from __future__ import annotations

import base64

from requests import PreparedRequest
from requests.auth import AuthBase, HTTPDigestAuth

__all__ = ["Password", "Token"]


class Password(HTTPDigestAuth):
    """Basic (RFC 7617), until a store asks for Digest (RFC 7616), as Virtuoso does."""

    def __init__(self, user: str, password: str) -> None:
        super().__init__(user, password)
        self._basic = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode("ascii")

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        request = super().__call__(request)
        request.headers.setdefault("Authorization", self._basic)
        return request


class Token(AuthBase):
    """Bearer (RFC 6750)."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request
