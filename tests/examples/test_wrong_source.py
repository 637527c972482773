"""The example of a source that was wrong, and the commands of docs/questions.md."""

from __future__ import annotations

from .conftest import Reader


def test_the_answers_that_rest_on_the_page_are_named_and_no_others(reader: Reader) -> None:
    done = reader.run("wrong_source.py")
    assert done.returncode == 0, done.stderr
    assert "2 answers of 2 sessions" in done.stdout
    assert "Not at 6:10 or 18:35" in done.stdout
    assert "ferry" not in done.stdout
    assert len(done.stdout.splitlines()) < 24  # one screen
