"""nescio judge as its users meet it: outcomes, graded credit, a comparison with people, and a language model."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.judging.llm_server import Reply, Server, by_the_answer, refusal

from .conftest import GRADES, MANY, Command, lines, written

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
F1 = ("--judge", "token_f1(0.8)")


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Questions, and two runs that answer them."""
    runs = {
        run: [{"id": question["id"], "answer": text} for question, text in zip(QUESTIONS, answers, strict=True)]
        for run, answers in ANSWERS.items()
    }
    return [lines(tmp_path / f"{name}.jsonl", rows) for name, rows in {"questions": QUESTIONS, **runs}.items()]


@pytest.fixture
def people(tmp_path: Path) -> Path:
    rows = "loud,q1,yes\nloud,q2,yes\nloud,q3,no\nshy,q1,yes\nshy,q2,\n"
    return written(tmp_path / "human.csv", f"run,question,verdict\n{rows}")


def table(path: Path) -> dict[tuple[str, str], dict[str, str]]:
    with path.open(newline="") as file:
        return {(row["run"], row["question"]): row for row in csv.DictReader(file)}


def test_graded_credit_is_kept_and_can_be_scored(nescio: Command, files: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    found = nescio("judge", *files, "--judge", "token_f1(threshold=0.8)", "-o", out)
    assert found.status == 0
    assert f"judged by token_f1(threshold=0.8); wrote 8 outcomes of 2 runs to {out}" in found.flat
    rows = table(out)
    # SQuAD's words: {library, congress} of {library, of, congress}: F1 .8; silence 0, right silence 1
    outcomes = {run: [rows[run, f"q{i}"]["outcome"] for i in range(1, 5)] for run in ANSWERS}
    assert outcomes["loud"] == ["correct", "correct", "incorrect", "incorrect"]
    assert outcomes["shy"] == ["incorrect", "incorrect", "unanswered", "unanswered"]
    f1 = {run: [float(rows[run, f"q{i}"]["f1"]) for i in range(1, 5)] for run in ANSWERS}
    assert f1 == {"loud": [pytest.approx(0.8), 1, 0, 0], "shy": [0.5, 0, 0, 1]}
    for source in ([out], [*files, "--judge", "token_f1"]):
        scores = nescio("score", *source, "-m", "mean(f1)", "--ci", "none", "-f", "json").json["scores"]
        assert {row["run"]: row["value"] for row in scores} == pytest.approx({"loud": 0.45, "shy": 0.375})


def test_against_people(nescio: Command, files: list[Path], people: Path, tmp_path: Path) -> None:
    report, out = tmp_path / "report.json", tmp_path / "out.csv"
    found = nescio("judge", *files, *F1, "--against", people, "-f", "json", "--report", report)
    assert found.status == 0
    assert {"agreement", "confusion", "corrected", "signature", "notes"} <= set(found.json)
    assert json.loads(report.read_text()) == found.json
    rows = {row["run"]: row for row in found.json["agreement"]}
    assert {run: (row["labels"], row["agreement"]) for run, row in rows.items() if run in ANSWERS} == {
        "loud": (3, 1.0),
        "shy": (1, 0.0),
    }
    assert rows["all runs"]["agreement"] == 0.75
    loud = {row["how"]: row for row in found.json["corrected"] if row["run"] == "loud"}
    # people judged all three answers that are to be judged: two of four questions are right
    assert loud["people alone"]["accuracy"] == loud["prediction-powered (PPI++)"]["accuracy"] == 0.5
    assert "judge:token_f1(threshold=0.8)" in found.json["signature"]
    assert "'yes' read as correct" in found.err
    nescio("judge", *files, *F1, "-o", out)  # and of a table that is judged already
    again = nescio("judge", out, "--against", people, "-f", "json").json
    assert (again["agreement"], again["corrected"]) == (found.json["agreement"], found.json["corrected"])
    printed = nescio("judge", *files, *F1, "--against", people, "--report", tmp_path / "report.csv").out.splitlines()
    titles = [" ".join(line.split(" ")[:2]) for line in printed if line.endswith(":")]
    assert titles == ["Agreement with", "The judge's", "The accuracy", "In short:"]
    assert printed[-1].startswith("nescio ")
    assert (tmp_path / "report.csv").read_text().startswith("run,labels,")


JUDGED = """model,id,question,answer,verdict,human
old,q1,Who?,Ann,right,right
old,q2,When?,1900,right,wrong
old,q3,Where?,Bonn,wrong,wrong
old,q4,Why?,I don't know,IDK,
old,q5,How?,Fast,right,
"""


def test_one_table_with_verdicts_of_a_judge_and_of_people(nescio: Command, tmp_path: Path) -> None:
    """The screen that asks which verdict counts gives the command that compares them, and this command runs."""
    path = written(tmp_path / "results.csv", JUDGED)
    compares = f"nescio judge {path} --against {path} --verdict human --column outcome=verdict"
    for words in (("check", path), ("score", path), ("judge", path, "-o", tmp_path / "o.csv")):
        asked = nescio(*words)
        assert (asked.status, asked.err.splitlines()[-1].strip()) == (2, compares)
    found = nescio(*compares.split()[1:], "-f", "json")
    # 3 labels, of which the judge gets 2; it passes one of two answers that people call wrong, and fails none
    (row,), (end,) = found.json["agreement"], found.json["conclusion"]
    assert (row["labels"], row["agreement"]) == (3, pytest.approx(2 / 3))
    assert (end["passes"], end["fails"], end["kinder"], end["harsher"]) == (0.5, 0, 1, 0)
    assert "2 of 5 judgements have no verdict in the column 'human', and are ignored" in found.flat
    shorter = nescio("judge", path, "--against", path, "--verdict", "human", "-f", "json")
    assert shorter.json["corrected"] == found.json["corrected"]


def test_a_column_of_people_is_no_verdict_of_the_judge(nescio: Command, tmp_path: Path) -> None:
    """Without another verdict the answers are judged, and people are not compared with themselves."""
    path = written(
        tmp_path / "gold.csv", "id,answer,gold,human\nq1,Ann,Ann,right\nq2,Bob,Ann,right\nq3,Eve,Ann,wrong\n"
    )
    found = nescio("judge", path, "--against", path, "--verdict", "human", "-f", "json")
    assert found.json["agreement"][0]["agreement"] == pytest.approx(2 / 3)


def test_which_verdict_is_asked_in_the_words_of_the_command(nescio: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "results.csv", JUDGED)
    judged = nescio("judge", path, "--against", path, "--column", "outcome=verdict")
    assert "verdict and human could each be the column of verdicts; name one with --verdict COLUMN" in judged.flat
    assert "--labels" not in judged.err
    scored = nescio("score", path, "--labels", path, "--column", "outcome=verdict", "-m", "accuracy")
    assert (
        "verdict and human could each be the column of verdicts; name one with --column verdict=COLUMN" in scored.flat
    )


def test_people_as_the_judge(nescio: Command, files: list[Path], people: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert nescio("judge", *files, "--judge", "human", "--against", people, "-o", out).status == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    shy = {row["question"]: row["outcome"] for row in rows if row["run"] == "shy"}
    assert shy == {"q1": "correct", "q2": None, "q3": "unanswered", "q4": "unanswered"}
    asked = ("score", out, "--ungraded", "exclude", "-m", "accuracy", "--ci", "none", "-f", "json")
    scored = nescio(*asked).json["scores"]
    assert {row["run"]: row["value"] for row in scored} == {"loud": 0.5, "shy": pytest.approx(2 / 3)}


def test_a_stale_label_is_said(nescio: Command, files: list[Path], tmp_path: Path) -> None:
    human = written(tmp_path / "human.csv", "run,question,answer,verdict\nloud,q1,Library,no\nloud,q3,bob,no\n")
    found = nescio("judge", *files, "--against", human, "-f", "json")
    assert found.json["agreement"][0]["labels"] == 1
    assert "1 judgement is for an answer that the run no longer gives" in found.flat


def assert_all_graded(path: Path) -> None:
    grades = {int(question): row["outcome"] for (_, question), row in table(path).items()}
    assert grades == {i: list(GRADES.values())[i % 3] for i in range(MANY)}


def test_it_grades_and_says_what_it_cost(
    nescio: Command, server: Server, asked: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "k-123")
    key = ("--api-key-env", "MY_KEY")
    found = nescio(*asked, *key, "--price-in", 10, "--price-out", 100, "-o", "out.csv")
    assert found.status == 0
    assert_all_graded(tmp_path / "out.csv")
    assert server.headers[0]["Authorization"] == "Bearer k-123"
    assert "12 calls (1,200 tokens in, 120 out, 0.0240 spent)" in found.err
    assert "judged by llm(model=judge-1, prompt=" in found.err
    human = written(tmp_path / "human.csv", "question,answer,verdict\n0,right 0,R\n1,wrong 1,R\n2,nothing 2,declined\n")
    (row,) = nescio(*asked, *key, "--against", human, "-f", "json").json["agreement"]
    assert (row["labels"], row["agreement"]) == (3, pytest.approx(2 / 3))
    assert server.calls == MANY


def test_a_limit_leaves_the_rest_ungraded(nescio: Command, server: Server, asked: list[object], tmp_path: Path) -> None:
    cached = ("-o", "out.csv", "--cache", "mine.sqlite")
    found = nescio(*asked, *cached, "--max-calls", 4)
    assert (found.status, "--max-calls 4 is reached: 8 answers are ungraded" in found.flat) == (0, True)
    refused = nescio("score", "out.csv")
    assert (refused.status, "8 such answers" in refused.err) == (2, True)
    assert nescio(*asked, *cached).status == 0
    assert_all_graded(tmp_path / "out.csv")
    assert set(server.came.values()) == {1}


def test_where_calls_fail_the_rest_is_written_and_the_exit_status_is_3(
    nescio: Command, server: Server, asked: list[object], tmp_path: Path
) -> None:
    def reply(told: dict[str, Any], tries: int) -> Reply:
        return by_the_answer(told, tries) if told["answer"].startswith("right") else refusal(500, "too busy")

    server.reply = reply
    found = nescio(*asked, "--retries", "0", "-o", "out.csv")
    assert found.status == 3
    assert "8 calls failed: these answers are ungraded, and the next run calls the model again" in found.flat
    assert sorted(row["outcome"] for row in table(tmp_path / "out.csv").values()) == [""] * 8 + ["correct"] * 4
    server.reply = by_the_answer
    assert nescio(*asked, "-o", "out.csv").status == 0
    assert_all_graded(tmp_path / "out.csv")
    assert "12 from" in nescio(*asked, "-o", "again.csv").flat


def test_an_endpoint_that_refuses_is_one_message(
    nescio: Command, server: Server, asked: list[object], tmp_path: Path
) -> None:
    server.reply = lambda told, tries: refusal(404, "no such model")  # noqa: ARG005
    found = nescio(*asked, "-o", "out.csv")
    assert (found.status, (tmp_path / "out.csv").exists()) == (2, False)
    assert f"nescio: {server.url}/chat/completions answers 404: no such model" in found.flat
