"""How often a gate passes a run that is worse by the margin: at most 5%, by exact sums over the binomial law.

Each test asks of every number of losses whether the gate passes, and adds up the chances of those that do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from scipy.stats import binom

import nescio
from nescio.comparison.verdicts import NONE_SEEN, decision, decisions
from nescio.data.results import Comparison
from nescio.stats.few_units import unseen_gap
from tests.cli.conftest import WORDS

PROMISED = 0.05


def table(path: Path, **runs: str) -> Path:
    """Write the outcomes of runs, one letter a question."""
    rows = [f"{run},q{q},{WORDS[letter]}" for run, letters in runs.items() for q, letter in enumerate(letters)]
    path.write_text("\n".join(["run,question,outcome", *rows]) + "\n")
    return path


def most_that_pass(passes: Callable[[int], bool], most: int) -> int:
    """Return the greatest number of losses that passes, or -1; fewer losses pass too."""
    return max((lost for lost in range(most + 1) if passes(lost)), default=-1)


@pytest.mark.parametrize("churn", [0, 80])
def test_losses_on_the_smallest_benchmark_of_a_suite(tmp_path: Path, churn: int) -> None:
    """Of 200 questions one in twenty is lost, and of 4,000 as many are won as lost: the mean falls by 0.025.

    Student's interval of the mean let 5 losses pass, and P(at most 5 of 200 | 0.05) = 0.062.
    """
    turned = "W" * churn + "C" * churn + "C" * (4000 - 2 * churn)
    large = table(tmp_path / "large.csv", old="C" * churn + "W" * churn + "C" * (4000 - 2 * churn), new=turned)

    def passes(lost: int) -> bool:
        small = table(tmp_path / "small.csv", old="C" * 200, new="W" * lost + "C" * (200 - lost))
        compared = nescio.compare({"a": small, "b": large}, "accuracy", baseline="old", margin=0.025)
        return decisions(compared)[0].status == 0

    assert binom.cdf(most_that_pass(passes, 6), 200, 0.05) <= PROMISED


def test_losses_that_a_relative_rule_allows(tmp_path: Path) -> None:
    """Of 450 right answers among 500 one in fifty is lost: the run keeps 0.98 of the baseline's value.

    Student's interval let 4 losses pass, and P(at most 4 of 450 | 0.02) = 0.053.
    """
    path = tmp_path / "policy.toml"
    rule = '[[rules]]\nmeasure = "accuracy"\nby = 0.02\nrelative = true\n'
    path.write_text(f'baseline = "old"\nrun = "new"\n[benchmarks.a]\nfiles = "a.csv"\n{rule}')

    def passes(lost: int) -> bool:
        wrong = "W" * 50
        table(tmp_path / "a.csv", old="C" * 450 + wrong, new="W" * lost + "C" * (450 - lost) + wrong)
        return nescio.gate(path).rows[0].result == "GO"

    assert binom.cdf(most_that_pass(passes, 6), 450, 0.02) <= PROMISED


def test_a_share_of_a_value_of_which_nothing_was_seen_is_unknown(tmp_path: Path) -> None:
    """Of 100 answers of either run none is wrong, as happens with a chance of 0.37 if 1% of the new run's are."""
    path = tmp_path / "policy.toml"
    table(tmp_path / "a.csv", old="C" * 100, new="C" * 100)
    for measure, by, result in (
        ("simpleqa.incorrect", 0.2, "INCONCLUSIVE"),
        ("simpleqa.incorrect", 0, "GO"),  # no more wrong answers than the baseline has, as without `relative`
        ("accuracy", 0.2, "GO"),
    ):
        rule = f'[[rules]]\nmeasure = "{measure}"\nby = {by}\nrelative = true\n'
        path.write_text(f'baseline = "old"\nrun = "new"\n[benchmarks.a]\nfiles = "a.csv"\n{rule}')
        assert nescio.gate(path).rows[0].result == result


@pytest.mark.parametrize("relative", [False, True])
def test_wins_that_hide_a_rare_and_dear_loss(tmp_path: Path, relative: bool) -> None:
    """The baseline is wrong on 10 of 100 questions, and silent on 90. The run answers 30 of these, and gets 1.2% of
    its answers wrong, at 99 times the price: by 0.3·(0.988 - 99·0.012) = -0.06 a question. P(none of 30 wrong | 0.012) =
    0.70, and then its test calls it better (p = 2^-29). No number of losses may pass."""
    found = table(tmp_path / "a.csv", old="U" * 90 + "W" * 10, new="C" * 30 + "U" * 60 + "W" * 10)
    compared = nescio.compare(found, "penalty(t=0.99)", baseline="old", run="new")
    assert compared.rows[0].verdict == "better"
    path = tmp_path / "policy.toml"
    rule = f'[[rules]]\nmeasure = "penalty(t=0.99)"\nby = 0.01\nrelative = {str(relative).lower()}\n'
    path.write_text(f'baseline = "old"\nrun = "new"\n[benchmarks.a]\nfiles = "a.csv"\n{rule}')
    assert decisions(compared)[0].status == 3
    assert nescio.gate(path).rows[0].result == "INCONCLUSIVE"


