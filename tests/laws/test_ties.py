"""Ordered measures against plain loops over every order of the tied questions, and their shortcuts against the long
way."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nescio.data.evidence import Evidence
from nescio.data.patterns import compress_ordered
from nescio.measures import parse
from tests import strategies as some
from tests.laws.catalogue import ORDERED, close, of_today, run_of_answers, usable, value_of

Answers = list[tuple[float, int]]


def orders(answers: Answers) -> Iterator[list[int]]:
    """The outcomes (1 right, 0 wrong) in falling confidence, once for every order of the tied answers."""
    ranked = sorted(answers, reverse=True)
    tied = [[right for _, right in group] for _, group in groupby(ranked, key=lambda answer: answer[0])]
    for choice in product(*(permutations(group) for group in tied)):
        yield [right for group in choice for right in group]


def expected(score: Callable[[list[int]], float], answers: Answers) -> float:
    """The mean of the score over every order of the tied."""
    values = [score(order) for order in orders(answers)]
    return math.fsum(values) / len(values)


def cws(right: Sequence[int]) -> float:
    return sum(sum(right[:i]) / i for i in range(1, len(right) + 1)) / len(right)


def average_precision(right: Sequence[int]) -> float:
    return sum(sum(right[: i + 1]) / (i + 1) for i, y in enumerate(right) if y) / sum(right) if any(right) else math.nan


def risks(right: Sequence[int]) -> list[float]:
    """The share of errors among the k surest, for k = 1 to n."""
    return [(k - sum(right[:k])) / k for k in range(1, len(right) + 1)]


def aurc(right: Sequence[int]) -> float:
    return sum(risks(right)) / len(right)


def aurc_geifman(right: Sequence[int]) -> float:
    n, errors = len(right), [k - sum(right[:k]) for k in range(1, len(right) + 1)]
    return (sum(errors[k - 1] / (k + 1) for k in range(1, n)) + errors[-1] / n) / n


def aurc_trapezoid(right: Sequence[int]) -> float:
    r = risks(right)
    return sum((a + b) / 2 for a, b in pairwise(r)) / len(right)


def auarc(right: Sequence[int]) -> float:
    return 1 - aurc(right)


def auarc_trapezoid(right: Sequence[int]) -> float:
    kept = [1 - risk for risk in risks(right)]
    return sum((a + b) / 2 for a, b in pairwise(kept)) / (len(right) - 1) if len(right) > 1 else math.nan


def naurc(right: Sequence[int]) -> float:
    return 1 - prr(right)


def naurc_published(right: Sequence[int]) -> float:
    """With curves that begin with risk 0 at coverage 0, and trapezoids between their points."""

    def area(order: Sequence[int]) -> float:
        return sum((a + b) / 2 for a, b in pairwise([0.0, *risks(order)])) / len(order)

    error, least = 1 - sum(right) / len(right), area(sorted(right, reverse=True))
    return (area(right) - least) / (error - least) if 0 < error < 1 else math.nan


def e_aurc(right: Sequence[int]) -> float:
    return aurc(right) - aurc(sorted(right, reverse=True))


def prr(right: Sequence[int]) -> float:
    error, least = 1 - sum(right) / len(right), aurc(sorted(right, reverse=True))
    return (error - aurc(right)) / (error - least) if error != least else math.nan


def risk_at(coverage: float) -> Callable[[Sequence[int]], float]:
    return lambda right: risks(right)[math.ceil(coverage * len(right) - 1e-9) - 1]


MEANS: dict[str, Callable[[list[int]], float]] = {
    "CWS": cws,
    "AP": average_precision,
    "AURC(definition)": aurc,
    "AURC(geifman)": aurc_geifman,
    "AURC(trapezoid)": aurc_trapezoid,
    "AUARC(definition)": auarc,
    "AUARC(trapezoid)": auarc_trapezoid,
    "NAURC": naurc,
    "NAURC(literal=1)": naurc_published,
    "E-AURC": e_aurc,
    "PRR": prr,
    "risk@coverage(0.3)": risk_at(0.3),
    "risk@coverage(0.5)": risk_at(0.5),
    "risk@coverage(1)": risk_at(1),
    "accuracy@coverage(0.5)": lambda right: 1 - risk_at(0.5)(right),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", MEANS)
@given(answers=some.answers())
def test_a_tie_is_worth_the_mean_over_its_orders(name: str, answers: Answers) -> None:
    assert value_of(run_of_answers(answers), name) == close(expected(MEANS[name], answers))


@pytest.mark.sampled
@given(answers=some.answers(8))
def test_AUARC_thresholds_keeps_what_is_no_less_sure_than_a_quantile(answers: Answers) -> None:
    """Farquhar et al. 2024 take numpy's quantile between two uncertainties, which is the lower one unless they meet."""
    sure, right = (np.array(values, dtype=float) for values in zip(*answers, strict=True))
    shares = np.linspace(0.1, 1, 20)
    lower = np.sort(-sure)[np.floor((len(sure) - 1) * shares + 1e-9).astype(int)]
    kept = [right[-sure <= cutoff].mean() for cutoff in lower]
    assert value_of(run_of_answers(answers), "AUARC(thresholds)") == close(sum(kept) * (shares[1] - shares[0]))


