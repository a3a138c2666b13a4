"""Discriminative power: the exact example, literal loops over the same resamples, and sane answers at the edges."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import nescio
from nescio.data.columns import Array
from nescio.data.evidence import NO_ROW, PRESENT, Evidence
from nescio.data.results import Results
from nescio.measures import Measure, parse
from nescio.meta_evaluation._asl import Resampling
from nescio.meta_evaluation.power import ADAPTED, MEAN, is_mean
from nescio.scoring.samples import columns_for
from nescio.verbs.meta import power
from tests.laws.catalogue import MEASURES, apart, kind_of, usable, value_of, varied
from tests.meta.test_rank_agreement import graded
from tests.meta.test_trials import evidence
from tests.notes import in_words
from tests.rings import sample, together

RESAMPLES = 200


def levels(found: Results) -> dict[tuple[str, str, str], float]:
    """The achieved significance level by measure and pair."""
    return {(p.measure, p.run, p.baseline): p.asl for p in found.tables["asl_curve"]}


def resamples(units: int, seed: int = 0, number: int | None = RESAMPLES) -> Iterator[list[int]]:
    """The resamples that the study draws, as the units one by one."""
    for weights in Resampling(units, number, seed).weights():
        for row in weights.astype(int):
            yield np.repeat(np.arange(units), row).tolist()


def student(z: Sequence[float]) -> float:
    """t, 0/0 and too few values being NaN and x/0 infinite; what is nothing but rounding is 0."""
    if len(z) < 2:
        return math.nan
    mean, spread = fmean(z), stdev(z)
    mean, spread = (0.0 if abs(value) < 1e-12 else value for value in (mean, spread))
    if spread == 0:
        return math.inf if mean else math.nan
    return mean / (spread / math.sqrt(len(z)))


def literal(z: Sequence[float], picks: Sequence[list[int]], alpha: float) -> tuple[float, float]:
    """ASL, and |mean| at the ⌈Bα⌉-th largest |t|, of one pair as section 3.3 of the formulas has it; NaN z are
    absent."""
    known = [value for value in z if not math.isnan(value)]
    observed, centre = abs(student(known)), fmean(known)
    tried = []
    for pick in picks:
        w = [z[q] - centre for q in pick if not math.isnan(z[q])]
        t = student(w)
        tried.append((-1.0 if math.isnan(t) else abs(t), abs(fmean(w)) if w else 0.0))
    hits = sum(t >= observed * (1 - 1e-9) for t, _ in tried)
    needed = sorted(tried, reverse=True)[math.ceil(len(picks) * alpha - 1e-9) - 1][1]
    return math.nan if math.isnan(observed) else hits / len(picks), needed


def assert_literal(data: Evidence, name: str, z_of: Array, picks: Sequence[list[int]], seed: int = 0) -> None:
    """The study of a mean equals the literal loop; `z_of` has each run's numbers by question, NaN where absent."""
    found = power(data, name, alpha=[0.05, 0.2], resamples=RESAMPLES, seed=seed)
    by_pair = levels(found)
    assert {row.statistic for row in found} == {MEAN}
    for row in found:
        needed = []
        for x, y in combinations(range(len(data.runs)), 2):
            asl, of_pair = literal((z_of[y] - z_of[x]).tolist(), picks, row.alpha)
            assert by_pair[name, data.runs[y], data.runs[x]] == pytest.approx(asl, abs=1e-12, nan_ok=True)
            needed += [] if math.isnan(asl) else [of_pair]
        assert row.required_difference == pytest.approx(max(needed), abs=1e-12)
        assert row.significant == sum(asl < row.alpha for asl in by_pair.values())


@pytest.fixture
def five_runs() -> Evidence:
    """Five runs of twelve questions, names in order, two runs close to each other."""
    rng = np.random.default_rng(5)
    runs = ["".join(rng.choice(list("CCWU"), size=12)) for _ in range(4)]
    data = evidence(**{f"r{i}": run for i, run in enumerate([*runs, "CW"[runs[0][0] == "C"] + runs[0][1:]])})
    return replace(
        data, questions=tuple("abcdefghijkl"), columns={**data.columns, "s": rng.integers(0, 9, (5, 12)) / 10}
    )


