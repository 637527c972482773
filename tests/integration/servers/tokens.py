"""What lets clients in: tokens for a broker with a secret key, and certificates of authorities made for the test."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import subprocess
import time
from pathlib import Path

from tests.integration.servers.cache import Missing

__all__ = ["certificates", "token"]


def token(key: bytes, subject: str, seconds: float | None = None) -> str:
    """A JSON Web Token (RFC 7519), signed with HS256; it expires after that many seconds, or never."""
    claims: dict[str, object] = {"sub": subject}
    if seconds is not None:
        claims["exp"] = int(time.time() + seconds)
    signed = f"{_encoded(json.dumps({'alg': 'HS256'}).encode())}.{_encoded(json.dumps(claims).encode())}"
    return f"{signed}.{_encoded(hmac.new(key, signed.encode(), hashlib.sha256).digest())}"


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def certificates(folder: Path) -> None:
    """Make ``ca.pem``, a server's certificate of it for ``localhost``, and ``other-ca.pem``.

    Raises:
        Missing: There is no openssl.
    """
    folder.mkdir(exist_ok=True)
    new = "-newkey rsa:2048 -nodes"
    for name in ("ca", "other-ca"):
        _openssl(
            folder,
            f"req -x509 {new} -days 30 -subj /CN={name} -keyout {name}.key -out {name}.pem "
            "-addext keyUsage=critical,keyCertSign,cRLSign",  # which Python 3.13 insists on
        )
    (folder / "extensions").write_text("subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth,clientAuth\n")
    _openssl(folder, f"req {new} -subj /CN=localhost -keyout server.key -out server.csr")
    vouch = "-CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -extfile extensions"
    _openssl(folder, f"x509 -req -in server.csr {vouch} -out server.pem")


def _openssl(folder: Path, arguments: str) -> None:
    try:
        subprocess.run(["openssl", *arguments.split()], check=True, cwd=folder, capture_output=True)
    except OSError as error:
        raise Missing(f"no openssl: {error}; install it (Debian: apt install openssl)") from None
