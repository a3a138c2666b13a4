"""`nescio.score` marks the best runs as the command line does."""

from __future__ import annotations

import polars as pl

import nescio
from nescio.comparison.best import mark
from nescio.pipeline import load

TABLE = pl.DataFrame(
    [
        {"run": run, "question": f"q{i}", "outcome": "correct" if i < right else "incorrect", "story": str(i % 4)}
        for run, right in (("all", 20), ("half", 10))
        for i in range(20)
    ]
)


def test_cheap_marks_are_made_unasked_and_are_those_of_best() -> None:
    loaded = load(TABLE)
    marked = nescio.score(TABLE, "c@1")
    assert marked.rows == mark(nescio.score(TABLE, "c@1", mark=False), loaded, every=False).rows
    assert [row.best for row in marked] == [True, False]
    assert marked.why_unmarked == ""


def test_marks_that_are_dear_are_made_when_asked_for_and_else_the_reason_is_said() -> None:
    unmarked = nescio.score(TABLE, "c@1", cluster="story")
    assert [row.best for row in unmarked] == [None, None]
    assert unmarked.why_unmarked == "Ties not marked (clustered tests are slow); use mark=True."
    asked = nescio.score(TABLE, "c@1", cluster="story", mark=True)
    assert [row.best for row in asked] == [True, False]
    assert asked.why_unmarked == ""


def test_no_marks_where_none_are_wanted_and_no_reason_either() -> None:
    plain = nescio.score(TABLE, "c@1", mark=False)
    assert [row.best for row in plain] == [None, None]
    assert plain.why_unmarked == ""
