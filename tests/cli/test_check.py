"""nescio check: what files were taken for and why, what they hold by kind, and what looks wrong."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

import nescio as nescio_api
from nescio.formats import REGISTRY, Source
from nescio.formats.explain import minimal_columns, rule, seen
from tests.rings import together

from .conftest import Command, written
from .terminals import shown

LOGS = Path(__file__).parents[3] / "shared" / "data" / "logs"
GOLD = (
    '<ave><q id="1"><q_str>?</q_str><a id="1" value="VALIDATED"><a_str>x</a_str></a>'
    '<a id="2" value="REJECTED"><a_str>y</a_str></a><a id="3" value="UNKNOWN"><a_str>z</a_str></a></q></ave>'
)


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


def test_the_reason_is_the_rule_and_what_was_enough_for_it(nescio: Command, outcomes: Path) -> None:
    found = nescio("check", outcomes).out
    assert "why      A table with the columns question and outcome\n" in found
    assert "(table): a table, by the columns question, outcome; beside them run, confidence, topic\n" in found
    assert "strata   topic (2 values)\n" in found
    for silent in ("non answer", "declined", "\njudge "):  # a table that tells nothing apart has no second one
        assert silent not in found
    asked = nescio("check", outcomes, "--format-in", "outcomes", "-f", "json").json
    assert asked["why"] == "--format-in outcomes says so"


REASONS = [
    ("scenario.json", '{"adapter_spec": {}, "request_states": [], "more": 1}', "helm", "a JSON document, by the keys adapter_spec, request_states; beside them more"),
    ("gold.xml", '<test-set><reading-test r_id="1"><q q_id="1"><answer correct="Yes"/></q></reading-test></test-set>', "qa4mre", "XML with the root <test-set>"),
    ("truth.txt", "EN001 Y\n", "pan", "text that begins 'EN001 Y'"),
    ("run.jsonl", '{"id": 1, "answer": "x", "confidence": 1}\n', "questions", "JSON Lines, by the keys id, answer; beside them confidence"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "format_", "why"), REASONS)
def test_the_reason_for_a_document_xml_and_text(
    nescio: Command, tmp_path: Path, name: str, text: str, format_: str, why: str
) -> None:
    found = nescio("check", written(tmp_path / name, text), "-f", "json").json
    assert (found["files"][0]["why"], found["format"]) == (why, format_)


def test_what_is_enough_is_a_few_of_thousands() -> None:
    """Either header makes an archive a log of Inspect, and the first will do; all keys of predictions are alike."""
    calls = []

    def recognise(source: Source) -> str | None:
        calls.append(source)
        return REGISTRY["inspect"].recognise(source)

    members = tuple(f"samples/{i}_epoch_1.json" for i in range(5000))
    log = Source("log.eval", Path("log.eval"), kind="archive", members=(*members, "_journal/start.json", "header.json"))
    assert minimal_columns(recognise, log) == ("_journal/start.json",)
    assert len(calls) < 60
    document = {f"q{i}": "text" for i in range(5000)}
    predictions = Source("p.json", Path("p.json"), kind="document", columns=tuple(document), document=document)
    assert minimal_columns(REGISTRY["squad2"].recognise, predictions) == ("q0",)
    shown_as = "a JSON document, by the key q0; beside it q1, q2, q3 and 4,996 more"
    assert seen(REGISTRY["squad2"], predictions) == shown_as


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
    why = "an archive, by the member _journal/start.json; beside it samples/1_epoch_1.json, samples/2_epoch_1.json"
    assert found["files"][0]["why"].startswith(why)
    row = found["runs"][0]
    assert (row["correct"], row["incorrect"], row["unanswered"], row["not_graded"], row["n"]) == (1, 1, 1, 2, 3)
    kinds = {(row["non_answer"], row["taken_for"]): row["n"] for row in found["non_answers"]}
    assert kinds == {("errored", "not graded"): 2, ("without an answer", "silence"): 1}
    assert not [note for note in found["notes"] if "errored" in note]  # the table says so already
    table = nescio("check", log).out
    assert "\norg/model  errored            not graded  2\n" in table
    assert "\norg/model  without an answer  silence     1\n" in table


def test_answers_that_are_judged_here_are_told_apart_too(nescio: Command, tmp_path: Path) -> None:
    questions, run = tmp_path / "q.jsonl", tmp_path / "mine.jsonl"
    written(questions, "".join(f'{{"id": "{i}", "question": "?", "answers": ["a"]}}\n' for i in range(6)))
    lines: list[dict[str, Any]] = [
        {"id": str(i), "answer": answer} for i, answer in enumerate(["a", "b", "", "I do not know", "c"])
    ]
    lines[4]["answered"] = False
    written(run, "".join(json.dumps(line) + "\n" for line in lines))
    found = nescio("check", questions, run, "--declined-pattern", "I do not know", "-f", "json").json
    assert {row["non_answer"]: (row["taken_for"], row["n"]) for row in found["non_answers"]} == {
        "empty": ("silence", 1),
        "declined in words": ("silence", 1),
        "declined, the answer kept": ("silence", 1),
        "missing": ("missing", 1),
    }
    assert any("lacks 1 of 6 questions" in problem for problem in found["problems"])
    assert "\njudge    fitting (by default; --judge)\n" in nescio("check", questions, run).out
    asked = nescio("check", questions, run, "--judge", "token_f1(threshold=0.5)").out
    assert "\njudge    token_f1(threshold=0.5) (--judge)\n" in asked


TASKS: list[tuple[dict[str, str], dict[str, int]]] = [
    (
        {"c.xml": GOLD, "r.txt": "1 1 SELECTED 1\n1 2 VALIDATED 0.5\n1 3 REJECTED 0\n"},
        {
            "questions with a right answer": 1,
            "right answers selected": 1,
            "answers judged": 2,
            "right ones": 1,
            "answers accepted": 2,
            "answers with a confidence": 2,
            "n": 1,
        },
    ),
    (
        {
            "k.txt": "1 a vital born here\n1 b okay tall\n1 c vital died\n",
            "r.txt": "1 Q0 d 1 1.0 r born\n1 Q0 d 2 0.5 r tall one\n",
            "m.txt": "1 r 1 a\n1 r 2 b\n",
        },
        {
            "declined": 0,
            "vital nuggets in the key": 2,
            "vital nuggets found": 1,
            "okay nuggets found": 1,
            "characters of the responses": 11,
            "n": 1,
        },
    ),
]


@pytest.mark.parametrize(("contents", "expected"), TASKS, ids=["ave", "nuggets"])
def test_tasks_are_counted_in_their_own_words(
    contents: dict[str, str], expected: dict[str, int], nescio: Command, tmp_path: Path
) -> None:
    files = [written(tmp_path / name, text) for name, text in contents.items()]
    (row,) = nescio("check", *files, "-f", "json").json["runs"]
    assert row == {"run": "r"} | expected


def test_gold_alone_says_what_it_holds(nescio: Command, tmp_path: Path) -> None:
    (problem,) = nescio("check", written(tmp_path / "c.xml", GOLD), "-f", "json").json["problems"]
    held = "(1 question, 3 answers: 1 VALIDATED, 1 REJECTED, 1 UNKNOWN)"
    assert problem == f"only gold given {held}: nothing can be scored without answers to it"
    asked = written(tmp_path / "questions.jsonl", '{"id": "1", "question": "?", "answers": ["a"], "cluster": 7}\n')
    found = nescio("check", asked).out
    assert "holds    1 question in 1 cluster, 0 runs\n" in found
    assert "look at  there are only questions; nothing can be counted without answers to them\n" in found


def test_what_an_unsound_file_was_taken_for_is_said_first(nescio: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "o.csv", "run,question,outcome\na,q,perhaps\n")
    found = nescio("check", path)
    assert found.status == 2
    assert found.out.startswith("format   outcomes: ")
    assert "no problems found" not in found.out
    assert found.err.startswith(f"nescio: {path}, line 2: an outcome is correct, incorrect or unanswered")
    as_json = nescio("check", path, "-f", "json")
    assert as_json.status == 2
    assert [as_json.err] == [f"nescio: {problem}\n" for problem in as_json.json["problems"]]


@pytest.mark.parametrize("width", [80, 50])
def test_on_a_terminal_lines_go_on_beside_their_labels(
    width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    inspect_log(tmp_path, {"value": "C", "answer": "A"}, None)
    lines = [line for line in shown(width, "check", "log.eval").splitlines() if line]
    holds = next(i for i, line in enumerate(lines) if line.startswith("holds "))
    assert max(map(len, lines)) <= width
    assert [line[:9].strip() for line in lines[: holds + 1] if line[0] != " "] == ["format", "why", "file", "holds"]
    assert [line for line in lines[:holds] if line.startswith(" " * 9)]
    assert any("errored" in line for line in lines)


@pytest.mark.skipif(not LOGS.exists(), reason="the shared data are not beside the checkout")
def test_real_logs(nescio: Command) -> None:
    """Counts of COUNTS.txt: 16 errors of promptfoo; in a log of Inspect one of two samples errored, the other is
    wrong."""
    found = nescio("check", LOGS / "promptfoo" / "drift_16errors.json", "-f", "json").json
    assert [(row["non_answer"], row["n"]) for row in found["non_answers"]] == [("errored", 8)] * 2
    found = nescio("check", next((LOGS / "inspect").glob("2025-10-22*")), "-f", "json").json
    assert (found["runs"][0]["incorrect"], found["runs"][0]["not_graded"]) == (1, 1)


def test_verdicts_of_people_that_are_not_used_are_said(nescio: Command, tmp_path: Path) -> None:
    rows = "1,who,Ann,Ann Lee,Yes\n2,where,Oslo,Oslo,No\n"
    table = written(tmp_path / "nq.csv", f"question_id,question,prediction,gold_answers,acceptable\n{rows}")

    def notes(*more: str) -> list[str]:
        found = nescio("check", table, "-f", "json", *more).json
        assert [found["runs"][0][name] for name in ("correct", "incorrect")] == [1, 1]
        return [note for note in found["notes"] if "people's verdicts" in note]

    assert notes() == []  # by the verdicts themselves
    (note,) = notes("--judge", "exact")
    assert note.startswith("people's verdicts in the column 'acceptable' are not used: --choose judge=human takes them")
    assert f"--judge human --against {table} -o outcomes.csv" in note
    assert notes("--choose", "judge=human") == []
    written(table, f"question_id,question,prediction,gold_answers\n{rows.replace(',Yes', '').replace(',No', '')}")
    assert notes() == []


def test_a_table_as_people_have_it_is_explained(nescio: Command, tmp_path: Path) -> None:
    table = written(tmp_path / "t.csv", "id,model,correct,latency\n1,m,1,903\n2,m,0,404\n3,m,1,777\n")
    found = nescio("check", table).flat
    assert "A table with a column that names questions, and one that says which answers are right" in found
    for column in ("correct (outcome)", "id (question)", "model (run)"):
        assert column in found
    as_json = nescio("check", table, "-f", "json").json
    assert as_json["strata"] == []  # each question has a latency of its own, which groups nothing
    assert as_json["runs"][0]["correct"] == 2
    assert "correct (outcome)" in nescio("check", table, "--column", "outcome=correct", "--column", "run=model").flat


# ---- files that do not belong together ----


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
    assert "an outcome is correct, incorrect or unanswered" in shown_in["broken.csv"][0]
    assert shown_in["questions.jsonl"] == shown_in["theirs.jsonl"]  # these belong together
    assert "not in any format that nescio knows" in shown_in["unknown.json"][0]
    assert "of the 6 groups shown, 3 need a fix or a choice" in found.err
    assert found.err.count("\n") == 1
    as_json = nescio("check", *many, "-f", "json").json
    assert [group["format"] for group in as_json] == ["outcomes", "outcomes", "outcomes", "squad2", "questions", ""]
    assert [bool(group["problems"]) for group in as_json] == [True, True, True, True, False, True]
    assert as_json[1]["problems"] == ["run 'mine' is right everywhere"]


def test_files_that_clash_are_summaries_and_those_that_belong_together_one(nescio: Command, many: list[Path]) -> None:
    clash = nescio("check", *many[:2])
    assert (clash.status, "run 'mine' is in both" in clash.out) == (2, True)
    summaries = nescio_api.check(many[:2])
    assert [summary.contents.runs[0].n for summary in summaries if summary.contents] == [2, 1]
    (summary,) = nescio_api.check(many[4:6])
    assert (summary.format, summary.error) == ("questions", None)
    assert [file.file for file in summary.files] == [str(path) for path in many[4:6]]
