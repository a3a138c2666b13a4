"""Leaderboards with their marks, in every format.

The three runs and their p-values by hand. On 20 questions `all` is right everywhere, `most` on the first 16, `half` on
the first 10. Two runs that differ on d questions, all in favour of one, have the exact p-value 2 · 2^-d under accuracy
(McNemar): all–half 2^-9 = 0.00195, most–half (d = 6) 0.03125, all–most (d = 4) 0.125. Holm: 3 · 0.00195 = 0.0059,
2 · 0.03125 = 0.0625, 0.125. So only all and half differ significantly; without a correction, most and half would too.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from msgspec import Struct
from msgspec.structs import replace

import nescio
from nescio.comparison.best import mark
from nescio.data.evidence import outcome_tally
from nescio.data.results import Results, Score, Scores
from nescio.data.signature import sign
from nescio.errors import MismatchError
from nescio.pipeline import Options, load
from nescio.reporting import latex, screen, tables, terminal
from nescio.reporting.grid import make_grid
from nescio.reporting.latex import letters
from nescio.reporting.row_grids import record_grid, rows_grid
from nescio.scoring.score import compute_scores
from tests.reporting.files import WORDS

N = 20
NESTED = {"half": "C" * 10 + "W" * 10, "all": "C" * N, "most": "C" * 16 + "W" * 4}
Marks = dict[str, tuple[bool | None, bool | None]]


def outcomes(runs: dict[str, str], topic: str = "") -> pd.DataFrame:
    """An outcome table from words such as CCWU, one letter a question."""
    rows = [
        (run, f"q{i}", WORDS[letter], topic[i] if topic else "x")
        for run, own in runs.items()
        for i, letter in enumerate(own)
    ]
    return pd.DataFrame(rows, columns=["run", "question", "outcome", "topic"])


def marked(source: pd.DataFrame, *measures: str, every: bool = True, by: str | None = None, ci: float = 95) -> Scores:
    loaded = load(source, Options())
    scores = nescio.score(loaded, list(measures), by=by, ci=ci, resamples=200)
    return mark(scores, loaded, by=by, every=every, ci=ci, resamples=200)


def marks(scores: Scores, measure: str, stratum: str | None = None) -> Marks:
    rows = [row for row in scores if (row.measure, row.stratum) == (measure, stratum)]
    return {row.run: (row.best, row.tied_with_best) for row in rows}


def test_marks_rest_on_adjusted_paired_tests() -> None:
    scores = marked(outcomes(NESTED), "accuracy")
    assert marks(scores, "accuracy") == {"all": (True, False), "most": (False, True), "half": (False, False)}
    assert {row.run: row.better_than for row in scores} == {"all": ("half",), "most": (), "half": ()}
    # At 93% the second step of Holm's, 0.0625, is passed too.
    looser = {row.run: row.better_than for row in marked(outcomes(NESTED), "accuracy", ci=93)}
    assert looser == {"all": ("half",), "most": ("half",), "half": ()}


@pytest.mark.parametrize("measure", ["c@1", "precision", "simpleqa.incorrect"])
def test_marks_are_what_compare_says(measure: str) -> None:
    """Exact tests and drawn ones, higher and lower being better, ties."""
    source = outcomes({"a": "CCWU" * 9, "b": "WCWU" * 9, "c": "CCUU" * 9, "d": "UWWW" * 9, "e": "UWWW" * 9})
    scores = marked(source, measure)
    verdicts = {(row.run, row.baseline): row.verdict for row in nescio.compare(source, measure, resamples=200)}
    apart = {pair for pair, verdict in verdicts.items() if verdict == "better"}
    apart |= {(other, run) for (run, other), verdict in verdicts.items() if verdict == "worse"}
    assert apart
    assert {(row.run, worse) for row in scores for worse in row.better_than or ()} == apart
    values = {row.run: row.value for row in scores}
    best = min(values.values()) if measure == "simpleqa.incorrect" else max(values.values())
    top = {run for run, value in values.items() if value == best}
    assert {row.run for row in scores if row.best} == top
    for row in scores:
        assert row.tied_with_best == (row.run not in top and not any((one, row.run) in apart for one in top))


def test_what_describes_or_is_undefined_has_no_marks() -> None:
    described = ["coverage", "simpleqa.not_attempted"]
    scores = marked(outcomes({"a": "CCWU" * 9, "d": "UWWW" * 9, "u": "UUUW" * 9}), *described, "c@1")
    assert {row.best for row in scores if row.measure in described} == {None}
    assert {row.run for row in scores if row.best} == {"a"}
    scores = marked(outcomes({"silent": "U" * N, "a": "C" * N, "b": "W" * N}), "precision", "accuracy")
    assert marks(scores, "precision") == {"silent": (False, False), "a": (True, False), "b": (False, False)}
    nothing = marked(outcomes({"silent": "U" * N, "mute": "U" * N}), "precision")
    assert marks(nothing, "precision") == {"silent": (False, False), "mute": (False, False)}


def test_strata_and_what_costs_much_are_tested_where_that_is_asked_for() -> None:
    source = outcomes(NESTED, topic="x" * 10 + "y" * 10)
    asked = marked(source, "accuracy", by="topic")
    # On x all runs are alike: all best. On y all–half p = 2^-9, all–most 0.125, most–half 0.03125: as on all questions.
    assert marks(asked, "accuracy", "x") == dict.fromkeys(NESTED, (True, False))
    assert marks(asked, "accuracy", "y") == marks(asked, "accuracy")
    unasked = marked(source, "accuracy", by="topic", every=False)
    assert set(marks(unasked, "accuracy", "y").values()) == {(None, None)}
    assert marks(unasked, "accuracy") == marks(asked, "accuracy")
    assert "tested on all questions only, use mark=True to test the strata too" in tables.render(unasked, "table")
    source = outcomes({"a": "CCWU" * 9, "b": "WCWU" * 9, "c": "CCUU" * 9})
    source["confidence"] = [i / 108 for i in range(108)]
    scores = marked(source, "c@1", "AURC", every=False)
    assert {row.best for row in scores if row.measure == "AURC"} == {None}
    assert any(row.best for row in scores if row.measure == "c@1")
    assert "not tested without mark=True: AURC" in tables.render(scores, "table")
    assert any(row.best for row in marked(source, "c@1", "AURC") if row.measure == "AURC")


def test_what_cannot_be_paired_is_left_alone_or_refused() -> None:
    counts = pd.DataFrame({"run": ["a", "b"], "correct": [5, 1], "incorrect": [1, 5], "unanswered": [0, 0]})
    plain = nescio.score(counts, "c@1", resamples=200)
    assert marked(counts, "c@1", every=False).rows == plain.rows
    with pytest.raises(MismatchError, match="cannot be compared"):
        marked(counts, "c@1")
    with pytest.raises(MismatchError, match="no other run to compare it with"):
        marked(outcomes({"a": "CW"}), "c@1")


# ---- formats ----


@pytest.fixture(scope="module")
def scores() -> Scores:
    return marked(outcomes(NESTED), "accuracy", "c@1")


def test_marks_in_text_markdown_and_data(scores: Scores, tmp_path: Path) -> None:
    lines = tables.render(scores, "table").splitlines()
    shown = [(line.split()[0], line.partition("[")[0].split()[1]) for line in lines[1:4]]
    assert shown == [("all", "1.000*"), ("most", "0.800†"), ("half", "0.500")]
    note = "* the best; † not significantly different from the best (paired tests of all pairs of runs, Holm)"
    assert lines[4].startswith(note)
    text = tables.render(scores, "markdown")
    for part in ("| all | **1.000** [", "| most | 0.800† [", "| half | 0.500 ["):
        assert part in text
    assert "\n\n**bold**: the best; † not significantly different" in text
    rows = list(csv.DictReader(io.StringIO(tables.render(scores, "csv"))))
    assert {row["run"]: (row["best"], row["tied_with_best"], row["better_than"]) for row in rows} == {
        "all": ("True", "False", "half"),
        "most": ("False", "True", ""),
        "half": ("False", "False", ""),
    }
    records = json.loads(tables.render(scores, "json"))["scores"]
    assert {row["run"]: row["better_than"] for row in records} == {"all": ["half"], "most": [], "half": []}
    arrow = pa.table(scores)
    assert arrow["best"].to_pylist() == [row.best for row in scores]
    assert arrow["better_than"].to_pylist() == [list(row.better_than or ()) for row in scores]
    assert pa.table(nescio.score(outcomes(NESTED), mark=False))["better_than"].null_count == 9
    tables.write(scores, tmp_path / "scores.parquet")
    read = pa.parquet.read_table(tmp_path / "scores.parquet")["better_than"]
    assert read.to_pylist() == arrow["better_than"].to_pylist()


def body(text: str) -> list[list[str]]:
    """The cells of the rows of a LaTeX table."""
    rows = text.split(r"\midrule")[1].split(r"\bottomrule", maxsplit=1)[0].strip().splitlines()
    return [[cell.strip() for cell in re.split(r"(?<!\\)&", row.removesuffix(r"\\"))] for row in rows]


def assert_balanced(text: str) -> None:
    """Braces, dollars and columns of a LaTeX table: every row spans as many columns as the table has."""
    plain = re.sub(r"\\[{}$&%#_]", "", text)
    assert plain.count("{") == plain.count("}")
    assert plain.count("$") % 2 == 0
    form, inside = re.search(r"\\begin\{tabular\}\{(.*?)\}\n(.*?)\\bottomrule", text, re.DOTALL).groups()  # type: ignore[union-attr]
    columns = len(re.findall("[lr]", form.replace("@{.}", "")))
    for row in (line for line in re.sub(r"\\(top|mid)rule", "", inside).splitlines() if line.strip()):
        spans = [int(span) for span in re.findall(r"\\multicolumn\{(\d)\}", row)]
        assert len(re.split(r"(?<!\\)&", row)) + sum(span - 1 for span in spans) == columns, row


def test_marks_in_latex(scores: Scores) -> None:
    text = tables.render(scores, "latex")
    assert scores.to_latex() == text
    assert r"\label{tab:scores}" in text
    assert r"\label{tab:mine}" in scores.to_latex("tab:mine")
    assert r"\resizebox{\ifdim\width>\linewidth\linewidth" in text  # graphicx: no wider than the text
    assert r"\begin{tabular}{lr@{.}lr@{.}lr}" in text
    first, second, third = body(text)
    assert first[:2] == ["all$^{a}$", r"\textbf{1}"]
    assert first[2].startswith(r"\textbf{000}$^{c}$ [")
    assert second[:2] == ["most$^{b}$", "0"]
    assert second[2].startswith(r"800$^{\dagger}$ [")
    assert third[2].startswith("500 [")
    caption = next(line for line in text.splitlines() if line.startswith(r"\caption"))
    assert "$^{a}$~all, $^{b}$~most, $^{c}$~half." in caption
    assert caption.startswith(r"\caption{95\% confidence intervals in brackets, 20 questions. The best")
    assert "95% confidence intervals in brackets, 20 questions.\n" in tables.render(scores, "markdown")
    assert list(letters(30))[24:] == ["y", "z", "aa", "ab", "ac", "ad"]
    assert len({*letters(1000)}) == 1000


SPECIALS = r"""\&%$#_{}~^<>|"'`[*--"""


