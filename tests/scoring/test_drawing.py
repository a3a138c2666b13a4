"""Which answers people judge next, and whether they have judged enough: through the verbs."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nescio
from nescio.errors import NescioError


def answers(n: int, seed: int) -> tuple[list[dict[str, Any]], dict[tuple[str, str], str]]:
    """Two runs' answers as a judge sees them, and what people would say: the judge errs on 5% of what it calls right,
    and on 30% of what it calls wrong."""
    rng, rows, people = np.random.default_rng(seed), [], {}
    for run in ("x", "y"):
        for q in range(n):
            if rng.random() < 0.1:
                rows.append({"run": run, "question": f"q{q}", "outcome": "unanswered"})
                continue
            right = rng.random() < 0.6
            rows.append({"run": run, "question": f"q{q}", "outcome": "correct" if right else "incorrect"})
            truth = right != (rng.random() < (0.05 if right else 0.3))
            people[run, f"q{q}"] = "correct" if truth else "incorrect"
    return rows, people


def judged(sheet: Path, people: dict[tuple[str, str], str]) -> list[dict[str, str]]:
    with sheet.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        said = people[row["run"], row["question_id"]]
        assert row["verdict"] in ("", said)  # what was judged is kept
        row["verdict"] = said
    return rows


def test_three_draws_by_what_the_labels_say(tmp_path: Path) -> None:
    rows, people = answers(600, 1)
    sheet, labels, sizes = tmp_path / "sheet.csv", None, []
    for draw in (60, 60, 40):
        drawn = nescio.labels.draw(rows, sheet, draw=draw, labels=labels, how="adaptive")
        assert sum(kind.drawn for kind in drawn) == draw
        labels = judged(sheet, people)
        sizes.append(len({row["question_id"] for row in labels}))
    assert sizes == [60, 120, 160]
    odds = {kind.judge: kind.inclusion for kind in drawn}
    assert odds["all wrong"] > 1.2 * odds["all right"]
    assert sorted({float(row["inclusion"]) for row in labels or ()}) == pytest.approx(sorted(odds.values()))
    truth = sum(said == "correct" for (run, _), said in people.items() if run == "x") / 600
    found = nescio.score(rows, "accuracy", labels=labels, target="collection")["x", "accuracy"]
    assert found.low is not None
    assert found.high is not None
    assert found.low <= truth <= found.high
    assert "drawn with the probabilities" in nescio.score(rows, "accuracy", labels=labels).notes[-2].text


def test_a_simple_draw_has_no_probabilities(tmp_path: Path) -> None:
    rows, people = answers(200, 2)
    sheet = tmp_path / "sheet.csv"
    first = nescio.labels.draw(rows, sheet, draw=30)
    labels = judged(sheet, people)
    assert "inclusion" not in labels[0]
    assert {(kind.judge, kind.drawn) for kind in first} == {("anything", 30)}
    again = nescio.labels.draw(rows, sheet, draw=20, labels=labels)
    more = judged(sheet, people)
    assert [row["question_id"] for row in more[: len(labels)]] != []
    assert {row["question_id"] for row in labels} < {row["question_id"] for row in more}
    assert again.rows[0].drawn_before == 30
    looked = nescio.score(rows, "accuracy", labels=more, target="collection")
    assert looked["x", "accuracy"].low is not None
    then = nescio.labels.draw(rows, sheet, draw=20, labels=more, how="adaptive")  # goes on from a simple sample
    assert sum(kind.drawn for kind in then) == 20
    judged(sheet, people)


def test_draws_that_cannot_be_are_refused(tmp_path: Path) -> None:
    rows, people = answers(60, 3)
    sheet = tmp_path / "sheet.csv"
    with pytest.raises(NescioError, match="a draw can have at most"):
        nescio.labels.draw(rows, sheet, draw=100)
    with pytest.raises(NescioError, match="unknown run 'z'"):
        nescio.labels.draw(rows, sheet, draw=10, runs=["z"])
    with pytest.raises(NescioError, match="enough of each kind"):
        nescio.labels.draw(rows, sheet, draw=3, how="adaptive")
    silent = [{**row, "outcome": "unanswered"} for row in rows]
    with pytest.raises(NescioError, match="abstentions, which need no verdict"):
        nescio.labels.draw(silent, sheet, draw=3)
    assert not sheet.exists()
    nescio.labels.draw(rows, sheet, draw=20, how="adaptive")
    labels = judged(sheet, people)
    with pytest.raises(NescioError, match="not a simple random sample"):
        nescio.labels.draw(rows, sheet, draw=5, labels=labels, how="simple")
    labels[0]["inclusion"] = "0.9"
    with pytest.raises(NescioError, match="do not fit a draw from these runs"):
        nescio.labels.draw(rows, sheet, draw=5, labels=labels, how="adaptive")


def test_a_sheet_with_verdicts_is_not_written_over(tmp_path: Path) -> None:
    rows, people = answers(60, 7)
    sheet, other = tmp_path / "sheet.csv", tmp_path / "more.csv"
    nescio.labels.draw(rows, sheet, draw=10)
    nescio.labels.draw(rows, sheet, draw=20, seed=1)  # nobody has judged yet
    given = judged(sheet, people)
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(given[0]))
        writer.writeheader()
        writer.writerows(given)
    held = sheet.read_bytes()
    with pytest.raises(NescioError, match=f"has {len(given)} verdicts of people that the new sheet would overwrite"):
        nescio.labels.draw(rows, sheet, draw=10)
    assert sheet.read_bytes() == held
    nescio.labels.draw(rows, other, draw=10, labels=sheet)


def test_a_sheet_has_the_texts_that_the_files_have(tmp_path: Path) -> None:
    sheet, rows = tmp_path / "sheet.csv", [{"run": "x", "question": f"q{i}", "outcome": "correct"} for i in range(20)]
    bare = nescio.labels.draw(rows, sheet, draw=5)
    assert sheet.read_text(encoding="utf-8").splitlines()[0] == "question_id,run,verdict"
    assert any("hold no texts of answers" in one.text for one in bare.notes)
    path = tmp_path / "answered.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["run", "question", "outcome", "answer"])
        writer.writerows(["x", f"q{i}", "correct", f"answer {i}"] for i in range(20))
    full = nescio.labels.draw(path, sheet, draw=5)
    assert not any("hold no texts of answers" in one.text for one in full.notes)
    with sheet.open(encoding="utf-8", newline="") as file:
        drawn = list(csv.DictReader(file))
    assert all(row["answer"] == row["question_id"].replace("q", "answer ") for row in drawn)


def test_answers_that_wait_are_said(tmp_path: Path) -> None:
    rows, people = answers(100, 4)
    sheet = tmp_path / "sheet.csv"
    nescio.labels.draw(rows, sheet, draw=20, how="adaptive")
    labels = judged(sheet, people)
    labels[3]["verdict"] = ""
    found = nescio.labels.draw(rows, sheet, draw=5, labels=labels, how="adaptive")
    assert any("1 answer of an earlier draw has no verdict yet" in one.text for one in found.notes)


def test_intervals_by_betting_are_said_to_hold_at_any_number_of_looks() -> None:
    rows, people = answers(60, 8)
    labels = [{"run": run, "question": q, "verdict": verdict} for (run, q), verdict in people.items() if run == "x"]
    found = nescio.labels.look(
        [row for row in rows if row["run"] == "x"], "accuracy", labels=labels[:12], half_width=0.01
    )
    assert "labels.betting" in {note.code for note in found.notes}


def test_looks_say_stop_or_how_many_more() -> None:
    rows, people = answers(1_000, 5)
    order = np.random.default_rng(6).permutation(1_000)
    labels = [
        {"run": "x", "question": f"q{q}", "verdict": people["x", f"q{q}"]} for q in order if ("x", f"q{q}") in people
    ]
    one = [row for row in rows if row["run"] == "x"]

    def look(m: int, **how: Any) -> Any:
        return nescio.labels.look(one, "accuracy", labels=labels[:m], **how).rows[0]

    assert look(5, half_width=0.1).verdict.startswith("go on: 10 labels or more are needed")
    early = look(40, half_width=0.05)
    assert early.verdict == "go on"
    assert early.more > 50
    late = look(40 + early.more + 200, half_width=0.05)
    assert (late.verdict, late.more) == ("stop: within ±0.05", None)
    assert look(100, limit=0.2).verdict == "stop: above 0.2"
    assert look(100, limit=0.95).verdict == "stop: below 0.95"
    assert look(len(labels), limit=0.0, half_width=1e-6).verdict == "stop: above 0"
    # The order in which labels came is that of the table.
    turned = nescio.labels.look(one, "accuracy", labels=labels[:100][::-1], half_width=0.01).rows[0]
    assert (turned.low, turned.high) != (look(100, half_width=0.01).low, look(100, half_width=0.01).high)
    with pytest.raises(NescioError, match="simple random sample"):
        nescio.labels.look(one, "accuracy", labels=[{**row, "inclusion": 0.5} for row in labels[:50]], half_width=0.1)
    with pytest.raises(NescioError, match="say when to stop"):
        nescio.labels.look(one, "accuracy", labels=labels[:50])
    with pytest.raises(NescioError, match="name the table of people's verdicts"):
        nescio.labels.look(one, "accuracy", half_width=0.1)
