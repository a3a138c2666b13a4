"""A judge held against people: the tables by hand, what is known without a judge, and what the figures depend on."""

from __future__ import annotations

import math

import numpy as np
import pytest
from msgspec.structs import replace

from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes
from nescio.data.results import Results
from nescio.errors import MismatchError, UsageError
from nescio.scoring.agreement_tables import ALL
from nescio.scoring.judge_agreement import HOW, against
from nescio.scoring.judge_conclusion import Conclusion, sign_test
from nescio.stats.bias_correction import (
    human_sample_mean,
    prediction_powered,
    prediction_powered_population,
    rogan_gladen,
    superpopulation,
)
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


# One run of 60 answers. People judged the first 40: of 20 they call correct the judge says 15 correct, 3 incorrect, 1
# unanswered and 1 not at all; of 15 incorrect 2, 12, 0, 1; of 5 that are no attempt 0, 1, 4, 0.
JUDGE = [C] * 15 + [W] * 3 + [S] + [N] + [C] * 2 + [W] * 12 + [N] + [W] + [S] * 4 + [C] * 10 + [W] * 10
PEOPLE = [C] * 20 + [W] * 15 + [S] * 5 + [N] * 20


WORDS = ("correct", "incorrect", "unanswered", "ungraded")


def confusion(found: Results, run: str = "a") -> list[list[int]]:
    """Counts, a row for each of people's words."""
    counts = {(one.people, one.judge): one.count for one in found.tables["confusion"] if one.run == run}
    people, judge = ([word for word in WORDS if any(key[side] == word for key in counts)] for side in (0, 1))
    assert list(counts) == [(one, other) for one in people for other in judge]
    return [[counts[one, other] for other in judge] for one in people]


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
    assert confusion(found) == [[15, 3, 1, 1], [2, 12, 0, 1], [0, 1, 4, 0]]
    cell = next(one for one in found.tables["confusion"] if (one.people, one.judge) == ("incorrect", "incorrect"))
    assert (cell.share, cell.low, cell.high) == pytest.approx((12 / 15, *wilson(12, 15, 0.95)))
    # Of categories that nobody uses there is no row: the judge is never silent, people never say no attempt.
    unused = compared(outcomes([C] * 20 + [W] * 14 + [N]), outcomes([C] * 18 + [W] * 17))
    assert confusion(unused) == [[18, 0, 0], [2, 14, 1]]


def test_all_runs_together_are_the_sum_and_drawn_by_question() -> None:
    two = compared(outcomes(JUDGE, JUDGE), outcomes(PEOPLE, PEOPLE))
    (one,) = compared(outcomes(JUDGE), outcomes(PEOPLE)).rows
    assert [row.run for row in two.rows] == ["a", "b", ALL]
    pooled = two.rows[2]
    assert (pooled.labels, pooled.agreement, pooled.kappa) == (80, one.agreement, one.kappa)
    assert (pooled.kappa_low, pooled.kappa_high) == pytest.approx((one.kappa_low, one.kappa_high))
    assert pooled.high - pooled.low > 1.2 * (wilson(62, 76, 0.95)[1] - wilson(62, 76, 0.95)[0])
    by_run = {name: [one for one in two.tables["confusion"] if one.run == name] for name in ("a", "b", ALL)}
    assert confusion(two, ALL) == [[2 * count for count in row] for row in confusion(two, "b")]
    for single, both in zip(by_run["a"], by_run[ALL], strict=True):
        assert both.share == single.share
        assert 0 <= both.low <= both.share <= both.high <= 1
        narrow = wilson(both.count, round(both.count / both.share), 0.95) if both.count else (0.0, 0.0)
        assert both.high - both.low > narrow[1] - narrow[0] or both.count == 0
    assert [row.run for row in two.tables["corrected"]] == [*["a"] * 4, *["b"] * 4]