def test_latex_escapes_every_special_and_aligns_on_the_point() -> None:
    names = [f"{SPECIALS}{i}" for i in range(3)] + ["[a", "*b", "tab\tbell\x07"]
    text = tables.render(marked(outcomes(dict.fromkeys(names, "CW" * 10)), "accuracy", "c@1"), "latex")
    assert_balanced(text)
    assert "superscript" not in text  # the runs are alike, so that none is worse than another
    assert (
        r"\textbackslash{}\&\%\$\#\_\{\}\textasciitilde{}\textasciicircum{}\textless{}\textgreater{}\textbar{}"
        r"\symbol{34}'{}\symbol{96}[*-{}-0 &"
    ) in text
    lines = [line for line in text.splitlines() if line.endswith(r"\\")]
    for start in ("{}[a", "{}*b"):  # else a length, after the line break before it
        assert any(line.startswith(start) for line in lines)
    assert "\x07" not in text
    rows = [["a", "-0.125 [-0.500, 0.250]", "<0.001"], ["b", "12", "undefined"], ["c", "1,234.5", "0.050"]]
    text = latex.tabular(make_grid(["run", "difference", "p"], rows, [True, False, False]))
    assert_balanced(text)
    assert body(text) == [
        ["a", "$-$0", r"125 [$-$0.500, 0.250]", "$<$0", "001"],
        ["b", r"\multicolumn{1}{r@{}}{12}", "", r"\multicolumn{2}{c}{undefined}"],
        ["c", "1,234", "5", "0", "050"],
    ]
    assert_balanced(tables.render(nescio.compare(outcomes({"a": "CW" * 9, "b": "CC" * 9}), resamples=50), "latex"))
    text = tables.render(marked(outcomes({"a": "WWCW" * 5, "b": "CCCW" * 5}), "UF"), "latex")
    assert body(text)[1][1] == "$-$0"  # UF = (5 - 15)/20
    assert re.match(r"500 \[\$-\$0\.\d{3}, \$?-?\$?0\.\d{3}\]$", body(text)[1][2])


