"""Total evaluation error from files: what is asked, what is said, and a real log recounted by a plain script."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nescio

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "prompts.csv"
OUTCOME = {"C": "correct", "W": "incorrect", "U": "unanswered"}
SIX = ["CCUC", "CCWU", "CUWC", "CCCC", "WUWW", "CCUW"]


def rows(cells: list[str], run: str = "x") -> list[dict[str, Any]]:
    """A row a question, a letter a prompt."""
    return [
        {"run": run, "question": f"q{i}", "prompt": f"p{j}", "outcome": OUTCOME[letter]}
        for i, row in enumerate(cells)
        for j, letter in enumerate(row)
        if letter in OUTCOME
    ]


@pytest.mark.parametrize(
    ("measure", "value", "error", "half", "questions"),
    [
        ("accuracy", 0.5416666667, 0.1796988221, 0.4610217129, 0.1356568383),
        ("UF", 0.2916666667, 0.3189609868, 0.7923576537, 0.2450906862),
        ("c@1", 0.6545138889, 0.1954648326, 0.4852844761, 0.1495959708),
    ],
)
def test_six_questions_and_four_prompts_of_section_b_6(
    measure: str, value: float, error: float, half: float, questions: float
) -> None:
    """The worked example of statistics3-b, section 6, from a table."""
    (row,) = nescio.lab.components(rows(SIX), measure, factor=["prompt"]).rows
    assert (row.value, row.se, row.se_questions) == pytest.approx((value, error, questions), abs=1e-9)
    assert row.low is not None
    assert row.high is not None
    assert (row.high - row.low) / 2 == pytest.approx(half, abs=1e-9)
    assert row.over == ("question", "prompt")


def test_differences_are_of_equal_cells() -> None:
    other = ["CCCC", "WWWU", "CUWW", "WCCC", "CUWW", "WCUW"]
    (row,) = nescio.lab.components(rows(SIX) + rows(other, "y"), "accuracy", factor=["prompt"], baseline="y").rows
    right = {"C": 1.0, "W": 0.0, "U": 0.0}
    table = np.array(
        [[right[a] - right[b] for a, b in zip(x, y, strict=True)] for x, y in zip(SIX, other, strict=True)]
    )
    q, p = table.mean(axis=1), table.mean(axis=0)
    squares = 4 * q.var(ddof=1), 6 * p.var(ddof=1)
    left = ((table - q[:, None] - p + table.mean()) ** 2).sum() / 15
    variance = max(*squares, squares[0] + squares[1] - left) / 24
    assert (row.value, row.se) == pytest.approx((table.mean(), math.sqrt(variance)), abs=1e-9)


def test_samples_are_answers_that_are_alike() -> None:
    table = [dict(row, trial=str(k)) for row in rows(SIX) for k in range(2)]
    found = nescio.lab.components(table, "accuracy", factor=["prompt"], sample="trial")
    assert [part.part for part in found.tables["components"]] == ["question", "prompt", "question × prompt", "answer"]
    assert found.tables["components"][-1].component == pytest.approx(0)


def test_two_levels_allow_no_interval_over_them() -> None:
    table = rows([row[:2] for row in SIX])
    found = nescio.lab.components(table, "accuracy", factor=["prompt"])
    assert found.rows[0].over == ("question",)
    assert found.rows[0].low is not None
    assert "components.few_levels" in {note.code for note in found.notes}
    asked = nescio.lab.components(table, "accuracy", factor=["prompt"], over=["question", "prompt"])
    assert asked.rows[0].low is None
    assert any("there is no interval" in note.text for note in asked.notes)
    (three,) = nescio.lab.components(rows([row[:3] for row in SIX]), "accuracy", factor=["prompt"]).rows
    assert (three.over, three.low is None) == (("question", "prompt"), False)


def test_unbalanced_cells_are_clustered_and_said() -> None:
    cells = ["CCUC", "CCWU", "CUW-", "CCCC", "WUWW", "C-UW"]
    found = nescio.lab.components(rows(cells), "accuracy", factor=["prompt"])
    shares = [row.count("C") / len(row.replace("-", "")) for row in cells]
    assert found.rows[0].value == pytest.approx(sum(shares) / 6)
    assert "components" not in found.tables
    assert "components.unbalanced" in {note.code for note in found.notes}
    assert found.rows[0].low is not None


def test_a_score_that_does_not_vary_has_no_interval() -> None:
    found = nescio.lab.components(rows(["CCCC"] * 6), "accuracy", factor=["prompt"])
    assert (found.rows[0].value, found.rows[0].low) == (1.0, None)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"factor": ["judge"]}, "judge"),
        ({"factor": ["prompt", "prompt"]}, "each factor once"),
        ({"factor": ["prompt"], "over": ["judge"]}, "judge"),
        ({"factor": ["prompt"], "cost": {"judge": 1}}, "judge"),
        ({"factor": ["prompt"], "cost": {"prompt": -1}}, "at least 0"),
        ({"factor": ["prompt"], "baseline": "z"}, "z"),
        ({"factor": ["prompt"], "measures": "AURC"}, "AURC"),
    ],
)
def test_what_makes_no_sense_is_one_clear_error(options: dict[str, Any], said: str) -> None:
    table = [dict(row, confidence=0.5) for row in rows(SIX)]
    with pytest.raises(nescio.NescioError, match=said):
        nescio.lab.components(table, **options)


def test_the_example_has_a_plan() -> None:
    found = nescio.lab.components(
        EXAMPLE, "c@1", factor=["prompt"], cost={"question": 2, "prompt": 5}, per_answer=0.1, budget=300
    )
    gains = [row.per_cost for row in found.tables["next"] if row.run == "old"]
    assert gains == sorted(gains, reverse=True)
    for planned in found.tables["planned"]:
        questions, prompts = planned.levels["question"], planned.levels["prompt"]
        assert 2 * questions + 5 * prompts + 0.1 * questions * prompts <= 300 + 1e-9
