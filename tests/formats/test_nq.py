"""Open questions in the style of Natural Questions and KILT."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from nescio.errors import MismatchError, UsageError
from nescio.formats import Unjudged
from nescio.pipeline import Options, read

from .encodings import assert_refused, evidence, refusal
from .fuzz import assert_damage_is_met, evidence_and_notes, write_files

DATA = Path(__file__).parents[3] / "shared" / "data" / "nq301" / "runs_human.csv"
HEADER = "run,question_id,question,prediction,gold_answers,acceptable\n"
ROWS = """\
a,1,who wrote it,Ann,Ann Lee | A. Lee,Yes
a,2,where,Oslo,Oslo,No
a,3,when,,1880,
b,1,who wrote it,the A Lee,Ann Lee | A. Lee,
b,2,where,Rome,Oslo,No
b,3,when,in 1880,1880,Yes
"""


def table(folder: Path, rows: str = ROWS, header: str = HEADER, name: str = "nq.csv") -> Path:
    """A CSV file of these rows."""
    return write_files(folder, {name: header + rows})[0]


def lines(folder: Path, name: str, *rows: Any) -> Path:
    """A JSON Lines file of these objects."""
    return write_files(folder, {name: "".join(json.dumps(row) + "\n" for row in rows)})[0]


def test_a_table_of_runs(tmp_path: Path) -> None:
    found, notes = evidence_and_notes(table(tmp_path), judge="exact")
    assert (found.runs, found.questions, notes) == (("a", "b"), ("1", "2", "3"), ())
    assert_array_equal(found.columns["correct"], [[0, 1, 0], [1, 0, 0]])
    assert_array_equal(found.columns["unanswered"], [[0, 0, 1], [0, 0, 0]])


def test_the_verdicts_of_people(tmp_path: Path) -> None:
    found, notes = evidence_and_notes(table(tmp_path), choose={"judge": "human"}, ungraded="exclude")
    assert_array_equal(found.columns["correct"], [[1, 0, 0], [0, 0, 1]])
    assert_array_equal(found.present, [[True, True, True], [False, True, True]])
    assert_array_equal(found.columns["unanswered"][0], [0, 0, 1])
    assert "run 'b': 1 not judged by people (of 3)" in notes
    assert "run 'a': 1 empty (of 3)" in notes
    refusal(table(tmp_path), MismatchError, choose={"judge": "human"})
    refusal(table(tmp_path), UsageError, choose={"judge": "model"})
    bare = table(tmp_path, ROWS.replace("Yes", "").replace("No", ""))
    assert "holds no verdicts of people" in str(refusal(bare, UsageError, choose={"judge": "human"}))
    odd = table(tmp_path, ROWS.replace("Yes", "Perhaps"))
    assert_refused(odd, "line 2", "people's verdict must be yes or no", choose={"judge": "human"})
    kept = {"judge": "human"}
    taken = evidence(odd, choose=kept, outcome_map={"Perhaps": "correct"}, ungraded="exclude")
    assert_array_equal(taken.columns["correct"], [[1, 0, 0], [0, 0, 1]])


def test_json_lines_with_lists(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        "mine.jsonl",
        {
            "id": 7,
            "question": "who",
            "answers": ["Ann | Lee", "Bo"],
            "prediction": "bo",
            "confidence": 0.5,
            "topic": "x",
        },
        {"id": 8, "question": "where", "answers": ["Oslo"], "prediction": None, "confidence": None, "topic": "y"},
        {"id": 9, "question": "is it", "answers": [], "prediction": "Rome", "confidence": 0.25, "topic": "x"},
    )
    found, notes = evidence_and_notes(path)
    assert (found.runs, found.questions) == (("mine",), ("7", "8", "9"))
    assert_array_equal(found.columns["correct"], [[1, 0, 0]])
    assert_array_equal(found.columns["unanswered"], [[0, 1, 0]])
    assert_array_equal(found.columns["confidence"], [[0.5, np.nan, 0.25]])
    assert list(found.strata["topic"]) == ["x", "y", "x"]
    assert notes == ("1 of 3 questions has no answer: abstaining is correct there, and answering is incorrect",)


def test_a_list_of_predictions_is_ranked(tmp_path: Path) -> None:
    row = {"question": "who", "answers": ["Ann"], "prediction": ["Bo", "ann"]}
    other = {"question": "where", "answers": ["[Oslo]"], "prediction": []}
    found = evidence(lines(tmp_path, "mine.jsonl", row, other))
    assert_array_equal(found.columns["first_right"], [[2, 0]])
    assert_array_equal(found.columns["incorrect"], [[1, 0]])
    assert_array_equal(found.columns["unanswered"], [[0, 1]])


def test_questions_without_an_id_go_by_their_text(tmp_path: Path) -> None:
    header = "question,prediction,answer\n"
    one = table(tmp_path, "who,x,Ann\nwhere,Oslo,Oslo\nwho,Ann,Ann\n", header, "one.csv")
    other = table(tmp_path, "where,x,Oslo\nwho,Ann,Ann\nwho,x,Ann\n", header, "other.csv")
    found, notes = evidence_and_notes([one, other])
    assert found.questions == ("who", "where", "who (2)")
    assert_array_equal(found.columns["correct"], [[0, 1, 1], [1, 0, 0]])
    assert any("1 row repeats a question" in note for note in notes)


def test_ways_to_write_a_list_in_a_cell(tmp_path: Path) -> None:
    escape = "\"['\\d', 'Bo']\""  # of which Python warns
    for cell in ('"[""Ann"", ""Bo""]"', "\"['Ann', 'Bo']\"", "Ann | Bo", "Bo | ", escape):
        path = table(tmp_path, f"1,who,bo,{cell}\n", "id,question,prediction,answers\n")
        assert evidence(path).columns["correct"].sum() == 1


def test_whole_numbers_that_pandas_writes_with_zero_are_whole_again(tmp_path: Path) -> None:
    """An empty cell makes a column of whole numbers one of 2.0; by any judge these are the gold's 2."""
    frame = pd.DataFrame({"question": list("wxyz"), "answers": [1, 2, 3, 4], "prediction": [1, 2, None, 5]})
    frame.to_parquet(tmp_path / "mine.parquet")
    frame.to_csv(tmp_path / "mine.csv", index=False)
    turned = frame.rename(columns={"answers": "prediction", "prediction": "answers"})
    for judge in (None, "exact", "contains", "token_f1"):
        for source in (frame, tmp_path / "mine.parquet", tmp_path / "mine.csv"):
            assert_array_equal(evidence(source, judge=judge).columns["correct"], [[1, 1, 0, 0]])
        assert_array_equal(evidence(turned, judge=judge).columns["correct"], [[1, 1, 0, 0]])
    halves = frame.assign(prediction=[1.5, 2, None, 5])
    assert_array_equal(evidence(halves, judge="exact").columns["correct"], [[0, 0, 0, 0]])  # as they stand
    assert_array_equal(evidence(halves).columns["correct"], [[0, 1, 0, 0]])


