"""What results can be turned into, and the public face of the package."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import nescio
from nescio.data.notes import note
from nescio.errors import UnknownNameError

TABLE3 = Path(__file__).parents[2] / "examples" / "table3.csv"


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


def test_printed_is_the_whole_table_with_its_notes() -> None:
    """What is empty in every row has no column; text cannot colour a terminal, nor break a line."""
    table = pd.DataFrame({"run": ["a\x1b[1m", "b"], "correct": [1, 3], "incorrect": [1, 0], "unanswered": [2, 1]})
    found = replace(nescio.score(table, ["c@1", "precision"], ci=None), notes=(note("x", "one\ntwo"),))
    lines = str(found).splitlines()
    assert lines[:2] == ["scores", "run    measure     value  n"]
    assert [line.split() for line in lines[2:6]] == [
        ["a\N{REPLACEMENT CHARACTER}[1m", "c@1", "0.3750", "4"],  # (1 + 2 · 1/4) / 4
        ["a\N{REPLACEMENT CHARACTER}[1m", "precision", "0.5000", "4"],
        ["b", "c@1", "0.9375", "4"],  # (3 + 1 · 3/4) / 4
        ["b", "precision", "1.0000", "4"],  # n counts questions, those unanswered too
    ]
    assert lines[-3:] == ["note: one two", "", str(found.signature)]
    assert repr(found) == f"<Scores: 4 rows, {found.signature}>"
    page = found._repr_html_()
    assert [name for name in ("value", "low", "stratum", "best") if f">{name}</th>" in page] == ["value"]
    assert page.index("</table>") < page.index("<p>one\ntwo</p>")


def test_a_value_that_is_not_there_names_what_is(scores: nescio.Scores) -> None:
    for asked, rule in (
        (
            ("nosuch", "c@1"),
            f"unknown run of these scores 'nosuch'; known: {', '.join(sorted({r.run for r in scores}))}",
        ),
        ((scores.rows[0].run, "c@2"), "unknown measure of these scores 'c@2'; did you mean c@1?"),
        ((scores.rows[0].run, "c@1", "who"), "unknown stratum of these scores 'who'; known: None"),
    ):
        with pytest.raises(UnknownNameError) as caught:
            scores.value(*asked)
        assert str(caught.value) == rule


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
