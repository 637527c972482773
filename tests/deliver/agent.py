"""An agent's program: python agent.py SESSIONS [WAIT]

With WAIT, a file, it begins one more session, acts, says so, and goes on when the file is there. It records something
every few milliseconds meanwhile.
"""

import sys
import time
from pathlib import Path

import otel_prov
from otel_prov.record import worker

worker._PAUSE = worker._LONGEST_PAUSE = 0.2


def run(name: str) -> None:
    with otel_prov.session(f"Why {name}?", session_id=name, name="agent") as session:
        for number in (1, 2):
            with otel_prov.iteration() as step:
                step.record(thought=f"thought {number}", action="look", arguments={"at": number})
                step.record(observation=f"seen {number}")
        session.record(answer="Because.")


otel_prov.install()
for number in range(int(sys.argv[1])):
    run(f"{sys.argv[3] if len(sys.argv) > 3 else 's'}-{number}")
if len(sys.argv) > 2 and sys.argv[2] != "-":
    with otel_prov.session("Why at all?", session_id="last") as session:
        with otel_prov.iteration() as step:
            step.record(thought="Hm.", action="wait", arguments={})
            print("acting", flush=True)
            while not Path(sys.argv[2]).exists():
                time.sleep(0.01)
                step.record(arguments={})
            step.record(observation="It is there.")
        with otel_prov.iteration() as step:
            step.record(thought="So that is it.")
        session.record(answer="It had to be.")
print(otel_prov.losses(), flush=True)
