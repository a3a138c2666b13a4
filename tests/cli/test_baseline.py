"""nescio baseline, and compare --baseline FILE."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import nescio as package
from nescio.errors import MismatchError

from .conftest import EXAMPLES, Command
from .test_regression_gate import table

OUTCOMES = EXAMPLES / "outcomes.csv"


def rows(results: Any) -> list[tuple[Any, ...]]:
    """The figures of comparisons, without the names of the runs."""
    return [(row.measure, row.difference, row.low, row.high, row.p, row.verdict, row.n) for row in results]


def changed(path: Path, **members: Any) -> Path:
    """A baseline with other members in its head."""
    document = json.loads(path.read_text()) | members
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize("measure", ["c@1", "AURC", "penalty(t=0.75)"])
def test_a_baseline_is_the_run_that_it_was_made_of(tmp_path: Path, measure: str) -> None:
    """Differences, intervals and p-values are those of both runs in one file."""
    path = tmp_path / "baseline.json"
    package.baseline(OUTCOMES, path, run="old")
    how: dict[str, Any] = {"run": "mine", "resamples": 500}
    kept = package.compare(OUTCOMES, measure, baseline=path, **how)
    assert rows(kept) == rows(package.compare(OUTCOMES, measure, baseline="old", **how))
    assert [(row.run, row.baseline) for row in kept] == [("mine", "old (baseline)")]


def test_a_baseline_of_answers_that_nescio_judged(tmp_path: Path) -> None:
    questions, path = EXAMPLES / "questions.jsonl", tmp_path / "baseline.json"
    old, mine = EXAMPLES / "runs" / "old.jsonl", EXAMPLES / "runs" / "mine.jsonl"
    package.baseline([questions, old], path)
    kept = package.compare([questions, mine], "c@1", baseline=path)
    assert rows(kept) == rows(package.compare([questions, old, mine], "c@1", baseline="old"))
    with pytest.raises(MismatchError, match=r"the baseline was judged by choice, and these files by exact"):
        package.compare([questions, mine], "c@1", baseline=path, judge="exact")


def test_a_baseline_of_scores(tmp_path: Path) -> None:
    old, mine, path = EXAMPLES / "ragas" / "old.csv", EXAMPLES / "ragas" / "mine.csv", tmp_path / "baseline.json"
    package.baseline(old, path)
    assert rows(package.compare(mine, baseline=path)) == rows(package.compare([old, mine], baseline="old"))
    by_metric: dict[str, Any] = {"choose": {"metric": "answer_correctness"}, "ungraded": "exclude"}
    with pytest.raises(MismatchError, match=r"read with no choose, and these files with choose"):
        package.compare(mine, baseline=path, **by_metric)
    package.baseline(old, path, **by_metric)
    together = package.compare([old, mine], "c@1", baseline="old", **by_metric)
    assert rows(package.compare(mine, "c@1", baseline=path, **by_metric)) == rows(together)


def test_a_run_without_a_grade_is_no_baseline(tmp_path: Path) -> None:
    source, path = tmp_path / "o.csv", tmp_path / "baseline.json"
    text = "run,question,outcome\nm,a,ungraded\nm,b,ungraded\n"
    source.write_text(text)
    with pytest.raises(
        MismatchError, match=r"^run 'm' has no graded answer, so its baseline would have nothing to compare"
    ):
        package.baseline(source, path, ungraded="exclude")
    assert not path.exists()
    source.write_text(text + "m,c,incorrect\n")
    package.baseline(source, path, ungraded="exclude")
    assert path.exists()


def test_repeats_are_kept_each(tmp_path: Path) -> None:
    """Three answers to each question of the baseline, two of the new run."""
    lines = ["run,question,repeat,outcome"]
    for run, repeats in (("old", 3), ("new", 2)):
        lines += [
            f"{run},q{q},{r},{'correct' if (q + r) % (2 if run == 'old' else 3) else 'incorrect'}"
            for q in range(30)
            for r in range(repeats)
        ]
    both, new, path = tmp_path / "both.csv", tmp_path / "new.csv", tmp_path / "baseline.json"
    both.write_text("\n".join(lines) + "\n")
    new.write_text("\n".join([lines[0], *(line for line in lines if line.startswith("new"))]) + "\n")
    package.baseline(both, path, run="old")
    assert rows(package.compare(new, "c@1", baseline=path, resamples=500)) == rows(
        package.compare(both, "c@1", baseline="old", resamples=500)
    )


def test_where_a_baseline_came_from(nescio: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_SHA", "0a1b2c")
    path = tmp_path / "baseline.json"
    made = nescio("baseline", OUTCOMES, "--run", "old", "-m", "c@1", "-o", path, "--declined-pattern", "no idea")
    assert made.status == 0
    held = json.loads(path.read_text())
    assert held["command"].startswith("nescio baseline ")
    assert held["commit"] == "0a1b2c"
    assert held["files"] == [{"name": "outcomes.csv", "sha256": hashlib.sha256(OUTCOMES.read_bytes()).hexdigest()}]
    assert held["read"] == {"declined_pattern": ["no idea"]}
    assert (held["run"], held["questions"], held["judge"]) == ("old", 70, [])
    # 36 of 70 right and none unanswered: c@1 is 36/70
    assert [(row["measure"], row["value"], row["n"]) for row in held["measures"]] == [("c@1", 36 / 70, 70)]
    assert len(path.read_text().splitlines()) == 70 + len(held) + 3  # a line an answer, and a line a member of the head


@pytest.mark.parametrize(
    ("new", "status"),
    [("C" * 800 + "W" * 200, 0), ("C" * 400 + "W" * 600, 1), ("C" * 690 + "W" * 310, 3)],
)
def test_a_gate_against_a_baseline(nescio: Command, tmp_path: Path, new: str, status: int) -> None:
    path = tmp_path / "baseline.json"
    assert nescio("baseline", table(tmp_path / "old.csv", main="C" * 700 + "W" * 300), "-o", path).status == 0
    runs = table(tmp_path / "new.csv", main=new)
    arguments = ("--fail-on-regression", "-m", "c@1", "--resamples", 500)
    assert nescio("compare", runs, "--baseline", path, *arguments).status == status
    page = tmp_path / "diff.html"
    assert nescio("report", runs, "--baseline", path, *arguments[1:], "-o", page).status == 0
    assert f"--baseline {path}" in page.read_text()


def test_other_questions_are_refused(nescio: Command, tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    nescio("baseline", table(tmp_path / "old.csv", main="CCWW"), "-o", path)
    new = table(tmp_path / "new.csv", main="CCWWC")
    refused = nescio("compare", new, "--baseline", path)
    assert (refused.status, refused.out) == (2, "")
    assert "the baseline was made on different questions: 1 only here ('q4')" in refused.err


TOLD = "run,question_id,prompt,gold,answer,outcome\n"


@pytest.mark.parametrize(
    ("question", "gold", "says"),
    [
        ("Who sang?", "Ann", None),
        ("Who sings?", "Ann", "a different text"),
        ("Who sang?", "Bea", "a different gold answer"),
    ],
)
def test_a_question_that_was_changed_is_refused(tmp_path: Path, question: str, gold: str, says: str | None) -> None:
    old, new, path = tmp_path / "old.csv", tmp_path / "new.csv", tmp_path / "baseline.json"
    old.write_text(TOLD + "main,q1,Who sang?,Ann,Ann,correct\nmain,q2,When?,May,June,incorrect\n")
    new.write_text(TOLD + f"main,q1,{question},{gold},Bob,incorrect\nmain,q2,When?,May,May,correct\n")
    package.baseline(old, path)
    assert "sang" not in path.read_text()  # digests of the words, and not the words
    if says is None:
        assert len(package.compare(new, "c@1", baseline=path)) == 1
    else:
        with pytest.raises(MismatchError, match=rf"1 with {says} \('q1'\)"):
            package.compare(new, "c@1", baseline=path)


def test_the_day_of_a_model_may_differ_and_its_prompt_may_not(tmp_path: Path) -> None:
    judge = '"llm(model=lamp-2b, prompt=3f2a9c01, date={})"'
    head = "run,question,outcome,judge\n"
    old, new, path = tmp_path / "old.csv", tmp_path / "new.csv", tmp_path / "baseline.json"
    old.write_text(head + f"main,q1,correct,{judge.format('2026-05-01')}\n")
    new.write_text(head + f"main,q1,incorrect,{judge.format('2026-11-22')}\n")
    package.baseline(old, path)
    notes = [str(note) for note in package.compare(new, "c@1", baseline=path).notes]
    assert "the same judge judged the baseline on 2026-05-01 and these answers on 2026-11-22" in notes
    new.write_text(new.read_text().replace("3f2a9c01", "77777777"))
    with pytest.raises(MismatchError, match=r"judged by llm.*3f2a9c01.*by llm.*77777777"):
        package.compare(new, "c@1", baseline=path)


def test_whether_a_question_has_an_answer_must_be_the_same(tmp_path: Path) -> None:
    head = "run,question,outcome,answerable\n"
    old, new, path = tmp_path / "old.csv", tmp_path / "new.csv", tmp_path / "baseline.json"
    old.write_text(head + "main,q1,correct,true\nmain,q2,unanswered,false\n")
    new.write_text(head + "main,q1,correct,false\nmain,q2,unanswered,false\n")
    package.baseline(old, path)
    with pytest.raises(MismatchError, match=r"1 with an answer in only one of them \('q1'\)"):
        package.compare(new, "c@1", baseline=path)


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"nescio_baseline": 2}, "baselines of version 1 (found 2)"),
        ({"questions": 3}, "its questions are not those that its head counts"),
        ({"rows": []}, "it has no rows"),
        ({"rows": [["q0", "right"]]}, "a damaged baseline"),
        ({"run": 7}, "Expected `str`, got `int`"),
        ({"columns": ["question"]}, "a row has other columns"),
    ],
)
def test_a_damaged_baseline_is_refused(nescio: Command, tmp_path: Path, members: dict[str, Any], says: str) -> None:
    path, runs = tmp_path / "baseline.json", table(tmp_path / "old.csv", main="CCWW")
    nescio("baseline", runs, "-o", path)
    changed(path, **members)
    refused = nescio("compare", runs, "--baseline", path)
    assert (refused.status, refused.out) == (2, "")
    assert says in " ".join(refused.err.split())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("-o", "baseline.json"), "say which run is the baseline with --run; runs are 'a', 'b'"),
        (("--run", "c", "-o", "baseline.json"), "unknown run 'c'"),
        (("--run", "a", "-o", "baseline.csv"), "a baseline is written to .json"),
        (("--run", "a"), "Missing option '-o'"),
    ],
)
def test_what_no_baseline_can_be_made_of(
    nescio: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = nescio("baseline", table(tmp_path / "runs.csv", a="CW", b="WW"), *arguments)
    assert (refused.status, refused.out) == (2, "")
    assert says in " ".join(refused.err.split())
    assert not Path("baseline.json").exists()


def test_counts_hold_no_outcome_of_a_question(nescio: Command, tmp_path: Path) -> None:
    counts = tmp_path / "counts.csv"
    counts.write_text("run,correct,incorrect,unanswered\na,1,2,3\n")
    refused = nescio("baseline", counts, "-o", tmp_path / "baseline.json")
    assert (refused.status, "holds no outcomes of single questions" in " ".join(refused.err.split())) == (2, True)


@pytest.mark.parametrize("edit", [('"incorrect"', '"correct"'), ('"rows_digest"', '"other"')])
def test_edited_outcomes_are_refused(nescio: Command, tmp_path: Path, edit: tuple[str, str]) -> None:
    """As a bad merge leaves them: the head and the questions are as they were."""
    path = tmp_path / "baseline.json"
    nescio("baseline", OUTCOMES, "--run", "old", "-o", path)
    compared = ("compare", OUTCOMES, "--run", "mine", "--baseline", path, "--resamples", "200")
    assert nescio(*compared).status == 0
    path.write_text(path.read_text().replace(*edit))
    refused = nescio(*compared)
    assert refused.status == 2
    assert "its rows are not those that nescio baseline wrote" in refused.err


def test_the_order_of_rows_and_the_spelling_of_numbers_do_not_count(tmp_path: Path) -> None:
    table_of, path = tmp_path / "a.csv", tmp_path / "baseline.json"
    table_of.write_text("run,question,outcome,confidence\na,q1,correct,1.0\na,q2,incorrect,0.5\n")
    package.baseline(table_of, path)
    document = json.loads(path.read_text())
    document["rows"] = [[1 if cell == 1 else cell for cell in row] for row in reversed(document["rows"])]
    path.write_text(json.dumps(document))
    assert package.score(path, "accuracy").rows[0].value == 0.5


@pytest.mark.parametrize(
    ("command", "more", "said"),
    [
        ("compare", ("--suite-by", "category"), "does not work with a suite of benchmarks;"),
        ("look", ("--run", "mine"), "does not work with nescio look;"),
    ],
)
def test_a_file_is_refused_where_it_does_not_work(
    nescio: Command, tmp_path: Path, command: str, more: tuple[str, ...], said: str
) -> None:
    path, alone = tmp_path / "baseline.json", tmp_path / "mine.csv"
    nescio("baseline", OUTCOMES, "--run", "old", "-o", path)
    lines = Path(OUTCOMES).read_text().splitlines(keepends=True)
    alone.write_text("".join(line for line in lines if not line.startswith("old,")))
    for files in (OUTCOMES, alone):  # with the run that the file is of beside the others, and without it
        refused = nescio(command, files, "--baseline", path, *more)
        assert refused.status == 2
        assert f"a baseline file {said}" in refused.err


def test_a_file_beside_other_files_is_refused_with_the_option_that_takes_it(nescio: Command, tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    nescio("baseline", OUTCOMES, "--run", "old", "-o", path)
    refused = nescio("compare", path, OUTCOMES)
    assert refused.status == 2
    assert "nescio compare takes a baseline's file by --baseline" in refused.err


@pytest.mark.parametrize(
    "words", [("compare",), ("compare", "--run", "mine"), ("compare", "--suite-by", "category"), ("look",), ("report",)]
)
def test_a_file_that_is_not_there_is_called_so(nescio: Command, words: tuple[str, ...]) -> None:
    refused = nescio(*words, OUTCOMES, "--baseline", "none.json")
    assert refused.status == 2
    assert "none.json: there is no such file" in refused.err
