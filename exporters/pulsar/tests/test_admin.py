"""``otel-prov pulsar init``, and what it says where it can't."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from tests.integration.servers.process import free_port
from tests.integration.servers.pulsar import Broker

from otel_prov_exporter_pulsar.commands import pulsar


def test_an_admin_api_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    monkeypatch.setenv("PULSAR_ADMIN_URL", url)
    done = CliRunner().invoke(pulsar, ["init", "--endpoint", "pulsar://127.0.0.1:6650"])
    assert done.exit_code == 1
    assert done.output.startswith(f"Error: {url}/admin/v2/tenants/tg: ")
    assert done.output.endswith("; PULSAR_ADMIN_URL names the broker's admin API\n")


def test_an_endpoint_that_is_none_is_named() -> None:
    done = CliRunner().invoke(pulsar, ["init", "--endpoint", "broker"])
    assert done.exit_code == 1
    assert done.output.startswith("Error: OTEL_EXPORTER_PROV_ENDPOINT=broker: no broker's address")


@pytest.mark.integration
def test_only_an_administrator_may_make_a_namespace(
    pulsar_broker_secure: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PULSAR_ADMIN_URL", pulsar_broker_secure.admin_url)
    monkeypatch.setenv("OTEL_EXPORTER_PROV_TOKEN", pulsar_broker_secure.token("stranger"))
    arguments = ["init", "--endpoint", pulsar_broker_secure.url]
    done = CliRunner().invoke(pulsar, arguments)
    assert done.exit_code == 1
    assert "needs an administrator's token" in done.output
    monkeypatch.setenv("OTEL_EXPORTER_PROV_TOKEN", pulsar_broker_secure.token())
    assert CliRunner().invoke(pulsar, arguments).output == "tenant tg: made\nnamespace tg/flow: made\n"
