"""Verdicts in words, gates, ranks, and the paired bootstrap test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from scipy import stats

import nescio
from nescio.comparison.adjusted import families
from nescio.comparison.hidden_losses import wins_by_silence
from nescio.comparison.margins import margin_of
from nescio.comparison.ranks import bars
from nescio.comparison.verdicts import (
    Decision,
    decision,
    decisions,
    detectable,
    regression,
    rule_of_three_share,
    widened_interval,
)
from nescio.data.evidence import Evidence
from nescio.data.repeats import repeats_of
from nescio.data.results import Comparison
from nescio.errors import MissingColumnError, UsageError
from nescio.measures import parse
from nescio.meta_evaluation.audit import _kinds as audited
from nescio.meta_evaluation.audit import registered
from nescio.verbs._gates import regression_gates
from tests.notes import in_words
from tests.rings import together

from .runs import evidence, matrix


def row(low: float, high: float, verdict: str = "too few questions to tell", measure: str = "c@1") -> Comparison:
    middle = (low + high) / 2
    return Comparison("new", "old", measure, middle, low, high, 0.5, 0.5, "exact", 100, verdict, units=100)


def test_a_large_sample_without_a_difference_bounds_it() -> None:
    same = "CWUCW" * 2_000
    (found,) = nescio.compare(evidence(x=same, y=same), "accuracy", resamples=300)
    # What 10,000 questions never show can still be 1 - 0.025^(1/10000) = 0.00036882 of all; rounded up.
    assert (found.verdict, found.no_larger_than) == ("differences above 0.0004 are ruled out", 0.0004)
    assert rule_of_three_share(10_000, 0.05) == pytest.approx(1 - 0.025 ** (1 / 10_000))


def test_a_difference_is_ruled_out_only_if_a_gate_rules_it_out() -> None:
    """4 of 200 answers are lost. Student's interval ends at -0.0427, and the bound of a gate at -0.0504."""
    runs = evidence(old="C" * 200, new="W" * 4 + "C" * 196)
    (row,) = nescio.compare(runs, "accuracy", baseline="old", margin=0.05).rows
    assert (row.verdict, regression(row, 0.05, 0.05)) == ("too few questions to tell", 3)
    assert row.low == pytest.approx(-0.04265, abs=1e-5)
    (row,) = nescio.compare(runs, "accuracy", baseline="old", margin=0.051).rows
    assert (row.verdict, regression(row, 0.05, 0.051)) == ("differences above 0.0505 are ruled out", 0)


def test_runs_with_the_same_scores_pass_if_no_unseen_score_lies_beyond_those_seen(tmp_path: Path) -> None:
    """0.975 of samples of 300 show a share 1 - 0.025^(1/300) = 0.01222 of other questions, each worth at most 0.8."""
    path = tmp_path / "f1.csv"
    scores = [0.2 * (i % 5) for i in range(300)]
    rows = [f"{run},q{i},correct,{score},0" for run in ("old", "new") for i, score in enumerate(scores)]
    path.write_text("\n".join(["run,question,outcome,f1,zero", *rows]) + "\n")

    def decided(measure: str, margin: float) -> Decision:
        (made,) = decisions(nescio.compare(path, measure, baseline="old", run="new", margin=margin))
        return made

    same = decided("mean(f1)", 0.0098)
    assert same.row.worst == pytest.approx(-0.8 * 0.0122209747, rel=1e-6)
    assert (same.status, same.why.endswith("(+0.000), if no unseen value lies beyond those seen.")) == (0, True)
    assert "further questions would tell" in decided("mean(f1)", 0.0097).why
    unknown = decided("mean(zero)", 0.5)
    assert (unknown.status, "nothing tells how far an unseen one may; margin=0" in unknown.why) == (3, True)


def test_a_bounded_null_names_the_far_end_of_the_interval() -> None:
    x, y = "C" * 5_000 + "W" * 5_000 + "C" * 30 + "W" * 30, "C" * 5_000 + "W" * 5_000 + "W" * 30 + "C" * 30
    (found,) = nescio.compare(evidence(x=x, y=y), "accuracy", resamples=2_000)
    assert found.low is not None
    assert found.high is not None
    assert found.no_larger_than is not None
    assert max(-found.low, found.high) <= found.no_larger_than < max(-found.low, found.high) + 1e-4
    (strict,) = nescio.compare(evidence(x=x, y=y), "accuracy", resamples=2_000, margin=0.0001)
    assert (strict.verdict, strict.no_larger_than) == ("too few questions to tell", None)