@pytest.mark.sampled
@given(answers=some.answers(8), risk=st.sampled_from([0.0, 0.2, 0.25, 0.5, 1.0]))
def test_thresholds_part_the_answers_by_their_distinct_confidences(answers: Answers, risk: float) -> None:
    """AURC by fd-shifts joins the points of distinct confidences; the coverage at a risk is that of the largest safe
    threshold."""
    n, points, safe = len(answers), [], [0.0]
    for threshold in sorted({sure for sure, _ in answers}, reverse=True):
        kept = [right for sure, right in answers if sure >= threshold]
        points.append((len(kept) / n, 1 - sum(kept) / len(kept)))
        if len(kept) - sum(kept) <= risk * len(kept) + 1e-9:
            safe.append(len(kept) / n)
    points.insert(0, (0.0, points[0][1]))
    area = sum((b - a) * (r + s) / 2 for (a, r), (b, s) in pairwise(points))
    data = run_of_answers(answers)
    assert value_of(data, "AURC(fd-shifts)") == close(area)
    assert value_of(data, f"coverage@risk({risk})") == close(max(safe))


@pytest.mark.sampled
@given(answers=some.answers(8))
def test_AUROC_counts_the_pairs_in_order_and_AUGRC_follows_from_it(answers: Answers) -> None:
    """Traub et al. 2024: AUGRC = (1 - AUROC) a (1 - a) + (1 - a)²/2."""
    assume(len({right for _, right in answers}) == 2)
    pairs = [(s > t) + (s == t) / 2 for s, right in answers if right for t, wrong in answers if not wrong]
    area, a = sum(pairs) / len(pairs), sum(right for _, right in answers) / len(answers)
    data = run_of_answers(answers)
    assert value_of(data, "AUROC") == close(area)
    assert value_of(data, "AUGRC") == close((1 - area) * a * (1 - a) + (1 - a) ** 2 / 2)


@pytest.mark.sampled
@given(answers=some.answers(), silent=st.integers(0, 3))
def test_CWS_and_AP_rank_silence_last_without_credit(answers: Answers, silent: int) -> None:
    data = run_of_answers([*answers, *[(-1.0, 0)] * silent])
    quiet = np.arange(len(data.questions)) >= len(answers)
    columns = {name: np.where(quiet, 0, column) for name, column in data.columns.items()}
    columns |= {"unanswered": quiet[None] * 1, "confidence": np.where(quiet, np.nan, data.columns["confidence"])}
    with_silence = Evidence(data.runs, data.questions, columns, data.absence)
    assert value_of(with_silence, "CWS") == close(value_of(data, "CWS"))
    assert value_of(with_silence, "AP") == close(value_of(data, "AP"))


@pytest.mark.sampled
@given(data=some.evidence(max_runs=1), seed=some.seeds)
def test_merged_neighbours_are_as_good_as_the_questions_themselves(data: Evidence, seed: int) -> None:
    for name in of_today("merged", 12, tuple(name for name in ORDERED if parse(name).merge)):
        measure = parse(name)
        use = usable(data, measure)
        if not use.any():
            continue
        columns = {column: data.column(column)[0][use] for column in measure.needs}
        key = data.column(str(measure.order))[0][use]
        full, merged = (compress_ordered(columns, key, merge=merge) for merge in (False, True))
        ends = np.cumsum(full.counts)
        assert merged.counts.sum() == full.counts.sum()
        assert set(np.cumsum(merged.counts)) <= set(ends)
        into = np.searchsorted(np.cumsum(merged.counts), ends)
        weights = np.random.default_rng(seed).integers(0, 4, size=(6, len(ends)))
        gathered = np.stack([np.bincount(into, row, minlength=len(merged.counts)) for row in weights]).astype(np.int64)
        assert list(measure.value(merged, gathered)) == close(list(measure.value(full, weights))), name


def test_merging_merges() -> None:
    """Five right answers in a row, then a wrong one: two kinds of question are left of six."""
    columns = {"right": np.array([1, 1, 0, 1, 1, 1])}
    key = np.array([0.9, 0.8, 0.1, 0.7, 0.6, 0.5])
    assert len(compress_ordered(columns, key, merge=False).counts) == 6
    assert list(compress_ordered(columns, key, merge=True).counts) == [5, 1]