def test_the_exact_example_of_the_specification() -> None:
    """z = (.1, .2, .3): of 27 resamples two are as extreme, three times the first and three times the third.

    Their |mean| is .1, and they are the 2 = ⌈27 · .05⌉ largest; the third largest |t| is 2, of the resamples with
    twice the first and once the second (and their mirror images), whose mean is -.2/3.
    """
    found = power(graded(s=[[0, 0, 0], [0.1, 0.2, 0.3]]), "mean(s)", alpha=[0.05, 0.1], resamples=None)
    (point,) = found.tables["asl_curve"]
    assert point.asl == 2 / 27
    assert (point.run, point.baseline, point.rank) == ("b", "a", 1)
    five, ten = found.rows
    assert (five.pairs, five.significant, ten.significant) == (1, 0, 1)
    assert five.required_difference == pytest.approx(0.1)
    assert ten.required_difference == pytest.approx(0.2 / 3)
    assert five.statistic == MEAN


def test_means_are_the_literal_loop(five_runs: Evidence) -> None:
    picks = list(resamples(12))
    right, wrong = (five_runs.columns[name].astype(float) for name in ("correct", "incorrect"))
    for name, z in (("accuracy", right), ("UF", right - wrong), ("penalty(t=0.9)", right - 9 * wrong)):
        assert_literal(five_runs, name, z, picks)
    assert_literal(five_runs, "mean(s)", five_runs.columns["s"], picks)
    assert_literal(five_runs, "accuracy", right, list(resamples(12, seed=7)), seed=7)
    assert levels(power(five_runs, "accuracy")) != levels(power(five_runs, "accuracy", seed=7))


def test_scaled_scores_have_the_same_levels(five_runs: Evidence) -> None:
    """Whole numbers are summed exactly and others are not: near-degenerate resamples must come out the same."""
    tenth = replace(five_runs, columns={**five_runs.columns, "tenth": five_runs.columns["correct"] * 0.1})
    found = levels(power(tenth, ["accuracy", "mean(tenth)"], resamples=2_000))
    for (measure, run, baseline), asl in found.items():
        assert asl == found["accuracy", run, baseline], measure


@pytest.mark.sampled
@pytest.mark.parametrize("name", sample(["c@1", "precision", "pan.F0.5u", "ECE(bins=3)", "AUROC", "CWS", "AURC"], 3))
def test_other_measures_are_recomputed_on_resampled_questions(name: str) -> None:
    data = varied(14, runs=3)
    data = replace(data, questions=tuple("abcdefghijklmn"))
    found = power(data, name, resamples=40)
    picks = list(resamples(14, number=40))
    by_pair, needed = levels(found), []
    for x, y in combinations(range(3), 2):
        _, _, present = columns_for(data, parse(name))
        absence = np.where(present[x] & present[y], PRESENT, NO_ROW).astype(np.uint8)
        both = replace(data, absence=np.broadcast_to(absence, present.shape))
        d = value_of(both, name, y) - value_of(both, name, x)
        drawn = [both.select(np.array(pick)) for pick in picks]
        off = [abs(value_of(part, name, y) - value_of(part, name, x) - d) for part in drawn]
        off = sorted((value for value in off if not math.isnan(value)), reverse=True)
        asl = sum(value >= abs(d) * (1 - 1e-9) for value in off) / len(off)
        assert by_pair[name, data.runs[y], data.runs[x]] == pytest.approx(asl, abs=1e-12)
        needed.append(off[math.ceil(len(off) * 0.05) - 1])
    assert found.rows[0].required_difference == pytest.approx(max(needed), abs=1e-9)
    assert found.rows[0].statistic == ADAPTED


