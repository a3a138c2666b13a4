"""Baselines by formula against what drawn runs do, and the ranking."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan

import numpy as np
import pytest
from msgspec.structs import replace

import nescio
from nescio.data.evidence import Evidence
from nescio.errors import MismatchError
from nescio.tasks.ave.baselines import (
    ALL,
    HALF,
    PERFECT,
    accept_all,
    accept_half,
    baselines,
    expected,
    perfect,
    ranking,
    with_systems,
)
from nescio.tasks.ave.evidence import evidence
from nescio.tasks.ave.exercise import Decision, Exercise, Validation, problems
from tests.notes import in_words
from tests.rings import many
from tests.tasks.ave.test_evidence import exercise, run

TOY = exercise(q1="VRRU", q2="VV", q3="RRR", q4="U", q5="RV")


def test_expected_values_by_hand() -> None:
    """Judged answers 3 + 2 + 3 + 0 + 2 = 10, 4 of them right; Random 1/3 + 1 + 0 + 0 + 1/2 of five; half of them
    accepted, one is selected with chance 1 - 2^-k: 7/8·1/3 + 3/4·1 + 3/4·1/2."""
    rows = {row.run: row for row in expected(TOY)}
    everything, half, best = (rows[name] for name in (ALL, HALF, PERFECT))
    assert (everything.precision, everything.recall, everything.F) == pytest.approx((0.4, 1, 0.8 / 1.4))
    assert everything.qa_accuracy == pytest.approx((1 / 3 + 1 + 1 / 2) / 5)
    assert everything.normalized_qa_accuracy == pytest.approx((1 / 3 + 1 + 1 / 2) / 3)
    assert (half.precision, half.recall, half.F) == pytest.approx((0.4, 0.5, 0.4 / 0.9))
    assert half.qa_accuracy == pytest.approx((7 / 24 + 3 / 4 + 3 / 8) / 5)
    assert (best.F, best.qa_accuracy, best.normalized_qa_accuracy) == (1, 0.6, 1)


def test_nothing_right_is_undefined_not_zero() -> None:
    rows = {row.run: row for row in expected(exercise(q1="RR"))}
    assert rows[ALL].precision == 0
    assert all(isnan(value) for value in (rows[ALL].recall, rows[ALL].F, rows[HALF].recall, rows[PERFECT].F))
    assert isnan(rows[ALL].normalized_qa_accuracy)


def qa_accuracy(found: list[Validation]) -> float:
    data, _ = evidence(TOY, {"run": found})
    return float(data.columns["ave.selected_right"][0, :5].mean())


@pytest.mark.sampled
@pytest.mark.parametrize(("draw", "name"), [(accept_all, ALL), (accept_half, HALF)])
def test_drawn_runs_keep_the_rules_and_reach_their_expectation(
    draw: Callable[[Exercise, int], list[Validation]], name: str
) -> None:
    times = many(600, 5_000)
    drawn = [draw(TOY, seed) for seed in range(times)]
    assert not any(list(problems(TOY, found)) for found in drawn)
    accuracy = np.mean([qa_accuracy(found) for found in drawn])
    want = next(row for row in expected(TOY) if row.run == name)
    assert accuracy == pytest.approx(want.qa_accuracy, abs=4 * 0.5 / np.sqrt(5 * times))
    accepted = np.mean([[each.decision is not Decision.REJECTED for each in found] for found in drawn])
    assert accepted == pytest.approx(want.recall, abs=4 * 0.5 / np.sqrt(10 * times))
    assert drawn[3] == draw(TOY, 3) != drawn[4]


def test_perfect_selection_is_perfect_and_keeps_the_rules() -> None:
    found = perfect(TOY)
    assert not list(problems(TOY, found))
    data, _ = evidence(TOY, {"best": found})
    names = ["ave.F", "ave.normalized_qa_accuracy", "ave.qa_accuracy_max"]
    assert [row.value for row in nescio.score(data, names, ci=None)] == [1, 1, 1]


def systems(*names: str, questions: tuple[str, ...] = ("q1", "q2", "q3", "q4", "q5")) -> Evidence:
    """QA systems that are right on all of their questions."""
    shape = (len(names), len(questions))
    columns = {name: np.full(shape, name in ("correct", "answered"), dtype=np.int8) for name in OUTCOME}
    return Evidence(names, questions, columns, np.zeros(shape, dtype=np.uint8))


OUTCOME = ("correct", "incorrect", "unanswered", "answered")
MINE = evidence(TOY, {"mine": run(("q1 1", Decision.SELECTED))})[0]


def test_systems_and_validators_are_ranked_together() -> None:
    both, notes = with_systems(MINE, systems("qa", questions=("q1", "q2", "q9")))
    rows = [(row.place, row.system, row.type, row.right) for row in ranking(TOY, both, ["qa"])]
    assert rows == [
        (1, PERFECT, "baseline", 3),
        (2, "qa", "QA", 2),
        (3, "Random", "baseline", None),
        (4, "mine", "AV", 1),
    ]
    assert in_words(notes) == (
        "the QA systems were not asked 3 of 5 questions; unasked questions count as not correct",
    )
    scores = nescio.score(both, ["ave.qa_accuracy", "ave.F"], ci=None)
    assert scores.value("qa", "ave.qa_accuracy") == 0.4
    assert isnan(scores.value("qa", "ave.F"))
    assert in_words(scores.notes) == (
        "ave.F: undefined because there are no decisions on answers to measure (run 'qa')",
    )


def test_silence_of_a_system_is_no_right_answer_and_rights_beyond_the_collection_are_said() -> None:
    """Right silence (q1) earns nothing, as a validator's does; q3 and q4 have no right answer in the collection, and
    4 of 3 is what the share of perfect selection then comes to."""
    qa = systems("qa")
    silent = {name: column.copy() for name, column in qa.columns.items()}
    silent["answered"][0, 0] = 0
    both, notes = with_systems(MINE, replace(qa, columns=silent))
    assert both.columns["ave.selected_right"][1, :5].tolist() == [0, 1, 1, 1, 1]
    assert in_words(notes) == (
        "QA systems rightly abstained on 1 unanswerable question; AVE does not count it as right",
        "QA systems rightly answer questions for which the collection has no right answer (run 'qa': 2): their "
        "share of "
        "perfect selection (ave.normalized_qa_accuracy) can exceed 1",
    )
    assert nescio.score(both, "ave.normalized_qa_accuracy", ci=None).value("qa", "ave.normalized_qa_accuracy") == 4 / 3


def test_runs_alike_share_a_place_and_a_run_may_be_called_random() -> None:
    selected = run(("q2 1", Decision.SELECTED))
    rows = ranking(TOY, evidence(TOY, {"Random": selected, "other": selected})[0])
    assert sorted((row.place, row.type) for row in rows if row.system in ("Random", "other")) == [
        (2, "baseline"),
        (3, "AV"),
        (3, "AV"),
    ]


def test_a_name_on_both_sides_and_systems_of_other_questions_are_refused() -> None:
    with pytest.raises(MismatchError, match="'mine' is the name of a validator and of a QA system"):
        with_systems(MINE, systems("mine"))
    with pytest.raises(MismatchError, match="no question of the collection"):
        with_systems(MINE, systems("qa", questions=("z",)))


def test_an_absent_answer_of_a_system_is_not_correct() -> None:
    absent = replace(systems("qa"), absence=np.array([[1, 1, 0, 0, 0]], dtype=np.uint8))
    both, _ = with_systems(MINE, absent)
    assert both.columns["ave.selected_right"][1, :5].tolist() == [0, 0, 1, 1, 1]


def test_a_draw_that_can_select_nothing_but_an_unknown_answer_needs_no_note() -> None:
    _, notes = baselines(exercise(q1="VR", q2="U"), 0)
    assert in_words(notes) == ("1 of 3 answers are UNKNOWN (or have no value), and are left out",)
