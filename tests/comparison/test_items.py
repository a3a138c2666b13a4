"""Items from files: the worked example of statistics3, section 7, probable errors of a key, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nescio
from nescio.comparison.items import suspects
from tests.notes import in_words

RUNS = ["111110", "111100", "111010", "110110", "101001", "110001", "001001", "000001"]


def rows(runs: list[str]) -> list[dict[str, Any]]:
    """A row a run and item: 1 right, 0 wrong, U silent."""
    words = {"1": "correct", "0": "incorrect", "U": "unanswered"}
    return [
        {"run": f"r{i}", "question": f"q{j + 1}", "outcome": words[cell]}
        for i, run in enumerate(runs)
        for j, cell in enumerate(run)
    ]


def test_the_worked_example_of_section_7() -> None:
    """Item 6 comes first: p 1/70, adjusted .0857142857; KR-20 .0521739130, and .7267441860 without it."""
    found = nescio.lab.items(rows(RUNS))
    first = found.rows[0]
    assert (first.question, first.flagged) == ("q6", True)
    assert first.discrimination == pytest.approx(-0.9149914220, abs=1e-9)
    assert first.p == pytest.approx(1 / 70, abs=1e-9)
    assert first.suspicion == pytest.approx(0.0857142857, abs=1e-9)
    (table,) = found.tables["reliability"]
    assert (table.kr20, table.flagged_left_out) == pytest.approx((0.0521739130, 0.7267441860), abs=1e-9)


def test_able_runs_that_agree_on_another_answer_speak_against_the_key() -> None:
    """The better half says Bern, whose key is Zurich: exact over all halves of eight runs, 1/70, and two tests."""
    right = np.array([[float(cell) for cell in run] for run in ["11111100"] * 4 + ["10000001", "01000001"] * 2])
    texts = [[" Bern" if item == 6 else "x" for item in range(8)] for _ in range(4)]
    texts += [[("Zug", "Ulm", "Rom", "Wil")[run] if item == 6 else "x" for item in range(8)] for run in range(4)]
    found = suspects(right, texts)
    assert found.other[6] == (" Bern", pytest.approx(5 / 70))  # five answers that the key calls wrong
    assert np.isnan(found.p_sign[6])  # nobody is right
    assert found.p[7] == pytest.approx(1 / 70)  # one test there: nobody shares another answer


def test_a_key_that_all_able_runs_follow_is_not_suspect_by_either_test() -> None:
    """The weak half shares the answer x: no sum of ranks is lower than theirs, and p is 1, of two tests as of one."""
    right = np.array([[float(cell) for cell in run] for run in ("1111", "1110", "1101", "0010", "0001", "0000")])
    found = suspects(right, [["x" if cell == 0 else "key" for cell in run] for run in right])
    assert (found.p_sign[0], found.other[0], found.p[0]) == (1, ("x", 1), 1)


def test_silence_of_able_runs_marks_a_trap() -> None:
    found = nescio.lab.items(rows(["1111U", "1101U", "10101", "01001", "00001"]))
    (trap,) = [row for row in found if row.question == "q5"]
    assert trap.silence > 0.8
    assert trap.discrimination < -0.8


def test_items_on_which_all_agree_come_last_and_are_said() -> None:
    found = nescio.lab.items(rows(["110", "100", "110", "100"]))
    assert next(row.question for row in found) == "q2"
    assert np.isnan(found.rows[-1].suspicion)
    assert "items.alike" in {note.code for note in found.notes}


def test_too_few_runs_to_flag_anything_are_said() -> None:
    found = nescio.lab.items(rows(["1110", "1100", "1010", "0111", "0001"]))
    assert "items.few_runs" in {note.code for note in found.notes}
    assert not any(row.flagged for row in found)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (rows(RUNS[:3]), "3 runs"),
        ([dict(row, repeat=at) for row in rows(RUNS) for at in ("1", "2")], "several times"),
        (rows([run[:1] for run in RUNS]), "two questions"),
    ],
)
def test_what_says_nothing_is_one_clear_error(table: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(nescio.NescioError, match=said):
        nescio.lab.items(table)


def simulated(runs: int, items: int, *, tied: float = 0.0) -> tuple[list[dict[str, Any]], np.ndarray, np.ndarray]:
    """Rows of runs that answer by one trait and are right by another, correlated by `tied`; the second and b of items."""
    rng = np.random.default_rng(3)
    able, b = rng.normal(0, 1, runs), rng.normal(0, 1, items)
    ready = tied * able + np.sqrt(1 - tied**2) * rng.normal(0, 1, runs)
    right = rng.random((runs, items)) < 1 / (1 + np.exp(-1.5 * (able[:, None] - b)))
    answered = rng.random((runs, items)) < 1 / (1 + np.exp(-1.5 * (ready[:, None] + 1)))
    words = np.where(answered, np.where(right, "1", "0"), "U")
    return rows(["".join(own) for own in words]), able, b


def test_from_thirty_runs_on_silence_is_an_outcome_of_a_model_of_its_own() -> None:
    made, able, b = simulated(60, 40)
    found = nescio.lab.items(made)
    by_name = {row.question: row for row in found}
    given = [by_name[f"q{j + 1}"].difficulty for j in range(40)]
    assert np.corrcoef(np.array(given, dtype=float), b)[0, 1] > 0.9
    abilities = found.tables["abilities"]
    assert np.corrcoef([row.ability for row in abilities], able)[0, 1] > 0.85
    assert all(row.answering is not None and row.answering_sd < 1 for row in abilities)
    assert any(note.code == "items.penalised" for note in found.notes)
    assert not any(note.code == "items.dependent" for note in found.notes)
    tied = nescio.lab.items(simulated(60, 40, tied=0.8)[0])
    assert any(
        "right more often when they answer also answer more (the two abilities correlate with r = 0." in note
        for note in in_words(tied.notes)
    )


def test_where_nobody_is_silent_only_being_right_is_modelled_and_with_few_runs_nothing() -> None:
    few = nescio.lab.items(simulated(29, 10)[0])
    assert "abilities" not in few.tables
    assert {row.slope for row in few} == {None}
    made, _, _ = simulated(30, 10)
    spoken = [{**row, "outcome": row["outcome"].replace("unanswered", "incorrect")} for row in made]
    found = nescio.lab.items(spoken)
    assert {row.answering for row in found.tables["abilities"]} == {None}
    assert {row.answering_slope for row in found} == {None}
    assert all(row.slope and row.slope > 0 for row in found)