@pytest.mark.parametrize(
    ("known", "answerable", "right", "raw"),
    [
        # 20 silent ones, 10 right silences and 10 answers where there is no answer, 5 that are absent.
        ([S] * 20 + [S] * 10 + [W] * 10 + [ABSENT] * 5, [1] * 80 + [0] * 20 + [1] * 5, 10, 40),
        # 5 right, 3 wrong, 10 right silences, 12 answers where there is none, 2 silences.
        ([C] * 5 + [W] * 3 + [S] * 10 + [W] * 12 + [S] * 2, [1] * 68 + [0] * 22 + [1] * 2, 15, 32),
    ],
)
def test_what_needs_no_judge_is_known(known: list[int], answerable: list[int], right: int, raw: int) -> None:
    """Beside 60 answers that need one: θ becomes (right + 60 θ)/(60 + raw)."""
    judge, people = (outcomes(states + known, answerable=answerable) for states in (JUDGE, PEOPLE))
    asked = np.array([[True] * 60 + [False] * len(known)])
    alone, whole = compared(outcomes(JUDGE), outcomes(PEOPLE)), compared(judge, people, asked)
    assert whole.rows[0] == alone.rows[0]
    for one, other in zip(whole.tables["corrected"][1:], alone.tables["corrected"][1:], strict=True):
        expected = [(right + 60 * x) / (60 + raw) for x in (other.accuracy, other.low, other.high)]
        assert (one.accuracy, one.low, one.high) == pytest.approx(tuple(expected))
        assert (one.labels, one.answers, one.n) == (40, 60, 60 + raw)
    assert whole.tables["corrected"][0].accuracy == pytest.approx((27 + right) / (58 + raw))  # two are ungraded


def test_a_run_of_which_nothing_was_asked_is_known() -> None:
    judge, people = outcomes([C, W, S], JUDGE[:3], answerable=[1, 1, 0]), outcomes([N] * 3, PEOPLE[:3])
    found = compared(judge, people, np.array([[False] * 3, [True] * 3]))
    one = [row for row in found.tables["corrected"] if row.run == "a"]
    assert [(row.how, row.labels, row.answers, row.n) for row in one] == [(how, 0, 0, 3) for how in HOW]
    assert one[0].accuracy == pytest.approx(2 / 3)


@pytest.mark.parametrize("target", ["collection", "population"])
@pytest.mark.parametrize("ci", [80, 95])
def test_the_estimates_are_those_of_the_formulas(target: str, ci: float) -> None:
    found, level = compared(outcomes(JUDGE), outcomes(PEOPLE), ci=ci, target=target), ci / 100
    assert (found.rows[0].low, found.rows[0].high) == pytest.approx(wilson(31, 38, level))
    cell = found.tables["confusion"][0]
    assert (cell.low, cell.high) == pytest.approx(wilson(15, 20, level))
    y, f = (np.array([state == C for state in states[:40]], dtype=float) for states in (PEOPLE, JUDGE))
    told = y, f, 27 / 60, 60, level
    whole = [human_sample_mean(y, 60, level), prediction_powered(*told), rogan_gladen(*told)]
    if target == "population":
        whole = [superpopulation(one, 60, level) for one in whole]
        whole[1] = prediction_powered_population(*told)
    first, *corrected = found.tables["corrected"]
    assert [one.how for one in (first, *corrected)] == list(HOW)
    assert (first.accuracy, first.low, first.high) == pytest.approx((27 / 58, *wilson(27, 58, level)))  # 2 ungraded
    for row, expected in zip(corrected, whole, strict=True):
        assert (row.accuracy, row.low, row.high) == pytest.approx((expected.value, expected.low, expected.high))
        assert (row.labels, row.answers, row.n) == (40, 60, 60)
    assert [row.weight for row in corrected[1:]] == pytest.approx([one.weight for one in whole[1:]])


def test_a_run_depends_on_its_own_answers_and_the_seed() -> None:
    first = compared(outcomes(JUDGE), outcomes(PEOPLE))
    again = compared(outcomes(JUDGE), outcomes(PEOPLE))
    assert again.to_dict() == first.to_dict()
    company = compared(outcomes(JUDGE, [C] * 60), outcomes(PEOPLE, [W] * 60))
    assert company.rows[0] == first.rows[0]
    turned = compared(outcomes(JUDGE[::-1]), outcomes(PEOPLE[::-1]))
    assert turned.rows[0] == first.rows[0]
    assert compared(outcomes(JUDGE), outcomes(PEOPLE), seed=1).rows[0].kappa_low != first.rows[0].kappa_low


