"""Suites as Python functions: macro means, win rates, tests, runs that are lacking, and how a suite is given."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from scipy import optimize
from scipy.stats import ttest_1samp, ttest_ind

import nescio
from nescio.comparison.corrections import adjust
from nescio.data.evidence import Evidence, outcome_tally
from nescio.data.joined_runs import join_runs
from nescio.errors import FormatError, MismatchError, NescioError, UnknownNameError, UsageError
from nescio.formats.answers import Answer, outcomes_of
from nescio.formats.registry import ReadOptions
from nescio.pipeline import Options, load
from nescio.stats.intervals import wilson
from nescio.stats.suites import win_rates
from tests.suites import typed

from ..comparison.runs import evidence, matrix

EXAMPLES = Path(__file__).parents[2] / "examples"
TRIALS, OUTCOMES = EXAMPLES / "trials.csv", EXAMPLES / "outcomes.csv"
SUITE = EXAMPLES / "suite"
LOGS = EXAMPLES.parents[1] / "shared" / "data" / "logs2026"
SMALL: dict[str, Any] = {"resamples": 500}
# The worked example of the macro test: right/wrong, the reverse, right/silent, the reverse, silent/wrong, the reverse,
# both right, both wrong, both silent.
CELLS = ("CW", "WC", "CU", "UC", "UW", "WU", "CC", "WW", "UU")
TABLES = {
    "one": (12, 5, 9, 3, 2, 8, 40, 21, 0),
    "two": (20, 14, 10, 12, 9, 11, 110, 50, 14),
    "three": (30, 24, 22, 15, 16, 20, 170, 90, 13),
    "four": (9, 4, 6, 5, 3, 2, 90, 40, 5),
}
WON = {"t1": (0.60, 0.60, 0.50, 0.30), "t2": (0.50, 0.40, 0.40, 0.45), "t3": (0.70, 0.80, None, 0.70)}
Z = 1.959963984540054


def worked() -> dict[str, Evidence]:
    sides = {
        name: ["".join(cell[side] * n for cell, n in zip(CELLS, table, strict=True)) for side in (0, 1)]
        for name, table in TABLES.items()
    }
    return {name: evidence(x=x, y=y) for name, (x, y) in sides.items()}


def letters(value: float, n: int) -> str:
    right = round(value * n)
    return "C" * right + "W" * (n - right)


def wins() -> dict[str, Evidence]:
    return {
        name: evidence(**{f"s{i}": letters(v, 20) for i, v in enumerate(values, 1) if v is not None})
        for name, values in WON.items()
    }


def codes(result: Any) -> set[str]:
    return {note.code for note in result.notes}


# --- Means and their intervals.


def test_the_macro_mean_and_its_standard_error() -> None:
    """.60 of 100, .50 of 400, .70 of 250 and .55 of 1,000: .5875 with half a width of .0314225232 at 95%; over
    benchmarks, half a width of .1358765442."""
    sizes = {"a": (0.60, 100), "b": (0.50, 400), "c": (0.70, 250), "d": (0.55, 1000)}
    suite = {name: evidence(mine=letters(*one)) for name, one in sizes.items()}
    row = typed.score(suite, "accuracy").rows[0]
    assert row.value == pytest.approx(0.5875, abs=1e-12)
    assert row.se == pytest.approx(0.0314225232 / Z, abs=1e-10)
    # The interval is that of an empirical likelihood, which is not symmetric.
    assert (row.low, row.high) == pytest.approx((0.5875 - 0.0314225232, 0.5875 + 0.0314225232), abs=0.0016)
    assert (row.benchmarks, row.n) == (4, 1750)
    scores = typed.score(suite, "accuracy", over="benchmarks", **SMALL)
    assert scores.rows[0].high is not None
    assert scores.rows[0].high - scores.rows[0].value == pytest.approx(0.1358765442, abs=1e-9)
    assert "suite.few_benchmarks" in codes(scores)


def test_the_interval_of_a_difference_over_two_benchmarks_is_welch_s() -> None:
    """The sum of two independent means: Welch's t of one against the other with its sign turned."""
    suite = {"a": evidence(x="CCWUCCWC", y="CWWUWCWU"), "b": evidence(x="CWCCC", y="WCCUW")}
    (row,) = nescio.compare(suite, "accuracy", baseline="y", **SMALL).rows
    apart = ([0, 1, 0, 0, 1, 0, 0, 1], [1, -1, 0, 1, 1])
    peer = ttest_ind(apart[0], [-one for one in apart[1]], equal_var=False).confidence_interval()
    # The kurtosis of neither leaves fewer degrees of freedom than questions less one.
    assert (row.low, row.high) == pytest.approx((peer.low / 2, peer.high / 2), abs=1e-9)


