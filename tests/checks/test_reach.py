"""Whether somebody listens is told in a bounded time."""

from __future__ import annotations

import contextlib
import shutil
import socket
import ssl
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from otel_prov.checks import reach
from otel_prov.checks.reach import connect, within


@pytest.fixture
def port() -> Iterator[int]:
    """A port on which something listens that never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_server_that_says_nothing_to_tls_is_waited_for_no_longer_than_allowed(
    monkeypatch: pytest.MonkeyPatch, port: int
) -> None:
    monkeypatch.setattr(reach, "PATIENCE", 0.1)
    with pytest.raises(OSError, match="timed out"):
        connect("127.0.0.1", port, tls=True)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl, which makes the certificates, is not here")
def test_a_server_with_tls_is_believed_only_with_its_authority(tmp_path: Path) -> None:
    pytest.importorskip("fcntl", reason="what makes the certificates needs a Unix")
    from tests.integration.servers.tokens import certificates

    certificates(tmp_path)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tmp_path / "server.pem", tmp_path / "server.key")
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor() as pool:

        def serve() -> None:
            connection, _ = server.accept()
            with contextlib.suppress(OSError), context.wrap_socket(connection, server_side=True) as secure:
                secure.recv(1)

        for authority, trouble in ((str(tmp_path / "ca.pem"), None), (None, "certificate verify failed")):
            served = pool.submit(serve)
            with pytest.raises(OSError, match=trouble) if trouble else contextlib.nullcontext():
                connect("localhost", server.getsockname()[1], tls=True, certificate=authority)
            served.result()


def test_a_call_that_never_comes_back_is_left_alone() -> None:
    forever = threading.Event()
    try:
        with pytest.raises(TimeoutError, match="no answer within"):
            within(0.05, forever.wait)
    finally:
        forever.set()


def test_what_a_call_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        within(60, lambda: 1 / 0)
