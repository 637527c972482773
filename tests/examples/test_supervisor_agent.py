"""The example of a supervisor: what it prints is what its experts found, each in a session of its own."""

from __future__ import annotations

from importlib.metadata import version

from otel_prov.steps import Decomposition, Finding
from tests.examples.conftest import Reader


def test_a_supervisor_puts_together_what_experts_find(reader: Reader) -> None:
    done = reader.run("supervisor_agent.py", "Compare click and rich")
    assert (done.returncode, done.stderr) == (0, "")
    sessions = reader.kept()
    (supervisor,) = (told for told in sessions if told.agent == "supervisor")
    experts = {told.question.text: told for told in sessions if told.agent == "expert"}
    assert next(supervisor.of(Decomposition)).goals == ("Tell me about click", "Tell me about rich")
    findings = list(supervisor.of(Finding))
    assert [each.goal for each in findings] == ["Tell me about click", "Tell me about rich"]
    for finding, package in zip(findings, ("click", "rich"), strict=True):
        expert = experts[finding.goal]
        assert expert.caller == f"{supervisor.uri}/decompose"
        assert (finding.sub_trace, finding.text) == (f"{expert.uri}/final", expert.answer)
        assert f"{package} {version(package)}" in str(finding.text)
    assert supervisor.answer == "\n".join(str(finding.text) for finding in findings)
    assert done.stdout.startswith(f"{supervisor.answer}\n")