def test_the_signature_says_all_that_the_figures_depend_on() -> None:
    found = against(outcomes(JUDGE), outcomes(PEOPLE), np.ones((1, 60), dtype=bool))
    parts = dict(found.signature.fields)
    assert found.kind == "agreement"
    assert list(parts) == [
        *("nescio", "judge", "runs", "questions", "data", "people", "labels", "target", "ci", "resamples", "seed"),
    ]
    values = {"judge": "judge", "runs": "1", "questions": "60", "labels": "40", "target": "collection", "ci": "95"}
    assert parts == {**parts, **values, "resamples": "10000", "seed": "0"}
    how = {"judge": "exact", "target": "population", "ci": 90.5, "seed": 7}
    judge, others = outcomes([*JUDGE[:-1], C]), outcomes([W, *PEOPLE[1:]])
    other = against(judge, others, np.ones((1, 60), dtype=bool), resamples=200, **how)  # type: ignore[arg-type]
    changed = dict(other.signature.fields)
    assert changed["data"] != parts["data"]
    assert changed["people"] != parts["people"]
    asked = {name: changed[name] for name in ("judge", "target", "ci", "resamples", "seed")}
    assert asked == {"judge": "exact", "target": "population", "ci": "90.5", "resamples": "200", "seed": "7"}


def test_a_run_that_nobody_judged_has_no_figures_and_a_note() -> None:
    found = compared(outcomes(JUDGE, JUDGE), outcomes(PEOPLE, [N] * 60))
    row = found.rows[1]
    assert (row.labels, row.answers) == (0, 0)
    assert math.isnan(row.agreement)
    assert math.isnan(row.kappa)
    assert any("run 'b': people judged none of its answers" in note for note in in_words(found.notes))
    assert [math.isnan(one.accuracy) for one in found.tables["corrected"][4:]] == [False, True, True, True]
    assert found.records()[1]["kappa"] is None


ABOUT = "people's verdicts on all answers to these questions"


def assert_notes(found: Results, *words: str) -> None:
    for note, of_it in zip(in_words(found.notes), words, strict=True):
        assert of_it in note


def test_what_a_reader_should_know() -> None:
    clustered = replace(outcomes([C, W] * 5 + [N] * 2), clusters=np.array(["s"] * 12, dtype=object))
    assert_notes(
        compared(clustered, outcomes([W, C] * 5 + [C] * 2)),
        ABOUT,
        "run 'a': 12 labels are few",
        "left 2 answers ungraded",
        "questions are clustered",
        "run 'a': Rogan-Gladen is undefined because the judge's sensitivity and specificity sum to 1 or less",
    )
    enough = [C, W] * 15
    assert_notes(compared(outcomes(enough), outcomes(enough)), ABOUT)
    far = compared(outcomes(enough), outcomes(enough), target="population")
    assert_notes(far, "all questions of this kind, if these questions are a random sample")


@pytest.mark.parametrize(
    ("people", "labels", "notes"),
    [
        ([C, W] * 20, 1, ["run 'a': 1 label is few"]),
        ([C, W] * 20, 29, ["run 'a': 29 labels are few"]),
        ([C, W] * 20, 30, []),
        # Two labels are too few for a correction whatever they say, which needs no reason.
        ([C] * 40, 2, ["run 'a': 2 labels are few"]),
        *(
            ([state] * 40, 3, ["run 'a': 3 labels are few", f"people call {word} of the 3 labelled answers correct"])
            for state, word in ((C, "all"), (W, "none"))
        ),
    ],
)
def test_few_labels_and_why_a_correction_is_undefined(people: list[int], labels: int, notes: list[str]) -> None:
    found = compared(outcomes([C, W] * 20), outcomes(people[:labels] + [N] * (40 - labels)))
    told = [note for note in in_words(found.notes) if " few" in note or "undefined" in note]
    assert len(told) == len(notes)
    assert all(words in note for words, note in zip(notes, told, strict=True))


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(
        MismatchError, match="people's verdicts cover none of these answers; check runs, questions and texts"
    ):
        compared(outcomes(JUDGE), outcomes([N] * 60))
    with pytest.raises(MismatchError, match="the same runs and questions"):
        compared(outcomes(JUDGE), outcomes(PEOPLE, PEOPLE))
    with pytest.raises(UsageError, match="collection or population"):
        compared(outcomes(JUDGE), outcomes(PEOPLE), target="world")
    for level in (0, 100, 100.5):
        with pytest.raises(UsageError, match="between 0 and 100"):
            compared(outcomes(JUDGE), outcomes(PEOPLE), ci=level)
    assert compared(outcomes(JUDGE), outcomes(PEOPLE), ci=0.5).rows[0].labels == 40


def chosen(judge: list[list[int]], people: list[list[int]]) -> list[str]:
    """What is said of labels that are no random sample."""
    notes = in_words(compared(outcomes(*judge), outcomes(*people)).notes)
    return [note for note in notes if "by more than chance" in note]