@pytest.mark.parametrize("measure", ["F1_GR", "abstention_F1", "honesty"])
def test_no_measure_of_few_questions_passes_what_these_do_not_show(tmp_path: Path, measure: str) -> None:
    """Both runs decline 6 questions without an answer. P(none of the 6 lost | 10%) = 0.53, and one more lost of 6 lowers
    F1_GR by 0.047, abstention_F1 by 0.091 and honesty by 0.083. Of 600 such questions a loss of 0.2 is ruled out."""
    for few, margin, status in ((6, 0.02, 3), (600, 0.2, 0)):
        rows = ["run,question,outcome,answerable,known"]
        for run in ("old", "new"):
            for i in range(4 * few + 176):
                outcome = "unanswered" if i < few else "incorrect" if i % 7 == 0 else "correct"
                rows.append(f"{run},q{i},{outcome},{str(i >= few).lower()},{int(i >= few)}")
        path = tmp_path / "t.csv"
        path.write_text("\n".join(rows) + "\n")
        (made,) = decisions(nescio.compare(path, measure, baseline="old", margin=margin))
        assert (made.row.difference, made.status) == (0, status)


def test_a_significant_gain_passes_a_small_margin() -> None:
    """The gain is 0.154 [0.026, 0.283] by c@1 on 70 questions: one of them moves it by (1 + silence)/70, not 2/70."""
    row = next(row for row in nescio.compare("examples/outcomes.csv", "c@1", baseline="old").rows if row.run == "other")
    assert row.low is not None
    assert row.worst is not None
    assert 0 < row.worst <= row.low


def test_an_exact_test_of_the_sign_needs_no_guard(tmp_path: Path) -> None:
    """P(6 of 6 | 1/2) = 2^-6, so p = 2^-5. If losses are as likely as wins, the test says this with at most 2.5%."""
    path = table(tmp_path / "a.csv", old="W" * 6 + "C" * 24, new="C" * 30)
    (row,) = nescio.compare(path, "accuracy", baseline="old", margin=0).rows
    assert row.p == pytest.approx(2**-5)
    # The guard alone ends at Wilson's 0.0950 less 1.2/30 * (2/3 - 1.96^2/6) = 0.0011, so the interval decides.
    assert row.low is not None
    assert 0 < row.low < 0.0950 - 0.0011
    assert row.worst == row.low
    every = table(tmp_path / "b.csv", old="W" * 6, new="C" * 6)
    (row,) = nescio.compare(
        every, "accuracy", baseline="old", margin=0
    ).rows  # the rule of three: 1 - 2(1 - 0.025^(1/6))
    assert row.worst == pytest.approx(2 * 0.025 ** (1 / 6) - 1)
    assert decisions(nescio.compare(path, "accuracy", baseline="old", margin=0))[0].status == 0
    (row,) = nescio.compare(path, "UF", baseline="old", margin=0).rows  # wins and losses may be of 1 or of 2
    assert row.worst is not None
    assert row.worst != 0


def test_rare_losses_by_a_ratio_without_a_proven_slope(tmp_path: Path) -> None:
    """Of 100 questions 80 are silent, and eq6 moves by more than 1/100 for each answer. A run that turns 2 wrong answers
    into silence and loses right answers, by 0.05 in all, passed in 8% of 20,000 trials by the range of eq6, and in 0.1% of 2,000
    by what a wrong answer could move."""
    old = "C" * 18 + "W" * 2 + "U" * 80
    path = table(tmp_path / "a.csv", old=old, new="C" * 18 + "U" * 82)
    (row,) = nescio.compare(path, "eq6", baseline="old", run="new").rows
    assert row.worst is not None
    assert row.low is not None
    assert row.worst < row.low


def test_a_ratio_that_no_question_moves_may_fall_beyond_its_range_for_a_share(tmp_path: Path) -> None:
    """F = 2C/(C + W + n) with 30 of 300 answered: a share s of lost questions moves it by 2s/1.1, and 0.975 of samples
    show one if s = 1 - 0.025^(1/300) = 0.01222. By precision they are s/0.1."""
    path = table(tmp_path / "a.csv", old="C" * 30 + "U" * 270, new="C" * 30 + "U" * 270)
    for measure, furthest in (("simpleqa.F", 2 / 1.1), ("formula(C/(C+W))", 10.0)):
        (row,) = nescio.compare(path, measure, baseline="old", margin=0.0125).rows
        assert row.worst == pytest.approx(-0.0122209747 * furthest, rel=1e-6)
        assert row.verdict == NONE_SEEN
    (found,) = decisions(nescio.compare(path, "formula(C/(C+W))", baseline="old", margin=0.0125))
    # ln(0.025)/ln(1 - 0.00125) = 2,949.3 questions
    assert found.why.endswith("About 2,700 further questions would tell, if the difference stays the same.")
    (row,) = nescio.compare(path, "formula(C/(C+W))", baseline="old", margin=0.2).rows
    assert row.verdict == "differences above 0.1223 are ruled out"


