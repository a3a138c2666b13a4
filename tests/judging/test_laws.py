"""Laws of judges over generated answers: numbers by value, formulas by their signs, words as SQuAD compares them."""

from __future__ import annotations

import re
import string
from collections import Counter
from decimal import Decimal
from time import process_time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nescio.data.model import Question
from nescio.judging._numbers import amount, quantities
from nescio.judging.declined.recognise import declines
from nescio.judging.exact import exact
from nescio.judging.fitting import fitting
from nescio.judging.numeric import numeric
from nescio.judging.pattern import pattern
from nescio.text import best_f1, normalise


def right(gold: str, answer: str) -> bool:
    """Whether the judge that fits the gold takes the answer."""
    return fitting(Question("q", "?", (gold,)), answer)


# ---- words ----


@given(st.text(), st.text())
def test_exact_is_equality_after_normalising(answer: str, gold: str) -> None:
    if normalise(answer):
        assert exact(Question("q", "?", (gold,)), answer) is (normalise(answer) == normalise(gold))
    assert exact(Question("q", "?", (gold,)), gold)


@given(st.text(alphabet=st.sampled_from("aAtThe nN.'-–_ \t\n\u00a0\u2028\x1f\x00éß1²")))
def test_normalising_word_by_word_is_normalising_the_whole(text: str) -> None:
    bare = "".join(c for c in text.lower() if c not in set(string.punctuation))
    assert normalise(text) == " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split())


words = st.lists(st.sampled_from(["cat", "dog", "owl", "the"]), max_size=5).map(" ".join)


@given(words, words)
def test_f1_is_its_definition(answer: str, gold: str) -> None:
    words, keys = normalise(answer).split(), normalise(gold).split()
    common = sum((Counter(words) & Counter(keys)).values())
    expected = 2 * common / (len(words) + len(keys)) if words and keys else float(words == keys)
    assert best_f1(answer, [gold]) == pytest.approx(expected, abs=1e-12)


WORD = st.text("abcdefghij", min_size=3, max_size=7)


@given(st.lists(WORD, min_size=1, max_size=3), st.lists(st.sampled_from(["the", "a", "An"]), max_size=1), st.data())
def test_fitting_judges_words_as_exact_does(words: list[str], article: list[str], data: st.DataObject) -> None:
    marks = st.sampled_from(["", ".", ",", "!", "?", '"', "'", ";", ")"])
    answer = " ".join(word.title() + data.draw(marks) for word in (*article, *words))
    for gold in (" ".join(words), " ".join(data.draw(st.lists(WORD, min_size=1, max_size=3)))):
        assert right(gold, answer) == exact(Question("q", "?", (gold,)), answer)


# ---- numbers ----

NUMBERS = st.builds(Decimal.scaleb, st.builds(Decimal, st.integers(-99_999, 99_999)), st.integers(-6, 6))


def ways(value: Decimal) -> list[str]:
    """How people and programs write a number."""
    fixed = f"{value:f}"
    zero = f"{fixed}.0" if "." not in fixed else f"{fixed}0"
    return [fixed, zero, f"{value:,f}", f"{value:e}", f"{value:E}", fixed.replace("-", "−"), f" {fixed}."]


@pytest.mark.sampled
@given(NUMBERS, NUMBERS, st.data())
def test_two_numbers_are_one_answer_just_where_they_are_one_number(
    first: Decimal, second: Decimal, data: st.DataObject
) -> None:
    gold, answer = data.draw(st.sampled_from(ways(first))), data.draw(st.sampled_from(ways(second)))
    assert right(gold, answer) == (first == second)
    assert right(gold, data.draw(st.sampled_from(ways(first))))


@pytest.mark.sampled
@given(NUMBERS, st.sampled_from(["", "-", "+", ".", "e", "e-", "0", "1"]), st.integers(0, 9))
def test_a_mark_put_into_a_number_makes_another_or_the_same_by_its_value(value: Decimal, mark: str, at: int) -> None:
    text = f"{value:f}"
    changed = text[:at] + mark + text[at:]
    try:
        other = Decimal(changed)
    except ArithmeticError:
        return
    assume(amount(text) is not None)
    assert right(text, changed) == (other == value)


@given(st.integers(-(10**12), 10**12), st.integers(0, 4))
def test_separated_thousands_are_the_number(whole: int, digits: int) -> None:
    value = Decimal(whole).scaleb(-digits)
    assert [quantity.value for quantity in quantities(f"{value:,}")] == [value]
    assert numeric(Question("q", "?", (str(abs(whole)),)), f"It was {abs(whole):,}, I think.")


@pytest.mark.sampled
@given(st.text(alphabet="0123456789.,/-–%$ eE^x×⟪⟫½²kmbn thousand millionhalf", max_size=40))
def test_the_numbers_of_any_text_are_finite(text: str) -> None:
    assert all(quantity.value.is_finite() for quantity in quantities(text))


# ---- formulas ----

NAMES = st.sampled_from("xyznkab")
SIGNS = st.sampled_from(["+", "-", "*", "/", "=", "<", ">", "^", "<=", "!=", "==", "%", "&"])


@pytest.mark.sampled
@given(NAMES, SIGNS, SIGNS, st.one_of(NAMES, st.integers(0, 99).map(str)), st.booleans())
def test_two_formulas_are_one_answer_just_where_their_signs_are(
    x: str, sign: str, other: str, y: str, spaced: bool
) -> None:
    assert right(f"{x}{sign}{y}", f"{x} {other} {y}" if spaced else f"{x}{other}{y}") == (sign == other)
    assert not right(f"{x}{sign}{y}", f"{x}{y}")
    assert not right(f"{x}{y}", f"{x}{sign}{y}")


# ---- texts of strangers, whose length must not matter more than it does: by the time of this process alone ----


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["=", "x=", "- ", " ", "\n", "!", "C+", "1,000", "1-", "a*", "\\", "'", "<b>", "_a", "."]
)
def test_long_answers_are_judged_in_time_that_grows_with_their_length(piece: str) -> None:
    begun = process_time()
    for text in (piece * 100_000, f"a {piece * 100_000} b", f"x=1 {piece * 100_000}!"):
        for gold in ("E = mc^2, or a", "-1", "F-16"):
            right(gold, text[:100_000])
    assert process_time() - begun < 9


@pytest.mark.parametrize("piece", [" ", ",", ".)", "“", "„", "«", "‘", "「", "<think>"])
def test_what_declines_is_told_in_time_that_grows_with_the_text(piece: str) -> None:
    begun = process_time()
    for text in (f"I{piece * 40_000}x", f"I don't know. {piece * 40_000}x’"):
        declines(text)
    assert process_time() - begun < 3


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["9", "5 ", "1,000", "1/", "1 and ", "half ", "10^", "$", "- ", "one ", "¼", "1e9"])
def test_numbers_are_found_in_time_that_grows_with_the_text(piece: str) -> None:
    begun = process_time()
    quantities(piece * 4_000)
    assert process_time() - begun < 2


def test_patterns_that_other_engines_match_for_ever_end() -> None:
    patterns = (r"^(a+)+$", r"^(a|aa)+$", r"^(.*?,){20}P")
    assert not pattern(Question("q", "?", patterns), "a" * 50_000 + "!")
