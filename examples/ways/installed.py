"""A program that sets up nothing but for one call, which makes a tracer provider as the variables say.

python installed.py
"""

from __future__ import annotations

from agent import answer

from otel_prov import install

install()

print(answer("Which pump needs oil?"))
