"""Stability and swap rates: the exhaustive toy example, the published procedure run as it is, and sane answers at
the edges."""

from __future__ import annotations

import math
import runpy
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import nescio
from nescio.data.evidence import PRESENT, Evidence
from nescio.meta_evaluation import stability, swap
from nescio.meta_evaluation.stability import book
from nescio.meta_evaluation.swap import bins
from nescio.pipeline import load
from tests.notes import in_words
from tests.rings import many

SHARED = Path(__file__).parents[2].parent / "shared"
OUTCOMES = SHARED / "data" / "mmlu_pro" / "outcomes.parquet"
PEER = SHARED / "peers" / "literal_meta.py"


def evidence(**runs: str) -> Evidence:
    """Runs spelled as C, W and U."""
    cells = {
        name: np.array([[letter == spelled for letter in run] for run in runs.values()], dtype=np.int8)
        for name, spelled in (("correct", "C"), ("incorrect", "W"), ("unanswered", "U"))
    }
    cells["answered"] = 1 - cells["unanswered"]
    count = len(next(iter(runs.values())))
    return Evidence(
        tuple(runs), tuple(map(str, range(count))), cells, np.full((len(runs), count), PRESENT, dtype=np.uint8)
    )


# By hand, over the six subsets of two of the four questions, the complement as the other half: (error rate, ties) at a
# fuzziness of .05, equal scores being ties, and (bin, swaps, comparisons) of the bins that are not empty.
TOY = {
    "accuracy": ((2 / 6, 2 / 6), [(1, 0, 2), (21, 4, 4)]),
    "UF": ((2 / 6, 1 / 6), [(1, 0, 1), (21, 4, 5)]),
    "c@1": ((2 / 6, 1 / 6), [(1, 0, 1), (21, 4, 5)]),
}


@pytest.mark.parametrize("measure", TOY)
def test_the_toy_example_exactly(measure: str) -> None:
    toy = evidence(x="CCUW", y="CWCW")
    (row,) = stability(toy, measure, size=2, trials=None, fuzziness=[0.05]).rows
    (error_rate, ties), filled = TOY[measure]
    assert (row.error_rate, row.ties, row.comparisons) == (pytest.approx(error_rate), pytest.approx(ties), 6)
    found = swap(toy, measure, size=2, trials=None)
    assert len(found.rows) == 21
    assert [(b.bin, b.swaps, b.comparisons) for b in found if b.comparisons] == filled
    assert all(math.isnan(b.swap_rate) for b in found if not b.comparisons)


def test_the_counters_of_figure_1_and_the_reading_of_figure_2() -> None:
    """By hand, accuracy of CCUW and CWCW on the six pairs of questions: 2 to 2, 2 to 1 (twice), 1 to 1, 0 to 1, 1 to 0
    and so on; the toy example above has an error rate of 2/6 and 2/6 ties, so EQ is 2 and the smaller GT 2."""
    toy = evidence(x="CCUW", y="CWCW")
    found = stability(toy, "accuracy", size=2, trials=None, fuzziness=[0.05, 0.9], counters=True, at_ties=[0.4, 0.01])
    first, last = found.tables["counters"]
    assert (first.x, first.y, first.eq_xy, first.gt_xy, first.gt_yx) == ("x", "y", 2, 2, 2)
    assert (last.eq_xy + last.gt_xy + last.gt_yx, last.fuzziness) == (6, 0.9)
    points = [(row.ties, row.error_rate) for row in found]
    (t0, e0), (t1, e1) = points
    between, before = found.tables["at_ties"]
    if t1 > t0:
        assert between.error_rate == pytest.approx(e0 + (e1 - e0) * (0.4 - t0) / (t1 - t0))
    assert math.isnan(before.error_rate)