def sample(n: int, drawn: int, rights: int, hits: int) -> tuple[list[int], list[int]]:
    """n answers, the judge calling so many correct, `hits` of them among those that people judged."""
    judge = [C] * hits + [W] * (drawn - hits) + [C] * (rights - hits) + [W] * (n - drawn - rights + hits)
    return judge, [C] * drawn + [N] * (n - drawn)


@pytest.mark.parametrize(
    ("n", "drawn", "rights", "hits", "z"),
    [
        (100, 40, 50, 28, 3.25),  # 20 are expected, with a variance of 40·½·½·60/99
        (100, 40, 50, 29, 3.66),
        (100, 40, 50, 12, 3.25),
        (100, 40, 50, 11, 3.66),
        (21, 7, 10, 7, 3.317),  # expected 10/3, variance 7·(10/21)·(11/21)·14/20
        (12, 4, 4, 4, 3.317),  # expected 4/3, variance 4·⅓·⅔·8/11
        (14, 6, 7, 6, 3.122),  # expected 3, variance 6·½·½·8/13
        (1000, 1, 1, 1, 31.6),  # the one answer that the judge calls correct is the one with a label
        (22, 22, 15, 15, 0.0),  # all are labelled
        (100, 40, 100, 40, 0.0),  # all are right, or none
        (100, 1, 0, 0, 0.0),
    ],
)
def test_how_far_from_a_random_sample_is_too_far(n: int, drawn: int, rights: int, hits: int, z: float) -> None:
    """The normal quantile of .001 on two sides is 3.2905."""
    judge, people = sample(n, drawn, rights, hits)
    notes = chosen([judge], [people])
    assert len(notes) == (z > 3.2905)
    if (n, hits) == (100, 29):
        assert "(run 'a': 72% of its 40 labelled answers, but 35% of its 60 others)" in notes[0]


def test_of_several_runs_each_must_be_farther_and_all_are_named() -> None:
    """A level of .001 for two runs is .0005 for each, beyond 3.48; a run without labels hides none after it."""
    near, far = sample(21, 7, 10, 7), sample(21, 7, 7, 7)  # z is 3.317; and 7 - 7/3 over the root of 7·⅓·⅔·14/20, 4.472
    silent = [C, W] * 10 + [C], [N] * 21
    for runs, named in (((near, near), []), ((silent, far), ["b"]), ((far, far), ["a", "b"])):
        notes = chosen([judge for judge, _ in runs], [people for _, people in runs])
        parts = [f"run {name!r}: 100% of its 7 labelled answers, but 0% of its 14 others" for name in named]
        assert len(notes) == bool(named)
        assert all(f"({'; '.join(parts)})" in note for note in notes)


def conclusions(found: Results) -> dict[str, Conclusion]:
    """The rows of the conclusion by run."""
    return {row.run: row for row in found.tables["conclusion"]}


def sentences(found: Results) -> str:
    """What is printed below all tables."""
    return "\n".join(Conclusion.below(found.tables["conclusion"]))


def marked(kinder: int, harsher: int, alike: int = 20) -> tuple[list[int], list[int]]:
    """What judge and people say where the judge alone says correct so often, people alone so often."""
    return [C] * kinder + [W] * harsher + [C, W] * alike, [W] * kinder + [C] * harsher + [C, W] * alike


def test_the_conclusion_by_hand() -> None:
    """The judge passes 2 of people's 15 wrong answers, and fails 3 of their 20 right ones; one more it calls unanswered,
    so that it is harsher on 4 questions and kinder on 2: p = 2(1 + 6 + 15)/2⁶."""
    row = conclusions(compared(outcomes(JUDGE), outcomes(PEOPLE)))["a"]
    assert (row.labels, row.wrong, row.right) == (40, 15, 20)
    assert (row.kinder, row.harsher, row.tendency) == (2, 4, "balanced")
    assert (row.passes, row.passes_low, row.passes_high) == pytest.approx((2 / 15, *wilson(2, 15, 0.95)))
    assert (row.fails, row.fails_low, row.fails_high) == pytest.approx((3 / 20, *wilson(3, 20, 0.95)))
    assert row.p == pytest.approx(44 / 64)


