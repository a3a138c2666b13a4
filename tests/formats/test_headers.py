"""What people call the columns of a table: which is taken for what, what is asked, and what `--column` says."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

import nescio
from nescio.data.evidence import Evidence, Tally
from nescio.errors import FormatError, UsageError
from nescio.pipeline import Options, load
from nescio.tables import lexicon
from tests.notes import in_words
from tests.rings import together

from .encodings import assert_refused, assert_well_put, evidence, read, refusal

IN_PYTHON = True  # messages are quoted as Python has them

# By language: what people call the run, the question, the verdict, and whether the system declined; yes and no.
NAMES = {
    "en": ("model", "question_id", "is_correct", "refused", "yes", "no"),
    "camel": ("modelName", "questionId", "isCorrect", "isRefused", "True", "False"),
    "de": ("Modell", "Frage-ID", "Richtig?", "verweigert", "ja", "nein"),
    "fr": ("modèle", "id_question", "correct", "refusé", "oui", "non"),
    "es": ("Modelo", "id_pregunta", "Acierto", "abstención", "sí", "no"),
    "it": ("modello", "domanda_id", "corretta", "astenuto", "sì", "no"),
    "path": ("meta.model", "meta.question_id", "grade.correct", "grade.abstained", "1", "0"),
}


def table(folder: Path, text: str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def counts_in(data: Evidence | Tally) -> dict[str, list[int]]:
    """How many answers of each run are correct, incorrect and unanswered."""
    names = ("correct", "incorrect", "unanswered")
    if isinstance(data, Tally):
        columns = [data.totals()[name] for name in names]
    else:
        columns = [(data.columns[name] * data.present).sum(axis=1) for name in names]
    return {run: [int(column[i]) for column in columns] for i, run in enumerate(map(str, data.runs))}


@together("language", NAMES)
def test_names_of_columns_are_read_at_once_in_five_languages(language: str, tmp_path: Path) -> None:
    *heads, yes, no = NAMES[language]
    rows = (
        (run, i, yes if i < 2 else no, yes if i == 3 else no) for run in "AB" for i in range(4 if run == "A" else 5)
    )
    text = "\n".join(";".join(map(str, row)) for row in (heads, *rows)) + "\n"
    loaded = read(table(tmp_path, text), missing="common")
    assert counts_in(loaded.data) == {"A": [2, 1, 1], "B": [2, 1, 1]}
    run, question, outcome, abstained = heads
    columns = f"run={run}, question={question}, outcome={outcome}, abstained={abstained}"
    assert any(f"read with {columns}" in said for said in in_words(loaded.notes))


# Tables that are read at once, each of a kind, with the right, wrong and silent answers of each run.
READ: dict[str, tuple[str, dict[str, Any], dict[str, list[int]]]] = {
    "declined, whatever the verdict": (
        "run,question,outcome,refused\na,1,correct,False\na,2,incorrect,True\na,3,incorrect,\na,4,,1\n",
        {},
        {"a": [1, 1, 2]},
    ),
    "what is wrong, alone": ("question,wrong\n1,yes\n2,no\n", {}, {"t": [1, 1, 0]}),
    "a verdict and what it is not": ("question,correct,incorrect\n1,1,0\n2,0,1\n", {}, {"t": [1, 1, 0]}),
    "declined, beside answers to judge": (
        "id,prediction,gold,Declined?\n1,Paris,Paris,False\n2,I cannot say,Lima,True\n3,Rome,Oslo,False\n",
        {},
        {"t": [1, 1, 1]},
    ),
    "verdicts that agree": ("question,correct,human\n1,1,yes\n2,0,no\n", {}, {"t": [1, 1, 0]}),
    "a judge is named": (
        "id,prediction,gold,grade\n1,It is Paris.,Paris,yes\n2,Quito,Lima,no\n",
        {"judge": "exact"},
        {"t": [0, 2, 0]},
    ),
    "nescio's own question before a number": (
        "id,model,question,correct\n1,a,who,1\n2,a,where,0\n3,b,who,1\n4,b,where,1\n",
        {},
        {"a": [1, 1, 0], "b": [2, 0, 0]},
    ),
    "a question twice in a run is named by its number": (
        "id,model,question,correct\n1,a,who,1\n2,a,who,0\n1,b,who,1\n2,b,who,1\n",
        {},
        {"a": [1, 1, 0], "b": [2, 0, 0]},
    ),
    "accents that are typed in two ways": (
        "run,question,outcome\na,M\u00e1laga,correct\nb,Ma\u0301laga,incorrect\n",
        {},
        {"a": [1, 0, 0], "b": [0, 1, 0]},
    ),
    "a run tells accents apart": (
        "run,question,outcome\na,M\u00e1laga,correct\na,Ma\u0301laga,incorrect\n",
        {},
        {"a": [1, 1, 0]},
    ),
    "rows without content": ("question;correct;note\n1;1;\n;;\n2;0;\n;;\n", {}, {"t": [1, 1, 0]}),
    "a first line that names the separator": (
        "sep=;\nquestion;run;outcome\nq1;a;correct\nq2;a;wrong\n",
        {},
        {"a": [1, 1, 0]},
    ),
    "ticks and crosses": (
        "question,correct\n0,✓\n1,✔\n2,✅\n3,☑\n4,✗\n5,✘\n6,❌\n7,✖\n8,✔\ufe0f\n",
        {},
        {"t": [5, 4, 0]},
    ),
    "a last row called total": ("question,correct\na,1\nb,0\nTotal,1\n", {}, {"t": [1, 1, 0]}),
    "a word that means ungraded": (
        "question,correct\nq1,1\nq2,0\nq3,ERROR\nq4,1\n",
        {"outcome_map": {"ERROR": "ungraded"}, "ungraded": "exclude"},
        {"t": [2, 1, 0]},
    ),
    "counts": ("System;richtig;falsch;keine Antwort\na;1;2;3\nb;4;5;0\n", {}, {"a": [1, 2, 3], "b": [4, 5, 0]}),
    "counts that follow from others": ("model,attempted,CorrectCount,total\nx,80,50,100\n", {}, {"x": [50, 30, 20]}),
}


@together("kind", READ)
def test_a_table_is_read_at_once(kind: str, tmp_path: Path) -> None:
    text, options, counts = READ[kind]
    assert counts_in(read(table(tmp_path, text), **options).data) == counts


def test_a_total_that_is_less_than_its_part_is_refused(tmp_path: Path) -> None:
    given = table(tmp_path, "model,attempted,CorrectCount,total\nx,40,50,100\n")
    with pytest.raises(FormatError, match="attempted is less than CorrectCount, which should be part of it"):
        read(given)


# Tables that are asked about: the question, and options that answer it, with what is then read.
ASKED: dict[str, tuple[str, str, dict[str, Any], dict[str, list[int]]]] = {
    "verdicts that differ": (
        "question,correct,human\n1,1,yes\n2,0,yes\n",
        "which column says whether an answer is right?",
        {"column": {"outcome": "human"}},
        {"t": [2, 0, 0]},
    ),
    "a grade without a threshold": (
        "id,prediction,score\n1,x,0.9\n2,x,0.1\n3,x,0.7\n4,x,0.8\n",
        "'score",
        {"column": {"outcome": "score>=0.5"}},
        {"t": [3, 1, 0]},
    ),
    "two gold answers": (
        "question,expected,response,answer\na,Paris,Paris,Lyon\nb,Rome,Rome,Rome\n",
        "which column holds the answers of the system?",
        {"column": {"prediction": "answer"}},
        {"t": [1, 1, 0]},
    ),
    "a verdict by a name that nobody knows": (
        "id,zork\nq1,ja\nq2,nein\n",
        "which column says whether an answer is right?",
        {"column": {"outcome": "zork"}},
        {"t": [1, 1, 0]},
    ),
    "words that nobody knows": (
        "question,correct\nq1,oikein\nq2,väärin\nq3,oikein\n",
        "what do 'oikein', 'väärin' in 'correct' mean?",
        {"outcome_map": {"oikein": "correct", "väärin": "incorrect"}},
        {"t": [2, 1, 0]},
    ),
    "silence that is marked as right": (
        "question,correct,refused\n1,1,no\n2,0,yes\n3,1,yes\n",
        "1 answer was declined and marked as right",
        {"declined_right": "keep"},
        {"t": [2, 0, 1]},
    ),
    "silence in words that nobody knows": (
        "run,question,outcome,declined\na,1,correct,ei\na,2,incorrect,kylla\na,3,incorrect,kylla\n",
        "which of these words says that the system abstained: 'ei', 'kylla'?",
        {"outcome_map": {"kylla": "unanswered"}},
        {"a": [1, 0, 2]},
    ),
    "yes and no that may be answers": (
        "id,prediction,label\n1,1,1\n2,0,1\n",
        "which column says whether an answer is right?",
        {"column": {"gold": "label"}},
        {"t": [1, 1, 0]},
    ),
    "a judge's verdict and a score": (
        "id,gold,prediction,exact_match,judge\n0,Paris,Lyon,0,0\n1,Rome,It is Rome,0,1\n",
        "which column says whether an answer is right?",
        {"column": {"outcome": "judge"}},
        {"t": [1, 1, 0]},
    ),
    "failed calls": (
        "model,question,correct,failed\nA,1,0,0\nA,2,1,1\nA,3,1,0\n",
        "do verdicts on answers with an error count, or are these answers failed calls without a grade?",
        {"column": {"error": "failed"}, "ungraded": "exclude"},
        {"A": [1, 1, 0]},
    ),
    "an answer twice": (
        "question,model,correct\nq1,A,1\nq1,A,0\nq2,A,1\n",
        "'q1' of run 'A' appears twice",
        {"duplicates": "last"},
        {"A": [1, 1, 0]},
    ),
    "verdicts or scores of runs": (
        "item,A,B\nt1,1,0\nt2,1,1\n",
        "they may be verdicts on several runs, or scores",
        {"column": {"outcome": "A+B"}},
        {"A": [2, 0, 0], "B": [1, 1, 0]},
    ),
}


@together("kind", ASKED)
def test_a_table_that_could_mean_two_things_is_asked_about_and_read_as_its_user_says(kind: str, tmp_path: Path) -> None:
    text, question, options, counts = ASKED[kind]
    path = table(tmp_path, text)
    assert question in str(refusal(path, FormatError))
    assert counts_in(read(path, **options).data) == counts


def test_each_name_and_word_is_in_its_plain_form() -> None:
    held = lexicon.lexicon()
    assert [name for names in held.names.values() for name in names if lexicon.squash(name) != name] == []
    assert [word for word in held.words if lexicon.fold(word) != word] == []


def test_columns_that_are_named_stand_in_the_signature(tmp_path: Path) -> None:
    path = table(tmp_path, "engine no.;case;verdict of Ann;sure\nA;1;right;0.5\nA;2;wrong;0.25\n")
    column = {"run": "engine no.", "question": "case", "outcome": "verdict of Ann", "confidence": "sure"}
    assert_array_equal(evidence(path, column=column).columns["confidence"], [[0.5, 0.25]])
    scores = nescio.score(path, "accuracy", ci=None, column=column)
    assert scores.value("A", "accuracy") == 0.5
    assert "columns:confidence=sure+outcome=verdict of Ann+question=case+run=engine no." in str(scores.signature)


def test_columns_that_cannot_be_named_are_refused(tmp_path: Path) -> None:
    path = table(tmp_path, "question,correct\n1,1\n")
    with pytest.raises(UsageError, match=r'"mark"\}: there is no such column in .*; columns are question, correct'):
        load(path, Options(column={"outcome": "mark"}))
    for column, rule in (
        ({"gold": "!correct"}, "this form inverts a column of two values, and is possible only for outcome, abstained"),
        ({"outcome": "#"}, "this form numbers the rows, and is possible only for question, not for outcome"),
        ({"gold": "correct/100"}, "this form divides, and is possible only for confidence, not for gold"),
        ({"cluster": "question+correct"}, "this form names several columns, and is possible only for run"),
    ):
        with pytest.raises(UsageError, match=rule):
            load(path, Options(column=column))
    with pytest.raises(
        UsageError, match=r'column=\{"colour": "x"\}: the name must be one of run, question, question_te'
    ):
        Options(column={"colour": "x"})
    for name, form in (("column", "NAME=COLUMN"), ("outcome_map", "WORD=OUTCOME"), ("choose", "NAME=VALUE")):
        with pytest.raises(UsageError, match=f"{name} takes {form}"):
            read(path, **{name: ["richtig"]})


def test_a_spreadsheets_tabs_are_read_as_pythons_csv_reads_them(tmp_path: Path) -> None:
    text = 'run\tquestion\toutcome\ttopic\na\t"q" 1\tcorrect\t"the ""old""" one\na\tq2\tincorrect\t5" disk\n'
    path = table(tmp_path, text, "t.tsv")
    expected = list(csv.reader(text.splitlines(keepends=True), delimiter="\t"))[1:]
    found = evidence(path)
    assert found.questions == tuple(row[1] for row in expected) == ("q 1", "q2")
    assert list(found.strata["topic"]) == [row[3] for row in expected]
    unclosed = 'run\tquestion\toutcome\na\t"q\tcorrect\na\tq2\tcorrect\n'
    assert_refused(table(tmp_path, unclosed, "t.tsv"), "line 2", "is never closed")


