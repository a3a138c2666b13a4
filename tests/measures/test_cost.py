"""Cost and latency: statistics3, section 3, worked by an independent script; and which way is better."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import ndtri

import nescio
from nescio.comparison.paired_data import pair_up
from nescio.comparison.prices import price_ratio
from nescio.errors import MismatchError
from nescio.measures import parse
from nescio.measures.graded import is_cost
from nescio.stats.intervals import ranks_around
from tests.rings import together

OUTCOMES = {"C": "correct", "W": "incorrect", "U": "unanswered"}
A = ["C12", "C9", "W15", "U4", "C11", "W14", "C8", "U5", "C10", "W16"]
B = ["C30", "C22", "C41", "C28", "W35", "U20", "C25", "C31", "C27", "C44"]


def asked(**runs: list[str]) -> Any:
    rows = [(run, f"q{i}", OUTCOMES[one[0]], float(one[1:])) for run, of in runs.items() for i, one in enumerate(of)]
    return pa.table(dict(zip(("run", "question", "outcome", "cost"), zip(*rows, strict=True), strict=True)))


PRICED = {
    "a": ("11101101", "0.9 1.1 0.8 1.5 1.0 0.7 1.4 1.2"),
    "b": ("11001100", "0.30 0.35 0.40 0.50 0.25 0.30 0.55 0.45"),
    "c": ("10001101", "0.5 0.6 0.4 0.7 0.5 0.45 0.65 0.55"),
}


def priced() -> Any:
    return asked(
        **{
            run: [f"{'C' if c == '1' else 'W'}{cost}" for c, cost in zip(right, costs.split(), strict=True)]
            for run, (right, costs) in PRICED.items()
        }
    )


T9, T7 = 2.262157162740992, 2.3646242516  # Student's quantiles at .975 with 9 and 7 degrees of freedom
# Statistics3, section 3, and statistics3-a, section 4: the delta method on the logarithmic scale. The price, its
# interval, and its standard error, from which the interval is made.
PRICES = [
    (asked(a=A), "a", 20.8, 9.0676660444, 47.7123879377, 7.6338427778, T9),
    (asked(b=B), "b", 37.875, 25.7270433906, 55.7590549065, 6.4752801848, T9),
    (priced(), "a", 1.4333333333, 0.7067445721, 2.9069122361, 0.4286067005, T7),
    (priced(), "b", 0.775, 0.2577545708, 2.3302205585, 0.3608026766, T7),
    (priced(), "c", 1.0875, 0.4099716458, 2.8847269371, 0.4486587153, T7),
]


@together("table, run, price, low, high, error, quantile", PRICES)
def test_the_price_of_a_right_answer(
    table: Any, run: str, price: float, low: float, high: float, error: float, quantile: float
) -> None:
    row = nescio.score(table, "price_per_right")[run, "price_per_right"]
    assert (row.value, row.low, row.high) == pytest.approx((price, low, high), abs=1e-9)
    assert math.log(row.value / low) * row.value / quantile == pytest.approx(error, abs=1e-8)


@together(
    "worth, difference, error, p",
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


@together(
    "run, baseline, ratio, error, low, high, p",
    [
        ("b", "a", 0.5406976744, 0.3511763055, 0.2356765435, 1.2404882163, 0.1234203834),
        ("c", "b", 1.4032258065, 0.4161904772, 0.5244735077, 3.7543224489, 0.4424573841),
    ],
)
def test_the_ratio_of_two_prices(
    run: str, baseline: str, ratio: float, error: float, low: float, high: float, p: float
) -> None:
    """Statistics3-a, section 4: the paired ratio."""
    (row,) = nescio.compare(priced(), "price_per_right", baseline=baseline, run=run).tables["prices"]
    assert (row.ratio, row.low, row.high, row.p) == pytest.approx((ratio, low, high, p), abs=1e-9)
    assert math.log(row.high / row.low) / 2 / T7 == pytest.approx(error, abs=1e-9)


def test_no_right_answer_no_ratio() -> None:
    found = nescio.compare(asked(old=["C1", "C2"], new=["W1", "W2"]), "price_per_right", baseline="old")
    assert math.isnan(found.tables["prices"][0].ratio)


@pytest.mark.proof
@pytest.mark.parametrize(("n", "right"), [(30, 0.2), (30, 0.6), (100, 0.1), (200, 0.5)])
def test_the_ratio_of_two_prices_holds_as_often_as_it_says(n: int, right: float) -> None:
    """2,000 samples of two systems; hard questions are dear, and what is dear for one is dear for the other."""
    rng = np.random.default_rng([n, round(10 * right)])
    measure = parse("price_per_right")

    def sample(size: int) -> list[tuple[Any, Any]]:
        hard = rng.normal(size=size)
        runs = []
        for run in range(2):
            correct = (0.6 * hard + 0.8 * rng.normal(size=size) < ndtri(right)).astype(float)
            runs.append((correct, np.exp(0.5 * hard + 0.5 * rng.normal(size=size) + 0.4 * run)))
        return runs

    (c0, k0), (c1, k1) = sample(1_000_000)
    truth = (k1.sum() / c1.sum()) / (k0.sum() / c0.sum())
    held = defined = 0
    for _ in range(2_000):
        old, new = sample(n)
        pair = pair_up(measure, {name: (new[i], old[i]) for i, name in enumerate(("correct", "columns.cost"))})
        found = price_ratio(measure, pair, 0.95)
        defined += not math.isnan(found.value)
        held += found.low <= truth <= found.high
    assert held / defined >= 0.93


def test_a_cost_that_triples_is_worse_and_fails_a_gate() -> None:
    table = asked(**{name: [f"C{times * cost}" for cost in range(1, 31)] for name, times in (("old", 1), ("new", 3))})
    for baseline, status in (("old", 1), ("new", 0)):
        found = nescio.compare(table, "mean(cost)", baseline=baseline, fail_on_regression=True, margin=2)
        assert [gate.status for gate in found.gates] == [status]
    for measure, verdict in (("mean(cost)", "worse"), ("mean(cost, better=higher)", "better")):
        assert nescio.compare(table, measure, baseline="old").rows[0].verdict == verdict
    gates = nescio.score(table, "price", fail_over={"price": 20}).gates
    assert {gate.run: gate.status for gate in gates} == {"old": 0, "new": 1}


LESS = ["cost", "cost_usd", "total_tokens", "latency_ms", "responseTimeSeconds", "user.seconds", "Price (EUR)"]
MORE = ["token_f1", "f1", "timeline_recall", "cost_saved", "accuracy", "helpfulness", "ap"]


@together("name, less", [*((name, True) for name in LESS), *((name, False) for name in MORE)])
def test_a_column_s_name_says_whether_less_is_better(name: str, less: bool) -> None:
    assert is_cost(name) is less


def test_the_direction_is_said_and_can_be_stated() -> None:
    assert parse("mean(cost)").declaration.lower_is_better
    assert not parse("mean(cost, better=higher)").declaration.lower_is_better
    assert parse("mean(rubric, better=lower)").declaration.lower_is_better
    assert "measure.lower" in {one.code for one in nescio.score(asked(a=A), "mean(cost)", ci=None).notes}
    with pytest.raises(nescio.UsageError, match="higher, lower or auto"):
        parse("mean(cost, better=up)")


LATENCY = "0.8 0.9 0.9 1.0 1.1 1.1 1.2 1.3 1.3 1.4 1.5 1.5 1.6 1.8 1.9 2.0 2.2 2.4 2.9 3.3 3.8 4.1 5.0 6.2 7.5 9.9 12 15 21 30"


def timed(times: list[float], run: str = "a") -> Any:
    size = len(times)
    columns = {"run": [run] * size, "question": [f"q{i}" for i in range(size)], "outcome": ["correct"] * size}
    return pa.table({**columns, "seconds": times})


def test_quantiles_of_latency_lie_between_order_statistics() -> None:
    """Section 3, latency: the ranks 10 and 21 of 30 for the median, and no upper end beyond."""
    times = list(map(float, LATENCY.split()))
    shuffled = list(np.random.default_rng(1).permutation(times))
    found = nescio.score(timed(shuffled), ["latency(0.5)", "latency(0.9)", "latency(0.95)"])
    assert [(row.value, row.low) for row in found] == [(1.9, 1.4), (12, 5.0), (21, 9.9)]
    assert found.rows[0].high == 3.8
    assert [row.high for row in found][1:] == [math.inf, math.inf]
    assert ranks_around(30, 0.5, 0.95) == (10, 21)


def test_an_upper_end_needs_so_many_questions() -> None:
    for p, least in ((0.5, 6), (0.9, 36), (0.95, 72), (0.99, 368)):
        assert ranks_around(least, p, 0.95)[1] == least
        assert ranks_around(least - 1, p, 0.95)[1] is None


def test_a_quantile_is_numpys_by_the_inverted_distribution() -> None:
    rng = np.random.default_rng(4)
    for size in (1, 2, 7, 10, 40):
        times = rng.integers(1, 9, size).astype(float).tolist()
        shares = (0.1, 0.5, 0.9)
        peers = [np.quantile(times, p, method="inverted_cdf") for p in shares]
        scores = nescio.score(timed(times), [f"latency({p})" for p in shares], ci=None)
        assert [row.value for row in scores] == peers


def test_a_quantile_without_an_upper_end_passes_no_gate() -> None:
    """30 answers do not show that the 95th percentile lies below 1,000 seconds."""
    times = list(map(float, LATENCY.split()))
    (gate,) = nescio.score(timed(times), "latency(0.95)", fail_over={"latency(0.95)": 1000}).gates
    assert gate.status == 3


def test_another_column_and_a_share_out_of_range() -> None:
    table = timed([1.0, 3.0, 2.0]).rename_columns(["run", "question", "outcome", "latency_ms"])
    assert nescio.score(table, "latency(0.5, column=latency_ms)", ci=None).rows[0].value == 2
    with pytest.raises(nescio.NescioError, match="p must lie between 0 and 1"):
        nescio.score(table, "latency(1, column=latency_ms)")


def test_a_cost_below_nothing_is_an_error(tmp_path: Path) -> None:
    rows = "a,1,correct,1\na,2,incorrect,-3\n"
    table = tmp_path / "costs.csv"
    table.write_text(f"run,question,outcome,cost\n{rows}")
    for measure in ("price_per_right", "net_benefit(right=2)"):
        with pytest.raises(MismatchError, match=r"'cost' holds a cost below 0 \(-3\)"):
            nescio.score(table, measure)
