"""Suites of real logs: MMLU-Pro's categories, a group of lm-evaluation-harness, HELM's mean win rates."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nescio
from nescio.data.evidence import outcome_tally
from nescio.stats.suites import win_rates
from tests.suites import typed

DATA = Path(__file__).parents[3] / "shared" / "data"
MMLU_PRO = DATA / "mmlu_pro" / "outcomes.parquet"
LOGS = DATA / "logs2026"
needs_mmlu = pytest.mark.skipif(not MMLU_PRO.exists(), reason="MMLU-Pro is not beside the checkout")
needs_logs = pytest.mark.skipif(not LOGS.exists(), reason="the logs of 2026 are not beside the checkout")


@needs_logs
def test_a_group_of_lm_evaluation_harness() -> None:
    """mmlu_pro_plus: 14 tasks of 100 questions; the group's value and standard error as the harness wrote them.

    It pools sample variances (n - 1) of tasks of one size; ours has n.
    """
    document = json.loads(next((LOGS / "lm_eval").glob("results_*.json")).read_text())
    metric = "exact_match,custom-extract"
    suite = {}
    for task in document["group_subtasks"]["mmlu_pro_plus"]:
        n = document["n-samples"][task]["effective"]
        right = round(document["results"][task][metric] * n)
        suite[task] = outcome_tally(["gemma"], np.array([[right, n - right, 0]]))
    row = typed.score(suite, "accuracy", resamples=200).rows[0]
    group = document["groups"]["mmlu_pro_plus"]
    assert row.value == pytest.approx(group[metric], abs=1e-12)
    assert row.se is not None
    assert row.se * math.sqrt(100 / 99) == pytest.approx(group["exact_match_stderr,custom-extract"], abs=1e-12)


@needs_logs
@pytest.mark.parametrize("name", ["core_scenarios_accuracy", "calibration_accuracy"])
def test_mean_win_rates_of_helm(name: str) -> None:
    table = json.loads((LOGS / "helm" / "groups" / f"{name}.json").read_text())
    cells = np.array([[math.nan if c.get("value") is None else c["value"] for c in row[1:]] for row in table["rows"]])
    lower = np.array([[bool(head.get("lower_is_better"))] for head in table["header"][2:]])
    assert win_rates(cells[:, 1:].T, lower_is_better=lower) == pytest.approx(cells[:, 0], abs=1e-12)


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    """Right answers by category and run, read from the file without nescio."""
    import duckdb

    query = duckdb.sql(
        f"SELECT run, category, question, outcome = 'correct' AS hit FROM '{MMLU_PRO}' ORDER BY run, category, question"
    )
    assert query is not None
    rows = query.fetchall()
    cells: dict[str, dict[str, list[int]]] = {}
    for run, category, _, hit in rows:
        cells.setdefault(category, {}).setdefault(run, []).append(int(hit))
    return {category: {run: np.array(own) for run, own in runs.items()} for category, runs in cells.items()}


@needs_mmlu
@pytest.mark.proof
def test_the_categories_of_mmlu_pro_are_a_suite(answers: dict[str, Any]) -> None:
    scores = typed.score(MMLU_PRO, "accuracy", suite_by="category", resamples=1000)
    assert len(answers) == 14
    assert len(scores) == 22
    rates = np.array([[own[row.run].mean() for row in scores] for own in answers.values()])
    for at, row in enumerate(scores):
        sizes = np.array([len(own[row.run]) for own in answers.values()])
        p = rates[:, at]
        assert row.value == pytest.approx(p.mean(), abs=1e-12)
        assert row.se == pytest.approx(math.sqrt((p * (1 - p) / sizes).sum()) / 14, abs=1e-9)
        wins = [(p > rates[:, j]) + 0.5 * (p == rates[:, j]) for j in range(22) if j != at]
        assert row.win_rate == pytest.approx(np.mean(wins), abs=1e-12)


@needs_mmlu
@pytest.mark.proof
def test_the_macro_test_is_that_of_random_signs(answers: dict[str, Any]) -> None:
    """200,000 exchanges drawn here: their share lies within four of its standard errors of the p-value."""
    pair = ("Meta-Llama-3_1-8B-Instruct", "Phi-3-mini-4k-instruct")
    row = nescio.compare(MMLU_PRO, "accuracy", suite_by="category", run=pair[0], baseline=pair[1], resamples=200).rows[
        0
    ]
    rng, draws = np.random.default_rng(1), 200_000
    drawn, observed = np.zeros(draws), 0.0
    for own in answers.values():
        d = own[pair[0]] - own[pair[1]]
        apart = int(np.abs(d).sum())
        observed += d.mean() / 14
        drawn += (2 * rng.binomial(apart, 0.5, draws) - apart) / len(d) / 14
    share = float(np.mean(np.abs(drawn) >= abs(observed) - 1e-12))
    assert row.difference == pytest.approx(observed, abs=1e-12)
    assert row.p is not None
    assert 0.005 < row.p < 0.5, "a p-value that can be held against draws"
    assert abs(row.p - share) <= 4 * math.sqrt(share * (1 - share) / draws) + 0.02 * row.p
