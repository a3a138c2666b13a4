"""How much of a score is chance: the split of variance, noise floors, and how often to ask, by worked figures."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose

import nescio
from nescio.errors import MismatchError, UsageError
from nescio.stats.variance_split import design, intraclass
from tests.data.test_repeats import FIVE, rows
from tests.notes import in_words


def test_the_worked_figures_of_the_split() -> None:
    """Accuracy: S² = 31/180 = 2/15 + 7/180; c@1: .2574945988 = .2033680556 + .0541265432 by the delta method. Two
    batches differ by sqrt(2ν/n): .1247219129 and .1471414873. Standard errors .1855921454, .2825970826 (UF),
    .2269337343."""
    found = {row.measure: row for row in nescio.lab.repeats(rows("m", FIVE), ["accuracy", "c@1", "UF"])}
    accuracy, c_at_1 = found["accuracy"], found["c@1"]
    assert_allclose(
        [accuracy.variance, accuracy.questions, accuracy.sampling], [31 / 180, 2 / 15, 7 / 180], rtol=0, atol=1e-11
    )
    split_of = [c_at_1.variance, c_at_1.questions, c_at_1.sampling]
    assert_allclose(split_of, [0.2574945988, 0.2033680556, 0.0541265432], rtol=0, atol=1e-10)
    z = 1.959963984540054
    assert_allclose([accuracy.noise / z, c_at_1.noise / z], [0.1247219129, 0.1471414873], rtol=0, atol=1e-10)
    errors = [found[name].se for name in ("accuracy", "UF", "c@1")]
    assert_allclose(errors, [0.1855921454, 0.2825970826, 0.2269337343], rtol=0, atol=1e-10)
    # UF's sampling part is the mean of [(x+y) - (x-y)²]/(r-1)
    x, y, r = np.array([1, 0.5, 0, 1 / 3, 0]), np.array([0, 0.25, 0.75, 0, 0]), np.array([4, 4, 4, 3, 4])
    assert found["UF"].sampling == pytest.approx(float((((x + y) - (x - y) ** 2) / (r - 1)).mean()), abs=1e-12)
    assert (accuracy.flipping, accuracy.n, accuracy.repeats) == (3, 5, "3-4")


def test_the_worked_figures_of_the_analysis_of_variance() -> None:
    """MSB 157/228, MSW 5/42, r₀ 72/19, σ_q² 101/672."""
    values = np.array([float(i < c) for c, w, u in FIVE for i in range(c + w + u)])
    unit = np.repeat(np.arange(5), [c + w + u for c, w, u in FIVE])
    expected = [Fraction(157, 228), Fraction(5, 42), Fraction(72, 19), Fraction(101, 672)]
    assert_allclose(intraclass(values, unit), [float(value) for value in expected], rtol=1e-12)
    row = nescio.lab.repeats(rows("m", FIVE), "accuracy").rows[0]
    assert row.intraclass == pytest.approx(float(Fraction(101, 672) / (Fraction(101, 672) + Fraction(5, 42))))


def test_the_parts_add_up_and_a_steady_system_has_no_noise() -> None:
    steady = nescio.lab.repeats(rows("m", [(3, 0, 0), (0, 3, 0), (0, 0, 3)]), ["accuracy", "c@1", "penalty(t=0.75)"])
    for row in steady:
        assert (row.sampling, row.noise, row.flipping, row.intraclass) == (0, 0, 0, 1.0)
        assert row.variance == pytest.approx(row.questions)
    # The same answers in another order to each question: nothing but chance, so the part of the questions is 0.
    chance = nescio.lab.repeats(rows("m", [(1, 1, 0)] * 4), "accuracy")
    assert (chance.rows[0].questions, chance.rows[0].variance) == (0.0, 0.0)
    assert any("chance alone would explain more than the whole variance" in remark for remark in in_words(chance.notes))


def test_a_question_asked_once_says_nothing_of_chance() -> None:
    found = nescio.lab.repeats(rows("m", [(2, 0, 0), (1, 1, 0), (1, 0, 0)]), "accuracy")
    row = found.rows[0]
    assert (math.isnan(row.sampling), math.isnan(row.noise), row.variance) == (True, True, pytest.approx(1 / 12))
    assert any(
        "answered some questions only once, so its variance cannot be split" in remark
        for remark in in_words(found.notes)
    )
    with pytest.raises(MismatchError, match="no question was asked twice"):
        nescio.lab.repeats(rows("m", [(1, 0, 0), (0, 1, 0)]), "accuracy")
    for measure in ("AURC", "pass^k(k=2)"):
        table = [row | {"confidence": 0.5} for row in rows("m", FIVE)]
        with pytest.raises(UsageError, match="cannot be split"):
            nescio.lab.repeats(table, measure)


def test_the_tables_beside_it() -> None:
    found = nescio.lab.repeats([*rows("a", FIVE), *rows("b", FIVE)], "accuracy")
    assert [(row.run, row.baseline, row.difference) for row in found.tables["noise"]] == [("b", "a", 0.0)]
    ((noise,),) = ([row.noise for row in found.tables["noise"]],)
    assert noise == pytest.approx(found.rows[0].noise)  # of two systems alike: sqrt(ν/n + ν/n)
    flips = [
        (row.question, row.correct, row.incorrect, row.unanswered) for row in found.tables["flips"] if row.run == "a"
    ]
    assert flips == [("q1", 2, 1, 1), ("q3", 1, 0, 2), ("q2", 0, 3, 1)]
    by_repeat = [(row.repeat, row.value, row.n) for row in found.tables["by_repeat"] if row.run == "a"]
    assert by_repeat == [("1", 0.6, 5), ("2", 0.4, 5), ("3", 0.2, 5), ("4", 0.25, 4)]


def test_the_worked_plan() -> None:
    """σ_q² = .15, σ_s² = .10, a = 2, b = .1, B = 1000: r* = 3.6514837167, so r = 4, n = 416, variance .0004206731 (r
    = 1: .0005252101; bound .0004195445)."""
    costs = (2.0, 0.1)
    assert design(0.15, 0.10, 1, 1000, costs).variance == pytest.approx(0.0005252101, abs=1e-10)
    planned = nescio.plan_repeats(variances=(0.15, 0.10), budget=1000, per_question=2, per_answer=0.1)
    (best,) = [row for row in planned if row.best]
    assert (best.repeats, best.questions, best.cost) == (4, 416, pytest.approx(998.4))
    assert best.se**2 == pytest.approx(0.0004206731, abs=1e-10)
    brute = [design(0.15, 0.10, r, 1000, costs) for r in range(1, 60)]
    assert min(brute, key=lambda one: one.variance).repeats == 4


def test_a_plan_from_a_pilot_and_of_a_difference() -> None:
    """σ_q² is the part of the questions, σ_s² the mean of r/(r-1) x(1-x): 2/15 and (0 + 1/3 + 0 + 1/3 + 0)/5 = 2/15."""
    planned = nescio.plan_repeats(rows("m", FIVE), "accuracy", budget=100, per_question=4, per_answer=1)
    stated = nescio.plan_repeats(variances=(2 / 15, 2 / 15), budget=100, per_question=4, per_answer=1)
    assert [(row.repeats, row.questions, row.best) for row in planned] == [(1, 20, False), (2, 16, True)]
    assert_allclose([row.se for row in planned], [row.se for row in stated])
    assert planned.rows[1].se == pytest.approx(math.sqrt((2 / 15 + 2 / 15 / 2) / 16))
    both = [*rows("a", FIVE), *rows("b", [(0, 0, 4), (4, 0, 0), (2, 1, 1), (1, 1, 1), (3, 1, 0)])]
    paired = nescio.plan_repeats(both, "accuracy", budget=100, per_question=4, per_answer=1, run="a", baseline="b")
    assert all(row.cost <= 100 for row in paired)
    assert paired.rows[0].questions == math.floor(100 / (4 + 2))  # an answer of each run is paid for
    for wrong in ({"budget": 0}, {"budget": 10, "per_answer": 0}, {"budget": 0.5}):
        with pytest.raises(UsageError):
            nescio.plan_repeats(variances=(0.1, 0.1), **wrong)
    with pytest.raises(UsageError, match="variances must be two numbers"):
        nescio.plan_repeats(variances=(0.1,), budget=10)