@pytest.mark.parametrize("fresh", [False, True])
def test_the_counters_add_up_to_the_rates(fresh: bool) -> None:
    runs = evidence(c="CCUWCWUCWC", a="CWCWUCUWCC", b="WWCUCCUWCU")
    found = stability(runs, ["c@1", "accuracy"], size=4, trials=30, fresh=fresh, literal=True, counters=True)
    for row in found:
        own = [c for c in found.tables["counters"] if (c.measure, c.fuzziness) == (row.measure, row.fuzziness)]
        assert [(c.x, c.y) for c in own] == list(combinations("abc", 2))
        total = sum(c.eq_xy + c.gt_xy + c.gt_yx for c in own)
        assert total == row.comparisons == 90
        assert row.ties == pytest.approx(sum(c.eq_xy for c in own) / total)
        assert row.error_rate == pytest.approx(sum(min(c.gt_xy, c.gt_yx) for c in own) / total)


def test_two_scores_of_zero_tie_unless_the_figure_is_taken_literally() -> None:
    silent = evidence(x="UUUU", y="UUUU")
    assert stability(silent, "c@1", size=2).rows[0].ties == 1
    literal = stability(silent, "c@1", size=2, literal=True).rows[0]
    assert (literal.ties, literal.error_rate) == (0, 0)  # always booked for the second run


def test_bins_open_at_hundredths_exactly() -> None:
    assert bins(np.array([0.29 - 0.0, 0.3 - 0.1, 0.19, 0.18999, 0.0, 0.07, 1.0])).tolist() == [20, 20, 19, 18, 0, 7, 20]
    assert (np.arange(21) == bins(np.arange(21) / 100)).all()


def test_booking_is_the_figure_comparison_by_comparison() -> None:
    rng = np.random.default_rng(3)
    one, other = rng.integers(-5, 6, size=(2, 7, 40)) / 10
    grid = np.array([0.01, 0.1, 0.5])
    ahead, behind, equal, lost = book(one, other, grid)
    assert lost == 0
    for pair in range(7):
        for at, f in enumerate(grid):
            tied = [
                abs(a - b) < abs(f * max(a, b)) - 1e-9 or abs(a - b) < 1e-9
                for a, b in zip(one[pair], other[pair], strict=True)
            ]
            first = [a > b and not tie for a, b, tie in zip(one[pair], other[pair], tied, strict=True)]
            assert (ahead[pair, at], equal[pair, at]) == (sum(first), sum(tied))
    assert ((ahead + behind + equal) == 40).all()


# ---- how sub-collections are drawn ----


@pytest.mark.sampled
@pytest.mark.parametrize("fresh", [True, False])
def test_disjoint_parts_follow_the_law_of_all_subsets(fresh: bool) -> None:
    """c@1 of two runs on two disjoint sets of three of seven questions: each difference, swapped or not, is as frequent
    as among all 140 choices."""
    runs = {"x": "CCCUWWU", "y": "CWUUCWC"}

    def score(run: str, subset: tuple[int, ...]) -> float:
        correct, unanswered = ([runs[run][i] for i in subset].count(letter) for letter in "CU")
        return (correct + unanswered * correct / 3) / 3

    possible: Counter[tuple[int, bool]] = Counter()
    for first in combinations(range(7), 3):
        for second in combinations([i for i in range(7) if i not in first], 3):
            one, other = (score("x", part) - score("y", part) for part in (first, second))
            possible[min(int(abs(one) * 100 + 1e-9), 20) + 1, one * other < 0] += 1
    trials = many(5_000, 40_000)
    rows = swap(evidence(**runs), "c@1", size=3, trials=trials, fresh=fresh).rows
    seen = {(row.bin, False): row.comparisons - row.swaps for row in rows} | {
        (row.bin, True): row.swaps for row in rows
    }
    assert sum(seen[key] for key in possible) == trials
    expected = [possible[key] * trials / possible.total() for key in possible]
    assert stats.chisquare([seen[key] for key in possible], expected).pvalue > 0.001


