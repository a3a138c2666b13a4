"""Kinds of tables that people made, each from a hidden truth of two runs: read as that, or asked about by what is at
issue, and read as that by the options that the message names."""

from __future__ import annotations

import json
import random
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.errors import SPELLING, NescioError, in_shell
from nescio.pipeline import Options, load
from tests.rings import together
from tests.tables.reading import counts_of
from tests.tables.table import RIGHT, SILENT, WRONG, Row

RUNS, SIZE = ("alpha", "beta"), 12
States = dict[str, list[str]]


def truth(seed: int) -> States:
    chance = random.Random(seed)
    states = {
        run: [RIGHT, WRONG, SILENT, SILENT, SILENT, *chance.choices((RIGHT, WRONG, SILENT), k=SIZE - 5)] for run in RUNS
    }
    for of_run in states.values():
        chance.shuffle(of_run)
    return states


def rows(
    states: States, cells: Callable[[str, int], Row], question: str = "question_id", run: str = "model"
) -> list[Row]:
    return [
        {question: f"q{i}", run: name, **cells(s, i)} for name, of_run in states.items() for i, s in enumerate(of_run)
    ]


def read(tmp_path: Path, document: Any, **options: Any) -> tuple[Any, str]:
    """Return the counts (right, wrong, silent, ungraded) by run, or the message; and the notes."""
    path = tmp_path / "table.json"
    path.write_text(json.dumps(document))
    before = SPELLING.set(in_shell)
    try:
        loaded = load(path, Options(**options))
    except NescioError as error:
        return str(error), ""
    finally:
        SPELLING.reset(before)
    counts = counts_of(loaded)
    return counts and {run: tuple(own)[:4] for run, own in counts.items()}, "\n".join(map(str, loaded.notes))


def counted(states: States, silence: int = 2) -> dict[str, tuple[int, ...]]:
    """Count what is right, wrong, silent and ungraded; silence stands at the place `silence`."""
    made = {}
    for run, of_run in states.items():
        counts = [of_run.count(RIGHT), of_run.count(WRONG), 0, 0]
        counts[silence] += of_run.count(SILENT)
        made[run] = tuple(counts)
    return made


def said(right: Any, wrong: Any, silent: Any) -> dict[str, Any]:
    return {RIGHT: right, WRONG: wrong, SILENT: silent}


KINDS = tomllib.loads(Path(__file__).with_name("kinds.toml").read_text(encoding="utf-8"))
MARKS: dict[str, Callable[[int], Any]] = {"<i>": lambda i: i, "<i%3>": lambda i: i % 3, "<null>": lambda _: None}


def table_of(kind: Mapping[str, Any], states: States) -> list[Row]:
    def cell(value: Any, s: str, i: int) -> Any:
        if isinstance(value, list):
            value = value[(RIGHT, WRONG, SILENT).index(s)]
        if value in MARKS:
            return MARKS[value](i)
        return value.format(i=i) if isinstance(value, str) else value

    cells = kind["cells"].items()
    return rows(states, lambda s, i: {name: cell(value, s, i) for name, value in cells}, *kind.get("names", ()))


@together("name", KINDS["read"])
def test_a_table_is_read_at_once(tmp_path: Path, name: str) -> None:
    kind, states = KINDS["read"][name], truth(4)
    assert read(tmp_path, table_of(kind, states))[0] == counted(states, 1 if "silence" in kind else 2)


@together("name", KINDS["asked"])
def test_a_table_is_asked_about_and_read_by_what_is_answered(tmp_path: Path, name: str) -> None:
    kind = KINDS["asked"][name]
    states = truth(kind.get("seed", 4))
    table = table_of(kind, states)
    message, _ = read(tmp_path, table)
    assert isinstance(message, str), message
    assert [part for part in kind["message"] if part not in message] == [], message
    options = {option: kind[option] for option in ("column", "outcome_map", "declined_pattern") if option in kind}
    assert read(tmp_path, table, **options)[0] == counted(states, 1 if "silence" in kind else 2)


@together("word", ["error", "judge_error", "exception: error"])
def test_an_error_beside_a_word_for_wrong_answers_is_no_grade(tmp_path: Path, word: str) -> None:
    states = truth(1)
    found, _ = read(tmp_path, rows(states, lambda s, _: {"verdict": said("pass", "fail", word)[s]}), ungraded="exclude")
    if isinstance(found, str):  # of a word that nobody knows
        assert word in found
    else:
        assert {run: own[:3] for run, own in found.items()} == {r: (*c[:2], 0) for r, c in counted(states).items()}


def test_a_title_above_a_sheet_is_left_out(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    states, path = truth(7), tmp_path / "table.xlsx"
    table = rows(states, lambda s, _: {"verdict": said("right", "wrong", "declined")[s]})
    book = openpyxl.Workbook()
    for line in (["Results of October"], [], list(table[0]), *(list(row.values()) for row in table)):
        book.active.append(line)
    book.save(path)
    loaded = load(path, Options())
    assert {run: tuple(own)[:4] for run, own in (counts_of(loaded) or {}).items()} == counted(states)
    assert any("1 row above the header left out ('Results of October')" in str(note) for note in loaded.notes)


def test_yes_and_no_are_answers_where_the_gold_answers_are(tmp_path: Path) -> None:
    """Gold yes or no beside what was got, under a name that says nothing: no verdict, but an answer to be judged."""
    path, got = tmp_path / "t.csv", ["yes", "no", "no", "no", "yes"]
    lines = [f"{i},q{i}?,{'yes' if i % 3 else 'no'},{got[i % 5]}" for i in range(30)]
    path.write_text("\n".join(["qid,question,expected,got", *lines]) + "\n")
    with pytest.raises(NescioError, match=re.escape('{"prediction": "got"}')):
        nescio.score(path)
    right = sum(("yes" if i % 3 else "no") == got[i % 5] for i in range(30))
    row = nescio.score(path, "accuracy", column={"prediction": "got"}).rows[0]
    assert (row.value, row.n) == (pytest.approx(right / 30), 30)
