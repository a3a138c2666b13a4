"""Token F1: worked examples, the official script's conventions, and its figures on real predictions."""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nescio.data.model import Collection, Question, Response, Run
from nescio.data.outcomes import CORRECT, INCORRECT
from nescio.judging import Grade, judge_runs, known
from nescio.judging.token_f1 import best_f1, token_f1
from nescio.text import normalise

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "squad2"


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        ("Library of Congress", "the Library Congress", 0.8),  # 2 of 3 and 2 of 2 words: 2·(2/3)/(5/3)
        ("the Beatles", "Beatles!", 1.0),
        ("a b c d", "c d e f", 4 / 7),  # "a" is an article: 2 of 3 and 2 of 4 words
        ("b b b", "b", 0.5),  # a multiset: 1 of 3 and 1 of 1
        ("b", "b b b", 0.5),
        ("x y", "z", 0.0),
        ("The", "cat", 0.0),
    ],
)
def test_by_hand(answer: str, gold: str, expected: float) -> None:
    assert best_f1(answer, [gold]) == pytest.approx(expected, abs=1e-15)
    assert best_f1(gold, [answer]) == pytest.approx(expected, abs=1e-15)


def test_the_best_of_several_gold_answers_counts() -> None:
    assert best_f1("New York City", ["Boston", "New York", "New York City in June"]) == pytest.approx(0.8)


def test_what_normalisation_empties() -> None:
    assert best_f1("?", ["."]) == 1.0  # evaluate-v2.0.py: both empty
    assert best_f1("?", [".", "cat"]) == 0.0  # a gold answer that is emptied does not count beside others
    assert best_f1("cat", ["."]) == 0.0


def test_the_threshold_and_the_graded_credit() -> None:
    question = Question("q", "?", ("Library of Congress",))
    grade = token_f1(question, "the Library Congress")
    assert grade.state == CORRECT
    assert grade.scores == {"token_f1.f1": pytest.approx(0.8)}
    assert token_f1(question, "the Library Congress", threshold=0.81).state == INCORRECT
    assert token_f1(Question("q", "?"), "x") == Grade(INCORRECT, {"token_f1.f1": 0.0})


def test_silence_earns_nothing_and_where_there_is_no_answer_everything() -> None:
    questions = (
        Question("q1", "?", ("a cat",)),
        Question("q2", "?", (), answerable=False),
        Question("q3", "?", ("dog",)),
    )
    said = [Response("q1", "cat flap", True), Response("q2", None, False), Response("q3", "dog", False)]
    loud = [Response("q1", None, False), Response("q2", "dog", True)]
    found, _ = judge_runs(Collection("c", questions), [Run("a", tuple(said)), Run("b", tuple(loud))], "token_f1(0.7)")
    (left, right) = found.extra_columns["token_f1.f1"].tolist()
    assert left == [pytest.approx(2 / 3), 1.0, 0.0]
    assert right == [0.0, 0.0, 0.0]  # the last is not there: what it earns where --missing counts it as silence
    assert str(known("token_f1(0.7)").record) == "token_f1(threshold=0.7)"


@given(st.text(alphabet=st.sampled_from("aAtThe nN.'-–_ \t\n\u00a0\u2028\x1f\x00éß1²")))
def test_normalising_word_by_word_is_normalising_the_whole(text: str) -> None:
    bare = "".join(c for c in text.lower() if c not in set(string.punctuation))
    assert normalise(text) == " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split())


words = st.lists(st.sampled_from(["cat", "dog", "owl", "the"]), max_size=5).map(" ".join)


@given(words, words)
def test_the_definition_spelled_out(answer: str, gold: str) -> None:
    said, true = (normalise(text).split() for text in (answer, gold))
    common = sum((Counter(said) & Counter(true)).values())
    expected = float(said == true) if not said or not true else 2 * common / (len(said) + len(true))
    assert best_f1(answer, [gold]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.skipif(not DATA.is_dir(), reason="the shared data are not beside the checkout")
def test_the_official_figures_of_every_question() -> None:
    import duckdb

    path = str(DATA / "expected_per_question.parquet")
    rows = duckdb.execute("SELECT run, question, f1 FROM read_parquet(?)", [path]).fetchall()
    expected = {(run, question): f1 for run, question, f1 in rows}
    articles = json.loads((DATA / "dev-half.json").read_text())["data"]
    asked = [question for article in articles for part in article["paragraphs"] for question in part["qas"]]
    for run in ("bert_single_google", "nstats_bert"):
        predictions = json.loads((DATA / f"pred_{run}.json").read_text())
        for question in asked:
            gold = [answer["text"] for answer in question["answers"]] or [""]
            assert best_f1(predictions[question["id"]], gold) == expected[run, question["id"]]
