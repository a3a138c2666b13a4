"""What people call the columns of a table: which is taken for what, what is asked, and what `--column` says."""

from __future__ import annotations

import csv
import json
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

import nescio
from nescio.errors import FormatError, MismatchError, UsageError
from nescio.formats.native import headers, roles
from nescio.pipeline import Options, load
from tests.rings import together
from tests.notes import in_words

from .encodings import assert_refused, evidence, read, refusal

IN_PYTHON = True  # messages are quoted as Python has them

OUTCOMES = ("correct", "incorrect", "unanswered")


def table(folder: Path, text: str, name: str = "t.csv") -> Path:
    """A file of this text."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def counts(given: Any, **options: Any) -> dict[str, tuple[int, ...]]:
    """How many answers of each run are correct, incorrect and unanswered."""
    data = evidence(given, **options)
    return {
        run: tuple(int(data.columns[name][i][data.present[i]].sum()) for name in OUTCOMES)
        for i, run in enumerate(data.runs)
    }


GRADED = "id,model,question,prediction,gold,{}\n1,m,Capital of France?,The capital is Paris.,Paris,{}\n2,m,Capital of Peru?,Quito,Lima,{}\n"


@together("name", ["correct", "is_correct", "isCorrect", "Is correct?", "grade", "label", "score", "Acceptable?"])
@together("right, wrong", [("1", "0"), ("True", "False"), ("1.00", "0.00"), ("yes", "no")])
def test_a_tables_own_grades_are_its_outcomes(name: str, right: str, wrong: str, tmp_path: Path) -> None:
    path = table(tmp_path, GRADED.format(name, right, wrong))
    found = read(path)
    assert counts(path) == {"m": (1, 1, 0)}
    assert (
        in_words(found.notes)[0]
        == f"{path}: run is the column 'model', question is the column 'id', outcome is the column {name!r}"
    )
    assert counts(path, judge="exact") == {"m": (0, 2, 0)}


@pytest.mark.parametrize("name", ["refused", "abstained", "Declined?", "refusal"])
def test_what_was_declined_is_unanswered(name: str, tmp_path: Path) -> None:
    rows = f"id,prediction,gold,{name}\n" + "1,Paris,Paris,False\n2,I cannot say,Lima,True\n3,Rome,Oslo,False\n"
    assert counts(table(tmp_path, rows)) == {"t": (1, 1, 1)}
    rows = f"run,question,outcome,{name}\na,1,correct,False\na,2,incorrect,True\na,3,incorrect,\na,4,,1\n"
    found = read(path := table(tmp_path, rows))
    assert counts(path) == {"a": (1, 1, 2)}
    assert f"{path}: 2 answers were declined, by the column {name!r}: unanswered, whatever the verdict" in in_words(
        found.notes
    )
    rows = rows.replace("a,3,incorrect,", "a,3,incorrect,perhaps")
    assert_refused(
        table(tmp_path, rows), "line 4", "whether an answer was declined must be true, false or empty (found 'perhaps')"
    )


def test_words_that_fill_every_cell_are_no_reasons(tmp_path: Path) -> None:
    rows = "run,question,outcome,declined\na,1,correct,いいえ\na,2,incorrect,はい\na,3,incorrect,はい\n"
    path = table(tmp_path, rows)
    rule = "'declined' says in words that nobody knows which answers were declined; one of these says it:"
    assert_refused(path, "line 1", rule)
    assert "--outcome-map 'いいえ=unanswered'  (1 silent)\n" in str(refusal(path, FormatError))
    assert counts(path, outcome_map={"はい": "unanswered"}) == {"a": (1, 0, 2)}
    assert not [
        note for note in read(path, outcome_map={"はい": "unanswered"}).notes if "occurs in no row" in str(note)
    ]
    assert counts(path, outcome_map={"いいえ": "unanswered"}) == {"a": (0, 2, 1)}


def test_one_word_for_silence_says_what_the_others_are(tmp_path: Path) -> None:
    rows = "id,model,correct,menolak\n1,a,1,tidak\n2,a,0,ya\n3,a,0,tidak\n4,a,0,ya\n"
    way = {"column": {"abstained": "menolak"}, "outcome_map": {"ya": "unanswered"}}
    assert counts(table(tmp_path, rows), **way) == {"a": (1, 1, 2)}
    rows = rows.replace("ya", "ja")  # which is yes, beside a word that nobody knows
    assert counts(table(tmp_path, rows), **{**way, "outcome_map": {"ja": "unanswered"}}) == {"a": (1, 1, 2)}


def test_what_was_answered_is_the_opposite(tmp_path: Path) -> None:
    path = table(tmp_path, "question,correct,answered\n1,1,yes\n2,0,no\n3,0,yes\n")
    assert counts(path) == {"t": (1, 1, 1)}


def test_an_empty_answer_that_is_marked_wrong_is_silence(tmp_path: Path) -> None:
    path = table(tmp_path, "id,prediction,correct\n1,x,1\n2,,0\n3,,1\n4,y,0\n5,z,\n")
    assert counts(path, ungraded="exclude") == {"t": (2, 1, 1)}
    assert f"{path}: 1 answer is empty, and not marked as right: unanswered" in in_words(
        read(path, ungraded="exclude").notes
    )
    with_silence = table(tmp_path, "id,prediction,correct\n1,x,right\n2,,wrong\n3,,declined\n")
    assert counts(with_silence) == {"t": (1, 1, 1)}  # which has a word for silence, and did not use it


def test_right_and_wrong_in_two_columns(tmp_path: Path) -> None:
    path = table(tmp_path, "question,correct,incorrect,unanswered\n1,1,0,0\n2,0,1,0\n3,0,0,1\n4,0,0,0\n")
    assert counts(path, ungraded="exclude") == {"t": (1, 1, 1)}  # the fourth is not graded
    assert_refused(table(tmp_path, "question,correct,wrong\n1,1,1\n"), "line 2", "(found 'both right and wrong')")
    assert counts(table(tmp_path, "question,wrong\n1,yes\n2,no\n")) == {"t": (1, 1, 0)}


def test_verdicts_that_differ_are_asked_about(tmp_path: Path) -> None:
    text = "question,correct,human\n1,1,yes\n2,0,{}\n"
    assert counts(table(tmp_path, text.format("no"))) == {"t": (1, 1, 0)}
    path = table(tmp_path, text.format("yes"))
    rule = "'correct' and 'human': each could say which answers are right, and they differ; name the one to read: "
    assert_refused(path, "line 1", f"{rule}--column outcome=correct or --column outcome=human")
    assert counts(path, column={"outcome": "human"}) == {"t": (2, 0, 0)}
    assert counts(path, column={"outcome": "correct"}) == {"t": (1, 1, 0)}


def test_a_score_that_is_no_verdict_is_asked_about(tmp_path: Path) -> None:
    path = table(tmp_path, "id,prediction,gold,score\n1,x,x,0.9\n2,x,y,0.1\n")
    message = str(refusal(path))
    assert "'score' seems to say how good an answer is" in message
    assert "--judge fitting judges the answers instead (found '0.1')" in message
    assert counts(path, judge="exact") == {"t": (1, 1, 0)}
    topics = table(tmp_path, "id,prediction,gold,label\n1,x,x,birds\n2,x,y,sea\n")
    assert counts(topics) == {"t": (1, 1, 0)}  # a label of the question


def test_a_label_beside_a_prediction_may_be_the_gold(tmp_path: Path) -> None:
    path = table(tmp_path, "id,prediction,label\n1,1,1\n2,0,1\n")
    assert "--column gold=label or --column outcome=label" in str(refusal(path))
    assert counts(path, column={"gold": "label"}) == {"t": (1, 1, 0)}
    assert counts(path, column={"outcome": "label"}) == {"t": (2, 0, 0)}


def test_a_column_that_nobody_knows_may_be_the_verdict(tmp_path: Path) -> None:
    path = table(tmp_path, "id,prediction,gold,Wertung\n1,x,x,falsch\n2,x,y,richtig\n")
    rule = "'Wertung' may say which answers are right: its columns with --column outcome=Wertung (1 right, 1 wrong, 0 silent, c@1 0.500); or judge the answers with --judge NAME"
    assert_refused(path, "line 1", rule)
    assert counts(path, column={"outcome": "Wertung"}) == {"t": (1, 1, 0)}
    rows = "a,x,x,ay,ein\nb,y,z,bee,zwei\nc,,w,ay,zwei\nd,v,v,bee,\n"
    two = table(tmp_path, f"id,prediction,gold,right_details,right_score\n{rows}")
    *_, last, end = str(refusal(two)).split("\n")  # `refusal` asserts one way a line
    assert (last, end) == ("  --judge NAME  (judges the answers)", "")


@pytest.mark.parametrize("name", ["model", "Model", "SYSTEM", "run_id", "model_name", "modelName", "Modell", "système"])
def test_the_run(name: str, tmp_path: Path) -> None:
    path = table(tmp_path, f"{name},question,outcome\nA,q1,correct\nB,q1,incorrect\nA,q2,correct\nB,q2,unanswered\n")
    assert counts(path) == {"A": (2, 0, 0), "B": (0, 1, 1)}
    pooled = table(tmp_path, f"{name},question,outcome\nA,q1,correct\nB,q2,incorrect\n")
    assert "run 'A' lacks 1 of 2 questions" in str(refusal(pooled, MismatchError))


def test_several_names_of_runs(tmp_path: Path) -> None:
    rows = "a,x,q1,1\na,y,q2,1\nb,x,q1,0\nb,y,q2,0\n"
    path = table(tmp_path, f"model,agent,question,correct\n{rows}")
    assert_refused(path, "line 1", "--column run=model or --column run=agent")
    assert counts(path, column={"run": "model"}) == {"a": (2, 0, 0), "b": (0, 2, 0)}
    assert counts(table(tmp_path, f"run,agent,question,correct\n{rows}")) == {"a": (2, 0, 0), "b": (0, 2, 0)}


def test_a_run_that_nobody_knows_is_proposed_where_questions_repeat(tmp_path: Path) -> None:
    rows = "a,q1,1,{0}\nb,q1,0,{0}\na,q2,1,{0}\nb,q2,0,{0}\n".format("z")
    path = table(tmp_path, f"Kandidat,question,correct,x\n{rows}")
    assert counts(path) == {"a": (2, 0, 0), "b": (0, 2, 0)}  # no other column tells the answers to a question apart
    assert "run is the column 'Kandidat'" in " ".join(in_words(read(path).notes))
    two = table(tmp_path, "Kandidat,Paar,question,correct\na,c,q1,1\nb,d,q1,0\na,c,q2,1\nb,d,q2,0\n")
    assert str(refusal(two)).endswith("say so: --column run=NAME, which may be 'Kandidat'; 'Paar'")
    assert counts(two, column={"run": "Kandidat"}) == {"a": (2, 0, 0), "b": (0, 2, 0)}


def test_the_question_is_what_each_run_has_once(tmp_path: Path) -> None:
    """A number of each row names no question that two runs share."""
    path = table(tmp_path, "id,model,question,correct\n1,a,who,1\n2,a,where,0\n3,b,who,1\n4,b,where,1\n")
    assert evidence(path).questions == ("who", "where")
    path = table(tmp_path, "id,model,question,correct\n1,a,who,1\n2,a,who,0\n1,b,who,1\n2,b,who,1\n")
    assert evidence(path).questions == ("1", "2")
    assert evidence(path, column={"question": "id"}).questions == ("1", "2")


def test_columns_that_are_named(tmp_path: Path) -> None:
    path = table(tmp_path, "engine no.;case;verdict of Ann;sure\nA;1;right;0.5\nA;2;wrong;0.25\n")
    column = {"run": "engine no.", "question": "case", "outcome": "verdict of Ann", "confidence": "sure"}
    found = evidence(path, column=column)
    assert (found.runs, found.questions) == (("A",), ("1", "2"))
    assert_array_equal(found.columns["confidence"], [[0.5, 0.25]])
    scores = nescio.score(path, "accuracy", ci=None, column=column)
    assert scores.value("A", "accuracy") == 0.5
    assert "columns:confidence=sure+outcome=verdict of Ann+question=case+run=engine no." in str(scores.signature)


def test_columns_that_cannot_be_named(tmp_path: Path) -> None:
    path = table(tmp_path, "question,correct\n1,1\n")
    with pytest.raises(
        UsageError, match=r'column=\{"outcome": "mark"\}: there is no such column in .*; columns are question, correct'
    ):
        load(path, Options(column={"outcome": "mark"}))
    with pytest.raises(
        UsageError, match=r'column=\{"colour": "x"\}: a column can be named run, question, question_text, outcome'
    ):
        Options(column={"colour": "x"})
    matrix = table(tmp_path, "q,A,B\n1,0.5,0.25\n")
    with pytest.raises(
        UsageError, match=r'column=\{"confidence": "A"\}: this is a score matrix.*can be named are question'
    ):
        load(matrix, Options(column={"confidence": "A"}))
    log = table(tmp_path, '{"id": "1", "same": true}\n', "truth.jsonl")
    with pytest.raises(UsageError, match=r'column=\{"run": "same"\}: this is PAN.*its columns have fixed names'):
        load(
            [log, table(tmp_path, '{"id": "1", "value": 0.9}\n', "answers.jsonl")],
            Options(column={"run": "same"}),
        )


def test_numbers_are_not_ranked_as_runs(tmp_path: Path) -> None:
    path = table(tmp_path, "sample_id,accuracy,latency_ms\n1,1,903\n2,0,404\n3,1,777\n")
    assert counts(path) == {"t": (2, 1, 0)}
    for header, rule in (
        ("id,alpha,latency_ms", "'latency_ms' seems to be something that was measured, and no run"),
        ("zähler,alpha,beta", "'zähler' counts the rows, and is no run: --column 'question=zähler'"),
        ("id,alpha,beta", "'alpha' lies between 0 and 1, and 'beta' above 1: they are not runs of one measure"),
    ):
        path = table(tmp_path, f"{header}\n1,0.5,903\n2,0.25,404\n3,1,777\n4,0,3\n")
        message = str(refusal(path))
        assert rule in message
        assert ("matrix reads each column as a run all the same" in message) == ("measured" not in message)
        assert "alpha" in evidence(path, format_in="matrix").runs
    path = table(tmp_path, "case no,alpha,beta\n1,0.5,0.9\n2,0.25,0.4\n3,1,0.7\n4,0,0.3\n")
    assert evidence(path, column={"question": "case no"}).runs == ("alpha", "beta")


def test_a_matrix_is_always_said(tmp_path: Path) -> None:
    path = table(tmp_path, "q,A_f1,B_f1\n1,0.5,0.25\n")
    note = f'{path}: taken for a score matrix, in which each of the 2 columns is a run (format_in="matrix" confirms it)'
    assert in_words(read(path).notes) == (note,)
    assert in_words(read(path, format_in="matrix").notes) == ()


def test_a_matrix_of_one_run_that_is_called_system(tmp_path: Path) -> None:
    assert evidence(table(tmp_path, "question,system\n1,0.2\n2,0.4\n")).runs == ("system",)
    assert "no 'outcome'" in str(refusal(table(tmp_path, "question,system,ap\n1,A,0.2\n2,A,0.4\n")))


def test_a_spreadsheets_tabs_are_read_as_pythons_csv_reads_them(tmp_path: Path) -> None:
    text = 'run\tquestion\toutcome\ttopic\na\t"q" 1\tcorrect\t"the ""old""" one\na\tq2\tincorrect\t5" disk\n'
    path = table(tmp_path, text, "t.tsv")
    expected = list(csv.reader(text.splitlines(keepends=True), delimiter="\t"))[1:]
    found = evidence(path)
    assert found.questions == tuple(row[1] for row in expected) == ("q 1", "q2")
    assert list(found.strata["topic"]) == [row[3] for row in expected]
    assert_refused(
        table(tmp_path, 'run\tquestion\toutcome\na\t"q\tcorrect\na\tq2\tcorrect\n', "t.tsv"),
        "line 2",
        "is never closed",
    )
    assert_refused(table(tmp_path, 'run,question,outcome\na,"q" 1,correct\n'), "line 2", "text follows the closing")


