"""compare --save-baseline, and compare --baseline FILE."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import nescio as package
from nescio.errors import MismatchError

from .conftest import ANSWERED, EXAMPLES, Command, written

OUTCOMES = EXAMPLES / "outcomes.csv"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a baseline is written to."""
    return tmp_path / "baseline.json"


@pytest.fixture
def old(path: Path) -> Path:
    """The baseline of a run of the examples."""
    package.compare(OUTCOMES, save_baseline=path, run="old", resamples=200)
    return path


def rows(results: Any) -> list[tuple[Any, ...]]:
    """The figures of comparisons, without the names of the runs."""
    return [(row.measure, row.difference, row.low, row.high, row.p, row.verdict, row.n) for row in results]


@pytest.mark.parametrize("measure", ["c@1", "AURC", "penalty(t=0.75)"])
def test_a_baseline_is_the_run_that_it_was_made_of(old: Path, measure: str) -> None:
    """Differences, intervals and p-values are those of both runs in one file."""
    how: dict[str, Any] = {"run": "mine", "resamples": 500}
    kept = package.compare(OUTCOMES, measure, baseline=old, **how)
    assert rows(kept) == rows(package.compare(OUTCOMES, measure, baseline="old", **how))
    assert [(row.run, row.baseline) for row in kept] == [("mine", "old (baseline)")]


def test_a_baseline_of_answers_that_nescio_judged(path: Path) -> None:
    questions, mine, old = ANSWERED[:3]
    package.compare([questions, old], save_baseline=path)
    kept = package.compare([questions, mine], "c@1", baseline=path)
    assert rows(kept) == rows(package.compare([questions, old, mine], "c@1", baseline="old"))
    with pytest.raises(MismatchError, match=r"the baseline was judged by choice, and these files by exact"):
        package.compare([questions, mine], "c@1", baseline=path, judge="exact")


def test_a_baseline_of_scores(path: Path) -> None:
    old, mine = EXAMPLES / "ragas" / "old.csv", EXAMPLES / "ragas" / "mine.csv"
    package.compare(old, save_baseline=path)
    assert rows(package.compare(mine, baseline=path)) == rows(package.compare([old, mine], baseline="old"))
    by_metric: dict[str, Any] = {"choose": {"metric": "answer_correctness"}, "ungraded": "exclude"}
    with pytest.raises(MismatchError, match=r"read with no choose, and these files with choose"):
        package.compare(mine, baseline=path, **by_metric)
    package.compare(old, save_baseline=path, **by_metric)
    together = package.compare([old, mine], "c@1", baseline="old", **by_metric)
    assert rows(package.compare(mine, "c@1", baseline=path, **by_metric)) == rows(together)


@pytest.mark.parametrize("scale", ["{}", "{}0", "-{}.5"])
def test_a_baseline_keeps_confidences_on_any_scale(tmp_path: Path, path: Path, scale: str) -> None:
    """Percentages and log-probabilities are confidences, too."""
    lines = ["run,question,outcome,confidence"]
    for run in ("new", "old"):
        lines += [
            f"{run},q{q},{'correct' if q % 3 else 'incorrect'},{scale.format(1 + q % (5 if run == 'new' else 7))}"
            for q in range(30)
        ]
    both = written(tmp_path / "both.csv", "\n".join(lines) + "\n")
    new = written(tmp_path / "new.csv", "\n".join(lines[:31]) + "\n")
    package.compare(both, save_baseline=path, run="old")
    kept = package.compare(new, "AUROC", baseline=path, resamples=500)
    assert rows(kept) == rows(package.compare(both, "AUROC", baseline="old", resamples=500))


def test_a_baseline_keeps_the_numbers_that_a_later_gate_reads(tmp_path: Path, path: Path) -> None:
    """The new run costs 0.5 more on each question; the baseline was saved without a word about costs."""
    for run, more in (("old", 0.0), ("new", 0.5)):
        cells = [f"{run},q{q},{'correct' if q % 2 else 'unanswered'},{1 + q % 7 + more},{q % 2}" for q in range(60)]
        (tmp_path / f"{run}.csv").write_text("\n".join(["run,question,outcome,cost,known", *cells]))
    package.compare(tmp_path / "old.csv", save_baseline=path)
    how: dict[str, Any] = {"baseline": path, "fail_on_regression": True}
    (row,) = package.compare(tmp_path / "new.csv", "mean(cost)", margin=1, **how)
    assert (row.n, row.difference) == (60, pytest.approx(0.5))
    (row,) = package.compare(tmp_path / "new.csv", "honesty", **how)
    assert (row.n, row.difference) == (60, 0)


def test_repeats_are_kept_each(tmp_path: Path, path: Path) -> None:
    """Three answers to each question of the baseline, two of the new run."""
    lines = ["run,question,repeat,outcome"]
    for run, repeats, every in (("old", 3, 2), ("new", 2, 3)):
        lines += [
            f"{run},q{q},{r},{'correct' if (q + r) % every else 'incorrect'}" for q in range(30) for r in range(repeats)
        ]
    both = written(tmp_path / "both.csv", "\n".join(lines) + "\n")
    alone = [lines[0], *(line for line in lines if line.startswith("new"))]
    new = written(tmp_path / "new.csv", "\n".join(alone) + "\n")
    package.compare(both, save_baseline=path, run="old")
    assert rows(package.compare(new, "c@1", baseline=path, resamples=500)) == rows(
        package.compare(both, "c@1", baseline="old", resamples=500)
    )


