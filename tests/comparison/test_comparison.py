"""Paired comparison against enumeration by hand and by brute force."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

import nescio
from nescio.comparison.best import mark
from nescio.comparison.corrections import adjust
from nescio.errors import UnknownNameError
from nescio.pipeline import Options, load

from .runs import evidence


def c_at_1(letters: str) -> Fraction:
    n, right, silent = len(letters), letters.count("C"), letters.count("U")
    return (right + silent * Fraction(right, n)) / n


def test_the_p_value_tends_to_that_of_full_enumeration() -> None:
    x, y = "CCUWCUCC", "WCWUUCWC"
    observed = abs(c_at_1(x) - c_at_1(y))
    swapped = [
        abs(
            c_at_1("".join(b if s else a for a, b, s in zip(x, y, swaps, strict=True)))
            - c_at_1("".join(a if s else b for a, b, s in zip(x, y, swaps, strict=True)))
        )
        for swaps in itertools.product((0, 1), repeat=len(x))
    ]
    exact = sum(value >= observed for value in swapped) / len(swapped)
    found = nescio.compare(evidence(x=x, y=y), "c@1", baseline="y", resamples=20_000).rows[0]
    assert found.difference == pytest.approx(float(c_at_1(x) - c_at_1(y)))
    assert found.p is not None
    assert abs(found.p - exact) < 4 * (exact * (1 - exact) / 20_000) ** 0.5 + 1 / 20_000


def test_identical_runs_are_not_told_apart() -> None:
    found = nescio.compare(evidence(x="CWUC", y="CWUC"), ["c@1", "accuracy", "precision"])
    verdict = "no difference seen, too few questions to rule one out"
    assert [(row.difference, row.p, row.verdict) for row in found] == [(0, 1, verdict)] * 3


def test_the_verdict_knows_which_way_is_better() -> None:
    data = evidence(x="C" * 30 + "W" * 10, y="C" * 10 + "W" * 30)
    found = nescio.compare(data, ["accuracy", "simpleqa.incorrect"], baseline="y").rows
    assert [(row.difference, row.verdict) for row in found] == [(0.5, "better"), (-0.5, "better")]


def test_corrections_by_hand() -> None:
    # Holm: 0.01·4, max(0.04, 0.02·3), max(0.06, 0.03·2), max(0.06, 0.04·1); BH: min over later of p·4/rank
    assert adjust([0.01, 0.02, 0.03, 0.04], "holm") == pytest.approx([0.04, 0.06, 0.06, 0.06])
    assert adjust([0.01, 0.02, 0.03, 0.04], "bh") == pytest.approx([0.04, 0.04, 0.04, 0.04])
    assert adjust([0.04, None, 0.01], "holm") == [pytest.approx(0.04), None, pytest.approx(0.02)]
    assert adjust([0.5, 0.9], "none") == [0.5, 0.9]


def test_jobs_change_no_bit() -> None:
    data = evidence(x="CCUWCUCC" * 50, y="WCWUUCWC" * 50)
    clustered = replace(data, clusters=np.arange(400))
    one, two = (nescio.compare(clustered, "c@1", resamples=12_000, jobs=jobs) for jobs in (1, 2))
    assert one.rows == two.rows


def test_no_difference_is_plain_zero_whichever_way_round() -> None:
    for names in (("a", "b"), ("b", "a")):
        row = nescio.compare(evidence(**dict.fromkeys(names, "CWUC")), "c@1").rows[0]
        assert [str(value) for value in (row.difference, row.low, row.high)] == ["0.0", "nan", "nan"]


def test_a_comparison_needs_a_level() -> None:
    with pytest.raises(nescio.UsageError, match="ci takes a level in percent"):
        nescio.compare(evidence(x="CW", y="WC"), "c@1", ci=None)  # type: ignore[arg-type]


UNGRADED = """run,question,outcome
good,q1,correct
good,q2,correct
good,q3,
good,q4,unanswered
bad,q1,correct
bad,q2,incorrect
bad,q3,incorrect
bad,q4,
third,q1,correct
third,q2,incorrect
third,q3,incorrect
third,q4,correct
"""


def test_ungraded_answers_make_a_least_and_a_greatest_difference(tmp_path: Path) -> None:
    """good has 2 or 3 of 4, bad 1 or 2, third 2: a run is not compared with itself, and no extreme with one alike."""
    path = tmp_path / "outcomes.csv"
    path.write_text(UNGRADED)
    found = nescio.compare(path, "accuracy", ungraded="bounds")
    assert [(row.run, row.baseline, row.difference) for row in found] == [
        ("bad [ungraded wrong]", "good [ungraded right]", -0.5),
        ("bad [ungraded right]", "good [ungraded wrong]", 0.0),
        ("third", "good [ungraded right]", -0.25),
        ("third", "good [ungraded wrong]", 0.0),
        ("third", "bad [ungraded right]", 0.0),
        ("third", "bad [ungraded wrong]", 0.25),
    ]
    assert "ranks" not in found.tables
    assert any(note.code == "comparison.bounds" for note in found.notes)
    against = nescio.compare(path, "accuracy", ungraded="bounds", baseline="good")
    assert [(row.run, row.baseline) for row in against] == [(row.run, row.baseline) for row in found][:4]
    one_way = nescio.compare(path, "accuracy", ungraded="bounds", baseline="good [ungraded wrong]")
    assert [(row.run, row.difference) for row in one_way] == [
        ("bad [ungraded wrong]", -0.25),
        ("bad [ungraded right]", 0.0),
        ("third", 0.0),
    ]
    with pytest.raises(UnknownNameError, match="unknown run 'best'"):
        nescio.compare(path, "accuracy", ungraded="bounds", baseline="best")


def test_two_extremes_of_one_run_get_no_marks(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.csv"
    path.write_text(UNGRADED)
    loaded = load(path, Options(ungraded="bounds"))
    for every in (True, False):
        assert {row.best for row in mark(nescio.score(loaded, "accuracy", ci=None), loaded, every=every)} == {None}


def test_runs_that_no_question_can_be_compared_on_are_undefined_and_say_so() -> None:
    result = nescio.compare(evidence(x="CCUW", y="WCWU", z="CCCC"), "disagreement", resamples=300)
    assert all(np.isnan(row.difference) and row.n == 0 for row in result)
    assert [row.p_best for row in result.tables["ranks"]] == [None] * 3