@pytest.mark.parametrize("runs", [{"x": "C", "y": "W"}, {"x": "C", "y": "C"}, {"x": "UUU", "y": "UUU"}])
def test_a_handful_of_questions_never_tells(runs: dict[str, str]) -> None:
    for test in ("auto", "permutation", "tukey"):
        (found,) = nescio.compare(evidence(**runs), "c@1", test=test, resamples=256)
        assert found.p == 1
        alike = "no difference seen, too few questions to rule one out"
        assert found.verdict == (alike if runs["x"] == runs["y"] else "too few questions to tell")


def test_an_interval_without_0_beside_no_verdict_is_explained() -> None:
    """Of 20 questions x alone has 5 right: the exact p is 2 / 2^5. Of 6, it is 2 / 2^6, and the verdict is better."""
    for alone, verdict in ((5, "too few questions to tell"), (6, "better")):
        found = nescio.compare(evidence(x="C" * 20, y="W" * alone + "C" * (20 - alone)), "accuracy", baseline="y")
        (row,) = found
        assert (row.p, row.verdict) == (pytest.approx(2 / 2**alone), verdict)
        assert row.low is not None
        assert row.low > 0
        assert ("comparison.two_grounds" in {remark.code for remark in found.notes}) is (alone == 5)


def power_of_the_exact_test(questions: int, apart: float, shift: float, alpha: float) -> float:
    """The chance that the exact test of accuracy rejects, by enumeration: on Bin(questions, apart) questions one run
    alone is right, and of m such it is the better run on Bin(m, (1 + shift/apart)/2)."""
    found = 0.0
    for m in range(1, questions + 1):
        better = np.arange(m + 1)
        p = np.minimum(1, 2 * stats.binom.cdf(np.minimum(better, m - better), m, 0.5))
        rejected = stats.binom.pmf(better, m, (1 + shift / apart) / 2)[p <= alpha].sum()
        found += stats.binom.pmf(m, questions, apart) * rejected
    return found


@together(
    "questions, apart, alpha",
    [(20, 0.6, 0.05), (40, 0.3, 0.05), (80, 0.2, 0.05), (80, 0.4, 0.05), (80, 0.6, 0.01), (200, 0.4, 0.05)],
)
def test_the_detectable_difference_is_found_four_times_in_five(questions: int, apart: float, alpha: float) -> None:
    """In samples whose difference is that which they say, as s² = (apart - d²) / n."""
    shift: float | None = 0.1
    for _ in range(60):
        assert shift is not None
        spread = ((apart - shift**2) / questions) ** 0.5
        shift = detectable(replace(row(-0.1, 0.1), spread=spread, units=questions), parse("accuracy"), alpha)
    assert shift is not None
    assert 0.8 <= power_of_the_exact_test(questions, apart, shift, alpha) <= 0.9


def test_a_detectable_difference_needs_units_and_a_range() -> None:
    measure = parse("c@1")
    assert detectable(replace(row(-0.1, 0.1), spread=0.0), measure, 0.05) is None
    assert detectable(replace(row(-0.1, 0.1), spread=0.1, units=5), measure, 0.05) is None  # no p below 2^-4
    assert detectable(replace(row(-0.1, 0.1), spread=0.9), measure, 0.05) is None  # c@1 has no difference as large