def test_a_benchmark_that_is_all_right_still_widens_the_mean() -> None:
    """Half right of 100 and 30 of 30: wider than half of Wilson's interval of the first, downwards only.

    30 and 50 right of as many: the likeliest errors that nobody saw all lie in the smaller benchmark, as long as its
    share 1 - u is above 30/50. So the mean may be half of z^2/(29.5 + z^2) lower (29.5 = 30 - 1 + 1/2), and what a Poisson count's
    steps add.
    """
    suite = {"a": evidence(mine=letters(0.5, 100)), "b": evidence(mine="C" * 30)}
    row: Any = typed.score(suite, "accuracy").rows[0]
    half = 0.5 - wilson(50, 100, 0.95)[0]
    assert row.value - row.low > 1.1 * half / 2
    assert row.high - row.value == pytest.approx(half / 2, abs=0.001)
    row = typed.score({"a": evidence(mine="C" * 30), "b": evidence(mine="C" * 50)}, "accuracy", **SMALL).rows[0]
    unseen = Z**2 / (29.5 + Z**2) + (2 / 3 - Z**2 / 6) / 30
    assert (row.low, row.high) == (pytest.approx(1 - unseen / 2, abs=1e-9), 1.0)


def test_benchmarks_of_one_size_are_drawn_apart() -> None:
    """Four copies of one benchmark: the mean has half its standard error, not the same."""
    row: Any = typed.score({name: evidence(mine=letters(0.5, 100)) for name in "abcd"}, "accuracy").rows[0]
    assert row.se == pytest.approx(0.025, abs=1e-12)
    assert row.high - row.low == pytest.approx(2 * 1.96 * 0.025, rel=0.05)


def test_the_standard_error_of_c_at_1_is_the_delta_method() -> None:
    """By hand: values (1 + U)(x - A) + A(s - U) of each question, their squares summed over n squared."""
    text = "CCCCCCWWWUUUU"
    x, s = (np.array([c == letter for c in text], dtype=float) for letter in "CU")
    influence = (1 + s.mean()) * (x - x.mean()) + x.mean() * (s - s.mean())
    row = typed.score({"a": evidence(mine=text)}, "c@1", **SMALL).rows[0]
    assert row.se == pytest.approx(math.sqrt((influence**2).sum()) / len(text), abs=1e-9)


def test_a_result_does_not_depend_on_its_company() -> None:
    """Another measure, the order of benchmarks: a benchmark's draws stay its own."""
    suite = worked()
    other = typed.score(dict(reversed(suite.items())), ["c@1", "accuracy"], **SMALL)
    own = {row.run: (row.value, row.low, row.high) for row in other if row.measure == "accuracy"}
    for row in typed.score(suite, ["accuracy"], **SMALL):
        assert (row.value, row.low, row.high) == pytest.approx(own[row.run])


# --- Win rates, marks, and runs that lack a benchmark.


