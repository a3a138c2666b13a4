"""Tables whose names and words nobody knows, as they are drawn by chance: what their cells prove is asked about, or
read, whatever the words are."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from nescio.errors import FormatError
from nescio.pipeline import Options, load
from tests.tables.table import RIGHT, SILENT, WRONG
from tests.tables.test_kinds import Row, read

SIZE = 40
SEEDS = range(4)


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
    cells = {"a word": (silent, lambda: given), "empty": (silent, lambda: None)}
    quiet, said = cells.get(others, ("7", lambda: chance.choice("23")))
    table: list[Row] = [
        {"id": f"q{i}", "correct": s == RIGHT, column: quiet if s == SILENT else said()} for i, s in enumerate(own)
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
def test_counts_follow_from_others(tmp_path: Path, seed: int) -> None:
    chance = chance_of(seed)
    runs = {word(chance): (chance.randint(5, 30), chance.randint(3, 20), chance.randint(1, 9)) for _ in range(3)}
    for head, of in {
        "attempted,correct,total": lambda r, w, s: (r + w, r, r + w + s),
        "n,answered,right": lambda r, w, s: (r + w + s, r + w, r),
        "correct,incorrect,n_questions": lambda r, w, s: (r, w, r + w + s),
    }.items():
        path = tmp_path / "counts.csv"
        path.write_text(f"model,{head}\n" + "".join(f"{run},{','.join(map(str, of(*c)))}\n" for run, c in runs.items()))
        tally = load(path, Options()).data
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
