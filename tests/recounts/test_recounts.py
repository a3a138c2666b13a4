"""nescio's figures of real logs against those of plain scripts."""

from __future__ import annotations

import csv
import json
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

import nescio
from tests.recounts import counting

DATA = Path(__file__).parents[2].parent / "shared" / "data"
needs = {
    path: pytest.mark.skipif(not (DATA / path).exists(), reason=f"{path} is no part of this project")
    for path in (counting.COST, counting.TRIALS, counting.PAN, counting.PEOPLE, counting.SEEDS)
}


@needs[counting.COST]
def test_what_a_solved_task_cost_eight_models() -> None:
    found = nescio.score(DATA / counting.COST, "price_per_right(costUsd)", column={"repeat": "runId"})
    ours = {row.run: (row.value, row.low, row.high) for row in found}
    theirs = counting.prices(DATA)
    assert ours.keys() == theirs.keys()
    for model, figures in theirs.items():
        assert ours[model] == pytest.approx(figures, rel=1e-8), model


@needs[counting.COST]
def test_how_many_times_as_much_a_solved_task_costs() -> None:
    """All pairs of eight models."""
    measure = "price_per_right(costUsd)"
    rows = nescio.compare(DATA / counting.COST, measure, column={"repeat": "runId"}, resamples=200).tables["prices"]
    assert len(rows) == 28
    for row in rows:
        theirs = counting.price_ratio(DATA, row.run, row.baseline)
        assert (row.ratio, row.low, row.high) == pytest.approx(theirs[:3], rel=1e-9), (row.run, row.baseline)
        assert row.p == pytest.approx(theirs[3], abs=1e-9), (row.run, row.baseline)


@needs[counting.COST]
def test_which_models_no_other_beats_at_quality_and_cost() -> None:
    """Shares of resamples, theirs 4,000 and ours 10,000: within four Monte Carlo errors."""
    found = nescio.score(DATA / counting.COST, ["accuracy", "mean(costUsd)"], column={"repeat": "runId"}, mark=False)
    ours = {row.run: row for row in found.tables["front"]}
    theirs = counting.front(DATA)
    assert {run: row.front for run, row in ours.items()} == {run: on for run, (on, _) in theirs.items()}
    for run, (_, share) in theirs.items():
        apart = 4 * (share * (1 - share) * (1 / 4_000 + 1 / 10_000)) ** 0.5
        assert ours[run].share == pytest.approx(share, abs=max(apart, 0.002)), run


@needs[counting.TRIALS]
def test_four_trials_of_each_task() -> None:
    theirs = counting.trials(DATA)
    found = nescio.score(DATA / counting.TRIALS, list(theirs), ci=None)
    assert {row.measure: row.value for row in found} == pytest.approx(theirs, abs=1e-12)


@needs[counting.PAN]
@pytest.mark.parametrize("sure", [(0.9, 0.6), (0.7, 0.95), (0.99, 0.5)])
def test_verifiers_of_authors_in_turn(tmp_path: Path, sure: tuple[float, float]) -> None:
    """14,311 pairs of texts: the confidence of a verifier is how far its value is from .5."""
    names = ("araujo20-large", "weerasinghe20-large")
    steps = [{"system": name, "answer_from": least} for name, least in zip(names, sure, strict=True)]
    policy = tmp_path / "policy.json"
    made = {
        "policy": "nescio lab cascade",
        "steps": steps,
        "error": 1.0,
        "right": None,
        "cost": None,
        "made_by": "hand",
    }
    policy.write_text(json.dumps(made), encoding="utf-8")
    files = [DATA / counting.PAN / "truth.jsonl", *(DATA / counting.PAN / "runs" / n / "answers.jsonl" for n in names)]
    output = tmp_path / "applied.csv"
    nescio.lab.cascade(files, apply=policy, run_output=output)
    with output.open(encoding="utf-8", newline="") as file:
        outcomes = Counter(row["outcome"] for row in csv.DictReader(file))
    assert tuple(outcomes[word] for word in ("correct", "incorrect", "unanswered")) == counting.cascade(
        DATA, *names, sure
    )


