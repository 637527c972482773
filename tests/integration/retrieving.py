"""An agent's program whose tools retrieve: python retrieving.py [CALLER]

With the IRI of an iteration it is the other process that one of the tools asks.
"""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from retrieving_edges import EDGES

import otel_prov
from otel_prov import current_iteration, current_retrieval, iteration, tool, trace_agent, trace_retrieval


@trace_retrieval(source="plant", parameter="asked")
def ask_graph(asked, session_id=None):
    current_retrieval().record(concepts=["place", "repair"])
    current_retrieval().record(edges=[None] * 120, entities=["https://example.org/pump/7"])
    current_retrieval().record(selected=EDGES)
    return "In the north hall."


def ask_documents(call=None, session_id=None):
    with trace_retrieval(
        "Who repaired it?", kind="document", source="manual", caller=call, session_id=session_id
    ) as found:
        found.record(concepts=["repair"], chunks=["urn:chunk:a", "urn:chunk:b", "urn:chunk:c"])
        found.record(selected=[{"chunk": "urn:chunk:b", "score": 0.75}])
        found.record(answer="Ann did.")
    return "Ann did."


@trace_agent(name="clerk", session_id="inner")
def ask_clerk(question):
    with iteration() as step:
        step.record(thought="I know.", action="remember", arguments={}, observation="in May")
    return "In May."


@trace_agent(name="engineer", session_id="outer")
def engineer(question):
    for action, act in (
        ("knowledge-query", lambda call: ask_graph("Where is pump 7?")),
        ("document-query", lambda call: ThreadPoolExecutor(1).submit(ask_documents, call).result()),
        ("clerk", lambda call: ask_clerk("When was that?")),
        ("elsewhere", lambda call: elsewhere(current_iteration().uri)),
    ):
        with iteration() as step:
            step.record(thought=f"I try {action}.", action=action, arguments={"with": action})
            with tool(action) as call:
                call.record(act(call))
    return "In the north hall; Ann, in May."


def elsewhere(caller):
    done = subprocess.run([sys.executable, __file__, caller], capture_output=True, text=True, check=True)
    return done.stdout.strip()


otel_prov.install()
if len(sys.argv) > 1:
    with trace_retrieval("Is it well now?", source="sensors", caller=sys.argv[1], session_id="remote") as remote:
        remote.record(answer="It is.")
    print("It is.")
else:
    engineer("What of pump 7?")
    ask_documents(session_id="alone")
    print(otel_prov.losses(), flush=True)