@pytest.mark.sampled
@together("name", sample(MEASURES, 25, each=kind_of))
def test_a_measure_is_a_mean_where_two_halves_have_the_mean_of_their_values(name: str) -> None:
    data = apart(varied(40, runs=3))
    measure, rng = parse(name), np.random.default_rng(2)

    def off(run: int) -> float:
        """How far the whole is from the mean of two random parts of it, each weighed by the questions that count."""
        part = rng.permutation(40) < rng.integers(1, 40)
        halves = [data.select(part), data.select(~part)]
        sizes = [usable(half, measure, run).sum() for half in halves]
        return abs(
            value_of(data, name, run) - np.average([value_of(half, name, run) for half in halves], weights=sizes)
        )

    found = np.array([off(run) for run in range(3) for _ in range(2)])
    found = found[~np.isnan(found)]  # a part may have nothing to measure
    assert is_mean(data, measure) == bool(len(found) and (found < 1e-9 * scale_of(measure)).all())


def scale_of(measure: Measure) -> float:
    """The size of the values that a measure can have, 1 where it has no bounds."""
    return max([abs(bound) for bound in measure.bounds if math.isfinite(bound)], default=1.0)


def test_without_silence_the_measure_c_at_1_is_the_mean_that_accuracy_is() -> None:
    data = evidence(x="CWWCWCCW", y="CCWCWCWC", z="CCCCWCWC")
    found = power(data, ["c@1", "accuracy"])
    assert [row.statistic for row in found] == [MEAN, MEAN]
    by_pair = levels(found)
    assert [by_pair["c@1", *pair] for pair in (("y", "x"), ("z", "y"))] == [
        by_pair["accuracy", *pair] for pair in (("y", "x"), ("z", "y"))
    ]


def test_clusters_of_one_size_are_units_with_their_mean() -> None:
    rng = np.random.default_rng(6)
    scores = rng.integers(0, 9, (3, 20)) / 8
    story = np.repeat(np.arange(10), 2)
    data = replace(graded(s=scores.tolist()), questions=tuple("abcdefghijklmnopqrst"), clusters=story)
    assert_literal(data, "mean(s)", scores.reshape(3, 10, 2).mean(axis=2), list(resamples(10)))
    single = replace(data, clusters=np.arange(20)[::-1])
    assert power(single, "mean(s)").rows == power(replace(data, clusters=None), "mean(s)").rows


def test_clusters_of_unlike_sizes_have_the_standard_error_of_a_ratio() -> None:
    """Two resamples by hand: sums (3, 1, 0) over (2, 1, 1) questions, mean 1; deviations 1, 0, -1.

    The standard error is √(3/2 · 2)/4, so t = 4/√3. On (first, first, second): mean 7/5, deviations .2, .2, -.4,
    less 1: .4 over √(3/2 · .24)/5 = .12, so t = 10/3 is larger. On (first, second, third) t is 0.
    """
    data = replace(graded(s=[[0.0] * 4, [1.0, 2, 1, 0]]), clusters=np.array([0, 0, 1, 2]))
    found = levels(power(data, "mean(s)", resamples=None))["mean(s)", "b", "a"]
    total = 0
    for pick in resamples(3, number=None):
        sums, sizes = np.array([3, 1, 0])[pick], np.array([2, 1, 1])[pick]
        mean = sums.sum() / sizes.sum()
        error = math.sqrt(3 / 2 * ((sums - mean * sizes) ** 2).sum()) / sizes.sum()
        off = 0.0 if abs(mean - 1) < 1e-12 else mean - 1
        t = abs(off) / error if error > 1e-12 else (math.inf if off else math.nan)
        ways = math.factorial(3) // math.prod(math.factorial(pick.count(u)) for u in range(3))
        total += ways * (t >= 4 / math.sqrt(3) * (1 - 1e-9))
    assert found == pytest.approx(total / 27)
    assert total >= 3  # first, first, second in any order


