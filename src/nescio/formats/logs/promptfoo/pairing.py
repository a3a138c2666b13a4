"""Which tests of several promptfoo files are the same: a number says so within a file alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nescio.data.notes import Note, note
from nescio.errors import MismatchError
from nescio.formats.logs.graded import Graded

OWN = ("sessionId",)  # variables that the tool sets for each answer, as it does those that begin with an underscore
_SHOWN = 120  # characters of a test in a message


class FileOfTests(Struct, frozen=True):
    """The rows of a file, and what is asked in each of its tests, by the name that they have in it."""

    label: str
    rows: Sequence[Graded]
    asked: Mapping[str, str]


def asked_of(results: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return what each test of a file asks, by its number: its variables; where it has none, its prompt, if the tests
    have different ones, and else nothing: a prompt without variables may be changed from file to file."""
    first: dict[int, Mapping[str, Any]] = {}
    prompts: dict[int, set[str]] = {}
    for result in results:
        first.setdefault(result["testIdx"], result)
        prompts.setdefault(result["promptIdx"], set()).add(_prompt(result))
    vary = any(len(texts) > 1 for texts in prompts.values())
    return {name_of(n): _variables(result) or (_prompt(result) if vary else "") for n, result in first.items()}


def name_of(number: int) -> str:
    """Return what a test is called."""
    return f"test {number}"


def _variables(result: Mapping[str, Any]) -> str:
    held, test = result.get("vars"), result.get("testCase")
    if not held and isinstance(test, dict):
        held = test.get("vars")
    if isinstance(held, dict):
        held = {name: value for name, value in held.items() if name not in OWN and not str(name).startswith("_")}
    return json.dumps(held, sort_keys=True, ensure_ascii=False, default=str) if held else ""


def _prompt(result: Mapping[str, Any]) -> str:
    prompt = result.get("prompt")
    text = prompt.get("raw") if isinstance(prompt, dict) else prompt
    return text if isinstance(text, str) else ""


def paired(files: Sequence[FileOfTests], notes: list[Note]) -> list[Graded]:
    """Return the rows of all files, a test having the same name wherever it stands: its number where the files agree
    on what each number asks; else that of the first file that asks the same.

    Raises MismatchError where they disagree, and a file asks nothing that stands in another, or the same in several of
    its tests.
    """
    disagreement = _disagreement(files)
    if disagreement is None:
        return [row for file in files for row in file.rows]
    _check(files, *disagreement)
    names: dict[str, str] = {}
    free = 0
    for file in files:
        for name, asked in file.asked.items():
            names.setdefault(asked, name if file is files[0] else name_of(free))
            free = max(free, int(names[asked].removeprefix("test ")) + 1)
    name, one, other = disagreement
    notes.append(
        note(
            "promptfoo.paired",
            "{first} and {second} have different tests under one number (the first is {test}): tests are "
            "paired by what they ask and numbered as in {given}",
            first=one.label,
            second=other.label,
            test=name,
            given=files[0].label,
        )
    )
    return [replace(row, question=names[file.asked[row.question]]) for file in files for row in file.rows]


def _disagreement(files: Sequence[FileOfTests]) -> tuple[str, FileOfTests, FileOfTests] | None:
    """Return the first test that asks something else in a later file than in the first that has it, and both files."""
    first: dict[str, FileOfTests] = {}
    for file in files:
        for name, asked in file.asked.items():
            before = first.setdefault(name, file)
            if before.asked[name] != asked:
                return name, before, file
    return None


def _check(files: Sequence[FileOfTests], name: str, one: FileOfTests, other: FileOfTests) -> None:
    """Raise MismatchError where tests cannot be paired by what they ask."""
    for file in sorted(files, key=lambda file: "" not in file.asked.values()):
        elsewhere = {asked for another in files if another is not file for asked in another.asked.values()}
        if "" in file.asked.values():
            why = f"some tests of {file.label} have no variables by which to pair them"
        elif len({*file.asked.values()}) < len(file.asked):
            why = f"several tests of {file.label} ask the same, so that they cannot be paired by it"
        elif elsewhere.isdisjoint(file.asked.values()):
            why = f"no test of {file.label} is in another file"
        else:
            continue
        raise MismatchError(
            f"{one.label} and {other.label} have different tests under one number: {name} is "
            f"{_short(one.asked[name])} in the first and {_short(other.asked[name])} in the second; {why}. Give "
            "files of the same tests in the same order, or score each file on its own"
        )


def _short(text: str) -> str:
    return (text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…") or "one without variables"