def test_a_question_is_one_however_its_accents_are_typed(tmp_path: Path) -> None:
    one, other = (unicodedata.normalize(form, "où est Málaga") for form in ("NFC", "NFD"))
    path = table(tmp_path, f"run,question,outcome\na,{one},correct\nb,{other},incorrect\n")
    assert evidence(path).questions == (one,)
    path = table(tmp_path, f"run,question,outcome\na,{one},correct\na,{other},incorrect\n")
    assert set(evidence(path).questions) == {one, other}  # a run tells them apart
    path = table(tmp_path, f"run,question,prediction,gold\na,{one},x,x\nb,{other},y,x\n")
    assert evidence(path).questions == (one,)


def test_plain_rows_and_columns() -> None:
    rows = [
        {"model": "a", "question": 1, "correct": True},
        {"model": "a", "question": 2, "correct": np.bool_(False), "conf": 0.5},
    ]
    columns = {
        "model": ["a", "a"],
        "question": np.array([1, 2]),
        "correct": [1, np.float64(0)],
        "conf": [float("nan"), 0.5],
    }
    for given in (rows, tuple(rows), columns):
        assert counts(given) == {"a": (1, 1, 0)}
        assert_array_equal(evidence(given).columns["confidence"], [[np.nan, 0.5]])
        assert nescio.score(given, "accuracy", ci=None).value("a", "accuracy") == 0.5
    assert_refused({"question": [1, 2], "correct": [1]}, None, "the columns differ in length")


