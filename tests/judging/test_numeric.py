"""Numbers: how texts write them, what they count, and when two of them are the same."""

from __future__ import annotations

from decimal import Decimal
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.data.model import Question
from nescio.data.outcomes import CORRECT
from nescio.errors import MismatchError, UsageError
from nescio.judging import known
from nescio.judging._judge import AnswerToJudge
from nescio.judging._numbers import quantities
from nescio.judging.numeric import numeric
from tests.rings import together


def read(text: str, decimal: str = ".") -> list[tuple[float, str | None]]:
    """The numbers of a text as floats, with what they count."""
    return [(float(one.value), one.unit) for one in quantities(text, decimal)]


def right(answer: str, *gold: str, **parameters: object) -> bool:
    inside = ", ".join(f"{name}={value}" for name, value in parameters.items())
    (grade,) = known(f"numeric({inside})").grade([AnswerToJudge("run", Question("q", "?", gold), answer)])
    return grade.state == CORRECT


@together(
    "text, value",
    [
        ("42", 42),
        ("The answer is 42.", 42),
        ("1,234,567", 1_234_567),
        ("1 234 567", 1_234_567),
        ("1\u202f234\u202f567", 1_234_567),
        ("1'234'567", 1_234_567),
        ("1.234.567", 1_234_567),
        ("1,234.56", 1234.56),
        ("1.234,56", 1234.56),
        ("1,5", 1.5),
        (".5", 0.5),
        ("-3", -3),
        ("−3", -3),
        ("minus five", -5),
        ("1e6", 1e6),
        ("3.5 x 10^8", 3.5e8),
        ("3.5×10⁸", 3.5e8),
        ("10⁻³", 0.001),
        ("3/4", 0.75),
        ("3½", 3.5),
        ("2 1/2", 2.5),
        ("half", 0.5),
        ("two thirds", 2 / 3),
        ("three-quarters", 0.75),
        ("two and a half", 2.5),
        ("twenty-three", 23),
        ("three hundred and five thousand", 305_000),
        ("1.2 million", 1.2e6),
        ("half a million", 5e5),
        ("one and a half million", 1.5e6),
        ("a dozen", 12),
        ("3 dozen", 36),
        ("10k", 1e4),
        ("21st", 21),
        ("twenty-first", 21),
        ("zero", 0),
        ("٣", 3),
    ],
)
def test_one_number(text: str, value: float) -> None:
    ((found, unit),) = read(text)
    assert found == pytest.approx(value)
    assert unit is None


@together(
    "text, expected",
    [
        ("50%", (50, "%")),
        ("7.5 per cent", (7.5, "%")),
        ("$3.5bn", (3.5e9, "$")),
        ("£12m", (12e6, "£")),
        ("-$5", (-5, "$")),
        ("100 million dollars", (1e8, "$")),
        ("12m", (12, "m")),
        ("5-mile", (5, "mile")),
        ("30 km²", (30, "km^2")),
        ("30 square miles", (30, "mile^2")),
        ("60 km/h", (60, "km/hour")),
        ("5 miles per hour", (5, "mile/hour")),
        ("100 degrees Celsius", (100, "degC")),
        ("one second", (1, "second")),
        ("9.8 m/s²", (9.8, "m/s^2")),
        ("the 1990s", (1990, "…s")),
        ("1990 s", (1990, "s")),
        ("3600s", (3600, "s")),
        ("10.0s", (10, "s")),
        ("5  thousands", (5000, None)),
        ("three hundreds", (300, None)),
        ("5 thousands", (5000, None)),
        ("5 people", (5, None)),
        ("1990 in Paris", (1990, None)),
        ("16 at night", (16, None)),
    ],
)
def test_a_number_with_what_it_counts(text: str, expected: tuple[float, str | None]) -> None:
    assert read(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "none",
        "no one",
        "MP3",
        "C-3PO",
        "3D",
        "F-16",
        "COVID-19",
        "1/0",
        "hundreds of people",
        "hundreds",
        "many thousands",
        "tens of millions",
        "one of them",
    ],
)
def test_no_number(text: str) -> None:
    assert read(text) == []


def test_several_numbers_in_their_order() -> None:
    assert [value for value, _ in read("July 4, 1776")] == [4, 1776]
    assert [value for value, _ in read("1999–2000")] == [1999, 2000]
    assert [value for value, _ in read("10-15")] == [10, 15]
    assert [value for value, _ in read("3/4/1999")] == [3, 4, 1999]
    assert [value for value, _ in read("5-0")] == [5, 0]


