"""Rows that are no answers, and questions that two files call by one name: what their own numbers and texts prove."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import nescio
from nescio.errors import FormatError, MismatchError
from tests.rings import together

from .fuzz import evidence_and_notes, write_files

NAMES = ("Accuracy", "Grand Total", "TOTAL", "Ø", "all questions", "21", "Gesamtergebnis")


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([header, *rows])
    return text.getvalue()


def answers(seed: int, many: int) -> list[list[object]]:
    draw = random.Random(seed)
    verdicts = [1, 0, *(int(draw.random() < 0.6) for _ in range(many - 2))]
    return [[f"q{i}", right, round(draw.uniform(1, 9), 3)] for i, right in enumerate(verdicts)]


@together("name", NAMES)
@together("kind", ["sum", "mean", "rounded mean"])
def test_a_row_of_sums_or_means_is_found_whatever_its_name(tmp_path: Path, name: str, kind: str) -> None:
    rows = answers(len(name), 20)
    sums = [sum(row[i] for row in rows) for i in (1, 2)]  # type: ignore[misc]
    last = sums if kind == "sum" else [total / 20 if kind == "mean" else f"{total / 20:.2f}" for total in sums]
    for header, kept in (
        (("question", "correct", "seconds"), 3),
        (("question", "correct"), 2),
        (("question", "a", "b"), 3),
    ):
        text = table(header, [row[:kept] for row in [*rows, [name, *last]]])
        with pytest.raises(
            FormatError, match=r"line 22: (the numbers of this last row are|this last row seems to sum up)"
        ):
            evidence_and_notes(write_files(tmp_path, {"t.csv": text}))


@together("seed", range(20))
def test_a_last_answer_is_no_sum(tmp_path: Path, seed: int) -> None:
    rows = answers(seed, 5 + seed)
    data, _ = evidence_and_notes(write_files(tmp_path, {"t.csv": table(("question", "correct", "seconds"), rows)}))
    assert len(data.questions) == len(rows)


def test_a_large_table_that_ends_in_its_total(tmp_path: Path) -> None:
    """A million rows are counted and not read."""
    many = 1_000_000
    questions = pa.array([*(f"q{i}" for i in range(many)), "Total"])
    outcomes = pa.array([*(["correct", "incorrect"] * (many // 2)), "correct"])
    run = pa.array(["m"] * (many + 1))
    pq.write_table(pa.table({"run": run, "question": questions, "outcome": outcomes}), tmp_path / "t.parquet")
    with pytest.raises(FormatError, match=r"row 1000001: this last row seems to sum up"):
        nescio.score(tmp_path / "t.parquet", "accuracy")


def two_runs(shift: int, texts: str = "What is {}?") -> dict[str, str]:
    rows = [[[i, texts.format((i + s) % 30), int(i % (2 + s) == 0)] for i in range(30)] for s in (0, shift)]
    return {f"{name}.csv": table(("id", "question", "correct"), own) for name, own in zip("ab", rows, strict=True)}


def test_runs_whose_texts_contradict_their_numbers_are_asked_about(tmp_path: Path) -> None:
    paths = write_files(tmp_path / "same", two_runs(0))
    assert len(evidence_and_notes(paths)[0].questions) == 30
    paths = write_files(tmp_path / "moved", two_runs(1))
    with pytest.raises(
        FormatError, match=r"question '0' asks .*what is 0.* in run 'a' and .*what is 1.* \(30 of 30 quest"
    ):
        evidence_and_notes(paths)
    by_text, _ = evidence_and_notes(paths, column={"question": "question"})
    by_number, _ = evidence_and_notes(paths, column={"question": "id"})
    assert "What is 0?" in by_text.questions
    assert "0" in by_number.questions


def test_runs_that_word_a_question_differently_are_paired_with_a_note(tmp_path: Path) -> None:
    files = two_runs(0) | {"b.csv": two_runs(0, "Tell me what {} is.")["b.csv"]}
    data, notes = evidence_and_notes(write_files(tmp_path, files))
    assert len(data.questions) == 30
    assert "30 of 30 questions have another text in another run: paired by their names all the same" in notes


def test_a_third_run_does_not_stop_the_comparison_of_two(tmp_path: Path) -> None:
    rows: list[list[object]] = [[r, f"q{i}", int(i % k == 0)] for r, k in (("a", 2), ("b", 3)) for i in range(10)]
    own = write_files(tmp_path, {"two.csv": table(("run", "question", "correct"), rows)})[0]
    more: list[list[object]] = [*rows, *(["c", f"q{i}", 1] for i in range(7)), ["c", "other", ""]]
    path = write_files(tmp_path, {"three.csv": table(("run", "question", "correct"), more)})[0]
    for run, baseline in (("b", "a"), ("a", "b")):
        two, three = (nescio.compare(one, "c@1", baseline=baseline, run=run).rows[0] for one in (own, path))
        assert (two.difference, two.p, two.low, two.high, two.n) == (
            three.difference,
            three.p,
            three.low,
            three.high,
            three.n,
        )
    with pytest.raises(MismatchError, match=r"lacks 1 of 11 questions|is not graded"):
        nescio.compare(path, "c@1", baseline="a")


def test_a_folder_of_tables_is_read_as_its_files_are(tmp_path: Path) -> None:
    files = {
        f"{run}.csv": table(("question", "correct"), [[f"q{i}", int(i % k == 0)] for i in range(10)])
        for run, k in (("a", 2), ("b", 3))
    }
    paths = write_files(tmp_path, files | {"README.md": "what this is"})
    whole, notes = evidence_and_notes(tmp_path)
    single, _ = evidence_and_notes(paths[:2])
    assert (whole.runs, whole.digest()) == (single.runs, single.digest())
    assert any("2 files of table are read, and 1 other file is not" in note for note in notes)


def test_two_columns_of_one_name_but_for_case_are_asked_about(tmp_path: Path) -> None:
    """DuckDB, and a spreadsheet, would call them one; rows 0-3 and 6-9 differ."""
    rows = [[f"q{i}", "correct" if i < 6 else "incorrect", "correct" if i >= 4 else "incorrect"] for i in range(10)]
    path = write_files(tmp_path, {"t.csv": table(("question", "outcome", "Outcome"), rows)})[0]
    with pytest.raises(FormatError, match=r"'outcome' and 'Outcome' bear one name and differ in 8 rows"):
        evidence_and_notes(path)
    for column, right in (("outcome", 6), ("Outcome", 6)):
        data, _ = evidence_and_notes(path, column={"outcome": column})
        assert int(data.columns["correct"].sum()) == right
    same = [[*row[:2], row[1]] for row in rows]
    data, _ = evidence_and_notes(write_files(tmp_path, {"s.csv": table(("question", "outcome", "Outcome"), same)}))
    assert int(data.columns["correct"].sum()) == 6


@pytest.mark.parametrize("last", ["Genauigkeit", "Exactitude", "Gesamt korrekt"])
def test_a_last_row_that_is_named_unlike_all_others_is_said(last: str, tmp_path: Path) -> None:
    """All answers are right, so that no number tells the sum from an answer."""
    rows = [[f"q{i}", 1] for i in range(6)]
    path = write_files(tmp_path, {"t.csv": table(("qid", "correct"), [*rows, [last, 1]])})[0]
    _, notes = evidence_and_notes(path)
    assert any(f"line 8: this last row is counted as an answer to the question {last!r}" in note for note in notes)
    plain = write_files(tmp_path, {"plain.csv": table(("qid", "correct"), [*rows, ["q6", 1]])})[0]
    assert not any("last row" in note for note in evidence_and_notes(plain)[1])


def test_a_total_beside_counts_is_held_against_them(tmp_path: Path) -> None:
    """5 + 3 + 2 = 10, not 12."""
    names = ("run", "correct", "incorrect", "unanswered", "total")
    path = write_files(tmp_path, {"c.csv": table(names, [["b", 4, 4, 2, 10], ["a", 5, 3, 2, 12]])})[0]
    with pytest.raises(FormatError, match=r"line 3: 'total' is 12, and right, wrong and unanswered add up to 10"):
        evidence_and_notes(path)
