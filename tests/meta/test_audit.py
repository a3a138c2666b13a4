"""The audit: section 3 of the paper found by computation, and every counterexample computed again by other means."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import nescio
from nescio.data.results import Finding
from nescio.measures import REGISTRY, parse
from nescio.measures._measure import Declaration
from nescio.meta_evaluation.audit import TESTS, audit, audit_one, registered, with_defaults
from tests.rings import together

CHEATS = [test for test, kind in TESTS if kind == "cheat"]
AXIOMS = [test for test, kind in TESTS if kind == "axiom"]
N = 500

Formula = Callable[[int, int, int], Fraction | None]


def share(part: int | Fraction, whole: int) -> Fraction | None:
    return Fraction(part) / whole if whole else None


# Peñas & Rodrigo (ACL 2011), eq. 1, 2, 4, 5, 6 and sec. 3.1, 3.2; SimpleQA and penalties as in their docstrings. C,
# W, U.
FORMULAS: dict[str, Formula] = {
    "accuracy": lambda c, w, u: share(c, c + w + u),
    "UF": lambda c, w, u: share(c - w, c + w + u),
    "UF01": lambda c, w, u: share(c + Fraction(u, 2), c + w + u),
    "c@1": lambda c, w, u: share(c + Fraction(u * c, max(c + w + u, 1)), c + w + u),
    "all_unanswered_right": lambda c, w, u: share(c + u, c + w + u),
    "precision": lambda c, w, _: share(c, c + w),
    "eq6": lambda c, w, u: share(c + Fraction(w * u, c + w), c + w + u) if c + w else None,
    "simpleqa.F": lambda c, w, u: share(2 * c, 2 * c + 2 * w + u),
    "simpleqa.incorrect": lambda c, w, u: share(w, c + w + u),
    "penalty(t=0.75)": lambda c, w, u: share(c - 3 * w, c + w + u),
    "effective_reliability(cost=10)": lambda c, w, u: share(c - 10 * w, c + w + u),
    "omniscience_index": lambda c, w, u: share(100 * (c - w), c + w + u),
}
LOWER = {"simpleqa.incorrect": Fraction(1)}  # and the worst score there is


@cache
def findings(measure: str) -> tuple[Finding, ...]:
    return audit(measure).rows


def finding(measure: str, test: str, rows: Iterable[Finding] | None = None) -> Finding:
    """The one row of a measure and a test."""
    (row,) = [row for row in rows or findings(measure) if (row.measure, row.test) == (measure, test)]
    return row


# ---- facts by hand ----

# Measure, test, result, value, and what it is held against or worth; None where that is said elsewhere.
FACTS: list[tuple[str, str, str, float | None, float | None, float | None]] = [
    # The paper's section 3. Eq. 5 and 6: 1/(1 + 0), and 0 + (1/1)(499/500), between the honest 99% and 100%.
    ("precision", "one right answer", "cheated", 1, None, 1),
    ("eq6", "one wrong answer", "cheated", 0.998, None, 0.99),
    ("eq6", "one right answer", "resists", None, None, None),
    ("c@1", "one right answer", "resists", 0.003996, None, None),  # eq. 4: (1 + 499/500)/500
    ("c@1", "random silence", "resists", 0.6 * (1 - 0.5**2), None, None),  # a(1-s)(1+s)
    ("all_unanswered_right", "all silent", "cheated", 1, None, None),  # 3.2: "no answer would get maximum score"
    ("UF01", "nothing answered", "fails", 0.5, None, None),  # 3.3, eq. 2: a constant half, whatever was shown
    ("UF", "equals accuracy", "fails", -1, 0, None),  # eq. 1
    # Where lower is better silence must not be the best; an error rate is 1 less accuracy.
    ("simpleqa.incorrect", "nothing answered", "fails", None, None, None),
    ("simpleqa.not_attempted", "nothing answered", "holds", None, None, None),
    ("simpleqa.incorrect", "all silent", "cheated", None, None, None),
    ("simpleqa.incorrect", "equals accuracy", "holds", None, None, None),
    # Wrong at 1, right at 0.75, wrong at 0.25: risks 1, 1/2, 2/3. Without the last answer: 1, 1/2, and the mean is
    # higher.
    ("AURC", "silence for wrong", "fails", 3 / 4, 13 / 18, None),
    ("AURC", "all silent", "undefined", None, None, None),
    # One answer with half of its confidence left: K1 is .75, not 1. MRR: the right answer second earns one half.
    ("K1", "equals accuracy", "fails", 0.75, None, None),
    ("MRR", "silence for wrong", "fails", None, 0.5, None),
    # One right answer at 1 and 499 silent: nothing that Brier, AURC or PAN's F1 sees is wrong.
    ("Brier", "one right answer", "cheated", 0, None, 1),
    ("AURC", "one right answer", "cheated", 0, None, 1),
    ("pan.F1", "one right answer", "cheated", 1, None, 1),
    # Twenty answers, one wrong: 5% risk at full coverage; nineteen of twenty cover less.
    ("coverage@risk", "silence for wrong", "fails", 0.95, None, None),
    ("abstention_recall", "all silent", "cheated", 1, None, None),  # whoever declines all abstains wherever it should
    # Silence leaves the answered half in the order that it had: the same system on fewer questions, which is no gain.
    *((name, "random silence", "resists", None, None, None) for name in ("AP", "AURC", "E-AURC", "PRR")),
    ("PRR", "bounded", "fails", None, -math.inf, None),
    ("pan.Brier", "nothing answered", "fails", 0.75, None, None),  # 1 - (1/2 - y)²
]


@together("measure, test, result, value, against, worth", FACTS)
def test_facts_by_hand(
    measure: str, test: str, result: str, value: float | None, against: float | None, worth: float | None
) -> None:
    row = finding(measure, test)
    assert row.result == result
    for figure, expected in ((row.value, value), (row.against, against), (row.worth, worth)):
        assert expected is None or figure == pytest.approx(expected)


def test_c_at_1_and_accuracy_resist_every_cheat_and_hold_every_axiom() -> None:
    for name in ("c@1", "accuracy"):
        assert {finding(name, test).result for test in CHEATS} == {"resists"}
        assert {finding(name, test).result for test in AXIOMS} == {"holds"}
    assert finding("precision", "one right answer").counterexample.startswith("1 right, 499 silent: 1;")
    assert finding("UF01", "nothing answered").counterexample == "C=0 W=0 U=1: 0.5"
    assert finding("UF", "equals accuracy").counterexample == "C=0 W=1 U=0: -1, and accuracy is 0"


# ---- every verdict on counts, by formulas written here ----


def tables_up_to(largest: int) -> Iterator[tuple[int, int, int]]:
    for n in range(1, largest + 1):
        for c in range(n, -1, -1):
            for w in range(n - c, -1, -1):
                yield c, w, n - c - w


def expected(measure: str, test: str, largest: int = 8) -> tuple[str, set[int]]:
    """The verdict on an axiom by brute force, and the sizes of the tables that break it."""
    formula, lower = FORMULAS[measure], measure in LOWER
    low, high = parse(measure).bounds
    sizes, half = set(), False
    for c, w, u in tables_up_to(largest):
        value = formula(c, w, u)
        if test == "bounded":
            broken = value is not None and not low <= value <= high
        elif test == "equals accuracy":
            accuracy = Fraction(c, c + w + u)
            half |= u == 0 and value is None
            broken = u == 0 and value not in (None, 1 - accuracy if lower else accuracy)
        elif test == "nothing answered":
            half |= c + w == 0 and value is None
            broken = c + w == 0 and value not in (None, LOWER.get(measure, 0))
        else:
            right = test == "silence for right"
            if not (c if right else w):
                continue
            after = formula(c - 1, w, u + 1) if right else formula(c, w - 1, u + 1)
            half |= (value is None) != (after is None)
            better = value is not None and after is not None and (after < value if lower else after > value)
            worse = value is not None and after is not None and (after > value if lower else after < value)
            broken = better if right else worse
        if broken:
            sizes.add(c + w + u)
    return "fails" if sizes else "undefined" if half else "holds", sizes


@together("measure", FORMULAS)
def test_axioms_as_brute_force_finds_them_with_the_smallest_counterexample(measure: str) -> None:
    for test in AXIOMS:
        row = finding(measure, test)
        result, sizes = expected(measure, test)
        assert row.result == result, test
        if result == "fails":
            assert_shows_its_failure(row, min(sizes))


def assert_shows_its_failure(row: Finding, smallest: int) -> None:
    """The counts in words give the values that stand beside them, and there is no smaller table."""
    shown = re.findall(r"C=(\d+) W=(\d+) U=(\d+): ([-.\d]+)", row.counterexample)
    assert len(shown) == (2 if "→" in row.counterexample else 1)
    values = []
    for *counts, value in shown:
        c, w, u = map(int, counts)
        exact = FORMULAS[row.measure](c, w, u)
        assert exact is not None
        assert float(value) == pytest.approx(float(exact), rel=1e-3)
        assert c + w + u == smallest
        values.append(float(exact))
    assert row.value == pytest.approx(values[-1])
    if len(values) == 2:
        assert row.against == pytest.approx(values[0])


@together("measure", FORMULAS)
def test_cheats_as_formulas_find_them(measure: str) -> None:
    formula, sign = FORMULAS[measure], -1 if measure in LOWER else 1
    counts = {
        "all silent": (0, 0, N),
        "one right answer": (1, 0, N - 1),
        "one wrong answer": (0, 1, N - 1),
        "random answers": (N // 5, N - N // 5, 0),
    }
    honest = {c: formula(c, N - c, 0) for c in range(N * 51 // 100, N + 1, 5)}
    for test, (c, w, u) in counts.items():
        row, value = finding(measure, test), formula(c, w, u)
        if value is None:
            assert row.result == "undefined"
            assert math.isnan(row.value)
            continue
        matched = [c for c, score in honest.items() if score is not None and sign * value >= sign * score]
        assert row.result == ("cheated" if matched else "resists"), test
        assert row.value == pytest.approx(float(value))
        assert (row.worth == max(matched) / N) if matched else math.isnan(row.worth)
    gains = []
    for c in range(260, N + 1, 10):
        before, after = formula(c, N - c, 0), formula(c // 2, (N - c) // 2, N // 2)
        assert before is not None
        assert after is not None
        gains += [c] if sign * after > sign * before else []
    row = finding(measure, "random silence")
    assert row.result == ("cheated" if gains else "resists")
    assert (row.worth == max(gains) / N) if gains else math.isnan(row.worth)


# ---- by computation, and whatever is registered ----


def test_neither_names_nor_company_matter_and_the_seed_moves_only_random_tables() -> None:
    """A measure that is registered under a name that means nothing gets the same verdicts and counterexamples."""
    among = audit(["AUROC", "c@1", "eq6", "simpleqa.incorrect"])
    for name in ("c@1", "eq6", "AUROC", "simpleqa.incorrect"):
        rows, _ = audit_one(with_defaults(replace(REGISTRY[name], name="xyzzy")))
        # As texts, for NaN is not equal to itself.
        assert str(rows) == str([replace(row, measure="xyzzy") for row in findings(name)])
        assert str(findings(name)) == str(tuple(row for row in among if row.measure == name))
    other = audit(["AUROC", "eq6"], seed=7)
    for row in other:
        first = finding(row.measure, row.test)
        assert (row.result, row.counterexample) == (first.result, first.counterexample)
    assert finding("AUROC", "bounded", other).cases != finding("AUROC", "bounded").cases


def declared(name: str, formula: Callable[..., object], **more: object) -> Declaration:
    formula.__doc__ = "Nothing."
    return Declaration(name, formula, **{"needs": "correct", "bounds": (0, 1), "source": "a test", **more})  # type: ignore[arg-type]


# What others register: a formula, what else its declaration says, and what the audit finds of one test.
STRANGERS: list[tuple[Callable[..., object], dict[str, object], str, dict[str, object]]] = [
    (
        lambda total: 2 * total.correct / total.n,
        {},
        "bounded",
        {"result": "fails", "value": 2, "against": 1, "counterexample": "C=1 W=0 U=0: 2; the declared range is 0 to 1"},
    ),
    (lambda total: total.correct * np.nan, {}, "bounded", {"result": "undefined"}),
    (  # no question has what it needs: a table without one is undefined, whatever the formula gives
        lambda total: np.full(np.shape(total.n), 0.5),
        {"needs": "right"},
        "all silent",
        {"result": "undefined"},
    ),
    (
        lambda total: total.colour / total.n,
        {"needs": "colour"},
        "all silent",
        {"result": "not applicable", "counterexample": "it needs 'colour', which outcomes alone do not determine"},
    ),
    (  # a loss without a worst value cannot give it to silence
        lambda total: total.correct / total.n,
        {"bounds": (0, math.inf), "lower_is_better": True},
        "nothing answered",
        {"counterexample": "C=0 W=0 U=1: 0, and the worst score is ∞"},
    ),
    (  # out of range from thirty right answers on, more than the small tables have: a random table is made small
        lambda total: np.where(total.correct >= 30, 2.0, 0.5),
        {},
        "bounded",
        {"counterexample": "C=30 W=0 U=0: 2; the declared range is 0 to 1"},
    ),
]


@together("formula, more, test, expected", STRANGERS)
def test_measures_that_others_register(
    formula: Callable[..., object], more: dict[str, object], test: str, expected: dict[str, object]
) -> None:
    rows, _ = audit_one(with_defaults(declared("stranger", formula, **more)))
    assert len(rows) == len(TESTS)
    row = finding("stranger", test, rows)
    assert {name: getattr(row, name) for name in expected} == expected


def test_graded_columns_and_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    needy = declared("needy", lambda total, t: t * total.correct, valid={"t": ("t must be above 0", lambda t: t > 0)})
    monkeypatch.setitem(REGISTRY, "needy", needy)
    labels = {measure.label: measure for measure in registered()}
    for label in ("needy(t)", "mean(column)"):
        assert {row.result for row in audit_one(labels[label])[0]} == {"not applicable"}
    named = audit(["mean(correct)", "penalty(t=0.9)", "penalty(t=0.9)"])
    assert len(named) == 2 * len(TESTS)
    assert finding("mean(correct)", "equals accuracy", named).result == "holds"
    assert finding("mean(correct)", "bounded", named).result == "fails"  # it declares no range
    assert finding("penalty(t=0.9)", "all silent", named).worth == 0.9  # -9 for a wrong answer, break even at .9


@together(
    "measure, options, says",
    [
        ("precison", {}, "precison"),
        ("mean", {}, "needs its parameter 'column'"),
        ("c@1", {"questions": 501}, "even number from 200"),
        ("c@1", {"questions": True}, "even number from 200"),
        ("c@1", {"seed": -1}, "seed takes a whole number, 0 or more"),
    ],
)
def test_what_cannot_be_audited_is_refused(measure: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(nescio.NescioError, match=says):
        nescio.audit(measure, **options)
