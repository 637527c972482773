"""Stand-ins for two of TrustGraph's services, config-svc and the librarian, on the real bus.

The real ones need Cassandra and an object store (:mod:`tests.integration.servers.cassandra` has them). Run by the
Python that has trustgraph-base; its argument tells where the bus is, and what to answer.
"""

import asyncio
import json
import sys
from dataclasses import replace

from trustgraph.base.pubsub import get_async_pubsub
from trustgraph.schema import (
    ConfigRequest,
    ConfigResponse,
    ConfigValue,
    Error,
    LibrarianRequest,
    LibrarianResponse,
    config_request_queue,
    config_response_queue,
    librarian_request_queue,
    librarian_response_queue,
)


class Config:
    """Answers from what it was told; nothing can be changed."""

    def __init__(self, told):
        self._told = told  # workspace -> type -> key -> text

    def __call__(self, asked):
        types = self._told.get(asked.workspace, {})
        match asked.operation:
            case "config":
                return ConfigResponse(version=1, config=types)
            case "list":
                return ConfigResponse(version=1, directory=list(types.get(asked.type, {})))
            case "get":
                values = [ConfigValue(type=k.type, key=k.key, value=types[k.type][k.key]) for k in asked.keys]
                return ConfigResponse(version=1, values=values)
            case "getvalues":
                return ConfigResponse(version=1, values=self._values(asked.workspace, asked.type))
            case "getkeys-all-ws" | "getvalues-all-ws":
                found = [replace(v, workspace=ws) for ws in self._told for v in self._values(ws, asked.type)]
                return ConfigResponse(version=1, values=found)
        raise RuntimeError(f"no operation {asked.operation}")

    def _values(self, workspace, kind):
        items = self._told.get(workspace, {}).get(kind, {}).items()
        return [ConfigValue(type=kind, key=key, value=text) for key, text in items]


class Librarian:
    """Keeps documents in memory, and is as particular about them as the real one."""

    def __init__(self):
        self._texts = {}

    def __call__(self, asked):
        match asked.operation:
            case "add-document":
                document = asked.document_metadata
                if not document.kind:
                    raise RuntimeError("Document kind (MIME type) is required")
                if document.id in self._texts:
                    raise RuntimeError("Document already exists")
                int(document.time * 1000)
                self._texts[document.id] = asked.content
                return LibrarianResponse()
            case "get-document-content":
                if asked.document_id not in self._texts:
                    raise RuntimeError("No such document row?")
                return LibrarianResponse(content=self._texts[asked.document_id])
            case "list-documents":
                return LibrarianResponse()
        raise RuntimeError(f"no operation {asked.operation}")


async def serve(bus, request, response, asking, answering, answer):
    consumer = await bus.create_consumer(topic=request, subscription="stand-in", schema=asking)
    producer = await bus.create_producer(topic=response, schema=answering)
    print("ready", flush=True)
    while True:
        message = await consumer.receive()
        try:
            reply = answer(message.value())
        except Exception as error:
            reply = answering(error=Error(type="unexpected-error", message=str(error)))
        await producer.send(reply, properties={"id": message.properties().get("id", "")})
        await consumer.acknowledge(message)


async def main(told):
    bus = get_async_pubsub(pubsub_backend="pulsar", pulsar_host=told["broker"], pulsar_admin_url=told["admin"])
    workspace, config = told["workspace"], Config(told["config"])

    def config_of_workspace(asked):  # its queue says which
        return config(replace(asked, workspace=workspace))

    def of_workspace(*queues):
        return [f"{queue}:{workspace}" for queue in queues]

    config_queues = config_request_queue, config_response_queue
    librarian_queues = librarian_request_queue, librarian_response_queue
    await asyncio.gather(
        serve(bus, *config_queues, ConfigRequest, ConfigResponse, config),
        serve(bus, *of_workspace(*config_queues), ConfigRequest, ConfigResponse, config_of_workspace),
        serve(bus, *of_workspace(*librarian_queues), LibrarianRequest, LibrarianResponse, Librarian()),
    )


asyncio.run(main(json.loads(sys.argv[1])))
