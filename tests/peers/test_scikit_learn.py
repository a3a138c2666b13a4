"""scikit-learn's and ir_measures' figures against ours, where both define the same."""

from __future__ import annotations

import ir_measures
import numpy as np
import pyarrow as pa
import pytest
from sklearn import metrics

import nescio
from nescio.data.columns import Array
from nescio.data.evidence import Evidence
from tests.peers.sheets import Sheet, evidence, sheet

SEEDS = range(4)


def value(one: Sheet | Evidence, measure: str) -> float:
    data = one if isinstance(one, Evidence) else evidence(one)
    return nescio.score(data, measure, ci=None).rows[0].value


def close(expected: float) -> object:
    return pytest.approx(expected, rel=0, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_AUROC_and_Brier_are_theirs_on_the_answers(seed: int) -> None:
    one = sheet(80, seed)
    answered = one.outcome < 2
    right, sure = one.right[answered], one.confidence[answered]
    assert value(one, "AUROC") == close(metrics.roc_auc_score(right, sure))
    assert value(one, "Brier") == close(metrics.brier_score_loss(right, sure))


@pytest.mark.parametrize("seed", SEEDS)
def test_log_loss_and_the_precision_of_finding_errors_are_theirs_on_the_answers(seed: int) -> None:
    one = sheet(80, seed)
    answered = one.outcome < 2
    right, sure = one.right[answered], one.confidence[answered]
    eps = 2.0**-40  # 1 - eps is then no rounded number
    kept = np.clip(sure, eps, 1 - eps)
    assert value(one, f"NLL(eps={eps!r})") == close(metrics.log_loss(right, kept))
    assert value(one, "error_AUPR") == close(metrics.average_precision_score(1 - right, -sure))


@pytest.mark.parametrize("seed", SEEDS)
def test_FPR_at_95_TPR_is_read_from_their_curve(seed: int) -> None:
    one = sheet(80, seed)
    answered = one.outcome < 2
    false_rate, true_rate, _ = metrics.roc_curve(one.right[answered], one.confidence[answered], drop_intermediate=False)
    assert value(one, "FPR@95TPR") == close(false_rate[true_rate >= 0.95].min())


@pytest.mark.parametrize("seed", SEEDS)
def test_AP_is_theirs_without_ties(seed: int) -> None:
    one = sheet(80, seed, silence=0.0, ties=False)
    assert value(one, "AP") == close(metrics.average_precision_score(one.right, one.confidence))


@pytest.mark.parametrize("seed", SEEDS)
def test_precision_is_theirs_where_answering_is_the_positive_class(seed: int) -> None:
    one = sheet(80, seed)
    assert value(one, "precision") == close(metrics.precision_score(one.right, one.outcome < 2))


@pytest.mark.parametrize("seed", SEEDS)
def test_AURC_by_trapezoids_is_the_area_of_their_auc(seed: int) -> None:
    one = sheet(80, seed, silence=0.0, ties=False)
    wrong = 1 - one.right[np.argsort(-one.confidence)]
    k = np.arange(1, 81)
    assert value(one, "AURC(trapezoid)") == close(metrics.auc(k / 80, np.cumsum(wrong) / k))


@pytest.mark.parametrize("seed", SEEDS)
def test_PAN_measures_are_theirs_as_the_organisers_call_them(seed: int) -> None:
    one = sheet(80, seed)
    answered = one.outcome < 2
    assert value(one, "pan.AUC") == close(metrics.roc_auc_score(one.same, one.value))
    assert value(one, "pan.Brier") == close(1 - metrics.brier_score_loss(one.same, one.value))
    assert value(one, "pan.F1") == close(metrics.f1_score(one.same[answered], one.value[answered] > 0.5))
    # Every unanswered problem is a false negative: a true one that is not found.
    truth, found = np.where(answered, one.same, 1), np.where(answered, one.value > 0.5, False)
    assert value(one, "pan.F0.5u") == close(metrics.fbeta_score(truth, found, beta=0.5))


@pytest.mark.parametrize("seed", SEEDS)
def test_abstention_measures_are_theirs_with_declining_as_the_positive_class(seed: int) -> None:
    one = sheet(80, seed)
    data = evidence(one)
    answerable = np.random.default_rng(seed).integers(0, 2, 80)
    data = Evidence(data.runs, data.questions, {**data.columns, "answerable": answerable[None]}, data.absence)
    truth, declined = 1 - answerable, one.outcome == 2
    assert value(data, "abstention_precision") == close(metrics.precision_score(truth, declined))
    assert value(data, "abstention_recall") == close(metrics.recall_score(truth, declined))
    assert value(data, "abstention_F1") == close(metrics.f1_score(truth, declined))
    assert value(data, "false_refusal") == close(metrics.recall_score(answerable, declined))
    assert value(data, "hallucination_when_answered") == close(metrics.precision_score(truth, ~declined))


@pytest.mark.parametrize("seed", SEEDS)
def test_MRR_is_RR_of_ir_measures(seed: int) -> None:
    relevance: Array = np.random.default_rng(seed).random((30, 5)) < 0.25  # 30 questions, five ranked answers each
    cells = [(q, rank) for q in range(30) for rank in range(5)]
    qrels = [ir_measures.Qrel(str(q), f"{q}.{rank}", int(relevance[q, rank])) for q, rank in cells]
    ranked = [ir_measures.ScoredDoc(str(q), f"{q}.{rank}", -float(rank)) for q, rank in cells]
    theirs = ir_measures.calc_aggregate([ir_measures.RR], qrels, ranked)[ir_measures.RR]
    table = pa.table(
        {
            "run": ["run"] * len(cells),
            "question": [str(q) for q, _ in cells],
            "rank": [rank + 1 for _, rank in cells],
            "outcome": ["correct" if relevance[cell] else "incorrect" for cell in cells],
        }
    )
    (row,) = nescio.score(table, "MRR", ci=None)
    assert row.value == close(theirs)
