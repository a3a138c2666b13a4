"""Cost and latency: statistics3, section 3, worked by an independent script; and which way is better."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import nescio
from nescio.measures import parse
from nescio.measures.graded import is_cost

OUTCOMES = {"C": "correct", "W": "incorrect", "U": "unanswered"}
A = ["C12", "C9", "W15", "U4", "C11", "W14", "C8", "U5", "C10", "W16"]
B = ["C30", "C22", "C41", "C28", "W35", "U20", "C25", "C31", "C27", "C44"]


def asked(**runs: list[str]) -> Any:
    rows = [(run, f"q{i}", OUTCOMES[one[0]], float(one[1:])) for run, of in runs.items() for i, one in enumerate(of)]
    return pa.table(dict(zip(("run", "question", "outcome", "cost"), zip(*rows, strict=True), strict=True)))


def test_the_price_of_a_right_answer() -> None:
    found = {row.run: row for row in nescio.score(asked(a=A, b=B), "price_per_right")}
    a, b = found["a"], found["b"]
    assert (a.value, a.low, a.high) == pytest.approx((20.8, 9.0676660444, 47.7123879377), abs=1e-9)
    assert (b.value, b.low, b.high) == pytest.approx((37.875, 25.7270433906, 55.7590549065), abs=1e-9)


@pytest.mark.parametrize(
    ("worth", "difference", "error", "p"),
    [
        (20, -13.9, 3.7459607876, 1 / 512),
        (50, -4.9, 9.8064038034, 349 / 512),
        (100, 10.1, 20.3783381724, 83 / 128),
        (200, 40.1, 41.6753191016, 3 / 8),
    ],
)
def test_the_difference_of_net_benefits(worth: int, difference: float, error: float, p: float) -> None:
    (row,) = nescio.compare(asked(a=A, b=B), f"net_benefit({worth})", baseline="a")
    assert (row.difference, row.spread, row.p) == pytest.approx((difference, error, p), abs=1e-9)


def test_a_cost_that_triples_is_worse() -> None:
    old = [f"C{cost}" for cost in range(1, 31)]
    new = [f"C{3 * cost}" for cost in range(1, 31)]
    (row,) = nescio.compare(asked(old=old, new=new), "mean(cost)", baseline="old")
    assert row.verdict == "worse"
    (row,) = nescio.compare(asked(old=old, new=new), "mean(cost, better=higher)", baseline="old")
    assert row.verdict == "better"


@pytest.mark.parametrize(
    "name", ["cost", "cost_usd", "total_tokens", "latency_ms", "responseTimeSeconds", "user.seconds", "Price (EUR)"]
)
def test_columns_of_which_less_is_better(name: str) -> None:
    assert is_cost(name)


@pytest.mark.parametrize("name", ["token_f1", "f1", "timeline_recall", "cost_saved", "accuracy", "helpfulness", "ap"])
def test_columns_of_which_more_is_better(name: str) -> None:
    assert not is_cost(name)


def test_the_direction_is_said_and_can_be_stated() -> None:
    assert parse("mean(cost)").declaration.lower_is_better
    assert not parse("mean(cost, better=higher)").declaration.lower_is_better
    assert parse("mean(rubric, better=lower)").declaration.lower_is_better
    assert "measure.lower" in {one.code for one in nescio.score(asked(a=A), "mean(cost)", ci=None).notes}
    with pytest.raises(nescio.UsageError, match="higher, lower or auto"):
        parse("mean(cost, better=up)")
