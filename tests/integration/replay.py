"""An agent's program that does again what was recorded: python replay.py FILE

FILE has recordings in JSON, by session id. A tool that failed then fails now.
"""

import contextlib
import json
import sys
from pathlib import Path

import otel_prov


@otel_prov.trace_agent(name="replay", session_id=lambda question, name, recording: name)
def replay(question, name, recording):
    for recorded in recording["steps"]:
        with otel_prov.iteration() as step:
            step.record(thought=recorded["thought"], action=recorded["action"], arguments=recorded["arguments"])
            with contextlib.suppress(LookupError), step.tool(recorded["action"], recorded["arguments"]):
                if "error" in recorded:
                    raise LookupError(recorded["error"])
            step.record(observation=recorded["observation"])
    if recording.get("final_thought") is not None:
        with otel_prov.iteration() as step:
            step.record(thought=recording["final_thought"])
    return recording["answer"]


otel_prov.install()
for name, recording in json.loads(Path(sys.argv[1]).read_text()).items():
    assert replay(recording["question"], name, recording) == recording["answer"]
print(otel_prov.losses(), flush=True)
