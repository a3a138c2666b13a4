"""Many pairs tested at once have the differences and p-values that each has alone."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nescio.comparison.pair_test import exact_tests, measured_runs
from nescio.data.evidence import NO_ROW, PRESENT, Evidence
from nescio.measures import parse
from nescio.stats.exact_p_values import exact_p

MEASURES = ("c@1", "accuracy", "UF", "coverage", "penalty(t=0.75)", "precision")


def runs_of(letters: list[str]) -> Evidence:
    """Runs spelled as C, W, U and - for a question that a run lacks."""
    spelled = np.array([list(run) for run in letters])
    cells = {
        name: (spelled == letter).astype(np.int8)
        for name, letter in (("correct", "C"), ("incorrect", "W"), ("unanswered", "U"))
    }
    cells["answered"] = cells["correct"] + cells["incorrect"]
    absence = np.where(spelled == "-", NO_ROW, PRESENT).astype(np.uint8)
    names = tuple(f"run {i}" for i in range(len(letters)))
    return Evidence(names, tuple(f"q{i:04}" for i in range(spelled.shape[1])), cells, absence)


def alone(data: Evidence, measure: str, runs: tuple[int, int]) -> tuple[float, float | None]:
    """Lay two runs side by side, and exchange their labels."""
    pair = measured_runs(data, parse(measure)).pair(*runs)
    observed = math.nan if pair is None else float(pair.resampled(pair.counts))
    if pair is None or math.isnan(observed):
        return math.nan, math.nan
    exchanges = pair.exchanges()
    return observed, exact_p(*exchanges, observed) if exchanges else None


def assert_together_as_alone(data: Evidence, measure: str) -> None:
    pairs = list(permutations(range(len(data.runs)), 2))
    seen = measured_runs(data, parse(measure))
    assert seen.tables(pairs) is not None
    found = [(test.difference, test.p) for test in exact_tests(seen, pairs)]
    assert equal(found, [alone(data, measure, runs) for runs in pairs])
    # And whoever is tested with them.
    assert equal(found[:3], [(test.difference, test.p) for pair in pairs[:3] for test in exact_tests(seen, [pair])])


def equal(found: list[tuple[float, float | None]], expected: list[tuple[float, float | None]]) -> bool:
    """To the last bit; what is undefined, or not to be had exactly, is so in both."""
    return np.array_equal(np.array(found, dtype=float), np.array(expected, dtype=float), equal_nan=True)


@settings(max_examples=30)
@given(
    st.integers(1, 12).flatmap(
        lambda n: st.lists(st.text(alphabet="CWU-", min_size=n, max_size=n), min_size=2, max_size=4)
    ),
    st.sampled_from(MEASURES),
)
def test_together_as_alone(letters: list[str], measure: str) -> None:
    if all(set(run) == {"-"} for run in letters):
        return
    assert_together_as_alone(runs_of(letters), measure)


@pytest.mark.parametrize("measure", MEASURES[:5])
@pytest.mark.parametrize("questions", [70, 2_000])
def test_large_tables_together_as_alone(measure: str, questions: int) -> None:
    rng = np.random.default_rng(questions)
    letters = ["".join(rng.choice(list("CWU-"), p=[p, 0.7 - p, 0.25, 0.05], size=questions)) for p in (0.3, 0.35, 0.5)]
    assert_together_as_alone(runs_of([*letters, letters[0]]), measure)
