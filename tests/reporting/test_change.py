"""The page of what changed between two runs, in process: the moves of the questions, the sentence, and what is
refused."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nescio
from nescio.comparison.comparing import compare
from nescio.comparison.two_runs import two_runs
from nescio.data.evidence import Evidence
from nescio.errors import MismatchError, UnknownNameError
from nescio.pipeline import Loaded, Options, load
from nescio.reporting.page.change import Change, flow_figure, gather_change, sentence
from nescio.reporting.page.commands import Commands
from nescio.reporting.page.moves import GROUPS, NOT_KNOWN, ONLY_NEW, ONLY_OLD, Moves, moves
from nescio.reporting.svg import apart
from tests.reporting.files import (
    EXAMPLES,
    MOVED,
    assert_inside,
    called,
    diff_files,
    embedded,
    make,
    marks,
    outcome_table,
    rows_of,
    written,
)


def from_rows(tmp_path: Path, rows: list[str], head: str = "run,question,outcome", **options: Any) -> Loaded:
    return load([written(tmp_path / "table.csv", head, rows)], Options(**options))


def change(tmp_path: Path, old: str, new: str) -> Change:
    loaded = load([outcome_table(tmp_path / "two.csv", {"old": old, "new": new})])
    compared = compare(loaded, baseline="old", resamples=500)
    return gather_change(loaded, compared, ("old", "new"), Commands(), {"ci": 95.0, "margin": 0.01})


def moved(loaded: Loaded, old: int = 0, new: int = 1) -> Moves:
    between = moves(loaded, old, new)
    assert between is not None
    return between


def sizes(between: Moves) -> list[int]:
    """How many are won, lost, newly silent, newly answered, changed and the same."""
    return [len(between.group(slug)) for slug in GROUPS]


def codes(between: Moves) -> dict[str, int]:
    return dict(zip(between.questions, between.codes.tolist(), strict=True))


def test_nine_moves_are_disjoint_and_the_groups_overlap(tmp_path: Path) -> None:
    between = moved(load([outcome_table(tmp_path / "two.csv", {"old": MOVED[::2], "new": MOVED[1::2]})]))
    # Rows: old correct, incorrect, unanswered; columns the same of the new run.
    assert between.table.tolist() == [[30, 4, 3], [6, 20, 5], [2, 1, 9]]
    assert tuple(GROUPS) == ("won", "lost", "newly-silent", "newly-answered", "changed", "same")
    assert sizes(between) == [8, 7, 8, 3, 21, 59]
    # correct → unanswered is lost and newly silent: 3 questions; unanswered → correct is won and newly answered: 2.
    assert len(np.intersect1d(between.group("lost"), between.group("newly-silent"))) == 3
    assert len(np.intersect1d(between.group("won"), between.group("newly-answered"))) == 2


def test_silence_where_there_is_no_answer_is_won_and_newly_silent(tmp_path: Path) -> None:
    rows = [
        *("old,q1,incorrect,false", "new,q1,unanswered,false"),  # the new run declines, rightly
        *("old,q2,unanswered,true", "new,q2,correct,true"),
    ]
    between = moved(from_rows(tmp_path, rows, "run,question,outcome,answerable"))
    assert between.table.tolist() == [[0, 0, 0], [1, 0, 0], [1, 0, 0]]
    named = {slug: [between.questions[i] for i in between.group(slug)] for slug in GROUPS}
    assert (named["won"], named["newly-silent"], named["newly-answered"]) == (["q1", "q2"], ["q1"], ["q2"])


@pytest.mark.parametrize("missing", ["common", "unanswered"])
def test_what_only_one_run_has_is_no_move_under_any_policy(tmp_path: Path, missing: str) -> None:
    """q3 is no unanswered → correct, even where the scores take what is missing for silence."""
    rows = ["old,q1,correct", "new,q1,incorrect", "old,q2,unanswered", "new,q3,correct"]
    between = moved(from_rows(tmp_path, rows, missing=missing))
    assert between.table.sum() == 1
    assert sizes(between)[:2] == [0, 1]
    assert codes(between) == {"q1": 1, "q2": ONLY_OLD, "q3": ONLY_NEW}
    states = dict(zip(between.questions, between.states.T.tolist(), strict=True))
    assert states == {"q1": [1, 2], "q2": [3, 0], "q3": [0, 1]}
    assert between.counted_silent == (2 if missing == "unanswered" else 0)


def test_what_is_not_graded_or_taken_both_ways_is_no_move(tmp_path: Path) -> None:
    rows = ["old,q1,correct", "new,q1,", "old,q2,correct", "new,q2,correct"]
    between = moved(from_rows(tmp_path, rows, ungraded="exclude"))
    assert codes(between) == {"q1": NOT_KNOWN, "q2": 0}
    assert between.states[:, between.questions.index("q1")].tolist() == [1, 5]
    assert sizes(between) == [0, 0, 0, 0, 0, 1]
    # A run taken both ways lacks what its own file lacks; a run whose own name looks like that of one is no other run.
    rows = ["a,q1,", "a,q2,correct", "b [ungraded wrong],q1,correct", "b,q1,correct", "b,q3,correct"]
    loaded = from_rows(tmp_path, rows, missing="unanswered", ungraded="bounds")
    assert loaded.data.runs == ("a [ungraded wrong]", "a [ungraded right]", "b [ungraded wrong]", "b")
    for taken in (0, 1):
        between = moved(loaded, taken, 3)
        assert (codes(between)["q2"], codes(between)["q3"]) == (ONLY_OLD, ONLY_NEW)
    assert codes(moved(loaded, 2, 3))["q3"] == ONLY_NEW


def test_a_third_run_that_lacks_a_question_is_said(tmp_path: Path) -> None:
    rows = ["old,q1,correct", "new,q1,incorrect", "third,q1,correct", "old,q2,correct", "new,q2,correct"]
    between = moved(from_rows(tmp_path, rows, missing="common"))
    assert (between.questions, between.elsewhere) == (("q1",), 1)


def test_evidence_without_files_has_moves_too() -> None:
    ones = np.array([[1, 0], [0, 1]], dtype=np.int8)
    columns = {"correct": ones, "incorrect": 1 - ones, "unanswered": 0 * ones, "answered": 0 * ones + 1}
    data = Evidence(("a", "b"), ("q1", "q2"), columns, np.zeros((2, 2), dtype=np.uint8))
    assert moved(load(data)).table.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]


def test_sentence_and_flow_say_what_changed(tmp_path: Path) -> None:
    between = change(tmp_path, MOVED[::2], MOVED[1::2])
    said = sentence(between)
    # c@1: old 37/80 · (1 + 12/80) = 0.531875, new 38/80 · (1 + 17/80) = 0.5759375; the difference is 0.0440625.
    assert said.text.startswith("CANNOT TELL: new minus old is +0.044 [")
    assert said.more[0].startswith("c@1: 0.576 against 0.532, +0.044 [")
    assert said.more[1:] == (
        "Among the 80 shared questions, new wins 8 and loses 7; 59 did not change.",
        "It newly abstains on 8 and newly answers 3.",
    )
    figure = flow_figure(between)
    assert figure is not None
    assert {(row["old"], row["new"]): row["n"] for row in figure.rows}["correct", "unanswered"] == 3
    assert "incorrect → correct 6; incorrect → unanswered 5; correct → incorrect 4" in figure.words
    for width in (320, 760):
        assert_inside(figure.draw(width))
    better = sentence(change(tmp_path, "W" * 60, "C" * 60))
    assert better.text == "MERGE: new minus old is +1.000 by c@1, so new is better."
    assert better.more[0] == "c@1: 1.000 against 0.000, +1.000, adjusted p < 0.001; better."
    # Three places crowded at the end are moved up; no two are nearer than 30, and none beyond the end.
    assert apart([10, 285, 290], 30, 0, 286) == [10, 256, 286]
    assert apart([10, 12, 14], 30, 0, 286) == [10, 40, 70]


def test_which_two_runs_are_meant(tmp_path: Path) -> None:
    two = load([outcome_table(tmp_path / "two.csv", {"a": "CW", "b": "CC"})])
    assert [two_runs(two, *given) for given in ((None, None), ("b", None), (None, "a"))] == [
        ("a", "b"),
        ("b", "a"),
        ("b", "a"),
    ]
    three = load([outcome_table(tmp_path / "three.csv", {"a": "CW", "b": "CC", "c": "WW"})])
    assert two_runs(three, "c", "a") == ("c", "a")
    for baseline, new in ((None, None), ("a", None), (None, "a")):
        with pytest.raises(MismatchError, match="baseline=OLD run=NEW"):
            two_runs(three, baseline, new)
    with pytest.raises(UnknownNameError, match="z"):
        two_runs(three, "z", "a")
    with pytest.raises(MismatchError, match="both"):
        two_runs(three, "a", "a")
    with pytest.raises(MismatchError, match="one run"):
        two_runs(load([outcome_table(tmp_path / "one.csv", {"a": "CW"})]), None, None)


def test_page_is_whole_and_its_differences_are_those_of_its_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where the files are, of which the page names no folder
    page = make(tmp_path / "diff.html", *diff_files(tmp_path))
    text = page.read_text(encoding="utf-8")
    assert len(text) < 2_000_000
    figures = re.findall(r'<figure class="figure" id="figure-(\w+)">(.*?)</figure>', text, re.DOTALL)
    assert [name for name, _ in figures] == ["flow", "differences"]
    for (_, inside), verb in zip(figures, ("report", "compare"), strict=True):
        assert re.search(rf"<code>nescio {verb} \S*two.csv .*--baseline old --run new", inside)
        assert "--missing common" in inside
    assert len(marks(page)) == 83
    assert marks(page)["only2"] == [3, 0]
    assert re.search(r"Counted separately, in no cell: <a [^>]*>2</a> <bdi>only in old</bdi>", text)
    again = re.search(r"<code>nescio (report [^<]*-o diff.html[^<]*)</code>", text)
    assert again
    assert not called(*shlex.split(again[1].replace("diff.html", str(tmp_path / "again.html"))))
    assert marks(tmp_path / "again.html") == marks(page)
    command = re.search(r"<code>nescio (compare [^<]*--run new[^<]*)</code>", text[text.index("figure-differences") :])
    assert command
    capsys.readouterr()
    assert not called(*shlex.split(command[1]), "-f", "csv")
    lines = [line.split(",") for line in capsys.readouterr().out.splitlines()]
    rows = [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]
    shown = rows_of(embedded(page)["differences"])
    assert [row["measure"] for row in rows] == [row["measure"] for row in shown] == ["c@1", "accuracy", "coverage"]
    for row, cell in zip(rows, shown, strict=True):
        for name in ("difference", "low", "high", "p", "p_adjusted"):
            assert float(row[name]) == pytest.approx(cell[name], abs=1e-6)


@pytest.mark.parametrize(
    ("rows", "options", "note"),
    [
        (["new,q1,", "new,q2,correct"], ["--ungraded", "exclude"], "<bdi>not graded in one of the runs</bdi>"),
        (
            ["new,q1,correct"],
            ["--missing", "unanswered"],
            "the differences count 1 question that one run lacks as unans",
        ),
    ],
)
def test_what_is_counted_apart_is_said(rows: list[str], options: list[str], note: str, tmp_path: Path) -> None:
    table = written(tmp_path / "t.csv", "run,question,outcome", ["old,q1,correct", "old,q2,incorrect", *rows])
    assert note in make(tmp_path / "diff.html", table, "--baseline", "old", *options).read_text(encoding="utf-8")


def test_graded_scores_have_differences_and_no_moves(tmp_path: Path) -> None:
    text = make(tmp_path / "diff.html", EXAMPLES / "ap.csv", "--baseline", "bm25", "--run", "dense").read_text()
    assert "The score of each run on each of the 50 questions, before and after." in text
    assert 'id="changes"' not in text
    assert 'id="figure-differences"' in text


def test_refusals_are_one_message_and_no_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    table, page = outcome_table(tmp_path / "three.csv", {"a": "CW", "b": "CC", "c": "WW"}), tmp_path / "diff.html"
    counts = written(tmp_path / "counts.csv", "run,correct,incorrect,unanswered", ["a,3,1,0", "b,2,1,1"])
    for arguments, message in (
        (
            ["report", counts, "--baseline", "a", "-o", page],
            "a counts table does not say which questions each run got right",
        ),
        (["report", table, "--baseline", "a", "-o", page], "choose them with --baseline OLD --run NEW"),
        (["compare", table, "--run", "b"], "choose them with --baseline OLD --run NEW"),
        (["report", table, "--baseline", "a", "--run", "z", "-o", page], "'z'"),
        (["compare", table, "-o", page], "`nescio report` writes pages; with --baseline RUN, a page of what"),
        (["score", table, "-o", page], "`nescio report` writes pages"),
        (["report", table, "-o", tmp_path / "page.pdf"], "written to .html"),
        (["report", table, "-o", tmp_path / "no" / "x.html"], "no folder"),
    ):
        assert called(*arguments) == 2
        said = capfd.readouterr().err
        assert message in said
        assert said.count("\n") == 1
    assert not page.exists()
    (row,) = nescio.compare(table, "accuracy", baseline="c", run="a", resamples=200)
    assert (row.run, row.baseline, row.difference) == ("a", "c", 0.5)
