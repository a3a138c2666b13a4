"""Kinds of tables that people made, each from a hidden truth of two runs: read as that, or asked about by what is at
issue, and read as that by the options that the message names."""

from __future__ import annotations

import json
import random
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.data.evidence import Tally
from nescio.errors import SPELLING, FormatError, NescioError, in_shell
from nescio.pipeline import Options, load
from tests.rings import together
from tests.tables.reading import WAYS, counts_of, with_options
from tests.tables.table import RIGHT, SILENT, WRONG, Row

RUNS, SIZE = ("alpha", "beta"), 12
States = dict[str, list[str]]


def truth(seed: int) -> States:
    chance = random.Random(seed)
    states = {
        run: [RIGHT, WRONG, SILENT, SILENT, SILENT, *chance.choices((RIGHT, WRONG, SILENT), k=SIZE - 5)] for run in RUNS
    }
    for of_run in states.values():
        chance.shuffle(of_run)
    return states


def rows(
    states: States, cells: Callable[[str, int], Row], question: str = "question_id", run: str = "model"
) -> list[Row]:
    return [
        {question: f"q{i}", run: name, **cells(s, i)} for name, of_run in states.items() for i, s in enumerate(of_run)
    ]


def read(tmp_path: Path, document: Any, **options: Any) -> tuple[Any, str]:
    """Return the counts (right, wrong, silent, ungraded) by run, or the message; and the notes."""
    path = tmp_path / "table.json"
    path.write_text(json.dumps(document))
    before = SPELLING.set(in_shell)
    try:
        loaded = load(path, Options(**options))
    except NescioError as error:
        return str(error), ""
    finally:
        SPELLING.reset(before)
    counts = counts_of(loaded)
    return counts and {run: tuple(own)[:4] for run, own in counts.items()}, "\n".join(map(str, loaded.notes))


def counted(states: States, silence: int = 2) -> dict[str, tuple[int, ...]]:
    """Count what is right, wrong, silent and ungraded; silence stands at the place `silence`."""
    made = {}
    for run, of_run in states.items():
        counts = [of_run.count(RIGHT), of_run.count(WRONG), 0, 0]
        counts[silence] += of_run.count(SILENT)
        made[run] = tuple(counts)
    return made


def said(right: Any, wrong: Any, silent: Any) -> dict[str, Any]:
    return {RIGHT: right, WRONG: wrong, SILENT: silent}


def column(**parts: str) -> dict[str, Any]:
    return {"column": parts}


KINDS = tomllib.loads(Path(__file__).with_name("kinds.toml").read_text(encoding="utf-8"))
MARKS: dict[str, Callable[[int], Any]] = {"<i>": lambda i: i, "<i%3>": lambda i: i % 3, "<null>": lambda _: None}


def table_of(kind: Mapping[str, Any], states: States) -> list[Row]:
    def cell(value: Any, s: str, i: int) -> Any:
        if isinstance(value, list):
            value = value[(RIGHT, WRONG, SILENT).index(s)]
        if value in MARKS:
            return MARKS[value](i)
        return value.format(i=i) if isinstance(value, str) else value

    cells = kind["cells"].items()
    return rows(states, lambda s, i: {name: cell(value, s, i) for name, value in cells}, *kind.get("names", ()))


@together("name", KINDS["read"])
def test_a_table_is_read_at_once(tmp_path: Path, name: str) -> None:
    kind, states = KINDS["read"][name], truth(4)
    assert read(tmp_path, table_of(kind, states))[0] == counted(states, 1 if "silence" in kind else 2)


@together("name", KINDS["asked"])
def test_a_table_is_asked_about_and_read_by_what_is_answered(tmp_path: Path, name: str) -> None:
    kind = KINDS["asked"][name]
    states = truth(kind.get("seed", 4))
    table = table_of(kind, states)
    message, _ = read(tmp_path, table)
    assert isinstance(message, str), message
    assert [part for part in kind["message"] if part not in message] == [], message
    options = {option: kind[option] for option in ("column", "outcome_map", "declined_pattern") if option in kind}
    assert read(tmp_path, table, **options)[0] == counted(states, 1 if "silence" in kind else 2)