def test_a_table_may_say_which_questions_have_an_answer(tmp_path: Path) -> None:
    """`has_answer` is about the question: it is no verdict, and does not say that an answer was given."""
    rows = "w,1,1,true\nx,Paris,,true\ny,,z,false\nz,Rome,no,true\n"
    found = evidence(table(tmp_path, rows, "question,gold,prediction,has_answer\n"))
    assert_array_equal(found.columns["correct"], [[1, 0, 0, 0]])
    assert_array_equal(found.columns["unanswered"], [[0, 1, 0, 0]])
    assert_array_equal(found.columns["answerable"], [[1, 1, 0, 1]])
    bare = evidence(table(tmp_path, "w,1,yes\nx,0,no\n", "question,correct,has_answer\n"))
    assert_array_equal(bare.columns["unanswered"], [[0, 0]])


def test_lists_of_a_table_with_types_stay_what_they_are(tmp_path: Path) -> None:
    """Words are words, and the text "1.50" is no number whose last digit says nothing."""
    gold = [["a, b", "c"], ["1.50"], ['it\'s "d"'], []]
    frame = pd.DataFrame({"question": list("wxyz"), "prediction": ["A B", "1.5", "its d", "e"], "answers": gold})
    frame.to_parquet(tmp_path / "mine.parquet")
    for source in (frame, tmp_path / "mine.parquet"):
        data = read([source], Options(judge="exact")).data
        assert isinstance(data, Unjudged)
        assert [list(question.answers) for question in data.collection.questions] == gold
        assert_array_equal(evidence(source, judge="exact").columns["correct"], [[1, 0, 1, 0]])
        assert_array_equal(evidence(source).columns["correct"], [[1, 1, 1, 0]])


def test_tables_with_predictions_are_no_other_format(tmp_path: Path) -> None:
    """`id` and `question`, or `id` and `answer`, alone would be nescio's own questions and runs."""
    row = {"id": 1, "question": "who", "answer": ["Ann"], "prediction": "ann"}
    assert_array_equal(evidence(lines(tmp_path, "mine.jsonl", row)).columns["correct"], [[1]])


