"""Every result in a notebook: plain tables that a screen reader can read, with text that stays text."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import lxml.html
import pandas as pd
import pytest
from msgspec import Struct

import nescio
from nescio.data.plain_tables import FIRST, MOST_ROWS
from nescio.data.results import Results
from nescio.data.shown import lay
from nescio.data.signature import sign
from tests.rings import sample

HOSTILE = "<script>alert(1)</script>\x00\u202e<img src=x onerror=alert(1)>"


def frame() -> pd.DataFrame:
    """Two runs of forty questions with confidences; everything that has a name has a hostile one."""
    rows: list[tuple[object, ...]] = []
    for run, words in ((HOSTILE, "CCWU"), ("b & <b>", "WCCU")):
        for i in range(40):
            outcome = {"C": "correct", "W": "incorrect", "U": "unanswered"}[words[(i * 7) % 4 if i % 5 else 1]]
            rows.append((run, f"<q>{i}", outcome, (i * 37 % 40) / 40, f"<i>{i % 2}"))
    return pd.DataFrame(rows, columns=["run", "question", "outcome", "confidence", "topic"])


def repeated(table: pd.DataFrame) -> pd.DataFrame:
    """The table as if each question had been asked twice."""
    return pd.concat([table.assign(repeat=at) for at in ("1", "2")])


# By the verb, and what is special about it: those whose tables differ in kind.
MADE: dict[str, Callable[[pd.DataFrame], Results]] = {
    "score": lambda table: nescio.score(table, by="topic", resamples=50),
    "score of a suite": lambda table: nescio.score(table, suite_by="topic", resamples=50),
    "compare": lambda table: nescio.compare(table, resamples=50),
    "report": lambda table: nescio.report(table, resamples=50).results,
    "tune": lambda table: nescio.tune(table, run="b & <b>", resamples=50),
    "repeats": lambda table: nescio.lab.repeats(repeated(table)),
    "cascade": lambda table: nescio.lab.cascade(table, systems=["b & <b>", HOSTILE]),
    "vote": lambda table: nescio.lab.vote(repeated(table)),
    "meta.agreement": nescio.meta.agreement,
}


def assert_plain_tables(results: Results) -> None:
    """Tables with captions and heads, nothing that runs or asks the network, and a cell for every value."""
    page = lxml.html.fromstring(f"<div>{results._repr_html_()}</div>")
    assert {element.tag for element in page.iter()} <= {
        *("div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p", "code", "details", "summary")
    }
    assert {name for element in page.iter() for name in element.attrib} <= {"scope", "dir"}
    rows = results.pivot().rows if isinstance(results, nescio.Scores) else results.rows
    if len(rows) == 1 < len(results.rows):  # many measures of one run stand below each other
        rows = results.rows
    held = [("", rows), *results.tables.items()]
    tables = page.findall("table")
    assert len(tables) == sum(bool(rows) for _, rows in held)
    for table, rows in zip(tables, [rows for _, rows in held if rows], strict=True):
        assert (table.findtext("caption") or "").strip()
        heads = table.findall("thead/tr/th")
        assert all(head.get("scope") == "col" and (head.text or "").strip() for head in heads)
        folded = table.getnext()
        lines = table.findall("tbody/tr") + ([] if folded is None else folded.findall("table/tbody/tr"))
        laid = lay(rows) if rows is not results.rows or not isinstance(results, nescio.Scores) else None
        assert len(lines) == len(rows if laid is None else laid.rows)
        assert all(len(line) == len(heads) for line in lines)
    assert str(results.signature).split("|run:")[0] in page.text_content()  # what follows may name the hostile run


@pytest.mark.sampled
@pytest.mark.parametrize("name", sample(MADE, 5))
def test_results_of_every_function(name: str) -> None:
    results = MADE[name](frame())
    assert len(results)
    assert_plain_tables(results)


class Row(Struct, frozen=True):
    """A row of whatever kind."""

    text: str
    value: float | None
    yes: bool = True
    names: tuple[str, ...] = ("a", "<b>")


NEED_MORE = ("Scores", "Reproduced")  # fields than those of every class


def test_text_stays_text_in_every_class() -> None:
    """The classes of results differ in nothing that is shown; each is tried, so that a new one is."""
    classes: list[Any] = [Results, *(kind for kind in Results.__subclasses__() if kind.__name__ not in NEED_MORE)]
    assert len(classes) >= 4
    for kind in classes:
        results = kind(
            (Row(HOSTILE, math.nan), Row("b", None)), HOSTILE, (HOSTILE,), HOSTILE, {HOSTILE: (Row("c", 1),)}
        )
        page = lxml.html.fromstring(f"<div>{results._repr_html_()}</div>")
        inert = HOSTILE.replace("\x00", "\N{REPLACEMENT CHARACTER}").replace("\u202e", "\N{REPLACEMENT CHARACTER}")
        cells = [[cell.text for cell in line] for line in page.findall("table/tbody/tr")]
        assert cells[0] == [inert, "undefined", "yes", "a, <b>"]
        assert cells[1][1] == "–"
        assert [caption.text for caption in page.findall("table/caption")] == [inert, inert]
        assert page.findall("p")[0].text == inert


def test_text_stays_text_in_the_wide_table_of_scores() -> None:
    rows = tuple(nescio.Score(HOSTILE, HOSTILE, 0.5, None, None, 1, stratum) for stratum in (None, HOSTILE))
    scores = nescio.Scores(rows, sign(of="s"), (HOSTILE,), HOSTILE)  # type: ignore[arg-type]
    inert = HOSTILE.replace("\x00", "\N{REPLACEMENT CHARACTER}").replace("\u202e", "\N{REPLACEMENT CHARACTER}")
    page = lxml.html.fromstring(f"<div>{scores._repr_html_()}</div>")
    assert [head.text for head in page.findall("table/thead/tr/th")] == ["run", "stratum", inert, "n"]
    assert [[cell.text for cell in line] for line in page.findall("table/tbody/tr")] == [
        [inert, "all", "0.500", "1"],
        [inert, inert, "0.500", "1"],
    ]
    wide = lxml.html.fromstring(f"<div>{scores.pivot()._repr_html_()}</div>")
    assert [cell.text for cell in wide.findall("table/tbody/tr")[1]] == [inert, inert, "0.5000"]
    assert not any("\x00" in text or "\u202e" in text for text in (str(scores), repr(scores.pivot())))


def test_what_is_left_out_of_a_long_table_is_said() -> None:
    results = Results(tuple(Row("a", 1.0) for _ in range(MOST_ROWS + 1)), sign(of="s"), (), "rows")
    page = lxml.html.fromstring(f"<div>{results._repr_html_()}</div>")
    assert len(page.findall("table/tbody/tr")) == FIRST
    assert len(page.findall("details/table/tbody/tr")) == MOST_ROWS - FIRST
    assert page.findtext("details/summary") == f"{MOST_ROWS - FIRST:,} more rows"
    assert page.findtext("table/caption") == "rows (the first 1,000 of 1,001)"


class WithP(Struct, frozen=True):
    """A row with a p-value, and another small number."""

    p: float | None
    p_adjusted: float | None
    value: float


def test_small_figures_are_no_zeros() -> None:
    rows = (WithP(0.0004, 0.0012, 0.00000123), WithP(0.5, math.nan, 0.0), WithP(None, 0.25, 0.25))
    page = lxml.html.fromstring(f"<div>{Results(rows, sign(of='s'))._repr_html_()}</div>")
    cells = [[cell.text for cell in line] for line in page.findall("table/tbody/tr")]
    assert cells == [["<0.001", "0.001", "1.2e-06"], ["0.500", "undefined", "0.0000"], ["–", "0.250", "0.2500"]]


def test_no_rows_are_no_table() -> None:
    assert Results((), sign(of="s"))._repr_html_() == f"<p><code>{sign(of='s')}</code></p>"
