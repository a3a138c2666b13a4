"""Paired comparison against enumeration by hand and by brute force, alone and among many runs; marks of the best."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import nescio
from nescio.comparison import comparing, many_runs, ranks
from nescio.comparison.best import mark
from nescio.comparison.corrections import adjust
from nescio.comparison.pair_tables import packed_runs
from nescio.comparison.paired_data import exchangeable_order
from nescio.data.evidence import Evidence
from nescio.errors import MismatchError, UnknownNameError, UsageError
from nescio.measures import parse
from nescio.pipeline import Options, load
from nescio.reporting.tables import legend
from tests.comparison.runs import numbered

from .runs import evidence


def test_identical_runs_are_not_told_apart() -> None:
    found = nescio.compare(evidence(x="CWUC", y="CWUC"), ["c@1", "accuracy", "precision"])
    verdict = "no difference seen, too few questions to rule one out"
    assert [(row.difference, row.p, row.verdict) for row in found] == [(0, 1, verdict)] * 3


def test_few_kinds_of_answers_are_packed_and_counted_pair_by_pair() -> None:
    right = np.array([[1, 0, 1, 1], [0, 0, 1, 0]], dtype=np.int8)
    every = np.ones(right.shape, dtype=bool)
    packed = packed_runs(parse("accuracy"), {"correct": right}, every)
    assert packed is not None
    assert packed.of([(0, 1)]).tables.tolist() == [[[1, 0], [2, 1]]]  # wrong both times, and right and wrong twice
    for columns, usable in (({}, every), ({"correct": right}, ~every), ({"correct": right / 2}, every)):
        assert packed_runs(parse("accuracy"), columns, usable) is None


def test_places_in_an_order_are_shares_of_a_run_s_own_rows() -> None:
    """Of three, two tied ones share the lower two thirds; what weighs double takes half of all. -∞ stays last."""
    key = np.array([0.9, 0.1, 0.1, -np.inf])
    assert exchangeable_order(parse("AURC"), key) == pytest.approx([5 / 6, 1 / 3, 1 / 3, -np.inf])
    assert exchangeable_order(parse("AURC"), key, np.array([2, 1, 1, 5])) == pytest.approx(
        [3 / 4, 1 / 4, 1 / 4, -np.inf]
    )
    assert exchangeable_order(parse("Brier"), key) is key


def test_the_verdict_knows_which_way_is_better() -> None:
    data = evidence(x="C" * 30 + "W" * 10, y="C" * 10 + "W" * 30)
    found = nescio.compare(data, ["accuracy", "simpleqa.incorrect"], baseline="y").rows
    assert [(row.difference, row.verdict) for row in found] == [(0.5, "better"), (-0.5, "better")]


def test_corrections_by_hand() -> None:
    # Holm: 0.01·4, max(0.04, 0.02·3), max(0.06, 0.03·2), max(0.06, 0.04·1); BH: min over later of p·4/rank
    assert adjust([0.01, 0.02, 0.03, 0.04], "holm") == pytest.approx([0.04, 0.06, 0.06, 0.06])
    assert adjust([0.01, 0.02, 0.03, 0.04], "bh") == pytest.approx([0.04, 0.04, 0.04, 0.04])
    assert adjust([0.04, None, 0.01], "holm") == [pytest.approx(0.04), None, pytest.approx(0.02)]
    assert adjust([0.5, 0.9], "none") == [0.5, 0.9]


def test_a_comparison_needs_a_level() -> None:
    with pytest.raises(nescio.UsageError, match="ci takes a level in percent"):
        nescio.compare(evidence(x="CW", y="WC"), "c@1", ci=None)  # type: ignore[arg-type]


UNGRADED = """run,question,outcome
good,q1,correct
good,q2,correct
good,q3,
good,q4,unanswered
bad,q1,correct
bad,q2,incorrect
bad,q3,incorrect
bad,q4,
third,q1,correct
third,q2,incorrect
third,q3,incorrect
third,q4,correct
"""


def test_ungraded_answers_make_a_least_and_a_greatest_difference(tmp_path: Path) -> None:
    """good has 2 or 3 of 4, bad 1 or 2, third 2: a run is not compared with itself, and no extreme with one alike."""
    path = tmp_path / "outcomes.csv"
    path.write_text(UNGRADED)
    found = nescio.compare(path, "accuracy", ungraded="bounds")
    assert [(row.run, row.baseline, row.difference) for row in found] == [
        ("bad [ungraded wrong]", "good [ungraded right]", -0.5),
        ("bad [ungraded right]", "good [ungraded wrong]", 0.0),
        ("third", "good [ungraded right]", -0.25),
        ("third", "good [ungraded wrong]", 0.0),
        ("third", "bad [ungraded right]", 0.0),
        ("third", "bad [ungraded wrong]", 0.25),
    ]
    assert "ranks" not in found.tables
    assert any(note.code == "comparison.bounds" for note in found.notes)
    against = nescio.compare(path, "accuracy", ungraded="bounds", baseline="good")
    assert [(row.run, row.baseline) for row in against] == [(row.run, row.baseline) for row in found][:4]
    one_way = nescio.compare(path, "accuracy", ungraded="bounds", baseline="good [ungraded wrong]")
    assert [(row.run, row.difference) for row in one_way] == [
        ("bad [ungraded wrong]", -0.25),
        ("bad [ungraded right]", 0.0),
        ("third", 0.0),
    ]
    with pytest.raises(UnknownNameError, match="unknown run 'best'"):
        nescio.compare(path, "accuracy", ungraded="bounds", baseline="best")
    path.write_text("\n".join(line for line in UNGRADED.splitlines() if not line.startswith("third")))
    alone = nescio.compare(path, "accuracy", ungraded="bounds", run="bad")
    assert [(row.run, row.baseline) for row in alone] == [(row.run, row.baseline) for row in found][:2]


def test_two_extremes_of_one_run_get_no_marks(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.csv"
    path.write_text(UNGRADED)
    loaded = load(path, Options(ungraded="bounds"))
    for every in (True, False):
        assert {row.best for row in mark(nescio.score(loaded, "accuracy", ci=None), loaded, every=every)} == {None}


def test_runs_that_no_question_can_be_compared_on_are_undefined_and_say_so() -> None:
    result = nescio.compare(evidence(x="CCUW", y="WCWU", z="CCCC"), "disagreement", resamples=300)
    assert all(np.isnan(row.difference) and row.n == 0 for row in result)
    assert [row.p_best for row in result.tables["ranks"]] == [None] * 3


def data() -> Evidence:
    rng = np.random.default_rng(3)
    return numbered(
        ["".join(rng.choice(list("CWU"), p=[0.2 + p / 20, 0.6 - p / 20, 0.2], size=80)) for p in rng.permutation(12)]
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
        "7 of 10 comparisons are shown: all pairs of the 3 best of 5 runs, and every other run against the best run and its neighbours in rank. All pairs are tested, and p-values are adjusted for all pairs"
    )


def test_more_pairs_than_memory_holds_are_ranked_by_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    every = nescio.compare(data(), "c@1", resamples=300)
    monkeypatch.setattr(comparing, "MOST_COMPARED", 65)
    monkeypatch.setattr(many_runs, "LEADING", 4)
    some = nescio.compare(data(), "c@1", resamples=300)
    assert some.tables["ranks"] == every.tables["ranks"]
    assert {*some.rows} < {*every.rows}
    assert "22 of 66 comparisons are shown: all pairs of the 4 best of 12 runs" in " ".join(map(str, some.notes))
    assert "adjusted for all 66 comparisons" in legend(some)
    assert len(nescio.compare(data(), ["c@1", "accuracy"], baseline="run 0", resamples=300).rows) == 22
    for options in ({"test": "bootstrap"}, {"correction": "bh"}, {"measures": ["c@1", "accuracy"]}):
        with pytest.raises(
            UsageError,
            match=r"there are 66 pairs of runs, but the limit is 65\. To compare every run with one run, give baseline",
        ):
            nescio.compare(data(), **{"measures": "c@1", **options})  # type: ignore[arg-type]


def test_of_more_tied_runs_than_are_listed_their_number_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranks, "MOST_NAMED", 3)
    runs = nescio.compare(load(numbered(["CCW", "CWC", "WCC", "CCC", "WWC"])), "accuracy").tables["ranks"]
    assert {rank.tied_with for rank in runs} == {"4 runs"}


TABLE = pl.DataFrame(
    [
        {"run": run, "question": f"q{i}", "outcome": "correct" if i < right else "incorrect", "story": str(i % 4)}
        for run, right in (("all", 20), ("half", 10))
        for i in range(20)
    ]
)


def test_cheap_marks_are_made_unasked_and_are_those_of_best() -> None:
    loaded = load(TABLE)
    marked = nescio.score(TABLE, "c@1")
    assert marked.rows == mark(nescio.score(TABLE, "c@1", mark=False), loaded, every=False).rows
    assert [row.best for row in marked] == [True, False]
    assert marked.why_unmarked == ""


def test_marks_that_are_dear_are_made_when_asked_for_and_else_the_reason_is_said() -> None:
    unmarked = nescio.score(TABLE, "c@1", cluster="story")
    assert [row.best for row in unmarked] == [None, None]
    assert unmarked.why_unmarked == "Ties not marked (clustered tests are slow); use mark=True."
    asked = nescio.score(TABLE, "c@1", cluster="story", mark=True)
    assert [row.best for row in asked] == [True, False]
    assert asked.why_unmarked == ""


def test_no_marks_where_none_are_wanted_and_no_reason_either() -> None:
    plain = nescio.score(TABLE, "c@1", mark=False)
    assert [row.best for row in plain] == [None, None]
    assert plain.why_unmarked == ""


def test_what_no_other_run_was_asked_is_no_silence(tmp_path: Path) -> None:
    """No question has an answer of both runs, so they are not compared as if missing rows abstained."""
    table = tmp_path / "runs.csv"
    lines = [f"{run},q{i + apart},correct" for run, apart in (("a", 0), ("b", 30)) for i in range(30)]
    table.write_text("run,question,outcome\n" + "\n".join(lines))
    for missing in ("common", "unanswered"):
        with pytest.raises(MismatchError, match=r"share (no|a) question"):
            nescio.compare(table, missing=missing)
    assert len(nescio.score(table, "accuracy", missing="unanswered", ci=None)) == 2
