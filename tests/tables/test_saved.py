"""Readings of a table that are saved beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

import nescio
from nescio.errors import MismatchError, UsageError

ROWS = "model,qid,score,confidence,abstained\nm,1,1,90,no\nm,2,0,40,yes\nm,3,0.25,60,no\n"


def tried(path: Path, **options: object) -> dict[str, float]:
    return {row.measure: row.value for row in nescio.score(path, ["c@1", "coverage"], ci=None, **options)}  # type: ignore[arg-type]


def test_a_saved_reading_holds_every_role(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(ROWS)
    before = tried(path, column={"outcome": "score>=0.5"})
    assert before == {"c@1": pytest.approx((1 + 1 / 3) / 3), "coverage": pytest.approx(2 / 3)}
    nescio.check(path, column={"outcome": "score>=0.5"}, save=True)
    assert tried(path) == before


def test_check_reads_as_score_does(tmp_path: Path) -> None:
    """The saved reading holds for both, also when the table has got a column that speaks of silence."""
    path = tmp_path / "t.csv"
    path.write_text("qid,zork,correct\n1,1,0\n2,1,0\n")
    nescio.check(path, column={"question": "qid", "outcome": "zork"}, save=True)
    path.write_text("qid,zork,correct,refused\n1,1,0,1\n2,1,0,0\n")
    summary = nescio.check(path)[0]
    assert summary.contents is not None
    assert summary.contents.runs[0].sums["correct"] == 2
    assert any(note.code == "saved.beside" for note in summary.contents.notes)
    assert nescio.score(path, "accuracy", ci=None).rows[0].value == 1


def test_check_obeys_a_mapping(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(ROWS)
    summary = nescio.check(path, mapping={"outcome": "score>=0.2", "abstained": "-"})[0]
    assert summary.contents is not None
    (run,) = summary.contents.runs
    assert [run.sums[state] for state in ("correct", "incorrect", "unanswered")] == [2, 1, 0]


def test_a_gate_rests_on_a_saved_reading_only_if_it_is_named(tmp_path: Path) -> None:
    """Whoever sends the answers could send the file beside them, and would say what they mean."""
    path, beside = tmp_path / "t.csv", tmp_path / "t.csv.reading.toml"
    rows = [f"{run},q{i},1,{int(run == 'old' or i % 2)}" for i in range(30) for run in ("old", "new")]
    path.write_text("\n".join(["run,question,score,passed", *rows]))
    beside.write_text('[column]\noutcome = "score>=0"\n')
    assert nescio.score(path, "accuracy").rows[0].value == 1
    with pytest.raises(UsageError, match=r"no gate can be decided by .*t\.csv\.reading\.toml"):
        nescio.score(path, fail_under={"accuracy": 0.5})
    with pytest.raises(UsageError, match="no gate can be decided by"):
        nescio.compare(path, baseline="old", fail_on_regression=True)
    assert [g.status for g in nescio.score(path, fail_under={"accuracy": 0.5}, reading=beside).gates] == [0, 0]
    beside.unlink()
    honest = nescio.compare(path, baseline="old", fail_on_regression=True, column={"outcome": "passed"})
    assert [gate.status for gate in honest.gates] == [1]


def test_a_baseline_was_read_with_the_same_columns(tmp_path: Path) -> None:
    path, made = tmp_path / "t.csv", tmp_path / "b.json"
    path.write_text("run,question,score,passed\n" + "".join(f"m,q{i},1,{i % 2}\n" for i in range(30)))
    nescio.compare(path, column={"outcome": "passed"}, save_baseline=made)
    with pytest.raises(MismatchError, match="read both the same way"):
        nescio.compare(path, baseline=made, column={"outcome": "score>=0"})
    passed = {"outcome": "passed"}
    assert nescio.compare(path, baseline=made, column=passed).rows[0].difference == 0
    for others in ({"duplicates": "first"}, {"total": 30, "rest": "incorrect"}):  # words, and a number
        with pytest.raises(MismatchError, match="read both the same way"):
            nescio.compare(path, baseline=made, column=passed, **others)
