"""Answers of large files: they stay in the file, are judged as those of small ones are, and take no memory."""

import csv
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.errors import FormatError
from nescio.formats import Unjudged
from nescio.pipeline import read as read_files
from nescio.tables import responses
from tests.bars import heard

QUESTIONS: list[dict[str, Any]] = [
    {"id": f"q{i}", "question": "Which?", "answers": [f"w{i}"], "topic": "ab"[i % 2]} for i in range(5)
]
QUESTIONS[4]["answerable"] = False
SHORT: list[dict[str, Any]] = [
    {"id": "q0", "answer": "It is w0", "confidence": 0.5, "support": "passage", "run": "a"},
    {"id": "q1", "answer": "I do not know", "run": "b"},
    {"id": "q1", "answer": "w1", "run": "a"},
    {"id": "q0", "answer": None, "run": "b"},
    {"id": "q2", "answer": "w2", "answered": False, "run": "a"},
    {"id": "q3", "answer": "w1", "run": "a"},
    {"id": "q3", "answer": "w3", "rank": 2, "run": "a"},
    {"id": "q2", "answer": "I do not know", "run": "a", "rank": 2},
    {"id": "q4", "answer": "w4", "run": "a"},
]
REPEATED = [
    {"id": f"q{i}", "answer": f"w{i - e}", "repeat": e, "run": r} for r in "ba" for i in range(4) for e in (0, 1)
]


def files(folder: Path, answers: list[dict[str, Any]]) -> list[Path]:
    """Questions, and a file of answers that begins with a byte order mark and has a blank line."""
    paths = [folder / "questions.jsonl", folder / "answers.jsonl"]
    paths[0].write_text("".join(json.dumps(q) + "\n" for q in QUESTIONS), encoding="utf-8")
    paths[1].write_text("\n".join(["", *(json.dumps(a) + " " for a in answers)]) + "\n", encoding="utf-8-sig")
    return paths


@pytest.mark.parametrize(
    ("answers", "judge", "suffix"),
    [(SHORT, "contains", "csv"), (REPEATED, "token_f1", "parquet"), (SHORT, "token_f1", "jsonl")],
    ids=["ranks", "repeats", "lines"],
)
def test_the_same_outcomes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: list[dict[str, Any]], judge: str, suffix: str
) -> None:
    paths = files(tmp_path, answers)
    written, read = [], []
    for kept in (1 << 26, 0):
        monkeypatch.setattr(responses, "KEPT", kept)
        judged = nescio.judge(paths, judge=judge, declined_pattern=("i do not know",))
        judged.write(tmp_path / f"{kept}.{suffix}")
        written.append((tmp_path / f"{kept}.{suffix}").read_bytes())
        assert isinstance(judged.read.data, Unjudged)
        assert isinstance(judged.read.data.runs[0].responses, tuple) == bool(kept)
        read.append((list(map(str, judged.notes)), [list(run.responses) for run in judged.read.data.runs]))
    assert written[0] == written[1]
    assert read[0] == read[1]


def test_a_written_table_has_every_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(responses, "KEPT", 0)
    nescio.judge(files(tmp_path, SHORT), judge="contains").write(tmp_path / "out.csv")
    with (tmp_path / "out.csv").open() as file:
        rows = {(row["run"], row["question"]): (row["outcome"], row["candidate"]) for row in csv.DictReader(file)}
    # by hand: q4 has no answer, so that any is wrong; of q3 the answer of rank 1 decides
    assert rows == {
        ("a", "q0"): ("correct", ""),
        ("a", "q1"): ("correct", ""),
        ("a", "q2"): ("unanswered", "correct"),
        ("a", "q3"): ("incorrect", ""),
        ("a", "q4"): ("incorrect", ""),
        ("b", "q0"): ("unanswered", ""),
        ("b", "q1"): ("incorrect", ""),
    }


def test_single_responses_and_their_support(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(responses, "KEPT", 0)
    data = read_files(files(tmp_path, SHORT)).data
    assert isinstance(data, Unjudged)
    own = data.runs[0].responses
    assert (len(own), own[0].support, own[0].confidence) == (7, "passage", 0.5)
    assert [one.question_id for one in own[1:3]] == ["q1", "q2"]
    assert own[-1] in own


def test_a_file_that_changes_in_between(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(responses, "KEPT", 0)
    paths = files(tmp_path, SHORT)
    data = read_files(paths).data
    assert isinstance(data, Unjudged)
    with paths[1].open("a") as file:
        file.write("\n")
    with pytest.raises(FormatError, match="has changed since it was read"):
        list(data.runs[0].responses)


@pytest.mark.parametrize("judge", ["exact", pytest.param("human", marks=pytest.mark.slow)])
def test_answers_are_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judge: str) -> None:
    monkeypatch.setattr(responses, "KEPT", 0)
    paths = files(tmp_path, [{"id": f"q{i}", "answer": "w" * 500_000, "run": r} for r in "abcdef" for i in range(5)])
    people = tmp_path / "people.csv"
    people.write_text("run,question,verdict\na,q0,correct\nb,q1,incorrect\n")

    def judge_and_score() -> None:
        nescio.judge(paths, judge=judge, against=people).write(tmp_path / "out.parquet")
        nescio.score(paths, "accuracy", judge="exact", missing="unanswered", ci=None)

    judge_and_score()  # what is imported once
    tracemalloc.start()
    try:
        judge_and_score()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5_000_000 < paths[1].stat().st_size / 2.9  # of 15 MB: a few answers of 0.5 MB at a time


def test_judging_tells_how_far_it_is(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    nescio.judge(files(tmp_path, SHORT), judge="exact", progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (len(SHORT), len(SHORT))
    with heard("judging") as of_bars:
        nescio.score(files(tmp_path, SHORT), judge="exact", missing="unanswered")
    assert of_bars[-1] == (len(SHORT), len(SHORT))
