"""Tables whose names and words nobody knows, drawn by chance: what their cells prove is asked about, or read."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.rings import sample
from tests.tables.table import RIGHT, SILENT, WRONG, Row
from tests.tables.test_kinds import read

SIZE = 40
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
