"""Deep Read's marks of one answer: the paper's worked example, laws, and sentences cut from a text."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.data.model import Question
from nescio.tasks.reading.marks import (
    answer_sentences,
    best_match,
    chosen_sentence,
    content_words,
    mark,
    match,
)
from nescio.text import question_word, sentences

CONGRESS = ("But the Library of Congress was built for all the people.", "From the start, it was our national library.")
WORDS = ("the", "of", "Ann", "kite", "kites", "ran", "it", "our", "an", "12")
texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)


def test_the_content_words_of_the_worked_example() -> None:
    """Hirschman et al. 1999, sec. 2: seven in sentence 1; in sentence 2 four by the declared list, six with
    pronouns."""
    assert len(content_words(CONGRESS[0])) == 7
    assert content_words(CONGRESS[1]) == ("from", "start", "nation", "librari")
    assert len(content_words(CONGRESS[1], keep_pronouns=True)) == 6


def test_the_declared_list_has_no_an() -> None:
    assert content_words("an apple and a pear or the plum") == ("an", "appl", "pear", "plum")


def test_the_worked_example() -> None:
    first, second = (match(sentence, "Library of Congress") for sentence in CONGRESS)
    assert (first.recall, first.precision) == (2 / 2, 2 / 7)
    assert (second.recall, second.precision) == (1 / 2, 1 / 4)
    assert match(CONGRESS[1], "Library of Congress", keep_pronouns=True).precision == 1 / 6
    assert answer_sentences(CONGRESS, ("Library of Congress",)) == {0}


def test_repeated_words_of_the_key_match_or_fail_together() -> None:
    """Key: dog dog cat, answer: dog bird. R = 2/3, although the answer has one dog; P = 1/2."""
    found = match("dog bird", "dogs, dogs, cat")
    assert (found.recall, found.precision) == (2 / 3, 1 / 2)
    assert match("dog dog dog cat", "dog").precision == 3 / 4  # at most 1, as counting by the key would not be


def test_undefined_marks() -> None:
    assert math.isnan(match("Ann", "it").recall)
    assert math.isnan(match("it", "Ann").precision)
    assert match("it", "Ann").recall == 0
    assert math.isnan(best_match("Ann", ()).recall)
    assert best_match("Ann", ("it", "Ann")).recall == 1


def test_the_key_with_the_best_recall_decides_then_the_best_precision() -> None:
    """Answer: ann bob. "ann" 1 and 1/2, "ann bob" 1 and 1, "ann carl" 1/2 and 1/2."""
    found = best_match("Ann Bob", ("Ann Carl", "Ann", "Ann Bob"))
    assert (found.recall, found.precision) == (1, 1)


@given(answer=texts, key=texts)
def test_marks_are_shares_and_all_of_the_key_is_recall_1(answer: str, key: str) -> None:
    found = match(answer, key)
    assert all(math.isnan(x) or 0 <= x <= 1 for x in (found.recall, found.precision))
    assert math.isnan(found.recall) == (not content_words(key))
    if content_words(key):
        assert match(f"{answer} {key}", key).recall == 1


def test_aut_sent_takes_all_that_tie_and_nothing_where_nothing_matches() -> None:
    story = ("Ann ran.", "Bob sat.", "Ann and Bob slept.", "It rained.")
    assert answer_sentences(story, ("Ann",)) == {0, 2}
    assert answer_sentences(story, ("Ann Bob",)) == {2}
    assert answer_sentences(story, ("Bob", "Ann slept")) == {1, 2}
    assert answer_sentences(story, ("Carla",)) == answer_sentences(story, ("it",)) == frozenset()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("bob sat", 1),  # the sentence itself, whatever its case and marks
        ("Bob", 1),  # the first that holds it
        ("and Bob slept", 2),
        ("He said: Bob sat. It rained.", 1),  # the first that it holds
        ("sat Bob", None),
        ("", None),
        ("...", None),
    ],
)
def test_the_sentence_that_an_answer_was_taken_from(answer: str, expected: int | None) -> None:
    assert chosen_sentence(answer, ("Ann ran.", "Bob sat!", "Ann and Bob slept.", "It rained.")) == expected


def test_hum_sent_is_by_the_list_and_an_empty_list_scores_0() -> None:
    asked = Question("q", "Who ran?", ("Ann",), story=("Ann ran.", "She won."), accepted=(1,))
    assert [mark(asked, text).hum_sent for text in asked.story] == [0, 1]
    assert [mark(asked, text).aut_sent for text in asked.story] == [1, 0]
    nobody = Question("q", "Who ran?", ("Ann",), story=("Ann ran.",), accepted=())
    assert mark(nobody, "Ann ran.").hum_sent == 0
    assert math.isnan(mark(Question("q", "Who?", ("Ann",), story=("Ann ran.",)), "Ann").hum_sent)
    assert math.isnan(mark(Question("q", "Who?", ("Ann",)), "Ann").aut_sent)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("In the future, what might doctors use?", "what"),
        ("Whose dog is it?", "who"),
        ("Who's there?", "who"),
        ("How many clones?", "how"),
        ("Name the river.", "other"),
    ],
)
def test_the_question_word(text: str, word: str) -> None:
    assert question_word(text) == word


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. Hale met J. R. Ewing. They ate.", ("Mr. Hale met J. R. Ewing.", "They ate.")),
        ('"Go!" he said. "Now." She left.', ('"Go!" he said.', '"Now."', "She left.")),
        ("It came at 5 p.m. The B.C. Lions won $3.50.", ("It came at 5 p.m.", "The B.C. Lions won $3.50.")),
        ("A title\n\nA line\nthat goes on. Is it? Yes", ("A title", "A line that goes on.", "Is it?", "Yes")),
        ("It rose to no. 5 in Jan. 1999, e.g. there.", ("It rose to no. 5 in Jan. 1999, e.g. there.",)),
        ("So did I. He slept.", ("So did I.", "He slept.")),
        (" \n\n ", ()),
    ],
)
def test_sentences(text: str, expected: tuple[str, ...]) -> None:
    assert sentences(text) == expected


@given(st.lists(st.sampled_from(["Ann ran.", "Mr. B. sat!", '"Why?"', "\n\n", "no end", "5 p.m."]), max_size=8))
def test_cutting_a_text_loses_nothing(parts: list[str]) -> None:
    text = " ".join(parts)
    assert " ".join(sentences(text)).split() == text.split()
