"""One seed, one result: whatever is computed at once, every byte is the same."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

import nescio
from nescio.data.results import Results
from nescio.stats import ordered
from nescio.verbs.meta import power, stability, swap

from .catalogue import varied

BATCHES = (
    ("nescio.scoring.resampled", "WEIGHTS_AT_ONCE"),
    ("nescio.scoring.resampled", "CELLS_AT_ONCE"),
    ("nescio.scoring.resampled", "VALUES_AT_ONCE"),
    ("nescio.comparison.pair_test", "ROWS_AT_ONCE"),
    ("nescio.stats.resampling", "PICKS_AT_ONCE"),
    ("nescio.stats.sums", "UNITS_AT_ONCE"),
    ("nescio.stats.ordered", "CELLS_BEFORE_COMPILED"),
    ("nescio.measures._measure", "MOST_CELLS"),
    ("nescio.measures._order", "MOST_CELLS"),
    ("nescio.meta_evaluation._trials", "COMPARISONS_AT_ONCE"),
    ("nescio.meta_evaluation._scorers", "CELLS_AT_ONCE"),
    ("nescio.meta_evaluation.power", "CELLS_AT_ONCE"),
    ("nescio.measures._measure", "_ROWS_AT_ONCE"),
)
MEASURES = ["c@1", "accuracy", "mean(graded)", "AURC", "AURC(fd-shifts)", "AUROC", "AP", "ECE", "penalty(t=0.75)"]


def everything() -> list[Results]:
    data = varied(60, runs=4)
    some: dict[str, Any] = {"resamples": 300, "seed": 3}  # more than one block of 256
    return [
        nescio.score(data, MEASURES, **some),
        nescio.compare(data, MEASURES, test="permutation", **some),
        nescio.compare(data, MEASURES, test="tukey", **some),
        stability(data, MEASURES, trials=300, seed=3),
        stability(data, MEASURES, trials=50, seed=3, fresh=True),
        swap(data, MEASURES, trials=300, seed=3),
        swap(data, MEASURES, trials=50, seed=3, fresh=True),
        power(data, MEASURES, **some),
    ]


@pytest.mark.slow
def test_a_table_is_wider_without_numba_and_every_bit_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def rows() -> list[str]:
        data = varied(60, runs=3)
        scores = nescio.score(data, MEASURES, resamples=600, seed=3)
        return [*map(repr, scores), *map(repr, nescio.compare(data, MEASURES, test="permutation", resamples=600))]

    monkeypatch.setattr(ordered, "CELLS_BEFORE_COMPILED", -1)
    compiled = rows()
    monkeypatch.setattr(ordered, "CELLS_BEFORE_COMPILED", 10**18)
    monkeypatch.setattr(ordered, "is_compiled", lambda: False)
    assert rows() == compiled


def test_what_is_computed_at_once_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [repr(found.to_dict()) for found in everything()]
    for module, name in BATCHES:
        monkeypatch.setattr(import_module(module), name, 7)
    for found, earlier in zip(everything(), before, strict=True):
        assert repr(found.to_dict()) == earlier


def test_measures_that_are_products_of_matrices_change_no_bit_either(monkeypatch: pytest.MonkeyPatch) -> None:
    data = varied(60, runs=2)
    names = ["smECE", "ECE_if_calibrated", "PRR(0.6)", "error_AUPR", "FPR@95TPR"]

    def rows() -> list[str]:
        scored = nescio.score(data, names, resamples=100, seed=3)
        compared = nescio.compare(data, names[:2], test="permutation", resamples=100, seed=3)
        return [*map(repr, scored), *map(repr, compared)]

    before = rows()
    for module, name in BATCHES:
        monkeypatch.setattr(import_module(module), name, 7)
    assert rows() == before
