"""Exact match after SQuAD's normalisation, as evaluate-v2.0.py does it: case, ASCII punctuation, articles, white
space."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.data.model import Question
from nescio.judging.exact import exact
from nescio.text import normalise


def right(answer: str, *gold: str) -> bool:
    """Whether the answer is right by the gold answers."""
    return exact(Question("q", "?", gold), answer)


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("the Beatles", "Beatles"),
        ("BEATLES.", "the beatles"),
        ("An apple a day", "apple day"),
        ("U.S.A.", "usa"),
        ("$5,000", "5000"),
        ("rock 'n' roll", "rock n roll"),
        ("snake_case", "snakecase"),
        ("two\n  lines\u00a0here", "two lines here"),
        ("the the cat", "cat"),
        ("Élan", "élan"),
    ],
)
def test_these_are_the_same_answer(answer: str, gold: str) -> None:
    assert right(answer, gold)
    assert right(gold, answer)


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("Beatle", "Beatles"),
        ("well-known", "well known"),  # a hyphen goes and leaves no space
        ("state-of-the-art", "state of art"),  # punctuation goes before articles, so this `the` is none
        ("“quoted”", "quoted"),  # only ASCII punctuation goes
        ("1999–2000", "19992000"),
        ("elan", "élan"),
        ("theatre", "atre"),
        ("", "x"),
    ],
)
def test_these_are_not(answer: str, gold: str) -> None:
    assert not right(answer, gold)
    assert not right(gold, answer)


def test_any_of_several_gold_answers_will_do() -> None:
    assert right("12 May", "May 12", "12 May", "the twelfth")
    assert not right("May", "May 12", "12 May", "the twelfth")


def test_no_gold_answer_makes_no_answer_right() -> None:
    assert not right("x")


def test_an_answer_that_normalisation_empties_is_compared_as_it_is() -> None:
    assert right("A", "A")
    assert right(" the ", "The")
    assert not right("A", "The")
    assert not right("?!", "the")
    assert not right("an", "A", "B")


@given(st.text(), st.text())
def test_same_after_normalising_means_right(answer: str, gold: str) -> None:
    if normalise(answer):
        assert right(answer, gold) is (normalise(answer) == normalise(gold))


@given(st.text())
def test_an_answer_is_always_its_own_gold(text: str) -> None:
    assert right(text, text)