def test_mean_win_rates_of_runs_of_which_one_lacks_a_benchmark() -> None:
    scores = typed.score(wins(), "accuracy", incomplete="available", **SMALL)
    rates = {row.run: row.win_rate for row in scores}
    assert rates == pytest.approx({"s1": 25 / 36, "s2": 2 / 3, "s3": 1 / 4, "s4": 11 / 36}, abs=1e-12)
    assert [row.benchmarks for row in scores] == [3, 3, 2, 3]
    assert all(row.best is None for row in scores), "means over different benchmarks have no best"
    assert "suite.available" in codes(scores)
    row: Any
    for row in scores:
        assert row.sure_low <= row.win_rate <= row.sure_high
    undirected = typed.score({"a": evidence(x="CUW", y="CCW")}, "coverage", **SMALL).rows
    assert all(row.win_rate is None and row.best is None for row in undirected)


def test_what_becomes_of_runs_that_lack_a_benchmark() -> None:
    with pytest.raises(MismatchError, match=r"'s3' lacks t3.*incomplete=\"complete-runs\""):
        typed.score(wins(), "accuracy")
    runs = typed.score(wins(), "accuracy", incomplete="complete-runs", **SMALL)
    assert {row.run for row in runs} == {"s1", "s2", "s4"}
    assert "s3 (t3)" in str(runs.notes[0])
    common = typed.score(wins(), "accuracy", incomplete="common-benchmarks", **SMALL)
    assert {row.benchmarks for row in common} == {2}
    assert "t3" in str(common.notes[0])
    compared = nescio.compare(wins(), "accuracy", baseline="s1", incomplete="available", **SMALL)
    said = {remark.code: str(remark) for remark in compared.notes}
    assert "suite.available" not in said
    assert said["suite.shared"] == (
        "each pair of runs is compared over the benchmarks that both runs have, out of 3:"
        " over 3 s2 against s1, s4 against s1; over 2 s3 against s1"
    )
    suite = {"one": evidence(a="CCW", b="CWW"), "two": evidence(c="CWU")}
    compared = nescio.compare(suite, "accuracy", baseline="a", incomplete="available", **SMALL)
    assert [row.run for row in compared] == ["b"]
    (text,) = [str(remark) for remark in compared.notes if remark.code == "suite.shared"]
    assert text.endswith("of 2: over 1 b against a; left out, because the two runs share no benchmark: c against a")


def test_marks_are_those_of_the_macro_test() -> None:
    suite = {name: evidence(a=letters(0.9, 40), b=letters(0.875, 40), c=letters(0.2, 40)) for name in "xyz"}
    rows = {row.run: row for row in typed.score(suite, "accuracy", **SMALL)}
    marks = {run: (row.best, row.tied_with_best) for run, row in rows.items()}
    assert marks == {"a": (True, False), "b": (False, True), "c": (False, False)}
    assert (rows["c"].sure_low, rows["c"].sure_high) == (0.0, 0.0)
    assert (rows["a"].sure_low, rows["a"].sure_high) == (0.5, 1.0)
    unmarked = typed.score(suite, "accuracy", mark=False, **SMALL)
    assert all(row.best is None and row.sure_low is None for row in unmarked)


def test_mean_ranks_have_groups_from_six_benchmarks_on() -> None:
    suite = {f"t{i}": evidence(best=letters(0.9, 50), middle=letters(0.5, 50), last=letters(0.1, 50)) for i in range(6)}
    ranked = typed.score(suite, "accuracy", over="benchmarks", **SMALL).tables["mean_ranks"]
    groups = [(row.run, row.mean_rank, row.groups) for row in ranked]
    assert groups == [("best", 1.0, "1"), ("middle", 2.0, "1 2"), ("last", 3.0, "2")]
    # q of three runs times the root of 3·4/(6·6), which is between one rank and two.
    assert ranked[0].critical_difference == pytest.approx(2.3437005864 * math.sqrt(12 / 36), abs=1e-9)
    suite.pop("t5")
    scores = typed.score(suite, "accuracy", over="benchmarks", **SMALL)
    assert "mean_ranks" not in scores.tables
    assert "suite.few_for_ranks" in codes(scores)


# --- Comparisons.