def test_half_precision_numbers() -> None:
    half = pa.array(np.array([0.5, 0.25], dtype=np.float16))
    given = pa.table({"question": ["1", "2"], "outcome": ["correct", "incorrect"], "confidence": half})
    assert_array_equal(evidence(given).columns["confidence"], [[0.5, 0.25]])


def test_errors_in_python_name_its_arguments(tmp_path: Path) -> None:
    path = table(tmp_path, "question,Wertung\n1,ja\n2,nein\n")
    assert nescio.score(path, "accuracy", ci=None).value(path.stem, "accuracy") == 0.5
    path = table(tmp_path, "question,Wertung,Urteil 2\n1,ja,nein\n2,nein,ja\n")
    with pytest.raises(
        nescio.FormatError, match=r'name its columns by one of these:\n  column=\{"outcome": "Wertung"\}'
    ):
        nescio.score(path)
    with pytest.raises(nescio.FormatError, match="or name the format with format_in"):
        nescio.score(table(tmp_path, "foo\nx\n"))
    with pytest.raises(nescio.MismatchError, match=r'use missing="unanswered" to count .* or missing="common" to keep'):
        nescio.score(table(tmp_path, "run,question,outcome\na,1,correct\nb,2,correct\n"))
    with pytest.raises(
        nescio.MismatchError, match=r'use ungraded="exclude" to leave .* or ungraded="bounds" to report'
    ):
        nescio.score(table(tmp_path, "run,question,outcome\na,1,\nb,1,correct\n"))


