"""scikit-learn's and ir_measures' figures against ours, where both define the same."""

from __future__ import annotations

from collections.abc import Callable

import ir_measures
import numpy as np
import pyarrow as pa
import pytest
from msgspec.structs import replace
from sklearn import metrics

import nescio
from nescio.data.columns import Array
from nescio.data.evidence import Evidence
from tests.peers.sheets import Sheet, evidence, sheet

EPS = 2.0**-40  # 1 - EPS is then no rounded number


def value(data: Evidence | pa.Table, measure: str) -> float:
    return nescio.score(data, measure, ci=None).rows[0].value


def close(expected: float) -> object:
    return pytest.approx(expected, rel=0, abs=1e-12)


def least_false_rate(right: Array, sure: Array) -> float:
    false_rate, true_rate, _ = metrics.roc_curve(right, sure, drop_intermediate=False)
    return float(false_rate[true_rate >= 0.95].min())


def area_by_trapezoids(right: Array, sure: Array) -> float:
    k = np.arange(1, len(right) + 1)
    return float(metrics.auc(k / len(right), np.cumsum(1 - right[np.argsort(-sure)]) / k))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("measure", "theirs", "silence"),
    [
        ("AUROC", metrics.roc_auc_score, 0.25),
        ("Brier", metrics.brier_score_loss, 0.25),
        (f"NLL(eps={EPS!r})", lambda right, sure: metrics.log_loss(right, np.clip(sure, EPS, 1 - EPS)), 0.25),
        ("error_AUPR", lambda right, sure: metrics.average_precision_score(1 - right, -sure), 0.25),
        ("FPR@95TPR", least_false_rate, 0.25),
        ("AP", metrics.average_precision_score, 0.0),
        ("AURC(trapezoid)", area_by_trapezoids, 0.0),
    ],
)
def test_measures_of_confidence_are_theirs_on_the_answers(
    measure: str, theirs: Callable[[Array, Array], float], silence: float, seed: int
) -> None:
    """The last two without ties and silence."""
    one = sheet(80, seed, silence=silence, ties=silence > 0)
    answered = one.outcome < 2
    assert value(evidence(one), measure) == close(theirs(one.right[answered], one.confidence[answered]))


@pytest.mark.parametrize("seed", range(4))
def test_PAN_measures_are_theirs_as_the_organisers_call_them(seed: int) -> None:
    one = sheet(80, seed)
    answered = one.outcome < 2
    # Every unanswered problem is a false negative: a true one that is not found.
    truth, found = np.where(answered, one.same, 1), np.where(answered, one.value > 0.5, False)
    for measure, theirs in (
        ("pan.AUC", metrics.roc_auc_score(one.same, one.value)),
        ("pan.Brier", 1 - metrics.brier_score_loss(one.same, one.value)),
        ("pan.F1", metrics.f1_score(one.same[answered], one.value[answered] > 0.5)),
        ("pan.F0.5u", metrics.fbeta_score(truth, found, beta=0.5)),
        ("precision", metrics.precision_score(one.right, answered)),  # where answering is the positive class
    ):
        assert value(evidence(one), measure) == close(theirs), measure


@pytest.mark.parametrize("seed", range(4))
def test_abstention_measures_are_theirs_with_declining_as_the_positive_class(seed: int) -> None:
    one: Sheet = sheet(80, seed)
    data = evidence(one)
    answerable = np.random.default_rng(seed).integers(0, 2, 80)
    data = replace(data, columns={**data.columns, "answerable": answerable[None]})
    truth, declined = 1 - answerable, one.outcome == 2
    for measure, theirs in (
        ("abstention_precision", metrics.precision_score(truth, declined)),
        ("abstention_recall", metrics.recall_score(truth, declined)),
        ("abstention_F1", metrics.f1_score(truth, declined)),
        ("false_refusal", metrics.recall_score(answerable, declined)),
        ("hallucination_when_answered", metrics.precision_score(truth, ~declined)),
    ):
        assert value(data, measure) == close(theirs), measure


@pytest.mark.parametrize("seed", range(2))
def test_MRR_is_RR_of_ir_measures(seed: int) -> None:
    relevance: Array = np.random.default_rng(seed).random((30, 5)) < 0.25  # 30 questions, five ranked answers each
    cells = [(q, rank) for q in range(30) for rank in range(5)]
    qrels = [ir_measures.Qrel(str(q), f"{q}.{rank}", int(relevance[q, rank])) for q, rank in cells]
    ranked = [ir_measures.ScoredDoc(str(q), f"{q}.{rank}", -float(rank)) for q, rank in cells]
    columns = {"run": ["run"] * 150, "question": [str(q) for q, _ in cells], "rank": [rank + 1 for _, rank in cells]}
    outcome = ["correct" if relevance[cell] else "incorrect" for cell in cells]
    theirs = ir_measures.calc_aggregate([ir_measures.RR], qrels, ranked)[ir_measures.RR]
    assert value(pa.table({**columns, "outcome": outcome}), "MRR") == close(theirs)
