"""How far answers without a grade may move a value: the bound that gates use, beside all ways to grade them.

Derivation of the bound. Let x be the shares of the kinds of answer among the graded ones, x' those of all, and s the
share of the questions that has no grade. Then x' - x = s (a - b) for two mixtures a and b of kinds. On the line from x
to x' a quadratic form f(z) = z'Qz rises by 2 (Qz)'(x' - x) at z, so by at most 2 s max |Q_ik - Q_jk|. By hand:

- accuracy has Q_CC = 1, Q_CW = Q_CU = 1/2 and 0 elsewhere: 2 * 1/2 = 1, the range of a mean.
- c@1 = C(1 + U/n)/n has Q_CC = 1, Q_CW = 1/2, Q_CU = 1 and 0 elsewhere: 2 * (Q_CU - Q_WU) = 2.
"""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import pytest

import nescio
from nescio.measures import parse
from nescio.scoring.lost_answers import lost
from tests.laws.catalogue import MEASURES

OUTCOMES = ("correct", "incorrect", "unanswered")
MEANS = ("accuracy", "UF", "UF01", "coverage", "omniscience_index", "formula((2*C-W)/n)")
PROVEN = [name for name in MEASURES if math.isfinite(parse(name).slope)]


@pytest.mark.parametrize(("name", "slope"), [("accuracy", 1), ("UF", 2), ("coverage", 1), ("c@1", 2)])
def test_the_slope_that_is_derived_by_hand(name: str, slope: float) -> None:
    assert parse(name).slope == pytest.approx(slope)
    assert parse(name).is_mean == (name != "c@1")


@pytest.mark.parametrize(
    "name",
    ["precision", "non_hallucination", "eq6", "simpleqa.F", "Brier", "AURC", "formula(2*C-W)", "formula(C*C/n)"],
)
def test_measures_of_which_nothing_is_proven(name: str) -> None:
    """Their denominator, or their order, or their size depends on the answers."""
    assert parse(name).slope == math.inf


@pytest.mark.parametrize("name", PROVEN)
def test_no_way_to_grade_moves_a_value_by_more(name: str) -> None:
    measure, rng = parse(name), random.Random(11)
    if not measure.counts_outcomes:
        pytest.skip("it reads more than three counts")
    for _ in range(60):
        graded = [rng.randint(0, 40) for _ in range(3)]
        left_out = rng.randint(1, 9)
        if not sum(graded):
            continue
        value, share = measure(*graded), left_out / (sum(graded) + left_out)
        for right, wrong in itertools.product(range(left_out + 1), repeat=2):
            if right + wrong <= left_out:
                silent = left_out - right - wrong
                moved = measure(graded[0] + right, graded[1] + wrong, graded[2] + silent) - value
                assert abs(moved) <= measure.slope * share + 1e-12


def values_of(rows: list[dict[str, object]], name: str, *, paired: bool, **options: Any) -> tuple[float, float]:
    """Return the value of the new run, or its difference, and how far the answers that are left out may move it."""
    if paired:
        made = nescio.compare(rows, name, baseline="old", run="new", resamples=20, **options)
        return made.rows[0].difference, lost(made, name, "new", "old").shift
    scores = nescio.score(rows, name, ci=None, **options)
    return next(row.value for row in scores if row.run == "new"), lost(scores, name, "new").shift


@pytest.mark.parametrize("name", ["accuracy", "UF", "c@1"])
@pytest.mark.parametrize("paired", [False, True])
def test_questions_that_were_asked_unequally_often(name: str, paired: bool) -> None:
    """Two answers are left out, and graded in all nine ways. The bound holds for each that leads below 0, which the
    gates ask about: a run that is ahead by D and loses a share s of the questions may fall by s D more."""
    rng, finite = random.Random(5), 0
    for _ in range(12):
        repeats = [rng.choice((1, 2, 6)) for _ in range(24)]
        rows: list[dict[str, object]] = [
            {"run": run, "question": f"q{q}", "repeat": k, "outcome": rng.choice(OUTCOMES)}
            for run in (("old", "new") if paired else ("new",))
            for q, times in enumerate(repeats)
            for k in range(times)
        ]
        blank = rng.sample([row for row in rows if row["run"] == "new"], 2)
        graded = []
        for way in itertools.product(OUTCOMES, repeat=2):
            for row, outcome in zip(blank, way, strict=True):
                row["outcome"] = outcome
            graded.append(values_of(rows, name, paired=paired)[0])
        for row in blank:
            row["outcome"] = "ungraded"
        value, shift = values_of(rows, name, paired=paired, ungraded="exclude")
        finite += math.isfinite(shift)  # a tenth of the questions decides nothing
        lowest = value - shift
        assert min(graded) >= (min(lowest, 0.0) if paired else lowest) - 1e-12
    assert finite > 6


@pytest.mark.parametrize("name", MEANS)
def test_means_are_called_means(name: str) -> None:
    assert parse(name).is_mean
