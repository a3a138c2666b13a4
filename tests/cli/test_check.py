"""nescio check: what files were taken for and why, what they hold by kind, and what looks wrong."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

import nescio as nescio_api
from nescio.formats import REGISTRY, Source
from nescio.formats.explain import rule, seen
from tests.rings import together

from .conftest import Command, written

LOGS = Path(__file__).parents[3] / "shared" / "data" / "logs"


def inspect_log(folder: Path, *scores: Any) -> Path:
    """A log of Inspect whose samples have these scores; None is a sample that ended with an error."""
    path = folder / "log.eval"
    header = {"version": 2, "status": "success", "eval": {"task": "t", "model": "org/model"}, "plan": {}}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_journal/start.json", json.dumps({"eval": header["eval"], "plan": {}}))
        for i, score in enumerate(scores, 1):
            sample: dict[str, Any] = {"id": i, "epoch": 1, "input": "?", "target": "A"}
            sample["scores"] = {"s": score} if score else {}
            sample["output"] = {"choices": [{"message": {"content": "x"}}]}
            sample["error"] = None if score else {"message": "e"}
            archive.writestr(f"samples/{i}_epoch_1.json", json.dumps(sample))
        archive.writestr("header.json", json.dumps(header))
    return path


# ---- why ----


def test_of_thousands_of_names_a_few_are_shown() -> None:
    document = {f"q{i}": "text" for i in range(5000)}
    predictions = Source("p.json", Path("p.json"), kind="document", columns=tuple(document), document=document)
    names = ", ".join(f"q{i}" for i in range(12))
    assert seen(predictions) == f"a JSON document with the keys {names} and 4,988 more"


@together("name", REGISTRY)
def test_every_format_has_a_rule_to_show(name: str) -> None:
    text = rule(REGISTRY[name])
    assert len(text) > 20
    assert "\n" not in text
    assert "`" not in text


# ---- what files hold ----


def test_non_answers_are_counted_by_kind(nescio: Command, tmp_path: Path) -> None:
    """Two errors, one refusal, one wrong answer and one right one: none of the first three is among the wrong ones."""
    scored = [{"value": "C", "answer": "A"}, {"value": "I", "answer": "B"}, {"value": "N", "answer": ""}]
    log = inspect_log(tmp_path, *scored, None, None)
    found = nescio("check", log, "-f", "json").json
    why = "an archive with the members _journal/start.json, samples/1_epoch_1.json, samples/2_epoch_1.json"
    assert found["files"][0]["why"].startswith(why)
    row = found["runs"][0]
    assert (row["correct"], row["incorrect"], row["unanswered"], row["not_graded"], row["n"]) == (1, 1, 1, 2, 3)
    kinds = {(row["non_answer"], row["taken_for"]): row["n"] for row in found["non_answers"]}
    assert kinds == {("errored", "not graded"): 2, ("without an answer", "silence"): 1}
    assert not [note for note in found["notes"] if "errored" in note]  # the table says so already
    table = nescio("check", log).out
    assert "\norg/model  errored            not graded  2\n" in table
    assert "\norg/model  without an answer  silence     1\n" in table


def test_what_an_unsound_file_was_taken_for_is_said_first(nescio: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "o.csv", "run,question,outcome\na,q,perhaps\n")
    found = nescio("check", path)
    assert found.status == 2
    assert found.out.startswith("format   outcomes: ")
    assert "no problems found" not in found.out
    assert found.err.startswith(f"nescio: {path}, line 2: what does '")
    as_json = nescio("check", path, "-f", "json")
    assert as_json.status == 2
    assert [as_json.err] == [f"nescio: {problem}\n" for problem in as_json.json["problems"]]


@pytest.mark.skipif(not LOGS.exists(), reason="the shared data are not beside the checkout")
def test_real_logs(nescio: Command) -> None:
    """Counts of COUNTS.txt: 16 errors of promptfoo; in a log of Inspect one of two samples errored, the other is
    wrong."""
    found = nescio("check", LOGS / "promptfoo" / "drift_16errors.json", "-f", "json").json
    assert [(row["non_answer"], row["n"]) for row in found["non_answers"]] == [("errored", 8)] * 2
    found = nescio("check", next((LOGS / "inspect").glob("2025-10-22*")), "-f", "json").json
    assert (found["runs"][0]["incorrect"], found["runs"][0]["not_graded"]) == (1, 1)


MANY = {
    "a_table.csv": "run,question,outcome\nmine,1,correct\nmine,2,unanswered\n",
    "another.csv": "run,question,outcome\nmine,1,correct\n",
    "broken.csv": "run,question,outcome\nyours,1,perhaps\n",
    "predictions.json": '{"q1": "Lima", "q2": ""}',
    "questions.jsonl": "".join(f'{{"id": "q{i}", "question": "?", "answers": ["Lima"]}}\n' for i in (1, 2)),
    "theirs.jsonl": '{"id": "q1", "answer": "Lima"}\n{"id": "q2", "answer": "Rome"}\n',
    "unknown.json": '{"made": {"up": [1]}}',
}


@pytest.fixture
def many(tmp_path: Path) -> list[Path]:
    return [written(tmp_path / name, text) for name, text in MANY.items()]


def test_every_file_of_a_folder_is_shown_though_some_are_broken(nescio: Command, many: list[Path]) -> None:
    found = nescio("check", *many)
    assert found.status == 2
    groups = found.out.split("\n\n")
    shown_in = {name: [group for group in groups if f"{name}" in group] for name in MANY}
    assert all(shown_in.values())
    assert "holds    2 questions, 1 run" in shown_in["a_table.csv"][0]
    assert "holds    1 question, 1 run" in shown_in["another.csv"][-1]  # the run is in both: each is shown by itself
    assert "look at" in shown_in["broken.csv"][0]
    assert "in 'outcome' mean?" in shown_in["broken.csv"][0]
    assert shown_in["questions.jsonl"] == shown_in["theirs.jsonl"]  # these belong together
    assert "not from a tool that nescio knows" in shown_in["unknown.json"][0]
    assert "3 of the 6 groups shown have an error" in found.err
    assert found.err.count("\n") == 1
    as_json = nescio("check", *many, "-f", "json").json
    assert [group["format"] for group in as_json] == ["outcomes", "outcomes", "outcomes", "squad2", "questions", ""]
    assert [bool(group["problems"]) for group in as_json] == [True, True, True, True, False, True]
    assert as_json[1]["problems"] == ["run 'mine' is right on every question"]


def test_files_that_clash_are_summaries_and_those_that_belong_together_one(nescio: Command, many: list[Path]) -> None:
    clash = nescio("check", *many[:2])
    assert (clash.status, "run 'mine' is in both" in clash.out) == (2, True)
    summaries = nescio_api.check(many[:2])
    assert [summary.contents.runs[0].n for summary in summaries if summary.contents] == [2, 1]
    (summary,) = nescio_api.check(many[4:6])
    assert (summary.format, summary.error) == ("questions", None)
    assert [file.file for file in summary.files] == [str(path) for path in many[4:6]]