def test_a_huge_figure_has_three_digits_and_an_exponent() -> None:
    """The means of thirty scores, one of which is 3 × 10^300, or thirty times 1,234,567."""
    rows = [
        {"run": run, "question": f"q{i}", "outcome": "correct", "score": score}
        for run, scores in (("old", [0.5] * 30), ("new", [3e300] + [0.0] * 29), ("mid", [1234567.0] * 30))
        for i, score in enumerate(scores)
    ]
    text = tables.render(nescio.score(rows, "mean(score)", resamples=200), "table")
    assert "1.00e+299" in text
    assert "1.23e+06" in text
    assert "+1.00e+299" in tables.render(nescio.compare(rows, "mean(score)", baseline="old", resamples=200), "table")
    assert all(len(line) < 60 for line in text.splitlines()[:4])


def test_bold_marks_the_best_and_intervals_part_where_a_terminal_is_narrow(
    scores: Scores, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def printed(**variables: str) -> str:
        for name in ("NO_COLOR", "FORCE_COLOR"):
            monkeypatch.delenv(name, raising=False)
        for name, value in {"COLUMNS": "200", "TERM": "xterm-256color", **variables}.items():
            monkeypatch.setenv(name, value)
        screen.show(scores)
        return capsys.readouterr().out

    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    out = printed(FORCE_COLOR="1")
    assert re.search(r"\x1b\[1m1\.000\*", out)
    assert not re.search(r"\x1b\[1m0\.800", out)
    codes = re.findall(r"\x1b\[([\d;]*)m", printed(FORCE_COLOR="1", NO_COLOR="1"))
    assert {part for code in codes for part in code.split(";")} <= {"", "0", "1", "2"}  # bold and dim are no colours
    assert "1.000*" in printed(TERM="dumb")
    narrow = re.sub(r"\x1b\[[\d;]*m", "", printed(COLUMNS="40")).splitlines()
    assert max(map(len, (line for line in narrow if not line.startswith("nescio:")))) <= 40
    assert any("1.000*" in line for line in narrow)
    assert any(line.strip().startswith("[") for line in narrow)


def test_marks_do_not_hide_a_run_of_such_a_name() -> None:
    rows = (Score("a*", "c@1", 0.5, None, None, 2), Score("5*", "c@1", math.nan, None, None, 2))
    text = tables.render(replace(Scores(rows, sign(of="s")), kind="scores"), "table")
    assert "the best" not in text
    assert "undefined" in text


def test_text_stands_to_the_left_whatever_its_column_is_called() -> None:
    class Row(Struct, frozen=True):
        run: float  # a name that other tables have for text
        anything: str | None
        judged: bool

    rows = Results((Row(0.5, None, True),), sign(), (), "rows")
    assert rows_grid(rows).texts == (False, True, True)
    assert record_grid([{"anything": None, "n": 1}, {"anything": "x", "n": None}]).texts == (True, False)
    assert rows_grid(nescio.score(outcomes(NESTED), "accuracy", ci=None)).texts == (True, False, False)


# ---- a leaderboard of very many runs ----

RUNS = screen.MOST_RUNS + 5


def test_the_screen_has_the_best_of_very_many_runs_and_files_have_all(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Run i has i of RUNS right and leaves the rest unanswered; the first five have one wrong answer besides."""
    right = np.arange(RUNS)
    counts = np.stack([right, right < 5, RUNS - right], axis=1).astype(np.int64)
    tally = outcome_tally([f"run{i:04}" for i in range(RUNS)], counts)
    scores = compute_scores(tally, ["accuracy", "c@1"], ci=None)

    def printed() -> str:
        screen.show(scores)
        return capsys.readouterr().out

    text = printed()
    lines = [line.split()[0] for line in text.splitlines() if line.startswith(("run0", "run1"))]
    assert lines == [f"run{i:04}" for i in range(RUNS - 1, 4, -1)]
    assert "the first 1,000 of 1,005 runs; -v prints all, and -f json, -f csv and -o FILE have them." in text
    assert tables.render(scores, "csv").count("\n") == 2 * RUNS + 1
    token = terminal.VERBOSE.set(True)
    try:
        text = printed()
    finally:
        terminal.VERBOSE.reset(token)
    assert ("run0000" in text, "the first" in text) == (True, False)
    scores = scores.with_rows(scores.rows[: 2 * screen.MOST_RUNS])
    text = printed()
    assert ("run0000" in text, "the first" in text) == (True, False)
