"""nescio judge as its users meet it: a table of outcomes, graded credit in it, and a comparison with people."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Command

QUESTIONS: list[dict[str, Any]] = [
    {"id": "q1", "question": "Which library?", "answers": ["Library of Congress"]},
    {"id": "q2", "question": "How many?", "answers": ["42", "forty-two"]},
    {"id": "q3", "question": "Who?", "answers": ["Ann"]},
    {"id": "q4", "question": "Why?", "answerable": False},
]
ANSWERS: dict[str, list[str | None]] = {
    "loud": ["the Library Congress", "42", "Bob", "because"],
    "shy": ["Congress", "about 42.0", None, None],
}


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Questions, and two runs that answer them."""
    paths = [tmp_path / "questions.jsonl"]
    paths[0].write_text("".join(json.dumps(question) + "\n" for question in QUESTIONS))
    for run, answers in ANSWERS.items():
        paths.append(tmp_path / f"{run}.jsonl")
        rows = [{"id": question["id"], "answer": text} for question, text in zip(QUESTIONS, answers, strict=True)]
        paths[-1].write_text("".join(json.dumps(row) + "\n" for row in rows))
    return paths


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "human.csv"
    path.write_text("run,question,verdict\nloud,q1,yes\nloud,q2,yes\nloud,q3,no\nshy,q1,yes\nshy,q2,\n")
    return path


def table(path: Path) -> dict[tuple[str, str], dict[str, str]]:
    with path.open(newline="") as file:
        return {(row["run"], row["question"]): row for row in csv.DictReader(file)}


