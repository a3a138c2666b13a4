"""Models of assessors: the worked figures, and the anaesthetists of Dawid and Skene's paper."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nescio.errors import UsageError
from nescio.stats.alternative import Alternative, alternative, p_of
from nescio.stats.dawid_skene import consensus, dawid_skene

Table = np.ndarray


def table(*assessors: str, words: str = "RWU") -> Table:
    """Return items by assessors of what each said, a letter an item."""
    return np.array([[words.index(letter) for letter in own] for own in assessors]).T


FOUR = table("RRWWURRWURWR", "RRWWURWWURWU", "RWWWURRWRRWR", "RRWWURRWURRR")


def test_statistics3_section_8_the_cycles() -> None:
    first = dawid_skene(FOUR, 3, smoothing=0, cycles=1)
    assert first.prior == pytest.approx((0.4791666667, 0.3541666667, 0.1666666667), abs=1e-10)
    assert first.confusion[3, 0] == pytest.approx((0.9565217391, 0, 0.0434782609), abs=1e-10)
    assert first.log_likelihood == pytest.approx(-25.9928497794, abs=1e-9)
    assert first.chances[6] == pytest.approx((0.9888409404, 0.0111590596, 0), abs=1e-10)
    assert first.chances[11] == pytest.approx((0.9788016217, 0, 0.0211983783), abs=1e-10)
    later = [dawid_skene(FOUR, 3, smoothing=0, cycles=n).log_likelihood for n in (2, 3)]
    assert later == pytest.approx((-23.7872015694, -23.6818239188), abs=1e-9)


def test_statistics3_section_8_the_limit() -> None:
    limit = dawid_skene(FOUR, 3, smoothing=0)
    assert limit.log_likelihood == pytest.approx(-23.6812327402, abs=1e-9)
    assert limit.accuracy == pytest.approx((1, 5 / 6, 5 / 6, 11 / 12), abs=1e-9)


def test_statistics3_section_8_smoothed() -> None:
    smooth = dawid_skene(FOUR, 3)
    assert smooth.prior == pytest.approx((0.4959013303, 0.3331895499, 0.1709091198), abs=1e-9)
    assert smooth.accuracy == pytest.approx((0.9533157299, 0.7963374225, 0.8005356543, 0.8763078954), abs=1e-9)
    above = (0.9073906103, 0.5959866793, 0.6043148739, 0.7546271950)
    assert smooth.above_commonest == pytest.approx(above, abs=1e-9)


THREE = table("CWCWWWUU", "CCWWWWWU", "WCCWWWCU", words="CWU")


def test_statistics3_b_section_9_where_it_ends() -> None:
    ended = dawid_skene(THREE, 3, smoothing=0)
    assert ended.log_likelihood == pytest.approx(-16.8303074036, abs=1e-9)
    assert ended.prior == pytest.approx((0.5213955762, 0.3536044238, 0.125), abs=1e-9)
    assert ended.chances[3] == pytest.approx((0.0570548699, 0.9429451301, 0), abs=1e-9)
    assert ended.chances[6] == pytest.approx((1, 0, 0), abs=1e-9)
    rows = (0.4794823957, 0.2807764064, 0.2397411979), (0.4794823957, 0.5205176043, 0), (0.7192235936, 0.2807764064, 0)
    for assessor, row in enumerate(rows):
        assert ended.confusion[assessor, 0] == pytest.approx(row, abs=1e-9)
        assert ended.confusion[assessor, 1:] == pytest.approx(np.eye(3)[1:], abs=1e-9)


# Dawid & Skene (1979), table 1: fitness for anaesthesia (1 to 4) of 45 patients, by five anaesthetists; the first judged
# each patient three times, each of which counts as a verdict of his.
PATIENTS = """
111 1 1 1 1|333 4 3 3 4|112 2 1 2 2|222 3 1 2 1|222 3 2 2 2|222 3 3 2 2|122 2 1 1 1|333 3 4 3 3|222 2 2 2 3|232 2 2 2 3|
444 4 4 4 4|222 3 3 4 3|111 1 1 1 1|222 3 2 1 2|121 1 1 1 1|111 2 1 1 1|111 1 1 1 1|111 1 1 1 1|222 2 2 2 1|222 1 3 2 2|
222 2 2 2 2|222 2 2 2 1|222 3 2 2 2|221 2 2 2 2|111 1 1 1 1|111 1 1 1 1|232 2 2 2 2|111 1 1 1 1|111 1 1 1 1|112 1 1 2 1|
111 1 1 1 1|333 3 2 3 3|111 1 1 1 1|222 2 2 2 2|222 3 2 3 2|433 4 3 4 3|221 2 2 3 2|232 3 2 3 3|333 3 4 3 2|111 1 1 1 1|
111 1 1 1 1|121 2 1 1 1|232 2 2 2 2|121 1 1 1 1|222 2 2 2 2
"""


def anaesthetists() -> Table:
    """Return how often each of the five said what, shape (patients, anaesthetists, 4)."""
    rows = [row.split() for row in "".join(PATIENTS.split("\n")).split("|")]
    return np.array([[[own.count(word) for word in "1234"] for own in row] for row in rows])


def test_the_anaesthetists_of_the_paper() -> None:
    """Tables 2 and 3 of Dawid & Skene (1979): the shares of the four classes, and how the first one judges."""
    votes = anaesthetists()
    assert votes.shape == (45, 5, 4)
    assert votes.sum() == 45 * 7
    found = consensus(votes, smoothing=0)
    assert found.prior.round(2) == pytest.approx((0.40, 0.42, 0.11, 0.07))
    first = ((0.89, 0.11, 0, 0), (0.07, 0.88, 0.05, 0), (0, 0.34, 0.66, 0), (0, 0, 0.56, 0.44))
    assert found.confusion[0].round(2) == pytest.approx(np.array(first))
    assert [*found.label[:6]] == [0, 3, 1, 1, 1, 1]  # table 4


def test_a_tie_is_no_label_and_an_item_without_verdicts_has_no_chance() -> None:
    found = dawid_skene([[0, 1], [1, 0], [-1, -1]], 2)
    assert [*found.label] == [-1, -1, -1]
    assert np.isnan(found.chances[2]).all()
    assert found.chances[0] == pytest.approx((0.5, 0.5))


def test_a_category_that_nobody_uses_drops_out() -> None:
    found = dawid_skene([[0, 0], [0, 1], [1, 1]], 3, smoothing=0)
    assert found.prior[2] == 0
    assert np.isnan(found.confusion[:, 2]).all()
    assert np.isfinite(found.log_likelihood)
    alone = dawid_skene([[0, 0], [0, 0]], 1)
    assert [*alone.label] == [0, 0]
    assert np.isnan(alone.above_commonest).all()


@pytest.mark.parametrize("said", [[0, 1], [[0, 3]], [[-2, 0]], [[0.5, 1]], []])
def test_what_is_no_table_of_verdicts_is_refused(said: object) -> None:
    with pytest.raises(UsageError, match="verdicts of assessors"):
        dawid_skene(said, 3)  # type: ignore[arg-type]


def codes(*lines: str) -> np.ndarray:
    """Return a row an item of what each said, a letter an item."""
    return np.array([["CRWU".index(letter) for letter in own] for own in lines]).T


def on(people: tuple[str, ...], judge: str, margin: float) -> Alternative:
    return alternative(codes(*people), codes(judge)[:, 0], margin)


PEOPLE, JUDGE = ("RRWWURRWURWR", "RRWWURWWURWU", "RWWWURRWRRWR"), "RRWWURRWURRR"
ABREAST, OWN = ("CCWWUCCWUCWC", "CCWCUCWWUCWW", "CWWWUCCWCCWC"), "CCWWUCCCUCWC"
TWELFTHS, OTHERS = (1 / 12, -1 / 12, -1 / 12), (1 / 12, -1 / 6, -1 / 12)


@pytest.mark.parametrize(
    ("people", "judge", "margin", "difference", "p", "adjusted", "winning"),
    [
        (PEOPLE, JUDGE, 0.15, TWELFTHS, (0.2203228440, *[0.0723906286] * 2), (0.4039252140, *[0.1990742285] * 2), 0),
        (PEOPLE, JUDGE, 0.3, TWELFTHS, (0.0123469977, *[0.0128222078] * 2), (0.0235073810,) * 3, 1),
        (ABREAST, OWN, 0.1, OTHERS, (0.4225650044, 0.0689517995, 0.1215760920), (0.7747025081, *[0.3343342531] * 2), 0),
        (ABREAST, OWN, 0.2, OTHERS, (0.0945402676, 0.0250430555, 0.0415452992), (0.1733238239, *[0.1142495727] * 2), 0),
        (ABREAST, OWN, 0.3, OTHERS, (0.0123469977, 0.0086373845, 0.0128222078), (0.0235073810,) * 3, 1),
        (
            tuple(own * 5 for own in ABREAST),
            OWN * 5,
            0.2,
            OTHERS,
            (0.0009761474, 0.0000019252, 0.0000218959),
            (0.0017896035, 0.0000105885, 0.0000602137),
            1,
        ),
    ],
)
def test_the_worked_figures(
    people: tuple[str, ...],
    judge: str,
    margin: float,
    difference: tuple[float, ...],
    p: tuple[float, ...],
    adjusted: tuple[float, ...],
    winning: int,
) -> None:
    found = on(people, judge, margin)
    assert [one.difference for one in found.people] == pytest.approx(difference)
    assert [one.advantage for one in found.people] == pytest.approx([11 / 12] * 3)
    assert [one.own - one.advantage for one in found.people] == pytest.approx(difference)
    assert [one.p for one in found.people] == pytest.approx(p, abs=1e-9)
    assert [one.adjusted for one in found.people] == pytest.approx(adjusted, abs=1e-9)
    assert (found.winning, found.passes, found.advantage) == (winning, winning == 1, pytest.approx(11 / 12))


def test_differences_that_are_all_alike() -> None:
    first = on(PEOPLE, PEOPLE[0], 0.15).people[0]
    assert (first.difference, first.p) == (0, pytest.approx(0.85**12, abs=1e-12))


def test_items_of_one_question_count_once() -> None:
    once = on(ABREAST, OWN, 0.2)
    twice = alternative(
        np.repeat(codes(*ABREAST), 2, axis=0), np.repeat(codes(OWN)[:, 0], 2), 0.2, np.repeat(range(12), 2)
    )
    assert [one.p for one in twice.people] == pytest.approx([one.p for one in once.people])
    assert [(one.items, one.units) for one in twice.people] == [(24, 12)] * 3


def test_edges() -> None:
    assert p_of(np.zeros(30), 0.1) == pytest.approx(0.9**30)
    assert p_of(np.full(30, -1.0), 0.1) == pytest.approx(0.9**30)
    assert p_of(np.full(30, 0.05), 0.1) == 1  # alike and above 0
    lone = alternative(np.array([[0, -1], [0, -1]]), np.array([0, 0]), 0.1)  # no item has two
    assert math.isnan(lone.winning)
    assert not lone.passes
    assert math.isnan(lone.advantage)
    one = alternative(np.array([[0, 0]]), np.array([0]), 0.1)
    assert math.isnan(one.people[0].p)
    assert one.people[0].advantage == 1
    with pytest.raises(UsageError, match="two assessors or more"):
        alternative(np.array([[0], [1]]), np.array([0, 1]), 0.1)