def test_each_name_and_word_stands_once_and_in_its_plain_form() -> None:
    names = [roles.squash(name) for text in headers.COLUMNS.values() for name in text.split()]
    assert sorted(names) == sorted({*names})
    assert [word for word in headers.WORDS if roles.fold(word) != word] == []
    assert all(name == name.lower() and name.isascii() for text in headers.COLUMNS.values() for name in text.split())


# ---- what could mean two things is asked ----


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (
            "question,expected,response,answer\na,Paris,Paris,Lyon\n",
            "'expected' and 'answer': each could be the gold answer, but they differ; name the one to read: "
            "--column gold=expected or --column gold=answer",
        ),
        (
            "question,expected,response,prediction\na,Paris,Paris,Lyon\n",
            "'prediction' and 'response': each could be the answer given, but they differ",
        ),
        (
            "question,correct,response\na,yes,yes\nb,no,no\n",
            "'correct' could be a verdict on the answer 'response', or the answer that is right",
        ),
        ("question,correct\na,1\nb,0\nTotal,1\n", "this last row seems to sum up the others, and is no question"),
        ("Frage;richtig\na;1\nb;0\nGesamt;1\n", "this last row seems to sum up the others, and is no question"),
        (
            "System;correct;incorrect;unanswered\nA;1.000;156;107\n",
            "correct could be 1000 or 1: write it without a point",
        ),
    ],
)
def test_what_could_mean_two_things_is_asked(text: str, rule: str, tmp_path: Path) -> None:
    assert rule in str(refusal(table(tmp_path, text)))


