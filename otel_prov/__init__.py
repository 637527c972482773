"""OpenTelemetry tracing for ReAct agent loops whose spans also become W3C PROV-O."""
