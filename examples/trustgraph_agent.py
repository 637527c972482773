"""TrustGraph's own ReAct agent, traced from outside: no line of it is changed.

    python examples/trustgraph_agent.py

Needs trustgraph-flow 2.11.1, which TrustGraph's containers have. Its agent takes one message for each iteration: a
request with the history so far. So each message is a part of one session, and ``trace`` is all that it takes to see it:
``extract`` tells from a request which session, and which iteration comes next.
What it thinks is scripted here (trustgraph_script.py), for want of a model; all else is code of TrustGraph.

The agent also emits triples of its own. The program ends by holding ours against them.
"""

# Not all of TrustGraph is among the development packages, and its types are loose.
# pyright: reportMissingImports=false, reportMissingModuleSource=false, reportOptionalMemberAccess=false
from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from trustgraph.agent.react import service
from trustgraph.agent.react.types import Final
from trustgraph.schema import AgentRequest, AgentResponse
from trustgraph_script import QUESTION, TOOLS, Flow

from otel_prov import current_session, extract, inject, install, session
from otel_prov.describe import describe
from otel_prov.keep import Store
from otel_prov.steps import Session

Send = Callable[[Any], Awaitable[None]]


def trace(agent: service.Processor) -> None:
    """Trace every request that an agent gets from now on."""
    inner = agent.agent_request
    service.AgentManager = TracedManager

    async def agent_request(request: AgentRequest, respond: Send, next: Send, flow: Any) -> None:
        async with session(request.question, name="agent-manager", context=extract(request)) as run:
            inject(request)  # a first one has no session's id; the agent would make up another, and pass that on

            async def responding(response: AgentResponse) -> None:
                if response.error:
                    run.record(outcome="error")
                await respond(response)

            await inner(request=request, respond=responding, next=next, flow=flow)

    agent.agent_request = agent_request


class TracedManager(service.AgentManager):  # type: ignore[misc]
    """The part of the agent that thinks and acts, once for each request."""

    async def react(self, *, on_action: Send, **more: Any) -> Any:
        """An iteration: the thought and the action are known before the tool runs, the observation afterwards."""
        run = current_session()
        if run is None:
            return await super().react(on_action=on_action, **more)
        async with run.iteration() as step:

            async def deciding(decision: Any) -> None:
                step.record(thought=decision.thought, action=decision.name, arguments=decision.arguments)
                await on_action(decision)

            decision = await super().react(on_action=deciding, **more)
            if isinstance(decision, Final):
                step.record(thought=decision.thought)
                run.record(answer=decision.final)
            else:
                step.record(observation=decision.observation)
            return decision


async def ask(agent: service.Processor, flow: Flow, question: str) -> str:
    """Put a question to the agent, and do what the bus does: bring it its own requests until it has answered."""
    requests = [AgentRequest(question=question, collection="default")]
    answers: list[str] = []

    async def respond(response: AgentResponse) -> None:
        if response.end_of_dialog:
            answers.append(response.content)

    async def next(request: AgentRequest) -> None:
        requests.append(request)

    while requests and not answers:
        await agent.agent_request(request=requests.pop(0), respond=respond, next=next, flow=flow)
    return answers[0]


async def main() -> None:
    """Ask, and hold the two graphs against each other."""
    install()
    flow = Flow()
    agent = service.Processor(id="agent-manager", taskgroup=None)  # which connects to no bus until it is started
    await agent.on_tools_config(flow.workspace, TOOLS, version=1)
    trace(agent)
    print(await ask(agent, flow, QUESTION), end="\n\n")
    with Store() as store:
        store.take_in()
        (uri,) = store.find("latest")
        kept = store.session(uri)
    assert kept is not None
    compare(kept, flow)


def compare(kept: Session, flow: Flow) -> None:
    """Say which statements only one of the two graphs has."""
    ours = {(quad.subject, quad.predicate, getattr(quad.object, "text", quad.object)) for quad in describe(kept)}
    theirs = flow.statements()
    print(f"Statements of both: {len(ours & theirs)}")
    for title, only in (("of TrustGraph alone", theirs - ours), ("of ours alone", ours - theirs)):
        print(f"Statements {title}: {len(only)}")
        for subject, predicate, target in sorted(only):
            print(f"    {subject.removeprefix(kept.uri) or '/'}  {predicate.rpartition('/')[2]}  {target[:60]}")


if __name__ == "__main__":
    asyncio.run(main())