def test_rows_that_may_not_count_are_named(tmp_path: Path) -> None:
    words = said("correct", "incorrect", "unanswered")
    table = rows(truth(5), lambda s, i: {"outcome": words[s], "exclude": "x" if i % 4 == 0 else None})
    found, notes = read(tmp_path, table)
    assert found == counted(truth(5))
    assert "6 rows of which 'exclude'" in notes


@together("word", ["error", "judge_error", "exception: error"])
def test_an_error_beside_a_word_for_wrong_answers_is_no_grade(tmp_path: Path, word: str) -> None:
    states = truth(1)
    found, _ = read(tmp_path, rows(states, lambda s, _: {"verdict": said("pass", "fail", word)[s]}), ungraded="exclude")
    if isinstance(found, str):  # of a word that nobody knows
        assert word in found
    else:
        assert {run: own[:3] for run, own in found.items()} == {r: (*c[:2], 0) for r, c in counted(states).items()}


@together("words", [("correct", "wrong", "abstained"), (True, False, False), (1, 0, 0)])
def test_objects_of_verdicts_by_run_and_question_are_read(tmp_path: Path, words: tuple[Any, ...]) -> None:
    states, cells = truth(1), said(*words)
    document = {run: {f"q{i}": cells[s] for i, s in enumerate(of_run)} for run, of_run in states.items()}
    assert read(tmp_path, document)[0] == counted(states, 1 if words[1] == words[2] else 2)


@together("style", ["result ({})", "{} result", "result@{}"])
def test_runs_in_the_names_of_columns_are_read(tmp_path: Path, style: str) -> None:
    states, cells = truth(2), said("right", "wrong", "declined")
    table = [{"question": f"q{i}", **{style.format(r): cells[states[r][i]] for r in RUNS}} for i in range(SIZE)]
    assert read(tmp_path, table)[0] == counted(states)


def test_columns_of_each_run_are_named_by_what_their_names_have_in_common(tmp_path: Path) -> None:
    states, parts = truth(9), {"zork_ok": RIGHT, "left_blank": SILENT}
    table = [
        {"id": f"q{i}", **{f"{run}.{part}": own[i] == s for run, own in states.items() for part, s in parts.items()}}
        for i in range(SIZE)
    ]
    assert "--column outcome=zork_ok --column abstained=left_blank" in read(tmp_path, table)[0]
    found, notes = read(tmp_path, table, **column(outcome="zork_ok", abstained="left_blank"))
    assert found == counted(states)
    assert "2 runs have columns of their own" in notes


def test_a_grid_with_a_column_unlike_its_runs_is_asked_about(tmp_path: Path) -> None:
    states, cells = truth(5), said(1, 0, -1)
    table = [{"item": f"q{i}", **{r: cells[states[r][i]] for r in RUNS}, "exit_code": i % 3} for i in range(SIZE)]
    message, _ = read(tmp_path, table)
    assert "exit_code: " not in message
    assert "--outcome-map -1=unanswered  (" in message
    named = column(question="item", outcome="+".join(RUNS)) | {"outcome_map": {"-1": "unanswered"}}
    assert read(tmp_path, table, **named)[0] == counted(states)


def test_a_column_for_each_question_is_read_by_its_options(tmp_path: Path) -> None:
    states, words = truth(8), said("hit", "miss", "pass")
    table = [{"arm": run, **{f"uid_{i}": words[s] for i, s in enumerate(own)}} for run, own in states.items()]
    every = "+".join(f"uid_{i}" for i in range(SIZE))
    means = {"hit": "correct", "miss": "incorrect", "pass": "unanswered"}
    assert read(tmp_path, table, **column(run="arm", outcome=every), outcome_map=means)[0] == counted(states)
    message, _ = read(tmp_path, table)
    assert message.count("outcome=uid_") == message.count(f"outcome={every} ")


def test_two_verdicts_that_bear_letters_may_be_judges(tmp_path: Path) -> None:
    states, words = truth(16)["alpha"], said("correct", "incorrect", "abstained")
    table = [
        {"id": f"q{i}", "verdict_a": words[s], "verdict_b": words[SILENT if i % 4 == 0 else s]}
        for i, s in enumerate(states)
    ]
    message, _ = read(tmp_path, table)
    ways = ("--column outcome=verdict_a  (", "--column outcome=verdict_b  (", "outcome=verdict_a+verdict_b  (")
    assert all(way in message for way in ways)