def test_a_pair_is_compared_on_the_questions_that_both_have(five_runs: Evidence) -> None:
    absence = five_runs.absence.copy()
    absence[1, 3] = absence[2, :4] = NO_ROW
    data = replace(five_runs, absence=absence)
    right = np.where(absence == NO_ROW, np.nan, five_runs.columns["correct"].astype(float))
    assert_literal(data, "accuracy", right, list(resamples(12)))
    found = power(data, ["accuracy", "c@1"], resamples=50)
    assert [note.split(":")[0] for note in in_words(found.notes) if "only on the questions" in note] == [
        "accuracy",
        "c@1",
    ]
    both = data.take_runs([0, 2]).select(np.arange(4, 12))
    d = value_of(both, "c@1", 1) - value_of(both, "c@1", 0)
    hits = defined = 0
    for pick in resamples(12, number=50):
        kept = both.select(np.array([q - 4 for q in pick if q >= 4], dtype=int))
        off = value_of(kept, "c@1", 1) - value_of(kept, "c@1", 0) - d
        hits, defined = hits + (abs(off) >= abs(d) * (1 - 1e-9)), defined + (not math.isnan(off))
    assert levels(found)["c@1", "r2", "r0"] == pytest.approx(hits / defined)


def test_neither_order_nor_company_change_a_bit(five_runs: Evidence) -> None:
    measures = ["accuracy", "c@1", "mean(s)"]
    whole = power(five_runs, measures)
    other = power(five_runs.select(np.random.default_rng(1).permutation(12)), measures)
    assert (other.rows, other.tables, in_words(other.notes)) == (whole.rows, whole.tables, in_words(whole.notes))
    assert power(five_runs, "c@1").rows == whole.rows[1:2]
    assert levels(power(five_runs.take_runs([0, 3]), measures)).items() <= levels(whole).items()


def test_identical_runs_are_not_significant() -> None:
    found = power(evidence(x="CWUCW", y="CWUCW", z="CCCCU"), ["accuracy", "c@1"])
    for row in found:
        assert (row.pairs, row.undefined) == (3, 1)
        assert row.significant <= 2
        curve = [point for point in found.tables["asl_curve"] if point.measure == row.measure]
        assert [point.rank for point in curve] == [1, 2, 3]
        assert (curve[-1].run, curve[-1].baseline) == ("y", "x")
        assert math.isnan(curve[-1].asl)
    assert sum("1 of 3 pairs" in note for note in in_words(found.notes)) == 2


@together(
    "x, y, significant, undefined",
    [
        ("UUUU", "UUUU", 0, 1),
        ("C", "U", 0, 1),
        ("CCCC", "UUUU", 1, 0),  # no spread under the null: nothing is as extreme as this difference
    ],
)
def test_runs_that_are_alike_on_every_question_and_a_single_question(
    x: str, y: str, significant: int, undefined: int
) -> None:
    found = power(evidence(x=x, y=y), ["accuracy", "c@1"])
    assert [(row.pairs, row.significant, row.share, row.undefined) for row in found] == [
        (1, significant, float(significant), undefined)
    ] * 2
    assert significant == 0 or set(levels(found).values()) == {0.0}
    assert x != "UUUU" or all(record["required_difference"] is None for record in found.records())


def test_resampled_differences_that_are_undefined_are_said() -> None:
    rare = power(evidence(x="CUUUUUUU", y="CWWWWWWW"), "precision")
    assert any("resampled differences are undefined" in note for note in in_words(rare.notes))


@together(
    "questions, options, says",
    [
        ("CW", {"alpha": [0.05, 1]}, "between 0 and 1"),
        *(("CW", {"resamples": number}, "whole number from 1") for number in (0, -1, True, 2.5)),
        ("CW" * 6, {"resamples": None}, "too many resamples of 12"),
    ],
)
def test_what_makes_no_sense_is_refused(questions: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(nescio.UsageError, match=says):
        power(evidence(x=questions, y=questions[::-1]), "c@1", **options)
    with pytest.raises(nescio.MismatchError, match="one run"):
        power(evidence(x=questions), "c@1")
