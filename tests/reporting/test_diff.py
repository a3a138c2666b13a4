"""The page of what changed between two runs, as a text: the moves of the questions, the sentence, and what is
refused."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path

import numpy as np
import pytest

from nescio.cli.app import run
from nescio.comparison.comparing import compare
from nescio.comparison.two_runs import two_runs
from nescio.data.evidence import Evidence
from nescio.errors import MismatchError, UnknownNameError
from nescio.pipeline import Loaded, Options, load
from nescio.reporting import direct
from nescio.reporting.page.change import Change, flow_figure, gather_change, sentence
from nescio.reporting.page.commands import Commands
from nescio.reporting.page.moves import GROUPS, NOT_KNOWN, ONLY_NEW, ONLY_OLD, Moves, moves
from tests.reporting.conftest import MOVES, outcome_table


def from_rows(tmp_path: Path, rows: list[str], head: str = "run,question,outcome", **options: str) -> Loaded:
    table = tmp_path / "table.csv"
    table.write_text("\n".join([head, *rows]) + "\n")
    return load([table], Options(**options))  # type: ignore[arg-type]


def change(tmp_path: Path, old: str, new: str) -> Change:
    loaded = load([outcome_table(tmp_path / "two.csv", {"old": old, "new": new})])
    found = compare(loaded, baseline="old", resamples=500)
    return gather_change(loaded, found, ("old", "new"), Commands(), {"ci": 95.0, "margin": 0.01})


def found_moves(loaded: Loaded, old: int = 0, new: int = 1) -> Moves:
    found = moves(loaded, old, new)
    assert found is not None
    return found


def sizes(found: Moves) -> dict[str, int]:
    return {slug: len(found.group(slug)) for slug in GROUPS}


def test_nine_moves_are_disjoint_and_the_groups_overlap(tmp_path: Path) -> None:
    letters = "".join(move * many for move, many in MOVES.items())
    found = found_moves(load([outcome_table(tmp_path / "two.csv", {"old": letters[::2], "new": letters[1::2]})]))
    # Rows: old correct, incorrect, unanswered; columns the same of the new run.
    assert found.table.tolist() == [[30, 4, 3], [6, 20, 5], [2, 1, 9]]
    assert sizes(found) == {
        "won": 8,
        "lost": 7,
        "newly-silent": 8,
        "newly-answered": 3,
        "changed": 21,
        "same": 59,
    }
    # correct → unanswered is lost and newly silent: 3 questions; unanswered → correct is won and newly answered: 2.
    assert len(np.intersect1d(found.group("lost"), found.group("newly-silent"))) == 3
    assert len(np.intersect1d(found.group("won"), found.group("newly-answered"))) == 2


def test_silence_where_there_is_no_answer_is_won_and_newly_silent(tmp_path: Path) -> None:
    rows = [
        "old,q1,incorrect,false",  # an answer where there is none; the new run declines, rightly
        "new,q1,unanswered,false",
        "old,q2,unanswered,true",
        "new,q2,correct,true",
    ]
    found = found_moves(from_rows(tmp_path, rows, "run,question,outcome,answerable"), 0, 1)
    assert found.table.tolist() == [[0, 0, 0], [1, 0, 0], [1, 0, 0]]
    assert {
        slug: [found.questions[i] for i in found.group(slug)] for slug in ("won", "newly-silent", "newly-answered")
    } == {
        "won": ["q1", "q2"],
        "newly-silent": ["q1"],
        "newly-answered": ["q2"],
    }


@pytest.mark.parametrize("missing", ["common", "unanswered"])
def test_what_only_one_run_has_is_no_move_under_any_policy(tmp_path: Path, missing: str) -> None:
    rows = ["old,q1,correct", "new,q1,incorrect", "old,q2,unanswered", "new,q3,correct"]
    found = found_moves(from_rows(tmp_path, rows, missing=missing))
    assert found.table.sum() == 1
    assert sizes(found)["lost"] == 1
    assert (
        sizes(found)["won"] == 0
    )  # q3 is no unanswered → correct, even where the scores take what is missing for silence
    codes = dict(zip(found.questions, found.codes.tolist(), strict=True))
    assert codes == {"q1": 1, "q2": ONLY_OLD, "q3": ONLY_NEW}
    states = dict(zip(found.questions, found.states.T.tolist(), strict=True))
    assert states == {"q1": [1, 2], "q2": [3, 0], "q3": [0, 1]}
    assert found.counted_silent == (2 if missing == "unanswered" else 0)


def test_what_is_not_graded_is_no_move(tmp_path: Path) -> None:
    rows = ["old,q1,correct", "new,q1,", "old,q2,correct", "new,q2,correct"]
    found = found_moves(from_rows(tmp_path, rows, ungraded="exclude"))
    assert dict(zip(found.questions, found.codes.tolist(), strict=True)) == {"q1": NOT_KNOWN, "q2": 0}
    assert found.states[:, found.questions.index("q1")].tolist() == [1, 5]
    assert sizes(found) == {"won": 0, "lost": 0, "newly-silent": 0, "newly-answered": 0, "changed": 0, "same": 1}


def test_a_run_taken_both_ways_lacks_what_its_own_file_lacks(tmp_path: Path) -> None:
    """And a run whose own name looks like that of one is no other run."""
    rows = ["a,q1,", "a,q2,correct", "b [ungraded wrong],q1,correct", "b,q1,correct", "b,q3,correct"]
    loaded = from_rows(tmp_path, rows, missing="unanswered", ungraded="bounds")
    assert loaded.data.runs == ("a [ungraded wrong]", "a [ungraded right]", "b [ungraded wrong]", "b")
    for taken in (0, 1):
        found = found_moves(loaded, taken, 3)
        codes = dict(zip(found.questions, found.codes.tolist(), strict=True))
        assert (codes["q2"], codes["q3"]) == (ONLY_OLD, ONLY_NEW)
    found = found_moves(loaded, 2, 3)
    codes = dict(zip(found.questions, found.codes.tolist(), strict=True))
    assert codes["q3"] == ONLY_NEW


def test_a_third_run_that_lacks_a_question_is_said(tmp_path: Path) -> None:
    rows = ["old,q1,correct", "new,q1,incorrect", "third,q1,correct", "old,q2,correct", "new,q2,correct"]
    found = found_moves(from_rows(tmp_path, rows, missing="common"))
    assert found.questions == ("q1",)
    assert found.elsewhere == 1


def test_sentence_says_what_changed(tmp_path: Path) -> None:
    letters = "".join(move * many for move, many in MOVES.items())
    said = sentence(change(tmp_path, letters[::2], letters[1::2]))
    # c@1: old 37/80 · (1 + 12/80) = 0.531875, new 38/80 · (1 + 17/80) = 0.5759375; the difference is 0.0440625.
    assert said.text.startswith("new is not significantly different from old by c@1: 0.576 against 0.532 (+0.044 [")
    assert said.text.endswith("; too few questions to tell.")
    assert said.more == (
        "Of the 80 shared questions, new wins 8 and loses 7; 59 did not change.",
        "It newly abstains on 8 and newly answers 3.",
    )
    better = sentence(change(tmp_path, "W" * 60, "C" * 60))
    assert better.text == "new is better than old by c@1: 1.000 against 0.000 (+1.000, adjusted p < 0.001)."


def test_flow_has_its_nine_streams_and_is_valid_altair(tmp_path: Path) -> None:
    letters = "".join(move * many for move, many in MOVES.items())
    figure = flow_figure(change(tmp_path, letters[::2], letters[1::2]))
    assert figure is not None
    assert {(row["old"], row["new"]): row["n"] for row in figure.rows}["correct", "unanswered"] == 3
    assert "incorrect → correct 6; incorrect → unanswered 5; correct → incorrect 4" in figure.words
    for width in (320, 760):
        figure.draw(width).to_dict()  # raises where the specification breaks the schema


def test_labels_of_the_flow_do_not_overlap() -> None:
    # Three places crowded at the end are moved up; no two are nearer than 30, and none beyond the end.
    assert direct.apart([10, 285, 290], 30, 0, 286) == [10, 256, 286]
    assert direct.apart([10, 12, 14], 30, 0, 286) == [10, 40, 70]


def test_which_two_runs_are_meant(tmp_path: Path) -> None:
    two = load([outcome_table(tmp_path / "two.csv", {"a": "CW", "b": "CC"})])
    assert two_runs(two, None, None) == ("a", "b")
    assert two_runs(two, "b", None) == ("b", "a")
    assert two_runs(two, None, "a") == ("b", "a")
    three_runs = load([outcome_table(tmp_path / "three.csv", {"a": "CW", "b": "CC", "c": "WW"})])
    assert two_runs(three_runs, "c", "a") == ("c", "a")
    for baseline, new in ((None, None), ("a", None), (None, "a")):
        with pytest.raises(MismatchError, match="baseline=OLD run=NEW"):
            two_runs(three_runs, baseline, new)
    with pytest.raises(UnknownNameError, match="z"):
        two_runs(three_runs, "z", "a")
    with pytest.raises(MismatchError, match="both"):
        two_runs(three_runs, "a", "a")
    with pytest.raises(MismatchError, match="one run"):
        two_runs(load([outcome_table(tmp_path / "one.csv", {"a": "CW"})]), None, None)


def test_page_is_whole_and_says_how_to_repeat_it(diff_page: Path) -> None:
    text = diff_page.read_text(encoding="utf-8")
    assert len(text) < 2_000_000
    figures = re.findall(r'<figure class="figure" id="figure-(\w+)">(.*?)</figure>', text, re.DOTALL)
    assert [name for name, _ in figures] == ["flow", "differences"]
    for _, inside in figures:
        assert re.search(r"<code>nescio compare \S*two.csv .*--baseline old --run new", inside)
        assert "--missing common" in inside
    held = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])  # type: ignore[index]
    questions = json.loads(zlib.decompress(base64.b64decode(held["browser"]["questions"]), -zlib.MAX_WBITS))
    assert len(questions) == 83
    assert "2 questions only in old, counted separately" in text
    assert "80 of 83 questions are common to all runs" in text
    assert re.search(r">0\.532<.*?>0\.576<", text)


def test_command_repeats_the_figures_it_names(
    diff_page: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(diff_page.parent)  # where the files are, of which the page names no folder
    text = diff_page.read_text(encoding="utf-8")
    command = re.search(
        r"<code>(nescio compare [^<]*--run new[^<]*)</code>", text[text.index('id="figure-differences"') :]
    )
    assert command
    with pytest.raises(SystemExit) as stopped:
        run([*command[1].split()[1:], "-f", "json"])
    assert not stopped.value.code
    rows = json.loads(capsys.readouterr().out)["comparisons"]
    held = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])  # type: ignore[index]
    table = held["differences"]
    shown = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    assert [row["measure"] for row in rows] == [row["measure"] for row in shown] == ["c@1", "accuracy", "coverage"]
    for row, cell in zip(rows, shown, strict=True):
        for name in ("difference", "low", "high", "p", "p_adjusted"):
            assert row[name] == pytest.approx(cell[name], abs=1e-6)


def test_graded_scores_have_differences_and_no_moves(tmp_path: Path) -> None:
    matrix = tmp_path / "ap.csv"
    matrix.write_text("topic,one,two\n" + "".join(f"t{i},{i / 20:.2f},{(i * 7 % 20) / 20:.2f}\n" for i in range(20)))
    page = tmp_path / "diff.html"
    with pytest.raises(SystemExit) as stopped:
        run(["report", str(matrix), "--baseline", "one", "-o", str(page), "--resamples", "200"])
    assert not stopped.value.code
    text = page.read_text()
    assert "The score of each run on each of the 20 questions, before and after." in text
    assert 'id="changes"' not in text
    assert 'id="figure-differences"' in text


def test_refusals_are_one_message_and_no_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    three_runs = outcome_table(tmp_path / "three.csv", {"a": "CW", "b": "CC", "c": "WW"})
    page = tmp_path / "diff.html"
    for arguments, message in (
        (["report", str(three_runs), "--baseline", "a", "-o", str(page)], "choose them with --baseline OLD --run NEW"),
        (["compare", str(three_runs), "--run", "b"], "choose them with --baseline OLD --run NEW"),
        (["report", str(three_runs), "--baseline", "a", "--run", "z", "-o", str(page)], "'z'"),
        (
            ["compare", str(three_runs), "-o", str(page)],
            "`nescio report` writes pages; with --baseline RUN, a page of what",
        ),
        (["score", str(three_runs), "-o", str(page)], "`nescio report` writes pages"),
    ):
        with pytest.raises(SystemExit) as stopped:
            run(arguments)
        assert stopped.value.code == 2
        said = capfd.readouterr().err
        assert message in said
        assert said.count("\n") == 1
    assert not page.exists()


def test_one_of_many_runs_is_compared_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    three_runs = outcome_table(tmp_path / "three.csv", {"a": "CW" * 20, "b": "CC" * 20, "c": "WW" * 20})
    with pytest.raises(SystemExit):
        run(
            [
                "compare",
                str(three_runs),
                "--baseline",
                "c",
                "--run",
                "a",
                "-m",
                "accuracy",
                "-f",
                "json",
                "--resamples",
                "200",
            ]
        )
    rows = json.loads(capsys.readouterr().out)["comparisons"]
    assert [(row["run"], row["baseline"], row["difference"]) for row in rows] == [("a", "c", 0.5)]


def test_evidence_without_files_has_moves_too() -> None:
    ones = np.array([[1, 0], [0, 1]], dtype=np.int8)
    data = Evidence(
        ("a", "b"),
        ("q1", "q2"),
        {"correct": ones, "incorrect": 1 - ones, "unanswered": 0 * ones, "answered": 0 * ones + 1},
        np.zeros((2, 2), dtype=np.uint8),
    )
    assert found_moves(load(data)).table.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