@together(
    "opens, closes, separator",
    [
        ('"Paris', '"Rome', "\t"),
        ('"Paris', '"Rome"', "\t"),
        ('"Paris', 'it was "Rome"', "\t"),
        ('"', '"', "\t"),
        ('"Paris', 'Rome"', ","),
        ('"Paris', 'Rome"', ";"),
    ],
)
def test_a_cell_does_not_swallow_rows(tmp_path: Path, opens: str, closes: str, separator: str) -> None:
    for last in (5, 8):  # the next row, and a later one
        answers = {4: opens, last: closes}
        rows = [["run", "question", "answer", "outcome"]]
        rows += [["a", f"q{i}", answers.get(i, f"text {i}"), ("correct", "incorrect")[i % 2]] for i in range(10)]
        text = "".join(f"{separator.join(row)}\n" for row in rows)
        path = table(tmp_path, text, "t.tsv" if separator == "\t" else "t.csv")
        assert_refused(path, "line 6", f"a quotation mark opens a cell of {last - 3} lines that look like rows")


@together(
    "answer",
    [
        "yes, and no\nso, it is",
        "a,b\nc,d",
        "Here it is:\nx,1,2,3\ny,4,5,6",
        "run,q,x,outcome\nb,q9,y,z\nc,q8,y,z",
        "a\n\nb",
    ],
)
def test_a_cell_may_have_several_lines(tmp_path: Path, answer: str) -> None:
    for place in range(3):
        rows = [["question", "outcome", "topic"], ["q1", "correct", "x"], ["q2", "incorrect", "y"]]
        for i, row in enumerate(rows):
            row.insert(place, answer if i == 2 else f"answer{i or ''}")
        path = tmp_path / "t.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
        assert evidence(path).questions == ("q1", "q2")


