"""Correlations between measures over runs: Table 1 of Deep Read, and an independent computation."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.data.results import Score, Scores
from nescio.data.signature import Signature
from nescio.meta_evaluation import comparability
from nescio.meta_evaluation.comparability import pearson

# Hirschman et al. (ACL 1999), Table 1: AnsWdRecall, HumSent, AutSent of the 13 systems, the last with references by
# hand.
TABLE_1 = {
    "Base": (0.29, 0.28, 0.28),
    "Stem": (0.29, 0.29, 0.28),
    "Name": (0.33, 0.31, 0.31),
    "NameStem": (0.33, 0.32, 0.31),
    "NameHum": (0.33, 0.32, 0.32),
    "NameHumStem": (0.34, 0.33, 0.31),
    "FiltProNameStem": (0.34, 0.33, 0.32),
    "ProNameStem": (0.34, 0.33, 0.32),
    "ProNameHumStem": (0.35, 0.34, 0.33),
    "FiltNameHumStem": (0.37, 0.35, 0.34),
    "FiltSemNameHumStem": (0.37, 0.35, 0.34),
    "FiltProNameHumStem": (0.38, 0.36, 0.35),
    "FiltProHumNameHumStem": (0.42, 0.36, 0.35),
}
MEASURES = ("read.recall", "read.HumSent", "read.AutSent")


def scores(table: Mapping[str, tuple[float, ...]]) -> Scores:
    rows = [
        Score(run, measure, value, None, None, 300)
        for run, values in table.items()
        for measure, value in zip(MEASURES, values, strict=True)
    ]
    return Scores(tuple(rows), Signature(()), (), "scores")


def test_table_1() -> None:
    """The paper says 98% twice; its 13 rows give .943, and .985 without the last; HumSent and AutSent .976."""
    every = {(row.measure, row.other): row for row in comparability(scores(TABLE_1))}
    assert round(every["read.recall", "read.HumSent"].correlation, 3) == 0.943
    assert round(every["read.HumSent", "read.AutSent"].correlation, 3) == 0.976
    assert {row.runs for row in every.values()} == {13}
    rest = {run: values for run, values in TABLE_1.items() if run != "FiltProHumNameHumStem"}
    assert round(comparability(scores(rest))[0].correlation, 3) == 0.985


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=3, max_size=9))
def test_pearson_is_numpys(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=float).T
    if x.std() and y.std():
        assert pearson(x, y) == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-12)
    else:
        assert math.isnan(pearson(x, y))


def test_under_three_runs_or_where_a_measure_is_undefined() -> None:
    assert math.isnan(pearson([0, 1], [0, 1]))
    table = {run: TABLE_1[run] for run in ("Base", "Name", "NameStem")} | {"silent": (0.0, math.nan, 0.0)}
    first, second, _ = comparability(scores(table))
    assert (first.runs, second.runs) == (3, 4)
