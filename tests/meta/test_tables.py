"""Sub-collections drawn from a pair's table of counts: the law of drawing the questions themselves."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from nescio.measures import parse
from nescio.meta_evaluation import _trials, stability, swap
from nescio.meta_evaluation._tables import tally_pairs
from tests.meta.test_trials import evidence

TRIALS = 40_000
RUNS = {"x": "CCCUWWU", "y": "CWUUCWC"}


def test_disjoint_parts_follow_the_law_of_all_subsets() -> None:
    """c@1 of two runs on two disjoint pairs of seven questions: each combination of the four scores is as frequent as
    among all 210 choices of two pairs."""
    measure, data = parse("c@1"), evidence(**RUNS)
    one, other = tally_pairs(data, measure, [(0, 1)]).scores(2, 2, TRIALS, np.random.default_rng(7))
    drawn = Counter(zip(*(np.round(part, 9).ravel() for run in (one, other) for part in run), strict=True))

    def score(run: str, subset: tuple[int, ...]) -> float:
        letters = [RUNS[run][i] for i in subset]
        correct, unanswered = letters.count("C"), letters.count("U")
        return round((correct + unanswered * correct / 2) / 2, 9)

    possible: Counter[tuple[float, ...]] = Counter()
    for first in combinations(range(7), 2):
        for second in combinations([i for i in range(7) if i not in first], 2):
            possible[tuple(score(run, part) for run in "xy" for part in (first, second))] += 1
    assert possible.total() == 21 * 10
    assert set(drawn) <= set(possible)
    keys = sorted(possible)
    expected = [possible[key] * TRIALS / possible.total() for key in keys]
    assert stats.chisquare([drawn[key] for key in keys], expected).pvalue > 0.001


@pytest.mark.parametrize("part", [0, 1])
def test_each_part_of_a_large_collection_is_hypergeometric(part: int) -> None:
    """250 of 100,000 questions, 30,000 of which one run has right and 45,000 the other: SciPy's law, of either part."""
    rng, measure = np.random.default_rng(1), parse("accuracy")
    runs = {"x": 30_000, "y": 45_000}
    letters = {
        name: "".join(rng.permutation(list("C" * right + "W" * (100_000 - right)))) for name, right in runs.items()
    }
    tables = tally_pairs(evidence(**letters), measure, [(0, 1)])
    for scores, right in zip(tables.scores(250, 2, TRIALS, rng), runs.values(), strict=True):
        counts = np.rint(scores[part, 0] * 250).astype(int)
        law = stats.hypergeom(100_000, right, 250)
        edges = np.unique(law.ppf(np.linspace(0.02, 0.98, 25)).astype(int))
        seen = np.bincount(np.searchsorted(edges, counts), minlength=len(edges) + 1)
        expected = np.diff(np.concatenate([[0], law.cdf(edges), [1]])) * TRIALS
        assert stats.chisquare(seen, expected).pvalue > 0.001


def test_neither_jobs_nor_their_tasks_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs are drawn in processes of their own as they are in one."""
    rng = np.random.default_rng(2)
    data = evidence(**{f"run{i}": "".join(rng.choice(list("CWU"), 60)) for i in range(10)})
    alone = [study(data, "c@1", size=20, trials=20, fresh=True).rows for study in (stability, swap)]
    monkeypatch.setattr(_trials, "STREAMS_A_TASK", 1)
    assert [study(data, "c@1", size=20, trials=20, fresh=True, jobs=2).rows for study in (stability, swap)] == alone