@together("first, last", [(3, 4), (15, 25), (5, 35), (18, 39), (19, 39)])
def test_a_cell_does_not_swallow_rows_of_another_run(tmp_path: Path, first: int, last: int) -> None:
    rows = [[run, f"q{i}", "text", ("correct", "incorrect")[i % 2]] for run in "ab" for i in range(20)]
    rows[first][2], rows[last][2] = '"Paris', 'Rome"'
    path = table(tmp_path, "run,question,answer,outcome\n" + "".join(f"{','.join(row)}\n" for row in rows), "t.csv")
    assert_refused(path, f"line {first + 2}", "lines that look like rows")


@together("answer", ["Answer:\n1,correct,x\n2,incorrect,y", "Answer:\n17,correct,x\n17,incorrect,y"])
def test_a_cell_may_hold_rows_that_repeat_the_name_of_a_row(tmp_path: Path, answer: str) -> None:
    rows = [["question", "outcome", "answer"], *([f"{i}", ("correct", "incorrect")[i % 2], f"a{i}"] for i in range(12))]
    rows[1][-1] = answer
    path = tmp_path / "t.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    assert len(evidence(path).questions) == 12


def test_plain_rows_and_columns_are_tables() -> None:
    rows = [
        {"model": "a", "question": 1, "correct": True},
        {"model": "a", "question": 2, "correct": np.bool_(False), "conf": 0.5},
    ]
    columns = {"model": ["a", "a"], "question": np.array([1, 2]), "correct": [1, np.float64(0)]}
    for given in (rows, tuple(rows), columns | {"conf": [float("nan"), 0.5]}):
        assert counts_in(evidence(given)) == {"a": [1, 1, 0]}
        assert_array_equal(evidence(given).columns["confidence"], [[np.nan, 0.5]])
    assert_refused({"question": [1, 2], "correct": [1]}, None, "the columns differ in length")
    half = pa.array(np.array([0.5, 0.25], dtype=np.float16))
    given = pa.table({"question": ["1", "2"], "outcome": ["correct", "incorrect"], "confidence": half})
    assert_array_equal(evidence(given).columns["confidence"], [[0.5, 0.25]])