@pytest.mark.parametrize(
    ("kinder", "harsher", "p", "tendency"),
    [
        (12, 1, 28 / 8192, "lenient"),  # 2(1 + 13)/2¹³
        (1, 12, 28 / 8192, "strict"),
        (6, 0, 2 / 64, "lenient"),
        (5, 0, 2 / 32, "balanced"),
        (4, 4, 1.0, "balanced"),
        (0, 0, 1.0, "balanced"),
    ],
)
def test_a_judge_is_lenient_or_strict_where_the_sign_test_says_so(
    kinder: int, harsher: int, p: float, tendency: str
) -> None:
    judge, people = marked(kinder, harsher)
    row = conclusions(compared(outcomes(judge), outcomes(people)))["a"]
    assert (row.kinder, row.harsher, row.tendency) == (kinder, harsher, tendency)
    assert row.p == sign_test(kinder, harsher) == pytest.approx(p)
    stricter = conclusions(compared(outcomes(judge), outcomes(people), ci=99.9))["a"]
    assert stricter.tendency == "balanced"  # no p here is below 0.001


def test_answers_to_one_question_count_once_for_all_runs() -> None:
    """Two runs with the same twelve errors are no more evidence than one; opposite errors on a question are none."""
    (kind, people), (harsh, turned) = marked(12, 1), marked(1, 12)
    twice = conclusions(compared(outcomes(kind, kind), outcomes(people, people)))
    assert [(row.kinder, row.harsher, row.p) for row in twice.values()] == [(12, 1, pytest.approx(28 / 8192))] * 3
    opposite = compared(
        outcomes(kind, harsh[1:13] + harsh[:1] + harsh[13:]), outcomes(people, turned[1:13] + turned[:1] + turned[13:])
    )
    rows = conclusions(opposite)
    assert [(row.kinder, row.harsher) for row in rows.values()] == [(12, 1), (1, 12), (0, 0)]
    assert "Run by run: lenient with a; strict with b." in sentences(opposite)


def test_how_far_the_judge_is_off_is_from_the_row_to_report() -> None:
    """Of 60 answers the judge calls 47 correct; it is lenient on the 40 with a label."""
    judge = [C] * 12 + [W] + [C] * 17 + [W] * 10 + [C] * 18 + [W] * 2
    people = [W] * 12 + [C] + [C] * 17 + [W] * 10 + [N] * 20
    found = compared(outcomes(judge), outcomes(people))
    row, reported = conclusions(found)["a"], found.tables["corrected"][2]
    assert (row.report, row.judge) == (HOW[2], pytest.approx(47 / 60))
    assert (row.accuracy, row.low, row.high) == (reported.accuracy, reported.low, reported.high)
    off = [47 / 60 - x for x in (reported.accuracy, reported.high, reported.low)]
    assert [row.off, row.off_low, row.off_high] == pytest.approx(off)
    assert off[1] > 0
    report = f"a: report {row.accuracy:.3f} [{row.low:.3f}, {row.high:.3f}]."
    assert f"{report} On these questions, the accuracy by the judge, 0.783, is" in sentences(found)
    assert "too high." in sentences(found)
    far = compared(outcomes(judge), outcomes(people), target="population")
    assert conclusions(far)["a"].off_low is None  # there the judge's own accuracy is not known either
    assert "higher." in sentences(far)


def test_a_run_without_labels_has_nothing_to_report() -> None:
    found = compared(outcomes(JUDGE, JUDGE), outcomes(PEOPLE, [N] * 60))
    assert [row.report for row in conclusions(found).values()] == [HOW[2], None, None]
    assert "b: report" not in sentences(found)


def test_people_who_call_nothing_wrong_leave_a_share_out() -> None:
    found = compared(outcomes([C] * 9 + [W]), outcomes([C] * 10))
    assert conclusions(found)["a"].passes is None
    assert "It fails 10% [2%, 40%] of the 10 answers that people call right." in sentences(found)  # Wilson's interval


def test_an_interval_without_width_is_not_shown() -> None:
    """Of two runs together no resample has an error that nobody made; of one run Wilson's interval has a width."""
    judge, people = outcomes([C, W] * 10, [C, W] * 10), outcomes([C, W] * 10, [C, W] * 10)
    assert "It passes none of the 20 answers that people call wrong" in sentences(compared(judge, people))
    alone = compared(outcomes([C, W] * 10), outcomes([C, W] * 10))
    assert "It passes 0% [0%, 28%] of the 10 answers that people call wrong" in sentences(alone)


def test_a_table_says_where_its_intervals_cannot_be_compared() -> None:
    for target, kinds in (
        ("collection", ["new questions", *["these questions"] * 3]),
        ("population", ["new questions"] * 4),
    ):
        rows = compared(outcomes(JUDGE), outcomes(PEOPLE), target=target).tables["corrected"]
        assert [row.interval_for for row in rows] == kinds
        assert len([*type(rows[0]).below(rows)]) == (target == "collection")
