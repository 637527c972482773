"""The whole way in one command: an agent's sessions go over Apache Pulsar to TrustGraph, whose own programs show them.

    python examples/trustgraph_demo.py

Needs the package of exporters/pulsar, Java 17 or later, Maven, and Python 3.11 or 3.12 on Linux; what is missing is
said. Broker and TrustGraph are started by what this project's tests start them with (tests/integration/servers), on
loopback, and stopped in the end; what they are made of is fetched once, and kept in .cache of the checkout.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

from otel_prov.deliver.alone import other

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.integration.servers.cache import Missing
from tests.integration.servers.falkordb import OnFalkorDB
from tests.integration.servers.process import until
from tests.integration.servers.pulsar import Broker

AGENT = [sys.executable, str(Path(__file__).with_name("environment_agent.py"))]
OTEL_PROV = [sys.executable, "-m", "otel_prov.show.cli"]
QUESTIONS = (
    "How many times larger is rdflib than click?",
    "Which version of the OpenTelemetry SDK is here, and what does it need?",
)


def main() -> None:
    """Start the servers, show the way, stop them."""
    try:
        if not find_spec("otel_prov_exporter_pulsar"):
            raise Missing("otel-prov-exporter-pulsar is not installed; pip install -e exporters/pulsar")
        with tempfile.TemporaryDirectory(prefix="otel-prov-demo-") as folder, ExitStack() as running:
            say("Starting Apache Pulsar and TrustGraph; the first time they are fetched, which takes minutes.")
            broker = Broker(Path(folder))
            running.callback(broker.stop)
            broker.start()
            trustgraph = OnFalkorDB(Path(folder), broker)
            running.callback(trustgraph.stop)
            trustgraph.start()
            show(trustgraph, Path(folder) / "store")
    except Missing as missing:
        say(f"Skipped: {missing}")


def show(trustgraph: OnFalkorDB, store: Path) -> None:
    """Run an agent with the variables set, and what shows its sessions."""
    variables = {
        "OTEL_EXPORTER_PROV_STORE": str(store),
        "OTEL_EXPORTER_PROV_ENDPOINT": trustgraph.broker.url,
        "OTEL_EXPORTER_PROV_LIBRARIAN_ENDPOINT": trustgraph.gateway,
    }
    for name, value in variables.items():
        say(f"$ export {name}={value}")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "PULSAR_"))}
    environment |= {**variables, "NO_PROXY": "*", "no_proxy": "*"}

    def run(shown: str, *command: str) -> None:
        say(f"\n$ {shown}")
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        if done.stdout:
            say(f"\n{done.stdout.rstrip()}")

    try:
        run("python examples/environment_agent.py …", *AGENT, *QUESTIONS)
        run("otel-prov deliver --once", *OTEL_PROV, "deliver", "--once")
        until("TrustGraph has stored everything", lambda: trustgraph.backlog() == 0, 60)
        run("otel-prov status", *OTEL_PROV, "status")
        say(f"\n$ tg-list-explain-traces -u {trustgraph.gateway}\n\n{trustgraph.tool('tg-list-explain-traces')}")
        latest, *_ = json.loads(trustgraph.tool("tg-list-explain-traces", "--format", "json"))
        shown = trustgraph.tool("tg-show-explain-trace", latest["id"])
        say(f"$ tg-show-explain-trace -u {trustgraph.gateway} {latest['id']}\n\n{shown.rstrip()}")
    finally:
        if worker := other(store):  # it would stay a while, for other agents
            os.kill(worker, signal.SIGTERM)
            until("the worker has ended", lambda: other(store) is None, 60)


def say(text: str) -> None:
    """Print, and at once."""
    print(text, flush=True)


if __name__ == "__main__":
    main()