def test_gates_pass_fail_or_cannot_tell() -> None:
    assert regression(row(-0.005, 0.02), 0.05, 0.01) == 0
    assert regression(row(-0.05, -0.02, "worse"), 0.05, 0.01) == 1
    assert regression(row(-0.05, 0.02), 0.05, 0.01) == 3
    assert regression(row(-0.05, -0.002, "worse"), 0.05, 0.01) == 3  # worse, but perhaps by no more than the margin
    lower_is_better = "simpleqa.incorrect"
    assert regression(row(0.02, 0.05, "worse", lower_is_better), 0.05, 0.01) == 1
    assert regression(row(-0.05, 0.005, measure=lower_is_better), 0.05, 0.01) == 0
    same = replace(row(0.0, 0.0), difference=0.0)
    assert [regression(replace(same, units=many), 0.05, 0.0) for many in (1, 29, 30)] == [3, 3, 0]
    # Under a margin d of a measure that m questions move by r: 0.025^(1/m) ≥ 1 - d/r, so m ≥ ln 0.025 / ln(1 - d/r).
    # Of c@1 r is 2 and m 735.9, of accuracy r is 1 and m 367.0.
    assert [regression(replace(same, units=many), 0.05, 0.01) for many in (735, 736)] == [3, 0]
    of_accuracy = replace(same, measure="accuracy")
    assert [regression(replace(of_accuracy, units=many), 0.05, 0.01) for many in (367, 368)] == [3, 0]
    assert decision(of_accuracy, 0.05, 0.01).further == 270  # 368 less the 100 there are, to two digits
    assert regression(replace(same, low=float("nan"), high=float("nan")), 0.05, 0.01) == 3
    # Of one question without a difference 0.025^(1/1) is left; it moves c@1 by more than its range, if by twice that.
    assert widened_interval(replace(of_accuracy, units=1), 0.05) == pytest.approx((-0.975, 0.975))
    assert widened_interval(replace(same, units=1), 0.05) == pytest.approx((-1, 1))


def test_ranks_of_three_runs_of_which_two_are_alike() -> None:
    data = evidence(best="C" * 90 + "W" * 10, good="C" * 40 + "W" * 60, even="C" * 39 + "W" * 60 + "C")
    for measure in ("accuracy", "simpleqa.incorrect"):  # which way is better is known
        found = nescio.compare(data, measure, resamples=300).tables["ranks"]
        assert [(r.run, r.rank, r.low, r.high, r.groups, r.tied_with) for r in found] == [
            ("best", 1, 1, 1, "1", ""),
            ("good", 2, 2, 3, "2", "even"),
            ("even", 2, 2, 3, "2", "good"),
        ]
    assert "ranks" not in nescio.compare(data, "accuracy", baseline="good", resamples=300).tables


def test_bars_are_the_longest_stretches() -> None:
    # 0-1-2 alike, 1-2-3 alike, 0 and 3 apart, 4 apart from all
    apart = np.zeros((5, 5), dtype=bool)
    apart[0, 3] = apart[3, 0] = apart[4, :4] = apart[:4, 4] = True
    assert bars(apart) == [(0, 2), (1, 3), (4, 4)]


@pytest.mark.proof
def test_rank_intervals_hold_the_true_ranks_together() -> None:
    """Six systems, two pairs of them equal: over 200 collections all true ranks lie within the intervals in 95% or
    more."""
    rates = np.array([0.7, 0.6, 0.6, 0.5, 0.45, 0.45])
    best, worst = [1, 2, 2, 4, 5, 5], [1, 3, 3, 4, 6, 6]  # equal systems may take either place
    rng, held = np.random.default_rng(11), 0
    for _ in range(200):
        cells = (rng.random((6, 120)) < rates[:, None]).astype(np.int8)
        columns = {"correct": cells, "incorrect": 1 - cells, "unanswered": 0 * cells, "answered": 0 * cells + 1}
        names, questions = tuple("abcdef"), tuple(map(str, range(120)))
        data = Evidence(names, questions, columns, np.zeros(cells.shape, dtype=np.uint8))
        places = {r.run: r for r in nescio.compare(data, "accuracy", resamples=1).tables["ranks"]}
        held += all(places[run].low <= best[i] and worst[i] <= places[run].high for i, run in enumerate(names))
    assert held >= 0.95 * 200 - 2 * (200 * 0.95 * 0.05) ** 0.5


@pytest.mark.parametrize("values", [(0.1, 0.2, 0.3), (-0.1, 0.1, 0.3)])
def test_the_bootstrap_test_by_enumeration(values: tuple[float, ...]) -> None:
    """Of 27 resamples those whose mean is as far from the mean as that is from 0; of the first none."""
    mean = sum(values) / 3
    means = [(a + b + c) / 3 for a in values for b in values for c in values]
    share = sum(abs(m - mean) >= mean - 1e-12 for m in means) / 27
    data = matrix(*((value, 0.0) for value in values))
    (found,) = nescio.compare(data, "mean(score)", baseline="r2", test="bootstrap", resamples=20_000)
    assert found.p == pytest.approx(share or 1 / 20_001, abs=4 * (share * (1 - share) / 20_000) ** 0.5)