@needs[counting.PAN]
def test_the_best_of_all_pairs_of_thresholds() -> None:
    """36 policies, each counted by itself: right less wrong."""
    names, grid = ("araujo20-large", "weerasinghe20-large"), (0.5, 0.6, 0.7, 0.8, 0.9)
    files = [DATA / counting.PAN / "truth.jsonl", *(DATA / counting.PAN / "runs" / n / "answers.jsonl" for n in names)]
    found = nescio.lab.cascade(files, systems=names, grid=grid).rows[0]
    values = {}
    for sure in product((*grid, 2.0), (*grid, 2.0)):  # nobody is twice as sure as can be
        right, wrong, silent = counting.cascade(DATA, *names, sure)
        values[sure] = (right - wrong) / (right + wrong + silent)
    best = max(values, key=values.__getitem__)
    assert found.in_sample == pytest.approx(values[best], abs=1e-12)
    assert tuple(min(step.answer_from or 2.0, 2.0) for step in found.steps) == best


@needs[counting.PEOPLE]
def test_what_people_call_right_of_nine_systems() -> None:
    """2,633 of 2,709 answers have a verdict."""
    theirs = counting.people(DATA)
    assert sum(map(sum, theirs.values())) == 2709
    found = nescio.score(DATA / counting.PEOPLE, "accuracy", ungraded="exclude", ci=None)
    ours = {row.run: (row.n, row.value) for row in found}
    assert ours.keys() == theirs.keys()
    for run, (right, wrong, _) in theirs.items():
        assert ours[run] == pytest.approx((right + wrong, right / (right + wrong)), abs=1e-12), run


@needs[counting.PEOPLE]
def test_how_far_two_people_agree() -> None:
    found = nescio.lab.assessors(DATA / counting.PEOPLE, verdict="annotator1+annotator2", resamples=200)
    ours = {row.measure: row for row in found.tables["agreement"]}
    answers, share, kappa = counting.two_people(DATA)
    assert (ours["p_o"].answers, ours["kappa"].answers) == (answers, answers)
    assert (ours["p_o"].value, ours["kappa"].value) == pytest.approx((share, kappa), abs=1e-12)


@needs[counting.PEOPLE]
def test_how_far_exact_match_agrees_with_people() -> None:
    path = DATA / counting.PEOPLE
    found = nescio.judge(path, judge="exact", against=path, resamples=200).results
    assert found is not None
    ours = {
        row.run: (row.answers, row.agreement, row.kappa, row.sensitivity, row.specificity)
        for row in found
        if row.run in counting.people(DATA)
    }
    theirs = counting.exact_match(DATA)
    assert ours.keys() == theirs.keys()
    for run, figures in theirs.items():
        assert ours[run] == pytest.approx(figures, abs=1e-12), run


@needs[counting.SEEDS]
@pytest.mark.parametrize(
    ("benchmark", "right", "word"),
    [("gpqa", "symbolic_correct", True), ("math", "symbolic_correct", True), ("minif2f", "proof_status", "completed")],
)
def test_seeds_are_repeats_of_a_question(benchmark: str, right: str, word: object) -> None:
    """gpqa has an answer that is null: nobody could parse it, so it is wrong unless the user says that it abstains."""
    theirs = counting.seeds(DATA, benchmark, right, word)
    paths = sorted((DATA / counting.SEEDS / benchmark).glob("output-rs*"))
    found = nescio.score(paths, list(theirs), ci=None, unparsed="unanswered")
    assert {row.measure: row.value for row in found} == pytest.approx(theirs, abs=1e-12)
    found = nescio.score(paths, ["c@1", "accuracy", "coverage"], ci=None)
    expected = {"c@1": theirs["accuracy"], "accuracy": theirs["accuracy"], "coverage": 1.0}
    assert {row.measure: row.value for row in found} == pytest.approx(expected, abs=1e-12)
