"""A ReAct loop spread over messages: each iteration is a message on Apache Pulsar, which either of two workers takes.

    docker run --rm -p 6650:6650 apachepulsar/pulsar:4.0.8 bin/pulsar standalone
    python examples/pulsar_agent.py pulsar://localhost:6650
    python examples/pulsar_agent.py pulsar://localhost:6650 "How many times larger is rich than click?"

A request has the question and all that was thought, done and seen so far. A worker thinks once and acts once, and
sends the next request to the same topic, as TrustGraph's own agent does. The trace and the session go along in the
message's properties (``inject``, ``extract``), so it is one session with all its iterations, and one trace, whoever did
what; also where a message is delivered twice. Needs pulsar-client, which otel-prov-exporter-pulsar brings.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

from environment_rules import think
from environment_tools import act

from otel_prov import extract, inject, install, session

try:
    import pulsar
except ImportError:
    print("pulsar-client is not installed; pip install pulsar-client")
    raise SystemExit(0) from None

QUESTION = "How does the licence file of rdflib begin?"
REQUESTS = "persistent://public/default/agent-requests"
ANSWERS = "persistent://public/default/agent-answers"
NAME = "pulsar-agent"


class Worker:
    """Takes requests, as many as there are, in turn with the other workers."""

    def __init__(self, client: pulsar.Client) -> None:
        self._requests = subscribe(client)
        self._next = client.create_producer(REQUESTS)
        self._answers = client.create_producer(ANSWERS)

    def run(self) -> None:
        """Work until the process is told to stop (SIGTERM)."""
        told = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: told.set())
        while not told.is_set():
            try:
                message = self._requests.receive(timeout_millis=200)
            except pulsar.Timeout:
                continue
            self.work(json.loads(message.data()), message.properties())
            self._requests.acknowledge(message)

    def work(self, request: dict[str, Any], properties: dict[str, str]) -> None:
        """One iteration: think, act, observe, and send what comes next."""
        with session(request["question"], name=NAME, context=extract(properties)) as run:
            with run.iteration() as step:  # has the number that came with the message
                thought, action, arguments = decide(request["question"], request["history"])
                step.record(thought=thought)
                if action == "finish":
                    run.record(answer=arguments["answer"])  # so the session ends here
                    send(self._answers, {"question": request["question"], "answer": arguments["answer"]})
                    return
                step.record(action=action, arguments=arguments)
                observation = act(action, arguments)
                step.record(observation=observation)
            request["history"].append({"thought": thought, "action": action, "observation": observation})
            send(self._next, request)


def send(producer: pulsar.Producer, body: dict[str, Any]) -> None:
    """Send a message that carries the current session along."""
    properties: dict[str, str] = {}
    inject(properties)
    producer.send(json.dumps(body).encode(), properties=properties)


def decide(question: str, history: Sequence[dict[str, Any]]) -> tuple[str, str, dict[str, Any]]:
    """The next thought, and the action to take. All that the rules know is in the history."""
    thinking = think(question)
    decision = next(thinking)
    for step in history:
        decision = thinking.send(step["observation"])
    return decision


def subscribe(client: pulsar.Client) -> pulsar.Consumer:
    """The subscription that all workers share: each request goes to one of them."""
    return client.subscribe(REQUESTS, "workers", consumer_type=pulsar.ConsumerType.Shared)


def ask(client: pulsar.Client, questions: Sequence[str]) -> None:
    """Send the questions, and print their answers as they come."""
    incoming = client.subscribe(ANSWERS, "asker")
    producer = client.create_producer(REQUESTS)
    for question in questions:
        with session(question, name=NAME):  # begins here, and ends where it is answered
            send(producer, {"question": question, "history": []})
    waiting = set(questions)
    while waiting:
        message = incoming.receive()
        answer = json.loads(message.data())
        incoming.acknowledge(message)
        if answer["question"] in waiting:  # no answer to an earlier question, or a second one
            waiting.remove(answer["question"])
            print(f"{answer['question']}\n    {answer['answer']}\n")


def connect(url: str) -> pulsar.Client:
    """Connect to a broker; the client's log is for errors."""
    return pulsar.Client(url, logger=pulsar.ConsoleLogger(pulsar.LoggerLevel.Error))


def work(url: str) -> None:
    """Be a worker."""
    install()
    client = connect(url)
    Worker(client).run()
    client.close()


def main(url: str, questions: Sequence[str]) -> None:
    """Start two workers, ask, stop them."""
    install()
    client = connect(url)
    subscribe(client).close()  # from now on the broker keeps requests, also while no worker is there yet
    workers = [subprocess.Popen([sys.executable, __file__, "--worker", url]) for _ in range(2)]
    try:
        ask(client, questions)
    finally:
        for each in workers:
            each.terminate()
        for each in workers:
            each.wait()
        client.close()
    print("What did it think, do and see? Run:")
    print("    otel-prov list")
    print("    otel-prov show latest")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--worker", url]:
            work(url)
        case [url, *questions]:
            main(url, questions or [QUESTION])
        case _:
            sys.exit(f"Usage: python {sys.argv[0]} pulsar://HOST:PORT [QUESTION ...]")
