"""nescio convert: what is written scores as what was read."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Command

TRUTH = '{"id": "a", "same": true}\n{"id": "b", "same": false}\n{"id": "c", "same": true}\n'
ANSWERS = '{"id": "a", "value": 0.9}\n{"id": "b", "value": 0.7}\n{"id": "c", "value": 0.5}\n'


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_what_is_written_scores_as_what_was_read(nescio: Command, tmp_path: Path, suffix: str) -> None:
    truth, answers, table = tmp_path / "truth.jsonl", tmp_path / "mine.jsonl", tmp_path / f"outcomes{suffix}"
    truth.write_text(TRUTH)
    answers.write_text(ANSWERS)
    found = nescio("convert", truth, answers, table)
    assert found.status == 0
    assert "read pan; wrote 3 outcomes of 1 run to" in found.err
    measures = ("-m", "c@1", "-m", "AUROC", "--ci", "none", "-f", "json")
    rows = [nescio("score", *files, *measures).json["scores"] for files in ((truth, answers), (table,))]
    assert [row["value"] for row in rows[0]] == [row["value"] for row in rows[1]]


def test_answers_are_judged_on_the_way(nescio: Command, tmp_path: Path) -> None:
    questions, run, table = tmp_path / "questions.jsonl", tmp_path / "mine.jsonl", tmp_path / "outcomes.csv"
    questions.write_text('{"id": "1", "question": "2 + 2?", "answers": ["4"]}\n')
    run.write_text('{"id": "1", "answer": "4"}\n')
    assert "judged by exact" in nescio("convert", questions, run, table).err
    assert table.read_text() == "run,question,outcome\nmine,1,correct\n"


def test_what_cannot_be_converted(nescio: Command, tmp_path: Path, table3: Path, outcomes: Path) -> None:
    for arguments, says in (
        ((table3, tmp_path / "o.csv"), "no outcome of a single question"),
        ((outcomes,), "last, the table to write"),
        ((outcomes, tmp_path / "o.doc"), "is written to"),
        ((outcomes, outcomes), "one of the input files"),
    ):
        found = nescio("convert", *arguments)
        assert (found.status, found.out) == (2, "")
        assert says in found.err