def test_clusters_of_which_none_is_lost_count_by_their_size(tmp_path: Path) -> None:
    """Ten clusters of 16 questions and 40 of one say as much as 200²/(10·256 + 40) = 15.385 of one size: s = 1 -
    0.025^(1/15.385) = 0.2132."""
    names = [f"big{q % 10}" if q < 160 else f"single{q}" for q in range(200)]
    rows = [f"{run},q{q},correct,{name}" for run in ("old", "new") for q, name in enumerate(names)]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["run,question,outcome,doc", *rows]) + "\n")
    (row,) = nescio.compare(path, "accuracy", baseline="old", cluster="doc", margin=0.1).rows
    assert row.worst == pytest.approx(-(1 - 0.025 ** (2600 / 40_000)))
    assert row.verdict == NONE_SEEN


def test_no_gate_passes_where_nobody_knows_how_far_a_question_may_move_a_measure() -> None:
    """At 99% the gap of an unknown step was inf · 0, and `min` kept Student's end beside it."""
    assert unseen_gap(0.01, math.inf, 0.99) == math.inf
    known = Comparison("new", "old", "formula(C/(C+W))", -0.01, -0.03, 0.01, 0.3, 0.3, "exact", 100, None)
    found = decision(replace(known, units=100, spread=0.007), 0.01, 0.04)
    assert found.status == 3
    assert found.why.endswith("it is unknown how far one question may move formula(C/(C+W)).")


def test_labels_that_show_no_error_do_not_rule_one_out() -> None:
    """If no label of m disagrees, a rate r of errors is missed with (1 - r)^m. At r = gap it is below 2.5%."""
    for labels in (20, 50, 100, 200):
        gap = unseen_gap(0.0, 1 / labels, 0.95)
        assert binom.pmf(0, labels, gap) <= PROMISED / 2
        assert gap < 4 / labels


@pytest.mark.parametrize("share", [0.01, 0.001, 0.0005])
@pytest.mark.parametrize("n", [100, 300])
def test_a_bar_on_a_proportion_near_0_or_1(tmp_path: Path, n: int, share: float) -> None:
    """The true share is the bar. Wilson's ends passed or failed the run in up to 14%: P(1 or more of 300 | 0.0005)."""

    def statuses(silent: int, bar: float) -> list[int]:
        path = table(tmp_path / "a.csv", new="U" * silent + "C" * (n - silent))
        scores = nescio.score(path, ["coverage", "simpleqa.not_attempted"], fail_under={"coverage": bar})
        scored = nescio.score(path, "coverage", interval="wilson", fail_under={"coverage": bar})
        assert [gate.status for gate in scores.gates] == [gate.status for gate in scored.gates]
        return [gate.status for gate in scores.gates]

    few = next(silent for silent in range(n) if statuses(silent, 1 - share) == [1])
    assert binom.sf(few - 1, n, share) <= PROMISED / 2
    many = next(answered for answered in range(n) if statuses(n - answered, share) == [0])
    assert binom.sf(many - 1, n, share) <= PROMISED / 2


def test_a_policy_and_other_questions_decide_by_the_exact_end_of_a_proportion(tmp_path: Path) -> None:
    """One silent answer of 100 leaves a coverage of 0.999 possible: the exact end is 0.99975, Wilson's 0.9982."""
    table(tmp_path / "a.csv", old="C" * 100, new="U" + "C" * 99)
    path = tmp_path / "policy.toml"
    rule = '[[rules]]\nmeasure = "coverage"\nat_least = 0.999\n'
    path.write_text(f'baseline = "old"\nrun = "new"\n[benchmarks.a]\nfiles = "a.csv"\n{rule}')
    (line,) = nescio.gate(path)
    assert (line.result, round(line.high or 0, 5)) == ("INCONCLUSIVE", 0.99975)
    scores = nescio.score(tmp_path / "a.csv", "coverage", fail_under={"coverage": 0.999})
    assert (scores.rows[1].high, scores.gates[1].status) == (pytest.approx(0.99823, abs=1e-5), 3)
    assert scores.gates[1].said.endswith("(0.990 [0.946, 1.000], an exact interval)")
    assert not scores.gates[1].doubtful
    other = nescio.score(tmp_path / "a.csv", "coverage", fail_under={"coverage": 0.999}, next=10_000)
    assert other.gates[1].status == 3
