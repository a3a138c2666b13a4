"""nescio score, c@1, compare and check as their users meet them."""

from __future__ import annotations

import csv
import io
import math
from fractions import Fraction
from pathlib import Path

import msgspec

from .conftest import Command

# Peñas & Rodrigo, ACL 2011, Table 3: correct, incorrect, unanswered of each run (n = 500).
TABLE3 = {
    "icia091ro": (237, 156, 107),
    "uaic092ro": (236, 264, 0),
    "loga092de": (187, 230, 83),
    "base092de": (189, 311, 0),
}


def test_table3_to_the_last_digit(nescio: Command, table3: Path) -> None:
    found = nescio("score", table3, "-m", "c@1", "-m", "accuracy", "-m", "UF", "-f", "json").json["scores"]
    assert len(found) == 12
    for row in found:
        c, w, u = TABLE3[row["run"]]
        n = Fraction(c + w + u)
        expected = {"c@1": (c + u * c / n) / n, "accuracy": c / n, "UF": (c - w) / n}[row["measure"]]
        assert math.isclose(row["value"], expected, rel_tol=0, abs_tol=1e-12)
        assert row["low"] < row["value"] < row["high"]
        assert row["n"] == 500
    quick = nescio("c@1", 237, 156, 107, "-f", "json").json["scores"]
    assert math.isclose(quick[0]["value"], 0.575436, abs_tol=1e-12)
    assert nescio("c@1", 237, 156, -1).status == nescio("c@1", 237, 156, 1.5).status == 2


def test_every_format_says_the_same_on_screen_and_in_a_file(nescio: Command, table3: Path, tmp_path: Path) -> None:
    rows = nescio("score", table3, "-f", "json").json["scores"]
    lines = [msgspec.json.decode(line) for line in nescio("score", table3, "-f", "jsonl").out.splitlines()]
    assert lines == rows
    cells = list(csv.DictReader(io.StringIO(nescio("score", table3, "-f", "csv").out)))
    assert [float(row["value"]) for row in cells] == [row["value"] for row in rows]
    for form, shown in {"table": "0.575 [", "markdown": "0.575 [", "latex": "0 & 575 ["}.items():
        assert shown in nescio("score", table3, "-f", form).out
    for suffix in (".json", ".jsonl", ".csv", ".md", ".tex", ".txt", ".parquet"):
        path = tmp_path / f"scores{suffix}"
        assert nescio("score", table3, "-o", path).status == 0
        if suffix == ".parquet":
            import pyarrow.parquet as pq

            columns = pq.read_table(path).to_pylist()
            assert [row["value"] for row in columns] == [row["value"] for row in rows]
        else:
            assert "icia091ro" in path.read_text()
        assert [file.name for file in tmp_path.iterdir()] == [path.name]
        path.unlink()
