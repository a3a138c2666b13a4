"""The audit: section 3 of the paper found by computation, and every counterexample computed again by other means."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import pytest
from msgspec.structs import replace

import nescio
from nescio.data.results import Finding
from nescio.measures import REGISTRY, parse
from nescio.measures._measure import Declaration
from nescio.meta_evaluation.audit import TESTS, _axioms, _cheats, _kinds, audit, audit_one, registered, with_defaults
from nescio.scoring.samples import measure_inputs
from tests.rings import together

from .audits import everything, finding

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


# ---- the paper's section 3 ----


def test_precision_is_cheated_by_one_sure_answer() -> None:
    row = finding(everything(), "precision", "one right answer")  # eq. 5: 1/(1 + 0)
    assert (row.result, row.value, row.worth) == ("cheated", 1.0, 1.0)
    assert row.counterexample.startswith("1 right, 499 silent: 1;")


def test_eq6_is_cheated_by_one_wrong_answer() -> None:
    row = finding(everything(), "eq6", "one wrong answer")  # eq. 6: 0 + (1/1)(499/500)
    assert row.result == "cheated"
    assert row.value == pytest.approx(0.998, abs=1e-15)
    assert row.worth == 0.99  # .998 lies between the honest 99% and 100%
    assert finding(everything(), "eq6", "one right answer").result == "resists"


def test_c_at_1_is_not_cheated_and_holds_every_axiom() -> None:
    assert {finding(everything(), "c@1", test).result for test in CHEATS} == {"resists"}
    assert {finding(everything(), "c@1", test).result for test in AXIOMS} == {"holds"}
    one = finding(everything(), "c@1", "one right answer")  # eq. 4: (1 + 499/500)/500
    assert one.value == pytest.approx(float(Fraction(1, 500) * (1 + Fraction(499, 500))), abs=1e-15)
    assert f"{one.value:.6f}" == "0.003996"
    assert finding(everything(), "c@1", "random silence").value == pytest.approx(0.6 * (1 - 0.5**2))  # a(1-s)(1+s)


def test_accuracy_and_the_other_estimates_of_section_3() -> None:
    assert {row.result for row in everything() if row.measure == "accuracy"} == {"resists", "holds"}  # 3.1
    silent = finding(everything(), "all_unanswered_right", "all silent")  # 3.2: "no answer would get maximum score"
    assert (silent.result, silent.value) == ("cheated", 1.0)
    half = finding(everything(), "UF01", "nothing answered")  # 3.3, eq. 2: a constant half, whatever was shown
    assert (half.result, half.value, half.counterexample) == ("fails", 0.5, "C=0 W=0 U=1: 0.5")
    full = finding(everything(), "UF", "equals accuracy")  # eq. 1
    assert (full.result, full.value, full.against) == ("fails", -1.0, 0.0)
    assert full.counterexample == "C=0 W=1 U=0: -1, and accuracy is 0"


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


@pytest.mark.parametrize("measure", FORMULAS)
def test_axioms_as_brute_force_finds_them_with_the_smallest_counterexample(measure: str) -> None:
    for test in AXIOMS:
        row = finding(everything(), measure, test)
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


@pytest.mark.parametrize("measure", FORMULAS)
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
        row, value = finding(everything(), measure, test), formula(c, w, u)
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
    row = finding(everything(), measure, "random silence")
    assert row.result == ("cheated" if gains else "resists")
    assert (row.worth == max(gains) / N) if gains else math.isnan(row.worth)


def test_where_lower_is_better_silence_must_not_be_the_best() -> None:
    assert finding(everything(), "simpleqa.incorrect", "nothing answered").result == "fails"
    assert finding(everything(), "simpleqa.not_attempted", "nothing answered").result == "holds"
    assert finding(everything(), "simpleqa.incorrect", "all silent").result == "cheated"
    assert finding(everything(), "simpleqa.incorrect", "equals accuracy").result == "holds"  # the error rate


# ---- measures that see more ----


def test_aurc_loses_a_question_with_its_candidate() -> None:
    # Wrong at 1, right at 0.75, wrong at 0.25: risks 1, 1/2, 2/3. Without the last answer: 1, 1/2, and the mean
    # is higher.
    row = finding(everything(), "AURC", "silence for wrong")
    assert row.result == "fails"
    assert (row.against, row.value) == pytest.approx((13 / 18, 3 / 4))
    assert finding(everything(), "AURC", "all silent").result == "undefined"


def test_some_facts_by_hand() -> None:
    # One answer with half of its confidence left: K1 is .75, not 1. MRR: the right answer second earns one half.
    assert finding(everything(), "K1", "equals accuracy").value == 0.75
    assert finding(everything(), "MRR", "silence for wrong").against == 0.5
    # One right answer at 1 and 499 silent: nothing that Brier, AURC or PAN's F1 sees is wrong.
    for name, best in (("Brier", 0), ("AURC", 0), ("pan.F1", 1)):
        row = finding(everything(), name, "one right answer")
        assert (row.result, row.value, row.worth) == ("cheated", best, 1)
    # Twenty answers, one wrong: 5% risk at full coverage; nineteen of twenty cover less.
    assert finding(everything(), "coverage@risk", "silence for wrong").value == pytest.approx(0.95)
    # Whoever declines all abstains wherever it should.
    assert finding(everything(), "abstention_recall", "all silent").value == 1
    # Silence leaves the answered half in the order that it had: the same system on fewer questions, which is no gain.
    for name in ("AP", "AURC", "E-AURC", "PRR"):
        assert finding(everything(), name, "random silence").result == "resists"
    unbounded = finding(everything(), "PRR", "bounded")
    assert (unbounded.result, unbounded.against) == ("fails", -math.inf)
    assert finding(everything(), "pan.Brier", "nothing answered").value == 0.75  # 1 - (1/2 - y)²


def test_a_table_without_a_question_that_a_measure_can_use_is_undefined() -> None:
    constant = declared("constant", lambda total: np.full(np.shape(total.n), 0.5), needs="right")
    seen = _kinds.view(with_defaults(constant), _axioms.COARSE)
    one_each = np.eye(len(seen.kinds.behaviour), dtype=np.int64)
    assert (np.isnan(seen.value(one_each)) == (seen.kinds.behaviour == _kinds.SILENT)).all()


@together("name", [name for name in REGISTRY if not _kinds.lacking(with_defaults(REGISTRY[name]))])
def test_a_table_is_so_many_copies_of_its_questions(name: str) -> None:
    """The weighted kinds of the search against evidence with a column for every question, read as score reads it."""
    measure = with_defaults(REGISTRY[name])
    rng = np.random.default_rng(5)
    seen = _kinds.view(measure, _axioms.FINE)
    tables_ = _axioms.random_tables(seen, rng)[[3, 40, 90]]
    for table, found in zip(tables_, seen.value(tables_), strict=True):
        which = np.repeat(np.arange(len(table)), table)[None]
        data = _kinds.evidence(["run"], seen.kinds.take(which))
        again = measure_inputs(data, [measure])[0][0].value
        assert found == pytest.approx(again, rel=1e-9, abs=1e-12, nan_ok=True)


def test_columns_of_the_kinds_agree_with_each_other() -> None:
    kinds, stock, silence = _kinds._stock(_axioms.FINE, unanswerable=True)
    column = {name: values[0] for name, values in stock.columns.items()}
    assert (column["correct"] + column["incorrect"] + column["unanswered"] == 1).all()
    on_answerable = column["answerable"] == 1
    answered = column["answered"] == 1
    assert (column["unanswered"][on_answerable] == 1 - column["answered"][on_answerable]).all()
    assert (column["correct"][~on_answerable] == 1 - column["answered"][~on_answerable]).all()
    assert ((column["verification.value"] == 0.5) == ~answered).all()
    says_same = column["verification.value"][answered] > 0.5
    assert ((says_same == (column["verification.same"][answered] == 1)) == (column["correct"][answered] == 1)).all()
    quiet = silence[answered]
    for name, blank in (
        ("answered", 0),
        ("candidate_correct", 0),
        ("candidate_incorrect", 0),
        ("verification.value", 0.5),
    ):
        assert (column[name][quiet] == blank).all()
    assert np.isnan(column["confidence"][quiet]).all()
    assert (column["first_right"][quiet] == column["correct"][quiet]).all()
    assert (column["k_credit"][quiet] == 0).all()
    assert (kinds.side[quiet] == kinds.side[answered]).all()
    assert (kinds.answerable[quiet] == kinds.answerable[answered]).all()


@pytest.mark.parametrize("unanswerable", [False, True])
def test_honest_systems_are_what_they_say(unanswerable: bool) -> None:
    game = _cheats.contest(N, unanswerable=unanswerable)
    for right in game.honest:
        at = game.data.runs.index(f"honest {right}")
        correct, sure = game.data.columns["correct"][at], game.data.columns["confidence"][at]
        open_ = game.data.columns["answerable"][at] == 1
        assert game.data.columns["answered"][at].all()
        assert correct.sum() == right
        assert sure.min() >= 0.5
        assert sure[open_].mean() == pytest.approx(right / open_.sum(), abs=0.01)
        upper = sure[open_] > np.median(sure[open_])
        if upper.any():  # the surer half is right as often as it says, too
            assert correct[open_][upper].mean() == pytest.approx(sure[open_][upper].mean(), abs=0.03)
    assert (game.data.columns["answerable"][0] == 0).sum() == (100 if unanswerable else 0)


# ---- by computation, and whatever is registered ----


def test_names_do_not_matter() -> None:
    """A measure that is registered under a name that means nothing gets the same verdicts and counterexamples."""
    for name in ("c@1", "precision", "eq6", "AURC", "simpleqa.incorrect"):
        rows, _ = audit_one(with_defaults(replace(REGISTRY[name], name="xyzzy")))
        known = [row for row in everything() if row.measure == name]
        # As texts, for NaN is not equal to itself.
        assert str(rows) == str([replace(row, measure="xyzzy") for row in known])


def declared(name: str, formula: Callable[..., object], **more: object) -> Declaration:
    formula.__doc__ = "Nothing."
    return Declaration(name, formula, **{"needs": "correct", "bounds": (0, 1), "source": "a test", **more})  # type: ignore[arg-type]


def test_third_parties(monkeypatch: pytest.MonkeyPatch) -> None:
    double = declared("double", lambda total: 2 * total.correct / total.n)
    never = declared("never", lambda total: total.correct * np.nan)
    stranger = declared("stranger", lambda total: total.colour / total.n, needs="colour")
    needy = declared("needy", lambda total, t: t * total.correct, valid={"t": ("t must be above 0", lambda t: t > 0)})
    for declaration in (double, never, stranger, needy):
        monkeypatch.setitem(REGISTRY, declaration.name, declaration)
    found = audit(["double", "never", "stranger"])
    row = finding(found, "double", "bounded")
    assert (row.result, row.value, row.against, row.counterexample) == (
        "fails",
        2,
        1,
        "C=1 W=0 U=0: 2; declared are 0 to 1",
    )
    assert {row.result for row in found if row.measure == "never"} == {"undefined"}
    strange = [row for row in found if row.measure == "stranger"]
    assert len(strange) == len(TESTS)
    assert {(row.result, row.counterexample) for row in strange} == {
        ("not applicable", "it reads 'colour', which outcomes do not decide")
    }
    assert {row.result for row in audit_one(with_defaults(needy))[0]} == {"not applicable"}
    assert "needy(t)" in {measure.label for measure in registered()}


def test_a_loss_without_a_worst_value_cannot_give_it_to_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    loss = declared("loss", lambda total: total.correct / total.n, bounds=(0, math.inf), lower_is_better=True)
    monkeypatch.setitem(REGISTRY, "loss", loss)
    rows = audit("loss")
    assert finding(rows, "loss", "nothing answered").counterexample == "C=0 W=0 U=1: 0, and the worst score is ∞"
    assert finding(rows, "loss", "bounded").against == math.inf


def test_a_counterexample_from_a_random_table_is_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    # Out of range from thirty right answers on, which is more than the small tables have.
    many = declared("many", lambda total: np.where(total.correct >= 30, 2.0, 0.5))
    monkeypatch.setitem(REGISTRY, "many", many)
    assert finding(audit("many"), "many", "bounded").counterexample == "C=30 W=0 U=0: 2; declared are 0 to 1"


def test_graded_columns_and_parameters() -> None:
    assert {row.result for row in everything() if row.measure == "mean(column)"} == {"not applicable"}
    named = audit(["mean(correct)", "penalty(t=0.9)", "penalty(t=0.9)"])
    assert len(named) == 2 * len(TESTS)
    assert finding(named, "mean(correct)", "equals accuracy").result == "holds"
    assert finding(named, "mean(correct)", "bounded").result == "fails"  # it declares no range
    assert finding(named, "penalty(t=0.9)", "all silent").worth == 0.9  # -9 for a wrong answer, break even at .9


def test_errors() -> None:
    with pytest.raises(nescio.UnknownNameError, match="precison"):
        audit("precison")
    refusals: list[tuple[Callable[[], object], str]] = [
        (lambda: audit("mean"), "needs its parameter 'column'"),
        (lambda: nescio.audit("c@1", questions=501), "even number from 200"),
        (lambda: nescio.audit("c@1", questions=True), "even number from 200"),
        (lambda: nescio.audit("c@1", seed=-1), "seed takes a whole number, 0 or more"),
    ]
    for broken, says in refusals:
        with pytest.raises(nescio.UsageError, match=says):
            broken()


def test_a_measure_is_audited_alike_in_any_company_and_the_seed_moves_only_random_tables() -> None:
    for name in ("AUROC", "c@1"):
        alone = audit(name)
        assert str(alone.rows) == str(tuple(row for row in everything() if row.measure == name))
    other = audit(["AUROC", "eq6"], seed=7)
    for row in other:
        first = finding(everything(), row.measure, row.test)
        assert (row.result, row.counterexample) == (first.result, first.counterexample)
    assert finding(other, "AUROC", "bounded").cases != finding(everything(), "AUROC", "bounded").cases
