"""Tables whose names and words nobody knows, drawn by chance: what their cells prove is asked about, or read."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nescio.data.evidence import Tally
from nescio.errors import FormatError
from nescio.pipeline import Options, load
from tests.rings import sample
from tests.tables.table import RIGHT, SILENT, WRONG, Row
from tests.tables.test_kinds import read

SIZE = 40
NAMES = {RIGHT: "correct", WRONG: "incorrect", SILENT: "unanswered"}
ANSWERS = ("Paris", "Rome", "Oslo", "Bern", "Wien", "Riga", "Kyiv", "Bonn")
pytestmark = pytest.mark.parametrize("seed", sample(range(4), 1))


def word(chance: random.Random) -> str:
    """Draw a word that is none of any language."""
    return "".join(chance.choices("bcdfgklmpqrvwxz", k=7))


def states(chance: random.Random) -> list[str]:
    least = [RIGHT] * 12 + [WRONG] * 6 + [SILENT] * 9
    drawn = least + chance.choices((RIGHT, WRONG, SILENT), (5, 2, 3), k=SIZE - len(least))
    chance.shuffle(drawn)
    return drawn


def counts(truth: list[str], *, silent: str = SILENT) -> tuple[int, ...]:
    seen = [silent if s == SILENT else s for s in truth]
    return (seen.count(RIGHT), seen.count(WRONG), seen.count(SILENT), 0)


def only(found: Any) -> tuple[int, ...]:
    (of_run,) = found.values()
    return tuple(of_run)


def judged(chance: random.Random, truth: list[str]) -> Iterator[tuple[int, str, str, str | None]]:
    """Yield the number and the state of each answer, the gold answer, and the answer given."""
    for i, s in enumerate(truth):
        gold = chance.choice(ANSWERS)
        wrong = chance.choice([other for other in ANSWERS if other != gold])
        yield i, s, gold, {RIGHT: gold, WRONG: wrong}.get(s)


def test_a_word_beside_no_right_answer_is_asked_about(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    column, silent, given, truth = word(chance), word(chance), word(chance), states(chance)
    table = [
        {"id": f"q{i}", "correct": s == RIGHT, column: silent if s == SILENT else given} for i, s in enumerate(truth)
    ]
    message, _ = read(tmp_path, table)
    assert f"{column!r} is {silent!r} of {truth.count(SILENT)} answers, none of them right" in message
    found, _ = read(tmp_path, table, column={"abstained": column}, outcome_map={silent: "unanswered"})
    assert only(found) == counts(truth)
    assert only(read(tmp_path, table, column={"abstained": "-"})[0]) == counts(truth, silent=WRONG)


def test_words_that_say_why_answers_are_wrong_are_no_silence(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    reasons, truth = [word(chance) for _ in range(3)], states(chance)
    kinds = [None if s == RIGHT else chance.choice(reasons) for s in truth]
    table = [{"id": f"q{i}", "correct": s == RIGHT, "why": kinds[i]} for i, s in enumerate(truth)]
    found, notes = read(tmp_path, table)
    assert only(found) == counts(truth, silent=WRONG)
    assert "'why'" in notes


@pytest.mark.parametrize("known", [True, False])
def test_answers_in_a_word_that_no_gold_answer_is_are_asked_about(tmp_path: Path, known: bool, seed: int) -> None:
    chance = random.Random(seed)
    gold, given = ("gold", "prediction") if known else (word(chance), word(chance))
    words, silent, truth = [word(chance) for _ in range(3)], word(chance), states(chance)
    right = [chance.choice(words) for _ in truth]
    answers = [
        r if s == RIGHT else silent if s == SILENT else chance.choice([w for w in words if w != r])
        for s, r in zip(truth, right, strict=True)
    ]
    table = [{"id": f"q{i}", gold: right[i], given: answers[i]} for i in range(SIZE)]
    if not known:
        assert f"--column prediction={given} --column gold={gold}" in read(tmp_path, table)[0]
    column = {"gold": gold, "prediction": given}
    message, _ = read(tmp_path, table, column=column)
    assert f"{truth.count(SILENT)} answers are {silent!r}, which no gold answer is" in message
    assert only(read(tmp_path, table, column=column, declined_pattern=[silent])[0]) == counts(truth)
    found, _ = read(tmp_path, table, column={**column, "abstained": "-"})
    assert only(found) == counts(truth, silent=WRONG)


def test_columns_that_exclude_each_other_are_no_runs(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    truth, right, silent = states(chance), word(chance), word(chance)
    table = [{"id": f"q{i}", right: int(s == RIGHT), silent: int(s == SILENT)} for i, s in enumerate(truth)]
    message, _ = read(tmp_path, table)
    assert "+" not in message.partition("by one of these")[2]  # no way takes both for runs
    assert f"--column abstained={silent}" in message


def test_a_column_in_unknown_words_that_goes_with_the_gold_answers_is_a_verdict(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    truth, column, good, bad = states(chance), word(chance), word(chance), word(chance)
    table: list[Row] = [
        {"id": f"q{i}", "gold": g, "prediction": a, column: good if s == RIGHT else bad}
        for i, s, g, a in judged(chance, truth)
    ]
    message, _ = read(tmp_path, table)
    assert f"{column!r} may say which answers are right" in message
    assert f"--outcome-map {good}=correct" in message.partition("by one of these:")[2].strip().splitlines()[0]
    found, _ = read(tmp_path, table, column={"outcome": column}, outcome_map={good: "correct", bad: "incorrect"})
    assert only(found) == counts(truth)


def test_a_verdict_that_has_slipped_by_a_row_is_told(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    truth = [RIGHT if i % 2 else WRONG for i in range(SIZE)]
    table: list[Row] = [
        {"id": f"q{i}", "gold": g, "prediction": a, "correct": truth[(i + 1) % SIZE if i else 0] == RIGHT}
        for i, _, g, a in judged(chance, truth)
    ]
    assert "answers wrong that are the gold answer" in read(tmp_path, table)[0]
    assert read(tmp_path, table, column={"outcome": "correct"})[0]


def test_the_figures_of_a_leaderboard_are_held_against_the_rows(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    runs = {word(chance): [chance.random() < 0.6 for _ in range(SIZE)] for _ in range(2)}
    items = [{"id": i, "model": run, "correct": own[i]} for run, own in runs.items() for i in range(SIZE)]
    board = [{"model": run, "acc": sum(own) / SIZE} for run, own in runs.items()]
    found, _ = read(tmp_path, {"leaderboard": board, "rows": items})
    assert {run: own[0] for run, own in found.items()} == {run: sum(own) for run, own in runs.items()}
    board[0]["acc"] = sum(next(iter(runs.values()))) / SIZE / 2
    assert "contradicts itself" in read(tmp_path, {"leaderboard": board, "rows": items})[0]


def test_figures_of_a_file_prove_what_its_texts_mean(tmp_path: Path, seed: int) -> None:
    truth = states(random.Random(seed))
    items = [
        {"id": i, "correct": s == RIGHT, "response": "I don't know." if s == SILENT else f"text {i}"}
        for i, s in enumerate(truth)
    ]
    document = {"n_incorrect": truth.count(WRONG), "rows": items}
    message, _ = read(tmp_path, document)
    assert "the two agree" in message
    pattern = message.partition("--declined-pattern ")[2].split(" the two")[0].replace("'\"'\"'", "'").strip("'")
    assert only(read(tmp_path, document, declined_pattern=[pattern])[0]) == counts(truth)


def test_answers_of_several_runs_beside_one_key_are_judged_at_once(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    key, runs = word(chance), {word(chance): states(chance) for _ in range(2)}
    gold = [chance.choice("ABCD") for _ in range(SIZE)]
    table: list[Row] = [{"id": f"q{i}", key: gold[i]} for i in range(SIZE)]
    for run, truth in runs.items():
        for row, s, g in zip(table, truth, gold, strict=True):
            row[run] = {RIGHT: g, SILENT: None}.get(s, chance.choice([x for x in "ABCD" if x != g]))
    first = read(tmp_path, table)[0].partition("by one of these:")[2].strip().splitlines()[0]
    assert first.startswith(f"--column prediction={'+'.join(runs)} --column gold={key}")
    found, _ = read(tmp_path, table, column={"prediction": "+".join(runs), "gold": key})
    assert found == {run: counts(truth) for run, truth in runs.items()}


def test_a_column_that_counts_repeats_is_proposed_and_read(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    run, asked, again = (word(chance) for _ in range(3))
    truths = {(name, each): states(chance) for name in (word(chance), word(chance)) for each in range(3)}
    table: list[Row] = [
        {again: each, run: name, asked: f"q{i}", "correct": s == RIGHT, "refused": s == SILENT}
        for (name, each), truth in truths.items()
        for i, s in enumerate(truth)
    ]
    assert f"--column repeat={again}" in read(tmp_path, table)[0]
    summed: dict[str, tuple[int, ...]] = {}
    for (name, _), truth in truths.items():
        summed[name] = tuple(map(sum, zip(summed.get(name, (0, 0, 0, 0)), counts(truth), strict=True)))
    assert read(tmp_path, table, column={"repeat": again})[0] == summed


@pytest.mark.parametrize("sums", [False, True])
def test_a_mean_of_all_runs_is_left_out_and_a_run_that_is_their_sum_is_kept(
    tmp_path: Path, seed: int, sums: bool
) -> None:
    chance = random.Random(seed)
    *runs, last = (word(chance) for _ in range(4))
    cells = [[int(chance.random() < 0.6) for _ in runs] for _ in range(SIZE)]
    if sums:
        cells = [[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 1, 0]]
    lines = [
        f"q{i},{','.join(map(str, row))},{sum(row) if sums else f'{sum(row) / 3:.2f}'}" for i, row in enumerate(cells)
    ]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join([",".join(["id", *runs, last]), *lines]) + "\n")
    loaded = load(path, Options())
    assert {*loaded.data.runs} == {*runs, *([last] if sums else [])}
    told = f"{last!r} is read as a run" if sums else last
    assert any(note.code == "matrix.means" and told in str(note) for note in loaded.notes)


def test_counts_follow_from_others(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    runs = {word(chance): (chance.randint(5, 30), chance.randint(3, 20), chance.randint(1, 9)) for _ in range(3)}
    for head in ("attempted,correct,total", "n,answered,right", "correct,incorrect,n_questions"):
        lines = [f"model,{head}"]
        for run, (right, wrong, silent) in runs.items():
            known = {"right": right, "correct": right, "incorrect": wrong}
            known |= dict.fromkeys(("attempted", "answered"), right + wrong)
            lines.append(",".join([run, *(str(known.get(name, right + wrong + silent)) for name in head.split(","))]))
        path = tmp_path / "counts.csv"
        path.write_text("\n".join(lines) + "\n")
        tally = load(path, Options()).data
        assert isinstance(tally, Tally)
        made = [tally.counts @ tally.columns[name] for name in ("correct", "incorrect", "unanswered")]
        assert {run: tuple(int(total[i]) for total in made) for i, run in enumerate(tally.runs)} == runs


def test_unknown_words_of_a_column_called_outcome_are_explained(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    truth, words = states(chance), {state: word(chance) for state in (RIGHT, WRONG, SILENT)}
    table = [{"id": f"q{i}", "outcome": words[s]} for i, s in enumerate(truth)]
    options = [f"--outcome-map {said}={NAMES[s]}" for said, s in sorted((said, s) for s, said in words.items())]
    assert " ".join(options) in read(tmp_path, table)[0]


def test_the_answers_within_runs_are_the_table(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    lists, inner, runs = word(chance), word(chance), {word(chance): states(chance) for _ in range(2)}
    document = [
        {"name": run, inner: [{"id": i, "ok": s == RIGHT, "abstained": s == SILENT} for i, s in enumerate(truth)]}
        for run, truth in runs.items()
    ]
    way = '  column={"outcome": "ok"} column={"abstained": "abstained"}'
    (path := tmp_path / "document.json").write_text(json.dumps({lists: document}))
    with pytest.raises(FormatError) as caught:
        load(path, Options())
    assert str(caught.value).split("\n")[1].startswith(way)
    found, _ = read(tmp_path, {lists: document}, column={"outcome": "ok", "abstained": "abstained"})
    assert found == {run: counts(truth) for run, truth in runs.items()}
