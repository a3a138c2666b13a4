"""Bands of risk-coverage curves against the binomial law, against clusters that say the same thing several times, and
at their edges."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from scipy.stats import binom

from nescio.data.evidence import Evidence
from nescio.pipeline import Options, load
from nescio.selective.bands import risk_band
from nescio.selective.curve import OneRun, curve_of, one_run
from nescio.stats.intervals import wilson


def read(path: Path, rows: list[tuple[str, str, float, str]]) -> OneRun:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(
            [("run", "question", "outcome", "confidence", "cluster"), *(("a", *r) for r in rows)]
        )
    data = load([path], Options()).data
    assert isinstance(data, Evidence)
    return one_run(data, "a")


def questions(n: int, wrong: int, copies: int = 1) -> list[tuple[str, str, float, str]]:
    """Questions of one confidence, so many of them wrong, each so many times in a cluster of its own."""
    return [
        (f"q{i:04}-{copy}", "incorrect" if i < wrong else "correct", 0.9, f"c{i:04}")
        for i in range(n)
        for copy in range(copies)
    ]


def test_where_all_is_answered_the_risk_is_a_binomial_share(tmp_path: Path) -> None:
    """Of 400 answers 100 are wrong. A resample has Binomial(400, 1/4) wrong ones, whose quantiles are known."""
    run = read(tmp_path / "one.csv", [(q, o, c, q) for q, o, c, _ in questions(400, 100)])
    ((low, high),) = risk_band(run, curve_of(run), resamples=4096)
    assert low == pytest.approx(binom.ppf(0.025, 400, 0.25) / 400, abs=0.004)
    assert high == pytest.approx(binom.ppf(0.975, 400, 0.25) / 400, abs=0.004)


def test_a_question_asked_four_times_is_one_question(tmp_path: Path) -> None:
    """Four copies in a cluster add nothing: the band is that of 100 questions, twice as wide as that of 400."""
    run = read(tmp_path / "four.csv", questions(100, 25, copies=4))
    ((low, high),) = risk_band(run, curve_of(run), resamples=4096)
    assert low == pytest.approx(binom.ppf(0.025, 100, 0.25) / 100, abs=0.011)
    assert high == pytest.approx(binom.ppf(0.975, 100, 0.25) / 100, abs=0.011)


def test_where_no_answer_is_wrong_the_band_says_how_many_might_be(tmp_path: Path) -> None:
    run = read(tmp_path / "none.csv", [(f"q{i:02}", "correct", 0.9, f"q{i:02}") for i in range(20)])
    (bounds,) = risk_band(run, curve_of(run))
    assert bounds == wilson(0, 20, 0.95)


def test_the_band_is_of_the_coverage_and_not_of_the_threshold(tmp_path: Path) -> None:
    """The surer half is right in 90 of 100, the other in 50 of 100. At a coverage of half, a resample with fewer sure
    answers takes in unsure ones: by hand, the variance of the risk is .1 * .9 / 100 and that of the share of unsure
    ones taken in, of which .5 instead of .1 are wrong: E max(0, 100 - N)^2 / 100^2 * .4^2 with N of Binomial(200, .5)
    has a second moment of 25, so .16 * .0025 at most. The half width is 1.96 * sqrt(.0009 + .0004) at most."""
    rows = [(f"q{i:03}", "incorrect" if i < 10 else "correct", 0.9, f"q{i:03}") for i in range(100)]
    rows += [(f"r{i:03}", "incorrect" if i < 50 else "correct", 0.4, f"r{i:03}") for i in range(100)]
    run = read(tmp_path / "half.csv", rows)
    (low, high), (_, _) = risk_band(run, curve_of(run), resamples=4096)
    naive = 1.96 * (0.1 * 0.9 / 100) ** 0.5
    widest = 1.96 * (0.0009 + 0.0004) ** 0.5
    assert 2 * naive * 0.97 < high - low < 2 * widest * 1.03
    assert high - 0.1 > 0.1 - low  # what is taken in is worse, never better


def test_an_empty_curve_has_an_empty_band(tmp_path: Path) -> None:
    run = read(tmp_path / "some.csv", questions(10, 5))
    assert risk_band(run, ()) == ()