def test_columns_that_say_the_same_need_no_choice(tmp_path: Path) -> None:
    same = table(tmp_path, "question,gold,expected,response,output\na,Paris,Paris,Paris,Paris\nb,Rome,Rome,Bonn,Bonn\n")
    assert_array_equal(evidence(same).columns["correct"], [[1, 0]])


def test_points_between_thousands_are_asked_about_unless_commas_are_decimal(tmp_path: Path) -> None:
    """1.234, 987 and 2.001 milliseconds: 1407.33 on average, and not 329.745."""
    head, rows = (
        "Modell;Frage;Ergebnis;Latenz;Kosten\n",
        ("m;a;ja;1.234;0,12\n", "m;b;ja;987;0,5\n", "m;c;nein;2.001;1\n"),
    )
    rule = "'Latenz': 1.234 could be 1234 or 1.234: write it without a point between thousands"
    alone = table(tmp_path, "Modell;Frage;Ergebnis;Latenz\nm;a;ja;1.234\nm;b;ja;987\nm;c;nein;2.001\n")
    assert rule in str(refusal(alone, graded=("Latenz",), strata=()))
    alone.write_text(alone.read_text().replace("m;b;ja;987\n", ""))
    assert rule in str(refusal(alone, graded=("Latenz",), strata=()))
    both = evidence(table(tmp_path, head + "".join(rows)), graded=("Latenz",), strata=())
    assert both.columns["user.Latenz"].mean() == pytest.approx((1234 + 987 + 2001) / 3)
    decimals = table(tmp_path, head + "m;a;ja;1.234;1\nm;b;ja;0.987;1\n")
    assert_array_equal(evidence(decimals, graded=("Latenz",), strata=()).columns["user.Latenz"], [[1.234, 0.987]])