def test_the_macro_test_of_the_worked_example() -> None:
    compared = nescio.compare(worked(), "c@1", baseline="y", **SMALL)
    (row,) = compared.rows
    assert row.difference == pytest.approx(0.0395829188, abs=1e-9)
    assert row.test == "grid"
    assert row.p is not None
    assert 0.0247031464 <= row.p <= 0.0247031464 * 1.02  # exact, and at most so much above
    parts = compared.tables["benchmarks"]
    p = [0.1146159866, 0.5638420164, 0.3565828212, 0.1558293700]
    assert [part.p for part in parts] == pytest.approx(p, abs=1e-9)
    # Holm over the four: 4, 3, 2 and 1 times the sorted p-values, and never less than the one before.
    holm = [4 * p[0], max(3 * p[3], 2 * p[2]), max(2 * p[2], 3 * p[3]), 3 * p[3]]
    assert [part.p_adjusted for part in parts] == pytest.approx([min(1, v) for v in holm], abs=1e-9)
    assert adjust(p, "holm") == pytest.approx([min(1, v) for v in holm], abs=1e-9)
    turned = nescio.compare(worked(), "c@1", baseline="x", **SMALL).rows[0]
    assert (turned.difference, turned.p) == pytest.approx((-row.difference, row.p), abs=1e-15)


def test_a_graded_measure_is_tested_by_random_exchanges() -> None:
    """Enumerated: three topics of one benchmark and three of another, 64 exchanges of the labels."""
    one = matrix((0.9, 0.1), (0.8, 0.35), (0.7, 0.65))
    other = matrix((0.4, 0.3), (0.95, 0.2), (0.5, 0.52))
    (row,) = nescio.compare({"a": one, "b": other}, "mean(score)", baseline="r1", resamples=20_000)
    d = [np.array([0.8, 0.45, 0.05]), np.array([0.1, 0.75, -0.02])]
    signs = np.array(np.meshgrid(*[[1, -1]] * 6)).reshape(6, -1)
    every = (d[0] @ signs[:3] / 3 + d[1] @ signs[3:] / 3) / 2
    observed = sum(part.mean() for part in d) / 2
    assert row.difference == pytest.approx(-observed)
    assert row.p == pytest.approx(np.mean(np.abs(every) >= observed - 1e-12), abs=0.01)


def test_over_benchmarks_it_is_a_paired_t_test() -> None:
    """Differences of 1 and 0 have the mean .5, its standard error .5, and Student's factor is 12.7: no interval; of .96
    and 1 the interval .98 ± .25 ends at 1."""
    compared = nescio.compare(worked(), "c@1", baseline="y", over="benchmarks", **SMALL)
    peer = ttest_1samp([part.difference for part in compared.tables["benchmarks"]], 0)
    row = compared.rows[0]
    assert row.test == "t"
    expected = (peer.pvalue, *peer.confidence_interval(0.95))
    assert (row.p, row.low, row.high) == pytest.approx(expected, abs=1e-12)
    suite = {"a": evidence(x="C" * 20, y="W" * 20), "b": evidence(x="C" * 20, y="C" * 20)}
    compared = nescio.compare(suite, "accuracy", baseline="y", over="benchmarks", **SMALL)
    assert [str(compared.rows[0].low), str(compared.rows[0].high)] == ["nan", "nan"]
    assert "suite.no_interval" in codes(compared)
    suite = {"a": evidence(x="C" * 25, y="W" * 24 + "C"), "b": evidence(x="C" * 25, y="W" * 25)}
    (row,) = nescio.compare(suite, "accuracy", baseline="y", over="benchmarks", **SMALL)
    assert (row.low, row.high) == pytest.approx((0.98 - 12.706204736174698 * 0.02, 1))


