"""What the agent of retrieving.py selects in its knowledge graph."""

EDGES = [
    {
        "edge": ("https://example.org/pump/7", "https://example.org/stands-in", "https://example.org/hall/north"),
        "concept": "place",
        "score": 0.9375,
    },
    {
        "edge": ("https://example.org/pump/7", "https://example.org/note", 'Repaired in "Zürich"\n東京 <3>'),
        "concept": "repair",
        "score": 0.5,
        "reasoning": "It says who did it.",
    },
]
