"""How often a gate changes its verdict on the same systems."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nescio
from nescio.errors import MismatchError, UnknownNameError


def trials(chances: dict[str, np.ndarray[Any, Any]], repeats: int, seed: int = 0) -> list[dict[str, Any]]:
    """A row for each answer: right with the chance of its run and question."""
    drawn = np.random.default_rng(seed)
    return [
        {"run": run, "question": f"q{i}", "repeat": k, "outcome": "correct" if drawn.random() < p else "incorrect"}
        for run, own in chances.items()
        for i, p in enumerate(own)
        for k in range(repeats)
    ]


def test_a_system_that_always_answers_alike_never_flips() -> None:
    """40 questions on which runs end alike do not show a drop of 0.01: (1 - 0.01)^40 is 0.67. So no draw passes."""
    rows = trials({"a": np.arange(40) % 2}, 4)
    (row,) = nescio.lab.flips(rows, "accuracy", draws=20)
    assert (row.answers, row.passed, row.flips, row.error, row.again) == (1, 0.0, 0.0, 0.0, False)


def test_flips_are_the_pairs_of_draws_that_differ() -> None:
    """Of n draws with a, b and c verdicts, 1 - (a(a-1) + b(b-1) + c(c-1))/n(n-1) of the pairs differ."""
    rows = trials({"a": np.full(60, 0.8), "b": np.full(60, 0.9)}, 6, seed=3)
    for row in nescio.lab.flips(rows, "accuracy", baseline="a", run="b", draws=30):
        counts = [round(30 * share) for share in (row.passed, row.failed, row.cannot_tell)]
        assert sum(counts) == 30
        assert row.flips == pytest.approx(1 - sum(count * (count - 1) for count in counts) / (30 * 29))


def test_more_answers_make_a_gate_stable() -> None:
    """A run that is better by 0.3 on 100 questions: with one answer it nearly always passes, with more always."""
    rows = trials({"a": np.full(100, 0.5), "b": np.full(100, 0.8)}, 8, seed=1)
    found = nescio.lab.flips(rows, "accuracy", baseline="a", run="b", draws=40).rows
    assert found[-1].flips <= 0.05
    assert found[-1].passed >= 0.95


def test_answers_are_drawn_again_only_where_there_are_too_few() -> None:
    rows = trials({"a": np.full(30, 0.5)}, 4, seed=2)
    again = {row.answers: row.again for row in nescio.lab.flips(rows, "accuracy", draws=10)}
    assert again.items() <= {1: False, 2: False, **dict.fromkeys((3, 4, 6, 8, 12, 16, 24, 32), True)}.items()


@pytest.mark.slow
def test_a_system_beside_itself_fails_as_rarely_as_the_gate_says() -> None:
    """The gate fails a run that is no worse with a chance of at most 2.5% (one side of 95%); 300 fresh systems."""
    drawn, failed = np.random.default_rng(5), 0.0
    for seed in range(300):
        rows = trials({"a": drawn.random(80)}, 2, seed=seed)
        failed += nescio.lab.flips(rows, "accuracy", margin=0, draws=2, seed=seed).rows[0].failed
    assert failed / 300 <= 0.025 + 3 * (0.025 * 0.975 / 300) ** 0.5


def test_what_cannot_be_drawn_is_refused() -> None:
    once = [{"run": "a", "question": f"q{i}", "outcome": "correct"} for i in range(5)]
    with pytest.raises(MismatchError, match="each question was asked once"):
        nescio.lab.flips(once, "accuracy")
    two = trials({"a": np.full(5, 0.5), "b": np.full(5, 0.5)}, 2)
    with pytest.raises(MismatchError, match="there are 2 runs"):
        nescio.lab.flips(two, "accuracy")
    with pytest.raises(UnknownNameError, match="zork"):
        nescio.lab.flips(two, "accuracy", run="zork")
