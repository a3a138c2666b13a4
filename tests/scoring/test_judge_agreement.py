"""A judge held against people: the tables by hand, what is known without a judge, and what the figures depend on."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes
from nescio.data.results import Results
from nescio.errors import MismatchError, UsageError
from nescio.scoring.judge_agreement import ALL, HOW, against
from nescio.stats.bias_correction import prediction_powered, rogan_gladen
from nescio.stats.intervals import wilson
from tests.notes import in_words

C, W, S, N = CORRECT, INCORRECT, SILENT, NOT_GRADED


def outcomes(*states: list[int], answerable: list[int] | None = None) -> Outcomes:
    """Runs a, b, … with these states."""
    known = None if answerable is None else np.array(answerable, dtype=np.int8)
    names = tuple(f"q{i:03}" for i in range(len(states[0])))
    return Outcomes(tuple("abcd"[: len(states)]), names, np.array(states, dtype=np.int8), answerable=known)


def compared(judge: Outcomes, people: Outcomes, asked: np.ndarray | None = None, **how: object) -> Results:
    where = np.ones(judge.state.shape, dtype=bool) if asked is None else asked
    return against(judge, people, where, resamples=200, **how)  # type: ignore[arg-type]


# One run of 60 answers. People judged the first 40: of 20 they call correct the judge says 15 correct, 3 incorrect, 1 unanswered
# and 1 not at all; of 15 incorrect 2, 12, 0, 1; of 5 that are no attempt 0, 1, 4, 0.
JUDGE = [C] * 15 + [W] * 3 + [S] + [N] + [C] * 2 + [W] * 12 + [N] + [W] + [S] * 4 + [C] * 10 + [W] * 10
PEOPLE = [C] * 20 + [W] * 15 + [S] * 5 + [N] * 20


def test_the_table_by_hand() -> None:
    found = compared(outcomes(JUDGE), outcomes(PEOPLE))
    (row,) = found.rows
    assert (row.run, row.labels, row.ungraded, row.answers) == ("a", 40, 2, 38)
    assert row.agreement == pytest.approx(31 / 38)
    assert (row.low, row.high) == pytest.approx(wilson(31, 38, 0.95))
    by_chance = (19 * 17 + 14 * 16 + 5 * 5) / 38**2  # people's row totals times the judge's column totals
    assert row.kappa == pytest.approx((31 / 38 - by_chance) / (1 - by_chance))
    assert row.kappa_low < row.kappa < row.kappa_high
    assert (row.sensitivity, row.specificity) == pytest.approx((15 / 20, 18 / 20))
    counts = {(one.people, one.judge): one.count for one in found.more["confusion"]}
    assert counts == {
        ("correct", "correct"): 15,
        ("correct", "incorrect"): 3,
        ("correct", "unanswered"): 1,
        ("correct", "ungraded"): 1,
        ("incorrect", "correct"): 2,
        ("incorrect", "incorrect"): 12,
        ("incorrect", "unanswered"): 0,
        ("incorrect", "ungraded"): 1,
        ("unanswered", "correct"): 0,
        ("unanswered", "incorrect"): 1,
        ("unanswered", "unanswered"): 4,
        ("unanswered", "ungraded"): 0,
    }
    third = next(one for one in found.more["confusion"] if (one.people, one.judge) == ("incorrect", "incorrect"))
    assert (third.share, third.low, third.high) == pytest.approx((12 / 15, *wilson(12, 15, 0.95)))


def test_the_estimates_are_those_of_the_formulas() -> None:
    found = compared(outcomes(JUDGE), outcomes(PEOPLE)).more["corrected"]
    assert [one.how for one in found] == list(HOW)
    y, f = (np.array([state == C for state in states[:40]], dtype=float) for states in (PEOPLE, JUDGE))
    told = y, f, 27 / 60, 60
    assert found[0].accuracy == pytest.approx(27 / 58)  # two are ungraded
    assert found[1].accuracy == pytest.approx(20 / 40)
    for row, expected in ((found[2], prediction_powered(*told)), (found[3], rogan_gladen(*told))):
        assert (row.accuracy, row.low, row.high, row.weight) == pytest.approx(
            (expected.value, expected.low, expected.high, expected.weight)
        )
        assert (row.labels, row.answers, row.n) == (40, 60, 60)


def test_what_needs_no_judge_is_known() -> None:
    """60 answers, 20 silent ones, 10 right silences and 10 answers where there is no answer: θ becomes (10 + 60 θ)/100."""
    known = [S] * 20 + [S] * 10 + [W] * 10 + [ABSENT] * 5
    answerable = [1] * 80 + [0] * 20 + [1] * 5
    judge, people = (outcomes(states + known, answerable=answerable) for states in (JUDGE, PEOPLE))
    asked = np.array([[True] * 60 + [False] * 45])
    alone, whole = compared(outcomes(JUDGE), outcomes(PEOPLE)), compared(judge, people, asked)
    assert whole.rows[0] == alone.rows[0]
    for one, other in zip(whole.more["corrected"][1:], alone.more["corrected"][1:], strict=True):
        expected = [(10 + 60 * x) / 100 for x in (other.accuracy, other.low, other.high)]
        assert (one.accuracy, one.low, one.high) == pytest.approx(tuple(expected))
        assert (one.labels, one.answers, one.n) == (40, 60, 100)
    assert whole.more["corrected"][0].accuracy == pytest.approx(37 / 98)


def test_a_population_is_less_known_than_a_collection() -> None:
    near, far = (
        compared(outcomes(JUDGE), outcomes(PEOPLE), target=target).more["corrected"]
        for target in ("collection", "population")
    )
    for one, other in zip(near[1:], far[1:], strict=True):
        assert other.accuracy == one.accuracy
        assert other.low < one.low < one.high < other.high
    assert far[0] == near[0]


def test_all_runs_together_are_drawn_by_question() -> None:
    """Two runs that are one and the same have the table twice, and intervals no narrower than one of them alone."""
    two = compared(outcomes(JUDGE, JUDGE), outcomes(PEOPLE, PEOPLE))
    one = compared(outcomes(JUDGE), outcomes(PEOPLE)).rows[0]
    assert [row.run for row in two.rows] == ["a", "b", ALL]
    pooled = two.rows[2]
    assert (pooled.labels, pooled.agreement, pooled.kappa) == (80, one.agreement, one.kappa)
    assert (pooled.kappa_low, pooled.kappa_high) == pytest.approx((one.kappa_low, one.kappa_high))
    assert pooled.high - pooled.low > 1.2 * (wilson(62, 76, 0.95)[1] - wilson(62, 76, 0.95)[0])


def test_a_run_depends_on_its_own_answers_and_the_seed() -> None:
    first = compared(outcomes(JUDGE), outcomes(PEOPLE))
    again = compared(outcomes(JUDGE), outcomes(PEOPLE))
    assert again.to_dict() == first.to_dict()
    company = compared(outcomes(JUDGE, [C] * 60), outcomes(PEOPLE, [W] * 60))
    assert company.rows[0] == first.rows[0]
    turned = compared(outcomes(JUDGE[::-1]), outcomes(PEOPLE[::-1]))
    assert turned.rows[0] == first.rows[0]
    assert compared(outcomes(JUDGE), outcomes(PEOPLE), seed=1).rows[0].kappa_low != first.rows[0].kappa_low


def test_a_run_that_nobody_judged_has_no_figures_and_a_note() -> None:
    found = compared(outcomes(JUDGE, JUDGE), outcomes(PEOPLE, [N] * 60))
    row = found.rows[1]
    assert (row.labels, row.answers) == (0, 0)
    assert math.isnan(row.agreement)
    assert math.isnan(row.kappa)
    assert any("run 'b': people judged none of its answers" in note for note in in_words(found.notes))
    assert [math.isnan(one.accuracy) for one in found.more["corrected"][4:]] == [False, True, True, True]
    assert found.records()[1]["kappa"] is None


def test_what_a_reader_should_know() -> None:
    found = compared(outcomes([C, W] * 5 + [N] * 2), outcomes([W, C] * 5 + [C] * 2))
    assert any("12 labels are few" in note for note in in_words(found.notes))
    assert any("left 2 answers ungraded" in note for note in in_words(found.notes))
    assert any("sensitivity and specificity sum to 1 or less" in note for note in in_words(found.notes))
    clustered = replace(outcomes(JUDGE), clusters=np.array(["s"] * 60, dtype=object))
    assert any("clustered" in note for note in in_words(compared(clustered, outcomes(PEOPLE)).notes))
    only = compared(outcomes([C, W] * 20), outcomes([C] * 40))
    assert any("people call all of the 40 labelled answers correct" in note for note in in_words(only.notes))


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(MismatchError, match="people judged none of these answers"):
        compared(outcomes(JUDGE), outcomes([N] * 60))
    with pytest.raises(MismatchError, match="the same runs and questions"):
        compared(outcomes(JUDGE), outcomes(PEOPLE, PEOPLE))
    with pytest.raises(UsageError, match="collection or population"):
        compared(outcomes(JUDGE), outcomes(PEOPLE), target="world")
    with pytest.raises(UsageError, match="between 0 and 100"):
        compared(outcomes(JUDGE), outcomes(PEOPLE), ci=0)


def test_labels_that_look_chosen_are_said_to() -> None:
    """100 answers, 50 right by the judge, 40 labelled: 20 of these are expected, with a variance of 40·½·½·60/99 = 6.06. The normal
    quantile of .001 on two sides is 3.29, so 8 more (z 3.25) may be chance and 9 more (z 3.66) hardly."""

    def sampling_notes(right: int) -> list[str]:
        judge = [C] * right + [W] * (40 - right) + [C] * (50 - right) + [W] * (10 + right)
        people = [C] * 20 + [W] * 20 + [N] * 60
        return [
            note
            for note in in_words(compared(outcomes(judge), outcomes(people)).notes)
            if "random sample would" in note
        ]

    assert sampling_notes(28) == sampling_notes(12) == sampling_notes(20) == []
    (note,) = sampling_notes(29)
    assert "(run 'a': 72% of 40 labelled, 35% of the 60 others)" in note
    assert len(sampling_notes(11)) == 1


def test_nothing_is_said_of_labels_where_all_or_none_are_labelled_or_right() -> None:
    for judge, people in (([C] * 99 + [W], [C] * 100), ([C] * 100, [C] * 40 + [N] * 60), ([W] * 100, [C] + [N] * 99)):
        notes = in_words(compared(outcomes(judge), outcomes(people)).notes)
        assert not any("random sample would" in note for note in notes)


def test_whose_interval_is_of_another_kind_is_said() -> None:
    def notes_on_the_interval(target: str) -> int:
        notes = in_words(compared(outcomes(JUDGE), outcomes(PEOPLE), target=target).notes)
        return sum('the interval of "judge alone" is as for new questions' in note for note in notes)

    assert (notes_on_the_interval("collection"), notes_on_the_interval("population")) == (1, 0)
