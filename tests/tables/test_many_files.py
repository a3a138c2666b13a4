"""Tables in many files are what they are in one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import nescio
from nescio.formats.native.outcome_table import outcome_table_reader


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_many_files_are_read_as_one_table(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many fit into a query, and though each has a column that the others lack."""
    random = np.random.default_rng(3)
    frames = [
        pd.DataFrame(
            {
                "run": f"r{i}",
                "question": [f"q{q}" for q in range(9)],
                "outcome": random.choice(["correct", "incorrect"], 9),
            }
        ).assign(**{f"note{i}": "x"})
        for i in range(7)
    ]
    paths = [tmp_path / f"{i}.{suffix}" for i in range(7)]
    for frame, path in zip(frames, paths, strict=True):
        frame.to_csv(path, index=False) if suffix == "csv" else frame.to_json(path, orient="records", lines=True)
    pd.concat(frames).to_csv(whole := tmp_path / "whole.csv", index=False)

    def values(source: object) -> list[tuple[str, float]]:
        return [(row.run, row.value) for row in nescio.score(source, "c@1")]

    monkeypatch.setattr(outcome_table_reader, "_AT_ONCE", 3)
    assert values(paths) == values(whole)
