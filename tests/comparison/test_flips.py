"""How often a gate changes its verdict on the same systems."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import nescio
from nescio.errors import MismatchError, UnknownNameError, UsageError


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
    assert (row.answers, row.passed, row.flips, row.again) == (1, 0.0, 0.0, False)
    # With a draw of each verdict added, the shares are 21/23, 1/23 and 1/23: 2 √((Σp³ - (Σp²)²)/20).
    cubes, squares = (21**3 + 2) / 23**3, (21**2 + 2) / 23**2
    assert row.error == pytest.approx(2 * ((cubes - squares**2) / 20) ** 0.5)
    assert row.below([row]) == ["Even with 1 answer to each question, the gate cannot tell in any draw."]


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


def test_flips_are_of_gates_that_decide() -> None:
    """What `compare --fail-on-regression` refuses has no flips, and answers left out pass nothing in a draw either."""
    rows = trials({"old": np.full(60, 0.7), "new": np.full(60, 0.7)}, 3)
    gate: dict[str, Any] = {"baseline": "old", "run": "new", "margin": 0.2, "draws": 10}
    one_sided = [row | {"answerable": "no" if row["run"] == "new" else None} for row in rows]
    lacking = [row for row in rows if row["run"] == "old" or row["question"] < "q4"]
    clustered = [row | {"cluster": f"c{len(row['question'])}"} for row in rows]
    cases: tuple[tuple[Any, dict[str, Any], str], ...] = (
        (one_sided, {}, "only the rows of 'new' say"),
        (lacking, {"missing": "common"}, "'new' lacks"),
        (clustered, {}, "2 clusters of questions"),
    )
    for data, more, says in cases:
        for call in (nescio.lab.flips, partial(nescio.compare, fail_on_regression=True)):
            given = gate if call is nescio.lab.flips else {n: v for n, v in gate.items() if n != "draws"}
            with pytest.raises(UsageError, match=says):
                call(data, "accuracy", **given, **more)
    ungraded = [
        row | {"outcome": None} if (row["run"], row["outcome"]) == ("new", "incorrect") else row for row in rows
    ]
    drawn = nescio.lab.flips(ungraded, "accuracy", **gate, ungraded="exclude")
    assert [row.cannot_tell for row in drawn] == [1.0]


def test_flips_of_named_clusters_are_drawn() -> None:
    rows = trials({"a": np.full(240, 0.8)}, 2)
    rows = [row | {"cluster": f"c{int(row['question'][1:]) // 2}"} for row in rows]
    drawn = nescio.lab.flips(rows, "accuracy", draws=10, margin=0.3, cluster="cluster")
    assert drawn.rows[0].passed == 1


def test_flips_need_a_margin_where_the_gate_does() -> None:
    rows = trials({"a": np.full(60, 0.8)}, 2)
    with pytest.raises(UsageError, match="needs margin=VALUE"):
        nescio.lab.flips(rows, "omniscience_index", draws=2)
    assert nescio.lab.flips(rows, "omniscience_index", draws=2, margin=150).rows[0].passed == 1
    with pytest.raises(UsageError, match="no difference of accuracy is larger than 1"):
        nescio.lab.flips(rows, "accuracy", draws=2, margin=1)


def test_flips_are_of_one_measure() -> None:
    with pytest.raises(UsageError, match="one measure"):
        nescio.lab.flips(trials({"a": np.full(5, 0.5)}, 2), ["accuracy", "c@1"])
