"""``otel-prov validate``: files and sessions, valid or not, and whatever else somebody may give it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from otel_prov.describe import SHAPES
from otel_prov.describe.formats import FORMATS

from .sessions import a_session, uri

Call = Callable[..., Result]
Keep = Callable[..., None]
Run = Callable[..., subprocess.CompletedProcess[bytes]]

VALID = "<urn:x:e> <http://www.w3.org/ns/prov#wasGeneratedBy> <urn:x:a> ."
WRONG = f"{VALID}\n<urn:x:d> <http://www.w3.org/ns/prov#wasDerivedFrom> <urn:x:a> ."


@pytest.mark.parametrize("format", FORMATS)
def test_sessions_exported_in_any_format_are_validated(call: Call, keep: Keep, tmp_path: Path, format: str) -> None:
    keep(a_session(1), a_session(2))
    for view, code in [("prov", 0), ("explanation", 1)]:
        file = tmp_path / f"{view}{FORMATS[format]}"
        call("export", "-o", file, "--view", view)
        result = call("validate", file, expect=code)
        assert result.stdout.startswith(f"{file}: {'not ' if code else ''}valid PROV")


@pytest.mark.parametrize("shape", SHAPES)
def test_sessions_of_the_store_are_valid_as_prov_and_not_as_trustgraph_reads_them(
    call: Call, keep: Keep, shape: str
) -> None:
    keep(a_session(1), a_session(2))
    assert call("validate", "--all").stdout == "2 of 2 valid PROV.\n"
    assert call("validate", "latest").stdout.startswith(f"{uri(2)}: valid PROV")
    result = call("validate", "--all", "--view", "explanation", "--shape", shape, expect=1)
    assert result.stdout.splitlines()[-1] == "0 of 2 valid PROV."
    assert result.stdout.count(" 55 entity-activity-disjoint, graph urn:graph:retrieval\n") == 2


def test_all_sessions_are_all_of_them_not_the_newest(call: Call, keep: Keep) -> None:
    keep(*map(a_session, range(1, 53)))
    assert call("validate", "--all").stdout == "52 of 52 valid PROV.\n"


def test_each_violation_is_named_by_number_with_its_nodes_and_a_sentence(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "a.nq"
    file.write_text(WRONG)
    assert call("validate", file, expect=1).stdout == (
        f"{file}: not valid PROV, 1 violation\n"
        "  55 entity-activity-disjoint\n"
        "     <urn:x:a> is an entity, as the object of prov:wasDerivedFrom from <urn:x:d>,"
        " and an activity, as the object of prov:wasGeneratedBy from <urn:x:e>\n"
    )


def test_json_is_for_programs(call: Call, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.nt", tmp_path / "bad.ttl"
    good.write_text(VALID)
    bad.write_text(WRONG)
    first, second = json.loads(call("validate", good, bad, "--json", expect=1).stdout)
    assert first == {"source": str(good), "valid": True, "violations": []}
    assert second["valid"] is False
    (violation,) = second["violations"]
    assert violation.pop("sentence").startswith("<urn:x:a> is an entity")
    assert violation == {
        "constraint": 55,
        "name": "entity-activity-disjoint",
        "graph": None,
        "nodes": ["urn:x:a"],
    }


def test_standard_input_is_read_where_its_format_is_given(run: Run) -> None:
    assert run("validate", "-", "--format", "ntriples", input=VALID.encode()).stdout.startswith(b"-: valid PROV")
    assert b"give --format" in run("validate", "-", input=VALID.encode(), expect=2).stderr


def test_the_shapes_are_printed(call: Call) -> None:
    assert "sh:NodeShape" in call("validate", "--shapes").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Name files or sessions"),
        (["--all", "x.ttl"], "--all goes with no others"),
        (["missing.ttl"], "cannot read missing.ttl: No such file"),
        (["nobody"], "no sessions"),
        (["--all"], "no sessions"),
    ],
)
def test_a_mistake_is_one_line_and_code_2(call: Call, folder: Path, arguments: list[str], said: str) -> None:
    stderr = call("validate", *arguments, expect=2).stderr
    assert said in stderr
    assert stderr.count("\n") == 1


LAUGHS = f"""<?xml version="1.0"?>
<!DOCTYPE rdf [<!ENTITY a0 "ha">{"".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))}]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description>&a11;</rdf:Description></rdf:RDF>
"""
HOSTILE = {
    "laughs.ttl": LAUGHS.encode(),
    "nul.nq": b"\0" * 1000,
    "latin.nt": VALID.replace("urn:x:e", "urn:x:é").encode("latin-1"),
    "utf16.ttl": VALID.encode("utf-16"),
    "cut.trig": b"<urn:x:g> { <urn:x:e> ",
    "space.ttl": b"<urn:x:a b> a <urn:x:c> .",
    "brace.nq": b"<urn:x:{a}> <urn:x:p\n> <urn:x:c> .",
    "tag.nt": b'<urn:x:a> <urn:x:p> "text"@en_US! .',
    "deep.ttl": b"<urn:x:a> <urn:x:p> " + b"[<urn:x:p> " * 50_000,
    "deep.jsonld": b'{"@graph":' + b"[" * 100_000,
    "remote.jsonld": b'{"@context": "http://127.0.0.1:9/c.jsonld", "@id": "urn:x:a"}',
    "nan.jsonld": b'{"@context": "http://127.0.0.1:9/c.jsonld", "@id": "urn:x:a", "urn:x:p": NaN}',
    "twice.jsonld": b'{"@context": {}, "@context": "http://127.0.0.1:9/c.jsonld", "@id": "urn:x:a"}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_cannot_be_read_is_told_in_one_line(call: Call, tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_bytes(HOSTILE[name])
    result = call("validate", file, expect=2)
    assert result.stdout == ""
    assert result.stderr.startswith(f"otel-prov: {file} ")
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 500 + len(str(file))


@pytest.mark.parametrize("name", ["laughs.rdf", "laughs.xml", "laughs"])
def test_import_does_not_laugh_either(call: Call, tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(LAUGHS)
    assert call("import", file, expect=1).stderr.startswith(f"otel-prov: {file} is not RDF")


def test_an_entity_from_elsewhere_is_not_read(call: Call, tmp_path: Path) -> None:
    secret, file = tmp_path / "secret", tmp_path / "a.rdf"
    secret.write_text("the secret")
    head = f'<!DOCTYPE rdf [<!ENTITY a SYSTEM "{secret.as_uri()}">]>'
    file.write_text(
        LAUGHS.replace(LAUGHS.splitlines()[1], head).replace("&a11;", '<p xmlns="https://trustgraph.ai/ns/">&a;</p>')
    )
    assert "the secret" not in call("import", file, expect=1).stderr


@pytest.mark.parametrize(("command", "code"), [("validate", 2), ("import", 1)])
def test_a_file_of_a_gigabyte_is_refused_before_it_is_parsed(
    call: Call, tmp_path: Path, command: str, code: int
) -> None:
    file = tmp_path / "large.nq"
    with file.open("wb") as out:
        out.truncate(10**9)
    assert "is larger than 100 MB" in call(command, file, expect=code).stderr


def test_no_terminal_obeys_what_is_shown(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "a.nq"
    file.write_text(WRONG.replace("<urn:x:a>", "<urn:x:\\u202ea\\u2028>"))
    result = call("validate", file, expect=1)
    assert "\\u202e" in result.stdout
    assert "\u202e" not in result.stdout
    assert len(result.stdout.splitlines()) == 3
