"""What a person sees: the command ``otel-prov``. It draws steps; only ``import`` of OTLP files meets spans."""
