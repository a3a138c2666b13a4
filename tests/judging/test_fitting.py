"""The judge that fits the gold: numbers by value, formulas to the letter, other texts by their words."""

from __future__ import annotations

from decimal import Decimal
from time import process_time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nescio.data.model import Question
from nescio.judging._numbers import amount
from nescio.judging.exact import exact
from nescio.judging.fitting import fitting
from tests.daily import daily, together


def right(gold: str, answer: str, judge: object = fitting) -> bool:
    """Whether a judge takes the answer for this one gold answer."""
    assert callable(judge)
    return bool(judge(Question("q", "?", (gold,)), answer))


NUMBERS = st.builds(Decimal.scaleb, st.builds(Decimal, st.integers(-99_999, 99_999)), st.integers(-6, 6))


def ways(value: Decimal) -> list[str]:
    """How people and programs write a number."""
    fixed = f"{value:f}"
    zero = f"{fixed}.0" if "." not in fixed else f"{fixed}0"
    return [fixed, zero, f"{value:,f}", f"{value:e}", f"{value:E}", fixed.replace("-", "−"), f" {fixed}."]


@given(NUMBERS, NUMBERS, st.data())
def test_two_numbers_are_one_answer_just_where_they_are_one_number(
    one: Decimal, two: Decimal, data: st.DataObject
) -> None:
    gold, answer = data.draw(st.sampled_from(ways(one))), data.draw(st.sampled_from(ways(two)))
    assert right(gold, answer) == (one == two)
    assert right(gold, data.draw(st.sampled_from(ways(one))))


@given(NUMBERS, st.sampled_from(["", "-", "+", ".", "e", "e-", "0", "1"]), st.integers(0, 9))
def test_a_mark_put_into_a_number_makes_another_or_the_same_by_its_value(value: Decimal, mark: str, at: int) -> None:
    """Whatever is put where: two texts that Python reads as different numbers are two answers."""
    text = f"{value:f}"
    changed = text[:at] + mark + text[at:]
    try:
        other = Decimal(changed)
    except ArithmeticError:
        return
    assume(amount(text) is not None)
    assert right(text, changed) == (other == value)


NAMES, SIGNS = (
    st.sampled_from("xyznkab"),
    st.sampled_from(["+", "-", "*", "/", "=", "<", ">", "^", "<=", "!=", "==", "%", "&"]),
)
TERMS = st.one_of(NAMES, st.integers(0, 99).map(str))


@given(NAMES, SIGNS, SIGNS, TERMS, st.booleans())
def test_two_formulas_are_one_answer_just_where_their_signs_are(
    x: str, sign: str, other: str, y: str, spaced: bool
) -> None:
    assert right(f"{x}{sign}{y}", f"{x} {other} {y}" if spaced else f"{x}{other}{y}") == (sign == other)
    assert not right(f"{x}{sign}{y}", f"{x}{y}")
    assert not right(f"{x}{y}", f"{x}{sign}{y}")


WORD = st.text("abcdefghij", min_size=3, max_size=7)


@given(st.lists(WORD, min_size=1, max_size=3), st.lists(st.sampled_from(["the", "a", "An"]), max_size=1), st.data())
def test_words_are_judged_as_squad_does(words: list[str], article: list[str], data: st.DataObject) -> None:
    marks = st.sampled_from(["", ".", ",", "!", "?", '"', "'", ";", ")"])
    answer = " ".join(word.title() + data.draw(marks) for word in (*article, *words))
    for gold in (" ".join(words), " ".join(data.draw(st.lists(WORD, min_size=1, max_size=3)))):
        assert right(gold, answer) == right(gold, answer, exact)


@together(
    "one, other",
    [
        ("C++", "C"),
        ("C#", "C"),
        ("A+", "A"),
        ("5/3", "53"),
        ("10:30", "1030"),
        ("version 1.2.3", "version 123"),
        ("-x", "x"),
        ("!x", "x"),
        ("f(x)", "f(-x)"),
        ("f'(x)", "f(x)"),
        ("snake_case", "snakecase"),
        ("about -5 degrees", "about 5 degrees"),
        ("X*Y", "X/Y"),
        ("$5", "€5"),
        ("5 km", "5 kg"),
        ("12 apples", "12 oranges"),
        ("1,234", "1.234"),
        ("x+1", "X+1"),
    ],
)
def test_what_differs_in_a_mark_that_counts(one: str, other: str) -> None:
    assert not right(one, other)
    assert not right(other, one)


@together(
    "gold, answer",
    [
        ("2", "2.0"),
        ("1,000", "1000"),
        ("5 km", "5000 m"),
        ("12", "twelve"),
        ("50%", "0.5"),
        ("$5", "5 dollars"),
        ("42", "The answer is 42."),
        ("3,14", "3.14"),
        ("1e-5", "0.00001"),
        ("x+1", "`x + 1`"),
        ("E=mc^2", "E = mc^2."),
        ("C++", "c++"),
        ("F-16", "f16"),
        ("R&B", "r&b"),
        ("M*A*S*H", "MASH"),
        ("U.S.", "us"),
        ("O'Neil", "ONeil"),
        ("1990-1995", "1990 – 1995"),
        ("2020-01-05", "2020/01/05"),
        ("May 5, 1991", "may 5 1991"),
        ("1,000 people", "1000 people"),
        ("Paris", "**Paris**"),
        ("Paris", "- Paris"),
        ("?", "?"),
    ],
)
def test_what_is_said_in_another_way(gold: str, answer: str) -> None:
    assert right(gold, answer)


def test_each_question_is_judged_by_what_its_gold_is() -> None:
    options = Question("q", "?", ("B",), ("-1", "1"))
    assert fitting(options, "1")
    assert not fitting(options, "-1")
    several = Question("q", "?", ("none", "0"))
    assert fitting(several, "None.")
    assert fitting(several, "0.0")
    assert not fitting(several, "1")
    assert not fitting(Question("q", "?", ("007",)), "7")  # a name, not a number


@pytest.mark.parametrize(
    "piece", daily(["=", "x=", "- ", " ", "\n", "!", "C+", "1,000", "1-", "a*", "\\", "'", "<b>", "_a", "."], 4)
)
def test_long_answers_take_no_long_time(piece: str) -> None:
    """Texts of strangers, whose length must not matter more than it does: 100,000 characters in under a second."""
    begun = process_time()
    for text in (piece * 100_000, f"a {piece * 100_000} b", f"x=1 {piece * 100_000}!"):
        right("E = mc^2, or a", text[:100_000])
        right("-1", text[:100_000])
        right("F-16", text[:100_000])
    assert process_time() - begun < 9
