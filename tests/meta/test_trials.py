"""Stability and swap rates: the exhaustive toy example, the published procedure run as it is, and sane answers at
the edges."""

from __future__ import annotations

import math
import runpy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import nescio
from nescio.data.evidence import PRESENT, Evidence
from nescio.meta_evaluation import stability, swap
from nescio.meta_evaluation.stability import book
from nescio.meta_evaluation.swap import bins
from tests.notes import in_words

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


def test_fresh_and_shared_drawings_have_the_same_expectation() -> None:
    rng = np.random.default_rng(8)
    data = evidence(
        **{
            f"r{i}": "".join(rng.choice(list("CWU"), p=[p, 0.9 - p, 0.1], size=120))
            for i, p in enumerate((0.4, 0.5, 0.55, 0.6))
        }
    )
    for measure in ("c@1", "UF"):
        shared = stability(data, measure, size=40, trials=4_000, fuzziness=[0.05]).rows[0]
        fresh = stability(data, measure, size=40, trials=4_000, fuzziness=[0.05], fresh=True).rows[0]
        # Ties of 4,000 shared trials (six pairs that share them) differ from fresh ones by a few standard
        # errors at most.
        assert abs(shared.ties - fresh.ties) < 5 * (0.25 / 4_000) ** 0.5
        assert abs(shared.error_rate - fresh.error_rate) < 5 * (0.25 / 4_000) ** 0.5


def test_fresh_tables_and_fresh_questions_have_the_same_law() -> None:
    rng = np.random.default_rng(9)
    data = evidence(x="".join(rng.choice(list("CWU"), size=60)), y="".join(rng.choice(list("CWU"), size=60)))
    graded = Evidence(data.runs, data.questions, {"s": data.columns["correct"].astype(float)}, data.absence)
    tables = swap(data, "accuracy", size=20, trials=3_000, fresh=True)
    questions = swap(graded, "mean(s)", size=20, trials=3_000, fresh=True)
    for a, b in zip(tables, questions, strict=True):
        assert abs(a.comparisons - b.comparisons) < 5 * (2 * max(a.comparisons, b.comparisons, 1)) ** 0.5


@pytest.mark.parametrize("measure", ["c@1", "AURC", "Brier", "coverage@risk(0.2)", "CWS"])
def test_confidence_measures_work_and_jobs_change_no_bit(measure: str) -> None:
    rng = np.random.default_rng(1)
    data = evidence(x="CCWWCUCW" * 5, y="CWCWCCUW" * 5, z="WWCWCCUU" * 5)
    data = Evidence(
        data.runs, data.questions, dict(data.columns) | {"confidence": rng.random((3, 40)).round(1)}, data.absence
    )
    one = stability(data, [measure, "accuracy"], size=10, jobs=1)
    assert one.rows == stability(data, [measure, "accuracy"], size=10, jobs=2).rows
    assert 0 <= one.rows[0].error_rate <= 0.5


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
    refusals: list[tuple[Callable[[], object], str]] = [
        (lambda: stability(evidence(x="C", y="W"), "c@1"), "one question"),
        (lambda: stability(evidence(x="CW"), "c@1"), "one run"),
        (lambda: swap(same, "c@1", size=3), "twice, disjoint"),
        (lambda: stability(same, "c@1", size=6), "cannot be drawn"),
        (lambda: stability(same, "c@1", size=[2, 2]), "the same number twice"),
        (lambda: nescio.meta.stability(same, "c@1", fuzziness=[2]), "between 0 and 1"),
        (lambda: swap(same, "c@1", size=2, trials=None), "only if they are halves"),
    ]
    for broken, says in refusals:
        with pytest.raises(nescio.NescioError, match=says):
            broken()
    silent = stability(evidence(x="UUU", y="UUU"), "precision")
    assert silent.rows[0].comparisons == 0
    assert "undefined score" in in_words(silent.notes)[0]


@pytest.mark.skipif(
    not (OUTCOMES.exists() and PEER.exists()), reason="the shared data and peers are not beside the checkout"
)
def test_real_data_agree_with_the_published_procedure_as_printed() -> None:
    peer = runpy.run_path(str(PEER))
    from nescio.pipeline import load

    data = load(OUTCOMES).data
    assert isinstance(data, Evidence)
    few = data.take_runs([0, 7, 11, 13, 15])
    code = np.where(few.columns["correct"] == 1, 1, np.where(few.columns["unanswered"] == 1, 2, 0))
    table = dict(zip(few.runs, code, strict=True))
    trials = 150
    for measure in ("accuracy", "c@1"):
        printed = peer["stability"](table, measure, 250, trials, [0.02, 0.1], np.random.default_rng(0))
        for way in (False, True):
            ours = {
                row.fuzziness: row
                for row in stability(few, measure, size=250, trials=trials, fuzziness=[0.02, 0.1], fresh=way)
            }
            for f, (error_rate, ties) in printed.items():
                assert abs(ours[f].error_rate - error_rate) < 5 * (0.25 / (10 * trials)) ** 0.5
                assert abs(ours[f].ties - ties) < 5 * (0.25 / (10 * trials)) ** 0.5
