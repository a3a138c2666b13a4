"""Where not every comparison is made in full, those that are made are what they are among all."""

from __future__ import annotations

import numpy as np
import pytest

import nescio
from nescio.comparison import comparing, many_runs, ranks
from nescio.data.evidence import Evidence
from nescio.errors import UsageError
from nescio.pipeline import load
from nescio.reporting.tables import legend
from tests.comparison.runs import numbered


def data() -> Evidence:
    rng = np.random.default_rng(3)
    return numbered(
        ["".join(rng.choice(list("CWU"), p=[0.2 + p / 20, 0.6 - p / 20, 0.2], size=80)) for p in rng.permutation(12)]
    )


@pytest.mark.parametrize("measure", ["c@1", "accuracy", "UF", "coverage", "precision"])
@pytest.mark.parametrize("questions", [1, 9, 300])
def test_pairs_together_are_what_each_pair_is_alone(measure: str, questions: int) -> None:
    rng = np.random.default_rng(questions)
    shares = ([p, 0.7 - p, 0.25, 0.05] for p in (0.3, 0.35, 0.5))
    letters = ["".join(rng.choice(list("CWU-"), p=p, size=questions)) for p in shares]
    several = numbered([*letters, letters[0], "-" * questions])
    for row in nescio.compare(several, measure, resamples=200):
        (alone,) = nescio.compare(several, measure, baseline=row.baseline, run=row.run, resamples=200)
        assert repr((alone.difference, alone.p, alone.low, alone.high)) == repr(
            (row.difference, row.p, row.low, row.high)
        )


@pytest.mark.parametrize("measure", ["c@1", "simpleqa.incorrect", "precision"])
def test_some_comparisons_are_those_of_all(measure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_runs, "LEADING", 4)
    loaded = load(data())
    some = many_runs.compare_leading(loaded, measure, resamples=300)
    every = nescio.compare(loaded, measure, resamples=300)
    of_all = {(row.run, row.baseline): row for row in every}
    assert [of_all[row.run, row.baseline] for row in some] == list(some)
    assert some.tables["ranks"] == every.tables["ranks"]
    assert sum(test.comparisons for test in some.tables["tests"]) == len(every) == 66
    assert str(some.signature) == str(every.signature)


def test_which_comparisons_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_runs, "LEADING", 3)
    letters = ["C" * right + "W" * (10 - right) for right in (2, 9, 5, 7, 1)]  # ranked 1, 3, 2, 0, 4
    some = many_runs.compare_leading(load(numbered(letters)), "accuracy", resamples=300)
    pairs = {frozenset((int(row.run[-1]), int(row.baseline[-1]))) for row in some}
    assert pairs == set(map(frozenset, [(1, 3), (1, 2), (3, 2), (1, 0), (1, 4), (2, 0), (0, 4)]))
    (said,) = (note for note in some.notes if note.code == "comparison.some")
    assert str(said) == (
        "the 3 best of 5 runs are compared with each other, and every other run with the best and with its neighbours in "
        "rank: 7 of 10 comparisons. All are tested, and p-values are adjusted for all"
    )


def test_more_pairs_than_memory_holds_are_ranked_by_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    every = nescio.compare(data(), "c@1", resamples=300)
    monkeypatch.setattr(comparing, "MOST_COMPARED", 65)
    monkeypatch.setattr(many_runs, "LEADING", 4)
    some = nescio.compare(data(), "c@1", resamples=300)
    assert some.tables["ranks"] == every.tables["ranks"]
    assert {*some.rows} < {*every.rows}
    assert "of 66 comparisons. All are tested" in " ".join(map(str, some.notes))
    assert "adjusted for all 66 comparisons" in legend(some)
    assert len(nescio.compare(data(), ["c@1", "accuracy"], baseline="run 0", resamples=300).rows) == 22
    for options in ({"test": "bootstrap"}, {"correction": "bh"}, {"measures": ["c@1", "accuracy"]}):
        with pytest.raises(UsageError, match="these are 66 pairs of runs, more than 65: give baseline, or one measure"):
            nescio.compare(data(), **{"measures": "c@1", **options})  # type: ignore[arg-type]


def test_of_more_tied_runs_than_are_listed_their_number_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranks, "MOST_NAMED", 3)
    runs = nescio.compare(load(numbered(["CCW", "CWC", "WCC", "CCC", "WWC"])), "accuracy").tables["ranks"]
    assert {rank.tied_with for rank in runs} == {"4 runs"}