def test_the_bootstrap_says_nothing_where_no_resample_differs() -> None:
    (found,) = nescio.compare(evidence(x="CC", y="WW"), "accuracy", test="bootstrap", resamples=256)
    assert (str(found.p), found.verdict) == ("nan", None)
    (same,) = nescio.compare(evidence(x="CW", y="CW"), "accuracy", test="bootstrap", resamples=256)
    assert same.p == 1


def test_a_margin_that_makes_no_sense() -> None:
    for margin in (-1, float("inf"), "x", True):
        with pytest.raises(nescio.UsageError, match="margin"):
            nescio.compare(evidence(x="CW", y="WC"), "c@1", margin=margin)  # type: ignore[arg-type]


def test_a_default_margin_is_only_for_a_range_about_1_wide() -> None:
    """The new run costs ten times as much, by less than 0.01 dollars an answer."""
    rows = [
        {
            "run": run,
            "question": f"q{i}",
            "outcome": ("correct", "incorrect")[i % 5 == 0],
            "cost": cost * (1 + i % 7 / 100),
        }
        for run, cost in (("old", 0.0005), ("new", 0.005))
        for i in range(400)
    ]
    for measure in ("price_per_right(cost)", "mean(cost)"):
        found = nescio.compare(rows, measure, baseline="old")
        assert (found.decision.status, found.rows[0].verdict, "margin" in found.signature) == (3, "worse", False)
        assert "State the largest loss that does not matter (margin=VALUE), in the unit" in found.decision.sentence
        assert "0.01" not in found.decision.sentence
        with pytest.raises(nescio.UsageError, match="needs margin=VALUE"):
            nescio.compare(rows, measure, baseline="old", fail_on_regression=True)
        for margin, status in ((0.001, 1), (0.01, 0)):
            (gate,) = nescio.compare(rows, measure, baseline="old", fail_on_regression=True, margin=margin).gates
            assert gate.status == status
        turned = nescio.compare(rows, measure, baseline="new")
        assert (turned.decision.status, turned.decision.why[-14:]) == (0, "old is better.")
        both = nescio.compare(rows, [measure, "accuracy"], baseline="old")
        assert both.decision.row.measure == measure
    assert nescio.compare(rows, ["accuracy", "mean(cost)"], baseline="old").rows[0].no_larger_than == 0.0092
    assert nescio.compare(rows, "accuracy", baseline="old", fail_on_regression=True).gates[0].status == 0


RANGES = {"UF": 0.01, "penalty(t=0.75)": 0.01, "penalty(t=0.9)": 0.01, "E-AUGRC": 0.01, "omniscience_index": None}


@together("measure, margin", [*RANGES.items(), ("NLL", None), ("NAURC", None), ("formula(C/n)", None)])
def test_which_measures_have_a_default_margin(measure: str, margin: float | None) -> None:
    assert margin_of(parse(measure), None) == margin
    assert margin_of(parse(measure), 0.2) == 0.2


def test_no_verdict_says_that_small_differences_are_ruled_out_by_a_margin_that_nobody_stated() -> None:
    cost = [(i % 7 / 1000, (i + 1) % 7 / 1000) for i in range(70)]
    (found,) = nescio.compare(matrix(*cost), "mean(score)")
    assert (found.verdict, found.no_larger_than) == ("too few questions to tell", None)
    (found,) = nescio.compare(matrix(*cost), "mean(score)", margin=0.01)
    assert str(found.verdict).startswith("differences above 0.00")


def test_a_margin_as_wide_as_the_range_decides_nothing() -> None:
    data = evidence(x="CWUC" * 10, y="WCWU" * 10)
    for measure, margin in (("c@1", 1), ("c@1", 2), ("UF", 2), (["UF", "c@1"], 1.5), (None, 1)):
        with pytest.raises(nescio.UsageError, match=r"no difference of (c@1|UF) is larger than"):
            nescio.compare(data, measure, margin=margin)
    with pytest.raises(nescio.UsageError, match=r"write 0.02 for 2 per cent"):
        nescio.compare(data, "c@1", margin=2)
    assert nescio.compare(data, "UF", margin=1.5).decision.status == 0
    # Coverage decides nothing, so its range does not matter.
    assert nescio.compare(data, ["omniscience_index", "coverage"], margin=199).decision.status == 0