def test_where_a_baseline_came_from(nescio: Command, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_SHA", "0a1b2c")
    made = nescio(
        "compare", OUTCOMES, "--run", "old", "-m", "c@1", "--save-baseline", path, "--declined-pattern", "no idea"
    )
    assert made.status == 0
    held = json.loads(path.read_text())
    assert held["command"].startswith("nescio compare ")
    assert held["commit"] == "0a1b2c"
    assert held["files"] == [{"name": "outcomes.csv", "sha256": hashlib.sha256(OUTCOMES.read_bytes()).hexdigest()}]
    assert held["read"] == {"declined_pattern": ["no idea"]}
    assert (held["run"], held["questions"], held["judge"]) == ("old", 70, [])
    # 36 of 70 right and none unanswered: c@1 is 36/70
    assert [(row["measure"], row["value"], row["n"]) for row in held["measures"]] == [("c@1", 36 / 70, 70)]
    assert len(path.read_text().splitlines()) == 70 + len(held) + 3  # a line an answer, and a line a member of the head


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"nescio_baseline": 2}, "baselines of version 1 (found 2)"),
        ({"questions": 3}, "the number of questions differs from the number in the head of the file"),
        ({"rows": []}, "the baseline has no rows"),
        ({"rows": [["q0", "right"]]}, "a damaged baseline"),
        ({"run": 7}, "Expected `str`, got `int`"),
        ({"columns": ["question"]}, "a row has more or fewer cells than there are columns"),
        ({"rows_digest": "other"}, "the rows were changed after nescio wrote the file"),
    ],
)
def test_a_damaged_baseline_is_refused(nescio: Command, old: Path, members: dict[str, Any], says: str) -> None:
    old.write_text(json.dumps(json.loads(old.read_text()) | members))
    nescio("compare", OUTCOMES, "--baseline", old).assert_refused(says)


def test_edited_outcomes_are_refused(nescio: Command, old: Path) -> None:
    """As a bad merge leaves them: the head and the questions are as they were."""
    old.write_text(old.read_text().replace('"incorrect"', '"correct"'))
    refused = nescio("compare", OUTCOMES, "--run", "mine", "--baseline", old)
    refused.assert_refused("the rows were changed after nescio wrote the file")


def test_the_order_of_rows_and_the_spelling_of_numbers_do_not_count(tmp_path: Path, path: Path) -> None:
    lines = "run,question,outcome,confidence\na,q1,correct,1.0\na,q2,incorrect,0.5\n"
    package.compare(written(tmp_path / "a.csv", lines), save_baseline=path)
    document = json.loads(path.read_text())
    document["rows"] = [[1 if cell == 1 else cell for cell in row] for row in reversed(document["rows"])]
    path.write_text(json.dumps(document))
    assert package.score(path, "accuracy").rows[0].value == 0.5


def test_a_baseline_that_nobody_named_is_said(nescio: Command, tmp_path: Path) -> None:
    rows = [
        f"{run},q{i},{'correct' if i % 3 or run == 'new' else 'incorrect'}" for run in ("old", "new") for i in range(30)
    ]
    path = written(tmp_path / "runs.csv", "\n".join(["run,question,outcome", *rows]) + "\n")
    compared = ("compare", path, "-m", "accuracy")
    note = "note: no baseline was named, so the baseline is 'old', the first run in the files; --baseline RUN chooses another"
    assert note in nescio(*compared).err
    assert "so the baseline is 'new', the other run;" in nescio(*compared, "--run", "old").err
    named = nescio(*compared, "--baseline", "old")
    assert "nobody named" not in named.err
    assert '"detectable": the smallest difference that this test finds in 80% of samples' in named.flat
    assert "p adjusted" not in named.out
    assert "-f table|json|jsonl|csv|markdown|latex" in nescio("compare", "--help").flat


@pytest.mark.parametrize("measure", ["c@1", "precision"])
@pytest.mark.parametrize("lacking", [1, 20])
def test_questions_that_the_new_run_lacks_count_as_between_two_files(
    nescio: Command, tmp_path: Path, path: Path, measure: str, lacking: int
) -> None:
    head, n = "run,question,outcome,topic\n", 120
    old, new = (
        written(
            tmp_path / f"{run}.csv", head + "".join(f"{run},q{i},{word},t{i % 20}\n" for i, word in enumerate(words))
        )
        for run, words in (
            ("old", ["correct"] * 70 + ["incorrect"] * 50),
            ("new", ["correct"] * 90 + ["incorrect"] * (n - 90 - lacking)),
        )
    )
    package.compare(old, save_baseline=path)
    gate = ("-m", measure, "--fail-on-regression", "--missing", "unanswered")
    two = nescio("compare", old, new, "--baseline", "old", "--run", "new", *gate)
    one = nescio("compare", new, "--baseline", path, *gate)
    assert (one.status, one.out.splitlines()[-1]) == (two.status, two.out.splitlines()[-1])
    nescio("compare", new, "--baseline", path).assert_refused("only in the baseline", "--missing unanswered counts")
    more = written(tmp_path / "more.csv", new.read_text() + "new,another,correct,t1\n")
    nescio("compare", more, "--baseline", path, *gate).assert_refused("1 only in these files ('another')")
    nescio("compare", new, "--baseline", path, *gate, "--cluster", "topic").assert_refused("if there are no clusters")
