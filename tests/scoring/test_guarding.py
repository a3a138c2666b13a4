"""A guard of a stream: which rows count, blocks, labels, alarms and what is refused."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.errors import MismatchError, UnknownNameError, UsageError

WORDS = {"C": "correct", "W": "incorrect", "U": "unanswered", "-": ""}


def rows(outcomes: str, run: str = "a", first: int = 0) -> list[dict[str, Any]]:
    """A row for each letter, with questions in no order of their names."""
    return [
        {"run": run, "question": f"{run}{997 * (first + i) % 1000:03}", "outcome": WORDS[word]}
        for i, word in enumerate(outcomes)
    ]


def written(path: Path, made: list[dict[str, Any]]) -> Path:
    head = list(made[0])
    path.write_text("\n".join([",".join(head), *(",".join(str(row[name]) for name in head) for row in made)]) + "\n")
    return path


def codes(found: nescio.Results[Any]) -> list[str]:
    return [note.code for note in found.notes]


def by_rate(found: nescio.Results[Any]) -> dict[tuple[str, str], Any]:
    return {(row.run, row.rate): row for row in found}


def test_wrong_is_a_share_of_answers_and_silent_of_questions() -> None:
    found = by_rate(nescio.lab.guard(rows("CWUUC")))
    wrong, silent = found["a", "wrong"], found["a", "silent"]
    assert (wrong.value, wrong.counted, wrong.rows) == (1 / 3, 3, 5)
    assert (silent.value, silent.counted, silent.rows) == (2 / 5, 5, 5)
    assert wrong.alarm is None is silent.limit


def test_a_rate_of_nothing_is_undefined() -> None:
    wrong = by_rate(nescio.lab.guard(rows("UUU")))["a", "wrong"]
    assert math.isnan(wrong.value)
    assert (wrong.low, wrong.high, wrong.counted) == (0, 1, 0)


def test_the_first_alarm_names_its_row() -> None:
    """By hand (tests/stats/test_streams_of_bets.py): three ones refute .2 with the goal 20 of alpha .05, and two .05.
    Silence does not count among the answers, so the third wrong answer is the fifth row."""
    found = nescio.lab.guard(rows("UWWUW"), at_most_wrong=0.2, alpha=0.05)
    (row,) = found
    assert (row.alarm, row.question, row.rows) == (5, f"a{997 * 4 % 1000:03}", 5)
    assert nescio.lab.guard(rows("UWWUW"), at_most_wrong=0.05).rows[0].alarm == 3
    assert row.low == pytest.approx(1 / (2 * 20 ** (1 / 3) - 1), abs=1e-9)
    assert [gate.status for gate in found.gates] == [1]


def test_an_alarm_stays_when_the_rate_falls_again() -> None:
    row = nescio.lab.guard(rows("WWW" + "C" * 200), at_most_wrong=0.2).rows[0]
    assert (row.alarm, row.value) == (3, 3 / 203)
    assert codes(nescio.lab.guard(rows("WWW" + "C" * 200))).count("guard.no_rate") == 1


def test_a_mean_outside_bounds_that_do_not_cross_is_noted() -> None:
    """The bounds come from a grid of means in plain Python, by the formula of the bets at alpha .05/2 (two rates).

    100 wrong answers refute all means up to .930, and 100 right ones then refute all from .929 on: no mean is left.
    """
    found = nescio.lab.guard(rows("W" * 50 + "C" * 50))
    wrong = found.rows[0]
    assert (wrong.value, wrong.low, wrong.high) == (
        0.5,
        pytest.approx(0.8673, abs=1e-4),
        pytest.approx(0.9192, abs=1e-4),
    )
    assert codes(found).count("guard.changed") == 1
    assert "guard.no_rate" not in codes(found)
    crossed = codes(nescio.lab.guard(rows("W" * 100 + "C" * 100)))
    assert crossed.count("guard.no_rate") == 1
    assert "guard.changed" not in crossed


def test_bounds_that_cross_are_no_bounds() -> None:
    """After 400 wrong answers no rate below 0.9 fits, and after 600 right ones none above it."""
    found = nescio.lab.guard(rows("W" * 400 + "C" * 600) + rows("WC" * 500, "b"))
    wrong = found.rows[0]
    assert math.isnan(wrong.low)
    assert math.isnan(wrong.high)
    assert codes(found).count("guard.no_rate") == 1
    ends = [(row.low, row.high) for row in found.tables["differences"]]
    assert any(math.isnan(low) for low, _ in ends)
    assert all(math.isnan(low) or low <= high for low, high in ends)


def test_alpha_is_divided_by_runs_and_rates() -> None:
    """With two limits each bound may be wrong with .05 at alpha .1; with two runs as well, at .2."""
    alone = nescio.lab.guard(rows("WWWC" * 9), at_most_wrong=0.2, alpha=0.05).rows[0]
    both = by_rate(nescio.lab.guard(rows("WWWC" * 9), at_most_wrong=0.2, at_most_silent=0.2, alpha=0.1))
    four = by_rate(
        nescio.lab.guard(rows("WWWC" * 9) + rows("C" * 36, "b"), at_most_wrong=0.2, at_most_silent=0.2, alpha=0.2)
    )
    for row in (both["a", "wrong"], four["a", "wrong"]):
        assert (row.low, row.high, row.alarm) == (alone.low, alone.high, alone.alarm)


def test_blocks_of_a_run_are_one_stream(tmp_path: Path) -> None:
    """Files with the same run are one stream in their order; the other order is another stream."""
    made = rows("CWWCWWUWWWWW")
    first, second = written(tmp_path / "1.csv", made[:5]), written(tmp_path / "2.csv", made[5:])
    whole = nescio.lab.guard(made, at_most_wrong=0.2).rows[0]
    blocks = nescio.lab.guard([first, second], at_most_wrong=0.2).rows[0]
    assert (blocks.low, blocks.high, blocks.alarm, blocks.question) == (
        whole.low,
        whole.high,
        whole.alarm,
        whole.question,
    )
    turned = nescio.lab.guard([second, first], at_most_wrong=0.2).rows[0]
    assert (turned.value, turned.rows) == (whole.value, whole.rows)
    assert turned.alarm is not None
    assert whole.alarm is not None
    assert turned.alarm < whole.alarm


def test_an_answer_in_two_files_is_refused(tmp_path: Path) -> None:
    made = rows("CWWC")
    first, second = written(tmp_path / "1.csv", made), written(tmp_path / "2.csv", made[3:])
    with pytest.raises(MismatchError, match=r"2\.csv: run 'a' answers question 'a991' in this file and in an earlier"):
        nescio.lab.guard([first, second])


def test_differences_of_two_runs_rest_on_four_bounds() -> None:
    """Each bound has a quarter of alpha, of one rate: those of a run alone at that alpha."""
    a, b = rows("WC" * 60), rows("WCCC" * 40, "b")
    found = nescio.lab.guard(a + b, at_most_wrong=0.9, alpha=0.2)
    alone = [nescio.lab.guard(one, at_most_wrong=0.9, alpha=0.05).rows[0] for one in (a, b)]
    (row,) = found.tables["differences"]
    assert (row.run, row.baseline, row.difference) == ("b", "a", -0.25)
    assert (row.low, row.high) == (alone[1].low - alone[0].high, alone[1].high - alone[0].low)
    (turned,) = nescio.lab.guard(a + b, at_most_wrong=0.9, alpha=0.2, baseline="b").tables["differences"]
    assert (turned.low, turned.high) == (-row.high, -row.low)


def test_labels_correct_the_judge() -> None:
    """The judge calls every second answer wrong. People see answers 2, 4 and 6, which it calls wrong, and call the
    first of them right: with the weight ½, 0 - ½(1 - ½), 1 - ½(1 - ½) and again are -¼, ¾, ¾, whose mean is 5/12."""
    made = rows("CWCWCWCC")
    people = [
        {"run": "a", "question": made[i]["question"], "verdict": verdict}
        for i, verdict in ((1, "correct"), (3, "incorrect"), (5, "incorrect"))
    ]
    found = nescio.lab.guard(made, labels=people, at_most_wrong=0.9)
    (row,) = found
    assert (row.value, row.counted, row.rows, row.labelled) == (pytest.approx(5 / 12), 3, 8, True)
    assert {"guard.labels", "guard.order"} <= {*codes(found)}
    shuffled = nescio.lab.guard(made, labels=people[::-1], at_most_wrong=0.9).rows[0]
    assert shuffled == row  # labels count in the order of the rows


def test_what_cannot_be_followed_is_refused() -> None:
    again = [{**row, "repeat": k} for k in (1, 2) for row in rows("CW")]
    with pytest.raises(UsageError, match="a stream cannot hold"):
        nescio.lab.guard(again)
    with pytest.raises(UnknownNameError, match="zork"):
        nescio.lab.guard(rows("CW"), baseline="zork")
    drawn = [{"run": "a", "question": "a000", "verdict": "correct", "inclusion": 0.5}]
    with pytest.raises(UsageError, match="simple random sample"):
        nescio.lab.guard(rows("CW"), labels=drawn)
    unanswerable = [{**row, "answerable": "false"} for row in rows("WW")] + [
        {**row, "answerable": "true"} for row in rows("CC", first=2)
    ]
    label = [{"run": "a", "question": "a994", "verdict": "correct"}]
    with pytest.raises(MismatchError, match="have no answer"):
        nescio.lab.guard(unanswerable, labels=label)
    with pytest.raises(MismatchError, match="no questions"):
        nescio.lab.guard([{"run": "a", "correct": 3, "incorrect": 1, "unanswered": 0}])
