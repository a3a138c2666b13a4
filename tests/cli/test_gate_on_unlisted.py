"""What no decision can rest on: answers that no row states, and that only `--total` and `--rest` give an outcome."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.cli.test_gate_grounds import GATE, HEAD, N, right, table


@pytest.mark.parametrize(
    ("rest", "measure", "old_lists", "new_lists", "status"),
    [
        ("unanswered", "c@1", "CCW", "CC", 3),  # The new run leaves out its wrong answers.
        ("unanswered", "accuracy", "CCC", "CC", 1),
        ("correct", "accuracy", "W", "", 3),  # The list of failures ends too early.
        ("correct", "accuracy", "W", "CWW", 1),
        ("incorrect", "accuracy", "CCW", "CCCC", 0),
        ("incorrect", "accuracy", "", "CC", 3),
    ],
)
def test_an_answer_in_no_row_is_not_seen_whatever_it_counts_as(
    tmp_path: Path, nescio: Command, rest: str, measure: str, old_lists: str, new_lists: str, status: int
) -> None:
    """Each letter stands for the outcomes of 50 questions, of 200 in all, and every run has a right answer at least."""
    words = {"C": "correct", "W": "incorrect"}
    paths = []
    for run, letters in (("old", old_lists), ("new", new_lists)):
        listed = [(run, f"q{q}", words[x]) for q, x in enumerate("C" + "".join(x * 50 for x in letters)[1:])]
        paths.append(table(tmp_path / f"{run}.csv", HEAD, listed))
    done = nescio("compare", *paths, "-m", measure, *GATE, "--total", "200", "--rest", rest)
    assert done.status == status, done.flat
    assert ("are in no row, count as" in done.flat) is (status == 3)
    assert f"; the others count as {rest} (--rest)" in done.flat
    if status == 3 and rest != "incorrect":
        few = ("--total", "200", "--rest", rest)
        assert nescio("score", paths[1], "-m", measure, "--fail-under", f"{measure}=0.1", *few).status == 3
        assert nescio("convert", paths[1], tmp_path / "c.csv", "--to", "outcomes", *few).status == 0
        assert nescio("score", tmp_path / "c.csv", "-m", measure, "--fail-under", f"{measure}=0.1", *few).status == 3


@pytest.mark.parametrize(("stated", "status"), [({"accuracy": 0.9}, 0), ({"failed": 20}, 3), ({}, 3)])
def test_a_file_that_states_its_right_answers_need_not_list_them(
    tmp_path: Path, nescio: Command, stated: dict[str, float], status: int
) -> None:
    path = tmp_path / "new.json"
    path.write_text(json.dumps({**stated, "total": 200, "results": [{"id": q, "correct": False} for q in range(20)]}))
    done = nescio(
        "score", path, "-m", "accuracy", "--fail-under", "accuracy=0.8", "--total", "200", "--rest", "correct"
    )
    assert done.status == status, done.flat
    assert ("(--rest)" in done.flat) is (status == 3)


def test_a_look_keeps_no_answers_in_no_row_and_a_judge_needs_rows(tmp_path: Path, nescio: Command) -> None:
    paths = [table(tmp_path / f"{run}.csv", HEAD, [(run, f"q{q}", right(True)) for q in N]) for run in ("old", "new")]
    state, few = tmp_path / "state.json", ("--total", "210", "--rest", "unanswered")
    done = nescio("compare", *paths, "-m", "accuracy", *GATE, "--looks", "--state", state, *few)
    assert (done.status, state.exists()) == (3, False)
    said = table(tmp_path / "said.csv", "id,gold,prediction", [(q, "a", "a") for q in N])
    nescio("score", said, "-m", "accuracy", *few).assert_refused("give a row for each question")


def test_a_total_does_not_make_the_answers_that_a_file_lacks(tmp_path: Path, nescio: Command) -> None:
    rows = [("new", f"q{q}", right(q % 10 < 9), "200 of 400") for q in N]
    path = table(tmp_path / "new.csv", f"{HEAD},answers_held", rows)
    gate = ("-m", "accuracy", "--fail-under", "accuracy=0.4")
    assert nescio("score", path, *gate, "--total", "200", "--rest", "incorrect").status == 3
    assert nescio("score", path, *gate[:-1], "accuracy=0.3", "--total", "400", "--rest", "incorrect").status == 0


def test_a_tool_that_lists_what_was_resolved_has_listed_it(tmp_path: Path, nescio: Command) -> None:
    for run, many in (("old", 100), ("new", 130)):
        resolved = {"resolved": [f"a__b-{at}" for at in range(many)], "no_generation": [], "no_logs": []}
        (tmp_path / f"{run}.json").write_text(json.dumps(resolved))
    paths = (tmp_path / "old.json", tmp_path / "new.json")
    assert nescio("compare", *paths, "-m", "accuracy", *GATE, "--total", "200", "--rest", "incorrect").status == 0


@pytest.mark.parametrize("saved", [True, False])
def test_a_baseline_knows_what_its_answers_in_no_row_count_as(tmp_path: Path, nescio: Command, saved: bool) -> None:
    """The old run has 100 answers in no row, which count as wrong, and may be right."""
    old = table(tmp_path / "old.csv", HEAD, [("old", f"q{q}", right(q % 5 < 4)) for q in range(100)])
    asked = [f"q{q}" if q < 100 else f"not listed {q - 99}" for q in N]
    new = table(tmp_path / "new.csv", HEAD, [("new", name, right(q % 4 < 3)) for q, name in enumerate(asked)])
    few = ("--total", "200", "--rest", "incorrect")
    kept = tmp_path / ("old.json" if saved else "kept.csv")
    if saved:
        assert nescio("compare", old, "-m", "accuracy", "--save-baseline", kept, *few).status == 0
        done = nescio("compare", new, "-m", "accuracy", "--baseline", kept, "--fail-on-regression", *few)
    else:
        assert nescio("convert", old, kept, *few).status == 0
        done = nescio("compare", kept, new, "-m", "accuracy", *GATE)
    assert done.status == 3, done.flat
    assert "100 of old's 200 answers are in no row, count as incorrect, and may be better" in done.flat
