"""SQuAD 2.0: gold, predictions and no-answer odds, scored as evaluate-v2.0.py scores them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from nescio.errors import FormatError, MismatchError, UsageError
from nescio.formats.benchmarks.squad2.official import official

from .encodings import evidence, read, refusal
from .fuzz import assert_damage_is_met, evidence_and_notes, write_files

DATA = Path(__file__).parents[3] / "shared" / "data" / "squad2"
real = pytest.mark.skipif(not DATA.exists(), reason="the SQuAD 2.0 files are not beside the checkout")


def gold_question(name: Any, *answers: str) -> dict[str, Any]:
    """A question of the gold."""
    return {"id": name, "question": f"{name}?", "answers": [{"text": text} for text in answers], "is_impossible": False}


def gold_of(*questions: Any) -> dict[str, Any]:
    """A gold document: the first question in one paragraph, the others in a second."""
    inside = [{"qas": [questions[0]], "context": "c"}, {"qas": list(questions[1:]), "context": "d"}]
    return {"version": "v2.0", "data": [{"title": "T", "paragraphs": inside}]}


GOLD = gold_of(
    gold_question("q1", "Library of Congress", "the LoC"),
    gold_question("q2"),
    gold_question("q3", "Oslo"),
    gold_question("q4"),
)
MINE = {"q1": "the Library Congress", "q2": "", "q3": "", "q4": "Rome"}


def files(folder: Path, **documents: Any) -> list[Path]:
    """A JSON file each."""
    return write_files(folder, {f"{name}.json": json.dumps(document) for name, document in documents.items()})


def test_what_files_hold(tmp_path: Path) -> None:
    """F1 of "Library of Congress" and "the Library Congress" is .8 (2 words of 3 and of 2): formulas 8.1."""
    paths = files(tmp_path, dev=GOLD, pred_mine=MINE)
    found, notes = evidence_and_notes(paths)
    assert found.runs == ("mine",)
    assert found.questions == ("q1", "q2", "q3", "q4")
    assert_array_equal(found.columns["squad.exact"], [[0, 1, 0, 0]])
    assert_array_equal(found.columns["squad.f1"], [[0.8, 1, 0, 0]])
    assert_array_equal(found.columns["correct"], [[0, 1, 0, 0]])
    assert_array_equal(found.columns["unanswered"], [[0, 0, 1, 0]])
    assert_array_equal(found.columns["answered"], [[1, 0, 0, 1]])
    assert list(found.strata["article"]) == ["T"] * 4
    assert list(found.strata["paragraph"]) == ["T 0", "T 1", "T 1", "T 1"]
    assert read(paths).measures[:2] == ("squad.EM", "squad.F1")
    assert notes == ("2 of 4 questions have no answer: abstaining is correct there, and answering is incorrect",)


def test_texts_that_normalisation_empties(tmp_path: Path) -> None:
    """The script: an answer "The" is no answer, and a prediction "the" equals the empty one; nescio's outcome stands
    apart."""
    gold = gold_of(gold_question("q1", "The", "Oslo"), gold_question("q2", "A"), gold_question("q3"))
    found = evidence(files(tmp_path, dev=gold, mine={"q1": "an", "q2": "the", "q3": "the"}))
    assert_array_equal(found.columns["squad.exact"], [[0, 1, 1]])
    assert_array_equal(found.columns["squad.f1"], [[0, 1, 1]])
    assert_array_equal(found.columns["incorrect"], [[1, 1, 1]])


def test_the_figures_of_the_script(tmp_path: Path) -> None:
    """By hand: from silence everywhere (2 of 4 right, q2 and q4), answering in the order of the odds q1, q3, q4, q2
    adds 1 for a right answer and takes 1 for an answer where there is none: 3, 3, 2, 2 of 4 at best. Answering q1
    alone is the best, and the threshold is its odds, -2."""
    gold = gold_of(gold_question("q1", "Ann"), gold_question("q2"), gold_question("q3", "Oslo"), gold_question("q4"))
    predictions = {"q1": "Ann", "q2": "", "q3": "Rome", "q4": "Rome"}
    odds = {"q4": 0.5, "q3": -1, "q2": 3, "q1": -2.0}
    paths = files(tmp_path, dev=gold, mine=predictions, null_odds=odds)
    assert official(*paths) == {
        "exact": 50.0,
        "f1": 50.0,
        "total": 4,
        "HasAns_exact": 50.0,
        "HasAns_f1": 50.0,
        "HasAns_total": 2,
        "NoAns_exact": 50.0,
        "NoAns_f1": 50.0,
        "NoAns_total": 2,
        "best_exact": 75.0,
        "best_exact_thresh": -2.0,
        "best_f1": 75.0,
        "best_f1_thresh": -2.0,
    }


def test_ties_of_the_odds_are_taken_one_by_one(tmp_path: Path) -> None:
    """All odds tied: the script still "finds" the question that comes first, which no threshold could part from the
    other."""
    gold = gold_of(gold_question("q1", "Ann"), gold_question("q2"), gold_question("q3"))
    predictions = {"q1": "Ann", "q2": "Rome", "q3": "Rome"}
    for order, best in ((("q1", "q2", "q3"), 100.0), (("q2", "q3", "q1"), 200 / 3)):
        paths = files(tmp_path, dev=gold, mine=predictions, null_odds=dict.fromkeys(order, 1.0))
        assert official(*paths)["best_exact"] == pytest.approx(best)


def test_a_missing_prediction_shrinks_the_scripts_denominator_and_is_an_error_here(tmp_path: Path) -> None:
    paths = files(tmp_path, dev=GOLD, mine={name: text for name, text in MINE.items() if name != "q4"})
    assert official(*paths)["total"] == 3
    assert "run 'mine' lacks 1 of 4 questions (first: 'q4')" in str(refusal(paths, MismatchError))
    found = evidence(paths, missing="unanswered")
    assert_array_equal(found.columns["squad.exact"], [[0, 1, 0, 1]])  # silence is right on q4
    assert_array_equal(found.columns["correct"], [[0, 1, 0, 1]])


def test_confidence_is_of_the_answer_given(tmp_path: Path) -> None:
    paths = files(tmp_path, dev=GOLD, mine=MINE, null_odds={"q1": -3.5, "q2": 1, "q3": 0, "q4": 2})
    found, notes = evidence_and_notes(paths)
    assert_array_equal(found.columns["confidence"], [[3.5, np.nan, np.nan, -2]])
    assert "run 'mine': the confidence of an answer is minus the odds" in notes[0]
    assert notes[1].startswith("run 'mine': best_exact 50.00000 (threshold 0)")
    paths = files(tmp_path, dev=GOLD, mine=MINE, null_odds={"q1": 0.25, "q2": 1, "q3": 0, "q4": 0.5})
    found, notes = evidence_and_notes(paths)
    assert_array_equal(found.columns["confidence"], [[0.75, np.nan, np.nan, 0.5]])
    assert "1 - the probability" in notes[0]


def test_odds_belong_to_the_run_of_their_name(tmp_path: Path) -> None:
    odds = {"q1": -3.5, "q2": 1, "q3": 0, "q4": 2}
    paths = files(tmp_path, dev=GOLD, pred_a=MINE, pred_b=MINE, na_odds_b=odds)
    found = evidence(paths)
    assert found.runs == ("a", "b")
    assert np.isnan(found.columns["confidence"][0]).all()
    assert_array_equal(found.columns["confidence"][1], [3.5, np.nan, np.nan, -2])
    other = files(tmp_path, other=odds)
    assert "give --choose odds=RUN; runs are a, b" in str(refusal([*paths[:3], *other], MismatchError))
    assert_array_equal(evidence([*paths[:3], *other], choose={"odds": "a"}).columns["confidence"][0, 0], 3.5)
    refusal([*paths[:3], *other], UsageError, choose={"odds": "c"})
    twice = files(tmp_path, na_prob_b=odds)
    assert "are both no-answer odds of run 'b'" in str(refusal([*paths, *twice], MismatchError))


def test_folders_tell_runs_and_their_odds_apart(tmp_path: Path) -> None:
    odds = {"q1": -3.5, "q2": 1, "q3": 0, "q4": 2}
    inside = {"one/predictions": MINE, "two/predictions": MINE, "two/null_odds": odds}
    found = evidence(files(tmp_path, dev=GOLD, **inside))
    assert found.runs == ("one", "two")
    assert found.columns["confidence"][1, 0] == 3.5


def test_predictions_for_other_questions_are_counted(tmp_path: Path) -> None:
    _, notes = evidence_and_notes(files(tmp_path, dev=GOLD, mine={**MINE, "q9": "x", "q2": None}))
    assert "run 'mine': 1 prediction is for questions that the gold does not hold: left out" in notes
    assert "run 'mine': 1 predictions are null, read as empty" in notes


def test_words_that_mean_i_do_not_know(tmp_path: Path) -> None:
    paths = files(tmp_path, dev=GOLD, mine={**MINE, "q4": "No answer."})
    found, notes = evidence_and_notes(paths, declined_pattern=(r"no answer\.?",))
    assert_array_equal(found.columns["squad.exact"], [[0, 1, 0, 1]])
    assert_array_equal(found.columns["correct"], [[0, 1, 0, 1]])
    assert any("1 answer counted as unanswered ('No answer.' 1×)" in note for note in notes)


BROKEN_GOLD: dict[str, tuple[Any, str]] = {
    "paragraphs no list": ({"data": [{"paragraphs": {}}]}, "data[0]: expected an object with a list of paragraphs"),
    "qas missing": (
        {"data": [{"paragraphs": [{}]}]},
        "data[0].paragraphs[0]: expected an object with a list of qas",
    ),
    "a question a text": (gold_of("q1"), "data[0].paragraphs[0].qas[0]: a question must be an object (found 'q1')"),
    "no id": (gold_of(gold_question(None)), "data[0].paragraphs[0].qas[0]: id must be a text or a whole number"),
    "no answers": (gold_of({"id": "q1"}), "data[0].paragraphs[0].qas[0]: answers must be a list"),
    "an answer a text": (
        gold_of({"id": "q1", "answers": ["x"]}),
        "each answer must be an object with a text (found ['x'])",
    ),
    "question a number": (gold_of({"id": "q1", "question": 1}), "question must be a text (found 1)"),
    "twice": (
        gold_of(gold_question("q1"), gold_question("q1")),
        "paragraphs[1].qas[0]: the question appears twice (found 'q1')",
    ),
    "empty": ({"data": [{"paragraphs": []}]}, "there are no questions"),
}


@pytest.mark.parametrize("twin", BROKEN_GOLD)
def test_a_broken_gold(twin: str, tmp_path: Path) -> None:
    document, rule = BROKEN_GOLD[twin]
    paths = files(tmp_path, dev=document, mine=MINE)
    message = str(refusal(paths))
    assert message.startswith(str(paths[0])), message
    assert rule in message


def test_broken_predictions_and_odds(tmp_path: Path) -> None:
    gold, mine = files(tmp_path, dev=GOLD, mine=MINE)
    twice = write_files(tmp_path, {"twice.json": '{"q1": "a", "q1": "b"}'})[0]
    assert str(refusal([gold, twice])) == f"{twice}: a key appears twice in one object (found 'q1')"
    odd = write_files(tmp_path, {"odds.json": '{"q1": 1, "q2": NaN}'})[0]
    assert str(refusal([gold, mine, odd])) == f"{odd}, q2: a probability or odds must be a finite number (found nan)"
    other = files(tmp_path, other={"x1": "a"})[0]
    assert "predicts none of the questions" in str(refusal([gold, other], MismatchError))
    with pytest.raises(FormatError, match="this is not a file of SQuAD's gold"):
        official(mine, gold)


def test_files_that_belong_together(tmp_path: Path) -> None:
    gold, mine = files(tmp_path, dev=GOLD, mine=MINE)
    assert str(refusal(gold, MismatchError)) == f"{gold} is a SQuAD gold file; give the predictions of the runs with it"
    rule = "holds texts by name, as SQuAD's predictions do; give the gold file with it"
    assert str(refusal(mine, MismatchError)) == f"{mine} {rule}"
    assert "numbers by name" in str(refusal(files(tmp_path, odds={"q1": 0.5}), MismatchError))
    assert "are both gold files" in str(refusal([gold, files(tmp_path, more=GOLD)[0], mine], MismatchError))


def test_reports_of_figures_are_no_odds(tmp_path: Path) -> None:
    for document in ({"exact": 78.9, "f1": 81.8}, {"math": 0.4, "math:std": 0.1}, {"a": True}, {"a": 1}, {}):
        rule = "not in any format that nescio knows" if document else "this JSON document is empty"
        assert rule in str(refusal(files(tmp_path, report=document)))


@pytest.mark.fuzz("squad2")
@given(data=st.data())
def test_damage(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    sample = {"dev": GOLD, "pred_mine": MINE, "na_odds": {"q1": -3.5, "q2": 1, "q3": 0, "q4": 2}}
    texts = {f"{name}.json": json.dumps(document) for name, document in sample.items()}
    assert_damage_is_met(data, tmp_path_factory.getbasetemp(), texts, missing="unanswered")


@real
def test_the_output_of_the_script() -> None:
    """expected.json is what evaluate-v2.0.py printed for these files; every digit is the same."""
    expected = json.loads((DATA / "expected.json").read_text())
    for run, figures in expected.items():
        odds = DATA / "na_odds_nstats_bert.json" if "best_exact" in figures else None
        assert official(DATA / "dev-half.json", DATA / f"pred_{run}.json", odds) == figures


@real
def test_every_question_of_the_script() -> None:
    import pandas as pd

    expected = pd.read_parquet(DATA / "expected_per_question.parquet").pivot(
        index="run", columns="question", values="f1"
    )
    found = evidence([DATA / "dev-half.json", *sorted(DATA.glob("pred_*.json"))])
    theirs = expected.loc[list(found.runs), list(found.questions)].to_numpy()
    assert_array_equal(found.columns["squad.f1"], theirs)
    assert_array_equal(
        found.columns["squad.exact"] == 1, theirs == 1
    )  # F1 is 1 for the same words in another order, too
