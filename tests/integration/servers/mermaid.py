"""Mermaid's own parser, on Node.js, with a document in memory instead of a browser's."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.integration.servers.cache import Missing, once

__all__ = ["parsed"]

_PACKAGES = ("mermaid@11.17.2", "jsdom@29.1.1")
_PROGRAM = """\
import fs from 'node:fs';
import { JSDOM } from 'jsdom';
globalThis.window = new JSDOM('').window;
globalThis.document = window.document;
const mermaid = (await import('mermaid')).default;
const decoded = (text) => text.replace(/ﬂ°°(\\d+)¶ß/g, (_, code) => String.fromCodePoint(code));
const parsed = [];
for (const text of JSON.parse(fs.readFileSync(0, 'utf8'))) {
  await mermaid.parse(text);
  const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
  parsed.push({
    nodes: [...db.getVertices().values()].map((node) => decoded(node.text)),
    edges: db.getEdges().length,
    subgraphs: db.getSubGraphs().map((each) => decoded(each.title)),
  });
}
console.log(JSON.stringify(parsed));
"""


def parsed(texts: Sequence[str]) -> list[dict[str, Any]]:
    """What Mermaid finds in flowcharts: the texts of ``nodes`` and ``subgraphs``, and the number of ``edges``.

    Raises:
        Missing: There is no Node.js, or npm can't fetch what it should.
        subprocess.CalledProcessError: Mermaid can't read one of them.
    """
    node, npm = shutil.which("node"), shutil.which("npm")
    if not (node and npm):
        raise Missing("no Node.js; install it with npm (Debian: apt install nodejs npm)")

    def install(folder: Path) -> None:
        command = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", *_PACKAGES]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode:
            raise Missing(f"npm could not fetch {' '.join(_PACKAGES)}: {done.stderr[-500:]}")

    folder = once("-".join(_PACKAGES).replace("@", "-"), install)
    program = folder / "parse.mjs"
    program.write_text(_PROGRAM, encoding="utf-8")
    done = subprocess.run([node, program], input=json.dumps(texts), capture_output=True, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found