KILT: list[dict[str, Any]] = [
    {"id": "k1", "input": "who", "output": [{"answer": "Ann"}, {"answer": "A. Lee", "provenance": []}], "meta": {}},
    {"id": "k2", "input": "where", "output": [{"answer": "Oslo"}, {"provenance": []}], "meta": {}},
    {"id": "k3", "input": "when", "output": [{"answer": "1880"}], "meta": {}},
]
GUESSES: list[dict[str, Any]] = [
    {"id": "k2", "output": [{"answer": "Rome", "provenance": []}, {"answer": "Oslo"}]},
    {"id": "k1", "output": [{"answer": "a lee"}]},
    {"id": "k3", "output": [{"answer": ""}]},
]


def test_kilt(tmp_path: Path) -> None:
    gold, mine = lines(tmp_path, "dev.jsonl", *KILT), lines(tmp_path, "mine.jsonl", *GUESSES, {"id": "x", "output": []})
    found, notes = evidence_and_notes([gold, mine])
    assert (found.runs, found.questions) == (("mine",), ("k1", "k2", "k3"))
    assert_array_equal(found.columns["correct"], [[1, 0, 0]])
    assert_array_equal(found.columns["unanswered"], [[0, 0, 1]])
    assert notes == ("run 'mine': 1 answer to questions that the gold does not hold: left out",)


def test_kilt_runs_that_repeat_the_input(tmp_path: Path) -> None:
    gold = lines(tmp_path, "dev.jsonl", *KILT)
    mine = lines(tmp_path, "mine.jsonl", *({**row, "input": "?"} for row in GUESSES))
    assert_array_equal(evidence([mine, gold]).columns["correct"], [[1, 0, 0]])
    bare = lines(tmp_path, "bare.jsonl", *({k: v for k, v in row.items() if k != "meta"} for row in KILT))
    assert "name it with --choose gold=STEM" in str(refusal([bare, mine], MismatchError))
    assert_array_equal(evidence([bare, mine], choose={"gold": "bare"}).columns["correct"], [[1, 0, 0]])


def test_kilt_files_that_do_not_belong_together(tmp_path: Path) -> None:
    gold, mine = lines(tmp_path, "dev.jsonl", *KILT), lines(tmp_path, "mine.jsonl", *GUESSES)
    assert "give the runs with it" in str(refusal(gold, MismatchError))
    assert "KILT runs need one gold file" in str(refusal(mine, MismatchError))
    assert "cannot be read together" in str(refusal([gold, mine, table(tmp_path)], MismatchError))
    other = lines(tmp_path, "other.jsonl", {"id": "x", "output": [{"answer": "y"}]})
    assert "answers none of the questions" in str(refusal([gold, other], MismatchError))


def test_each_run_is_judged_by_its_own_gold(tmp_path: Path) -> None:
    """A gold answer that differs by a character between two published files is no reason to refuse both."""
    one = table(tmp_path, "a,1,who wrote it,Zoë,Zoë,\na,2,where,Rome,Oslo,\n", name="one.csv")
    other = table(tmp_path, "b,1,who wrote it,ZoÃ«,ZoÃ«,\nb,2,where,Oslo,Oslo,\n", name="other.csv")
    found, notes = evidence_and_notes([one, other])
    assert_array_equal(found.columns["correct"], [[1, 0], [1, 1]])
    assert notes == (
        "1 of 2 questions has gold answers that differ between runs: each run is judged by its own (--choose "
        "gold=first takes "
        "the first for all); in '1', run 'b' has 'ZoÃ«' where 'a' has 'Zoë'",
    )
    found, notes = evidence_and_notes([one, other], choose={"gold": "first"})
    assert_array_equal(found.columns["correct"], [[1, 0], [0, 1]])
    assert "every run is judged by those read first; in '1'" in notes[0]
    refusal([one, other], UsageError, choose={"gold": "last"})


def test_the_same_answer_to_two_golds_is_judged_twice(tmp_path: Path) -> None:
    one = table(tmp_path, "a,1,who,Ann,Ann,\nb,1,who,Ann,Bob,\n")
    found, _ = evidence_and_notes(one)
    assert_array_equal(found.columns["correct"], [[1], [0]])


BROKEN: dict[str, tuple[str, str]] = {
    "no question": ("a,4,,x,y,", "the question is empty"),
    "no id": ("a,,q,x,y,", "the question_id is empty"),
    "twice": ("a,2,where,x,Oslo,", "question '2' of run 'a' appears twice; first on line 3"),
    "another question": ("c,2,why,x,Rome,", "question '2' is a different question from the one in"),
    "no gold": ("c,2,where,x,,", "question '2' has different gold answers from those in"),
}


@pytest.mark.parametrize("twin", BROKEN)
def test_a_broken_twin(twin: str, tmp_path: Path) -> None:
    row, rule = BROKEN[twin]
    assert_refused(table(tmp_path, f"{ROWS}{row}\n"), "line 8", rule, judge="exact")


