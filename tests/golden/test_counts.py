"""A measure of counts as a function of them, held to what papers print."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import nescio
from nescio.data.evidence import outcome_tally
from nescio.measures import REGISTRY
from nescio.meta_evaluation.audit import with_defaults
from tests.golden.figures import cases, exact
from tests.rings import together

COLUMNS = {"correct", "incorrect", "unanswered", "answered", "n"}
OF_COUNTS = [name for name, declaration in REGISTRY.items() if COLUMNS.issuperset(with_defaults(declaration).reads)]


@together("case", [case for case in cases() if "counts" in case])
def test_every_golden_figure_of_counts(case: dict[str, Any]) -> None:
    """The same figures that `nescio.score` is held to; Peñas & Rodrigo 2011, Table 3, among them."""
    names = ("correct", "incorrect", "unanswered")
    for name, expression in case.get("exact", {}).items():
        measure = nescio.measure(name)
        assert measure(*case["counts"]) == pytest.approx(float(exact(expression)), abs=1e-12)
        assert measure(**dict(zip(names, case["counts"], strict=True))) == measure(*case["counts"])
    for name in case.get("undefined", []):
        assert math.isnan(nescio.measure(name)(*case["counts"]))


def test_a_call_gives_what_score_gives() -> None:
    measures = [with_defaults(REGISTRY[name]) for name in OF_COUNTS]
    assert {"c@1", "accuracy", "UF", "UF01", "penalty", "coverage", "precision", "simpleqa.F"} <= set(OF_COUNTS)
    for counts in ((237, 156, 107), (0, 0, 5), (3, 0, 0), (0, 4, 1)):
        rows = nescio.score(outcome_tally(["a"], np.array([counts])), [m.label for m in measures], ci=None).rows
        called = [measure(*counts) for measure in measures]
        assert called == pytest.approx([row.value for row in rows], abs=1e-12, nan_ok=True)


def test_counts_are_whole_numbers_from_0_of_at_least_one_question() -> None:
    assert nescio.measure("accuracy")(np.int64(1), np.int64(1)) == 0.5
    assert math.isnan(nescio.measure("c@1")(0, 0, 0))
    with pytest.raises(TypeError, match="corect"):
        nescio.measure("c@1")(corect=1, incorrect=2)  # type: ignore[call-arg]
    wrong: tuple[Any, ...] = (1.5, -1, True, "1", math.nan)
    for count in wrong:
        with pytest.raises(nescio.UsageError, match=r"correct must be a whole number from 0 \(found"):
            nescio.measure("c@1")(count, 1, 0)


def test_a_measure_that_needs_more_says_what() -> None:
    says = "AURC needs an answer or a judged candidate, but counts have only"
    with pytest.raises(nescio.MissingColumnError, match=says):
        nescio.measure("AURC")(1, 2, 3)
