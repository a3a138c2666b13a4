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
from nescio.tables import large as reading
from tests.rings import together

from .fuzz import evidence_and_notes, write_files


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([header, *rows])
    return text.getvalue()


def answers(seed: int, size: int) -> list[list[object]]:
    draw = random.Random(seed)
    verdicts = [1, 0, *(int(draw.random() < 0.6) for _ in range(size - 2))]
    return [[f"q{i}", right, round(draw.uniform(1, 9), 3)] for i, right in enumerate(verdicts)]


@together("name", ["Accuracy", "Ø", "21"])
@together("kind", ["sum", "mean", "rounded mean"])
def test_a_row_of_sums_or_means_is_left_out_or_refused(tmp_path: Path, name: str, kind: str) -> None:
    rows = answers(len(name), 20)
    sums = [sum(row[i] for row in rows) for i in (1, 2)]  # type: ignore[misc]
    last = sums if kind == "sum" else [total / 20 if kind == "mean" else f"{total / 20:.2f}" for total in sums]
    for header in (("question", "correct", "seconds"), ("question", "correct"), ("question", "a", "b")):
        text = table(header, [row[: len(header)] for row in [*rows, [name, *last]]])
        paths = write_files(tmp_path, {"t.csv": text})
        if name != "21" and "correct" in header:  # a name for sums, or for no question
            assert len(evidence_and_notes(paths)[0].questions) == 20
            continue
        with pytest.raises(FormatError, match=r"line 22: (the numbers of this last row are|this last row|what do)"):
            evidence_and_notes(paths)


@together("seed", range(6))
def test_a_last_answer_is_no_sum(tmp_path: Path, seed: int) -> None:
    rows = answers(seed, 5 + 3 * seed)
    data, _ = evidence_and_notes(write_files(tmp_path, {"t.csv": table(("question", "correct", "seconds"), rows)}))
    assert len(data.questions) == len(rows)


def test_a_table_that_is_counted_and_not_read_ends_in_its_total(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "LARGE", 1)
    questions = [*(f"q{i}" for i in range(1000)), "Total"]
    columns = {"run": ["m"] * 1001, "question": questions, "outcome": [*["correct", "incorrect"] * 500, "correct"]}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    scores = nescio.score(tmp_path / "t.parquet", "accuracy")
    assert scores.rows[0].n == 1000
    assert any("1 row named 'Total' left out: it is a total of other rows" in str(note) for note in scores.notes)


def two_runs(shift: int, texts: str = "What is {}?") -> dict[str, str]:
    rows = [[[i, texts.format((i + s) % 30), int(i % (2 + s) == 0)] for i in range(30)] for s in (0, shift)]
    return {
        f"{run}.csv": table(("question_id", "question", "correct"), of_run)
        for run, of_run in zip("ab", rows, strict=True)
    }


def test_runs_whose_texts_contradict_their_numbers_are_asked_about(tmp_path: Path) -> None:
    paths = write_files(tmp_path / "same", two_runs(0))
    assert len(evidence_and_notes(paths)[0].questions) == 30
    paths = write_files(tmp_path / "moved", two_runs(1))
    rule = r"question '0' asks .*what is 0.* in run 'a', but .*what is 1.* in run 'b', where another id has the first text \(30 of 30 quest"
    with pytest.raises(FormatError, match=rule):
        evidence_and_notes(paths)
    assert "What is 0?" in evidence_and_notes(paths, column={"question": "question"})[0].questions
    assert "0" in evidence_and_notes(paths, column={"question": "question_id"})[0].questions


def test_a_third_run_does_not_stop_the_comparison_of_two(tmp_path: Path) -> None:
    head = ("run", "question", "correct")
    rows: list[list[object]] = [[r, f"q{i}", int(i % k == 0)] for r, k in (("a", 2), ("b", 3)) for i in range(10)]
    more: list[list[object]] = [*rows, *(["c", f"q{i}", 1] for i in range(7)), ["c", "other", ""]]
    two, three = write_files(tmp_path, {"two.csv": table(head, rows), "three.csv": table(head, more)})
    for run, baseline in (("b", "a"), ("a", "b")):
        both = [nescio.compare(path, "c@1", baseline=baseline, run=run).rows[0] for path in (two, three)]
        one, other = [(row.difference, row.p, row.low, row.high, row.n) for row in both]
        assert one == other
    with pytest.raises(MismatchError, match=r"lacks 1 of 11 questions|is not graded"):
        nescio.compare(three, "c@1", baseline="a")


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
