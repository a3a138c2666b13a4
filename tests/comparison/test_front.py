"""Quality and cost at once: statistics3, section 3, and statistics3-a, section 4, worked by independent scripts."""

from __future__ import annotations

from itertools import product
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pytest
from scipy.special import stdtr

import nescio
from nescio.comparison.front import front
from nescio.data.evidence import Evidence
from nescio.pipeline import load
from nescio.pipeline.options import Options
from nescio.stats.front import claims, on_front
from nescio.stats.resampling import blocks

RIGHT = np.array([[1, 0, 1, 0, 1], [1, 1, 1, 0, 1], [1, 0, 0, 0, 1], [1, 1, 0, 1, 1]])
COST = np.array([[2, 3, 2, 4, 2], [6, 5, 7, 6, 6], [3, 3, 2, 4, 3], [9, 8, 9, 7, 9]])


def test_the_front_of_five_questions_and_its_shares() -> None:
    assert on_front(RIGHT.mean(axis=1), COST.mean(axis=1)).tolist() == [True, True, False, False]
    drawn = np.array(list(product(range(5), repeat=5)))
    shares = on_front(RIGHT[:, drawn].mean(axis=2).T, COST[:, drawn].mean(axis=2).T).mean(axis=0)
    assert shares == pytest.approx([1, 2101 / 3125, 32 / 3125, 1126 / 3125], abs=1e-12)


OTHER = {
    "a": ("11101101", [0.9, 1.1, 0.8, 1.5, 1.0, 0.7, 1.4, 1.2]),
    "b": ("11001100", [0.30, 0.35, 0.40, 0.50, 0.25, 0.30, 0.55, 0.45]),
    "c": ("10001101", [0.5, 0.6, 0.4, 0.7, 0.5, 0.45, 0.65, 0.55]),
}


def table(runs: dict[str, tuple[str, Any]]) -> Any:
    rows = [
        (run, f"q{i}", "correct" if c == "1" else "incorrect", paid)
        for run, (right, cost) in runs.items()
        for i, (c, paid) in enumerate(zip(right, cost, strict=True))
    ]
    return pa.table(dict(zip(("run", "question", "outcome", "cost"), zip(*rows, strict=True), strict=True)))


def test_scores_by_quality_and_cost_say_who_is_on_the_front() -> None:
    found = nescio.score(table(OTHER), ["accuracy", "price_per_right", "mean(cost)"], resamples=2_000)
    rows = {row.run: row for row in found.tables["front"]}
    assert [rows[run].front for run in "abc"] == [True, True, False]
    assert rows["a"].cost == "price_per_right"
    by_mean = {row.run: row for row in nescio.score(table(OTHER), ["accuracy", "mean(cost)"]).tables["front"]}
    # Within four Monte Carlo errors of 10,000 resamples.
    assert [by_mean[run].share for run in "abc"] == pytest.approx([0.8230572343, 1, 0.3552531004], abs=0.02)
    # c costs more than b by .15625, p = .0006856208, but is as good: that b beats c is not shown.
    assert by_mean["c"].claim == "open"
    assert "front" not in nescio.score(table(OTHER), "accuracy").tables


def test_what_c_costs_more_than_b() -> None:
    """Statistics3-a, section 4: the paired test of costs behind a claim; of quality the two are alike."""
    cost, right = nescio.compare(table(OTHER), ["mean(cost)", "accuracy"], baseline="b", run="c")
    assert cost.spread is not None
    assert (cost.difference, cost.spread) == pytest.approx((0.15625, 0.0305273589), abs=1e-9)
    assert stdtr(7, -cost.difference / cost.spread) == pytest.approx(0.0006856208, abs=1e-9)
    assert right.difference == 0


@pytest.mark.parametrize("baseline", [None, "b"])
def test_comparisons_by_quality_and_cost_have_the_front_of_scores(baseline: str | None) -> None:
    named = ["accuracy", "mean(cost)"]
    compared = nescio.compare(table(OTHER), named, resamples=500, baseline=baseline)
    assert compared.tables["front"] == nescio.score(table(OTHER), named, resamples=500, mark=False).tables["front"]
    assert "front" not in nescio.compare(table(OTHER), "accuracy").tables
    two = nescio.compare(table(OTHER), named, baseline="b", run="c").tables["front"]
    assert [(row.run, row.front) for row in two] == [("b", True), ("c", False)]  # as good, and dearer


def test_claims_need_both_tests() -> None:
    better = np.array([[1, 0.5], [0.5, 1]])
    cheaper = np.array([[1, 0.0006856208], [0.9993, 1]])
    assert [list(one) for one in claims(better, cheaper, 0.05)] == [[False, False], [True, False]]
    both = np.array([[1, 0.04], [0.96, 1]])
    assert [list(one) for one in claims(both, both, 0.05)] == [[False, True], [False, False]]


def test_a_run_that_is_worse_and_dearer_is_beaten_and_seldom_wrongly() -> None:
    """Two systems alike: a claim that one beats the other is wrong, in at most 5% (one of two directions each)."""
    rng = np.random.default_rng(6)
    wrong, named, likes = 0, ["accuracy", "mean(cost)"], {run: ("01" * 20, np.ones(40)) for run in ("x", "y")}
    data = load(table(likes), Options(graded=("cost",))).data
    assert isinstance(data, Evidence)
    for _ in range(200):
        runs = [(rng.choice(list("01"), 40) == "1", rng.lognormal(0, 0.5, 40).round(4)) for _ in likes]
        right, cost = (np.array(column) for column in zip(*runs, strict=True))
        columns = {"correct": right.astype(np.int8), "incorrect": (~right).astype(np.int8), "user.cost": cost}
        rows = front(msgspec.structs.replace(data, columns={**data.columns, **columns}), named, 0.95, blocks(2, 0), 1)
        wrong += any(row.claim == "beaten" for row in rows)
    assert wrong / 200 <= 0.06
    worse = {"x": ("1" * 38 + "01", np.ones(40)), "y": ("01" * 20, np.linspace(2, 3, 40))}
    claim = {row.run: row.claim for row in nescio.score(table(worse), ["accuracy", "mean(cost)"]).tables["front"]}
    assert claim == {"x": "on the front", "y": "beaten"}