def test_words_that_tell_questions_apart_are_no_repeats_at_once(tmp_path: Path) -> None:
    answers = rows(truth(4), lambda s, _: {"correct": s == RIGHT}, "idx")
    table = [{"lang": part, **row} for part in ("de", "en", "fr") for row in answers]
    assert "if each 'lang' has questions of its own, write both into one column" in read(tmp_path, table)[0]
    joined = [{**row, "question": f"{row['lang']}-{row['idx']}"} for row in table]
    assert {sum(own) for own in read(tmp_path, joined, **column(question="question"))[0].values()} == {SIZE * 3}


@together("key, name", [("trace_id", "vendor"), ("id", "tenant")])
def test_what_may_name_runs_is_named_where_rows_have_an_id_each(tmp_path: Path, key: str, name: str) -> None:
    words = said("correct", "incorrect", "unanswered")
    cells = [(run, words[s]) for run, own in truth(1).items() for s in own]
    table = [{key: f"{i * 7919:05x}", name: run, "outcome": s} for i, (run, s) in enumerate(cells)]
    found, notes = read(tmp_path, table)
    assert sum(found["table"]) == 2 * SIZE
    assert f"read as one run, and {name!r} may name several" in notes
    runs = column(run=name, question=key)  # which share no question
    assert set(read(tmp_path, table, **runs, missing="unanswered")[0]) == {*RUNS}


REMARKS: dict[str, tuple[Callable[[str, int], Row], str]] = {
    "an empty text": (lambda s, i: {"svar": None if s == SILENT else f"text {i}"}, "'svar' is empty"),
    "a word beside no right answer": (lambda s, _: {"halt": "gave up" if s == SILENT else "done"}, "'halt'"),
    "one text that reads like silence": (
        lambda _, i: {"zork": "I don't know." if i == 5 else f"thing {i}", "fnord": f"{i} things"},
        "'zork' is empty or reads like silence in",
    ),
}


@together("name", [*REMARKS])
def test_what_may_be_silence_and_is_not_read_is_named(tmp_path: Path, name: str) -> None:
    cells, note = REMARKS[name]
    states = truth(4) if "one text" not in name else {"alpha": [RIGHT] * 4 + [WRONG] * 8}
    assert note in read(tmp_path, rows(states, lambda s, i: {"correct": s == RIGHT, **cells(s, i)}))[1]


REFUSED: dict[str, tuple[list[Row], str]] = {
    "empty gold answers": (
        rows(truth(0), lambda _, i: {"expected_output": None, "actual_output": f"answer {i}"}),
        "all cells of 'expected_output' are empty",
    ),
    "what was answered is no run": (
        [{"qid": f"q{i}", "a": i % 2, "b": int(i % 3 > 0), "attempted": int(i % 4 > 0)} for i in range(SIZE)],
        "attempted",
    ),
    "letters beside letters": (
        [{"id": f"q{i}", "label": "ABC"[i % 3], "pred": "ABC"[i % 3 - (i % 2)]} for i in range(SIZE)],
        "--column gold=label",
    ),
    "steps that look like scores": (
        [{"probNo": (i + 1) / 100, "matchesKey": i % 3 > 0, "took_s": i * i / 7} for i in range(SIZE)],
        "--column question=probNo",
    ),
    "columns that add up": (
        [
            {"malli": "Orca", "oikein": 14, "väärin": 3, "ei vastausta": 8},
            {"malli": "Falke", "oikein": 10, "väärin": 10, "ei vastausta": 5},
        ],
        "Orca: 14 right, 3 wrong, 8 silent",
    ),
    "a fourth column that is the sum": (
        [
            {"bot": "x", "hits": 61, "misses": 29, "passes": 10, "asked": 100},
            {"bot": "y", "hits": 55, "misses": 40, "passes": 5, "asked": 100},
        ],
        "--column correct=hits --column incorrect=misses --column unanswered=passes",
    ),
    "runs by their names, or one run by its numbers": (
        [
            {"id": i, **row}
            for i, row in enumerate(rows(truth(3), lambda s, _: {"correct": s == RIGHT}, "zork", "fnord"))
        ],
        "--column run=fnord --column question=zork reads runs, --column question=id reads",
    ),
    "members of an object": (
        [
            {"id": f"q{i}", "grading": {"needs_review": i % 3 == 0, "zork": s == WRONG, "is_good": s == RIGHT}}
            for i, s in enumerate(truth(7)["alpha"])
        ],
        "outcome=grading.is_good",
    ),
    "two names that cross runs": (
        [
            {**row, "heat": heat}
            for heat in ("cold", "hot")
            for row in rows(truth(5), lambda s, i: {"gold": f"thing {i}", "prediction": s}, run="who")
        ],
        "each answer stands once with 'heat' and 'who': --column run=heat --column repeat=who",
    ),
}