def test_words_that_mean_silence_are_found_beside_verdicts_too(tmp_path: Path) -> None:
    path = table(
        tmp_path, "question,outcome,answer\n1,correct,Paris\n2,incorrect,I do not know\n3,incorrect,I do not know\n"
    )
    loaded = read(path, declined_pattern=("i do not know",))
    assert loaded.data.columns["unanswered"].sum() == 2
    assert "declined_pattern: 2 answers counted as unanswered ('I do not know' 2×)" in in_words(loaded.notes)


def test_a_column_of_yes_and_no_is_named_where_no_answer_is_silent(tmp_path: Path) -> None:
    path = table(tmp_path, "question,correct,zork\n1,1,no\n2,0,yes\n")
    remark = (
        f"{path}: no answer is unanswered, and 'zork' has few words, which may say what was declined, and is not read: column={{\"abstained\": NAME}} or "
        "answered=NAME if so"
    )
    assert remark in in_words(read(path).notes)
    assert remark in in_words(read(path, strata=()).notes)  # as the command line reads
    assert evidence(path, column={"abstained": "zork"}).columns["unanswered"].sum() == 1
    skipped = table(tmp_path, "question,correct,skipped\n1,1,no\n2,0,yes\n")
    assert evidence(skipped).columns["unanswered"].sum() == 1


def test_rows_without_content_are_left_out_and_counted(tmp_path: Path) -> None:
    path = table(tmp_path, "question;correct;note\n1;1;\n;;\n2;0;\n;;\n")
    loaded = read(path)
    assert evidence(path).questions == ("1", "2")
    assert f"{path}: 2 rows without any content left out" in in_words(loaded.notes)


def test_a_misspelt_word_of_a_map_is_said(tmp_path: Path) -> None:
    path = table(tmp_path, "question,correct\n1,1\n2,0\n")
    assert "outcome_map: 'flasch' occurs in no row" in in_words(read(path, outcome_map={"flasch": "unanswered"}).notes)


@pytest.mark.parametrize(
    ("name", "form"), [("column", "NAME=COLUMN"), ("outcome_map", "WORD=OUTCOME"), ("choose", "NAME=VALUE")]
)
def test_what_are_no_pairs_is_refused(name: str, form: str, tmp_path: Path) -> None:
    with pytest.raises(nescio.UsageError, match=f"{name} takes {form}"):
        read(table(tmp_path, "question,correct\n1,1\n"), **{name: ["richtig"]})


# What stands where people mean "none", or write a share as they say it; and the note on it.
CONFIDENCES = {
    "n/a": ("0.9,n/a,0.4", (0.9, np.nan, 0.4), "1 cell of 'confidence' says that there is none"),
    "k. A.": ("0.9,k. A.,–", (0.9, np.nan, np.nan), "2 cells of 'confidence' say that there is none"),
    "percentages": ("90%,45 %,7.5%", (0.9, 0.45, 0.075), "'confidence' holds percentages: 75% is read as 0.75"),
    "both": ("90%,n/a,40%", (0.9, np.nan, 0.4), "'confidence' holds percentages"),
}


@pytest.mark.parametrize("case", CONFIDENCES)
def test_a_confidence_as_people_write_it(case: str, tmp_path: Path) -> None:
    cells, expected, said = CONFIDENCES[case]
    rows = "".join(f"{i},correct,{cell}\n" for i, cell in enumerate(cells.split(",")))
    loaded = read(table(tmp_path, f"question,outcome,confidence\n{rows}"))
    np.testing.assert_allclose(loaded.data.columns["confidence"][0], expected)
    assert any(said in note for note in in_words(loaded.notes))


