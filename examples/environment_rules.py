"""What the agent of ``environment_agent.py`` thinks with: a rule for each kind of question, in place of a model.

A rule is a generator. It hands over a thought with the action to take, and is sent what the agent observed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from typing import Any

__all__ = ["think"]

Decision = tuple[str, str, dict[str, Any]]
"""Thought, action and the action's arguments."""

Thinking = Generator[Decision, Any, None]


def think(question: str) -> Thinking:
    """Begin to think about a question, by the rule that fits it."""
    for pattern, rule in _RULES.items():
        if match := re.search(pattern, question, re.IGNORECASE):
            return rule(*match.groups())
    return at_a_loss()


def finish(thought: str, answer: str) -> Decision:
    """The last thought, and the answer that follows from it."""
    return thought, "finish", {"answer": answer}


def failed(observation: Any) -> bool:
    """Whether what the agent observed is an error."""
    return isinstance(observation, str) and observation.startswith("Error: ")


def needs_licences_and_largest() -> Thinking:
    needs = yield "First, which package needs which.", "survey", {"field": "needs"}
    licences = yield "Next, the licence of each.", "survey", {"field": "licence"}
    sizes = yield "Last, how large each is on disk.", "survey", {"field": "bytes"}
    named = {package: f"{package} ({licences.get(package, 'no licence given')})" for package in sizes}
    largest = max(sizes, key=sizes.get)
    told = [f"{named[largest]} is the largest, with {sizes[largest]:,} bytes."]
    told += [f"{named[package]} needs {', '.join(needs[package])}." for package in sizes if package in needs]
    others = [named[package] for package in sizes if package not in needs]
    told += [f"{', '.join(others)} need no other package."]
    yield finish(f"I have all three for {len(sizes)} packages.", "\n".join(told))


def number_and_megabytes() -> Thinking:
    sizes = yield "The sizes of all packages tell me their number too.", "survey", {"field": "bytes"}
    sum_of_all = " + ".join(map(str, sizes.values()))
    megabytes = yield f"I add {len(sizes)} sizes up.", "calculate", {"expression": f"({sum_of_all}) / 1000000"}
    yield finish("That is both numbers.", f"{len(sizes)} packages, {megabytes:.1f} megabytes together.")


def share_of_licence(name: str) -> Thinking:
    licences = yield "I need the licence of each package.", "survey", {"field": "licence"}
    under = [package for package, licence in licences.items() if re.search(rf"\b{name}\b", licence)]
    thought = f"{len(under)} of {len(licences)} packages that name a licence name {name}."
    percent = yield thought, "calculate", {"expression": f"100 * {len(under)} / {len(licences)}"}
    yield finish("Now I can say it in percent.", f"{percent:.0f} %: {', '.join(under)}.")


def missed_by(package: str) -> Thinking:
    needs = yield f"Whoever needs {package} would miss it.", "survey", {"field": "needs"}
    missing: set[str] = set()
    newly = {package}
    while newly:
        newly = {other for other, needed in needs.items() if newly & {name.split()[0] for name in needed}} - missing
        missing |= newly
    thought = f"So would those that need one of these, and so on: {len(missing)} in all. Now its purpose."
    summary = yield thought, "look_up", {"package": package, "field": "summary"}
    yield finish("That is both.", f"{', '.join(sorted(missing)) or 'None'}. It is for: {summary}.")


def times_larger(one: str, other: str) -> Thinking:
    large = yield f"How large is {one}?", "look_up", {"package": one, "field": "bytes"}
    small = yield f"And {other}?", "look_up", {"package": other, "field": "bytes"}
    times = yield "I divide the two.", "calculate", {"expression": f"{large} / {small}"}
    if failed(times):
        yield finish("There is nothing to divide.", f"I can't say, because: {large}; {small}; {times}.")
    yield finish("That is the ratio.", f"{one} is {times:.1f} times as large as {other}.")


def longest_file(package: str) -> Thinking:
    lines = yield "I count the lines of each Python file.", "files", {"package": package, "pattern": "*.py"}
    if failed(lines) or not lines:
        yield finish("There are none to compare.", f"I found no Python file of {package}.")
    longest = max(lines, key=lines.get)
    text = yield f"{longest} is the longest. I look into it.", "read", {"package": package, "file": longest}
    answer = f"{longest} has {lines[longest]:,} lines. It begins with: {text.strip().splitlines()[0]}"
    yield finish("I see its first line.", answer)


def licence_file(package: str) -> Thinking:
    text = yield "Its name is LICENSE as a rule.", "read", {"package": package, "file": "LICENSE"}
    if failed(text):
        found = yield "Not here. Which files have such a name?", "files", {"package": package, "pattern": "*LICEN*"}
        if failed(found) or not found:
            yield finish("It came without one.", f"I found no licence file of {package}.")
        text = yield f"There is {next(iter(found))}.", "read", {"package": package, "file": next(iter(found))}
    yield finish("I see its first line.", f"It begins with: {text.strip().splitlines()[0]}")


def version_and_needs(package: str) -> Thinking:
    version = yield f"I look up {package}.", "look_up", {"package": package, "field": "version"}
    if failed(version):
        found = yield "Perhaps the name is spelled differently.", "find", {"text": package}
        if not found:
            yield finish("Nothing has such a name.", f"{package} is not installed.")
        package = found[0]
        version = yield f"It must be {package}.", "look_up", {"package": package, "field": "version"}
    needs = yield "Now what it needs.", "look_up", {"package": package, "field": "needs"}
    yield finish("That is all.", f"{package} {version}, which needs {', '.join(needs) or 'nothing'}.")


def at_a_loss() -> Thinking:
    yield finish("None of my rules fits this question.", "I don't know how to find that out.")


_RULES: dict[str, Callable[..., Thinking]] = {
    r"need which.* licen[cs]es.* largest": needs_licences_and_largest,
    r"how many packages.* megabytes": number_and_megabytes,
    r"share .*under the (\S+) licen[cs]e": share_of_licence,
    r"would miss ([\w.-]+)": missed_by,
    r"how many times larger is (\S+) than ([\w.-]+)": times_larger,
    r"file of (\S+) has the most lines": longest_file,
    r"licen[cs]e file of (\S+) begin": licence_file,
    r"which version of (?:the )?(.+?) is here, and what does it need": version_and_needs,
}