def test_too_few_resamples_for_so_many_comparisons_is_said() -> None:
    """Five runs make ten pairs, 99 resamples a least p of .01: adjusted .1, however far the runs are apart."""
    rng = np.random.default_rng(1)
    rows = [tuple(step * 10 + rng.random() for step in range(5)) for _ in range(60)]
    found = nescio.compare(matrix(*rows), "mean(score)", test="permutation", resamples=99)
    assert {row.verdict for row in found} == {"too few resamples to tell"}
    assert any("use at least resamples=200" in note for note in in_words(found.notes))
    enough = nescio.compare(matrix(*rows), "mean(score)", test="permutation", resamples=250)
    assert {row.verdict for row in enough} == {"better"}


def test_a_handful_of_resamples_bounds_nothing() -> None:
    x, y = "C" * 5_000 + "W" * 5_000, "C" * 4_995 + "W" * 5_000 + "CCCCC"
    for few in (1, 39):
        (found,) = nescio.compare(evidence(x=x, y=y), "accuracy", resamples=few)
        assert (found.verdict, found.no_larger_than) == ("too few questions to tell", None)
    (found,) = nescio.compare(evidence(x=x, y=y), "accuracy", resamples=400)
    assert found.no_larger_than is not None


# ---- families of comparisons ----

OUTCOMES = Path(__file__).parents[2] / "examples" / "outcomes.csv"


def test_measures_that_decide_nothing_do_not_hide_what_the_first_one_shows() -> None:
    """The p-value of the second run's c@1 is 0.021 by itself; it was 0.063 beside accuracy and coverage."""
    alone = nescio.compare(OUTCOMES, "c@1", baseline="old")
    assert [row for row in nescio.compare(OUTCOMES, baseline="old") if row.measure == "c@1"] == list(alone)
    other = next(row for row in alone if row.run == "other")
    assert (other.p, other.verdict) == (pytest.approx(0.021, abs=5e-4), "better")
    rows = nescio.compare(OUTCOMES, ["coverage", "c@1", "simpleqa.not_attempted"], baseline="old")
    assert {(row.measure, row.verdict) for row in rows if row.measure != "c@1"} == {
        ("coverage", "lower"),
        ("simpleqa.not_attempted", "higher"),
    }
    assert "coverage" not in {rank.measure for rank in nescio.compare(OUTCOMES).tables["ranks"]}
    (lower,) = nescio.compare(OUTCOMES, "coverage", baseline="old", run="mine")
    assert regression(lower, 0.05, 0.01) == 1


def test_families_by_hand() -> None:
    """c@1 decides; accuracy and UF are corrected together, coverage and what is not attempted by themselves: Holm's
    p of a family of four is 4 times the least."""
    names = ["coverage", "c@1", "accuracy", "UF", "simpleqa.not_attempted"]
    rows = nescio.compare(OUTCOMES, names, baseline="old").rows
    assert [[row.measure for row in family] for family in families(rows)] == [
        ["c@1"] * 2,
        ["accuracy"] * 2 + ["UF"] * 2,
        ["coverage"] * 2 + ["simpleqa.not_attempted"] * 2,
    ]
    for family in families(rows):
        least = min(family, key=lambda row: row.p or 0)
        assert least.p is not None
        assert least.p_adjusted == pytest.approx(min(1, len(family) * least.p))


# ---- decisions ----

# An interval of 100 questions, the margin, and what follows. By hand: the interval shrinks with the root of the number
# of questions, so that of reach r must shrink to the distance d from the margin: 100·((r/d)² - 1) more questions,
# rounded up to two digits. At [-0.05, 0.09] and 0.01: r = 0.07, d = 0.03, 444.4. Of Brier, which is to be low, the same
# ends at [-0.05, 0.09]: -0.02 ± 0.07, d = 0.01, 4,800. At [-0.08, 0.06]: d = 0, no number.
DECISIONS: list[tuple[Any, ...]] = [
    (
        "c@1",
        -0.005,
        0.05,
        "too few questions to tell",
        0.01,
        0,
        None,
        "c@1, so new is not worse by more than the margin of 0.01.",
    ),
    (
        "c@1",
        0.02,
        0.09,
        "better",
        0.01,
        0,
        None,
        "MERGE: new minus old is +0.055 [+0.020, +0.090] by c@1, so new is better.",
    ),
    ("c@1", -0.09, -0.02, "worse", 0.01, 1, None, "by c@1, so new is worse by more than the margin of 0.01."),
    (
        "c@1",
        -0.05,
        0.09,
        "too few questions to tell",
        0.01,
        3,
        450,
        "so new may still be worse by more than the margin of 0.01.",
    ),
    ("Brier", -0.05, 0.09, "too few questions to tell", 0.01, 3, 4800, "About 4,800 further questions would tell"),
    ("Brier", -0.09, -0.02, "better", 0.01, 0, None, "by Brier (lower is better), so new is better."),
    ("Brier", 0.02, 0.09, "worse", 0.01, 1, None, "by Brier (lower is better), so new is worse by more"),
    (
        "c@1",
        -0.08,
        0.06,
        "too few questions to tell",
        0.01,
        3,
        None,
        "To tell would take more than 100 times as many questions",
    ),
]