def test_graded_credit_is_kept_and_can_be_scored(nescio: Command, files: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    found = nescio("judge", *files, "--judge", "token_f1(threshold=0.8)", "-o", out)
    assert found.status == 0
    assert f"judged by token_f1(threshold=0.8); wrote 8 outcomes of 2 runs to {out}" in found.err
    rows = table(out)
    # SQuAD's words: {library, congress} of {library, of, congress}: F1 .8; silence 0, right silence 1
    assert [rows["loud", f"q{i}"]["outcome"] for i in range(1, 5)] == ["correct", "correct", "incorrect", "incorrect"]
    assert [rows["shy", f"q{i}"]["outcome"] for i in range(1, 5)] == [
        "incorrect",
        "incorrect",
        "unanswered",
        "unanswered",
    ]
    f1 = {run: [float(rows[run, f"q{i}"]["f1"]) for i in range(1, 5)] for run in ("loud", "shy")}
    assert f1 == {"loud": [pytest.approx(0.8), 1, 0, 0], "shy": [0.5, 0, 0, 1]}
    scores = nescio("score", out, "-m", "mean(f1)", "--ci", "none", "-f", "json").json["scores"]
    direct = nescio("score", *files, "--judge", "token_f1", "-m", "mean(f1)", "--ci", "none", "-f", "json").json[
        "scores"
    ]
    for rows_ in (scores, direct):
        assert {row["run"]: row["value"] for row in rows_} == pytest.approx({"loud": 0.45, "shy": 0.375})


def test_the_tables_against_people_have_titles(
    nescio: Command, files: list[Path], people: Path, tmp_path: Path
) -> None:
    report = tmp_path / "report.csv"
    found = nescio("judge", *files, "--judge", "token_f1(0.8)", "--against", people, "--report", report)
    titles = [line for line in found.out.splitlines() if line.endswith(":")]
    assert [title.split(" ")[0] for title in titles] == ["Agreement", "The", "The"]
    assert found.out.splitlines()[-1].startswith("nescio ")
    assert report.read_text().startswith("run,labels,")


def test_against_people(nescio: Command, files: list[Path], people: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    found = nescio("judge", *files, "--judge", "token_f1(0.8)", "--against", people, "-f", "json", "--report", report)
    assert found.status == 0
    assert {"agreement", "confusion", "corrected", "signature", "notes"} <= set(found.json)
    assert json.loads(report.read_text()) == found.json
    rows = {row["run"]: row for row in found.json["agreement"]}
    assert (rows["loud"]["labels"], rows["loud"]["agreement"]) == (3, 1.0)
    assert (rows["shy"]["labels"], rows["shy"]["agreement"]) == (1, 0.0)
    assert rows["all runs"]["agreement"] == 0.75
    loud = {row["how"]: row for row in found.json["corrected"] if row["run"] == "loud"}
    # people judged all three answers that are to be judged: two of four questions are right
    assert loud["people alone"]["accuracy"] == loud["prediction-powered (PPI++)"]["accuracy"] == 0.5
    assert "judge:token_f1(threshold=0.8)" in found.json["signature"]
    assert "'yes' read as correct" in found.err


def test_people_as_the_judge(nescio: Command, files: list[Path], people: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert nescio("judge", *files, "--judge", "human", "--against", people, "-o", out).status == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    shy = {row["question"]: row["outcome"] for row in rows if row["run"] == "shy"}
    assert shy == {"q1": "correct", "q2": None, "q3": "unanswered", "q4": "unanswered"}
    scored = nescio("score", out, "--ungraded", "exclude", "-m", "accuracy", "--ci", "none", "-f", "json").json[
        "scores"
    ]
    assert {row["run"]: row["value"] for row in scored} == {"loud": 0.5, "shy": pytest.approx(2 / 3)}


def test_a_judged_log_against_people(nescio: Command, files: list[Path], people: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    nescio("judge", *files, "--judge", "token_f1(0.8)", "-o", out)
    direct = nescio("judge", *files, "--judge", "token_f1(0.8)", "--against", people, "-f", "json").json
    again = nescio("judge", out, "--against", people, "-f", "json").json
    assert again["agreement"] == direct["agreement"]
    assert again["corrected"] == direct["corrected"]


def test_a_stale_label_is_said(nescio: Command, files: list[Path], tmp_path: Path) -> None:
    human = tmp_path / "human.csv"
    human.write_text("run,question,answer,verdict\nloud,q1,Library,no\nloud,q3,bob,no\n")
    found = nescio("judge", *files, "--against", human, "-f", "json")
    assert found.json["agreement"][0]["labels"] == 1
    assert "1 judgement is for an answer that the run no longer gives" in found.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to do: use -o FILE to write the outcomes"),
        (["--report", "x.json", "-o", "out.csv"], "--report needs --against"),
        (["-o", "out.txt"], "an outcome table is written to .csv, .tsv, .jsonl, .parquet"),
        (["-o", "questions.jsonl"], "is one of the input files"),
        (["-o", "out.csv", "--judge", "overlap(2)"], "the threshold of F must be above 0"),
        (["-o", "out.csv", "--judge", "human"], "reads judgements from a file"),
        (["-o", "out.csv", "--against", "none.csv"], "there is no such file"),
    ],
)
def test_what_makes_no_sense_is_one_message(
    nescio: Command, files: list[Path], arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files[0].parent)
    found = nescio("judge", *(path.name for path in files), *arguments)
    assert (found.status, found.out) == (2, "")
    assert message in found.err
    assert len(found.err.strip().splitlines()) == 1


def test_a_log_that_is_judged_already_needs_no_judge(nescio: Command, tmp_path: Path, people: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("run,question,outcome\nloud,q1,correct\n")
    assert "these files need no judge: an outcome table" in nescio("judge", log, "-o", tmp_path / "out.csv").err
    assert "these files need no judge" in nescio("judge", log, "--judge", "exact", "--against", people).err


def test_a_target_needs_people(nescio: Command, files: list[Path], tmp_path: Path) -> None:
    refused = nescio("judge", *files, "--target", "population", "-o", tmp_path / "o.csv")
    assert refused.status == 2
    assert "--target needs --against" in refused.err


@pytest.fixture
def graded(tmp_path: Path) -> list[Path]:
    """A table with the verdicts of a judge that it does not name, gold answers and predictions, and people's verdicts.

    The judge and people agree on 5 of 6; `exact` would take 1, 3 and 6 of the answers as people do, 2 and 4 otherwise.
    """
    mine, people = tmp_path / "mine.csv", tmp_path / "people.csv"
    mine.write_text(
        "question,gold,prediction,verdict\n1,Paris,Paris,correct\n2,Rome,the city of Rome,correct\n"
        "3,Oslo,Bergen,incorrect\n4,Bonn,It is Bonn,correct\n5,Kyiv,Lviv,incorrect\n6,Bern,Basel,correct\n"
    )
    people.write_text("question,verdict\n1,richtig\n2,sí\n3,falsch\n4,R\n5,wrong\n6,no\n".replace("sí", "vrai"))
    return [mine, people]


def test_the_verdicts_of_a_table_are_held_against_people(nescio: Command, graded: list[Path]) -> None:
    mine, people = graded
    (row,) = nescio("judge", mine, "--against", people, "-f", "json").json["agreement"]
    assert (row["labels"], row["agreement"]) == (6, pytest.approx(5 / 6))
    (row,) = nescio("judge", mine, "--against", people, "--judge", "exact", "-f", "json").json["agreement"]
    assert row["agreement"] == pytest.approx(4 / 6)
    (row,) = nescio("judge", mine, "--against", mine, "-f", "json").json["agreement"]  # and not against themselves
    assert row["agreement"] == pytest.approx(3 / 6)


def test_labels_that_name_the_answer_find_it_in_a_table(nescio: Command, graded: list[Path], tmp_path: Path) -> None:
    mine, _ = graded
    people = tmp_path / "by_text.csv"
    people.write_text("question,answer,verdict\n1,paris,correct\n3,Bergen,correct\n4,another,correct\n")
    (row,) = nescio("judge", mine, "--against", people, "-f", "json").json["agreement"]
    assert (row["labels"], row["agreement"]) == (2, 0.5)


def test_a_judge_that_is_known_by_its_verdicts_is_certified_by_a_name(
    nescio: Command, graded: list[Path], tmp_path: Path
) -> None:
    mine, people = graded
    certificate, out = tmp_path / "judge.json", tmp_path / "out.csv"
    certify = ["--against", people, "--certificate", certificate, "--blind"]
    refused = nescio("judge", mine, *certify)
    assert (refused.status, certificate.exists()) == (2, False)
    assert "--judge-name NAME does" in refused.err
    done = nescio("judge", mine, *certify, "--judge-name", "hers(prompt=v2)", "-o", out)
    assert done.status == 0
    assert json.loads(certificate.read_text())["judge"] == "hers(prompt=v2)"
    assert {row["judge"] for row in table(out).values()} == {"hers(prompt=v2)"}
    assert nescio("score", out, "-m", "accuracy", "--require-certificate", certificate).status == 0
    again = nescio("judge", out, "--against", people, "--judge-name", "another")
    assert "these files say who judged (hers(prompt=v2))" in again.err
    assert nescio("judge", mine, "--against", people, "--judge", "exact", "--judge-name", "x").status == 2


def test_a_name_of_a_judge_is_for_verdicts(nescio: Command, files: list[Path], people: Path) -> None:
    found = nescio("judge", *files, "--against", people, "--judge-name", "mine")
    assert (found.status, "they hold none" in found.err) == (2, True)
