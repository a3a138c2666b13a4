"""Whichever way answers come to a gate, it refuses runs that were asked, keyed or judged otherwise, or that failed."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import polars as pl
import pytest

import nescio
from nescio.errors import NescioError
from nescio.hosts.recorder import Recorder
from nescio.verbs._gates import regression_gates

N = 200
Row = Mapping[str, Any]
OUTCOMES = {True: "correct", False: "incorrect"}
GATE: dict[str, Any] = {"fail_on_regression": True, "margin": 0.02, "resamples": 500}


def run_of(share: float, **changes: str) -> list[Row]:
    """Return the rows of a run that is right on this share of the questions; `changes` replace columns."""
    return [
        {"id": f"q{i}", "question_text": f"What is {i}?", "gold": f"thing {i}", "judge": "people"}
        | changes
        | {"is_correct": i % 20 < 20 * share}
        for i in range(N)
    ]


def written(path: Path, rows: Sequence[Row]) -> Path:
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, [*rows[0]])
        table.writeheader()
        table.writerows(rows)
    return path


def both(folder: Path, old: Sequence[Row], new: Sequence[Row]) -> list[Path]:
    return [written(folder / "old.csv", old), written(folder / "new.csv", new)]


def gated(source: Any, **options: Any) -> int:
    """Return the status of the gate on the run `new` against `old`."""
    runs = {"baseline": "old", "run": "new"} | options
    (gate,) = nescio.compare(source, "accuracy", **runs, **GATE).gates
    return gate.status


def by_names(folder: Path, old: Sequence[Row], new: Sequence[Row]) -> int:
    return gated(both(folder, old, new))


def by_mapping(folder: Path, old: Sequence[Row], new: Sequence[Row]) -> int:
    mapping = {"run": "-", "question": "id", "outcome": "is_correct"}
    return gated(both(folder, old, new), column=mapping)


def in_one_table(folder: Path, old: Sequence[Row], new: Sequence[Row]) -> int:
    rows = [{"run": run} | {**row} for run, own in (("old", old), ("new", new)) for row in own]
    return gated(written(folder / "both.csv", rows), column={"run": "run", "question": "id", "outcome": "is_correct"})


def in_json_lines(folder: Path, old: Sequence[Row], new: Sequence[Row]) -> int:
    for name, rows in (("old", old), ("new", new)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return gated([folder / "old.jsonl", folder / "new.jsonl"])


def converted(folder: Path, old: Sequence[Row], new: Sequence[Row]) -> int:
    for path in both(folder, old, new):
        nescio.convert(path, folder / f"table_{path.name}")
    paths = [folder / "table_old.csv", folder / "table_new.csv"]
    mapping = {name: name for name in ("run", "question", "outcome")}
    assert_same = [_tried(lambda: gated(paths)), _tried(lambda: gated(paths, column=mapping))]
    assert assert_same[0] == assert_same[1]
    return gated(paths)


def as_frame(folder: Path, old: Sequence[Row], new: Sequence[Row]) -> int:  # noqa: ARG001
    frame = pl.concat([pl.DataFrame(rows).with_columns(run=pl.lit(run)) for run, rows in (("old", old), ("new", new))])
    return gated(frame, column={"run": "run", "question": "id", "outcome": "is_correct"})


def as_named_frame(folder: Path, old: Sequence[Row], new: Sequence[Row]) -> int:  # noqa: ARG001
    rows = [{"run": run} | {**row} for run, own in (("old", old), ("new", new)) for row in own]
    frame = pl.DataFrame(rows).rename({"question_text": "question"})
    return gated(nescio.from_dataframe(frame, question="id", outcome="is_correct"))


def side_by_side(folder: Path, old: Sequence[Row], new: Sequence[Row]) -> int:
    rows = [
        {"id": one["id"]}
        | {f"{run}_{name}": cell for run, row in (("old", one), ("new", two)) for name, cell in row.items()}
        for one, two in zip(old, new, strict=True)
    ]
    mapping = {"run": "-", "question": "id", "outcome": "old_is_correct+new_is_correct"}
    return gated(written(folder / "both.csv", rows), column=mapping)


def by_baseline(folder: Path, old: Sequence[Row], new: Sequence[Row]) -> int:
    before, after = both(folder, old, new)
    nescio.compare(before, "accuracy", save_baseline=folder / "base.json", resamples=500)
    return gated(after, baseline=folder / "base.json", run=None)


def by_policy(folder: Path, old: Sequence[Row], new: Sequence[Row]) -> int:
    both(folder, old, new)
    policy = folder / "policy.toml"
    policy.write_text(
        'baseline = "old"\nrun = "new"\n[benchmarks.a]\nfiles = ["old.csv", "new.csv"]\n'
        '[[rules]]\nmeasure = "accuracy"\nby = 0.02\n'
    )
    return max(line.status for line in nescio.gate(policy).rows)


def by_suite(folder: Path, old: Sequence[Row], new: Sequence[Row]) -> int:
    both(folder, old, new)
    for half in (0, 1):
        (folder / f"{half}").mkdir(exist_ok=True)
        both(folder / f"{half}", old[half::2], new[half::2])
    suite = folder / "suite.toml"
    suite.write_text(
        "".join(f'[benchmarks.b{half}]\nfiles = ["{half}/old.csv", "{half}/new.csv"]\n' for half in (0, 1))
    )
    return gated(suite)


def by_report(folder: Path, old: Sequence[Row], new: Sequence[Row]) -> int:
    """Return 0 if the page says to ship the new run."""
    page = nescio.report(both(folder, old, new), "accuracy", resamples=500).html
    return 0 if '>Ship <bdi class="best">new<' in page else 3


def in_a_large_table(folder: Path, old: Sequence[Row], new: Sequence[Row]) -> int:
    """Return the status of a gate on a table that is counted as those of a million rows are."""
    rows = [
        {"run": run, "question": row["id"], "outcome": OUTCOMES[row["is_correct"]], "judge": row["judge"]}
        for run, own in (("old", old), ("new", new))
        for row in own
    ]
    pl.DataFrame(rows).write_parquet(folder / "both.parquet")
    with patch("nescio.tables.large.LARGE", 1):
        return gated(folder / "both.parquet")


def counted_in_sql(folder: Path, old: Sequence[Row], new: Sequence[Row]) -> int:
    rows = [{"run": run} | {**row} for run, own in (("old", old), ("new", new)) for row in own]
    path = written(folder / "both.csv", rows)
    columns = {"question": "id", "outcome": "is_correct"}
    words = {"True": "correct", "False": "incorrect"}
    statement = nescio.sql(str(path), only="pairs", column=columns, outcome_map=words)
    duckdb.execute(f"COPY ({statement.rstrip(';').partition(chr(10))[2]}) TO '{folder / 'counts.csv'}'")
    return gated(folder / "counts.csv")


def recorded(folder: Path, old: Sequence[Row], new: Sequence[Row]) -> int:
    recorders = [Recorder(name) for name in ("old", "new")]
    for recorder, rows in zip(recorders, (old, new), strict=True):
        for row in rows:
            outcome = None if row.get("error") else "correct" if row["is_correct"] else "incorrect"
            recorder.record(row["id"], outcome, judge=row["judge"], gold=row["gold"])
    recorders[0].save_baseline(folder / "base.json", "accuracy", resamples=500)
    compared = nescio.compare(recorders[1].table, "accuracy", baseline=folder / "base.json", margin=0.02, resamples=500)
    (gate,) = regression_gates(compared, ["accuracy"])
    return gate.status


DOORS: list[Callable[[Path, Sequence[Row], Sequence[Row]], int]] = [
    by_names,
    by_mapping,
    in_one_table,
    in_json_lines,
    converted,
    as_frame,
    as_named_frame,
    side_by_side,
    by_baseline,
    by_policy,
    by_suite,
    by_report,
    in_a_large_table,
    counted_in_sql,
    recorded,
]
CHANGES = {"question_text": "What else?", "gold": "anything", "judge": "a lenient model"}


def _tried(gate: Callable[[], int]) -> int:
    """Return the status of a gate; 2 if it is refused."""
    try:
        return gate()
    except NescioError:
        return 2


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_a_gate_on_runs_that_were_treated_alike_passes(door: Any, tmp_path: Path) -> None:
    assert door(tmp_path, run_of(0.6), run_of(0.8)) == 0


@pytest.mark.parametrize("column", CHANGES)
@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_a_gate_sees_what_changed_by_every_door(door: Any, column: str, tmp_path: Path) -> None:
    if (door is recorded and column == "question_text") or (door is in_a_large_table and column != "judge"):
        pytest.skip("nothing there is told this")
    assert _tried(lambda: door(tmp_path, run_of(0.6), run_of(0.8, **{column: CHANGES[column]}))) in (2, 3)


def test_a_clearly_better_run_passes_though_some_grades_of_the_baseline_are_lacking() -> None:
    rows = [
        {"run": run, "question": f"q{i}", "outcome": None if run == "old" and i % 33 == 32 else word}
        for run, share in (("old", 12), ("new", 16))
        for i in range(300)
        for word in ("correct" if i % 20 < share else "incorrect",)
    ]
    statuses = {how: gated(rows, ungraded=how) for how in ("incorrect", "bounds")}
    assert statuses == {"incorrect": 0, "bounds": 0}
