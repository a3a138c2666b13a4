"""Comparing while questions arrive: worked figures, what the state keeps, and what is refused."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from msgspec.structs import replace

import nescio
from nescio.comparison._looks import Sequence, follow
from nescio.errors import FormatError, MismatchError, UsageError
from nescio.measures import parse
from tests.notes import in_words

WORDS = ("correct", "incorrect", "unanswered")
C, W, U = range(3)
# x right/y wrong, the reverse, right/silent, reverse, silent/wrong, reverse, both right, both wrong, both silent
CELLS = ((C, W, 12), (W, C, 5), (C, U, 9), (U, C, 3), (U, W, 2), (W, U, 8), (C, C, 40), (W, W, 21), (U, U, 0))

COMPARE: Any = nescio.compare


def looks_at(*values: Any, **options: Any) -> Any:
    """The looks at two runs."""
    return COMPARE(*values, looks=True, **options)


def pairs(cells: tuple[tuple[int, int, int], ...] = CELLS) -> tuple[Any, Any]:
    table = np.array(cells)
    return tuple(np.repeat(table[:, side], table[:, 2]).astype(np.int8) for side in (0, 1))  # type: ignore[return-value]


def table(run: Any, baseline: Any, start: int = 0) -> pa.Table:
    n = len(run)
    return pa.table(
        {
            "run": ["old"] * n + ["new"] * n,
            "question": [f"q{start + i:05d}" for i in range(n)] * 2,
            "outcome": [WORDS[code] for code in (*baseline, *run)],
        }
    )


def drawn(n: int, seed: int, better: float = 0.0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return tuple(rng.choice(3, n, p=[0.5 + gain, 0.3 - gain, 0.2]) for gain in (better, 0.0))  # type: ignore[return-value]


@pytest.mark.parametrize(("name", "outcomes"), [("accuracy", (C, W)), ("UF", (C, W)), ("c@1", None)])
def test_intervals_of_worked_examples(name: str, outcomes: tuple[int, int] | None) -> None:
    """Differences 1, 1, 0, 0, 1, 0, 1, -1, 0, 1 fifty times, guaranteed; and a table of nine cells, asymptotic."""
    if outcomes is None:
        path = follow(parse(name), *pairs(), Sequence("asymptotic", 0.05, 1000))
        assert path.difference[-1] == pytest.approx(0.0789, abs=1e-12)
        assert (path.high[-1] - path.low[-1]) / 2 == pytest.approx(0.2004091447, abs=1e-9)
        assert np.isnan(path.low[:49]).all()
        return
    good, bad = outcomes
    both = {1: (good, bad), 0: (good, good), -1: (bad, good)}
    run, baseline = np.array([both[d] for d in np.tile([1, 1, 0, 0, 1, 0, 1, -1, 0, 1], 50)], dtype=np.int8).T
    path = follow(parse(name), run, baseline, Sequence("guaranteed", 0.05, 1000))
    times = {"accuracy": 1, "UF": 2}[name]  # UF loses as much by an error as it earns by a right answer
    ends = (0.2957333299 * times, 0.5058227820 * times)
    assert (path.low[-1], path.high[-1]) == pytest.approx(ends, abs=2e-9)
    assert np.argmax(path.low > 0) + 1 == 45


def test_a_clear_winner_stops_the_run_and_no_difference_is_said_only_within_a_margin() -> None:
    run, baseline = drawn(600, 1, better=0.2)
    for measure in ("accuracy", "c@1"):
        (row,) = looks_at(table(run, baseline), measure)
        assert (row.verdict, row.more, row.stops) == ("stop: better", None, True)
        (turned,) = looks_at(table(run, baseline), measure, baseline="new", run="old")
        assert turned.verdict == "stop: worse"
    (row,) = looks_at(table(run, baseline), "simpleqa.incorrect")  # the lower, the better
    assert row.verdict == "stop: better"
    assert row.high < 0
    run, baseline = drawn(4000, 2)
    run = np.where(np.random.default_rng(0).random(4000) < 0.95, baseline, run)
    assert looks_at(table(run, baseline), "accuracy").rows[0].verdict.startswith("go on")
    (row,) = looks_at(table(run, baseline), "accuracy", margin=0.05)
    assert row.verdict == "stop: no difference larger than 0.05"
    assert -0.05 <= row.low <= row.high <= 0.05


def test_a_margin_as_wide_as_the_range_is_refused() -> None:
    run, baseline = drawn(100, 1, better=0.2)
    with pytest.raises(UsageError, match="no difference of c@1 is larger than 1"):
        looks_at(table(run, baseline), "c@1", margin=2)


def test_as_many_more_questions_are_needed_whichever_run_is_called_the_baseline() -> None:
    """Of eleven questions two are won and one is lost: after 33 such, some 110 more bring the interval within .5."""

    def by_now(times: int, baseline: str) -> Any:
        run, other = np.array([*[(C, C)] * 8, (C, W), (C, W), (W, C)] * times).T
        how: dict[str, Any] = {"baseline": baseline, "run": {"old": "new", "new": "old"}[baseline]}
        return looks_at(table(run, other), "UF", margin=0.5, sequence="guaranteed", **how).rows[0]

    assert 99 < by_now(3, "old").more == by_now(3, "new").more <= 110
    assert by_now(13, "old").verdict == "stop: no difference larger than 0.5"


def test_blocks_are_kept_and_each_question_counts_once(tmp_path: Path) -> None:
    state = tmp_path / "looks.json"
    run, baseline = drawn(300, 3, better=0.05)
    first = looks_at(table(run[:100], baseline[:100]), "accuracy", state=state)
    kept = state.read_bytes()
    again = looks_at(table(run[:100], baseline[:100]), "accuracy", state=state)
    assert again.rows == first.rows
    assert state.read_bytes() == kept
    assert "100 of 100 questions were in an earlier look and are left out" in in_words(again.notes)
    rest = looks_at(table(run[50:], baseline[50:], start=50), "accuracy", state=state)
    assert [(row.block, row.n) for row in rest] == [(1, 100), (2, 300)]
    assert rest.rows[0] == first.rows[0]
    assert "50 of 250 questions were in an earlier look and are left out" in in_words(rest.notes)
    by_state = json.loads(state.read_text())
    assert sorted(by_state["questions"]) == [f"q{i:05d}" for i in range(300)]
    assert by_state["questions"] != sorted(by_state["questions"])
    letter = dict(zip(by_state["questions"], by_state["run"], strict=True))
    assert all(letter[f"q{i:05d}"] == "CWU"[code] for i, code in enumerate(run))


def test_another_outcome_of_a_question_that_counted_is_said_and_left_out(tmp_path: Path) -> None:
    state = tmp_path / "looks.json"
    run, baseline = drawn(60, 4)
    before = looks_at(table(run, baseline), "accuracy", state=state)
    changed = run.copy()
    changed[:7] = (changed[:7] + 1) % 3
    after = looks_at(table(changed, baseline), "accuracy", state=state)
    cannot_tell = replace(
        before.rows[-1], verdict="cannot tell, as the outcome of 7 questions changed after an earlier look", more=None
    )
    assert after.rows == (cannot_tell,)
    words = "7 of these now have a different outcome, and the first outcome counts"
    assert any(words in text for text in in_words(after.notes))


def test_looks_that_contradict_each_other_decide_nothing(tmp_path: Path) -> None:
    """60 of 60 won, then 600 of 600 lost: (60 - 600)/660 lies outside what the first look allows."""
    right, wrong = np.full(600, C), np.full(600, W)
    state = tmp_path / "looks.json"
    (first,) = looks_at(table(right[:60], wrong[:60]), "accuracy", state=state)
    assert (first.verdict, first.stops) == ("stop: better", True)
    looks = looks_at(table(wrong, right, start=60), "accuracy", state=state)
    last = looks.rows[-1]
    assert last.difference == pytest.approx(-540 / 660)
    assert math.isnan(last.low)
    assert (last.verdict, last.stops, last.more) == ("cannot tell, as the looks contradict each other", False, None)
    assert looks.rows[0] == first
    assert any("random order, so there is no interval" in text for text in in_words(looks.notes))


def test_questions_that_all_move_the_difference_alike_have_no_asymptotic_interval() -> None:
    right, wrong = np.full(60, C), np.full(60, W)
    for measure in ("c@1", "accuracy"):
        looks = looks_at(table(right, wrong), measure, sequence="asymptotic")
        assert math.isnan(looks.rows[0].low)
        assert (looks.rows[0].verdict, looks.rows[0].more) == ("go on", None)
        assert any("not always in favour of the same run" in text for text in in_words(looks.notes))
    assert looks_at(table(right, wrong), "accuracy").rows[0].verdict == "stop: better"


def test_cheap_gains_show_no_rare_and_dear_loss() -> None:
    """The run answers 90 of 96 silent questions rightly. By precision each moves the difference by 4/304, and a lost
    answer by 75 times as much. Nobody lost any, and a true rate of 1% leaves 300 answers without a loss in 5%."""
    cells = ((C, C, 300), (W, W, 4), (C, U, 90), (U, U, 6))
    looks = looks_at(table(*pairs(cells)), "precision", margin=0.01)
    assert math.isnan(looks.rows[0].low)
    assert (looks.rows[0].discordant, looks.rows[0].verdict[:5]) == (90, "go on")
    lost = (*cells, (W, C, 30), (C, W, 10))
    assert not math.isnan(looks_at(table(*pairs(lost)), "precision").rows[0].low)


@pytest.mark.parametrize("measure", ["accuracy", "c@1"])
def test_an_interval_only_narrows_from_block_to_block(tmp_path: Path, measure: str) -> None:
    run, baseline = drawn(300, 5)
    for start in range(0, 300, 100):
        part = slice(start, start + 100)
        looks = looks_at(table(run[part], baseline[part], start), measure, state=tmp_path / "state.json")
    low, high = [row.low for row in looks], [row.high for row in looks]
    assert (low, high) == (sorted(low), sorted(high, reverse=True))
    assert len(low) == 3


def test_the_order_within_a_block_is_the_seed_s() -> None:
    data = table(*drawn(200, 6))
    (one,), (same,), (other,) = (looks_at(data, "accuracy", seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert one.difference == pytest.approx(other.difference)
    assert one.low != other.low


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"measures": "UF"}, "measure 'accuracy'"),
        ({"ci": 90.0}, "ci 95.0"),
        ({"baseline": "new", "run": "old"}, "run 'new'"),
        ({"seed": 1}, "seed 0"),
        ({"sequence": "asymptotic"}, "sequence 'guaranteed'"),
        ({"unanswerable": "exclude"}, "unanswerable 'correct'"),
    ],
)
def test_what_is_followed_cannot_change_on_the_way(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    state = tmp_path / "looks.json"
    data = table(*drawn(60, 7))
    arguments: dict[str, Any] = {"measures": "accuracy", "baseline": "old", "run": "new", "state": state}
    looks_at(data, **arguments)
    kept = state.read_bytes()
    with pytest.raises(MismatchError, match=said):
        looks_at(data, **arguments | change)
    assert state.read_bytes() == kept


def test_another_judge_is_refused(tmp_path: Path) -> None:
    answers = pa.table(
        {
            "run": ["old"] * 3 + ["new"] * 3,
            "question": ["1", "2", "3"] * 2,
            "prediction": ["a", "b", ""] * 2,
            "gold": ["a", "x", "y"] * 2,
        }
    )
    looks_at(answers, "accuracy", state=tmp_path / "looks.json", judge="exact")
    with pytest.raises(MismatchError, match="judge 'exact'"):
        looks_at(answers, "accuracy", state=tmp_path / "looks.json", judge="contains")


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"kind": "other"}, "this is not a state file: its `kind` must be 'nescio sequential comparison'"),
        ({"version": 3}, "state files of version 4"),
        ({"questions": ["q", "q"]}, "appears twice"),
        ({"run": "CX"}, "one of the letters"),
        ({"blocks": []}, "must add up to the length of `questions`"),
        ({"blocks": [{"questions": 60, "signature": "nothing"}]}, "`signature`"),
        ({"fixed": 3}, "which runs and measure are compared"),
        ({"changed": 3}, "changed must be a list"),
    ],
)
def test_a_damaged_state_is_named_by_its_rule(tmp_path: Path, change: dict[str, Any], rule: str) -> None:
    state = tmp_path / "looks.json"
    data = table(*drawn(60, 8))
    looks_at(data, "accuracy", state=state)
    state.write_text(json.dumps(json.loads(state.read_text()) | change))
    with pytest.raises(FormatError, match=rule):
        looks_at(data, "accuracy", state=state)
    state.write_text("{")
    with pytest.raises(FormatError, match="valid JSON"):
        looks_at(data, "accuracy", state=state)


@pytest.mark.parametrize(
    ("data", "measure", "options", "said"),
    [
        (None, "formula(C)", {}, "use a formula that divides by n"),
        (None, "AUROC", {}, "only measures of correct, incorrect and unanswered"),
        (None, "pass@k(k=2)", {}, "only measures of correct, incorrect and unanswered"),
        (None, "c@1", {"sequence": "guaranteed"}, "no guaranteed interval"),
        ("examples/outcomes.csv", "c@1", {}, "there are 3"),
        ("examples/trials.csv", "accuracy", {}, "answers to the same question"),
        ("examples/table3.csv", "accuracy", {"baseline": "base092de", "run": "loga092de"}, "counts table"),
    ],
)
def test_what_cannot_be_followed_is_refused(data: Any, measure: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises((UsageError, MismatchError), match=said):
        looks_at(table(*drawn(60, 9)) if data is None else data, measure, **options)


def test_the_asymptotic_sequence_does_not_look_too_early() -> None:
    run, baseline = drawn(49, 10)
    looks = looks_at(table(run, baseline), "c@1")
    assert math.isnan(looks.rows[0].low)
    assert looks.rows[0].verdict.startswith("go on")
    assert any("no interval yet" in text for text in in_words(looks.notes))
    alike = np.zeros(200, dtype=np.int8)
    (row,) = looks_at(table(alike, alike), "c@1", margin=0.5)  # σ̂ = 0 would be an interval of no width
    assert math.isnan(row.low)
    assert (row.verdict, row.more) == ("go on", None)


@pytest.mark.parametrize(("measure", "furthest"), [("accuracy", 1), ("UF", 2), ("penalty(t=0.75)", 4), ("c@1", 1)])
def test_no_interval_goes_beyond_what_a_difference_can_be(measure: str, furthest: float) -> None:
    """Accuracy is between 0 and 1, UF between -1 and 1, a penalty of 3 between -3 and 1."""
    good, bad = np.full(300, C, dtype=np.int8), np.full(300, W, dtype=np.int8)
    if measure == "c@1":
        good[0] = U  # all alike have no asymptotic interval
    path = follow(parse(measure), good, bad, Sequence("asymptotic" if measure == "c@1" else "guaranteed", 0.05, 1000))
    assert path.difference[-1] == pytest.approx(furthest, abs=0.01)
    assert np.nanmax(path.high) == path.running_high[-1] == furthest
    assert np.nanmin(path.low) >= -furthest
    assert np.isinf(path.running_low[:49]).all() == (measure == "c@1")


@pytest.mark.slow
def test_processes_that_look_at_once_lose_no_question(tmp_path: Path) -> None:
    """Four, each with 25 questions of its own."""
    x, y = pairs()
    program = "import sys, nescio; nescio.compare(sys.argv[1], 'c@1', baseline='old', looks=True, state=sys.argv[2])"
    running = []
    for i in range(4):
        pq.write_table(
            table(x[25 * i : 25 * i + 25], y[25 * i : 25 * i + 25], 25 * i), path := tmp_path / f"{i}.parquet"
        )
        running.append(subprocess.Popen([sys.executable, "-c", program, path, tmp_path / "state.json"]))
    assert [process.wait() for process in running] == [0] * 4
    kept = (tmp_path / "state.json").read_text()
    assert [i for i in range(100) if f"q{i:05d}" not in kept] == []