@together("name", [*REFUSED])
def test_what_could_be_misread_is_refused(tmp_path: Path, name: str) -> None:
    table, message = REFUSED[name]
    found = read(tmp_path, table)[0]
    assert isinstance(found, str), found
    assert message in found


def test_counts_in_unknown_words_are_among_the_ways(tmp_path: Path) -> None:
    counts = [(5, 3, 6), (8, 2, 4), (7, 7, 0)]
    table = [{"rendszer": f"r{i}", "jó": a, "rossz": b, "nincs válasz": c} for i, (a, b, c) in enumerate(counts)]
    ways = WAYS.findall(read(tmp_path, table)[0])
    assert all(len(re.findall(r"--column '?(?:correct|incorrect|unanswered)=", way)) == 3 for way in ways)
    tally = load(tmp_path / "table.json", Options(**with_options({}, ways[0]))).data
    assert isinstance(tally, Tally)
    names = ("correct", "incorrect", "unanswered")
    assert [tuple(int(own[tally.columns[name] > 0].sum()) for name in names) for own in tally.counts] == counts


def test_a_title_above_a_sheet_is_left_out(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    states, path = truth(7), tmp_path / "table.xlsx"
    table = rows(states, lambda s, _: {"verdict": said("right", "wrong", "declined")[s]})
    book = openpyxl.Workbook()
    for line in (["Results of October"], [], list(table[0]), *(list(row.values()) for row in table)):
        book.active.append(line)
    book.save(path)
    loaded = load(path, Options())
    assert {run: tuple(own)[:4] for run, own in (counts_of(loaded) or {}).items()} == counted(states)
    assert any("1 row above the header left out ('Results of October')" in str(note) for note in loaded.notes)


def test_yes_and_no_are_answers_where_the_gold_answers_are(tmp_path: Path) -> None:
    """Gold yes or no beside what was got, under a name that says nothing: no verdict, but an answer to be judged."""
    path, got = tmp_path / "t.csv", ["yes", "no", "no", "no", "yes"]
    lines = [f"{i},q{i}?,{'yes' if i % 3 else 'no'},{got[i % 5]}" for i in range(30)]
    path.write_text("\n".join(["qid,question,expected,got", *lines]) + "\n")
    with pytest.raises(NescioError, match=re.escape('{"prediction": "got"}')):
        nescio.score(path)
    right = sum(("yes" if i % 3 else "no") == got[i % 5] for i in range(30))
    row = nescio.score(path, "accuracy", column={"prediction": "got"}).rows[0]
    assert (row.value, row.n) == (pytest.approx(right / 30), 30)


def test_a_wrong_answer_of_all_runs_to_one_question_is_no_silence(tmp_path: Path) -> None:
    answers = {run: [f"thing {i}" for i in range(9)] for run in "abcd"}
    for i, of_run in enumerate(answers.values()):
        of_run[3], of_run[4 + i] = "other", ""
    answers["a"][0] = "else"
    table = [
        {"qid": f"q{i}", "model": run, "response": text or None, "correct": text == f"thing {i}"}
        for run, of_run in answers.items()
        for i, text in enumerate(of_run)
    ]
    assert read(tmp_path, table)[0] == {"a": (6, 2, 1, 0)} | dict.fromkeys("bcd", (7, 1, 1, 0))


def test_a_remark_is_no_header(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("# made on Monday, by hand\nid,model,korrekt\n1,a,1\n2,a,0\n")
    with pytest.raises(FormatError, match="the first line is a remark, as it begins with #, and no header: delete it"):
        load(path, Options())
