"""Real sessions of agents, described and recognised again. The data lies beside the checkout, if it is there at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from otel_prov.describe import SHAPES, describe, recognise
from otel_prov.describe.formats import FORMATS, read_file, write
from otel_prov.names import session_uri
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session, Step

DATA = Path(__file__).parents[3] / "shared" / "data" / "react_sessions.jsonl"

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="needs the recorded sessions of ../shared/data")


@pytest.fixture(scope="module")
def real() -> dict[str, Session]:
    """The recorded sessions by their IRI."""
    with DATA.open(encoding="utf-8") as lines:
        found = [session(json.loads(line), number) for number, line in enumerate(lines)]
    return {session.uri: session for session in found}


def session(run: dict, number: int) -> Session:
    steps: list[Step] = [Question(run["question"])]
    for n, step in enumerate(run["steps"], 1):
        steps.append(Analysis(n, step["thought"], step["action"], json.dumps(step["arguments"])))
        if step["observation"] is not None:
            steps.append(Observation(n, step["observation"]))
    steps.append(Conclusion(run["answer"], run.get("final_thought")))
    return Session(session_uri(f"{number}-{run['source']}-{run['id']}"), tuple(steps))


@pytest.mark.parametrize("shape", SHAPES)
def test_every_real_session_comes_back_equal(real: dict[str, Session], shape: str) -> None:
    quads = (quad for session in real.values() for quad in describe(session, shape))
    assert {session.uri: session for session in recognise(quads)} == real


@pytest.mark.parametrize(("format", "shape"), list(zip(FORMATS, SHAPES * 2, strict=False)))
def test_real_sessions_come_back_equal_from_a_file(real, tmp_path: Path, format: str, shape: str) -> None:
    some = dict(list(real.items())[::25])
    path = tmp_path / f"real{FORMATS[format]}"
    with path.open("wb") as out:
        write(some.values(), format, shape, out)
    assert {session.uri: session for session in read_file(path)} == some