@together("measure, low, high, verdict, margin, status, further, words", DECISIONS)
def test_a_decision_is_merge_do_not_merge_or_cannot_tell(
    measure: str, low: float, high: float, verdict: str, margin: float, status: int, further: int | None, words: str
) -> None:
    found = decision(row(low, high, verdict, measure), 0.05, margin)
    assert (found.status, found.further) == (status, further)
    assert words in found.sentence
    assert (
        decision(row(low, high, verdict, measure), 0.05, margin, "empty 2 → 40").sentence.count(
            " (empty 2 → 40), so new "
        )
        == 1
    )


def test_no_gate_on_one_measure_passes_a_run_that_answers_nothing() -> None:
    """The run declines wrong candidates. Each question is asked twice; every fifth has no answer and is declined."""
    number, attempt = np.arange(400) // 2, np.arange(400) % 2
    answerable = np.tile(number % 5 > 0, (2, 1))
    did = np.where(number % 10 < 8, audited.RIGHT, np.where(number % 20 < 18, audited.WRONG, audited.HELD_WRONG))
    did = np.where((number % 20 == 1) & (attempt > 0), audited.WRONG, np.where(answerable[0], did, audited.HELD_WRONG))
    kinds = np.stack([did, np.full(400, audited.HELD_WRONG)])
    side = np.tile(number % 3 > 0, (2, 1))
    columns = audited.columns(audited.Kinds(kinds, np.full((2, 400), 0.8), side, answerable))
    columns["assessed.unsupported"] = columns["assessed.inexact"] = columns["incorrect"] * (number % 2).astype(float)
    columns |= {name: columns["correct"].astype(float) for name in ("squad.exact", "squad.f1", "user.column")}
    columns |= {"user.known": side.astype(float), "user.cost": np.ones((2, 400)), "user.seconds": np.ones((2, 400))}
    names = tuple(f"q{one}" for one in number)
    repeats = repeats_of(names, [str(one) for one in attempt])
    assert repeats is not None
    absence = np.zeros((2, 400), dtype=np.uint8)
    data = Evidence(("old", "new"), names, columns, absence, clusters=repeats.question, repeats=repeats)
    given = {"formula": "(1-W/n)", "mean": "(column)", "net_benefit": "(right=1)", "stake_area": "(stakes=1)"}
    given |= dict.fromkeys(("utility", "normalised_utility"), "(stake=1)")
    statuses = {}
    for declared in (one.declaration for one in registered() if not one.declaration.descriptive):
        name = declared.name + given.get(declared.name, "")
        try:
            compared = nescio.compare(data, name, baseline="old", margin=0.01, resamples=200)
            (gate,) = regression_gates(compared, [name])
        except (MissingColumnError, UsageError):  # no gate is possible
            continue
        statuses[name] = gate.status
    assert [name for name, status in statuses.items() if not status] == []
    assert len(statuses) > 60
    judged = {
        "never_wrong@k",
        "flip_rate",
        "disagreement",
        "prudence",
        "validation",
        "unsupported_rate",
        "squad.NoAns_EM",
    }
    assert judged <= statuses.keys()


@together("name", ["nuggets.F", "nuggets.list_F", "ave.F", "read.recall"])
def test_silence_wins_by_no_measure_whose_columns_are_unknown(name: str) -> None:
    """A column of the user's own may measure anything: silence takes no time, and says nothing that is unfaithful."""
    assert not wins_by_silence(name)
    assert wins_by_silence("mean(seconds)")
    assert wins_by_silence("mean(faithfulness)")
    assert wins_by_silence("precision")
    assert wins_by_silence("squad.NoAns_EM")
