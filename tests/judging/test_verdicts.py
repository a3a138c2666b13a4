"""What each judge says of an answer, from the tables of `verdicts.toml`; what judges refuse, and what they note."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.data.model import Collection, Question, Response, Run
from nescio.data.outcomes import CORRECT, INCORRECT
from nescio.data.policies import Policies, apply_policies
from nescio.errors import MismatchError
from nescio.judging import Grade, judge_runs, known
from nescio.judging._judge import AnswerToJudge
from nescio.judging.overlap import best_overlap
from nescio.judging.token_f1 import token_f1
from nescio.text import best_f1

VERDICTS = tomllib.loads((Path(__file__).parent / "verdicts.toml").read_text(encoding="utf-8"))
TABLES, GRADED = VERDICTS["table"], VERDICTS["graded"]
DATA = Path(__file__).parents[2].parent / "shared" / "data"


def gold_of(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def rows_of(table: dict[str, Any]) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """The answers of a table with their gold answers and verdicts; a gold answer that fits nothing changes none."""
    for right in (True, False):
        for row in table.get("right" if right else "wrong", ()):
            answer, gold = (row, table["gold"]) if isinstance(row, str) else row
            yield answer, gold_of(gold), right
            if table.get("both_ways"):
                yield gold, (answer,), right
            if "options" not in table:
                yield answer, ("no such thing", *gold_of(gold)), right


def right(judge: str, answer: str, gold: tuple[str, ...], options: tuple[str, ...] = ()) -> bool:
    (grade,) = known(judge).grade([AnswerToJudge("run", Question("q", "?", gold, options), answer)])
    assert grade.state in (CORRECT, INCORRECT)
    return grade.state == CORRECT


@pytest.mark.parametrize("table", TABLES, ids=[table["judge"] for table in TABLES])
def test_verdicts(table: dict[str, Any]) -> None:
    options = tuple(table.get("options", ()))
    others = [
        f"{answer!r} by {gold} should be {verdict}"
        for answer, gold, verdict in rows_of(table)
        if right(table["judge"], answer, gold, options) != verdict
    ]
    assert not others


# ---- graded credit ----


@pytest.mark.parametrize("row", GRADED["token_f1"])
def test_token_f1_by_hand(row: tuple[str, str, str]) -> None:
    answer, gold, expected = row
    assert best_f1(answer, [gold]) == pytest.approx(float(Fraction(expected)), abs=1e-15)
    assert best_f1(gold, [answer]) == pytest.approx(float(Fraction(expected)), abs=1e-15)


def test_the_best_gold_answer_counts_and_an_emptied_one_beside_others_does_not() -> None:
    assert best_f1("New York City", ["Boston", "New York", "New York City in June"]) == pytest.approx(0.8)
    assert best_f1("?", [".", "cat"]) == 0.0


def test_the_threshold_of_token_f1_and_its_credit() -> None:
    question = Question("q", "?", ("Library of Congress",))
    grade = token_f1(question, "the Library Congress")
    assert (grade.state, grade.scores) == (CORRECT, {"token_f1.f1": pytest.approx(0.8)})
    assert token_f1(question, "the Library Congress", threshold=0.81).state == INCORRECT
    assert token_f1(Question("q", "?"), "x") == Grade(INCORRECT, {"token_f1.f1": 0.0})


@pytest.mark.parametrize("row", GRADED["overlap"])
def test_overlap_by_hand(row: tuple[str, list[str], str, str]) -> None:
    answer, keys, *shares = row
    recall, precision = map(Fraction, shares)
    f = 2 * recall * precision / (recall + precision) if recall else Fraction(0)
    assert best_overlap(answer, tuple(keys)) == pytest.approx((float(recall), float(precision), float(f)))


def test_silence_earns_nothing_and_everything_where_there_is_no_answer() -> None:
    questions = (
        Question("q1", "?", ("a cat",)),
        Question("q2", "?", (), answerable=False),
        Question("q3", "?", ("dog",)),
    )
    silent = (Response("q1", "cat flap", True), Response("q2", None, False), Response("q3", "dog", False))
    loud = (Response("q1", None, False), Response("q2", "dog", True))
    outcomes, _ = judge_runs(Collection("c", questions), [Run("a", silent), Run("b", loud)], "token_f1(0.7)")
    first, second = outcomes.extra_columns["token_f1.f1"].tolist()
    assert first == [pytest.approx(2 / 3), 1.0, 0.0]
    assert second == [0.0, 0.0, 0.0]  # the last is absent: what it earns where --missing counts it as silence


@pytest.mark.skipif(not (DATA / "squad2").is_dir(), reason="the shared data are not beside the checkout")
def test_token_f1_gives_the_official_figures_of_every_question() -> None:
    import duckdb

    folder = DATA / "squad2"
    path = str(folder / "expected_per_question.parquet")
    rows = duckdb.execute("SELECT run, question, f1 FROM read_parquet(?)", [path]).fetchall()
    expected = {(run, question): f1 for run, question, f1 in rows}
    articles = json.loads((folder / "dev-half.json").read_text())["data"]
    asked = [question for article in articles for part in article["paragraphs"] for question in part["qas"]]
    for run in ("bert_single_google", "nstats_bert"):
        predictions = json.loads((folder / f"pred_{run}.json").read_text())
        for question in asked:
            gold = [answer["text"] for answer in question["answers"]] or [""]
            assert best_f1(predictions[question["id"]], gold) == expected[run, question["id"]]


def blocks(path: Path) -> list[dict[str, str]]:
    """The blocks of `Name: value` lines of a file."""
    texts = re.split(r"\n\s*\n", path.read_text(encoding="latin-1"))
    found = [dict(re.findall(r"^(\w+):[ \t]*(.*?)[ \t]*$", text, re.M)) for text in texts]
    return [block for block in found if block]


@pytest.mark.skipif(not (DATA / "cbc4kids").is_dir(), reason="the shared data are not beside the checkout")
def test_overlap_reproduces_the_course_scorer() -> None:
    """Recall .4835 (243.70 of 504), precision .3569 (148.48 of 416), F .4107: formulas 7.3 of the specification."""
    keyed = blocks(DATA / "cbc4kids" / "developset" / "expected.answers")
    answered = blocks(DATA / "cbc4kids" / "student-run.response")
    questions = [Question(b["QuestionID"], b["Question"], tuple(map(str.strip, b["Answer"].split("|")))) for b in keyed]
    responses = [Response(b["QuestionID"], b["Answer"] or None, bool(b["Answer"])) for b in answered]
    outcomes, _ = judge_runs(Collection("cbc", tuple(questions)), [Run("student", tuple(responses))], "overlap")
    evidence, _ = apply_policies(outcomes, Policies())
    scores = nescio.score(evidence, ["mean(overlap.recall)", "mean(overlap.precision)"], ci=None)
    recall, precision = (row.value for row in scores)
    assert [row.n for row in scores] == [504, 416]
    assert (round(recall * 504, 2), round(precision * 416, 2)) == (243.70, 148.48)
    assert (round(recall, 4), round(precision, 4)) == (0.4835, 0.3569)
    assert round(2 * recall * precision / (recall + precision), 4) == 0.4107


# ---- what is refused, and what is noted ----


@pytest.mark.parametrize(
    ("judge", "gold", "options", "message"),
    [
        (
            "choice",
            ("A", "Paris"),
            ("Rome", "Oslo"),
            ": the gold answer names none of its options (found ['A', 'Paris'])",
        ),
        ("choice", ("2",), ("Rome", "Oslo"), ": the gold answer names none of its options (found ['2'])"),
        ("choice", ("x",), (), " has no options, so the judge `choice` cannot judge an answer to it; use `exact`"),
        (
            "numeric",
            ("a few", "Paris"),
            (),
            ": no gold answer holds a number, so the judge `numeric` cannot judge an answer to it "
            "(found ['a few', 'Paris'])",
        ),
    ],
)
def test_questions_that_a_judge_cannot_judge_are_refused(
    judge: str, gold: tuple[str, ...], options: tuple[str, ...], message: str
) -> None:
    with pytest.raises(MismatchError) as caught:
        right(judge, "A", gold, options)
    assert str(caught.value) == f"question 'q'{message}"


def test_choices_that_count_from_one_are_refused() -> None:
    """Five options, of which the third is right: 3 would be the fourth, and 5 none."""
    five = tuple(f"the {word} harbour" for word in ("old", "new", "red", "blue", "last"))
    questions = tuple(Question(f"q{i}", "?", (five[2],), five) for i in range(6))

    def judged(*answers: str) -> list[int]:
        run = Run("r", tuple(Response(f"q{i}", text, answered=True) for i, text in enumerate(answers)))
        return judge_runs(Collection("c", questions), [run], "choice")[0].state[0].tolist()

    with pytest.raises(MismatchError, match=r"count from 1 \(1 of 6 equal the number of options, none is 0\)"):
        judged("3", "3", "5", "1", "2", "3")
    assert judged("2", "2", "0", "1", "2", "4") == [1, 1, 0, 0, 1, 0]
    assert judged("C", "C", "A", "E", "C", "C") == [1, 1, 0, 0, 1, 1]


def test_gold_answers_that_are_no_patterns_are_noted_with_the_first() -> None:
    questions = (Question("q1", "?", ("Bill Pullman", "(Bill Pullman", "a)")), Question("q2", "?", ("x|y",)))
    runs = [Run("r", (Response("q1", "(Bill Pullman", True), Response("q2", "z", True)))]
    outcomes, (note,) = judge_runs(Collection("c", questions), runs, "pattern")
    assert outcomes.state.tolist() == [[CORRECT, INCORRECT]]
    assert (note.code, note["answers"], note["question"]) == ("pattern.taken_literally", 2, "q1")
    assert note["text"] == "(Bill Pullman"
    assert "2 gold answers are not valid RE2 patterns and are searched for literally (first: " in str(note)
    assert not judge_runs(Collection("c", questions[1:]), [Run("r", (Response("q2", "z", True),))], "pattern")[1]


@pytest.mark.skipif(not (DATA / "trecqa").is_dir(), reason="the shared data are not beside the checkout")
def test_the_patterns_of_trec_are_read() -> None:
    gold: dict[str, list[str]] = {}
    for name in ("answer_trec8-12.pattern", "answer_trec13factpats.txt"):
        for line in (DATA / "trecqa" / name).read_text(encoding="latin-1").splitlines():
            number, text = line.split(" ", 1)
            gold.setdefault(f"{name} {number}", []).append(text)
    assert sum(map(len, gold.values())) == 5_160
    assert not any(right("pattern", "\N{SNOWMAN}", tuple(texts)) for texts in list(gold.values())[::25])
    first = tuple(gold["answer_trec8-12.pattern 1"])
    assert right("pattern", "Hugo Young", first)  # the author of "The Iron Lady"
    assert not right("pattern", "Margaret Thatcher", first)
