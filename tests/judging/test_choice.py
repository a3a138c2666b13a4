"""Multiple choice: an option is named by its text, its letter or its index from 0."""

import pytest

from nescio.data.model import Collection, Question, Response, Run
from nescio.errors import MismatchError
from nescio.judging import judge_runs
from nescio.judging.choice import choice, option
from tests.rings import together

CITIES = ("Rome", "New York", "the Hague", "St. Paul")


def named(text: str, options: tuple[str, ...] = CITIES) -> int | None:
    """The option that a text names."""
    return option(Question("q", "?", ("A",), options), text)


@together(
    "text, position",
    [
        ("A", 0),
        ("b", 1),
        ("(C)", 2),
        ("(d)", 3),
        ("B.", 1),
        ("B)", 1),
        ("b:", 1),
        (" C ", 2),
        ("0", 0),
        ("3", 3),
        (" 2 ", 2),
        ("New York", 1),
        ("new  york", 1),
        ("NEW YORK!", 1),
        ("Hague", 2),
        ("The Hague.", 2),
        ("st paul", 3),
    ],
)
def test_an_option_is_named(text: str, position: int) -> None:
    assert named(text) == position


@together(
    "text",
    [
        "E",
        "(z)",
        "4",
        "99999",
        "9" * 5000,
        "-1",
        "1.0",
        "²",
        "١",
        "AB",
        "((A))",
        "B. New York",
        "Paris",
        "York",
        "",
        "?",
    ],
)
def test_no_option_is_named(text: str) -> None:
    assert named(text) is None


def test_a_text_wins_over_a_letter_and_an_index() -> None:
    assert named("B", ("C", "D", "B")) == 2
    assert named("2", ("2", "3", "4")) == 0
    assert named("c", ("x", "C", "y")) == 1
    assert named("A", ("none", "all", "a")) == 2


def test_an_article_alone_is_a_letter_and_no_option() -> None:
    assert named("A.", ("?!", "x")) == 0
    assert named("the", ("?!", "x")) is None


def test_options_that_only_normalising_makes_alike_are_told_apart_by_what_differs() -> None:
    options = ("C", "C#", "C++")
    assert [named(text, options) for text in options] == [0, 1, 2]
    assert named("c#", options) == 1
    assert named("c++", options) == 2
    assert named("US", ("us", "US")) == 1


def test_a_text_that_fits_two_options_names_neither() -> None:
    assert named("the beatles!", ("The Beatles", "Beatles", "Kinks")) is None
    assert named("Us", ("us", "US")) is None


def test_of_options_of_one_text_the_first_stands_for_all() -> None:
    twins = Question("q", "?", ("Rome",), ("Oslo", "Rome", "Rome"))
    assert all(choice(twins, text) for text in ("Rome", "rome", "B", "C", "1", "2"))
    assert not choice(twins, "A")


@together("gold", ["B", "1", "(b)", "New York", "new york"])
@together("answer, right", [("B.", True), ("New York", True), ("1", True), ("A", False), ("Y", False)])
def test_answer_and_gold_may_name_the_option_in_different_ways(gold: str, answer: str, right: bool) -> None:
    assert choice(Question("q", "?", (gold,), CITIES), answer) is right


def test_any_of_several_gold_answers_will_do() -> None:
    question = Question("q", "?", ("A", "New York"), CITIES)
    assert [choice(question, letter) for letter in "ABCD"] == [True, True, False, False]


def test_an_answer_that_names_no_option_is_wrong() -> None:
    assert not choice(Question("q", "?", ("A",), CITIES), "I think it is Rome")


@pytest.mark.parametrize("gold", [("Paris",), ("A", "Paris"), ("E",), ("9",)])
def test_gold_that_names_no_option_is_refused(gold: tuple[str, ...]) -> None:
    with pytest.raises(MismatchError) as caught:
        choice(Question("q7", "?", gold, CITIES), "A")
    assert str(caught.value) == f"question 'q7': the gold answer names none of its options (found {list(gold)!r})"


def test_a_question_without_options_is_refused() -> None:
    with pytest.raises(MismatchError) as caught:
        choice(Question("q7", "?", ("x",)), "x")
    expected = "question 'q7' has no options, so the judge `choice` cannot judge an answer to it; use `exact`"
    assert str(caught.value) == expected


def test_numbers_that_count_from_one_are_asked_about() -> None:
    """Five options, of which the third is right: 3 would be the fourth, and 5 none."""
    five = tuple(f"the {word} harbour" for word in ("old", "new", "red", "blue", "last"))
    questions = tuple(Question(f"q{i}", "?", (five[2],), five) for i in range(6))

    def judged(*answers: str) -> list[int]:
        run = Run("r", tuple(Response(f"q{i}", text, answered=True) for i, text in enumerate(answers)))
        return judge_runs(Collection("c", questions), [run], "choice")[0].state[0].tolist()

    with pytest.raises(
        MismatchError, match=r"count the options from 1 \(1 of 6 are the number of options, none is 0\)"
    ):
        judged("3", "3", "5", "1", "2", "3")
    assert judged("2", "2", "0", "1", "2", "4") == [1, 1, 0, 0, 1, 0]
    assert judged("C", "C", "A", "E", "C", "C") == [1, 1, 0, 0, 1, 1]