def test_a_decimal_comma() -> None:
    assert read("1.234", ",") == [(1234, None)]
    assert read("1,234", ",") == [(1.234, None)]
    assert read("1.234,5", ",") == [(1234.5, None)]


@together(
    "answer, gold",
    [
        ("about 1,234 people", "1234"),
        ("forty-two", "42"),
        ("5 km", "5000 m"),
        ("3.1 miles", "3.1"),
        ("12", "12 inches"),
        ("1 foot", "12 inches"),
        ("212 °F", "100 °C"),
        ("36 km/h", "10 m/s"),
        ("1000 s", "1000 seconds"),
        ("3600 s", "1 h"),
        ("3600s", "3600 seconds"),
        ("50%", "50"),
        ("50%", "0.5"),
        ("0.5", "50 %"),
        ("$5 million", "5,000,000 dollars"),
        ("5 pounds", "£5"),
        ("2.205 lb", "1000.17 g"),
        ("2 and 3", "2, 3"),
    ],
)
def test_the_same_number(answer: str, gold: str) -> None:
    tolerance = 1e-4 if "lb" in answer else 0
    assert right(answer, gold, tolerance=tolerance)
    assert right(gold, answer, tolerance=tolerance)


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("3 or 4", "3"),
        ("3, 4", "4, 3"),
        ("5 km", "5 kg"),
        ("$5", "€5"),
        ("$5", "5 km"),
        ("5 pounds", "$5"),
        ("5%", "0.5 %"),
        ("50% ", "50 km"),
        ("1990s", "1990"),
        ("1990s", "1990 seconds"),
        ("hundreds", "100"),
        ("thousands of them", "1000"),
        ("5.0001", "5"),
        ("-5", "5"),
        ("no idea", "5"),
    ],
)
def test_another_number(answer: str, gold: str) -> None:
    assert not right(answer, gold)


def test_the_tolerance_is_a_share_of_gold_or_absolute() -> None:
    assert right("101", "100", tolerance=0.01)
    assert not right("101.1", "100", tolerance=0.01)
    assert not right("100", "98.9", tolerance=0.011)  # 1.1 of 98.9 is more than 1.1 %
    assert right("100", "101", tolerance=0.01)  # 1 of 101 is less than 1 %
    assert right("0.05", "0", absolute=0.1)
    assert not right("0.05", "0", tolerance=0.5)


def test_which_number_of_the_answer() -> None:
    text = "Of 50 states, 13 were there first; I say 7"
    assert not right(text, "7")
    assert right(text, "7", which="last")
    assert right(text, "50", which="first")
    assert right(text, "13", which="any")
    assert not right(text, "14", which="any")
    assert not right("7", "7, 8", which="last")


def test_any_gold_answer_will_do_and_those_without_a_number_do_not_count() -> None:
    assert right("7", "six", "seven", "a few")
    with pytest.raises(MismatchError, match=r"question 'q': no gold answer holds a number.*\['a few', 'Paris'\]"):
        numeric(Question("q", "?", ("a few", "Paris")), "7")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("numeric(tolerance=1)", "at least 0 and below 1"),
        ("numeric(tolerance=x)", "tolerance must be a number"),
        ("numeric(absolute=-1)", "0 or more"),
        ("numeric(which=middle)", "which must be one of all, first, last, any"),
        ("numeric(decimal=;)", "dot or comma"),
    ],
)
def test_impossible_parameters(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        known(name)


def test_without_its_libraries_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)  # noqa: ARG005
    with pytest.raises(UsageError, match=r"pip install 'nescio\[judges\]'"):
        known("numeric")


@given(st.integers(-(10**12), 10**12), st.integers(0, 4))
def test_separated_thousands_are_the_number(whole: int, digits: int) -> None:
    value = Decimal(whole).scaleb(-digits)
    assert [one.value for one in quantities(f"{value:,}")] == [value]


@given(st.integers(0, 10**9))
def test_an_answer_is_its_own_gold(value: int) -> None:
    assert numeric(Question("q", "?", (str(value),)), f"It was {value:,}, I think.")


@given(st.text(alphabet="0123456789.,/-–%$ eE^x×⟪⟫½²kmbn thousand millionhalf", max_size=40))
def test_whatever_a_text_says_its_numbers_are_finite(text: str) -> None:
    assert all(one.value.is_finite() for one in quantities(text))


@pytest.mark.parametrize("piece", ["9", "5 ", "1,000", "1/", "1 and ", "half ", "10^", "$", "- ", "one ", "¼", "1e9"])
def test_a_long_text_takes_no_longer_than_its_length(piece: str) -> None:
    start = process_time()
    quantities(piece * 4_000)
    assert process_time() - start < 2
