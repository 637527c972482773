"""From finished, and running, spans to the journal. All that runs in the agent's process beside the instrumentation."""
