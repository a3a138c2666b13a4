"""Kinds of tables that another maker's were: each from a hidden truth of two runs, read as that, or asked about by what
is at issue."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.errors import SPELLING, NescioError, in_shell
from nescio.pipeline import Options, load
from tests.tables.reading import counts_of
from tests.tables.table import RIGHT, SILENT, WRONG

RUNS, SIZE = ("alpha", "beta"), 12
Row = dict[str, Any]


def truth(seed: int) -> dict[str, list[str]]:
    chance = random.Random(seed)
    states = {
        run: [RIGHT, WRONG, SILENT, SILENT, SILENT, *chance.choices((RIGHT, WRONG, SILENT), k=SIZE - 5)] for run in RUNS
    }
    for own in states.values():
        chance.shuffle(own)
    return states


def rows(states: dict[str, list[str]], cell: Any, question: str = "question_id", run: str = "model") -> list[Row]:
    return [{question: f"q{i}", run: name, **cell(s, i)} for name, own in states.items() for i, s in enumerate(own)]


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
    return counts and {run: tuple(one)[:4] for run, one in counts.items()}, "\n".join(map(str, loaded.notes))


def counted(states: dict[str, list[str]], *, silent: int = 2) -> dict[str, tuple[int, ...]]:
    """Count what is right, wrong, silent and ungraded; silence stands at the place `silent`."""
    made = {}
    for run, own in states.items():
        counts = [own.count(RIGHT), own.count(WRONG), 0, 0]
        counts[silent] += own.count(SILENT)
        made[run] = tuple(counts)
    return made


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("word", ["error", "judge_error", "ERROR", "exception: error"])
def test_an_error_beside_a_word_for_wrong_answers_is_no_grade(tmp_path: Path, word: str, seed: int) -> None:
    states = truth(seed)
    table = rows(states, lambda s, _: {"verdict": {RIGHT: "pass", WRONG: "fail", SILENT: word}[s]})
    found, _ = read(tmp_path, table, ungraded="exclude")
    if isinstance(found, str):  # of a word that nobody knows
        assert word in found
    else:
        assert [(r, w, s) for r, w, s, _ in found.values()] == [(r, w, 0) for r, w, _, _ in counted(states).values()]


@pytest.mark.parametrize("seed", range(3))
def test_a_column_judge_of_verdicts_is_not_passed_over(tmp_path: Path, seed: int) -> None:
    states = truth(seed)
    table = rows(
        states,
        lambda s, i: {
            "gold": f"answer {i}",
            "prediction": f"surely answer {i}, I say",
            "judge": "yes" if s == RIGHT else "no",
        },
    )
    found, _ = read(tmp_path, table)
    assert found == counted(states, silent=1)


def test_gold_answers_that_are_all_empty_are_asked_about(tmp_path: Path) -> None:
    table = rows(truth(0), lambda _, i: {"expected_output": None, "actual_output": f"answer {i}"})
    assert "all cells of 'expected_output' are empty" in read(tmp_path, table)[0]


@pytest.mark.parametrize("name", ["pred_answered", "abstained_by_rule", "attempted"])
def test_what_was_answered_is_no_run_of_a_matrix(tmp_path: Path, name: str) -> None:
    table = [{"qid": f"q{i}", "a": i % 2, "b": int(i % 3 > 0), name: int(i % 4 > 0)} for i in range(SIZE)]
    assert isinstance(read(tmp_path, table)[0], str)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("words", [("correct", "wrong", "abstained"), (True, False, False), (1, 0, 0)], ids=str)
def test_objects_of_verdicts_by_run_and_question(tmp_path: Path, words: tuple[Any, ...], seed: int) -> None:
    states = truth(seed)
    said = dict(zip((RIGHT, WRONG, SILENT), words, strict=True))
    document = {run: {f"q{i}": said[s] for i, s in enumerate(own)} for run, own in states.items()}
    assert read(tmp_path, document)[0] == counted(states, silent=1 if words[1] == words[2] else 2)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("style", ["result ({})", "result [{}]", "{} result", "result@{}"])
def test_runs_in_the_names_of_columns(tmp_path: Path, style: str, seed: int) -> None:
    states, said = truth(seed), {RIGHT: "right", WRONG: "wrong", SILENT: "declined"}
    table = [{"question": f"q{i}", **{style.format(r): said[states[r][i]] for r in RUNS}} for i in range(SIZE)]
    assert read(tmp_path, table)[0] == counted(states)


@pytest.mark.parametrize("name", ["score", "correct", "truthfulness_score"])
def test_one_and_minus_one_are_asked_about_with_what_each_way_makes(tmp_path: Path, name: str) -> None:
    states = truth(1)
    table = rows(states, lambda s, _: {name: {RIGHT: 1, WRONG: 0, SILENT: -1}[s]})
    message, _ = read(tmp_path, table)
    right, wrong, silent, _ = map(sum, zip(*counted(states).values(), strict=True))
    lines = message.splitlines()
    silence = next(line for line in lines if "--outcome-map -1=unanswered  (" in line)
    zero = next(line for line in lines if "--outcome-map -1=incorrect --outcome-map 0=unanswered  (" in line)
    by_run = counted(states).items()
    both = [(f"{right} right, {wrong} wrong, {silent} silent", f"{right} right, {silent} wrong, {wrong} silent")]
    both += [
        (f"{run}: {r} right, {w} wrong, {s} silent", f"{run}: {r} right, {s} wrong, {w} silent")
        for run, (r, w, s, _) in by_run
    ]
    of_all, *of_each = both
    assert of_all[0] in silence or all(one in silence for one, _ in of_each)
    assert of_all[1] in zero or all(one in zero for _, one in of_each)
    assert read(tmp_path, table, outcome_map={"-1": "unanswered"}, column={"outcome": name})[0] == counted(states)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("names", [("soru_no", "Gruppe X"), ("otázka", "konfig"), ("zz", "yy")])
def test_runs_and_questions_are_found_by_how_they_cross(tmp_path: Path, names: tuple[str, str], seed: int) -> None:
    states = truth(seed)
    table = rows(states, lambda s, _: {"verdict": {RIGHT: "right", WRONG: "wrong", SILENT: "abstained"}[s]}, *names)
    random.Random(seed).shuffle(table)
    assert read(tmp_path, table)[0] == counted(states)


@pytest.mark.parametrize("name", ["passed_filter", "correct_format", "accepted_terms", "baseline_correct"])
def test_a_verdict_on_something_else_is_not_proposed(tmp_path: Path, name: str) -> None:
    table = rows(truth(2), lambda s, i: {name: i % 4 > 0, "zork": "Y" if s == RIGHT else "N"})
    message, _ = read(tmp_path, table)
    assert f"outcome={name}" not in message
    assert f"outcome=!{name}" not in message
    assert "--column outcome=zork  (" in message


@pytest.mark.parametrize("name", ["not_matching", "notAccurate", "unsupported_claim"])
def test_a_name_that_denies_what_is_right_says_what_is_wrong(tmp_path: Path, name: str) -> None:
    states = truth(3)
    found, _ = read(tmp_path, rows(states, lambda s, _: {name: s != RIGHT}))
    assert isinstance(found, str) or found == counted(states, silent=1)


def test_a_text_that_nobody_reads_is_named_where_it_is_empty(tmp_path: Path) -> None:
    states = truth(4)
    table = rows(states, lambda s, i: {"correct": s == RIGHT, "svar": None if s == SILENT else f"saying {i}"})
    _, notes = read(tmp_path, table)
    assert "'svar' is empty" in notes
    assert read(tmp_path, table, column={"answer": "svar"})[0] == counted(states)


def test_a_word_beside_no_right_answer_is_named(tmp_path: Path) -> None:
    table = rows(truth(5), lambda s, _: {"correct": s == RIGHT, "halt": "gave up" if s == SILENT else "done"})
    assert "'halt'" in read(tmp_path, table)[1]


def test_a_key_that_is_no_answer_is_no_gold_answer(tmp_path: Path) -> None:
    table = rows(truth(6), lambda s, i: {"facit": f"thing {i}", "output": f"thing {i if s == RIGHT else 99}"}, "key")
    found, _ = read(tmp_path, table)
    assert isinstance(found, str)
    assert "gold=key" not in found


def test_a_title_above_a_sheet(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    states, path = truth(7), tmp_path / "table.xlsx"
    table = rows(states, lambda s, _: {"verdict": {RIGHT: "right", WRONG: "wrong", SILENT: "declined"}[s]})
    book = openpyxl.Workbook()
    for line in (["Results of October"], [], list(table[0]), *(list(row.values()) for row in table)):
        book.active.append(line)
    book.save(path)
    loaded = load(path, Options())
    counts = counts_of(loaded)
    assert counts is not None
    assert {run: tuple(one)[:4] for run, one in counts.items()} == counted(states)
    assert any("1 row above the header left out ('Results of October')" in str(note) for note in loaded.notes)


def test_ways_to_read_a_table_are_pasted(tmp_path: Path) -> None:
    """A verdict and a silence under names that nobody knows: each way has its options, and one is right."""
    states = truth(4)
    table = rows(states, lambda s, i: {"zork": s == RIGHT, "fnord": s == SILENT, "exit_code": i % 3 == 0})
    message, _ = read(tmp_path, table)
    assert "--column outcome=zork --column abstained=fnord  (alpha: " in message
    assert read(tmp_path, table, column={"outcome": "zork", "abstained": "fnord"})[0] == counted(states)


@pytest.mark.parametrize("decoy", ["exit_code", "worker", "latency_ms"])
def test_a_grid_with_a_column_unlike_its_runs_is_asked_about(tmp_path: Path, decoy: str) -> None:
    states = truth(5)
    said = {RIGHT: 1, WRONG: 0, SILENT: -1}
    table = [{"item": f"q{i}", **{r: said[states[r][i]] for r in RUNS}, decoy: i % 3} for i in range(SIZE)]
    message, _ = read(tmp_path, table)
    assert f"{decoy}: " not in message
    assert "--outcome-map -1=unanswered  (" in message
    column = {"question": "item", "outcome": "+".join(RUNS)}
    assert read(tmp_path, table, column=column, outcome_map={"-1": "unanswered"})[0] == counted(states)


def test_a_name_that_says_gave_up_is_silence(tmp_path: Path) -> None:
    states = truth(6)
    table = rows(states, lambda s, _: {"incorrect_final": s == WRONG, "gave_up": s == SILENT})
    assert read(tmp_path, table)[0] == counted(states)


def test_members_of_an_object_are_no_runs(tmp_path: Path) -> None:
    states = truth(7)[RUNS[0]]
    grading = [{"needs_review": i % 3 == 0, "zork": s == WRONG, "is_good": s == RIGHT} for i, s in enumerate(states)]
    message, _ = read(tmp_path, [{"id": f"q{i}", "grading": one} for i, one in enumerate(grading)])
    assert "outcome=grading.is_good" in message


def test_one_question_of_many_is_not_proposed_as_the_verdict_alone(tmp_path: Path) -> None:
    """A column for each question: "pass" was said of the third in each run, which is a word for what is right, too."""
    words = {RIGHT: "hit", WRONG: "miss", SILENT: "pass"}
    states = truth(8)
    said = {run: [SILENT if i == 2 else s for i, s in enumerate(own)] for run, own in states.items()}
    table = [{"arm": run, **{f"uid_{i}": words[s] for i, s in enumerate(own)}} for run, own in said.items()]
    message, _ = read(tmp_path, table)
    every = "+".join(f"uid_{i}" for i in range(SIZE))
    assert message.count("outcome=uid_") == message.count(f"outcome={every} ")
    assert "--outcome-map hit=correct --outcome-map miss=incorrect --outcome-map pass=unanswered" in message
    column = {"run": "arm", "outcome": every}
    means = {"hit": "correct", "miss": "incorrect", "pass": "unanswered"}
    assert read(tmp_path, table, column=column, outcome_map=means)[0] == counted(said)


@pytest.mark.parametrize("yes", [(True, False), (1, 0), ("Y", "N")], ids=str)
@pytest.mark.parametrize("mark", ["_", ".", "::", " "])
def test_columns_of_each_run_are_named_by_what_their_names_have_in_common(
    tmp_path: Path, mark: str, yes: tuple[Any, Any]
) -> None:
    states = truth(9)
    parts = {"zork_ok": RIGHT, "left_blank": SILENT}
    table = [
        {
            "id": f"q{i}",
            **{f"{r}{mark}{part}": yes[own[i] != s] for r, own in states.items() for part, s in parts.items()},
        }
        for i in range(SIZE)
    ]
    assert "--column outcome=zork_ok --column abstained=left_blank" in read(tmp_path, table)[0]
    found, notes = read(tmp_path, table, column={"outcome": "zork_ok", "abstained": "left_blank"})
    assert found == counted(states)
    assert "2 runs have columns of their own" in notes
    turned, _ = read(tmp_path, table, column={"outcome": "!zork_ok", "abstained": "-"})
    assert [n[0] for n in turned.values()] == [SIZE - own.count(RIGHT) for own in states.values()]


@pytest.mark.parametrize("name", ["verdict", "evaluation_result", "zork"])
@pytest.mark.parametrize("words", [("hit", "miss", "pass"), ("+", "-", "0"), ("agree", "oppose", "postpone")], ids=str)
def test_words_that_nobody_knows_are_asked_about(tmp_path: Path, name: str, words: tuple[str, ...]) -> None:
    states = truth(10)
    said = dict(zip((RIGHT, WRONG, SILENT), words, strict=True))
    message, _ = read(tmp_path, rows(states, lambda s, i: {name: said[s], "latency_ms": 10 + i, "worker": i % 3}))
    right, wrong, silent = words
    means = sorted(f"--outcome-map {w}={m}" for w, m in zip(words, ("correct", "incorrect", "unanswered"), strict=True))
    assert " ".join(means) in message, (right, wrong, silent)


def test_texts_that_are_the_same_in_some_rows_are_answers_and_gold_answers(tmp_path: Path) -> None:
    states = truth(11)
    said = {RIGHT: "answer {}", WRONG: "another than {}", SILENT: "{} is not known to me"}
    table = rows(states, lambda s, i: {"zork": f"answer {i}", "plugh": said[s].format(i), "category": "abc"[i % 3]})
    message, _ = read(tmp_path, table)
    assert message.index("--column prediction=plugh --column gold=zork") < message.index("--column prediction=zork")


def test_a_question_that_all_runs_answer_alike_is_one_of_its_series(tmp_path: Path) -> None:
    states = {run: [RIGHT, WRONG, WRONG, *own] for run, own in truth(12).items()} | {
        "gamma": [RIGHT, WRONG, SILENT] * 5
    }
    marks = {RIGHT: 1, WRONG: 0, SILENT: -1}
    table = [
        {"zork": run, "timed_out": run == "beta", **{f"case_{i}": marks[s] for i, s in enumerate(own)}}
        for run, own in states.items()
    ]
    every = "+".join(f"case_{i}" for i in range(SIZE + 3))
    assert f"--column run=zork --column outcome={every} --outcome-map -1=unanswered" in read(tmp_path, table)[0]


def test_silence_beside_a_verdict_that_only_finds_faults_is_offered(tmp_path: Path) -> None:
    states = {run: own for run, own in truth(13).items() if run == RUNS[0]}
    table = rows(states, lambda s, _: {"zork": int(s == SILENT), "is_bogus": int(s == WRONG)})
    message, _ = read(tmp_path, table)
    assert "outcome=!is_bogus' --column abstained=zork" in message
    found, _ = read(tmp_path, table, column={"outcome": "!is_bogus", "abstained": "zork"})
    assert found == counted(states)


def test_runs_in_every_combination_are_runs(tmp_path: Path) -> None:
    chance = random.Random(14)
    names = [f"{model}_{prompt}" for model in ("gpt", "llama") for prompt in ("base", "rag")]
    table = [{"id": f"q{i}", **{name: chance.random() < 0.6 for name in names}} for i in range(SIZE)]
    assert isinstance(found := read(tmp_path, table)[0], dict)
    assert list(found) == names


# ---- what somebody makes who tries to deceive ----


def test_a_verdict_that_goes_against_all_gold_answers_is_asked_about(tmp_path: Path) -> None:
    states = truth(15)
    said = {RIGHT: "no", WRONG: "yes", SILENT: "yes"}
    table = rows(states, lambda s, i: {"gold": f"a{i}", "prediction": f"a{i + (s != RIGHT)}", "verdict": said[s]})
    assert "--column outcome='!verdict'" in read(tmp_path, table)[0].replace("'outcome=!", "outcome='!")
    assert read(tmp_path, table, column={"outcome": "!verdict"})[0] == counted(states, silent=1)
    as_it_is, _ = read(tmp_path, table, column={"outcome": "verdict"})
    assert [n[1] for n in as_it_is.values()] == [own.count(RIGHT) for own in states.values()]


@pytest.mark.parametrize("words", [("correct", "incorrect", "abstained"), (True, False, False)], ids=str)
def test_two_verdicts_that_bear_letters_may_be_judges(tmp_path: Path, words: tuple[Any, ...]) -> None:
    """They agree on all but silence, or wholly unlike each other: they are of two runs, or of two judges."""
    states = truth(16)[RUNS[0]]
    said = dict(zip((RIGHT, WRONG, SILENT), words, strict=True))
    other = [SILENT if i % 4 == 0 else s for i, s in enumerate(states)]
    table = [
        {"id": f"q{i}", "verdict_a": said[a], "verdict_b": said[b]}
        for i, (a, b) in enumerate(zip(states, other, strict=True))
    ]
    message, _ = read(tmp_path, table)
    ways = ("--column outcome=verdict_a  (", "--column outcome=verdict_b  (", "outcome=verdict_a+verdict_b  (")
    assert all(way in message for way in ways)


def test_letters_beside_answers_in_the_same_letters_are_gold_answers(tmp_path: Path) -> None:
    table = [{"id": f"q{i}", "label": "ABC"[i % 3], "pred": "ABC"[i % 3 - (i % 2)]} for i in range(SIZE)]
    assert "--column gold=label" in read(tmp_path, table)[0]


@pytest.mark.parametrize(
    "words",
    [("5", "1", "3"), ("100%", "0%", "50%"), ("正解", "不正解", "無回答"), ("sound", "unsound", "mute")],
    ids=str,
)
def test_of_words_in_order_or_made_of_each_other_the_likeliest_comes_first(tmp_path: Path, words: Any) -> None:
    states = truth(17)
    message, _ = read(tmp_path, rows(states, lambda s, _: {"score": dict(zip((RIGHT, WRONG, SILENT), words))[s]}))  # noqa: B905
    first = next(line for line in message.splitlines() if line.startswith("  --"))
    assert all(f"{word}={means}" in first for word, means in zip(words[:2], ("correct", "incorrect"), strict=True))


def test_a_verdict_that_pandas_has_no_value_for_is_asked_about(tmp_path: Path) -> None:
    table = rows(truth(18), lambda s, _: {"correct": {RIGHT: "1.0", WRONG: "0.0", SILENT: "nan"}[s]})
    assert "--outcome-map nan=unanswered" in read(tmp_path, table)[0]


def test_the_beginning_of_two_words_is_that_of_neither(tmp_path: Path) -> None:
    states = truth(19)
    said = {RIGHT: False, WRONG: True, SILENT: None}
    table = rows(states, lambda s, _: {"hallucinated": said[s], "gaveAnswer": s != SILENT})
    assert read(tmp_path, table)[0] == counted(states)


# ---- what a fourth maker's tables were ----


def test_a_text_that_is_empty_where_nothing_is_right_is_offered_as_the_answer(tmp_path: Path) -> None:
    states = truth(20)
    said = {RIGHT: "Oslo", WRONG: "Rome", SILENT: None}
    table = rows(states, lambda s, i: {"svar": said[s] and f"{said[s]} {i}", "svar_korrekt": s == RIGHT}, "opgave_id")
    message, _ = read(tmp_path, table)
    first = next(line for line in message.splitlines() if line.startswith("  --"))
    assert "--column answer=svar" in first
    named = {"question": "opgave_id", "outcome": "svar_korrekt", "answer": "svar"}
    assert read(tmp_path, table, column=named)[0] == counted(states)


def test_a_flag_of_faults_is_asked_about_beside_what_may_be_silence(tmp_path: Path) -> None:
    """An answer that was not given has no fault, and would be right."""
    states = truth(21)
    table = rows(states, lambda s, _: {"hallucFlag": s == WRONG, "bailedOut": s == SILENT})
    message, _ = read(tmp_path, table)
    assert "--column abstained=bailedOut" in message
    assert read(tmp_path, table, column={"outcome": "!hallucFlag", "abstained": "bailedOut"})[0] == counted(states)


def test_questions_may_be_numbered_in_steps_that_look_like_scores(tmp_path: Path) -> None:
    states = truth(22)[RUNS[0]]
    table = [{"probNo": (i + 1) / 100, "matchesKey": s == RIGHT, "took_s": i * i / 7} for i, s in enumerate(states)]
    message, _ = read(tmp_path, table)
    assert "--column question=probNo" in message
    found, _ = read(tmp_path, table, column={"question": "probNo", "outcome": "matchesKey"})
    assert found["table"][0] == states.count(RIGHT)


def test_of_two_columns_that_cross_there_are_fewer_runs(tmp_path: Path) -> None:
    states = truth(23)
    table = rows(states, lambda s, _: {"correct": s == RIGHT}, "dpId", "LLM_under_test")
    assert isinstance(found := read(tmp_path, table)[0], dict)
    assert list(found) == list(RUNS)


def test_columns_of_an_answer_are_no_runs_where_another_names_these(tmp_path: Path) -> None:
    states = truth(24)
    made = rows(states, lambda s, i: {"помилка": s == WRONG, "tox": i % 5 == 0}, "номер_питання", "модель")
    found, _ = read(tmp_path, made)
    assert isinstance(found, str) or list(found) == list(RUNS)


@pytest.mark.parametrize("name", ["noReply", "isNonAnswer", "no_output", "unanswered"])
def test_a_name_that_denies_an_answer_says_what_was_declined(tmp_path: Path, name: str) -> None:
    states = truth(25)
    assert read(tmp_path, rows(states, lambda s, _: {"correct": s == RIGHT, name: s == SILENT}))[0] == counted(states)


@pytest.mark.parametrize("options", [{}, {"column": {"question": "malli"}}], ids=["plain", "named"])
def test_columns_that_add_up_to_one_number_may_be_counts(tmp_path: Path, options: Any) -> None:
    counts = [("Orca", 14, 3, 8), ("Falke", 10, 10, 5)]
    table = [dict(zip(("malli", "oikein", "väärin", "ei vastausta"), one, strict=True)) for one in counts]
    message, _ = read(tmp_path, table, **options)
    assert isinstance(message, str)
    assert "each row adds up to 25" in message or not options


def test_counts_by_words_for_right_and_wrong_are_no_matrix(tmp_path: Path) -> None:
    table = [{"модель": "kiwi", "правильно": 13, "неправильно": 12, "без відповіді": 14}]
    assert "--column 'run=модель'" in read(tmp_path, table)[0]
    _, notes = read(tmp_path, table, column={"run": "модель"})
    assert "unanswered is the column 'без відповіді'" in notes


@pytest.mark.parametrize("name", ["flag", "exit_code"])
def test_one_column_of_one_and_zero_is_asked_about(tmp_path: Path, name: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(f"id,{name}\n" + "".join(f"{i},{i % 2}\n" for i in range(SIZE)))
    with pytest.raises(NescioError, match="may be a run, a verdict, or neither"):
        load(path)


def test_a_column_that_was_named_as_a_verdict_makes_no_matrix(tmp_path: Path) -> None:
    """Else the option that a message proposes would be refused."""
    table = [{"when": f"2026-01-{i + 1:02}", "value": i % 2, "loc": "xy"[i % 2]} for i in range(SIZE)]
    message, _ = read(tmp_path, table, column={"outcome": "value"})
    assert "score matrix: one column a run" not in str(message)


@pytest.mark.parametrize("silence", ["", "don't know"])
def test_yes_and_no_are_answers_where_the_gold_answers_are(silence: str, tmp_path: Path) -> None:
    """Gold yes or no beside what was got, under a name that says nothing: no verdict, but an answer to be judged."""
    path = tmp_path / "t.csv"
    said = ["yes", "no", silence or "no", "no", "yes"]
    rows = [f"{i},q{i}?,{'yes' if i % 3 else 'no'},{said[i % 5]}" for i in range(30)]
    path.write_text("\n".join(["qid,question,expected,got", *rows]) + "\n")
    with pytest.raises(NescioError) as error:
        nescio.score(path)
    assert '{"prediction": "got"}' in str(error.value)
    right = sum(("yes" if i % 3 else "no") == said[i % 5] for i in range(30))
    column = {"prediction": "got"} | ({"abstained": "-"} if silence else {})
    found = nescio.score(path, "accuracy", column=column).rows[0]
    assert found.value == pytest.approx(right / 30)
    assert found.n == 30


def test_yes_and_no_without_gold_answers_are_asked(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [f"{i},q{i}?,{('yes', 'no', 'do not know')[i % 3]}" for i in range(30)]
    path.write_text("\n".join(["qid,question,got", *rows]) + "\n")
    with pytest.raises(NescioError, match="do not know"):
        nescio.score(path)


def test_what_has_more_than_pans_keys_is_not_pans(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f'{{"id": {i}, "label": {i % 3}, "prediction": {i % 2}}}\n' for i in range(20)))
    with pytest.raises(NescioError) as error:
        nescio.score(path)
    assert "PAN" not in str(error.value)


def test_a_wrong_answer_of_all_runs_to_one_question_is_no_silence(tmp_path: Path) -> None:
    """What one question was answered is right or wrong in each run: that it never stands beside what is right is no
    proof."""
    said = {run: [f"thing {i}" for i in range(9)] for run in "abcd"}
    for i, own in enumerate(said.values()):
        own[3], own[4 + i] = "other", ""
    said["a"][0] = "else"
    table = [
        {"qid": f"q{i}", "model": run, "response": text or None, "correct": text == f"thing {i}"}
        for run, own in said.items()
        for i, text in enumerate(own)
    ]
    assert read(tmp_path, table)[0] == {"a": (6, 2, 1, 0)} | dict.fromkeys("bcd", (7, 1, 1, 0))


@pytest.mark.parametrize("name", ["claim_refused", "ticket_refused"])
def test_a_name_of_silence_and_something_else_is_asked_about_sooner(tmp_path: Path, name: str) -> None:
    """Four answers, of which chance would make none right in one of sixteen tables."""
    own = [RIGHT] * 5 + [WRONG] * 3 + [SILENT] * 2
    states = {"alpha": own, "beta": own[::-1]}
    table = rows(states, lambda s, _: {"correct": s == RIGHT, name: s == SILENT})
    assert f"--column abstained={name} reads them as declined" in read(tmp_path, table)[0]
    assert read(tmp_path, table, column={"abstained": name})[0] == counted(states)


def test_runs_are_told_where_a_verdict_of_faults_is_asked_about(tmp_path: Path) -> None:
    """`variant` names the runs, though the flag of hallucinations could take silence for what is right."""
    states = truth(4)
    table = rows(
        states,
        lambda s, i: {
            "prediction": f"thing {i}" if s == RIGHT else "N/A" if s == SILENT else f"other {i}",
            "reference_answer": f"thing {i}",
            "is_hallucinated": {RIGHT: False, WRONG: True}.get(s),
            "skipped": int(s == SILENT),
        },
        "problem_id",
        "variant",
    )
    found, _ = read(tmp_path, table)
    assert found == counted(states)


def test_what_may_name_runs_of_answers_to_judge_is_proposed_as_that(tmp_path: Path) -> None:
    table = rows(truth(5), lambda s, i: {"gold": f"thing {i}", "prediction": s}, run="who")
    message, _ = read(tmp_path, [{**row, "heat": heat} for heat in ("cold", "hot") for row in table])
    assert "each answer stands once with 'heat' and 'who': --column run=heat --column repeat=who" in message


def test_yes_and_no_beside_other_gold_answers_are_a_verdict_first(tmp_path: Path) -> None:
    states = truth(6)
    table = rows(states, lambda s, i: {"response": f"thing {i}", "ground_truth": f"thing {i}", "y": s == RIGHT})
    message, _ = read(tmp_path, table)
    assert "--column outcome=y or --column gold=ground_truth" in message
    assert read(tmp_path, table, column={"outcome": "y"})[0] == counted(states, silent=1)


def test_a_label_that_differs_within_a_question_is_a_verdict_first(tmp_path: Path) -> None:
    table = rows(truth(7), lambda s, i: {"Label": int(s == RIGHT), "Answer": str(i % 4)}, run="Model")
    message, _ = read(tmp_path, table)
    assert "--column outcome=Label or --column gold=Label" in message


def test_nothing_that_is_never_the_gold_answer_is_proposed_for_the_answers(tmp_path: Path) -> None:
    texts = [{"question_uid": f"q{i}", "query": f"What is {i}?", "system": "a", "gold": f"thing {i}"} for i in range(6)]
    table = {row["question_uid"]: {**row, "reward": i / 9, "did_abstain": i == 3} for i, row in enumerate(texts)}
    assert "prediction=question_uid" not in read(tmp_path, table)[0]


def test_one_answer_that_reads_like_silence_is_named(tmp_path: Path) -> None:
    """Of two columns of texts, neither of which names alone say to be the answers."""
    table: list[Row] = [{"qid": i, "zork": f"thing {i}", "fnord": f"{i} things", "correct": i < 4} for i in range(SIZE)]
    table[5]["zork"] = "I don't know."
    assert "'zork' is empty or reads like silence in 1 row" in read(tmp_path, table)[1]


def test_the_right_answer_hides_no_answer_that_bears_its_name(tmp_path: Path) -> None:
    table: list[Row] = [
        {
            "id": i,
            "resposta_do_modelo": f"coisa {i}",
            "resposta_correta": f"coisa {i if i < 5 else 20 + i}",
            "correta": i < 5,
        }
        for i in range(SIZE)
    ]
    table[9]["resposta_do_modelo"] = "Não posso responder."
    assert "('Não posso responder.' 1×)" in read(tmp_path, table)[1]


@pytest.mark.parametrize("name", ["answer_provided", "responseGave"])
def test_silence_is_named_in_either_order_of_its_words(tmp_path: Path, name: str) -> None:
    states = truth(8)
    assert read(tmp_path, rows(states, lambda s, _: {"passed": s == RIGHT, name: s != SILENT}))[0] == counted(states)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("names", [("probe", "contender"), ("galdera", "sistema"), ("question", "zork")])
def test_rows_with_a_number_each_are_answers_of_runs(tmp_path: Path, names: tuple[str, str], seed: int) -> None:
    """An `id` of each row names no questions where what was asked is the same in all runs."""
    states = truth(seed)
    table = rows(states, lambda s, i: {"gold": f"thing {i}", "correct": s == RIGHT}, *names)
    assert read(tmp_path, {f"{i:04}": row for i, row in enumerate(table)})[0] == counted(states, silent=1)


def test_rows_with_a_number_each_that_may_be_answers_of_runs_are_asked_about(tmp_path: Path) -> None:
    """Numbers that begin anew in each part of a test cross its parts, too."""
    states = truth(3)
    table = rows(states, lambda s, _: {"correct": s == RIGHT}, "zork", "fnord")
    table = [{"id": i, **row} for i, row in enumerate(table)]
    message, _ = read(tmp_path, table)
    assert "--column run=fnord --column question=zork reads runs, --column question=id reads" in message
    assert read(tmp_path, table, column={"run": "fnord", "question": "zork"})[0] == counted(states, silent=1)
    assert len(read(tmp_path, table, column={"question": "id"})[0]) == 1


def test_what_says_that_an_answer_was_given_says_of_the_others_that_they_were_declined(tmp_path: Path) -> None:
    states = truth(4)
    table = rows(states, lambda s, _: {"correct": s == RIGHT, "answer_was_given": int(s != SILENT)})
    assert "--column answered=answer_was_given reads them as declined" in read(tmp_path, table)[0]
    assert read(tmp_path, table, column={"answered": "answer_was_given"})[0] == counted(states)


def test_numbers_of_the_answers_to_each_question_are_no_verdict(tmp_path: Path) -> None:
    states = truth(5)
    table = rows(states, lambda s, _: {"zork": "Y" if s == RIGHT else "N", "fnord": 0}, "case no", "arm")
    message, _ = read(tmp_path, [{**row, "fnord": i} for row in table for i in (0, 1)])
    assert "outcome=fnord" not in message
    assert "outcome=zork" in message


@pytest.mark.parametrize("gold", [True, False])
def test_yes_means_wrong_beside_words_that_nobody_knows_too(tmp_path: Path, gold: bool) -> None:
    """As the gold answers say, or else the name."""
    states = truth(6)
    name = "zork" if gold else "wrong_claim"
    texts = [f"thing {i}" for i in range(SIZE)]
    own = rows(states, lambda s, _: {name: "nope" if s == RIGHT else "yes"})
    beside = rows(states, lambda s, i: {"gold": texts[i], "answer": texts[i] if s == RIGHT else f"other {i}"})
    table = [{**one, **other} for one, other in zip(own, beside, strict=True)] if gold else own
    message, _ = read(tmp_path, table)
    assert f"--column 'outcome=!{name}' --outcome-map nope=correct" in message
    column, means = {"outcome": f"!{name}"}, {"nope": "correct"}
    assert read(tmp_path, table, column=column, outcome_map=means)[0] == counted(states, silent=1)


@pytest.mark.parametrize("judged", [True, False])
def test_a_text_that_stands_again_and_again_is_asked_about(tmp_path: Path, judged: bool) -> None:
    """Silence in a language that nobody knows, beside many other answers, of which none is right."""
    states = truth(7)
    table = rows(
        states,
        lambda s, i: {
            **({"gold": f"thing {i}"} if judged else {"correct": s == RIGHT}),
            "response": {RIGHT: f"thing {i}", WRONG: f"other {i}"}.get(s, "Sijui kabisa."),
        },
    )
    message, _ = read(tmp_path, table)
    assert "Sijui kabisa" in message
    assert read(tmp_path, table, declined_pattern=[r"Sijui kabisa\."])[0] == counted(states)


def test_of_two_texts_the_answer_is_the_one_that_differs_between_runs(tmp_path: Path) -> None:
    states = truth(8)
    table = rows(
        states,
        lambda s, i: {
            "kb_answer": f"thing {i}",
            "reply_body": {RIGHT: f"thing {i}", WRONG: f"other {i}"}.get(s),
            "solved": s == RIGHT,
        },
    )
    assert read(tmp_path, table)[0] == counted(states)


def test_an_index_names_the_questions_of_one_run_that_has_a_name(tmp_path: Path) -> None:
    table = [{"": i, "system": "alpha", "verdict": "right" if i % 3 else "wrong"} for i in range(SIZE)]
    assert read(tmp_path, table)[0] == {"alpha": (8, 4, 0, 0)}


def test_what_does_refuse_is_silence(tmp_path: Path) -> None:
    states = {run: [RIGHT] * 5 + [WRONG] * 5 + [SILENT] for run in RUNS}
    table = rows(states, lambda s, _: {"verdict": "right" if s == RIGHT else "wrong", "does_refuse": s == SILENT})
    table[-1]["does_refuse"], table[-2]["does_refuse"] = False, True
    assert read(tmp_path, table)[0] == dict.fromkeys(RUNS, (5, 5, 1, 0))


@pytest.mark.parametrize(("key", "name"), [("trace_id", "vendor"), ("id", "tenant"), ("trace_id", "prompt_version")])
def test_what_may_name_runs_is_named_where_rows_have_an_id_each(tmp_path: Path, key: str, name: str) -> None:
    said = {RIGHT: "correct", WRONG: "incorrect", SILENT: "unanswered"}
    cells = [(run, said[s]) for run, own in truth(1).items() for s in own]
    table = [
        {key: f"{i * 7919:05x}", name: run, "topic": "ab"[i % 2], "outcome": s} for i, (run, s) in enumerate(cells)
    ]
    found, notes = read(tmp_path, table)
    assert sum(found["table"]) == 2 * SIZE
    assert f"read as one run, and {name!r} may name several" in notes
    runs = {"run": name, "question": key}  # which share no question
    assert set(read(tmp_path, table, column=runs, missing="unanswered")[0]) == {*RUNS}
    asked = [{"question_id" if k == key else k: v for k, v in row.items()} for row in table]
    assert "may name several" not in read(tmp_path, asked)[1]


@pytest.mark.parametrize("words", [("correct", "wrong", "passed"), ("right", "wrong", "PASS"), ("yes", "no", "pass")])
def test_a_pass_beside_another_word_for_right_is_asked_about(tmp_path: Path, words: tuple[str, ...]) -> None:
    states, said = truth(2), dict(zip((RIGHT, WRONG, SILENT), words, strict=True))
    table = rows(states, lambda s, _: {"result": said[s]})
    message, _ = read(tmp_path, table)
    assert f"--outcome-map {words[2]}=unanswered" in message
    assert f"--outcome-map {words[2]}=correct" in message
    assert read(tmp_path, table, outcome_map={words[2]: "unanswered"})[0] == counted(states)
    assert read(tmp_path, rows(states, lambda s, _: {"result": {RIGHT: "pass"}.get(s, "fail")}))[0]
    grid = [{"question": f"q{i}", **{run: said[own[i]] for run, own in states.items()}} for i in range(SIZE)]
    assert "pass" in str(read(tmp_path, grid)[0]).lower()


@pytest.mark.parametrize(
    ("name", "word"), [("higher_is_better", False), ("lower_is_better", "yes"), ("direction", "minimize")]
)
def test_a_score_of_which_less_is_better_is_asked_about(tmp_path: Path, name: str, word: Any) -> None:
    states = {run: [RIGHT if s == RIGHT else WRONG for s in own] for run, own in truth(3).items()}
    table = rows(states, lambda s, _: {"score": int(s == WRONG), name: word})
    message, _ = read(tmp_path, table)
    assert "--column 'outcome=!score'" in message
    assert read(tmp_path, table, column={"outcome": "!score"})[0] == counted(states)
    other = {"minimize": "maximize", "yes": "no", False: True}[word]
    assert not isinstance(read(tmp_path, [{**row, name: other} for row in table])[0], str)


@pytest.mark.parametrize("names", [("hits", "misses", "passes", "asked"), ("hits", "misses", "passes", "total")])
def test_three_columns_that_add_up_to_a_fourth_are_the_counts(tmp_path: Path, names: tuple[str, ...]) -> None:
    counts = {"x": (61, 29, 10), "y": (55, 40, 5)}
    table = [{"bot": run, **dict(zip(names, (*own, sum(own)), strict=True)), "ms": 800} for run, own in counts.items()]
    message, _ = read(tmp_path, table)
    right, wrong, silent, total = names
    assert f"--column correct={right} --column incorrect={wrong} --column unanswered={silent}" in message
    assert f"--column correct={silent} --column incorrect={wrong} --column unanswered={right}" in message
    assert f"={total} " not in message


@pytest.mark.parametrize(("name", "parts"), [("dataset", ("nq", "tqa")), ("lang", ("de", "en", "fr"))])
def test_words_that_tell_questions_apart_are_no_repeats_at_once(
    tmp_path: Path, name: str, parts: tuple[str, ...]
) -> None:
    table = [
        {name: part, **row} for part in parts for row in rows(truth(4), lambda s, _: {"correct": s == RIGHT}, "idx")
    ]
    message, _ = read(tmp_path, table)
    assert f"if each {name!r} has questions of its own, write both into one column" in message
    joined = [{**row, "question": f"{row[name]}-{row['idx']}"} for row in table]
    found, _ = read(tmp_path, joined, column={"question": "question"})
    assert {sum(own) for own in found.values()} == {SIZE * len(parts)}


@pytest.mark.parametrize(
    ("name", "words"), [("exclude", (None, "x")), ("is_duplicate", ("no", "yes")), ("keep", (True, False))]
)
def test_a_flag_of_rows_that_may_not_count_is_named(tmp_path: Path, name: str, words: tuple[Any, Any]) -> None:
    said = {RIGHT: "correct", WRONG: "incorrect", SILENT: "unanswered"}
    table = rows(truth(5), lambda s, i: {"outcome": said[s], name: words[i % 4 == 0]})
    found, notes = read(tmp_path, table)
    assert found == counted(truth(5))
    assert f"6 rows of which {name!r}" in notes


@pytest.mark.parametrize(
    "names", [("acertou", "errou", "em branco"), ("is_correct", "is_wrong", "zzz"), ("correct", "xxx", "zzz")]
)
def test_three_columns_of_which_one_is_yes_are_one_verdict(tmp_path: Path, names: tuple[str, str, str]) -> None:
    states = truth(6)
    table = rows(
        states, lambda s, _: {name: int(s == of) for name, of in zip(names, (RIGHT, WRONG, SILENT), strict=True)}
    )
    message, _ = read(tmp_path, table)
    assert "in each row one" in message
    quoted = f"'abstained={names[2]}'" if " " in names[2] else f"abstained={names[2]}"
    assert f"--column outcome={names[0]} --column {quoted}" in message
    assert (f"--column abstained={names[1]}" in message) == (names[1] == "xxx")
    assert read(tmp_path, table, column={"outcome": names[0], "abstained": names[2]})[0] == counted(states)
