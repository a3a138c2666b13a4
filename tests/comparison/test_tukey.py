"""The randomised Tukey HSD test against the worked example, enumeration and a slow loop."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

import nescio
from nescio.comparison._tukey import align_runs, largest_differences
from nescio.data.evidence import Evidence
from nescio.measures import parse
from tests.laws.catalogue import placed
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


def test_by_hand_enumeration_of_an_outcome_measure() -> None:
    runs = {"x": "CWU", "y": "WWC", "z": "UCC"}

    def c_at_1(letters: tuple[str, ...]) -> float:
        right, silent, n = letters.count("C"), letters.count("U"), len(letters)
        return (right + silent * right / n) / n

    columns = list(zip(*runs.values(), strict=True))
    spreads = []
    for exchanged in product(*[list(permutations(column)) for column in columns]):
        values = [c_at_1(run) for run in zip(*exchanged, strict=True)]
        spreads.append(max(values) - min(values))
    found = nescio.compare(evidence(**runs), "c@1", test="tukey")
    for row in found:
        observed = abs(c_at_1(tuple(runs[row.run])) - c_at_1(tuple(runs[row.baseline])))
        assert row.p == pytest.approx(np.mean([spread >= observed - 1e-12 for spread in spreads]))


def test_random_exchanges_tend_to_the_enumeration() -> None:
    data = evidence(x="CCUWCW", y="WCWUUC", z="WWUCWW")
    together = align_runs(parse("c@1"), {n: data.columns[n].astype(float) for n in ("correct", "unanswered")}, None)
    every, exact = largest_differences(together, [], 1)
    assert exact
    assert len(every) == 6**6
    rng = np.random.default_rng(0)
    own = np.tile(np.arange(3), (6, 1))
    values = np.array([together.values(rng.permuted(own, axis=1)) for _ in range(20_000)])
    random = values.max(axis=1) - values.min(axis=1)
    for at in (0.2, 0.3, 0.4):
        p = np.mean(every >= at)
        assert abs(np.mean(random >= at) - p) < 4 * (p * (1 - p) / 20_000) ** 0.5


@pytest.mark.parametrize("measure", ["AURC", "Brier", "CWS", "precision", "coverage@risk(0.3)", "c@1"])
@pytest.mark.parametrize("clustered", [False, True])
def test_exchanged_labels_are_exchanged_rows(measure: str, clustered: bool) -> None:
    """Against the obvious: exchange the rows of the runs, question by question or cluster by cluster, and score
    them. An answer in an order takes its place in the order of its run along."""
    rng = np.random.default_rng(4)
    data = evidence(x="CCWWCWCW", y="CWCCCCWW", z="WWCWWCCC")  # no question on which all are alike: those do not move
    columns = dict(data.columns) | {"confidence": rng.random((3, 8)).round(1)}
    clusters = np.array([0, 0, 1, 1, 1, 2, 3, 3]) if clustered else None
    data = Evidence(data.runs, data.questions, columns, data.absence, {}, clusters)
    bound = parse(measure)
    read = {name: data.column(name) for name in bound.reads}
    together = align_runs(bound, read, clusters)
    unit = np.arange(8) if clusters is None else clusters
    if clusters is None:  # units are numbered by what they hold
        order = np.lexsort(
            np.stack([np.asarray(v, dtype=float) for v in read.values()], axis=-1).swapaxes(0, 1).reshape(8, -1).T[::-1]
        )
        unit = np.argsort(order)
    for _ in range(5):
        labels = rng.permuted(np.tile(np.arange(3), (together.units, 1)), axis=1)
        source = labels[unit].T  # (runs, questions): whose row each run gets
        swapped = Evidence(
            data.runs,
            data.questions,
            {name: np.take_along_axis(values, source, axis=0) for name, values in placed(data, bound).columns.items()},
            data.absence,
        )
        expected = [nescio.score(swapped, measure, ci=None).value(run, measure) for run in data.runs]
        assert together.values(labels) == pytest.approx(expected, nan_ok=True)


def test_it_asks_all_runs_for_the_same_questions() -> None:
    data = matrix((0.9, 0.5, 0.1), (0.8, 0.6, np.nan), (0.7, 0.2, 0.3))
    found = nescio.compare(data, "mean(score)", test="tukey")
    assert {row.n for row in found} == {2}
    assert found.rows[0].difference == pytest.approx((0.5 + 0.2) / 2 - (0.9 + 0.7) / 2)
    assert any("all runs have the data it needs" in note for note in in_words(found.notes))


def test_jobs_and_the_order_of_questions_change_no_bit() -> None:
    rng = np.random.default_rng(2)
    topics = [tuple(rng.random(4).round(2)) for _ in range(30)]
    one = nescio.compare(matrix(*topics), "mean(score)", test="tukey", resamples=600)
    two = nescio.compare(matrix(*topics), "mean(score)", test="tukey", resamples=600, jobs=2)
    turned = nescio.compare(matrix(*topics[::-1]), "mean(score)", test="tukey", resamples=600)
    assert one.rows == two.rows
    assert [row.p for row in one] == [row.p for row in turned]


def test_runs_that_are_all_alike_are_not_told_apart() -> None:
    found = nescio.compare(matrix(*[(0.5, 0.5, 0.5)] * 40), "mean(score)", test="tukey", resamples=300)
    assert {row.p for row in found} == {1}