def test_a_share_beside_percentages_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path, "question,outcome,confidence\n1,correct,0.9\n2,correct,45%\n")
    assert_refused(path, "line 3", "confidence must be a finite number such as 0.75, or empty (found '45%')")


def test_percentages_with_decimal_commas(tmp_path: Path) -> None:
    path = table(tmp_path, "question;outcome;confidence\n1;correct;45,5%\n2;correct;7%\n")
    np.testing.assert_allclose(evidence(path).columns["confidence"][0], (0.455, 0.07))


@pytest.mark.parametrize("separator", [";", ",", "\t"])
def test_a_first_line_that_names_the_separator_for_excel(separator: str, tmp_path: Path) -> None:
    rows = "question,run,outcome\nq1,a,correct\nq2,a,wrong\n".replace(",", separator)
    assert counts(table(tmp_path, f"sep={separator}\n{rows}")) == {"a": (1, 1, 0)}
    odd = table(tmp_path, f"sep={separator}\n{rows}" + separator.join(("q3", "a", "perhaps")) + "\n")
    assert_refused(odd, "line 5", "(found 'perhaps')")


def test_ticks_and_crosses(tmp_path: Path) -> None:
    signs = zip("✓✔✅☑✗✘❌✖", "11110000", strict=True)
    rows = "".join(f"{i},{sign}\n" for i, (sign, _) in enumerate(signs))
    assert counts(table(tmp_path, f"question,correct\n{rows}8,✔\ufe0f\n")) == {"t": (5, 4, 0)}


def test_a_column_that_tells_repeats_apart_is_proposed(tmp_path: Path) -> None:
    rows = "q1,{0},1,correct\nq1,{0},2,incorrect\n"
    path = table(tmp_path, "question,run,epoch,outcome\n" + rows.format("A"))
    assert str(refusal(path, strata=())).endswith("if a column says which repeat it is, say so: --column repeat=epoch")
    path = table(tmp_path, "question,model,run,outcome\n" + rows.format("A") + rows.format("B"))
    assert str(refusal(path, strata=())).endswith(
        "'run' could name the run, or be the repeat of 'model'; say which: --column run=model --column repeat=run, or "
        "--column run=run"
    )


NUMBERED = {
    "one number for all models": "A,1,q1,1\nA,1,q2,0\nB,1,q3,1\n",
    "numbers within each model": "A,1,q1,1\nA,2,q1,0\nB,3,q1,1\nB,4,q1,0\n",
    "numbers of one model": "A,1,q1,1\nA,2,q1,0\n",
}


@pytest.mark.parametrize("case", NUMBERED)
def test_a_numeric_run_beside_a_model_is_asked_about(case: str, tmp_path: Path) -> None:
    path = table(tmp_path, f"model,run,question,correct\n{NUMBERED[case]}")
    assert "--column run=model --column repeat=run, or --column run=run" in str(refusal(path, strata=()))
    assert set(counts(path, column={"run": "run"}, missing="unanswered")) <= {"1", "2", "3", "4"}


def test_a_number_for_each_model_is_its_run(tmp_path: Path) -> None:
    assert set(counts(table(tmp_path, "model,run,question,correct\nA,1,q1,1\nB,2,q1,0\n"))) == {"1", "2"}


@pytest.mark.parametrize("name", ["result", "verdict", "label"])
def test_a_verdict_of_the_golds_own_words_is_asked_about(name: str, tmp_path: Path) -> None:
    path = table(tmp_path, f"question,expected,{name}\n1,yes,yes\n2,yes,no\n3,no,no\n")
    assert f"--column outcome={name} or --column prediction={name}" in str(refusal(path))
    assert counts(path, column={"outcome": name}) == {"t": (1, 2, 0)}


@pytest.mark.parametrize("name", ["error", "failed", "hallucinated", "Fehler"])
def test_what_failed_is_wrong_where_nothing_else_is_a_verdict(name: str, tmp_path: Path) -> None:
    loaded = read(table(tmp_path, f"model,question,{name}\nA,1,0\nA,2,1\nA,3,0\n"))
    assert loaded.data.columns["correct"].tolist() == [[1, 0, 1]]
    assert any("says what is wrong: yes is read as incorrect, and no as correct" in n for n in in_words(loaded.notes))
    beside = table(tmp_path, f"model,question,correct,{name}\nA,1,0,0\nA,2,1,1\n")
    assert counts(beside) == {"A": (1, 1, 0)}


