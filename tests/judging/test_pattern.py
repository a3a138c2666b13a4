"""Answer patterns: found anywhere in the answer, in time that no pattern can stretch."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import pytest

from nescio.data.model import Collection, Question, Response, Run
from nescio.data.outcomes import CORRECT, INCORRECT
from nescio.judging import judge_runs, known
from nescio.judging._judge import AnswerToJudge
from nescio.judging.pattern import pattern

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "trecqa"


def right(answer: str, *patterns: str, ignore_case: bool = True) -> bool:
    return pattern(Question("q", "?", patterns), answer, ignore_case)


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("about $ 469,000 in all", r"\$\s*469,000"),
        ("Mr. Young", "Young"),
        ("mr. young", "Young"),
        ("diesel\n\tmotors", r"diesel\s+motors?"),
        ("finish writing\nhis revelations", r"finish\w*\s+writing.*?revelations"),
        ("1978", "197(8|9)"),
    ],
)
def test_found(answer: str, gold: str) -> None:
    assert right(answer, gold)
    assert right(answer, "no such thing", gold)


@pytest.mark.parametrize(("answer", "gold"), [("1977", "197(8|9)"), ("You", "Young"), ("x", "^y"), ("\\", r"\d")])
def test_not_found(answer: str, gold: str) -> None:
    assert not right(answer, gold)


def test_case_matters_where_asked() -> None:
    assert right("young", "Young")
    assert not right("young", "Young", ignore_case=False)
    sensitive = known("pattern(ignore_case=false)")
    asked = [AnswerToJudge("r", Question("q", "?", ("Young",)), text) for text in ("Young", "young")]
    assert [grade.state for grade in sensitive.grade(asked)] == [CORRECT, INCORRECT]


def test_patterns_stay_apart() -> None:
    assert not right("b", r"\Qa", "c")  # what \Q quotes ends with its own pattern
    assert right("b", r"\Qa", "b")


def test_without_gold_nothing_is_right() -> None:
    assert not right("x")


def test_a_pattern_that_takes_other_engines_for_ever() -> None:
    start = perf_counter()
    assert not right("a" * 50_000 + "!", r"^(a+)+$", r"^(a|aa)+$", r"^(.*?,){20}P")
    assert perf_counter() - start < 5


@pytest.mark.parametrize("gold", ["(?=x)", r"(x)\1", "(", "a)(b", "x{9999}", "(Bill Pullman"])
def test_what_is_no_pattern_is_looked_for_as_it_stands(gold: str) -> None:
    assert right(f"I say {gold.upper()}!", "no such thing", gold)
    assert right(f"I say {gold.upper()}!", gold, ignore_case=False) == (gold == gold.upper())
    assert not right("I say y", gold)
    assert right("y", "y", gold)


def test_what_is_no_pattern_is_noted_with_the_first() -> None:
    questions = (Question("q1", "?", ("Bill Pullman", "(Bill Pullman", "a)")), Question("q2", "?", ("x|y",)))
    runs = [Run("r", (Response("q1", "(Bill Pullman", True), Response("q2", "z", True)))]
    outcomes, notes = judge_runs(Collection("c", questions), runs, "pattern")
    assert outcomes.state.tolist() == [[CORRECT, INCORRECT]]
    (one,) = notes
    assert one.code == "pattern.taken_literally"
    assert (one["answers"], one["question"], one["text"]) == (2, "q1", "(Bill Pullman")
    assert "2 gold answers are not valid RE2 patterns and are searched for literally (first: " in str(one)
    assert not judge_runs(Collection("c", questions[1:]), [Run("r", (Response("q2", "z", True),))], "pattern")[1]


@pytest.mark.skipif(not DATA.is_dir(), reason="the shared data are not beside the checkout")
def test_the_patterns_of_trec_are_read() -> None:
    gold: dict[str, list[str]] = {}
    for name in ("answer_trec8-12.pattern", "answer_trec13factpats.txt"):
        for line in (DATA / name).read_text(encoding="latin-1").splitlines():
            number, text = line.split(" ", 1)
            gold.setdefault(f"{name} {number}", []).append(text)
    assert sum(map(len, gold.values())) == 5_160
    chosen = {name: tuple(texts) for name, texts in list(gold.items())[::10]}
    assert not any(pattern(Question(name, "?", texts), "\N{SNOWMAN}") for name, texts in chosen.items())
    first = Question("1", "?", tuple(gold["answer_trec8-12.pattern 1"]))
    assert pattern(first, "Hugo Young")  # the author of "The Iron Lady"
    assert not pattern(first, "Margaret Thatcher")
