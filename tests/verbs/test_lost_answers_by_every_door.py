"""Whichever way answers come to a gate, no run passes that lost right answers, however its outputs broke."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nescio.errors import NescioError
from tests.rings import many
from tests.verbs import test_every_door as doors

Rows = list[dict[str, Any]]
DOORS: list[Callable[[Path, Sequence[doors.Row], Sequence[doors.Row]], int]] = [
    doors.by_names,
    doors.in_one_table,
    doors.in_json_lines,
    doors.converted,
    doors.as_frame,
    doors.by_baseline,
    doors.by_policy,
    doors.by_suite,
    doors.by_report,
]
NEW = {"question_text": "What is new?"}
# What becomes of a right answer: the cells that change, or None if the row is lost.
LOSSES: dict[str, dict[str, Any] | None] = {
    "wrong": {"is_correct": False},
    "wrong and empty": {"is_correct": False, "answer": ""},
    "without a verdict": {"is_correct": None},
    "empty and without a verdict": {"is_correct": None, "answer": ""},
    "a failed call": {"is_correct": None, "answer": "", "error": "timeout"},
    "a failed call that is wrong": {"is_correct": False, "answer": "", "error": "timeout"},
    "lost": None,
    "another question": NEW,
    "another judge": {"judge": "a lenient model"},
    "another key": {"gold": "anything"},
}


def run_with(losses: Sequence[str], share: float, seed: int) -> Rows:
    """Return the rows of a run that was right on 75% of the questions, and lost this `share` of its right answers."""
    rows: Rows = [
        {**row, "answer": f"thing {i}", "error": "", "is_correct": i % 20 < 15}
        for i, row in enumerate(doors.run_of(0.75))
    ]
    right = [i for i, row in enumerate(rows) if row["is_correct"]]
    lost = random.Random(seed).sample(right, round(share * len(right)))
    for at, i in enumerate(lost):
        change = LOSSES[losses[at % len(losses)]]
        rows[i] = {} if change is None else rows[i] | change
        if change == NEW:
            rows[i]["id"] = f"new-{i}"
    return [row for row in rows if row]


@pytest.mark.sampled
@settings(max_examples=many(6, 300))
@given(
    losses=st.lists(st.sampled_from([*LOSSES]), min_size=1, max_size=2, unique=True),
    share=st.sampled_from([0.35, 0.5, 0.7]),
    door=st.sampled_from(DOORS),
    seed=st.integers(0, 999),
)
def test_no_door_passes_a_run_that_lost_right_answers(
    tmp_path_factory: pytest.TempPathFactory, losses: Sequence[str], share: float, door: Any, seed: int
) -> None:
    """The baseline is right on 75% of the questions. What another judge or key grades as right is no right answer."""
    before = run_with((), 0, seed)
    try:
        status = door(tmp_path_factory.mktemp("door"), before, run_with(losses, share, seed))
    except NescioError:
        return
    assert status != 0, (door.__name__, losses)


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_every_door_passes_the_run_before_it_lost_answers(tmp_path: Path, door: Any) -> None:
    """It is better than a baseline that is right on 40% of the questions."""
    worse = [{**row, "answer": "thing", "error": ""} for row in doors.run_of(0.4)]
    assert door(tmp_path, worse, run_with((), 0, 0)) == 0