def test_errors_in_python_name_its_arguments(tmp_path: Path) -> None:
    for text, rule in (
        ("question,zork,fnord\n1,ja,nein\n2,nein,nein\n", r'column=\{.*"outcome": "zork"\}'),
        ("foo\nx\n", r'column=\{"outcome": NAME\}'),
        ("run,question,outcome\na,1,correct\nb,1,correct\nb,2,correct\n", r'missing="common" .* missing="unanswered"'),
        ("run,question,outcome\na,1,\nb,1,correct\n", r'use ungraded="exclude" to leave .* or ungraded="bounds"'),
    ):
        with pytest.raises(nescio.NescioError, match=rule):
            nescio.score(table(tmp_path, text))


def test_points_between_thousands_are_asked_about_unless_commas_are_decimal(tmp_path: Path) -> None:
    """1.234, 987 and 2.001 milliseconds: 1407.33 on average, and not 329.745."""
    rows = "m;a;ja;1.234;0,12\nm;b;ja;987;0,5\nm;c;nein;2.001;1\n"
    alone = table(tmp_path, "Modell;Frage;Ergebnis;Latenz\nm;a;ja;1.234\nm;b;ja;987\nm;c;nein;2.001\n")
    rule = "'Latenz': 1.234 could be 1234 or 1.234: write it without a point between thousands"
    assert rule in str(refusal(alone, graded=("Latenz",), strata=()))
    assert rule in str(refusal(alone, column={"outcome": "Latenz<=1000", "run": "Modell"}))
    others = table(tmp_path, "Modell,Frage,Ergebnis,Latenz\na,a,ja,900\na,b,ja,800\na,c,nein,1200\n", "a.csv")
    for files in ([others, alone], [alone, others]):
        assert rule in str(refusal(files, graded=("Latenz",), strata=()))
    matrix = table(tmp_path, "Frage;Latenz;neu\na;1.234;900\nb;987;800\n", "m.csv")
    assert rule in str(refusal(matrix, format_in="matrix"))
    both = evidence(table(tmp_path, f"Modell;Frage;Ergebnis;Latenz;Kosten\n{rows}"), graded=("Latenz",), strata=())
    assert both.columns["user.Latenz"].mean() == pytest.approx((1234 + 987 + 2001) / 3)
    commas = table(tmp_path, "Modell;Frage;Latenz\nm;a;1,234\nm;b;2,001\n", "c.csv")
    assert counts_in(evidence(commas, column={"outcome": "Latenz<=2", "run": "Modell"})) == {"m": [1, 1, 0]}
    table(tmp_path, "Modell;Frage;Ergebnis;Latenz\nm;a;ja;1.234\nm;b;ja;987\n", commas.name)  # written anew
    assert rule in str(refusal(commas, graded=("Latenz",), strata=()))
    matrix = table(tmp_path, "Frage;alt;neu\na;2;1\nb;1,234;1,5\n", "d.csv")
    assert_array_equal(evidence(matrix, format_in="matrix").columns["user.d"], [[2, 1.234], [1, 1.5]])
    matrix = table(tmp_path, "Frage;alt;neu\na;1,234;1.001,5\nb;2;1\n", "d.csv")
    assert_array_equal(evidence(matrix).columns["user.d"], [[1.234, 2], [1001.5, 1]])
    rows = "m;a;ja;1.234;1\nm;b;ja;2.0010;1\n"
    decimals = evidence(table(tmp_path, f"Modell;Frage;Ergebnis;Latenz;Kosten\n{rows}"), graded=("Latenz",), strata=())
    assert_array_equal(decimals.columns["user.Latenz"], [[1.234, 2.001]])
    rows = "m;a;ja;1.234;1\nm;b;ja;0.987;1\n"
    decimals = evidence(table(tmp_path, f"Modell;Frage;Ergebnis;Latenz;Kosten\n{rows}"), graded=("Latenz",), strata=())
    assert_array_equal(decimals.columns["user.Latenz"], [[1.234, 0.987]])


