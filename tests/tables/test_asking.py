"""Tables in which two pieces of evidence differ, or some words are unknown, are asked about; whatever their size."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import nescio
from nescio.errors import TYPED, FormatError
from nescio.pipeline import Options
from nescio.pipeline.reading import read
from nescio.tables import large
from nescio.tables.asking import AskedError, ask_in_terminal
from tests.rings import together
from tests.tables.reading import counted, key

# By kind: the table, a part of the question, and counts (right, wrong, silent, ungraded) among those of the answers.
ASKED = {
    "letters and labels with them": (  # by hand: 1, 3 and 4 name the letter that is right
        "qid,gold,prediction\n1,B,b) Lyon\n2,A,Answer: C\n3,C,The answer is C.\n4,A,(A)\n",
        "the gold answers are letters, but the answers are longer",
        [(3, 1, 0, 0), (1, 3, 0, 0)],
    ),
    "answers of which none is right": (
        "qid,gold,prediction\n1,New York,York City\n2,Rio,Rio Grande\n3,Oslo,Bergen\n",
        "none of 3 answers is right",
        [(1, 2, 0, 0), (0, 3, 0, 0)],
    ),
    "a status that may speak of silence": (
        "qid,correct,response_status\n1,1,1\n2,0,0\n3,0,1\n",
        "which column says that the system abstained?",
        [(1, 1, 1, 0), (1, 2, 0, 0)],
    ),
    "a fault where nothing was answered": (
        "qid,is_hallucination,abstained\n1,0,0\n2,1,0\n3,0,1\n",
        "answer was declined and marked as right",
        [(1, 1, 1, 0), (2, 1, 0, 0)],
    ),
    "a wrong verdict where declining was right": (  # by the last two columns declining is right
        "qid,correct,abstained,unanswerable\n1,1,0,0\n2,0,0,0\n3,0,1,1\n",
        "declined and marked as wrong",
        [(2, 1, 0, 0), (1, 1, 1, 0), (1, 2, 0, 0)],
    ),
    "a verdict by a name of its own beside answers that nescio could judge": (
        "qid,gold,prediction,det_correct\n1,Oslo,Oslo,true\n2,Rio,in Rio,true\n3,Bonn,Kiel,false\n",
        "which column says whether an answer is right?",
        [(2, 1, 0, 0), (1, 2, 0, 0)],
    ),
    "a fault by a name of its own beside answers that nescio could judge": (
        "qid,gold,prediction,rule_found_incorrect\n1,Oslo,Oslo,no\n2,Rio,in Rio,no\n3,Bonn,Kiel,yes\n",
        "which column says whether an answer is right?",
        [(2, 1, 0, 0), (1, 2, 0, 0)],
    ),
    "a second verdict": (
        "qid,verdict,verdict_2\n1,correct,correct\n2,correct,wrong\n3,wrong,wrong\n",
        "which column says whether an answer is right?",
        [(2, 1, 0, 0), (1, 2, 0, 0)],
    ),
    "a verdict and what pandas calls a second one": (
        "qid,correct,correct.1\n1,1,1\n2,1,0\n3,0,0\n",
        "which column says whether an answer is right?",
        [(2, 1, 0, 0), (1, 2, 0, 0)],
    ),
    "points out of a maximum that is not always one": ("qid,score,max_score\n1,1,1\n2,1,2\n3,0,1\n", "maximum", []),
    "runs called as grades are": (
        "qid,grade,answer,gold\n1,A,x,x\n1,B,y,x\n2,A,y,y\n2,B,y,y\n",
        "appears twice",
        [(1, 1, 0, 0), (2, 0, 0, 0)],
    ),
    "percentages as grades": ("qid,score\n1,85%\n2,40%\n3,100%\n", "from which value of 'score'", [(2, 1, 0, 0)]),
    "a total that contradicts its rows": (
        "qid,correct\n1,1\n2,0\n3,0\n4,1\nTotal,3\n",
        "the file states Total.correct 3, but its answers give 2",
        [],
    ),
    "a mean that contradicts its rows": (
        "qid,verdict\n1,right\n2,wrong\n3,right\nMittel,90%\n",
        "the file states Mittel.verdict 90, but its answers give 2",
        [(2, 1, 0, 0)],
    ),
    "a sheet with a row a student": (  # Anna has two right answers of three, and Ben one
        "student,Q1,Q2,Q3\nAnna,1,1,0\nBen,0,0,1\n",
        "which columns distinguish the runs?",
        [(1, 2, 0, 0), (2, 1, 0, 0)],
    ),
    "a sheet of letters": ("student,Q1,Q2,Q3\nKEY,A,B,C\nAnna,A,C,C\nBen,B,B,C\n", "each row is one 'student'", []),
    "refusals in one of two columns that may hold the answers": (
        "qid,submission,response,correct\n1,v1,Paris,1\n2,v1,Not enough information.,0\n3,v1,Rome,0\n",
        "",
        [(1, 2, 0, 0), (1, 1, 1, 0)],
    ),
    "letters of grades of which one is an answer, too": (
        "qid,correct,judgment,response\n1,1,A,Paris\n2,0,B,C\n3,0,C,\n4,0,C,\n",
        "what do 'A', 'B', 'C' in 'judgment' mean?",
        [(1, 1, 2, 0), (1, 3, 0, 0)],
    ),
    "a word of a column about answering": (
        "qid,correct,answered\n1,1,yes\n2,0,no\n3,0,partially\n4,0,yes\n",
        "which of these words says that the system abstained: 'partially'",
        [(1, 1, 2, 0), (1, 2, 1, 0)],
    ),
    "a number in a column about refusing": (
        "qid,correct,refused\n1,1,0\n2,0,1\n3,0,-1\n4,0,0\n",
        "which of these words says that the system abstained: '-1'",
        [(1, 1, 2, 0), (1, 2, 1, 0)],
    ),
    "an error beside words for none": (  # the fourth call failed and the last one did; 2 and 5 are wrong
        "qid,correct,error\n1,1,None\n2,0,OK\n3,1,\n4,0,timeout\n5,0,-\n6,1,true\n",
        "do verdicts on answers with an error count, or are these answers failed calls without a grade?",
        [(2, 2, 0, 2), (3, 3, 0, 0)],
    ),
    "an error in an object called like a verdict": (
        "FrageID,EvaluationResult.Urteil,EvaluationResult.Fehlermeldung\n1,correct,\n2,wrong,\n3,wrong,HTTP 429\n",
        "do verdicts on answers with an error count, or are these answers failed calls without a grade?",
        [(1, 1, 0, 1), (1, 2, 0, 0)],
    ),
    "a status of a call that failed": (  # the first call failed, and the verdict on the third is wrong
        "qid,passed,finish_reason\n1,1,error\n2,1,stop\n3,0,length\n",
        "do verdicts on answers with an error count, or are these answers failed calls without a grade?",
        [(1, 1, 0, 1), (2, 1, 0, 0)],
    ),
    "a status in the words of verdicts that contradicts them": (
        "qid,passed,status\n1,1,failed\n2,1,success\n3,0,failed\n",
        "do verdicts on answers with an error count, or are these answers failed calls without a grade?",
        [(1, 0, 0, 2), (2, 1, 0, 0)],
    ),
    "a code of HTTP": (
        "qid,passed,http_status\n1,1,500\n2,1,200\n3,0,200\n",
        "do verdicts on answers with an error count, or are these answers failed calls without a grade?",
        [(1, 1, 0, 1), (2, 1, 0, 0)],
    ),
    "a code of HTTP as an error": (
        "qid,passed,error\n1,1,500\n2,1,\n3,0,0\n",
        "do verdicts on answers with an error count, or are these answers failed calls without a grade?",
        [(1, 1, 0, 1), (2, 1, 0, 0)],
    ),
    "a part of an object called error": (
        "qid,passed,error.type\n1,1,overloaded\n2,1,\n3,0,\n",
        "do verdicts on answers with an error count, or are these answers failed calls without a grade?",
        [(1, 1, 0, 1), (2, 1, 0, 0)],
    ),
    "a flag for a failed call": (
        "qid,passed,errored\n1,1,true\n2,1,false\n3,0,false\n",
        "do verdicts on answers with an error count, or are these answers failed calls without a grade?",
        [(1, 1, 0, 1), (2, 1, 0, 0)],
    ),
    "an object called error": (
        '[{"id": 1, "passed": true, "error": {"message": "500"}}, {"id": 2, "passed": true, "error": null}]',
        "do verdicts on answers with an error count, or are these answers failed calls without a grade?",
        [(1, 0, 0, 1), (2, 0, 0, 0)],
    ),
    "an answer that is marked as an error": (
        "qid,passed,output\n1,1,[ERROR] HTTP 500\n2,1,Paris\n3,0,Error bars\n",
        "do verdicts on answers with an error count, or are these answers failed calls without a grade?",
        [(1, 1, 0, 1), (2, 1, 0, 0)],
    ),
    "a word of a verdict beside a score": (
        "qid,is_correct,score\n1,yes,1\n2,no,0\n3,partial,1\n4,yes,1\n",
        "what does 'partial' in 'is_correct' mean?",
        [(2, 2, 0, 0), (3, 1, 0, 0), (2, 1, 1, 0)],
    ),
    "words beside numbers that know no silence": (
        "qid,label,score\n1,CORRECT,1\n2,NOT_ATTEMPTED,0\n3,INCORRECT,0\n",
        "which column says whether an answer is right?",
        [(1, 1, 1, 0), (1, 2, 0, 0)],
    ),
    "a word in the verdicts of several runs": (
        "qid,a_correct,b_correct\n1,yes,no\n2,no,zork\n3,yes,yes\n",
        "what does 'zork' in 'b_correct' mean?",
        [(2, 1, 0, 0), (1, 1, 1, 0)],
    ),
    "letters of graders": (
        "qid,gold,judgment\n1,Rome,R\n2,Oslo,W\n3,Bern,U\n4,Rom,R\n",
        "what do 'R', 'U', 'W' in 'judgment' mean?",
        [(2, 1, 1, 0), (2, 2, 0, 0)],
    ),
    "yes and no that may be right answers": ("qid,label\n1,yes\n2,no\n", "is 'label' a verdict", [(1, 1, 0, 0)]),
    "yes and no under a name for right answers": (
        "qid,correct_answer,prediction\n1,1,Rome\n2,0,Oslo\n3,1,Bern\n",
        "which column says whether an answer is right?",
        [(2, 1, 0, 0), (0, 3, 0, 0)],
    ),
    "two verdicts": (
        "model,qid,verdict,is_correct\na,1,correct,1\na,2,incorrect,1\na,3,incorrect,0\n",
        "which column says whether an answer is right?",
        [(1, 2, 0, 0), (2, 1, 0, 0)],
    ),
    "a column that may number steps": (
        "model,qid,epoch,correct\na,1,1,0\na,1,2,1\na,2,1,1\na,2,2,1\n",
        "appears twice",
        [(3, 1, 0, 0), (2, 0, 0, 0)],
    ),
    "a gold answer in the words of verdicts": (  # the task may be to judge: 2 of 3 agree, or 2 of 3 are correct
        "qid,gold,judgement\n1,correct,correct\n2,incorrect,incorrect\n3,incorrect,correct\n",
        "which column says whether an answer is right?",
        [(2, 1, 0, 0)],
    ),
    "rows with numbers and a question id that occurs twice": (  # by rows three answers each; by ids two
        "index,id,model,correct\n1,x,a,1\n2,x,b,0\n3,y,a,0\n4,y,b,1\n5,x,a,0\n6,x,b,0\n",
        "which column names the question?",
        [(1, 2, 0, 0), (1, 1, 0, 0)],
    ),
    "runs that are numbers": (
        "run,qid,correct\n1,a,1\n1,b,0\n2,a,1\n2,b,1\n",
        "which columns distinguish the runs?",
        [(1, 1, 0, 0), (2, 0, 0, 0), (3, 1, 0, 0)],
    ),
    "another judge's verdict": (
        "model,qid,judge_human,judge_gpt4\nm,1,1,0\nm,2,1,1\n",
        "which column says whether an answer is right?",
        [(2, 0, 0, 0), (1, 1, 0, 0)],
    ),
    "letters of graders beside a verdict": (
        "qid,is_correct,final_verdict\n1,1,A\n2,0,B\n3,0,C\n4,1,A\n",
        "what do 'A', 'B', 'C' in 'final_verdict' mean?",
        [(2, 2, 0, 0), (2, 1, 1, 0)],
    ),
    "attempts until one is right": (
        "model,qid,attempt,correct\na,1,1,0\na,1,2,1\na,2,1,1\na,3,1,0\na,3,2,0\n",
        "questions were asked again until an answer was right",
        [(2, 3, 0, 0), (2, 1, 0, 0), (1, 2, 0, 0)],
    ),
}

# By kind: rows, and the counts (right, wrong, silent, ungraded) of the runs.
READ: dict[str, tuple[list[dict[str, Any]], Any]] = {
    "a text in an object": (
        [{"id": i, "output": {"text": text, "tokens": 1}, "gold": "Rome"} for i, text in enumerate(("Rome", "Oslo"))],
        ((1, 1, 0, 0),),
    ),
    "a text in a list of messages": (
        [
            {"id": i, "choices": [{"message": {"content": t}}], "expected": "Rome"}
            for i, t in enumerate(("Rome", "Oslo"))
        ],
        ((1, 1, 0, 0),),
    ),
    "a flag beside the answers to a question": (  # the second system declined where there is no answer, which is right
        [
            {"id": 1, "answerable": 1, "answers": [{"model": m, "correct": 1, "abstained": 0} for m in "ab"]},
            {
                "id": 2,
                "answerable": 0,
                "answers": [{"model": m, "correct": m == "b", "abstained": m == "b"} for m in "ab"],
            },
        ],
        ((1, 1, 0, 0), (2, 0, 0, 0)),
    ),
    "percentages that are all or nothing": (
        [{"id": 1, "score": "100%"}, {"id": 2, "score": "0 %"}, {"id": 3, "score": None}],
        ((1, 1, 0, 1),),
    ),
    "points of a hundred": ([{"id": 1, "score": 100}, {"id": 2, "score": 0}], ((1, 1, 0, 0),)),
    "letters with signs": (
        [{"id": 1, "gold": "A", "prediction": "A."}, {"id": 2, "gold": "(b)", "prediction": "B"}],
        ((2, 0, 0, 0),),
    ),
    "runs called candidates": (
        [{"candidate": run, "id": 1, "correct": run == "a"} for run in "ab"],
        ((0, 1, 0, 0), (1, 0, 0, 0)),
    ),
    "points out of one": ([{"id": i, "score": i, "max_score": 1} for i in (0, 1)], ((1, 1, 0, 0),)),
    "runs with wrong answers side by side": (
        [{"id": 1, "a_wrong": 1, "b_wrong": 0}, {"id": 2, "a_wrong": 0, "b_wrong": 0}],
        ((1, 1, 0, 0), (2, 0, 0, 0)),
    ),
    "runs with verdicts and refusals side by side": (
        [
            {"id": 1, "a_correct": 0, "b_correct": 1, "a_refused": 1, "b_refused": 0},
            {"id": 2, "a_correct": 1, "b_correct": 0, "a_refused": 0, "b_refused": 0},
        ],
        ((1, 0, 1, 0), (1, 1, 0, 0)),
    ),
    "a status that says what the verdict does, codes that are fine, and errors that are none": (
        [
            {"id": 1, "passed": True, "status": "passed", "http_status": 200, "error": None},
            {"id": 2, "passed": False, "status": "failed", "http_status": 204, "error": {}},
        ],
        ((1, 1, 0, 0),),
    ),
}


@together("kind", [*READ])
def test_a_table_is_read_at_once(tmp_path: Path, kind: str) -> None:
    rows, counts = READ[kind]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert counted(path) == counts


def test_parts_of_an_object_may_be_runs_or_one_answer(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    rows = [
        {"id": i, "output": {"raw": "Rome", "final": said}, "gold": "Rome"} for i, said in enumerate(("Rome", "Oslo"))
    ]
    path.write_text(json.dumps(rows), encoding="utf-8")
    with pytest.raises(AskedError, match="which column holds the answers of the system") as asked:
        read([path], Options())
    found = [key(way.counts) for way in asked.value.executed]
    assert found == [((1, 1, 0, 0), (2, 0, 0, 0)), ((2, 0, 0, 0),), ((1, 1, 0, 0),)]


def test_grades_are_asked_about_from_each_grade_on(tmp_path: Path) -> None:
    path = tmp_path / "grades.csv"
    path.write_text("id,grade\n1,0\n2,0.25\n3,0.5\n4,1\n")
    with pytest.raises(AskedError, match="from which value of 'grade'") as asked:
        read([path], Options())
    found = {way.options["column"]["outcome"]: key(way.counts) for way in asked.value.executed}
    assert found["grade>=0.5"] == ((2, 2, 0, 0),)
    assert found["grade>=0.25"] == ((3, 1, 0, 0),)
    assert found["grade>=1"] == ((1, 3, 0, 0),)


def test_an_answer_names_the_rows_at_the_top_of_a_document(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    inner = [[{"id": j, "correct": i == j} for j in range(3)] for i in range(3)]
    rows = [{"id": i, "correct": i < 2, "attempts": own} for i, own in enumerate(inner)]
    path.write_text(json.dumps(rows), encoding="utf-8")
    with pytest.raises(AskedError) as asked:
        read([path], Options())
    top = next(way for way in asked.value.executed if key(way.counts) == ((2, 1, 0, 0),))
    assert top.options["column"]["outcome"] == "[].correct"
    assert counted(path, **top.options) == ((2, 1, 0, 0),)


def test_a_role_may_be_typed_in_place_of_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "grades.csv"
    path.write_text("id,grade\n1,0\n2,0.25\n3,0.5\n4,1\n")
    with pytest.raises(AskedError) as asked:
        read([path], Options())
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: "outcome=grade>=0.7")
    token = TYPED.set(("check", "grades.csv"))
    try:
        assert ask_in_terminal(asked.value) == {"column": {"outcome": "grade>=0.7"}}
    finally:
        TYPED.reset(token)


# By kind: a table, and the counts of its runs by the first answer to the question.
FIRST = {
    "two judges of a named run": ("model,qid,judge_a_correct,judge_b_correct\na,1,1,0\na,2,1,1\nb,1,0,0\nb,2,0,0\n", 2),
    "two judges of one run": ("qid,verdict_human,verdict_gpt4\n1,1,0\n2,1,1\n", 1),
    "runs beside a column that is the same in all rows": ("model,qid,x_correct,y_correct\na,1,1,0\na,2,1,1\n", 2),
    "a run of an unknown name beside empty answers": (
        "qid,zork,answer,score\n1,a,x,1\n1,b,,0\n2,a,y,0\n2,b,z,1\n",
        2,
    ),
    "verdicts of several runs beside a flag in other words": (
        "qid,result x,result y,reviewed\n1,right,wrong,true\n2,wrong,wrong,false\n",
        2,
    ),
    "a run whose name ends as a name for answers begins": (
        "qid,x_agent_response,x_agent_gpt_correct,y_response,y_gpt_correct\n1,a,1,b,0\n2,,0,c,1\n",
        2,
    ),
    "silence of several runs under a vague name": (
        "qid,x_correct,x_decision,y_correct,y_decision\n1,1,answer,0,abstain\n2,0,abstain,1,answer\n",
        2,
    ),
    "predictions of several runs": ("qid,label,x.answer,y.answer\n1,Rome,Rome,Oslo\n2,Oslo,Oslo,Oslo\n", 2),
    "numbers that tell rows apart": ("qid,model,zork,correct\n1,a,7,1\n1,a,8,0\n2,a,7,1\n2,a,8,1\n", 1),
    "words that tell rows apart": ("qid,model,zork,correct\n1,a,p,1\n1,a,q,0\n2,a,p,1\n2,a,q,1\n", 2),
}


@together("kind", [*FIRST])
def test_the_likeliest_answer_comes_first(tmp_path: Path, kind: str) -> None:
    text, runs = FIRST[kind]
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(AskedError) as asked:
        read([path], Options())
    assert len(asked.value.executed[0].counts) == runs


def test_a_list_of_failures_below_its_totals_is_no_file_of_a_tool(tmp_path: Path) -> None:
    path = tmp_path / "failures.jsonl"
    path.write_text(
        '{"accuracy": 0.6, "correct_count": 3, "total_count": 5}\n{"uid": 2, "correct": 0}\n{"uid": 4, "correct": 0}\n'
    )
    with pytest.raises(AskedError, match="what is missing") as asked:
        read([path], Options())
    assert key(asked.value.executed[0].counts) == ((3, 2, 0, 0),)


def test_the_sheets_of_a_workbook_are_asked_about_with_what_each_gives(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Notes"
    for line in (["who made this", "when"], ["a colleague", "in May"]):
        book.active.append(line)
    results = book.create_sheet("Results")
    for row in (["question", "correct"], [1, 1], [2, 0], [3, 1]):
        results.append(row)
    path = tmp_path / "answers.xlsx"
    book.save(path)
    with pytest.raises(AskedError, match="2 sheets have cells") as asked:
        read([path], Options())
    (way,) = asked.value.executed
    assert way.options == {"sheet": "Results"}
    assert key(way.counts) == ((2, 1, 0, 0),)
    assert counted(path, **way.options) == ((2, 1, 0, 0),)


@together("kind", [*ASKED])
def test_what_could_mean_two_things_is_asked(tmp_path: Path, kind: str) -> None:
    text, question, expected = ASKED[kind]
    path = tmp_path / ("t.json" if text.startswith("[") else "t.csv")
    path.write_text(text)
    with pytest.raises(AskedError) as asked:
        read([path], Options())
    assert question in asked.value.question
    given = [tuple(counts[1:]) for way in asked.value.executed for counts in way.counts]
    assert {*expected} <= {*given}
    assert all(counted(path, **way.options) == key(way.counts) for way in asked.value.executed)


def test_the_confidence_of_a_judge_is_not_that_of_the_system(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("qid,correct,judge_confidence\n1,1,0.9\n2,0,0.3\n")
    data = read([path], Options()).data
    assert "judge_confidence" not in str(nescio.score(path, "accuracy", ci=None).signature)
    assert str(data.confidence.tolist()) == "[[nan, nan]]"  # type: ignore[union-attr]


@together(
    "rows",
    [
        "1,1\n2,0\nTotal correct,1\n3,1\n4,1\nTotal correct,2\n",
        "Overall,0.75\n1,1\n2,0\n3,1\n4,1\n",
        "1,1\n2,0\n3,1\n4,1\nOverall accuracy,1\n",
        "1,1\n2,0\n3,1\n4,1\n合计,3\n",
        "1,1\n2,0\n3,1\n4,1\nAlles in allem,0.75\n",
    ],
)
def test_a_row_of_totals_is_left_out_wherever_it_is(tmp_path: Path, rows: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"qid,correct\n{rows}", encoding="utf-8")
    assert counted(path) == ((3, 1, 0, 0),)


def test_a_word_for_an_abstention_yields_to_the_reason_why_the_text_lacks(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [
        "correct,x,stop",
        "unanswered,,length",
        "unanswered,,stop",
        "unanswered,I pass,length",
        "unanswered,,safety",
    ]
    path.write_text("qid,verdict,answer,finish_reason\n" + "".join(f"{i},{row}\n" for i, row in enumerate(rows)))
    assert counted(path) == ((1, 1, 2, 1),)
    assert counted(path, column={"error": "-"}) == ((1, 0, 4, 0),)


def test_an_empty_answer_of_a_system_that_answered_is_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("question,gold,prediction,answered\na,x,x,true\nb,y,,true\nc,z,,false\n")
    with pytest.raises(AskedError, match="line 3: some answers seem empty"):
        counted(path)
    assert counted(path, empty="incorrect") == ((1, 1, 1, 0),)


def test_a_total_among_questions_that_are_words_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("question,correct\ndog,1\nsum,0\ncat,1\nhorse,0\n")
    with pytest.raises(FormatError, match="line 3: this row seems to be a total of other rows"):
        counted(path)


def test_confidences_on_two_scales_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("qid,correct,confidence\n1,1,0.8\n2,0,80\n")
    with pytest.raises(FormatError, match="line 3: this confidence is above 1"):
        read([path], Options())
    for written, values in (("confidence", [0.8, 80]), ("confidence/100", [0.008, 0.8])):
        data: Any = read([path], Options(column={"confidence": written})).data
        assert data.confidence.tolist() == [pytest.approx(values)]


# Columns beside run, question and outcome: the first two are asked about, the others say nothing that nescio's own
# `outcome` does not.
BESIDE = {
    "escalated": ["yes", "no"],
    "finish_reason": ["timeout", "stop"],
    "status": ["abstained", "done"],
    "correct": ["0", "1"],
    "zork": ["p", "q"],
}


@together("name", [*BESIDE])
def test_a_table_is_read_alike_whatever_its_size(tmp_path: Path, name: str) -> None:
    words = ["correct", "incorrect"]
    rows = [f"m,q{i},{words[i % 2]},{BESIDE[name][i // 2 % 2]}\n" for i in range(8)]
    small, many = tmp_path / "small.csv", tmp_path / "many.parquet"
    small.write_text(f"run,question,outcome,{name}\n{''.join(rows)}")
    pq.write_table(pc.read_csv(small), many)
    before = large.LARGE
    try:
        large.LARGE = 1
        scores = [_accuracy(path) for path in (small, many)]
    finally:
        large.LARGE = before
    assert scores == ([0.5, 0.5] if name in ("zork", "correct") else ["asked", "asked"])


def _accuracy(path: Path) -> object:
    try:
        return nescio.score(path, "accuracy", ci=None).rows[0].value
    except AskedError:
        return "asked"


@pytest.mark.parametrize(
    ("judge", "people", "offered"),
    [
        ("verdict", "human", True),
        ("llm_judge", "human_label", True),
        ("judge", "expert", True),
        ("outcome", "Annotator2", True),
        ("is_correct", "verdict", False),  # neither is named for people
        ("grade", "llm_expert", False),  # a machine
        ("correct", "human_name", False),  # no verdicts
    ],
)
def test_verdicts_of_a_judge_beside_those_of_people_are_to_be_compared(
    judge: str, people: str, offered: bool, tmp_path: Path
) -> None:
    words = ("ann", "bob", "cy") if people == "human_name" else ("right", "wrong", "right")
    rows = "".join(
        f"q{i},a,{one},{other}\n" for i, (one, other) in enumerate(zip(("right", "right", "wrong"), words, strict=True))
    )
    (path := tmp_path / "t.csv").write_text(f"id,model,{judge},{people}\n{rows}")
    (checked,) = nescio.check(path)
    said = str(checked.error) if checked.contents is None else " ".join(map(str, checked.contents.notes))
    assert (f'verdict="{people}", column={{"outcome": "{judge}"}}' in said) == offered
    if offered:
        compared = nescio.judge(path, against=path, verdict=people, column={"outcome": judge})
        assert compared.results is not None
        assert compared.results.rows[0].agreement == pytest.approx(1 / 3)


def test_words_of_predictions_may_be_what_is_asked(tmp_path: Path) -> None:
    """A table of counts whose header is damaged, and repeated further down: its words may mean a refusal."""
    head = "un_a,run_b,cc,cw,cu,wc,ww,wu,uc,uw,uu,other,missing,ungraded,missing_unanswered,missing_left_out,not_common"
    rows = ["lamp,lamp,1,0,0,0,1,0,0,0,1,0,0,0,0,0,0,3", "lamp,owl,0,1,0,0,0,1,1,0,0,0,0,0,0,0,0,3"]
    cut = "owl,owl,1,0,0,0,1,0,uc,uw,uu,other,missing,ungraded,missing_unanswered,missing_left_out,not_common,asked"
    path = tmp_path / "pairs.csv"
    path.write_text("\n".join([f" {head},asked", *rows, cut, *rows, "owl,owl,1,0,0,0,1,0,0,0,1,0,0,0,0,0,0,3"]) + "\n")
    with pytest.raises(AskedError):
        nescio.score(path, ungraded="exclude", missing="unanswered", empty="unanswered", unparsed="unanswered")