@pytest.mark.sampled
def test_parts_of_a_large_collection_are_hypergeometric() -> None:
    """250 of 100,000 questions, 8,000 of which one run has right and the other none, by SciPy's law."""
    trials, letters = many(2_000, 40_000), list("C" * 8_000 + "W" * 92_000)
    data = evidence(x="".join(np.random.default_rng(1).permutation(letters)), y="W" * 100_000)
    rows = swap(data, "accuracy", size=250, trials=trials, fresh=True).rows
    law = stats.hypergeom(100_000, 8_000, 250).pmf(np.arange(251))
    expected = trials * np.bincount(bins(np.arange(251) / 250), law, minlength=21)
    seen, often = np.array([row.comparisons for row in rows]), expected >= 5
    table = ([*each[often], each[~often].sum()] for each in (seen, expected))
    assert stats.chisquare(*table).pvalue > 0.001


@pytest.mark.skipif(
    not (OUTCOMES.exists() and PEER.exists()), reason="the shared data and peers are not beside the checkout"
)
@pytest.mark.parametrize("fresh", [False, True])
def test_real_data_agree_with_the_published_procedure_as_printed(fresh: bool) -> None:
    peer = runpy.run_path(str(PEER))
    data = load(OUTCOMES).data
    assert isinstance(data, Evidence)
    few = data.take_runs([0, 7, 11, 13, 15])
    code = np.where(few.columns["correct"] == 1, 1, np.where(few.columns["unanswered"] == 1, 2, 0))
    table, trials, grid = dict(zip(few.runs, code, strict=True)), 150, [0.02, 0.1]
    for measure in ("accuracy", "c@1"):
        printed = peer["stability"](table, measure, 250, trials, grid, np.random.default_rng(0))
        for row in stability(few, measure, size=250, trials=trials, fuzziness=grid, fresh=fresh):
            assert (row.error_rate, row.ties) == pytest.approx(
                printed[row.fuzziness], abs=5 * (0.25 / (10 * trials)) ** 0.5
            )


def test_several_sizes_are_each_as_if_alone() -> None:
    data = evidence(x="CCWWCUCW" * 5, y="CWCWCCUW" * 5, z="WWCWCCUU" * 5)
    measures = ["c@1", "accuracy"]
    both = stability(data, measures, size=[10, 20])
    assert both.signature["size"] == "10+20"
    for size in (10, 20):
        assert tuple(row for row in both if row.size == size) == stability(data, measures, size=size).rows
    needs = swap(data, measures, size=(10, 20)).tables["sensitivity"]
    assert [(need.measure, need.size) for need in needs] == [(m, n) for m in measures for n in (10, 20)]
    alone = swap(data, "c@1", size=20)
    assert str(needs[1]) == str(alone.tables["sensitivity"][0])  # NaN is what it is


def test_the_edges() -> None:
    same = evidence(x="CWUCW", y="CWUCW")
    found = swap(same, "c@1")
    assert found.rows[0].comparisons == 100
    assert sum(b.swaps for b in found) == 0
    assert stability(same, "c@1").signature["size"] == "2"  # half of an odd number of questions, rounded down
    silent = stability(evidence(x="UUU", y="UUU"), "precision")
    assert silent.rows[0].comparisons == 0
    assert "undefined score" in in_words(silent.notes)[0]
    refusals: list[tuple[Callable[[], object], str]] = [
        (lambda: stability(evidence(x="C", y="W"), "c@1"), "one question"),
        (lambda: stability(evidence(x="CW"), "c@1"), "one run"),
        (lambda: swap(same, "c@1", size=3), "two disjoint sub-collections of 3"),
        (lambda: stability(same, "c@1", size=6), "cannot be drawn"),
        (lambda: stability(same, "c@1", size=[2, 2]), "the same number twice"),
        (lambda: nescio.meta.stability(same, "c@1", fuzziness=[2]), "between 0 and 1"),
        (lambda: swap(same, "c@1", size=2, trials=None), "only if each has half"),
    ]
    for broken, says in refusals:
        with pytest.raises(nescio.NescioError, match=says):
            broken()
