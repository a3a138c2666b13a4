"""The alternative annotator test: the worked figures of statistics3 section 8 and statistics3-b section 9."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nescio.errors import UsageError
from nescio.stats.alternative import Alternative, alternative, p_of


def codes(*lines: str) -> np.ndarray:
    """Return a row an item of what each said, a letter an item."""
    return np.array([["CRWU".index(letter) for letter in own] for own in lines]).T


def on(people: tuple[str, ...], judge: str, margin: float) -> Alternative:
    return alternative(codes(*people), codes(judge)[:, 0], margin)


PEOPLE, JUDGE = ("RRWWURRWURWR", "RRWWURWWURWU", "RWWWURRWRRWR"), "RRWWURRWURRR"
THREE, OWN = ("CCWWUCCWUCWC", "CCWCUCWWUCWW", "CWWWUCCWCCWC"), "CCWWUCCCUCWC"
TWELFTHS, OTHERS = (1 / 12, -1 / 12, -1 / 12), (1 / 12, -1 / 6, -1 / 12)


@pytest.mark.parametrize(
    ("people", "judge", "margin", "difference", "p", "adjusted", "winning"),
    [
        (PEOPLE, JUDGE, 0.15, TWELFTHS, (0.2203228440, *[0.0723906286] * 2), (0.4039252140, *[0.1990742285] * 2), 0),
        (PEOPLE, JUDGE, 0.3, TWELFTHS, (0.0123469977, *[0.0128222078] * 2), (0.0235073810,) * 3, 1),
        (THREE, OWN, 0.1, OTHERS, (0.4225650044, 0.0689517995, 0.1215760920), (0.7747025081, *[0.3343342531] * 2), 0),
        (THREE, OWN, 0.2, OTHERS, (0.0945402676, 0.0250430555, 0.0415452992), (0.1733238239, *[0.1142495727] * 2), 0),
        (THREE, OWN, 0.3, OTHERS, (0.0123469977, 0.0086373845, 0.0128222078), (0.0235073810,) * 3, 1),
        (
            tuple(own * 5 for own in THREE),
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
    once = on(THREE, OWN, 0.2)
    twice = alternative(
        np.repeat(codes(*THREE), 2, axis=0), np.repeat(codes(OWN)[:, 0], 2), 0.2, np.repeat(range(12), 2)
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
