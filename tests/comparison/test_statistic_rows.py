"""Statistics of one's own: runs, pairs, repeats, clusters, columns of the user, and what is left out; counted by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import nescio
from nescio.errors import MismatchError, MissingColumnError, UnknownNameError
from nescio.verbs import OTHERS

Rows = list[dict[str, Any]]
OUTCOME = {"C": "correct", "W": "incorrect", "U": "unanswered"}


@pytest.fixture(autouse=True)
def _taken_back() -> Iterator[None]:
    before = {*OTHERS}
    yield
    for name in {*OTHERS} - before:
        del OTHERS[name]


def table(runs: dict[str, str], **more: dict[str, list[Any]]) -> Rows:
    """A row for each run and question, with further columns by run."""
    return [
        {"run": run, "question": f"q{i}", "outcome": OUTCOME[letter], **{name: of[run][i] for name, of in more.items()}}
        for run, letters in runs.items()
        for i, letter in enumerate(letters)
    ]


@pytest.fixture
def wrong_share() -> Callable[..., Any]:
    @nescio.statistic(
        each=lambda run: {"wrong": run.incorrect, "given": run.incorrect + run.correct},
        columns={"answers": (lambda total: total.given, "plain")},
        form="percent",
        bounds=(0, 1),
        scale="logit",
    )
    def wrong_share(total: Any) -> Any:
        return total.wrong / total.given

    return wrong_share


def test_a_statistic_of_each_run_without_a_test(wrong_share: Callable[..., Any]) -> None:
    """b gives three answers, one of them wrong; a gives none, which leaves the share undefined."""
    found = wrong_share(table({"a": "UUUU", "b": "CCWU"}))
    a, b = found
    assert (a.answers, b.answers, b.n) == (0, 3, 4)
    assert math.isnan(a.wrong_share)
    assert b.wrong_share == 1 / 3
    assert b.low < 1 / 3 < b.high
    assert {"p", "verdict", "baseline"}.isdisjoint(found.records()[0])
    assert found.records()[0]["wrong_share"] is None
    assert found.signature["statistic"] == "wrong_share"
    assert found.signature["interval"] == "t"


def test_a_question_that_was_asked_twice_has_the_mean_of_its_answers(wrong_share: Callable[..., Any]) -> None:
    """q0 is right once and wrong once, q1 right: 1/2 wrong of 2 answers."""
    rows = [dict(row, repeat="1") for row in table({"a": "CC"})] + [dict(row, repeat="2") for row in table({"a": "W"})]
    (row,) = wrong_share(rows)
    assert (row.wrong_share, row.answers, row.n) == (1 / 4, 2, 2)


def test_clusters_are_the_units(wrong_share: Callable[..., Any]) -> None:
    """Both questions of a cluster end alike, so six questions tell as much as three: the interval is wider."""
    rows = table({"a": "CCWWCCCCCCWW"}, topic={"a": [i // 2 for i in range(12)]})
    (alone,), (clustered,) = wrong_share(rows), wrong_share(rows, cluster="topic")
    assert clustered.wrong_share == alone.wrong_share == 1 / 3
    assert clustered.low < alone.low
    assert clustered.high > alone.high


def test_columns_of_the_user_and_questions_without_them() -> None:
    @nescio.statistic(
        each=lambda run, baseline: {"ours": run.cost, "theirs": baseline.cost},
        needs="user.cost",
        null=1,
        scale="log",
        bounds=(0, math.inf),
    )
    def times_as_dear(total: Any) -> Any:
        return total.ours / total.theirs

    costs: dict[str, list[Any]] = {"new": [2.0, 4, 2, None, 4], "old": [1.0, 2, 1, 2, 2]}
    rows = table({"new": "CCCCC", "old": "CCCCC"}, cost=costs)
    assert getattr(nescio.lab, "times_as_dear") is times_as_dear  # noqa: B009
    found = times_as_dear(rows, baseline="old")
    (row,) = found
    # Twice as dear on each of four questions: 12/6, of 2^4 exchanges all kept or all exchanged.
    assert (row.run, row.baseline, row.times_as_dear, row.n) == ("new", "old", 2, 4)
    assert (row.p, row.test, row.verdict) == (2 / 16, "exact", "cannot tell")
    assert row.low is None or math.isnan(row.low)
    assert "1 question left out, because a graded answer or a value of cost is missing" in " ".join(
        map(str, found.notes)
    )
    with pytest.raises(UnknownNameError):
        times_as_dear(rows, baseline="neither")
    with pytest.raises(MismatchError, match="no other run"):
        times_as_dear(rows[:5])
    with pytest.raises(MissingColumnError, match="cost"):
        times_as_dear(table({"new": "CC", "old": "CW"}))


def test_p_values_are_adjusted_for_the_rows() -> None:
    """Ten questions on which a and b are right and c is wrong: 2/2^10 twice and 1, times 3, 2 and 1 (Holm)."""

    @nescio.statistic(each=lambda run, other: {"ours": run.correct, "theirs": other.correct}, null=0, bounds=(-1, 1))
    def ahead(total: Any) -> Any:
        return (total.ours - total.theirs) / total.n

    rows = {(row.run, row.baseline): row for row in ahead(table({"a": "C" * 10, "b": "C" * 10, "c": "W" * 10}))}
    p = {("b", "a"): 1, ("c", "a"): 2 / 1024, ("c", "b"): 2 / 1024}
    assert {pair: row.p for pair, row in rows.items()} == pytest.approx(p, abs=1e-12)
    assert rows["c", "a"].p_adjusted == pytest.approx(3 * 2 / 1024, abs=1e-12)
    assert (rows["c", "b"].verdict, rows["b", "a"].verdict) == ("lower", "cannot tell")


def test_draws_are_those_of_the_seed(wrong_share: Callable[..., Any]) -> None:
    rows = table({"a": "CCWU" * 10})
    first, again, other = (wrong_share(rows, interval="percentile", seed=seed, resamples=500) for seed in (1, 1, 2))
    assert first.rows == again.rows
    assert first.rows != other.rows
    assert (first.signature["interval"], first.signature["seed"]) == ("percentile", "1")