@together(
    "cells, expected",
    [
        ("1.234,5 987,5 -12", (1234.5, 987.5, -12)),
        ("1.234 987,5 12,5", (1234, 987.5, 12.5)),  # a point in a file with decimal commas
        ("1.234 0.75 12,5", (1.234, 0.75, 12.5)),  # 0.75 contradicts this
    ],
)
def test_a_column_may_have_decimal_commas_and_points(cells: str, expected: tuple[float, ...], tmp_path: Path) -> None:
    rows = "".join(f"m;{at};ja;{cell}\n" for at, cell in enumerate(cells.split()))
    read = evidence(table(tmp_path, f"Modell;Frage;Ergebnis;Latenz\n{rows}"), graded=("Latenz",), strata=())
    assert_array_equal(read.columns["user.Latenz"], [expected])


# What stands where people mean "none", or write a share as they say it; and the note on it.
CONFIDENCES = [
    (",", "0.9,n/a,0.4", (0.9, np.nan, 0.4), "1 confidence cell is read as missing"),
    (",", "0.9,k. A.,–", (0.9, np.nan, np.nan), "2 confidence cells are read as missing"),
    (",", "90%,45 %,7.5%", (0.9, 0.45, 0.075), "in percent: 75% is read as 0.75"),
    (",", "90%,n/a,40%", (0.9, np.nan, 0.4), "'confidence' is in percent"),
    (";", "45,5%;7%;1%", (0.455, 0.07, 0.01), "'confidence' is in percent"),
]


@together("mark, cells, expected, said", CONFIDENCES)
def test_a_confidence_is_read_as_people_write_it(
    mark: str, cells: str, expected: tuple[float, ...], said: str, tmp_path: Path
) -> None:
    rows = "".join(f"{i}{mark}correct{mark}{cell}\n" for i, cell in enumerate(cells.split(mark)))
    loaded = read(table(tmp_path, f"question{mark}outcome{mark}confidence\n{rows}"))
    np.testing.assert_allclose(loaded.data.columns["confidence"][0], expected)
    assert any(said in note for note in in_words(loaded.notes))


def test_a_share_beside_percentages_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path, "question,outcome,confidence\n1,correct,0.9\n2,correct,45%\n")
    assert_refused(path, "line 3", "confidence must be a finite number such as 0.75, or empty (found '45%')")


def test_a_message_shows_no_invisible_characters_of_a_columns_name(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("run,correct,incorrect,\ufeffunanswered\na,5,3,\n", encoding="utf-8")
    assert_well_put(str(refusal(path, FormatError)))
