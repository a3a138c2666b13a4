"""A measure of counts as a function of them, held to what papers print."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np
import pytest

import nescio
from nescio.data.evidence import outcome_tally
from nescio.measures import REGISTRY
from nescio.meta_evaluation.audit import with_defaults
from tests.rings import together

from .figures import cases, exact

# Peñas & Rodrigo 2011, Table 3: correct, incorrect, unanswered; c@1 and accuracy as printed.
TABLE3 = [
    (237, 156, 107, "0.58", "0.47"),
    (236, 264, 0, "0.47", "0.47"),
    (187, 230, 83, "0.44", "0.37"),
    (189, 311, 0, "0.38", "0.38"),
]
COLUMNS = {"correct", "incorrect", "unanswered", "answered", "n"}
OF_COUNTS = [name for name, declaration in REGISTRY.items() if COLUMNS.issuperset(with_defaults(declaration).reads)]


def rounded(value: float) -> str:
    return str(Decimal(repr(value)).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP))


@pytest.mark.parametrize(("correct", "incorrect", "unanswered", "c_at_1", "accuracy"), TABLE3)
def test_the_paper_s_table(correct: int, incorrect: int, unanswered: int, c_at_1: str, accuracy: str) -> None:
    for name, printed in (("c@1", c_at_1), ("accuracy", accuracy)):
        measure = nescio.measure(name)
        assert rounded(measure(correct=correct, incorrect=incorrect, unanswered=unanswered)) == printed
        assert rounded(measure(correct, incorrect, unanswered)) == printed


@pytest.mark.parametrize("case", [case for case in cases() if "counts" in case], ids=lambda case: str(case["counts"]))
def test_every_golden_figure_of_counts(case: dict[str, Any]) -> None:
    """The same figures that `nescio.score` is held to."""
    for name, expression in case.get("exact", {}).items():
        assert nescio.measure(name)(*case["counts"]) == pytest.approx(float(exact(expression)), abs=1e-12)
    for name in case.get("undefined", []):
        assert math.isnan(nescio.measure(name)(*case["counts"]))


@together("name", OF_COUNTS)
def test_a_call_gives_what_score_gives(name: str) -> None:
    measure = with_defaults(REGISTRY[name])
    for counts in ((237, 156, 107), (0, 0, 5), (3, 0, 0), (0, 4, 1)):
        scored = nescio.score(outcome_tally(["a"], np.array([counts])), measure.label, ci=None).rows[0].value
        assert measure(*counts) == pytest.approx(scored, abs=1e-12, nan_ok=True)


def test_most_measures_of_counts_are_there() -> None:
    assert {"c@1", "accuracy", "UF", "UF01", "penalty", "coverage", "precision", "simpleqa.F"} <= set(OF_COUNTS)


def test_no_questions_are_undefined() -> None:
    assert math.isnan(nescio.measure("c@1")(0, 0, 0))


def test_a_measure_that_needs_more_says_what() -> None:
    with pytest.raises(
        nescio.MissingColumnError, match="AURC needs an answer or a judged candidate, and counts have only"
    ):
        nescio.measure("AURC")(1, 2, 3)


@pytest.mark.parametrize("counts", [(1.5, 1, 0), (-1, 1, 0), (True, 1, 0), ("1", 1, 0), (math.nan, 1, 0)])
def test_what_is_no_count_is_refused(counts: tuple[Any, Any, Any]) -> None:
    with pytest.raises(nescio.UsageError, match=r"correct must be a whole number from 0 \(found"):
        nescio.measure("c@1")(*counts)


def test_numbers_of_numpy_are_counts() -> None:
    assert nescio.measure("accuracy")(np.int64(1), np.int64(1)) == 0.5


def test_a_misspelt_count_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="corect"):
        nescio.measure("c@1")(corect=1, incorrect=2)  # type: ignore[call-arg]
