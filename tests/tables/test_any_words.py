"""Tables whose names and words nobody knows, as they are drawn by chance: what their cells prove is asked about, or
read, whatever the words are."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from nescio.data.evidence import Tally
from nescio.errors import FormatError
from nescio.pipeline import Options, load
from tests.tables.reading import counts_of
from tests.tables.table import RIGHT, SILENT, WRONG
from tests.tables.test_kinds import Row, read

SIZE = 40
SEEDS = range(4)
NAMES = {RIGHT: "correct", WRONG: "incorrect", SILENT: "unanswered"}


def chance_of(seed: int) -> random.Random:
    return random.Random(seed)


def word(chance: random.Random) -> str:
    """Draw a word that is none of any language."""
    return "".join(chance.choices("bcdfgklmpqrvwxz", k=7))


def states(chance: random.Random, *shares: float) -> list[str]:
    least = [RIGHT] * 12 + [WRONG] * 6 + [SILENT] * 9
    own = least + chance.choices((RIGHT, WRONG, SILENT), shares or (5, 2, 3), k=SIZE - len(least))
    chance.shuffle(own)
    return own


def counts(own: list[str], *, silent: str = SILENT) -> tuple[int, ...]:
    found = [silent if s == SILENT else s for s in own]
    return (found.count(RIGHT), found.count(WRONG), found.count(SILENT), 0)


def only(found: Any) -> tuple[int, ...]:
    (own,) = found.values()
    return tuple(own)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("others", ["a word", "empty", "two numbers"])
def test_a_word_beside_no_right_answer_is_asked_about(tmp_path: Path, others: str, seed: int) -> None:
    chance = chance_of(seed)
    column, silent, given = word(chance), word(chance), word(chance)
    own = states(chance)
    said = {"a word": (given,), "empty": (None,), "two numbers": ("2", "3")}[others]
    quiet = "7" if others == "two numbers" else silent
    table: list[Row] = [
        {"id": f"q{i}", "correct": s == RIGHT, column: quiet if s == SILENT else chance.choice(said)}
        for i, s in enumerate(own)
    ]
    message, _ = read(tmp_path, table)
    assert isinstance(message, str)
    assert f"{column!r} is {quiet!r} of {own.count(SILENT)} answers, none of them right" in message
    found, _ = read(tmp_path, table, column={"abstained": column}, outcome_map={quiet: "unanswered"})
    assert only(found) == counts(own)
    found, _ = read(tmp_path, table, column={"abstained": "-"})
    assert only(found) == counts(own, silent=WRONG)


@pytest.mark.parametrize("seed", SEEDS)
def test_words_that_say_why_answers_are_wrong_are_no_silence(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    why = [word(chance) for _ in range(3)]
    own = states(chance)
    kind = [None if s == RIGHT else chance.choice(why) for s in own]
    table: list[Row] = [{"id": f"q{i}", "correct": s == RIGHT, "why": kind[i]} for i, s in enumerate(own)]
    found, notes = read(tmp_path, table)
    assert only(found) == counts(own, silent=WRONG)
    assert "'why'" in notes


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("names", [("gold", "prediction"), ("label_claim", "model_says"), ("soll", "ist"), None])
def test_answers_in_a_word_that_no_gold_answer_is_are_asked_about(
    tmp_path: Path, names: tuple[str, str] | None, seed: int
) -> None:
    chance = chance_of(seed)
    gold, given = names or (word(chance), word(chance))
    words = chance.choice([list("ABCD"), [word(chance) for _ in range(3)]])
    silent = chance.choice(["Z", word(chance), "-1"])
    own = states(chance)
    right = [chance.choice(words) for _ in own]
    said = [
        r if s == RIGHT else silent if s == SILENT else chance.choice([w for w in words if w != r])
        for s, r in zip(own, right, strict=True)
    ]
    table: list[Row] = [{"id": f"q{i}", gold: right[i], given: said[i]} for i in range(SIZE)]
    column = {"gold": gold, "prediction": given}
    if names is None:
        message, _ = read(tmp_path, table)
        assert isinstance(message, str)
        assert message.index(f"--column prediction={given} --column gold={gold}") > 0
    message, _ = read(tmp_path, table, column=column)
    assert isinstance(message, str)
    assert f"{own.count(SILENT)} answers are {silent!r}, which no gold answer is" in message
    found, _ = read(tmp_path, table, column=column, declined_pattern=[silent])
    assert only(found) == counts(own)
    found, _ = read(tmp_path, table, column={**column, "abstained": "-"})
    assert only(found) == counts(own, silent=WRONG)


@pytest.mark.parametrize("seed", SEEDS)
def test_columns_that_exclude_each_other_are_no_runs(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    own = states(chance)
    one, other = word(chance), word(chance)
    table: list[Row] = [{"id": f"q{i}", one: int(s == RIGHT), other: int(s == SILENT)} for i, s in enumerate(own)]
    message, _ = read(tmp_path, table)
    assert isinstance(message, str)
    assert "+" not in message.partition("by one of these")[2]  # no way takes both for runs
    assert f"--column abstained={other}" in message


@pytest.mark.parametrize("seed", SEEDS)
def test_a_mean_of_all_runs_is_left_out_and_named(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    runs = [word(chance) for _ in range(3)]
    cells = [[chance.random() < 0.6 for _ in runs] for _ in range(SIZE)]
    mean = word(chance)
    head = ",".join(["id", *runs, mean])
    lines = [f"q{i},{','.join(str(int(c)) for c in row)},{sum(row) / 3:.2f}" for i, row in enumerate(cells)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join([head, *lines]) + "\n")
    loaded = load(path, Options())
    assert {*loaded.data.runs} == {*runs}
    assert any(n.code == "matrix.means" and mean in str(n) for n in loaded.notes)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_that_is_the_sum_of_the_others_by_chance_is_kept_and_named(tmp_path: Path, seed: int) -> None:
    """Its numbers are those of the others, so it may be a run as well."""
    chance = chance_of(seed)
    runs = [word(chance) for _ in range(3)]
    hits = [0, 1, 2, 1]  # the first, the second, or nobody is right, and so is the third or not
    lines = [f"q{i},{int(hit == 0)},{int(hit == 1)},{int(hit < 2)}" for i, hit in enumerate(hits)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join([",".join(["id", *runs]), *lines]) + "\n")
    loaded = load(path, Options())
    assert {*loaded.data.runs} == {*runs}
    assert any(n.code == "matrix.means" and f"{runs[2]!r} is read as a run" in str(n) for n in loaded.notes)


def counted_as(head: str, right: int, wrong: int, silent: int) -> list[int]:
    """Count under each name of a header."""
    every = {
        "right": right,
        "correct": right,
        "incorrect": wrong,
        "attempted": right + wrong,
        "answered": right + wrong,
    }
    return [every.get(name, right + wrong + silent) for name in head.split(",")]


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_follow_from_others(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    runs = {word(chance): (chance.randint(5, 30), chance.randint(3, 20), chance.randint(1, 9)) for _ in range(3)}
    for head in ("attempted,correct,total", "n,answered,right", "correct,incorrect,n_questions"):
        path = tmp_path / "counts.csv"
        path.write_text(
            f"model,{head}\n"
            + "".join(f"{run},{','.join(map(str, counted_as(head, *c)))}\n" for run, c in runs.items())
        )
        tally = load(path, Options()).data
        assert isinstance(tally, Tally)
        made = [tally.counts @ tally.columns[name] for name in ("correct", "incorrect", "unanswered")]
        assert {run: tuple(int(total[i]) for total in made) for i, run in enumerate(tally.runs)} == runs


@pytest.mark.parametrize("slip", ["corect,incorect,unaswered", "korrect,inkorrect,unanswerd"])
def test_the_first_way_to_read_misspelt_counts_is_the_one_they_are_near_to(tmp_path: Path, slip: str) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(f"system,{slip}\na,30,10,5\nb,20,15,10\n")
    with pytest.raises(FormatError) as error:
        load(path, Options())
    first = str(error.value).partition("system")[2]
    places = [first.index(name) for name in slip.split(",")]
    assert places == sorted(places)


ANSWERS = ("Paris", "Rome", "Oslo", "Bern", "Wien", "Riga", "Kyiv", "Bonn")


def judged(chance: random.Random, own: list[str]) -> list[tuple[str, str | None]]:
    """Draw the gold answer and the answer of each question."""
    gold = [chance.choice(ANSWERS) for _ in own]
    return [
        (g, g if s == RIGHT else None if s == SILENT else chance.choice([a for a in ANSWERS if a != g]))
        for s, g in zip(own, gold, strict=True)
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_column_in_unknown_words_that_goes_with_the_gold_answers_is_a_verdict(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    own, column = states(chance), word(chance)
    good, bad = word(chance), word(chance)
    table: list[Row] = [
        {"id": f"q{i}", "gold": g, "prediction": a, column: good if s == RIGHT else bad}
        for i, (s, (g, a)) in enumerate(zip(own, judged(chance, own), strict=True))
    ]
    message, _ = read(tmp_path, table)
    assert isinstance(message, str)
    assert f"{column!r} may say which answers are right" in message
    first = message.partition("by one of these:")[2].strip().splitlines()[0]
    assert f"--outcome-map {good}=correct" in first
    found, _ = read(tmp_path, table, column={"outcome": column}, outcome_map={good: "correct", bad: "incorrect"})
    assert only(found) == counts(own)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_verdict_that_has_slipped_by_a_row_is_told(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    own = [RIGHT if i % 2 else WRONG for i in range(SIZE)]
    said = [*own[1:], own[0]]
    table: list[Row] = [
        {"id": f"q{i}", "gold": g, "prediction": a, "correct": said[i] == RIGHT}
        for i, (g, a) in enumerate(judged(chance, own))
    ]
    table[0]["correct"] = own[0] == RIGHT  # not the opposite in all rows
    message, _ = read(tmp_path, table)
    assert isinstance(message, str)
    assert "answers wrong that are the gold answer" in message
    assert read(tmp_path, table, column={"outcome": "correct"})[0]


@pytest.mark.parametrize("name", ["hallucination_free", "fehlerfrei", "errorFree", "without_error", "no_mistakes"])
def test_a_name_that_denies_faults_says_what_is_right(tmp_path: Path, name: str) -> None:
    own = states(chance_of(1), 1, 1, 0)
    table: list[Row] = [{"id": f"q{i}", name: "yes" if s == RIGHT else "no"} for i, s in enumerate(own)]
    found, _ = read(tmp_path, table)
    if isinstance(found, str):
        found, _ = read(tmp_path, table, column={"outcome": name})
    assert only(found) == counts(own, silent=WRONG)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_figures_of_a_leaderboard_are_held_against_the_rows(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    runs = {word(chance): [chance.random() < 0.6 for _ in range(SIZE)] for _ in range(2)}
    right = {run: sum(own) / SIZE for run, own in runs.items()}
    items = [{"id": i, "model": run, "correct": own[i]} for run, own in runs.items() for i in range(SIZE)]
    board: list[Row] = [{"model": run, "acc": share} for run, share in right.items()]
    found, _ = read(tmp_path, {"leaderboard": board, "rows": items})
    assert {run: own[0] / SIZE for run, own in found.items()} == right
    board[0]["acc"] = board[0]["acc"] / 2
    message, _ = read(tmp_path, {"leaderboard": board, "rows": items})
    assert isinstance(message, str)
    assert "leaderboard" in message
    assert "contradicts itself" in message


@pytest.mark.parametrize("seed", SEEDS)
def test_figures_of_a_file_prove_what_its_texts_mean(tmp_path: Path, seed: int) -> None:
    own = states(chance_of(seed))
    items = [
        {"id": i, "correct": s == RIGHT, "response": "I don't know." if s == SILENT else f"text {i}"}
        for i, s in enumerate(own)
    ]
    message, _ = read(tmp_path, {"n_incorrect": own.count(WRONG), "rows": items})
    assert isinstance(message, str)
    assert "--declined-pattern" in message
    assert "the two agree" in message
    pattern = message.partition("--declined-pattern ")[2].split(" the two")[0].replace("'\"'\"'", "'").strip("'")
    found, _ = read(tmp_path, {"n_incorrect": own.count(WRONG), "rows": items}, declined_pattern=[pattern])
    assert only(found) == counts(own)


@pytest.mark.parametrize("seed", SEEDS)
def test_answers_of_several_runs_beside_one_key_are_judged_at_once(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    runs, key = [word(chance) for _ in range(2)], word(chance)
    own = {run: states(chance) for run in runs}
    gold = [chance.choice("ABCD") for _ in range(SIZE)]
    given = {
        run: [
            g if s == RIGHT else None if s == SILENT else chance.choice([x for x in "ABCD" if x != g])
            for s, g in zip(own[run], gold, strict=True)
        ]
        for run in runs
    }
    table: list[Row] = [{"id": f"q{i}", key: gold[i], **{run: given[run][i] for run in runs}} for i in range(SIZE)]
    message, _ = read(tmp_path, table)
    assert isinstance(message, str)
    first = message.partition("by one of these:")[2].strip().splitlines()[0]
    assert first.startswith(f"--column prediction={'+'.join(runs)} --column gold={key}")
    found, _ = read(tmp_path, table, column={"prediction": "+".join(runs), "gold": key})
    assert found == {run: counts(own[run]) for run in runs}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_column_that_makes_rows_unique_is_proposed_for_the_repeat(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    name = word(chance)
    table: list[Row] = [
        {"id": f"q{i}", "model": "m", name: each, "correct": chance.random() < 0.5}
        for each in range(3)
        for i in range(SIZE)
    ]
    message, _ = read(tmp_path, table)
    assert isinstance(message, str)
    assert f"--column repeat={name}" in message


@pytest.mark.parametrize("seed", SEEDS)
def test_has_answer_that_is_of_the_answer_is_asked_about(tmp_path: Path, seed: int) -> None:
    own = states(chance_of(seed))
    table: list[Row] = [
        {
            "id": f"q{i}",
            "correct": s == RIGHT,
            "response": None if s == SILENT else f"text {i}",
            "has_answer": s != SILENT,
        }
        for i, s in enumerate(own)
    ]
    message, _ = read(tmp_path, table)
    assert isinstance(message, str)
    assert "--column answered=has_answer" in message
    assert only(read(tmp_path, table, column={"answered": "has_answer"})[0]) == counts(own)


@pytest.mark.parametrize("name", ["refund_refused", "rewrite_skipped", "ads_blocked"])
def test_what_declines_something_else_is_named_and_not_taken(tmp_path: Path, name: str) -> None:
    chance = chance_of(3)
    own = [s if s != SILENT else WRONG for s in states(chance)]
    table: list[Row] = [
        {"id": f"q{i}", "gold": g, "prediction": a, name: chance.random() < 0.4}
        for i, (g, a) in enumerate(judged(chance, own))
    ]
    found, notes = read(tmp_path, table)
    assert only(found) == counts(own)
    assert name in notes


@pytest.mark.parametrize("seed", SEEDS)
def test_a_verdict_with_an_unknown_word_is_not_passed_over_for_a_second_judge(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    own, good = [s if s != SILENT else WRONG for s in states(chance)], word(chance)
    table: list[Row] = [
        {
            "id": f"q{i}",
            "llm_judge": good if s == RIGHT else "wrong",
            "llm_label": (s == RIGHT) != (chance.random() < 0.1),
        }
        for i, s in enumerate(own)
    ]
    message, _ = read(tmp_path, table)
    assert isinstance(message, str)
    assert f"--column outcome=llm_judge --outcome-map {good}=correct" in message


@pytest.mark.parametrize("seed", SEEDS)
def test_a_word_beside_no_answer_that_is_the_gold_answer_is_asked_about(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    column, silent, given, own = word(chance), word(chance), word(chance), states(chance)
    pairs = judged(chance, [s if s != SILENT else WRONG for s in own])
    table: list[Row] = [
        {"id": f"q{i}", "gold": pairs[i][0], "prediction": pairs[i][1], column: silent if s == SILENT else given}
        for i, s in enumerate(own)
    ]
    message, _ = read(tmp_path, table)
    assert isinstance(message, str)
    assert f"--column abstained={column} --outcome-map {silent}=unanswered" in message
    found, _ = read(tmp_path, table, column={"abstained": column}, outcome_map={silent: "unanswered"})
    assert only(found) == counts(own)


@pytest.mark.parametrize("seed", SEEDS)
def test_answers_of_each_run_beside_silence_are_judged_at_once(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    own = {word(chance): states(chance) for _ in range(2)}
    gold = [f"{word(chance)} {i}" for i in range(SIZE)]
    table: list[Row] = [
        {"id": f"q{i}", "gold": gold[i]}
        | {f"{run}_answer": gold[i] if mine[i] == RIGHT else f"{word(chance)} {i}" for run, mine in own.items()}
        | {f"{run}_refused": mine[i] == SILENT for run, mine in own.items()}
        for i in range(SIZE)
    ]
    found, _ = read(tmp_path, table)
    assert found == {run: counts(mine) for run, mine in own.items()}


@pytest.mark.parametrize("seed", SEEDS)
def test_what_counts_repeats_hides_neither_the_run_nor_the_question(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    run, asked, again = (word(chance) for _ in range(3))
    own = {(name, each): states(chance) for name in (word(chance), word(chance)) for each in range(3)}
    table: list[Row] = [
        {again: each, run: name, asked: f"q{i}", "correct": s == RIGHT, "refused": s == SILENT}
        for (name, each), mine in own.items()
        for i, s in enumerate(mine)
    ]
    message, _ = read(tmp_path, table)
    assert f"--column repeat={again}" in message
    found, _ = read(tmp_path, table, column={"repeat": again})
    names = dict.fromkeys(name for name, _ in own)
    summed = {n: tuple(map(sum, zip(*(counts(own[n, each]) for each in range(3)), strict=True))) for n in names}
    assert found == summed


@pytest.mark.parametrize("seed", SEEDS)
def test_a_grade_with_an_unknown_word_is_not_passed_over_for_the_gold_answers(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    silent, own = word(chance), states(chance)
    grades = {RIGHT: "supported", WRONG: "contradicted", SILENT: silent}
    pairs = judged(chance, [s if s != SILENT else WRONG for s in own])
    table: list[Row] = [
        {"id": f"q{i}", "gold": pairs[i][0], "prediction": pairs[i][1], "grade": grades[s]} for i, s in enumerate(own)
    ]
    message, _ = read(tmp_path, table)
    assert isinstance(message, str)
    assert "--column outcome=grade" in message
    message, _ = read(tmp_path, table, column={"outcome": "grade"})
    assert f"--outcome-map {silent}=unanswered" in message


@pytest.mark.parametrize("seed", SEEDS)
def test_unknown_words_of_a_column_called_outcome_are_explained(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    own, words = states(chance), {state: word(chance) for state in (RIGHT, WRONG, SILENT)}
    table: list[Row] = [{"id": f"q{i}", "outcome": words[s]} for i, s in enumerate(own)]
    message, _ = read(tmp_path, table)
    assert isinstance(message, str)
    mapped = " ".join(
        f"--outcome-map {own}={state}" for own, state in sorted((own, NAMES[state]) for state, own in words.items())
    )
    assert mapped in message


@pytest.mark.parametrize("seed", SEEDS)
def test_a_few_answers_that_read_like_silence_are_silent_where_only_faults_are_marked(
    tmp_path: Path, seed: int
) -> None:
    chance = chance_of(seed)
    own, texts = states(chance), word(chance)
    table: list[Row] = [
        {
            "id": f"q{i}",
            "hallucinated": s == WRONG,
            texts: chance.choice(["I don't know.", "N/A"]) if s == SILENT else chance.choice("ABCD"),
        }
        for i, s in enumerate(own)
    ]
    found, _ = read(tmp_path, table)
    assert only(found) == counts(own)


def test_a_file_with_few_rows_is_read_as_those_of_its_kind_are(tmp_path: Path) -> None:
    chance = chance_of(1)
    long, short = states(chance), [RIGHT, WRONG, SILENT, RIGHT]
    for name, own in (("a", long), ("b", short)):
        pairs = judged(chance, own)
        rows = [
            {
                "id": i,
                "gold": pairs[i][0],
                "prediction": pairs[i][1],
                "sql_correct": s == RIGHT,
                "escalated": s == SILENT,
            }
            for i, s in enumerate(own)
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = counts_of(load([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], Options(missing="common")))
    assert found is not None
    assert tuple(found["b"])[:4] == counts(short)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_word_beside_each_empty_text_is_silence_in_the_first_way(tmp_path: Path, seed: int, wide: bool) -> None:
    """Of one run, or of two with two columns each, whatever the texts are called; one word says by itself what is
    right."""
    chance = chance_of(seed)
    words = {RIGHT: "ok", WRONG: word(chance), SILENT: word(chance)}
    text, name = word(chance), "outcome" if not wide else "verdict"
    runs = [f"_{word(chance)}" for _ in range(2)] if wide else [""]
    own = {run: states(chance) for run in runs}
    table: list[Row] = [
        {"id": f"q{i}"}
        | {
            f"{column}{run}": cell
            for run in runs
            for column, cell in (
                (text, None if own[run][i] == SILENT else f"{word(chance)} {i}"),
                (name, words[own[run][i]]),
            )
        }
        for i in range(SIZE)
    ]
    message, _ = read(tmp_path, table)
    assert isinstance(message, str)
    first = message.split("\n")[1] if "\n" in message else message
    mapped = {words[state]: NAMES[state] for state in (WRONG, SILENT)}
    assert all(f"--outcome-map {said}={state}" in first for said, state in mapped.items())


@pytest.mark.parametrize("seed", SEEDS)
def test_percentages_are_right_and_wrong_in_the_first_way(tmp_path: Path, seed: int) -> None:
    """0% and 100% of two runs, and what a third word is is asked: silence first."""
    chance = chance_of(seed)
    word_for = {RIGHT: "100%", WRONG: "0%", SILENT: word(chance)}
    runs = [word(chance) for _ in range(2)]
    own = {run: states(chance) for run in runs}
    table: list[Row] = [{"id": f"q{i}"} | {run: word_for[own[run][i]] for run in runs} for i in range(SIZE)]
    message, _ = read(tmp_path, table)
    assert isinstance(message, str)
    first = message.split("\n")[1]
    assert all(f"--outcome-map {said}={NAMES[state]}" in first for state, said in word_for.items())


@pytest.mark.parametrize("seed", SEEDS)
def test_verdicts_of_several_judges_are_not_proposed_for_answers(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    said = {RIGHT: "CORRECT", WRONG: "INCORRECT", SILENT: "NOT_ATTEMPTED"}
    columns, own = [word(chance) for _ in range(3)], states(chance)
    table: list[Row] = [
        {"id": f"q{i}", "model": "m"}
        | {c: said[s if chance.random() < 0.9 else chance.choice([*said])] for c in columns}
        for i, s in enumerate(own)
    ]
    message, _ = read(tmp_path, table)
    assert isinstance(message, str)
    assert "prediction=" not in message


@pytest.mark.parametrize("seed", SEEDS)
def test_the_answers_within_runs_are_the_table(tmp_path: Path, seed: int) -> None:
    """A list of runs, each with a list of its answers, whatever these lists are called."""
    chance = chance_of(seed)
    lists, inner, runs = word(chance), word(chance), [word(chance) for _ in range(2)]
    own = {run: states(chance) for run in runs}
    document = [
        {"name": run, inner: [{"id": i, "ok": s == RIGHT, "abstained": s == SILENT} for i, s in enumerate(own[run])]}
        for run in runs
    ]
    path = tmp_path / "document.json"
    path.write_text(json.dumps({lists: document}))
    with pytest.raises(FormatError) as caught:
        load(path, Options())
    first = str(caught.value).split("\n")[1]
    assert first.startswith('  column={"outcome": "ok"} column={"abstained": "abstained"}')
    found = counts_of(load(path, Options(column={"outcome": "ok", "abstained": "abstained"})))
    assert found is not None
    assert {run: tuple(own)[:4] for run, own in found.items()} == {run: counts(own[run]) for run in runs}


def test_what_is_wrong_in_a_row_of_several_answers_is_told_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    rows = [f"q{i},correct,wrong" if i % 2 else f"q{i},wrong,correct" for i in range(20)]
    path.write_text("\n".join(["question,a,b", *rows, "Total,10,10"]) + "\n")
    with pytest.raises(FormatError, match="line 22: this last row"):
        load(path, Options())


@pytest.mark.parametrize("seed", SEEDS)
def test_a_second_judge_who_says_nothing_of_silence_is_not_proposed_for_it(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    own, other = states(chance), word(chance)
    verdict = {RIGHT: True, WRONG: False, SILENT: None}
    table: list[Row] = [
        {"id": f"q{i}", "response": None if s == SILENT else f"text {i}", "correct": verdict[s], other: verdict[s]}
        for i, s in enumerate(own)
    ]
    found, message = read(tmp_path, table, ungraded="exclude")
    assert f"answered={other}" not in f"{found} {message}"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_column_of_silence_is_not_doubted_for_an_answer_that_no_gold_answer_is(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    own, odd = states(chance), word(chance)
    pairs = judged(chance, [s if s != SILENT else WRONG for s in own])
    said = [odd if s == WRONG else answer for s, (_, answer) in zip(own, pairs, strict=True)]
    table: list[Row] = [
        {"id": f"q{i}", "gold": pairs[i][0], "prediction": said[i], "refused": s == SILENT} for i, s in enumerate(own)
    ]
    found, _ = read(tmp_path, table)
    assert only(found) == counts(own)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_end_of_a_name_that_all_runs_share_is_of_the_part_behind_it(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    end, part, words = word(chance), word(chance), [word(chance) for _ in range(3)]
    runs = [word(chance) for _ in range(2)]
    table: list[Row] = [
        {"id": f"q{i}"}
        | {f"{run}_{end}_hit": chance.random() < 0.5 for run in runs}
        | {f"{run}_{part}": chance.choice(words) for run in runs}
        for i in range(SIZE)
    ]
    message, _ = read(tmp_path, table)
    assert isinstance(message, str)
    assert f"{runs[0]}: " in message
    assert f"{runs[0]}_{end}: " not in message


@pytest.mark.parametrize("step", [1, 7, -3])
def test_what_numbers_the_rows_in_even_steps_is_no_run(tmp_path: Path, step: int) -> None:
    chance = chance_of(step)
    number, *runs = (word(chance) for _ in range(3))
    table: list[Row] = [{number: 1000 + step * i} | {run: chance.choice([1, 0]) for run in runs} for i in range(SIZE)]
    message, _ = read(tmp_path, table)
    assert isinstance(message, str)
    assert f"--column question={number}" in message


@pytest.mark.parametrize("seed", SEEDS)
def test_letters_that_differ_within_a_question_are_no_gold_answers(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    own = {word(chance): states(chance) for _ in range(3)}
    grade = {RIGHT: "A", WRONG: "B", SILENT: "C"}
    table: list[Row] = [
        {"id": f"q{i}", "model": run, "answer": chance.choice("ABCD"), "outcome": grade[s]}
        for run, mine in own.items()
        for i, s in enumerate(mine)
    ]
    message, _ = read(tmp_path, table)
    assert "--column gold=outcome" not in str(message)


def test_a_verdict_beside_question_and_gold_answer_is_taken_where_it_is_named(tmp_path: Path) -> None:
    chance = chance_of(2)
    own = states(chance)
    pairs = judged(chance, [s if s != SILENT else WRONG for s in own])
    words = {RIGHT: "correct", WRONG: "incorrect", SILENT: "refused"}
    rows = [
        {
            "id": f"q{i}",
            "question": f"{i}?",
            "reponse_attendue": pairs[i][0],
            "reponse_modele": pairs[i][1],
            "resultat": words[s],
        }
        for i, s in enumerate(own)
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert only(
        {run: tuple(c)[:4] for run, c in (counts_of(load(path, Options(column={"outcome": "resultat"}))) or {}).items()}
    ) == counts(own)


@pytest.mark.parametrize("text", ["N/A", "I don't know."])
def test_a_column_that_says_one_thing_of_all_answers_is_no_silence(tmp_path: Path, text: str) -> None:
    chance = chance_of(3)
    own = [state if state != SILENT else WRONG for state in states(chance)]
    table: list[Row] = [{"id": f"q{i}", "correct": s == RIGHT, word(chance_of(9)): text} for i, s in enumerate(own)]
    found, _ = read(tmp_path, table)
    assert only(found) == counts(own)


@pytest.mark.parametrize("seed", SEEDS)
def test_yes_and_no_under_a_name_of_gold_answers_beside_texts_may_be_verdicts(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    table: list[Row] = [{"id": f"q{i}", "response": word(chance), "y": int(chance.random() < 0.6)} for i in range(SIZE)]
    message, _ = read(tmp_path, table)
    assert "'y' says yes or no, and most answers do not" in str(message)
    assert "--column outcome=y or --column gold=y" in str(message)