def test_a_benchmark_that_shows_no_spread_hides_as_much_as_its_size_allows() -> None:
    """100 lost and 70 won of 200, and 2 of 2 won: of units like those two a share 1 - .025^(1/2) may be lost, each of
    which moves their difference by 2. That of the 200 reaches as far as the gap g that losses of 1/200 each may leave
    unseen: g - c/200 = z √(s² + g/200) with s² = (.85 - .15²)/199 and c = 2/3 - z²/6. It is wider than Student's."""
    large = evidence(x="C" * 70 + "W" * 130, y="W" * 100 + "C" * 100)
    (row,) = nescio.compare({"a": large, "b": evidence(x="CC", y="WW")}, "accuracy", baseline="y", **SMALL).rows
    z, error, step = 1.959963985, math.sqrt((0.85 - 0.15**2) / 199), 1 / 200
    correction = step * (2 / 3 - z**2 / 6)
    reach = optimize.brentq(lambda g: g - correction - z * math.sqrt(error**2 + g * step), correction, 1)
    assert reach > 1.9719565 * error  # t of 199 degrees
    hidden = 2 * (1 - 0.025**0.5)
    assert row.difference == pytest.approx(0.425)
    expected = (0.425 - math.hypot(reach, hidden) / 2, 0.425 + reach / 2)
    assert (row.low, row.high) == pytest.approx(expected, abs=1e-7)
    assert row.detectable is None
    (row,) = nescio.compare({"a": large, "b": evidence(x="C", y="W")}, "accuracy", baseline="y", **SMALL).rows
    assert row.low == pytest.approx(0.425 - math.hypot(reach, 2 * 0.975) / 2, abs=1e-7)
    alike = {"a": evidence(x="CW" * 20, y="CW" * 20), "b": evidence(x="CW", y="CW")}
    (row,) = nescio.compare(alike, "accuracy", baseline="y", **SMALL).rows
    away = math.hypot(1 - 0.025 ** (1 / 40), 1 - 0.025 ** (1 / 2)) / 2
    assert (row.low, row.high) == pytest.approx((-away, away), abs=1e-12)


def test_runs_are_compared_on_the_questions_that_both_have(tmp_path: Path) -> None:
    """x lacks the first question of a, so that a has three: C/C, W/W, U/C; b has C/W, W/W, C/C. Of repeats, a question of
    five answers counts once."""
    a, b = evidence(x="CCWU", y="WCWC"), evidence(x="CWC", y="WWC")
    absence = a.absence.copy()
    absence[0, 0] = 1
    compared = nescio.compare({"a": replace(a, absence=absence), "b": b}, "accuracy", baseline="y", **SMALL)
    row: Any = compared.rows[0]
    assert [part.difference for part in compared.tables["benchmarks"]] == pytest.approx([-1 / 3, 1 / 3])
    assert (row.difference, row.p, row.n) == (pytest.approx(0), 1.0, 6)
    assert row.low < 0 < row.high
    three = evidence(x="CWC", y="WWC", z="WWW")
    part = replace(three, absence=np.array([[1, 0, 0], [0, 0, 0], [0, 0, 0]], dtype=np.uint8))
    ranks = nescio.compare({"a": part, "b": three}, "accuracy", **SMALL).tables["ranks"]
    assert all(rank.p_best is None for rank in ranks), "not drawn together"
    again = tmp_path / "again.csv"
    again.write_bytes(TRIALS.read_bytes())
    rows = nescio.compare({"agent": TRIALS, "again": again}, "accuracy", baseline="agent-1", **SMALL).rows
    alone = nescio.compare(TRIALS, "accuracy", baseline="agent-1", resamples=500).rows
    assert rows[0].difference == pytest.approx(alone[0].difference, abs=1e-12)
    assert rows[0].n == 2 * alone[0].n


# --- How a suite is given.


def test_a_stratum_as_a_suite_is_its_parts(tmp_path: Path) -> None:
    scores = typed.score(OUTCOMES, "c@1", suite_by="category", **SMALL)
    parts = nescio.score(OUTCOMES, "c@1", by="category", resamples=500)
    for run in ("mine", "old", "other"):
        own = [row.value for row in parts if row.run == run and row.stratum is not None]
        assert scores.value(run, "c@1") == pytest.approx(np.mean(own), abs=1e-12)
    # What `--missing` says is of single questions; a whole benchmark is the suite's affair.
    tasks = {"a": "xy", "b": "x"}
    rows = [f"{run},{task}{i},correct,{task}" for run in tasks for task in tasks[run] for i in (1, 2)]
    path = tmp_path / "tasks.csv"
    path.write_text("run,question,outcome,task\n" + "\n".join(rows) + "\n")
    with pytest.raises(MismatchError, match="'b' lacks y"):
        typed.score(path, suite_by="task", **SMALL)
    assert {row.run for row in typed.score(path, suite_by="task", incomplete="complete-runs", **SMALL)} == {"a"}


