"""Agreement of measures: Table 3 of the paper, and what happens at the edges."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nescio.data.evidence import Evidence
from nescio.errors import NescioError
from nescio.verbs.meta import agreement
from tests.meta.test_trials import evidence
from tests.notes import in_words
from tests.rings import together

TABLE3 = Path(__file__).parents[2] / "examples" / "table3.csv"


def graded(**columns: list[list[float]]) -> Evidence:
    """Score matrices, a row a run, with the names of the runs a, b, …"""
    cells = {name: np.array(rows, dtype=float) for name, rows in columns.items()}
    shape = next(iter(cells.values())).shape
    names = tuple("abcdefgh"[: shape[0]])
    return Evidence(names, tuple(map(str, range(shape[1]))), cells, np.zeros(shape, dtype=np.uint8))


def disagreements(found: Any) -> list[tuple[Any, ...]]:
    return [(row.place, row.how, row.run) for row in found.tables["disagreements"]]


def test_the_rankings_of_table_3() -> None:
    """Accuracy puts the two German runs the other way round than c@1: true 1234, estimated 1243 (formulas, sec. 3.5).

    The overlap at depth 3 is two of three: 1 - 0.1 · 0.9² · (1 - 2/3).
    """
    found = agreement(TABLE3, ["accuracy", "c@1"])
    (row,) = found.rows
    assert (row.measure, row.other, row.runs, row.discordant) == ("accuracy", "c@1", 4, 1)
    assert (row.tau_b, row.tau_ap, row.rbo) == pytest.approx((4 / 6, 7 / 9, 1 - 0.1 * 0.81 / 3))
    assert agreement(TABLE3, ["accuracy", "c@1"], rbo_p=0.5).rows[0].rbo == pytest.approx(1 - 0.5 * 0.25 / 3)
    assert [
        (r.place, r.how, r.run, f"{r.other_value:.2f}", f"{r.value:.2f}", r.correct, r.incorrect, r.unanswered)
        for r in found.tables["disagreements"]
    ] == [
        (1, "alike", "icia091ro", "0.58", "0.47", 237, 156, 107),
        (1, "alike", "uaic092ro", "0.47", "0.47", 236, 264, 0),
        (2, "alike", "loga092de", "0.44", "0.37", 187, 230, 83),
        (2, "alike", "base092de", "0.38", "0.38", 189, 311, 0),
    ]
    for top in (0, 1):
        assert len(agreement(TABLE3, ["accuracy", "c@1"], top=top).tables["disagreements"]) == 2 * top
    assert disagreements(agreement(TABLE3, ["c@1", "accuracy"])) == disagreements(found)


def test_questions_and_counts_tell_the_same() -> None:
    by_question = evidence(a="CCWW", b="CCWU", c="CUUU", d="WWWW")
    by_counts = [("a", 2, 2, 0), ("b", 2, 1, 1), ("c", 1, 0, 3), ("d", 0, 4, 0)]
    table = {
        name: [row[i] for row in by_counts] for i, name in enumerate(("run", "correct", "incorrect", "unanswered"))
    }
    import pyarrow as pa

    one, other = (agreement(data, ["UF", "c@1", "accuracy"]) for data in (by_question, pa.table(table)))
    assert one.rows == other.rows
    assert one.tables == other.tables


def test_opposite_preferences_are_ordered_by_both_differences() -> None:
    """Three runs in two matrices of range 1: a-b differ by .4 and -.2, a-c by .6 and -.4, b-c by .2 and -.2."""
    found = agreement(graded(s=[[0.8], [0.4], [0.2]], t=[[0.1], [0.3], [0.5]]), ["mean(s)", "mean(t)"])
    (row,) = found.rows
    assert (row.tau_b, row.discordant) == (pytest.approx(-1), 3)
    # As shares of the spreads .6 and .4: a-c 1 + 1, a-b 2/3 + 1/2, b-c 1/3 + 1/2; the larger part says who comes first.
    assert disagreements(found) == [(1, "opposite", r) for r in "ac"] + [(2, "opposite", r) for r in "ab"] + [
        (3, "opposite", r) for r in "cb"
    ]
    assert {*found.records("disagreements")[0]} == {"measure", "other", "place", "how", "run", "value", "other_value"}


def test_pairs_that_both_order_alike_or_hold_alike_are_no_disagreement() -> None:
    same = agreement(evidence(x="CCW", y="CWW", z="CWW"), ["accuracy", "UF"])
    row = same.rows[0]
    assert (row.tau_b, row.tau_ap, row.rbo) == (pytest.approx(1), 1, pytest.approx(1))  # the tie of both is no blemish
    assert row.discordant == 0
    assert not same.tables["disagreements"]


def test_a_measure_that_is_better_when_lower_is_turned_round() -> None:
    data = evidence(x="CCCW", y="CCWW", z="CWWW")
    (row,) = agreement(data, ["accuracy", "simpleqa.incorrect"]).rows
    assert (row.tau_b, row.tau_ap, row.rbo, row.discordant) == (pytest.approx(1), 1, pytest.approx(1), 0)
    assert not agreement(data, ["accuracy", "simpleqa.incorrect"]).tables["disagreements"]


def test_scores_that_differ_by_rounding_are_a_tie() -> None:
    data = graded(s=[[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.2, 0.2]], t=[[1.0, 1, 1], [2, 2, 2], [3, 3, 3]])
    assert math.isnan(agreement(data, ["mean(s)", "mean(t)"]).rows[0].tau_b)
    tiny = graded(s=[[1e-9], [2e-9], [3e-9]], t=[[1.0], [2], [3]])
    assert agreement(tiny, ["mean(s)", "mean(t)"]).rows[0].tau_b == pytest.approx(1)


def test_a_run_without_a_value_is_left_out_and_said() -> None:
    found = agreement(evidence(x="CCWU", y="CWWU", z="CUUU", silent="UUUU"), ["precision", "accuracy", "UF"])
    assert [row.runs for row in found] == [3, 3, 4]
    assert "the comparisons of precision leave out 'silent', because precision is undefined there" in in_words(
        found.notes
    )
    assert "silent" not in {row.run for row in found.tables["disagreements"] if "precision" in (row.measure, row.other)}


def test_the_edges() -> None:
    two = agreement(evidence(x="CW", y="WU"), ["accuracy", "UF"]).rows[0]
    assert (two.tau_b, two.runs) == (pytest.approx(1), 2)
    silent = agreement(evidence(x="UU", y="UU"), ["c@1", "precision", "accuracy"])
    assert [(record["tau_b"], record["tau_ap"], record["rbo"]) for record in silent.records()] == [
        (None, None, None)
    ] * 3


@together(
    "runs, measures, options, says",
    [
        ({"x": "CW", "y": "WU"}, "c@1", {}, "two measures or more"),
        ({"x": "CW"}, ["c@1", "UF"], {}, "one run"),
        ({"x": "CW", "y": "WU"}, ["c@1", "UF"], {"rbo_p": 1}, "between 0 and 1"),
        ({"x": "CW", "y": "WU"}, ["c@1", "UF"], {"top": -1}, "0 or more"),
    ],
)
def test_what_makes_no_sense_is_refused(
    runs: dict[str, str], measures: Any, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(NescioError, match=says):
        agreement(evidence(**runs), measures, **options)
