"""Every measure says when to use it and works one value out by hand, and the library computes that value from the data
stated beside it.

An example reads "DATA: STEPS = NUMBER." and perhaps a remark. DATA are counts (C = 2, W = 1, U = 1), the counts of
questions that were asked again ((C, W, U) = (2, 1, 1), …), or columns, a value a question: 3×C is C, C, C, and - is an
empty cell. A step may give its value a name, which later steps use.
"""

from __future__ import annotations

import ast
import csv
import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import nescio
from nescio.data.columns import attribute
from nescio.data.evidence import Evidence
from nescio.measures import REGISTRY, Measure, parse
from nescio.pipeline import load
from tests.golden.figures import WORDS, exact, input_of
from tests.rings import together

_EXAMPLE = re.compile(r"(?:(?P<form>\S.*?\)) with )?(?P<data>[^:]+): (?P<steps>.+?)\.(?: [A-Z].*)?$")
_COLUMN = re.compile(r"([\w()]+) = (.+?)(?=[;,] [\w()]+ = |$)")
_AGAIN = "(C, W, U) = "


def parts_of(name: str) -> tuple[str, str, list[str]]:
    """The measure with its parameters, the data and the steps of an example."""
    example = _EXAMPLE.fullmatch(REGISTRY[name].example)
    assert example, f"{name}: no example that can be read: {REGISTRY[name].example!r}"
    return example["form"] or name, example["data"], example["steps"].split("; ")


def arithmetic(text: str, known: dict[str, Any]) -> Fraction | float:
    """The value of what is written as 2·R/√(4), with names that earlier steps gave."""
    text = text.replace("·", "*").replace("²", "**2").replace("√", "sqrt").replace("def", "def_").replace("%", "/100")
    return exact(re.sub(r"\|([^|]+)\|", r"abs(\1)", text), known)


def by_hand(steps: list[str]) -> tuple[float, str]:
    """The value of the last step, from its arithmetic, and the number printed for it."""
    known: dict[str, Any] = {}
    for step in steps[:-1]:
        name, side = step.split(" = ")
        known[name.replace("def", "def_")] = arithmetic(side, known)
    sides = steps[-1].split(" = ")
    assert len(sides) == 2, f"the last step is arithmetic = number: {steps[-1]}"
    return float(arithmetic(sides[0], known)), sides[1]


def cells(text: str) -> list[str]:
    """The values of a column: "2×C, U" is C, C, U."""
    times = [re.fullmatch(r"(?:(\d+)×)?(\S+)", cell) for cell in text.split(", ")]
    return [cell[2] for cell in times if cell for _ in range(int(cell[1] or 1))]


def number(cell: str) -> float:
    return math.nan if cell == "-" else float(Fraction(cell)) if cell not in ("T", "F") else float(cell == "T")


def evidence(measure: Measure, columns: dict[str, list[str]]) -> Evidence:
    """One run with the columns of a task under their full names. Of the cutoffs that trec.P@k reads one of, the others
    hold anything."""
    rows = len(next(iter(columns.values())))
    arrays = {read: np.full((1, rows), math.pi) for read in measure.reads if measure.declaration.name == "trec.P@k"}
    for name, values in columns.items():
        own = f"nuggets.{name}" if name.startswith("string_length") else name
        full = next((read for read in measure.reads if attribute(read) == name), own)
        arrays[full] = np.array([[number(value) for value in values]])
    return Evidence(("run",), tuple(map(str, range(rows))), arrays, np.zeros((1, rows), dtype=np.uint8))


def computed(form: str, data: str, folder: Path, loaded: dict[str, Any]) -> float:
    """What the library gives for the data of an example; what was loaded for another is not read again."""
    columns = {name: cells(values) for name, values in _COLUMN.findall(data)}
    if set(columns) == set("CWU"):
        return parse(form)(*(int(columns[letter][0]) for letter in "CWU"))
    given = loaded[data] if data in loaded else source(form, data, columns, folder)
    if given is None:
        given = evidence(parse(form), columns)
    elif not any(
        name.startswith("user.") for name in parse(form).reads
    ):  # which are read only where they are asked for
        given = loaded[data] = load(given).data
    return nescio.score(given, form, ci=None).rows[0].value


def source(form: str, data: str, columns: dict[str, list[str]], folder: Path) -> Any:
    """A table or files with the data of an example, None where no reader gives just these columns."""
    if data.startswith(_AGAIN):
        return input_of({"asked": ast.literal_eval(f"[{data.removeprefix(_AGAIN)}]")}, folder)
    if "same" in columns:
        return input_of(
            {"pan": {name: [number(value) for value in values] for name, values in columns.items()}}, folder
        )
    if "type" in columns or "verdict" in columns:
        return file_of(columns, folder)
    if form.startswith("mean("):
        columns["outcome"] = ["C"] * len(columns["f1"])
    return pa.table(table_of(columns)) if "outcome" in columns else None


def file_of(columns: dict[str, list[str]], folder: Path) -> Path:
    """A file with these columns, each row a question."""
    named = {"outcome" if name == "verdict" else name: values for name, values in columns.items()}
    path = folder / "run.csv"
    with path.open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["run", "question", *named])
        for row, values in enumerate(zip(*named.values(), strict=True)):
            silent = "unanswered" if "verdict" in columns else ""
            lines.writerow(["run", row, *(silent if value == "-" else value for value in values)])
    return path


def table_of(columns: dict[str, list[str]]) -> dict[str, list[Any]]:
    """A table with these columns, each row a question unless they name it."""
    rows = len(next(iter(columns.values())))
    table: dict[str, list[Any]] = {"run": ["run"] * rows, "question": [str(row) for row in range(rows)]}
    for name, values in columns.items():
        if name in ("outcome", "candidate", "answerable"):
            table[name] = [WORDS[value] for value in values]
        elif name == "question":
            table[name] = values
        else:
            table[name] = [None if value == "-" else number(value) for value in values]
    return table


def test_the_value_worked_out_by_hand_is_computed(tmp_path: Path) -> None:
    loaded: dict[str, Any] = {}

    @together("name", REGISTRY)
    def is_computed(name: str) -> None:
        form, data, steps = parts_of(name)
        value, printed = by_hand(steps)
        assert parse(form).declaration.name == name
        assert re.search(r"[+·/-]", steps[-1].split(" = ")[0]), "a number is no derivation"
        folder = tmp_path / str(len(loaded))
        folder.mkdir(exist_ok=True)
        assert computed(form, data, folder, loaded) == pytest.approx(value, rel=0, abs=1e-12)
        digits = len(printed.partition(".")[2])
        assert abs(value - float(printed)) <= 0.5 * 10.0**-digits + 1e-12, f"{value} is printed as {printed}"
        assert float(printed) not in (0, 1), "a value that most mistakes give too"

    is_computed()


def test_a_measure_says_when_to_use_it_and_what_to_take_instead() -> None:
    """What it rewards or hides is said by naming another measure that is to be read beside it or taken instead."""
    words = {name: re.compile(rf"(?<![\w.@-]){re.escape(name)}(?![\w@^-])") for name in REGISTRY}
    for name in REGISTRY:
        use = REGISTRY[name].use
        assert use.endswith(".")
        assert any(other != name and word.search(use) for other, word in words.items()), use