def by_task(runs: dict[str, str], **told: str) -> list[dict[str, str]]:
    """Outcomes, and the task of each question where a run tells it."""
    words = {"C": "correct", "W": "incorrect"}
    return [
        {"run": run, "question": f"q{i}", "outcome": words[letter], "task": told[run][i] if run in told else ""}
        for run, letters in runs.items()
        for i, letter in enumerate(letters)
    ]


def test_benchmarks_are_those_of_every_run(tmp_path: Path) -> None:
    """Whoever sends one run could divide the questions as suits it."""
    runs = {"old": "CCWW", "new": "WWCC"}
    assert len(nescio.compare(by_task(runs, old="aabb", new="aabb"), "accuracy", suite_by="task", **SMALL)) == 1
    said = (
        r"the column 'task' must be the same in all runs: for question 'q0', run 'new' \(.*\) has 'a', and run 'old' \("
    )
    with pytest.raises(MismatchError, match=said + r".*\) has none"):
        nescio.compare(by_task(runs, new="aabb"), "accuracy", suite_by="task", **SMALL)
    with pytest.raises(
        MismatchError, match="'task' cannot divide the questions into strata: question 'q1' has two values"
    ):
        nescio.compare(by_task(runs, old="aabb", new="abbb"), "accuracy", suite_by="task", **SMALL)
    # Gold answers and predictions, and the same where a format is joined with another.
    for name, task in (("old", ""), ("new", "a")):
        rows = [f"{name},q{i},yes,yes,{task or 'b'}" for i in range(4)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["run,question,gold,prediction,task", *rows]) + "\n")
    with pytest.raises(
        MismatchError, match=r"run 'old' \(.*old\.csv, line 2\) has 'b', and run 'new' \(.*new\.csv, line 2\)"
    ):
        nescio.compare([tmp_path / "old.csv", tmp_path / "new.csv"], "accuracy", suite_by="task", **SMALL)
    answers = [Answer("old", "q0", 0), Answer("new", "q0", 0, strata={"task": "a"})]
    with pytest.raises(MismatchError, match=r"run 'old' \(log\) has none, and run 'new' \(log\) has 'a'"):
        outcomes_of(answers, "log", ReadOptions(strata=("task",)), [])
    told, untold = (outcomes_of([one], one.run, ReadOptions(strata=("task",)), []) for one in answers)
    with pytest.raises(MismatchError, match=r"run 'old' \(old\) has none, and run 'new' \(new\) has 'a'"):
        join_runs([told, untold], ["task"])


def test_counts_are_a_benchmark_and_cannot_be_compared() -> None:
    suite: dict[str, Any] = {
        "counts": outcome_tally(["x", "y"], np.array([[30, 10, 10], [20, 20, 10]])),
        "questions": evidence(x="CCCWU", y="CWWWU"),
    }
    assert typed.score(suite, "accuracy", **SMALL).value("x", "accuracy") == pytest.approx((0.6 + 0.6) / 2)
    with pytest.raises(MismatchError, match=r"'counts'.*cannot be compared"):
        nescio.compare(suite, "accuracy")


def test_the_mean_of_an_unknown_run_or_measure_is_refused() -> None:
    scores = typed.score({"a": evidence(x="CCCWU")}, "accuracy", **SMALL)
    assert scores.value("x", "accuracy") == pytest.approx(0.6)
    for run, measure in [("z", "accuracy"), ("x", "c@1")]:
        with pytest.raises(UnknownNameError, match="accuracy of x"):
            scores.value(run, measure)


