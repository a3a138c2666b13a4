"""What results can be turned into, and the public face of the package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import nescio

TABLE3 = Path(__file__).parents[1] / "examples" / "table3.csv"


@pytest.fixture(scope="module")
def scores() -> nescio.Scores:
    return nescio.score(TABLE3, ["c@1", "precision"])


def test_results_leave_through_the_arrow_interface(scores: nescio.Scores) -> None:
    table = pa.table(scores)
    assert table.num_rows == 8
    assert table.schema.field("value").type == pa.float64()
    assert table.schema.field("n").type == pa.int64()
    assert pl.DataFrame(scores).select("run").unique().height == 4
    assert pd.DataFrame(scores.records())["value"].max() == pytest.approx(237 / 393)


def test_undefined_is_null_everywhere() -> None:
    silent = pd.DataFrame({"run": ["a"], "correct": [0], "incorrect": [0], "unanswered": [5]})
    found = nescio.score(silent, "precision")
    assert found.records()[0]["value"] is None
    assert pa.table(found)["value"].null_count == 1
    assert "undefined" in found._repr_html_()


def test_html_is_inert() -> None:
    table = pd.DataFrame({"run": ["<script>alert(1)</script>"], "correct": [1], "incorrect": [0], "unanswered": [0]})
    assert "<script>" not in nescio.score(table)._repr_html_()


def test_any_frame_gives_the_same_scores() -> None:
    frame = pd.DataFrame(
        {"run": ["a"] * 4, "question": list("wxyz"), "outcome": ["correct", "incorrect", "unanswered", "correct"]}
    )
    expected = nescio.score(frame)
    assert expected.value("a", "c@1") == pytest.approx((2 + 1 * 2 / 4) / 4)
    for other in (pl.DataFrame(frame.to_dict("list")), pa.table(frame.to_dict("list"))):
        found = nescio.score(other)
        assert (found.rows, found.signature) == (expected.rows, expected.signature)


def test_the_public_face_is_complete_and_cheap() -> None:
    for name in nescio.__all__:
        assert getattr(nescio, name) is not None
    assert set(nescio.__all__) <= set(dir(nescio))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        nescio.nothing  # noqa: B018
    code = "import sys, nescio; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_a_signature_repeats_the_number() -> None:
    first, again = (nescio.score(TABLE3, "c@1", interval="percentile", seed=7) for _ in range(2))
    assert (first.rows, first.signature) == (again.rows, again.signature)
    other = nescio.score(TABLE3, "c@1", interval="percentile", seed=8)
    assert other.signature != first.signature
    assert [row.value for row in other] == [row.value for row in first]
    assert [row.low for row in other] != [row.low for row in first]
