"""What results can be turned into, and the public face of the package."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from msgspec.structs import replace

import nescio
from nescio.data.notes import note
from nescio.data.signature import sign
from nescio.errors import UnknownNameError, UsageError

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


def test_printed_is_the_whole_table_with_its_notes() -> None:
    """The best run is first, as in a terminal. What is empty in every row has no column; text cannot colour a terminal, nor break a line."""
    table = pd.DataFrame({"run": ["a\x1b[1m", "b"], "correct": [1, 3], "incorrect": [1, 0], "unanswered": [2, 1]})
    found = replace(nescio.score(table, ["c@1", "precision"], ci=None), notes=(note("x", "one\ntwo"),))
    lines = str(found).splitlines()
    assert lines[:2] == ["scores", "run    c@1    precision  n"]
    assert [line.split() for line in lines[2:4]] == [
        ["b", "0.938", "1.000", "4"],  # (3 + 1 · 3/4) / 4; n counts questions, those unanswered too
        ["a\N{REPLACEMENT CHARACTER}[1m", "0.375", "0.500", "4"],  # (1 + 2 · 1/4) / 4
    ]
    assert lines[-3:] == ["note: one two", "", str(found.signature)]
    assert repr(found) == str(found)
    page = found._repr_html_()
    assert re.findall(r">([^<]+)</th>", page) == ["run", "c@1", "precision", "n"]
    assert page.index("</table>") < page.index("<p>one\ntwo</p>")


def test_the_wide_table_has_intervals_marks_and_strata() -> None:
    rows = (
        nescio.Score("a", "c@1", 0.75, 0.5, 1.0, 8, best=True, tied_with_best=False, better_than=()),
        nescio.Score("a", "AURC", math.nan, math.nan, math.nan, 6),
        nescio.Score("b", "c@1", 0.5, 0.25, 0.75, 8, best=False, tied_with_best=True, better_than=()),
        nescio.Score("b", "c@1", 0.125, None, None, 1, "x"),
    )
    scores = nescio.Scores(rows, sign(of="s"), (), "scores")
    assert str(scores).splitlines() == [
        "scores",
        "run  stratum  c@1                    AURC       n",
        "a    all      0.750* [0.500, 1.000]  undefined  6–8",
        "b    all      0.500† [0.250, 0.750]  –          8",
        "b    x        0.125                  –          1",
        "",
        "* the best; † not significantly different from the best",
        "",
        str(scores.signature),
    ]
    assert "<p>* the best; † not significantly different from the best</p>" in scores._repr_html_()


def test_a_score_is_found_by_its_run_and_its_measure(scores: nescio.Scores) -> None:
    row = scores["icia091ro", "c@1"]
    assert isinstance(row, nescio.Score)
    assert round(row.value, 2) == 0.58  # Peñas & Rodrigo 2011, Table 3
    assert scores["icia091ro", "c@1", None] is row
    with pytest.raises(UnknownNameError, match="did you mean icia091ro"):
        scores["icia", "c@1"]


def test_a_score_is_found_by_its_stratum() -> None:
    table = {"question": ["p", "q"], "outcome": ["correct", "incorrect"], "topic": ["x", "y"], "run": ["a", "a"]}
    scores = nescio.score(pd.DataFrame(table), "accuracy", by="topic", ci=None)
    assert [scores["a", "accuracy", topic].value for topic in (None, "x", "y")] == [0.5, 1, 0]
    assert scores.pivot().rows == (("a", None, 0.5), ("a", "x", 1.0), ("a", "y", 0.0))
    assert list(scores.pivot().to_pandas().index.names) == ["run", "stratum"]
    assert [line.split()[1] for line in repr(scores.pivot()).splitlines()[1:]] == ["stratum", "all", "x", "y"]


def test_pivot_has_a_row_for_each_run_and_a_column_for_each_measure(scores: nescio.Scores) -> None:
    wide = scores.pivot()
    assert (wide.keys, wide.measures) == (("run",), ("c@1", "precision"))
    assert [row[0] for row in wide] == ["icia091ro", "uaic092ro", "loga092de", "base092de"]
    assert len(wide) == 4
    assert wide.records()[0] == {"run": "icia091ro", "c@1": scores.value("icia091ro", "c@1"), "precision": 237 / 393}
    frame = wide.to_pandas()
    assert frame["c@1"].round(2).to_dict() == {  # Peñas & Rodrigo 2011, Table 3
        "icia091ro": 0.58,
        "uaic092ro": 0.47,
        "loga092de": 0.44,
        "base092de": 0.38,
    }
    assert wide.to_polars().columns == ["run", "c@1", "precision"]
    assert repr(wide).splitlines()[1].split() == ["run", "c@1", "precision"]
    assert wide._repr_html_().count("<tr>") == 5


def test_frames_have_the_types_of_the_fields(scores: nescio.Scores) -> None:
    frame = scores.to_pandas()
    assert list(frame.columns) == list(scores.records()[0])
    assert {name: str(frame[name].dtype) for name in ("value", "low", "n", "best")} == {
        "value": "float64",
        "low": "float64",
        "n": "int64",
        "best": "boolean",
    }
    assert scores.to_polars().equals(pl.DataFrame(scores))
    comparisons = nescio.compare(TABLE3.parent / "outcomes.csv", "c@1", resamples=100)
    assert comparisons.to_pandas("ranks").shape[0] == comparisons.to_polars("ranks").height == 3
    with pytest.raises(UnknownNameError, match="unknown table of these comparisons 'rank'; did you mean ranks"):
        comparisons.to_pandas("rank")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_library_that_is_not_installed_is_named(
    library: str, scores: nescio.Scores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UsageError, match=f"pip install {library}"):
        getattr(scores, f"to_{library}")()


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


def test_the_public_face_is_complete() -> None:
    for name in nescio.__all__:
        assert getattr(nescio, name) is not None
    assert set(nescio.__all__) <= set(dir(nescio))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        nescio.nothing  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.slow
def test_importing_the_package_is_cheap() -> None:
    code = "import sys, nescio; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_a_signature_repeats_the_number() -> None:
    first, again = (nescio.score(TABLE3, "c@1", interval="percentile", seed=7) for _ in range(2))
    assert (first.rows, first.signature) == (again.rows, again.signature)
    other = nescio.score(TABLE3, "c@1", interval="percentile", seed=8)
    assert other.signature != first.signature
    assert [row.value for row in other] == [row.value for row in first]
    assert [row.low for row in other] != [row.low for row in first]
