"""A gold answer as whole words in a long answer, by hand."""

from __future__ import annotations

import pytest

from nescio.data.model import Question
from nescio.errors import UsageError
from nescio.judging import known
from nescio.judging.contains import contains


def right(answer: str, *gold: str, longest: int = 0, negation: bool = False) -> bool:
    return contains(Question("q", "?", gold), answer, longest, negation)


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("The film was made in 1996, and the lead was Bill Pullman.", "Bill Pullman"),
        ("It is **the Eiffel Tower**, of course", "an Eiffel tower"),  # case, articles and punctuation
        ("London/UK", "London"),
        ("Paris\u2014the capital of France", "Paris"),
        ("That was Obama's first term", "Obama"),
        ("in the U.S. and elsewhere", "US"),
        ("in the US and elsewhere", "U.S."),
        ("about 5,000 people", "5000"),
        ("about 5,000 people", "5,000"),
        ("from 1969-1970", "1969"),
        ("it was William Pullman", "Bill Pullman|William Pullman"),
        ("it was William Pullman", "Bill Pullman | William Pullman"),
        ("the grade was a + b", "+"),  # nothing is left of it: the text itself
        ("答えは東京です。", "東京"),
    ],
)
def test_held(answer: str, gold: str) -> None:
    assert right(answer, gold)
    assert right(answer, "no such thing", gold)


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("a manager", "man"),
        ("it rained", "rain"),
        ("Pullman, Bill", "Bill Pullman"),
        ("about 5,000 people", "5"),
        ("about 5.5 per cent", "5"),
        ("Paris", "the city of Paris"),
        ("who knows", ""),
        ("who knows", "|"),
        ("who knows", " | "),
        ("a plus", "+"),
        ("", "Paris"),
    ],
)
def test_not_held(answer: str, gold: str) -> None:
    assert not right(answer, gold)


def test_without_gold_nothing_is_right() -> None:
    assert not right("x")


def test_a_negated_answer_counts_unless_negation_is_asked_for() -> None:
    for answer in ("It is not Paris but Lyon", "It isn't really Paris", "never in Paris", "it isn\u2019t Paris"):
        assert right(answer, "Paris")
        assert not right(answer, "Paris", negation=True)
    assert right("It is not Lyon, as some people say, but Paris", "Paris", negation=True)  # too far before it
    assert right("Not Paris? Yes, indeed, Paris", "Paris", negation=True)  # one place is enough
    assert right("not guilty", "not guilty", negation=True)  # its own negation


def test_an_answer_over_the_longest_is_wrong() -> None:
    assert right("It is in Paris", "Paris", longest=4)
    assert not right("It is in Paris", "Paris", longest=3)


@pytest.mark.parametrize("name", ["contains(longest=-1)", "contains(longest=1.5)", "contains(negation=maybe)"])
def test_what_makes_no_sense_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="judge contains: "):
        known(name)
