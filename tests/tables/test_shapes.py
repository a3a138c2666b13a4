"""A table means the same whether it has a row for each answer, or a row for each question with columns for each run."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.data.outcomes import Outcomes
from nescio.errors import NescioError, UsageError
from nescio.pipeline import Options, load

RUNS, N = ("baseline", "mini-4o"), 30
Cells = Callable[[str, int], Any]
Row = dict[str, Any]


def is_new(run: str) -> bool:
    return run == RUNS[1]


# What the runs have beside their verdicts: the same in both, or something else in the second run.
BESIDE: dict[str, Mapping[str, Cells]] = {
    "one judge": {"judge": lambda run, i: "gpt-4"},  # noqa: ARG005
    "judges": {"judge": lambda run, i: "gpt-4" if is_new(run) else "people"},  # noqa: ARG005
    "settings": {"judge_model": lambda run, i: f"m{int(is_new(run))}"},  # noqa: ARG005
    "verdicts of a judge": {"judge": lambda run, i: int(i % 3 == is_new(run))},
    "scores of a judge": {"judge": lambda run, i: (i % 7 + is_new(run)) / 8},
    "gold": {"gold": lambda run, i: f"thing {i} of {run}"},
    "the same gold": {"gold": lambda run, i: f"thing {i}"},  # noqa: ARG005
    "questions": {"question": lambda run, i: f"What is {i}, {run}?"},
    "prompts": {"prompt": lambda run, i: f"{run}: what is {i}?"},
    "failures": {"status": lambda run, i: "error" if is_new(run) and i % 5 == 1 else "ok"},
    "errors": {"error": lambda run, i: "timeout" if is_new(run) and i % 5 == 1 else ""},
    "no errors": {"error": lambda run, i: "False"},  # noqa: ARG005
    "counts of errors": {"errors": lambda run, i: i % 3},  # noqa: ARG005
    "confidence": {"confidence": lambda run, i: (i % 10 + 0.5 * is_new(run)) / 10},
    "silence": {"abstained": lambda run, i: str(is_new(run) and i % 4 == 0)},
}


def cells_of(run: str, i: int, beside: Mapping[str, Cells]) -> Row:
    """Return the cells of one answer; an answer on which the run abstains, or whose call fails, is wrong."""
    held = {name: cell(run, i) for name, cell in beside.items()}
    lost = held.get("abstained") == "True" or held.get("error") == "timeout" or held.get("status") == "error"
    return {"correct": int(i % 5 < 2 + is_new(run) and not lost)} | held


def long(path: Path, beside: Mapping[str, Cells]) -> Path:
    return written(path, [{"run": run, "id": f"q{i}"} | cells_of(run, i, beside) for run in RUNS for i in range(N)])


def before(path: Path, beside: Mapping[str, Cells]) -> Path:
    return side_by_side(path, beside, "{run}_{name}")


def behind(path: Path, beside: Mapping[str, Cells]) -> Path:
    return side_by_side(path, beside, "{name}_{run}")


def side_by_side(path: Path, beside: Mapping[str, Cells], form: str) -> Path:
    rows = [
        {"id": f"q{i}"}
        | {form.format(run=run, name=name): cell for run in RUNS for name, cell in cells_of(run, i, beside).items()}
        for i in range(N)
    ]
    return written(path, rows)


def nested(path: Path, beside: Mapping[str, Cells]) -> Path:
    rows = [{"id": f"q{i}"} | {run: cells_of(run, i, beside) for run in RUNS} for i in range(N)]
    path.with_suffix(".json").write_text(json.dumps(rows))
    return path.with_suffix(".json")


def written(path: Path, rows: Sequence[Row]) -> Path:
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, [*rows[0]])
        table.writeheader()
        table.writerows(rows)
    return path


def meaning(path: Path, mapping: Mapping[str, str]) -> object:
    """Return what scores and gates rest on: outcomes with their reasons, confidences, texts, gold and judges."""
    try:
        found = load(path, Options(column=mapping, ungraded="exclude", written=True))
    except NescioError as error:
        return str(error).partition(": ")[2]
    data = found.whole.data if found.whole else None
    assert isinstance(data, Outcomes)
    order = [data.runs.index(run) for run in RUNS]
    why = None if data.why is None else data.why[order].tolist()
    words = None if data.words is None else data.words[order].tolist()
    confidence = found.data.columns.get("confidence")
    held = None if confidence is None else confidence.round(9).tolist()
    judges = {run: str(judge) for run, judge in zip(data.runs, data.judges, strict=True)} if data.judges else {}
    return data.state[order].tolist(), why, words, held, judges


@pytest.mark.parametrize("case", BESIDE)
@pytest.mark.parametrize("shape", [before, behind, nested], ids=lambda shape: shape.__name__)
def test_the_shape_of_a_table_changes_nothing(case: str, shape: Any, tmp_path: Path) -> None:
    beside = BESIDE[case]
    form = {before: "{run}_{name}", behind: "{name}_{run}", nested: "{run}.{name}"}[shape]
    given = ["correct", *(name for name in beside if name in ("error", "confidence", "abstained"))]
    roles = {name: "outcome" if name == "correct" else name for name in given}
    wide = {role: "+".join(form.format(run=run, name=name) for run in RUNS) for name, role in roles.items()}
    found = [
        meaning(shape(tmp_path / "wide.csv", beside), {"run": "-", "question": "id"} | wide),
        meaning(
            long(tmp_path / "long.csv", beside),
            {"run": "run", "question": "id"} | {role: name for name, role in roles.items()},
        ),
    ]
    assert found[0] == found[1]
    assert isinstance(found[0], tuple)


@pytest.mark.parametrize(
    ("runs", "column", "cell"),
    [
        (("baseline", "model"), "judge_model", "gpt-4o"),
        (("image", "text"), "question_text", "What is it?"),
        (("base", "answer"), "expected_answer", "a bridge"),
        (("human", "system"), "system_prompt", "You are brief."),
    ],
)
def test_a_column_of_all_runs_belongs_to_none_whose_name_is_a_word_in_it(
    runs: tuple[str, str], column: str, cell: str, tmp_path: Path
) -> None:
    rows = [{"id": f"q{i}", f"{runs[0]}_correct": i % 2, f"{runs[1]}_correct": 1, column: cell} for i in range(N)]
    mapping = {"run": "-", "question": "id", "outcome": f"{runs[0]}_correct+{runs[1]}_correct"}
    path = written(tmp_path / "wide.csv", rows)
    (gate,) = nescio.compare(path, "accuracy", baseline=runs[0], column=mapping, fail_on_regression=True).gates
    assert gate.status == 0


def test_a_failure_of_one_run_is_none_of_another(tmp_path: Path) -> None:
    """Only one run has a column of errors."""
    rows = [{"id": f"q{i}", "old_correct": i % 2, "new_correct": 1, "new_error": "timeout" * (i < 4)} for i in range(N)]
    column = {"run": "-", "question": "id", "outcome": "old_correct+new_correct", "error": "new_error"}
    found = load(written(tmp_path / "wide.csv", rows), Options(column=column, ungraded="exclude"))
    assert dict(zip(found.data.runs, found.data.columns["correct"].sum(axis=1), strict=True)) == {"old": 15, "new": 26}


@pytest.mark.parametrize(
    ("shared", "own", "cells"),
    [
        ("judge", "new_judge", ("gpt-4", "lenient")),
        ("judge_model", "new_judge_model", ("gpt-4", "lenient")),
        ("gold", "new_gold", ("thing {i}", "another {i}")),
        ("question", "new_question", ("Hard {i}?", "Easy {i}?")),
    ],
)
def test_what_a_run_states_for_itself_stands_in_place_of_what_all_share(
    shared: str, own: str, cells: tuple[str, str], tmp_path: Path
) -> None:
    rows = [
        {"id": f"q{i}", shared: cells[0].format(i=i), own: cells[1].format(i=i), "old_correct": 0, "new_correct": 1}
        for i in range(N)
    ]
    mapping = {"run": "-", "question": "id", "outcome": "old_correct+new_correct"}
    path = written(tmp_path / "wide.csv", rows)
    with pytest.raises(UsageError, match=r"different judges|another gold answer|different text"):
        nescio.compare(path, "accuracy", baseline="old", column=mapping, fail_on_regression=True)


@pytest.mark.parametrize(("name", "says"), [("question", "a different text"), ("gold", "another gold"), ("prompt", "")])
def test_what_one_run_was_asked_is_compared_in_place_of_what_all_share(name: str, says: str, tmp_path: Path) -> None:
    """Each run may have another prompt."""
    rows = [
        {"id": f"q{i}", name: f"this {i}"}
        | {f"{run}_{own}": f"{run} {i}" for run in RUNS for own in (name, "answer")}
        | {f"{run}_correct": int(i % 5 < 2 + is_new(run)) for run in RUNS}
        for i in range(N)
    ]
    path = written(tmp_path / "wide.csv", rows)
    how: dict[str, Any] = {"baseline": RUNS[0], "margin": 0.05, "fail_on_regression": True}
    if not says:
        assert nescio.compare(path, "accuracy", **how).gates[0].status == 0
        return
    with pytest.raises(NescioError, match=says) as refused:
        nescio.compare(path, "accuracy", **how)
    role = {"question": "question_text"}.get(name, name)
    assert f"if '{RUNS[0]}_{name}' and '{RUNS[1]}_{name}' hold no" in str(refused.value)
    assert nescio.compare(path, "accuracy", **how, column={role: "-"}).gates[0].status == 0


def test_a_column_in_the_names_of_questions_divides_them(tmp_path: Path) -> None:
    """Ids restart in each task. Another column, such as `temperature`, may do so too, and divide no questions."""
    rows = [
        {"model": run, "id": i, "task": task, "correct": int(i % 3 > (run == "new"))}
        for run in ("old", "new")
        for task in ("law", "math")
        for i in range(30)
    ]
    path = tmp_path / "tasks.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    column = {"question": "id+task"}
    scores = nescio.score(path, "accuracy", by="task", column=column, ci=None)
    found = {(row.run, row.stratum): (row.n, row.value) for row in scores}
    assert found["old", "law"] == (30, pytest.approx(2 / 3))
    assert found["new", None] == (60, pytest.approx(1 / 3))
    suite: Any = nescio.score(path, "accuracy", suite_by="task", column=column)
    assert {row.run: row.benchmarks for row in suite} == {"old": 2, "new": 2}
    nescio.convert(path, tmp_path / "written.csv", column=column)  # keeps the id and the task
    assert nescio.score(tmp_path / "written.csv", "accuracy", by="task", ci=None).rows == scores.rows
    with pytest.raises(NescioError, match=r"'task' .* as run=model\+task; .* add column=.*id\+task"):
        nescio.score(path, "accuracy", by="task")
    read = {"run": "model", "question": "id", "outcome": "correct"}
    changed = [dict(row, model="new", task="art" if row["id"] == 3 else row["task"]) for row in rows[:30]]
    with pytest.raises(NescioError, match="'task' cannot divide the questions into strata"):
        nescio.score([*rows[:30], *changed], "accuracy", by="task", column=read)
