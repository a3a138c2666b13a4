"""The judge that takes out what declines: silence, answers, what is undetermined, and holding it against people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import nescio
from nescio.data.model import Collection, Question, Response, Run
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT
from nescio.errors import FormatError
from nescio.judging import judge_runs, known
from nescio.judging.declined.judge import DeclinedThen
from nescio.judging.llm.client import Endpoint
from nescio.judging.llm.judge import LLM
from tests.judging.llm_server import Server

MIXED = "I have no information on the winner. The race was held in 1990."
SWEDISH = "Jag vet inte vem som skrev boken."
NAMES = "Garbo Bergman Swanson Dietrich Hepburn Crawford"
PLAIN = ("capital", ("Paris",), None), ("author", ("unknown",), None), ("winner", ("Ann",), None), ("nobody", (), False)


def judged(answers: Sequence[str], name: str = "declined") -> tuple[list[int], list[str]]:
    questions = tuple(Question(id, id, gold, answerable=answerable) for id, gold, answerable in PLAIN)
    responses = tuple(Response(q.id, text, True) for q, text in zip(questions, answers, strict=True))
    outcomes, notes = judge_runs(Collection("c", questions), [Run("run", responses)], name)
    return outcomes.state[0].tolist(), [note.code for note in notes]


@pytest.mark.parametrize(
    ("name", "answers", "states", "codes"),
    [
        (
            "declined",
            ["Paris", "Ann", "I don't know.", "Berlin"],
            [CORRECT, INCORRECT, SILENT, INCORRECT],
            ["declined.counted"],
        ),
        # silence in words is heard on a question without an answer, too; and `unknown` is the right answer to another
        (
            "declined",
            ["Paris", "Unknown", "Ann", "There is no information about this."],
            [CORRECT, CORRECT, CORRECT, SILENT],
            ["declined.counted"],
        ),
        (
            "declined",
            ["Paris", "Homer", MIXED, MIXED],
            [CORRECT, INCORRECT, NOT_GRADED, NOT_GRADED],
            ["declined.undetermined"],
        ),
        # a language whose words nobody listed; one list of names is no other language
        (
            "declined",
            ["Paris", SWEDISH, SWEDISH, "Ann"],
            [CORRECT, *[NOT_GRADED] * 2, INCORRECT],
            ["declined.undetermined"],
        ),
        (
            "declined",
            ["Paris", "He was born in the south of France.", NAMES, "I don't know."],
            [CORRECT, INCORRECT, INCORRECT, SILENT],
            ["declined.counted"],
        ),
        (
            "declined(undetermined=answered)",
            ["Paris", "Homer", MIXED, MIXED],
            [CORRECT, INCORRECT, INCORRECT, INCORRECT],
            ["declined.undetermined"],
        ),
        (
            "declined(then=token_f1(threshold=0.4))",
            ["Paris, France", "Berlin", "Berlin", "Berlin"],
            [CORRECT, *[INCORRECT] * 3],
            [],
        ),
        (
            "declined(then=token_f1(threshold=0.9))",
            ["Paris, France", "Berlin", "Berlin", "Berlin"],
            [INCORRECT] * 4,
            [],
        ),
    ],
)
def test_what_declines_is_silence_and_what_answers_is_judged(
    name: str, answers: list[str], states: list[int], codes: list[str]
) -> None:
    assert judged(answers, name) == (states, codes)


def test_a_model_says_what_is_undetermined_and_the_judge_what_is_right(server: Server, tmp_path: Path) -> None:
    """The server grades by an answer's first word; `exact` says that none of what it takes for answers is right."""
    texts = [
        "right I cannot tell who won. The race was in 1990.",
        "nothing I found names him, I don't know. They ran in Rome.",
        "Ann",
    ]
    judge = DeclinedThen(known("exact"), "llm", LLM(Endpoint(server.url), "judge-1", tmp_path / "grades.sqlite"))
    questions = tuple(Question(str(i), "who?", ("Ann",)) for i in range(3))
    run = Run("run", tuple(Response(str(i), text, True) for i, text in enumerate(texts)))
    outcomes, notes = judge_runs(Collection("c", questions), [run], judge)
    assert server.calls == 2
    assert outcomes.state[0].tolist() == [INCORRECT, SILENT, CORRECT]
    assert judge.record.model == "judge-1"
    assert {"declined.undetermined", "llm.graded"} <= {note.code for note in notes}