def test_a_suite_file_names_formats_judges_columns_and_runs() -> None:
    scores = typed.score(SUITE / "suite.toml", **SMALL)
    assert {(row.run, row.measure) for row in scores} == {
        (run, measure) for run in ("model-a", "model-b") for measure in ("c@1", "accuracy")
    }
    own = {(row.benchmark, row.run): row.value for row in scores.tables["benchmarks"] if row.measure == "accuracy"}
    assert [name for name, run in own if run == "model-a"] == ["trivia", "medicine", "history", "law", "sums"]
    files = [SUITE / "sums.jsonl", *sorted((SUITE / "sums").glob("*"))]
    sums = nescio.score(files, "accuracy", judge="numeric", ci=None)
    assert own["sums", "model-b"] == sums.value("model-b", "accuracy")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("benchmarks = 3", "a table"),
        ("[benchmarks.a]\nfile = 'x.csv'", "needs `files`"),
        ("[benchmarks.a]\nfiles = 'x.csv'\njugde = 'exact'", "jugde"),
        ("[benchmarks.a]\nfiles = 3", "a pattern"),
        ("mesures = []", "mesures"),
        ("measures = 'c@1'\n[benchmarks.a]\nfiles = 'x.csv'", "list of names"),
        ("[benchmarks.a\n", "is not TOML"),
        (
            f"[benchmarks.a]\nfiles = '{SUITE.as_posix()}/trivia.csv'\nruns = {{x = 'model-a', y = 'model-a'}}",
            "one run would have two names: x = 'model-a', y = 'model-a'",
        ),
    ],
)
def test_a_faulty_suite_file_is_one_clear_error(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "suite.toml"
    path.write_text(text)
    with pytest.raises((FormatError, UsageError), match=said) as refused:
        typed.score(path)
    assert str(path) in str(refused.value) or "two names" in said


BLANK = [
    {"run": run, "question": f"q{i}", "outcome": "correct", "category": category}
    for run in ("x", "y")
    for i, category in enumerate(("one", "", "two", " "))
]
TWICE = {"a": SUITE / "trivia.csv", "b": SUITE / "sums" / ".." / "trivia.csv"}
JUDGED = {name: [SUITE / "sums.jsonl", SUITE / "sums" / f"{name}.jsonl"] for name in ("model-a", "model-b")}


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: typed.score(OUTCOMES, over="benchmarks"), UsageError, "over needs a suite of benchmarks or suite_by"),
        (
            lambda: nescio.compare(OUTCOMES, incomplete="available"),
            UsageError,
            "incomplete needs a suite of benchmarks or suite_by",
        ),
        (lambda: typed.score(OUTCOMES, suite_by="nonsense"), MismatchError, r"by 'nonsense'.*category"),
        (lambda: nescio.compare(worked(), baseline="nobody"), UnknownNameError, "run 'nobody'"),
        (lambda: typed.score({"a": {"files": OUTCOMES, "jugde": "exact"}}), UnknownNameError, "did you mean"),
        (lambda: typed.score(worked(), over="nonsense"), UsageError, "questions, benchmarks"),
        (lambda: typed.score(worked(), incomplete="nonsense"), UsageError, "complete-runs"),
        (lambda: typed.score(worked(), ovr="questions"), TypeError, "did you mean over"),
        # One that stands twice counts twice; read in another way, or beside other answers, it is another benchmark.
        (lambda: typed.score(TWICE), UsageError, r"benchmarks 'a' and 'b' read the same file \(trivia.csv\)"),
        (
            lambda: typed.score(JUDGED, judge="numeric"),
            MismatchError,
            "lack a benchmark",
        ),  # and not for their questions
        (
            lambda: typed.score(BLANK, suite_by="category"),
            MismatchError,
            r"'category' is blank for 2 of 4 questions \('q1', 'q3'\)",
        ),
        (
            lambda: typed.score(load(BLANK, Options(strata=("category",))), suite_by="category"),
            MismatchError,
            r"'category' is blank for 2 of 4 questions \('q1', 'q3'\)",
        ),
    ],
)
def test_what_is_no_suite_is_refused(call: Callable[[], object], error: type[NescioError], said: str) -> None:
    with pytest.raises(error, match=said):
        call()


