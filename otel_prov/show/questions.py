"""The commands that ask: ``otel-prov why``, ``impact``, ``diff``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.text import Text
from rich.tree import Tree

from otel_prov.ask import Affected, Difference, Node, Reason, impact, parse, why
from otel_prov.ask import diff as difference
from otel_prov.ask.diff import parting
from otel_prov.keep import Naming
from otel_prov.show.elsewhere import Sessions, from_option
from otel_prov.show.escape import json_text, one_line, visible
from otel_prov.show.page import Page, console, fold
from otel_prov.show.program import Trouble
from otel_prov.show.rows import Row, Section
from otel_prov.show.source import one, reading, source
from otel_prov.show.times import local
from otel_prov.steps import Session

__all__ = ["diff", "impact_", "why_"]
