"""Numbers beside answers that nescio judges: measures average them, and files that it writes keep them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.errors import FormatError

ASKED = [{"id": f"q{i}", "question": f"Where is {i}?", "answers": [f"Town {i}"]} for i in range(4)]
# the costs of the answers to four questions, of which the last is wrong
ONCE: list[list[Any]] = [[0.25], [0.5], [0.75], [1.5]]
TWICE: list[list[Any]] = [[0, 0.5], [0.25, 0.75], [0.5, 1], [1, 2]]


def answers(costs: list[list[Any]]) -> list[dict[str, Any]]:
    return [
        {"id": f"q{i}", "answer": f"Town {i if i < 3 else 'unknown'}", "repeat": k, "cost_usd": cost}
        for i, of_question in enumerate(costs)
        for k, cost in enumerate(of_question, 1)
    ]


def files(folder: Path, costs: list[list[Any]], form: str) -> list[Path]:
    """Write the answers as a table beside gold answers, or as a run beside questions in JSON Lines."""
    if form == "runs":
        for name, rows in (("questions.jsonl", ASKED), ("mine.jsonl", answers(costs))):
            (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return [folder / "questions.jsonl", folder / "mine.jsonl"]
    names = ("id", "answer", *(("repeat",) if len(costs[0]) > 1 else ()), "cost_usd")
    lines = [f"mine,Town {row['id'][1:]},{','.join(str(row[name]) for name in names)}" for row in answers(costs)]
    table = folder / "answers.csv"
    table.write_text(f"run,gold,question,{','.join(names[1:])}\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return [table]


@pytest.mark.parametrize("form", ["table", "runs"])
@pytest.mark.parametrize("costs", [ONCE, TWICE])
def test_measures_read_numbers_beside_answers(tmp_path: Path, form: str, costs: list[list[Any]]) -> None:
    """The costs of the four questions add up to 3, and three answers are right."""
    given = files(tmp_path, costs, form)
    scores = nescio.score(given, ["mean(cost_usd)", "price_per_right(cost_usd)", "accuracy"])
    values = [scores["mine", name].value for name in ("mean(cost_usd)", "price_per_right(cost_usd)", "accuracy")]
    assert values == pytest.approx([0.75, 1, 0.75])


@pytest.mark.parametrize("form", ["table", "runs"])
def test_what_is_no_number_is_refused_where_a_measure_reads_it(tmp_path: Path, form: str) -> None:
    costs = [*ONCE[:3], ["dear"]]
    given = files(tmp_path, costs, form)
    assert nescio.score(given, "accuracy")["mine", "accuracy"].value == 0.75
    with pytest.raises(FormatError, match=r"line [45]: mean\(cost_usd\) reads this"):
        nescio.score(given, "mean(cost_usd)")


def test_an_outcome_table_of_judged_answers_keeps_their_numbers(tmp_path: Path) -> None:
    written = tmp_path / "outcomes.csv"
    nescio.convert(files(tmp_path, ONCE, "table"), written)
    assert nescio.score(written, "mean(cost_usd)")["mine", "mean(cost_usd)"].value == 0.75


def test_a_format_without_a_place_for_numbers_says_so(tmp_path: Path) -> None:
    """The two answers to a question differ in cost, so that no cost is a property of the question."""
    done = nescio.convert(files(tmp_path, TWICE, "table"), tmp_path / "native", to="questions")
    assert "1 column of scores (cost_usd)" in str(done.notes)