# --- Against what other tools wrote.


@pytest.mark.skipif(not LOGS.exists(), reason="the logs of 2026 are not beside the checkout")
def test_a_group_of_lm_evaluation_harness() -> None:
    """mmlu_pro_plus: 14 tasks of 100 questions; the group's value and standard error as the harness wrote them.

    It pools sample variances (n - 1) of tasks of one size; ours has n.
    """
    document = json.loads(next((LOGS / "lm_eval").glob("results_*.json")).read_text())
    metric = "exact_match,custom-extract"
    suite = {}
    for task in document["group_subtasks"]["mmlu_pro_plus"]:
        n = document["n-samples"][task]["effective"]
        right = round(document["results"][task][metric] * n)
        suite[task] = outcome_tally(["gemma"], np.array([[right, n - right, 0]]))
    row = typed.score(suite, "accuracy", resamples=200).rows[0]
    group = document["groups"]["mmlu_pro_plus"]
    assert row.value == pytest.approx(group[metric], abs=1e-12)
    assert row.se is not None
    assert row.se * math.sqrt(100 / 99) == pytest.approx(group["exact_match_stderr,custom-extract"], abs=1e-12)


@pytest.mark.skipif(not LOGS.exists(), reason="the logs of 2026 are not beside the checkout")
@pytest.mark.parametrize("name", ["core_scenarios_accuracy", "calibration_accuracy"])
def test_mean_win_rates_of_helm(name: str) -> None:
    table = json.loads((LOGS / "helm" / "groups" / f"{name}.json").read_text())
    cells = np.array([[math.nan if c.get("value") is None else c["value"] for c in row[1:]] for row in table["rows"]])
    lower = np.array([[bool(head.get("lower_is_better"))] for head in table["header"][2:]])
    assert win_rates(cells[:, 1:].T, lower_is_better=lower) == pytest.approx(cells[:, 0], abs=1e-12)


def test_a_run_among_several_needs_a_baseline_which_is_another_run() -> None:
    runs = {name: evidence(x="CWUC", y="CCUC", z="WWUC") for name in ("t1", "t2")}
    with pytest.raises(UsageError, match="needs baseline, as there are 2 other runs"):
        nescio.compare(runs, "accuracy", run="x", **SMALL)
    compared = nescio.compare(runs, "accuracy", run="x", baseline="z", **SMALL)
    assert [(row.run, row.baseline) for row in compared.rows] == [("x", "z")]
    with pytest.raises(MismatchError, match="'x' is the baseline; name another run"):
        nescio.compare(runs, "accuracy", run="x", baseline="x", **SMALL)


@pytest.mark.parametrize("clusters", ["repeat", "cluster"])
def test_a_measure_with_an_order_is_compared_over_clusters(clusters: str) -> None:
    """Two rows make a cluster: repeats of one question, or two questions of one story."""

    def rows(name: str, step: int) -> list[dict[str, Any]]:
        return [
            {
                "run": run,
                "question": f"{name}{i}" if clusters == "repeat" else f"{name}{i}.{k}",
                clusters: k if clusters == "repeat" else i,
                "outcome": "correct" if (i * step + k + (run == "new")) % 3 else "incorrect",
                "confidence": (i * 37 + k * 11) % 97 / 100,
            }
            for run in ("old", "new")
            for i in range(20)
            for k in (1, 2)
        ]

    suite = {"one": rows("a", 7), "two": rows("b", 5)}
    how: dict[str, Any] = {"baseline": "old", **SMALL}
    (pair,) = nescio.compare(suite, "AURC", **how)
    alone = [nescio.compare(own, "AURC", **how).rows[0].difference for own in suite.values()]
    assert pair.difference == pytest.approx(np.mean(alone))
    assert pair.low is not None
    assert pair.high is not None
    assert pair.low < pair.difference < pair.high
    assert nescio.score(suite, "AURC", mark=True, **SMALL).rows[0].best is not None
