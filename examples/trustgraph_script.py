"""What stands around TrustGraph's agent in trustgraph_agent.py: a model that follows a script, a knowledge graph that
knows one thing, a librarian with an empty shelf, and the topic that the agent emits its triples to."""

# Not all of TrustGraph is among the development packages, and its types are loose.
# pyright: reportMissingImports=false, reportMissingModuleSource=false, reportOptionalMemberAccess=false
from __future__ import annotations

import json
from typing import Any

from trustgraph.base.prompt_client import PromptResult
from trustgraph.schema import Triples

QUESTION = "Which bridge of our town is the oldest, and how old was it in 2025?"

TOOLS = {
    "tool": {
        "knowledge": json.dumps(
            {
                "type": "knowledge-query",
                "name": "knowledge-query",
                "description": "Asks the knowledge graph of the town.",
                "collection": "default",
            }
        ),
        "reckon": json.dumps(
            {
                "type": "prompt",
                "name": "reckon",
                "description": "Works out a sum.",
                "template": "reckon",
                "arguments": [{"name": "sum", "type": "string", "description": "What to work out."}],
            }
        ),
    }
}

_SCRIPT = (
    """Thought: The graph knows the bridges and when they were built.
Action: knowledge-query
Args: {
    "question": "When was each bridge built?"
}""",
    """Thought: The mill bridge is the older one. I need its age.
Action: reckon
Args: {
    "sum": "2025 - 1871"
}""",
    """Thought: I know both.
Final Answer: The mill bridge; it was 154 years old.""",
)


class Flow:
    """A flow of TrustGraph's, as its agent sees it: services by name."""

    workspace = "default"

    def __init__(self) -> None:
        self.sent: list[Triples] = []
        self.librarian = _Librarian()
        self._services = {
            "prompt-request": _Model(),
            "graph-rag-request": _Knowledge(),
            "explainability": self,
        }

    def __call__(self, service: str) -> Any:
        """The client of a service, or the producer of a topic."""
        return self._services[service]

    async def send(self, message: Triples) -> None:
        """The agent emits triples."""
        self.sent.append(message)

    def statements(self) -> set[tuple[str, str, str]]:
        """All that the agent has said, graph by graph the same."""
        return {
            (triple.s.iri, triple.p.iri, triple.o.iri or triple.o.value)
            for each in self.sent
            for triple in each.triples
        }


class _Model:
    """The prompt service."""

    async def agent_react(self, variables: dict[str, Any], **_: Any) -> PromptResult:
        """The next turn of the script."""
        return PromptResult("text", text=_SCRIPT[len(variables["history"])])

    async def prompt(self, id: str, variables: dict[str, str]) -> PromptResult:
        """Work out a difference."""
        first, second = variables["sum"].split("-")
        return PromptResult("text", text=str(int(first) - int(second)))


class _Knowledge:
    """The service of GraphRAG."""

    async def rag(self, question: str, **_: Any) -> str:
        """The one thing that it knows."""
        return "The mill bridge was built in 1871, the station bridge in 1902."


class _Librarian:
    async def save_document(self, **_: Any) -> None:
        """Keep a text."""
