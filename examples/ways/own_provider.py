"""A program with a tracer provider and exporters of its own: one more span processor beside those.

python own_provider.py
"""

from __future__ import annotations

from agent import answer
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

from otel_prov import ProvSpanProcessor

provider = TracerProvider(resource=Resource.create({"service.name": "pump-station"}))
provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter()))  # what the program had before
provider.add_span_processor(ProvSpanProcessor())
trace.set_tracer_provider(provider)

print(answer("Which pump needs oil?"))
