"""nescio read: answering and marking, on small collections and on the bundled one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nescio.systems.reading import bundled

from .conftest import Command

QUESTIONS, STORIES = str(bundled() / "questions.jsonl"), str(bundled() / "stories.jsonl")
CBC = {
    "c/expected.answers": "QuestionID: s-1-1\nQuestion: Who ran home?\nAnswer: Ann\n\n"
    "QuestionID: s-1-2\nQuestion: When did it rain?\nAnswer: in 1999\n",
    "c/s.story": "HEADLINE: x\nSTORYID: s-1\nTEXT:\nBob sat at home. Ann ran home.\n\nIt rained all day in 1999.\n",
    "old.response": "QuestionID: s-1-1\nAnswer: Ann Smith\n\nQuestionID: s-1-2\nAnswer:\n",
}


@pytest.fixture
def cbc(tmp_path: Path) -> Path:
    for name, text in CBC.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_deep_read_answers_a_folder_and_is_marked(nescio: Command, cbc: Path) -> None:
    done = nescio("read", "answer", cbc / "c", "--system", "deep-read", "--switch", "Stem", "-o", cbc / "new.jsonl")
    assert (done.status, done.out) == (0, "")
    assert "deep-read-Stem@0.00 answers 2 of 2 questions" in done.err
    rows = [json.loads(line) for line in (cbc / "new.jsonl").read_text().splitlines()]
    assert [row["answer"] for row in rows] == ["Ann ran home.", "It rained all day in 1999."]
    scored = nescio(
        "read", "score", cbc / "c", cbc / "old.response", cbc / "new.jsonl", "--ci", "none", "-f", "json"
    ).json
    value = {(row["run"], row["measure"]): row["value"] for row in scored["scores"]}
    # Content words: ann | 1999; ann smith; ann ran home; rain all day 1999.
    assert value["old", "read.recall"] == 1 / 2
    assert value["old", "read.precision"] == (1 / 2 + 0) / 2  # silent on the second
    assert value["old", "read.AutSent"] == 0  # "Ann Smith" stands in no sentence
    assert value["deep-read-Stem@0.00", "read.recall"] == 1
    assert value["deep-read-Stem@0.00", "read.precision"] == pytest.approx((1 / 3 + 1 / 4) / 2)
    assert value["deep-read-Stem@0.00", "read.AutSent"] == 1
    assert "judge:deep_read(threshold=0.5, keep_pronouns=false)" in scored["signature"]


def test_the_shape_is_that_of_score(nescio: Command, cbc: Path) -> None:
    """Every file that `read score` marks, `score` scores as well, with the same judge by default."""
    paths = (cbc / "c" / "expected.answers", cbc / "c" / "s.story", cbc / "old.response")
    ours = nescio("read", "score", *paths, "-f", "json").json
    theirs = nescio("score", *paths, "-f", "json").json
    assert ours["scores"] == theirs["scores"]


def test_correlations_and_strata(nescio: Command, cbc: Path) -> None:
    for switch in ("Stem", "Name"):
        nescio("read", "answer", cbc / "c", "--system", "deep-read", "--switch", switch, "-o", cbc / f"{switch}.jsonl")
    runs = (cbc / "old.response", cbc / "Stem.jsonl", cbc / "Name.jsonl")
    options = ("--correlations", "--by", "question_word", "--ci", "none", "-f", "json")
    found = nescio("read", "score", cbc / "c", *runs, *options).json
    assert {row["stratum"] for row in found["scores"]} == {None, "who", "when"}
    first = next(
        row for row in found["correlations"] if (row["measure"], row["other"]) == ("read.recall", "read.AutSent")
    )
    assert first == {"measure": "read.recall", "other": "read.AutSent", "correlation": 1.0, "runs": 3, "stratum": None}


def test_pronouns_may_be_kept(nescio: Command, cbc: Path) -> None:
    (cbc / "he.jsonl").write_text('{"id": "s-1-1", "answer": "it was Ann"}\n{"id": "s-1-2", "answer": null}\n')
    command = ("read", "score", cbc / "c", cbc / "he.jsonl", "-m", "read.precision_when_answered", "-f", "json")
    assert nescio(*command).json["scores"][0]["value"] == 1
    assert nescio(*command, "--keep-pronouns").json["scores"][0]["value"] == 1 / 2
    refused = nescio(*command, "--keep-pronouns", "--judge", "exact")
    assert (refused.status, refused.out) == (2, "")


def test_the_bundled_collection_both_ways(nescio: Command, tmp_path: Path) -> None:
    """Options are answered by default, and marked by c@1; sentences when asked for, and marked by HumSent too."""
    for name, more in (("options", ()), ("sentences", ("--by-sentence", "--threshold", "0.3"))):
        path = tmp_path / f"{name}.jsonl"
        assert nescio("read", "answer", QUESTIONS, STORIES, "--system", "deep-read", *more, "-o", path).status == 0
    chosen = nescio("read", "score", QUESTIONS, STORIES, tmp_path / "options.jsonl", "-f", "json").json["scores"]
    assert [row["measure"] for row in chosen] == ["c@1", "accuracy", "coverage"]
    files = (QUESTIONS, STORIES, tmp_path / "sentences.jsonl")
    marked = nescio("read", "score", *files, "--judge", "deep_read", "-f", "json").json["scores"]
    assert [row["measure"] for row in marked] == ["read.recall", "read.precision", "read.HumSent", "read.AutSent"]
    assert {row["n"] for row in marked} == {70, marked[1]["n"]}


def test_what_cannot_be_answered_or_scored(nescio: Command, cbc: Path) -> None:
    run = cbc / "run.jsonl"
    for arguments, rule in (
        ((cbc / "c", "--system", "deep-red"), "did you mean deep-read"),
        ((cbc / "c", "--system", "deep-read", "--switch", "ProHum"), "ProHum needs names or references marked by hand"),
        (
            (cbc / "c", "--system", "sliding-window"),
            "'s-1-1' has no options, and this system chooses among options; deep-read and",
        ),
        (
            (cbc / "c", "--system", "deep-read", "--threshold", "2"),
            "--threshold takes a number, from 0 to 1 (found '2')",
        ),
        (
            (cbc, "--system", "deep-read"),
            "this is a folder; name the files in it (found automatically are .story files",
        ),
        ((QUESTIONS, "--system", "deep-read"), "has no story"),
    ):
        found = nescio("read", "answer", *arguments, "-o", run)
        assert (found.status, found.out) == (2, ""), arguments
        assert rule in found.err
        assert not run.exists()
    found = nescio("read", "answer", cbc / "c", "--system", "deep-read", "-o", cbc / "run.csv")
    assert "a run is written to .jsonl" in found.err
    table = cbc / "t.csv"
    table.write_text("run,question,outcome\na,q,correct\n")
    assert "scores answers that are already judged" in nescio("read", "score", table).err


def test_a_folder_stands_for_its_files_in_every_command(nescio: Command, cbc: Path) -> None:
    names = ("expected.answers", "s.story")
    (cbc / "new.jsonl").write_text(
        '{"id": "s-1-1", "answer": "Ann ran home.", "confidence": 0.9}\n{"id": "s-1-2", "answer": "rain", "confidence": 0.2}\n'
    )
    both, one = (cbc / "old.response", cbc / "new.jsonl"), (cbc / "new.jsonl",)
    for command, runs in ((["score"], both), (["compare"], both), (["read", "score"], both), (["tune"], one)):
        whole = nescio(*command, cbc / "c", *runs, "-f", "json")
        named = nescio(*command, *(cbc / "c" / name for name in names), *runs, "-f", "json")
        assert (whole.status, whole.out, whole.err) == (0, named.out, named.err), command


def test_keys_of_a_folder_that_are_passed_over_are_said(nescio: Command, cbc: Path) -> None:
    (cbc / "c" / "s.answers").write_text("QuestionID: s-1-1\nQuestion: Who ran home?\nAnswer: Bob\n")
    said = "the keys are those of expected.answers; 1 other .answers in the folder are not read"
    for command in ("score", "check"):
        found = nescio(command, cbc / "c", cbc / "old.response")
        assert said in " ".join((found.out + found.err).split())
    answered = nescio("read", "answer", cbc / "c", "--system", "random", "-o", cbc / "r.jsonl")
    assert said in answered.err


def test_no_file_of_a_folder_that_is_read_is_overwritten(nescio: Command, cbc: Path) -> None:
    (cbc / "c" / "questions.jsonl").write_text('{"id": 1, "question": "Who?", "answers": ["Ann"]}\n')
    kept = (cbc / "c" / "questions.jsonl").read_bytes()
    (cbc / "a.jsonl").write_text('{"id": 1, "answer": "Ann"}\n')
    found = nescio("score", cbc / "c", cbc / "a.jsonl", "-o", cbc / "c" / "questions.jsonl")
    assert (found.status, found.out, (cbc / "c" / "questions.jsonl").read_bytes()) == (2, "", kept)
    assert "is one of the input files" in found.err
    assert nescio("score", cbc / "c", cbc / "a.jsonl", "-o", cbc / "c" / "results.jsonl").status == 0


def test_a_folder_of_questions_stands_for_questions_stories_and_runs(nescio: Command, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "questions.jsonl").write_text('{"id": 1, "question": "Who?", "answers": ["Ann"]}\n')
    (tmp_path / "runs" / "mine.jsonl").write_text('{"id": 1, "answer": "Ann"}\n')
    rows = nescio("score", tmp_path, "-m", "accuracy", "-f", "json").json["scores"]
    assert [(row["run"], row["value"]) for row in rows] == [("mine", 1.0)]


def test_correlations_over_two_runs_say_why_there_are_none(nescio: Command, cbc: Path) -> None:
    (cbc / "new.jsonl").write_text('{"id": "s-1-1", "answer": "Ann"}\n{"id": "s-1-2", "answer": "1999"}\n')
    runs = (cbc / "old.response", cbc / "new.jsonl")
    command = ("read", "score", cbc / "c", *runs, "--ci", "none", "-f", "json")
    found = nescio(*command, "--correlations")
    said = "correlations over runs need 3 runs or more, but there are only 2, so they are undefined"
    assert said in found.json["notes"]
    assert f"note: {said}" in found.err
    assert {row["correlation"] for row in found.json["correlations"]} == {None}
    assert said not in nescio(*command).err
