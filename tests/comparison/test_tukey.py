"""The randomised Tukey HSD test against the worked example, enumeration and a slow loop."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from msgspec.structs import replace

import nescio
from tests.notes import in_words

from .runs import evidence, matrix

TOPICS = ((0.9, 0.5, 0.1), (0.8, 0.6, 0.4))


def test_the_worked_example_exactly() -> None:
    """Two topics, three runs with means .85, .55, .25: of the 36 exchanges 30 have a largest difference of .3 or
    more, 6 of .6."""
    found = nescio.compare(matrix(*TOPICS), "mean(score)", test="tukey")
    p = {(row.baseline, row.run): row.p for row in found}
    assert p == pytest.approx({("r1", "r2"): 30 / 36, ("r2", "r3"): 30 / 36, ("r1", "r3"): 6 / 36})
    assert all(row.p_adjusted == row.p for row in found)  # they account for all pairs already
    assert [(t.test, t.comparisons) for t in found.tables["tests"]] == [("tukey", 3)]


SURE = np.array([[0.9, 0.3, 0.5, 0.7], [0.5, 0.9, 0.3, 0.7], [0.5, 0.7, 0.3, 0.9]])  # the same places in every run


@pytest.mark.parametrize("clusters", [(0, 1, 2), (0, 0, 1, 2)])
@pytest.mark.parametrize(
    ("measure", "runs"),
    [
        *((measure, {"x": "CWUC", "y": "WWCC", "z": "UCCW"}) for measure in ("c@1", "precision")),
        *((measure, {"x": "CWWC", "y": "WWCC", "z": "WCCW"}) for measure in ("AURC", "Brier")),
    ],
)
def test_p_values_are_shares_of_all_exchanges_of_rows(
    measure: str, runs: dict[str, str], clusters: tuple[int, ...]
) -> None:
    n, unit = len(clusters), np.array(clusters)
    data = evidence(**{run: letters[:n] for run, letters in runs.items()})
    data = replace(data, columns={**data.columns, "confidence": SURE[:, :n]}, clusters=unit if n > 3 else None)
    spreads = []
    for orders in product(permutations(range(3)), repeat=3):
        source = np.array(orders)[unit].T
        columns = {name: np.take_along_axis(cells, source, axis=0) for name, cells in data.columns.items()}
        values = [row.value for row in nescio.score(replace(data, columns=columns), measure, ci=None, mark=False)]
        spreads.append(np.inf if np.isnan(values).any() else max(values) - min(values))
    for row in nescio.compare(data, measure, test="tukey"):
        assert row.p == pytest.approx(np.mean([spread >= abs(row.difference) - 1e-12 for spread in spreads]))


def test_it_asks_all_runs_for_the_same_questions() -> None:
    data = matrix((0.9, 0.5, 0.1), (0.8, 0.6, np.nan), (0.7, 0.2, 0.3))
    found = nescio.compare(data, "mean(score)", test="tukey")
    assert {row.n for row in found} == {2}
    assert found.rows[0].difference == pytest.approx((0.5 + 0.2) / 2 - (0.9 + 0.7) / 2)
    assert any("all runs have the data that the measure needs" in note for note in in_words(found.notes))


def test_runs_that_are_all_alike_are_not_told_apart() -> None:
    found = nescio.compare(matrix(*[(0.5, 0.5, 0.5)] * 40), "mean(score)", test="tukey", resamples=300)
    assert {row.p for row in found} == {1}


def test_drawn_exchanges_tend_to_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four Monte Carlo errors of 4,000; nothing depends on the order of the questions, and p is never 0."""
    monkeypatch.setattr("nescio.comparison._tukey.ENUMERABLE", 0)
    found, turned = (
        nescio.compare(matrix(*topics), "mean(score)", test="tukey", resamples=4_000)
        for topics in (TOPICS, TOPICS[::-1])
    )
    for row, exact in zip(found, (30 / 36, 6 / 36, 30 / 36), strict=True):
        assert row.p == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 4_000) ** 0.5)
    assert [row.p for row in found] == [row.p for row in turned]
    sure = nescio.compare(
        matrix(*[(0.9, 0.1, 0.5 + i / 100) for i in range(40)]), "mean(score)", test="tukey", resamples=99
    )
    assert min(row.p or 1 for row in sure) == 1 / 100