def files(folder: Path, answers: Sequence[str], labels: Sequence[str]) -> tuple[list[Path], Path]:
    questions, run, people = folder / "questions.jsonl", folder / "run.jsonl", folder / "people.csv"
    rows = [{"id": str(i), "question": "who?", "answers": ["Ann"]} for i in range(len(answers))]
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run.write_text("".join(json.dumps({"id": str(i), "answer": text}) + "\n" for i, text in enumerate(answers)))
    people.write_text("question,verdict\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels)))
    return [questions, run], people


ANSWERS = ["I don't know"] * 4 + ["Ann", "Bob", "Ann", MIXED, "Bob", "No idea"]
# By hand: of 10 labels one is undetermined; of the other 9, people and judge agree on 3 declined and 5 answers.
LABELS = ["declined"] * 3 + ["answered"] * 4 + ["declined"] + ["answered", "declined"]


def test_people_need_only_say_what_is_an_answer(tmp_path: Path) -> None:
    """Table declined/answered: 4, 0 of people's declined (and one ungraded), 1, 4 of their answers: 8 of 9 agree,
    kappa = (8/9 - (4·5 + 5·4)/81) / (1 - 40/81) = 32/41."""
    sources, people = files(tmp_path, ANSWERS, LABELS)
    results = nescio.judge(sources, judge="declined", against=people).agreement(resamples=200)
    row = results.records()[0]
    assert (row["labels"], row["ungraded"], row["answers"]) == (10, 1, 9)
    assert row["agreement"] == pytest.approx(8 / 9)
    assert row["kappa"] == pytest.approx(32 / 41)
    assert (row["sensitivity"], row["specificity"]) == (pytest.approx(4 / 5), pytest.approx(4 / 5))
    assert set(results.tables) == set()
    assert "agreement.only_answered" in {note.code for note in results.notes}


def test_three_verdicts_give_both_tables(tmp_path: Path) -> None:
    words = {"d": "unanswered", "r": "correct", "w": "incorrect"}
    sources, people = files(tmp_path, ANSWERS, [words[letter] for letter in "dddwrwrdwd"])
    results = nescio.judge(sources, judge="declined", against=people).agreement(resamples=200)
    assert {"declined", "confusion", "corrected"} <= set(results.tables)
    assert results.records("declined")[0]["kappa"] == pytest.approx(32 / 41)
    # 9 answers of three kinds: 4 declined, 2 right, 2 wrong agree; people 4, 2, 3 and the judge 5, 2, 2.
    assert results.records()[0]["kappa"] == pytest.approx((8 / 9 - (4 * 5 + 2 * 2 + 3 * 2) / 81) / (1 - 30 / 81))


def test_a_certificate_of_what_answers(tmp_path: Path) -> None:
    sources, people = files(tmp_path, ANSWERS, LABELS)
    certificate = nescio.judge(sources, judge="declined", against=people).certificate(blind=True, resamples=200)
    assert certificate.categories == ("declined", "answered")
    assert {one.name: one.value for one in certificate.agreement}["kappa"] == pytest.approx(32 / 41)


def test_where_verdicts_are_outcomes_answered_is_none(tmp_path: Path) -> None:
    sources, people = files(tmp_path, ANSWERS, LABELS)
    with pytest.raises(FormatError, match="a verdict is correct, incorrect or unanswered"):
        nescio.judge(sources, judge="human", against=people)
    with pytest.raises(FormatError, match="a verdict is correct, incorrect or unanswered"):
        nescio.score(sources, labels=people)
