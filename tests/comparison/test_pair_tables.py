"""Many pairs tested at once have the differences and p-values that each has alone."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from nescio.comparison.each_pair import counted_pairs, single_pairs
from nescio.comparison.pair_test import exact_tests, measured_runs
from nescio.comparison.resampled_pairs import TestPlan
from nescio.comparison.summed_runs import SummedRuns
from nescio.data.evidence import NO_ROW, PRESENT, Data, Evidence, outcome_tally
from nescio.measures import parse
from nescio.stats import packed, resampling
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


def assert_compared_as_alone(data: Data, measure: str) -> None:
    """Rows and notes of all pairs, both ways round, have the bytes of the pairs laid side by side."""
    names, plan = data.runs, TestPlan(0.95, resampling.blocks(1, 0), 1, "auto")
    seen = measured_runs(data, parse(measure))
    pairs = list(permutations(range(len(names)), 2))
    lined_up = [(x, y) if names[x] <= names[y] else (y, x) for x, y in pairs]
    assert not isinstance(seen, SummedRuns)
    together = counted_pairs(seen, pairs, lined_up, plan.level)
    alone = list(single_pairs(seen, pairs, lined_up, plan))
    for found, expected in zip(together, alone, strict=True):
        assert found is None or (repr(found[0]), found[1]) == (repr(expected[0]), expected[1])
    assert all(found is not None for found in together) or measure == "precision"  # whose exchanges are no sums


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
    assert_compared_as_alone(runs_of(letters), measure)


@pytest.mark.parametrize("measure", MEASURES[:5])
@pytest.mark.parametrize("questions", [70, 2_000])
def test_large_tables_together_as_alone(measure: str, questions: int) -> None:
    rng = np.random.default_rng(questions)
    letters = ["".join(rng.choice(list("CWU-"), p=[p, 0.7 - p, 0.25, 0.05], size=questions)) for p in (0.3, 0.35, 0.5)]
    assert_together_as_alone(runs_of([*letters, letters[0]]), measure)
    assert_compared_as_alone(runs_of([*letters, letters[0]]), measure)


@pytest.mark.parametrize("measure", MEASURES)
def test_tallies_compared_as_alone(measure: str) -> None:
    """A tally tells kinds apart that a measure need not: accuracy does not know silence from errors."""
    rng = np.random.default_rng(0)
    answers = rng.choice(3, size=(5, 60), p=(0.5, 0.3, 0.2))
    answers[-1] = answers[0]  # two runs that end alike
    counts = np.stack([np.bincount(run, minlength=3) for run in answers])
    tables = packed.pair_tables(packed.pack(answers.astype(np.int8), np.arange(3, dtype=np.int8)), 60)
    names = tuple(f"run {i}" for i in range(5))
    assert_compared_as_alone(replace(outcome_tally(names, counts), pairs=tables), measure)
