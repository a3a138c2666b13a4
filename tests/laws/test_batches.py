"""One seed, one result: whatever is computed at once, and in however many processes, every byte is the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module

import pytest

import nescio
from nescio.data.evidence import Evidence
from nescio.data.results import Results
from nescio.stats import ordered, parallel
from nescio.verbs.meta import power, stability, swap
from tests.laws.catalogue import of_today, varied

BATCHES = (
    ("nescio.stats.resampling", "WEIGHTS_AT_ONCE"),
    ("nescio.scoring.resampled", "CELLS_AT_ONCE"),
    ("nescio.scoring.resampled", "VALUES_AT_ONCE"),
    ("nescio.comparison.pair_test", "ROWS_AT_ONCE"),
    ("nescio.stats.resampling", "PICKS_AT_ONCE"),
    ("nescio.stats.sums", "UNITS_AT_ONCE"),
    ("nescio.measures._measure", "MOST_CELLS"),
    ("nescio.measures._order", "MOST_CELLS"),
    ("nescio.meta_evaluation._trials", "COMPARISONS_AT_ONCE"),
    ("nescio.meta_evaluation._trials", "STREAMS_A_TASK"),
    ("nescio.meta_evaluation._scorers", "CELLS_AT_ONCE"),
    ("nescio.meta_evaluation.power", "CELLS_AT_ONCE"),
    ("nescio.measures._measure", "_ROWS_AT_ONCE"),
)
SOME = ["c@1", "mean(graded)", "AURC(fd-shifts)", "AUROC", "ECE"]
MATRICES = ["smECE", "ECE_if_calibrated", "PRR(0.6)", "error_AUPR", "FPR@95TPR"]  # products of matrices
Study = Callable[[Evidence, int], Results]

# More resamples than one block of 256 where blocks are drawn.
STUDIES: dict[str, Study] = {
    "score": lambda data, jobs: nescio.score(data, SOME, resamples=300, seed=3, mark=False, jobs=jobs),
    "score by products of matrices": lambda data, jobs: nescio.score(data, MATRICES, resamples=40, seed=3, jobs=jobs),
    "score by percentiles": lambda data, jobs: nescio.score(
        data, of_today("batches"), interval="percentile", resamples=30, mark=False, jobs=jobs
    ),
    "compare": lambda data, jobs: nescio.compare(
        data, SOME, test="permutation", resamples=260, seed=3, baseline="run 0", jobs=jobs
    ),
    "compare by products of matrices": lambda data, jobs: nescio.compare(
        data, MATRICES[:2], test="permutation", resamples=20, seed=3, jobs=jobs
    ),
    "tukey": lambda data, jobs: nescio.compare(data, SOME, test="tukey", resamples=20, seed=3, jobs=jobs),
    "stability": lambda data, jobs: stability(data, SOME, trials=300, seed=3, jobs=jobs),
    "stability, fresh": lambda data, jobs: stability(data, SOME, trials=50, seed=3, fresh=True, jobs=jobs),
    "swap": lambda data, jobs: swap(data, SOME, trials=300, seed=3, jobs=jobs),
    "swap, fresh": lambda data, jobs: swap(data, SOME, trials=50, seed=3, fresh=True, jobs=jobs),
    "swap of one measure": lambda data, jobs: swap(data, "c@1", trials=50, seed=3, fresh=True, jobs=jobs),
    "power": lambda data, jobs: power(data, SOME, resamples=260, seed=3, jobs=jobs),
}
of_every_study = pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)


@contextmanager
def batches_of_seven() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module, name in BATCHES:
            patch.setattr(import_module(module), name, 7)
        patch.setattr(parallel, "BLOCKS_A_TASK", 1)
        patch.setattr(parallel, "CHEAP", 0)
        yield


@of_every_study
def test_what_is_computed_at_once_changes_no_bit(study: Study) -> None:
    data = varied(60, runs=3)
    whole = study(data, 1).to_dict()
    with batches_of_seven():
        assert repr(study(data, 1).to_dict()) == repr(whole)


@pytest.mark.slow
@of_every_study
def test_processes_change_no_bit(study: Study) -> None:
    data = varied(60, runs=3)
    whole = study(data, 1).to_dict()
    with batches_of_seven():
        assert repr(study(data, 2).to_dict()) == repr(whole)


@pytest.mark.slow
@of_every_study
def test_a_table_is_wider_without_numba_and_every_bit_the_same(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    data = varied(40, runs=3)
    monkeypatch.setattr(ordered, "CELLS_BEFORE_COMPILED", -1)
    compiled = study(data, 1).to_dict()
    monkeypatch.setattr(ordered, "CELLS_BEFORE_COMPILED", 10**18)
    monkeypatch.setattr(ordered, "is_compiled", lambda: False)
    assert repr(study(data, 1).to_dict()) == repr(compiled)
