"""τ-bench: trials are repeats, a reward of 1 is right, an error is not graded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .encodings import assert_refused, evidence
from .excerpts import place_of
from .fuzz import assert_met, evidence_and_notes, write_files
from .structures import rewritten

LOGS = Path(__file__).parents[2].parent / "shared" / "data" / "logs2026" / "tau_bench"
LAMP = place_of("tau_bench") / "lamp-2b-harbour.json"


def run(task: Any, reward: Any, trial: Any = 0, **info: Any) -> dict[str, Any]:
    return {"task_id": task, "reward": reward, "trial": trial, "info": info, "traj": []}


def write(folder: Path, *runs: Any) -> Path:
    return write_files(folder, {"lamp.json": json.dumps(list(runs))})[0]


def test_trials_are_repeats_of_a_task() -> None:
    data, notes = evidence_and_notes(LAMP, ungraded="exclude")
    assert data.repeats is not None
    assert len({*data.questions}) == 3
    assert any("1 of 6 trajectories ended in an error" in note for note in notes)


def test_one_trajectory_may_stand_alone(tmp_path: Path) -> None:
    path = write_files(tmp_path, {"one.json": json.dumps(run(3, 1))})[0]
    assert evidence(path).columns["correct"].tolist() == [[1]]


def test_simulations_of_the_second_version(tmp_path: Path) -> None:
    ends = [("agent_stop", 1.0), ("user_stop", 0.0), ("infrastructure_error", None), ("max_steps", 0.0)]
    simulations = [
        {"id": str(i), "task_id": str(i), "trial": 0, "termination_reason": end, "reward_info": {"reward": reward}}
        for i, (end, reward) in enumerate(ends)
    ]
    document = json.dumps({"timestamp": "t", "info": {}, "tasks": [], "simulations": simulations})
    data = evidence(write_files(tmp_path, {"sim.json": document})[0], ungraded="exclude")
    assert data.columns["correct"].tolist() == [[1, 0, 0, 0]]
    assert data.columns["incorrect"].tolist() == [[0, 1, 0, 1]]


def test_a_reward_that_is_missing_is_not_graded(tmp_path: Path) -> None:
    data = evidence(write(tmp_path, run(0, None), run(1, 0.5)), ungraded="exclude")
    assert (~data.present).tolist() == [[True, False]]
    assert evidence(write(tmp_path, run(1, 0.5)), choose={"threshold": "0.5"}).columns["correct"].sum() == 1


BROKEN = {
    "no task": ([run(None, 1)], "item 1", "task_id must be"),
    "no trial": ([run(1, 1, None)], "item 1", "trial must be a whole number"),
    "twice": ([run(1, 1), run(1, 0)], "item 2", "appears twice"),
    "a text": ([run(1, 1), "x"], "item 2", "a trajectory must be an object"),
    "a reward above 1": ([run(1, 7)], None, "a reward is outside [0, 1]"),
}


@pytest.mark.parametrize(("runs", "where", "rule"), BROKEN.values(), ids=list(BROKEN))
def test_broken_twins(tmp_path: Path, runs: list[Any], where: str | None, rule: str) -> None:
    assert_refused(write(tmp_path, *runs), where, rule)


@pytest.mark.skipif(not LOGS.exists(), reason="the shared logs are not beside the checkout")
def test_a_real_file_has_the_tool_s_own_figures() -> None:
    """README of the logs: 60 runs, 15 tasks x 4 trials, reward 1.0 in 12; pass^1 0.2."""
    data = evidence(LOGS / "gpt-4o-airline.json")
    assert (data.columns["correct"].sum(), data.columns["correct"].size) == (12, 60)
    assert len({*data.questions}) == 15


@pytest.mark.fuzz("tau_bench")
@given(st.data())
def test_damaged_files_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    damaged = json.dumps(data.draw(rewritten(json.loads(LAMP.read_text()))))
    assert_met(write_files(tmp_path_factory.getbasetemp(), {"lamp.json": damaged}), ungraded="exclude")