def test_other_broken_twins(tmp_path: Path) -> None:
    header = "question,prediction,answers,confidence\n"
    assert_refused(
        table(tmp_path, "q,x,y,much\n", header), "line 2", "confidence must be a finite number (found 'much')"
    )
    one, other = table(tmp_path, name="one.csv"), table(tmp_path, name="other.csv")
    assert "run 'a' is in" in str(refusal([one, other], MismatchError))
    gold = lines(tmp_path, "dev.jsonl", *KILT)
    for row, rule in (
        ({"id": None, "output": []}, "id must be a text or a whole number"),
        ({"id": "k1", "output": "x"}, "output must be a list of objects (found 'x')"),
        ({"id": "k1", "output": [{"answer": 1}]}, "an answer must be a text or null (found [1])"),
        (GUESSES[0], "the question appears twice (found 'k2')"),
    ):
        assert_refused_line_2(gold, lines(tmp_path, "mine.jsonl", GUESSES[0], row), rule)


def assert_refused_line_2(gold: Path, mine: Path, rule: str) -> None:
    """Assert that the second line of a KILT run is refused by that rule."""
    assert str(refusal([gold, mine])) == f"{mine}, line 2: {rule}"


def test_a_text_that_looks_like_a_list_is_a_text(tmp_path: Path) -> None:
    rows = [
        {"question": "interval?", "prediction": "[1, 2]", "answers": ["[1, 2]"]},
        {"question": "year?", "prediction": ["1989", "1990"], "answers": "[1990]"},
        {"question": "who?", "prediction": ["", "Ann"], "answers": ["Ann"]},
    ]
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = evidence(path)
    assert list(found.columns["correct"][0]) == [1, 0, 0]
    assert list(found.columns["unanswered"][0]) == [0, 0, 1]


@pytest.mark.parametrize(
    ("cell", "rule"),
    [
        ("[{[1]: 2}]", "a list or an object cannot be a key"),
        ("[" * 50_000 + "]" * 50_000, "values are nested more than 200 levels deep"),
        ("[" + "-" * 9_000 + "1]", "values are nested more than 200 levels deep"),
    ],
    ids=["a list as a key", "100,000 brackets", "signs without end"],
)
def test_a_list_of_gold_answers_that_cannot_be_one(cell: str, rule: str, tmp_path: Path) -> None:
    path = table(tmp_path, f'q,x,"{cell}"\n', "question,prediction,answers\n")
    assert_refused(path, "line 2", f"this looks like a list but cannot be read: {rule}")


def test_an_empty_first_answer_of_kilt_is_silence(tmp_path: Path) -> None:
    gold, mine = tmp_path / "dev.jsonl", tmp_path / "mine.jsonl"
    gold.write_text(json.dumps({"id": "1", "input": "who?", "output": [{"provenance": []}, {"answer": "x"}]}) + "\n")
    mine.write_text(json.dumps({"id": "1", "output": [{"answer": ""}, {"answer": "x"}]}) + "\n")
    found = evidence([gold, mine])
    assert found.columns["unanswered"].sum() == 1


@pytest.mark.fuzz("nq")
@given(data=st.data())
def test_damage(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    kilt = {
        "dev.jsonl": "".join(json.dumps(row) + "\n" for row in KILT),
        "mine.jsonl": "".join(json.dumps(row) + "\n" for row in GUESSES),
    }
    sample, choose = data.draw(st.sampled_from([({"nq.csv": HEADER + ROWS}, {"judge": "human"}), (kilt, {})]))
    given_options = data.draw(st.sampled_from([{}, choose]))
    assert_damage_is_met(
        data, tmp_path_factory.getbasetemp(), sample, choose=given_options, missing="unanswered", ungraded="exclude"
    )


@pytest.mark.skipif(not DATA.exists(), reason="the judged open questions are not beside the checkout")
def test_the_real_table() -> None:
    """Counted anew with pandas: 1,836 answers accepted by people, 797 not, 76 not judged."""
    frame = pd.read_csv(DATA, keep_default_na=False)
    found = evidence(DATA, choose={"judge": "human"}, ungraded="exclude")
    assert found.columns["correct"].sum() == (frame.acceptable == "Yes").sum() == 1836
    assert found.columns["incorrect"].sum() == (frame.acceptable == "No").sum() == 797
    assert (~found.present).sum() == (frame.acceptable == "").sum() == 76
    judged = evidence(DATA, judge="exact")
    assert (judged.runs, judged.questions) == (found.runs, found.questions)
    assert len(judged.questions) == 301