def test_gold_and_prediction_of_classifiers(tmp_path: Path) -> None:
    path = table(tmp_path, "model,question,y_true,y_pred\nA,1,1,1\nA,2,1,0\nA,3,0,0\n")
    assert evidence(path, judge="exact").columns["correct"].sum() == 2


def test_silence_in_the_words_of_a_column_that_is_named(tmp_path: Path) -> None:
    path = table(tmp_path, "question,correct,status\n1,1,answered\n2,0,refused\n3,0,answered\n")
    assert counts(path) == {"t": (1, 1, 1)}
    assert "1 answer was declined, by the column 'status'" in " ".join(in_words(read(path).notes))
    assert counts(path, column={"abstained": "-"}) == {"t": (1, 2, 0)}
    path = table(tmp_path, "question,correct,status\n1,1,answered\n2,0,refused\n3,1,refused\n4,1,answered\n")
    rule = "'status' may say which answers were declined (2 of them), and the verdict alone says nothing of it:"
    assert_refused(path, "line 1", f"{rule} --column abstained=status, or --column abstained=- if none does")
    assert counts(path, column={"abstained": "status"}) == {"t": (2, 0, 2)}


def test_percentages_under_a_name_of_the_users(tmp_path: Path) -> None:
    path = table(tmp_path, "Frage;Urteil;Konfidenz\n1;richtig;99%\n2;falsch;60%\n")
    np.testing.assert_allclose(evidence(path).columns["confidence"][0], (0.99, 0.6))


def test_an_index_is_no_question_beside_a_name_for_one(tmp_path: Path) -> None:
    rows = [f"{i},{'ab'[i % 2]},q{i // 2},{('right', 'wrong', 'idk')[i % 3]}" for i in range(12)]
    path = table(tmp_path, "Unnamed: 0,modelKey,questionUid,verdict\n" + "\n".join(rows) + "\n")
    assert counts(path) == {"a": (2, 2, 2), "b": (2, 2, 2)}


def test_an_object_that_holds_a_verdict_is_no_silence(tmp_path: Path) -> None:
    lines = []
    for i in range(12):
        first, second = (None, None) if i % 3 == 2 else (i % 3 == 1, i % 4 == 1)
        lines.append(json.dumps({"id": i, "human2-verdict": first, "grader": {"is-correct": second}}))
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(lines) + "\n")
    assert "grader.is-correct" in str(refusal(path))  # two judges, who differ


def test_a_last_row_without_answers_is_no_question(tmp_path: Path) -> None:
    rows = "".join(f"q{i},x{i % 3},x{i % 2}\n" for i in range(8))
    path = table(tmp_path, f"id,prediction,gold\n{rows}All questions,,\n")
    assert "this last row seems to sum up the others" in str(refusal(path))


@pytest.mark.parametrize("name", ["exact_match", "em", "correct"])
@pytest.mark.parametrize("other", ["llm_judge", "judge", "judge_score"])
def test_a_name_for_a_verdict_is_none_beside_one_that_more_speaks_for(name: str, other: str, tmp_path: Path) -> None:
    """Exact match finds nothing right in sentences, and the file's own judge stands beside it."""
    rows = "".join(f"{i},Paris {i},It is Paris {i}.,0,{int(i % 3 > 0)}\n" for i in range(12))
    path = table(tmp_path, f"id,gold,prediction,{name},{other}\n{rows}")
    message = str(refusal(path))
    assert f"{name!r} and {other!r} say right or wrong, and differ; name its columns by one of these:" in message
    assert f"--column outcome={name}  (0 right, 12 wrong, 0 silent, c@1 0.000)" in message
    assert f"--column outcome={other}  (8 right, 4 wrong, 0 silent, c@1 0.667)" in message
    assert f"abstained={other}" not in message
    assert counts(path, column={"outcome": name}) == {"t": (0, 12, 0)}
    assert counts(path, column={"outcome": other}) == {"t": (8, 4, 0)}


def test_a_question_that_needs_a_run_is_proposed_with_it(tmp_path: Path) -> None:
    rows = [(run, f"Was {i}?", i % 2) for run in ("p", "q") for i in range(10)][:-1]
    path = table(tmp_path, "provider,batch,thing,correct\n" + "".join(f"{a},b1,{b},{c == 1}\n" for a, b, c in rows))
    assert "name its columns with --column question=thing --column run=provider (found" in str(refusal(path))
    assert counts(path, column={"question": "thing", "run": "provider"}, missing="unanswered").keys() == {"p", "q"}
