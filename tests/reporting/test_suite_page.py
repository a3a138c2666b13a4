"""The page of a suite: its sentence, its heat map, and that nothing in the data acts in it."""

from __future__ import annotations

import html
import re
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest

import nescio
from nescio.data.evidence import Evidence
from nescio.reporting.page.suite import answer, suite_page
from tests.reporting.files import HOSTILE, marks
from tests.suites import typed

from ..comparison.runs import evidence

SUITE = Path(__file__).parents[2] / "examples" / "suite" / "suite.toml"
SMALL: dict[str, Any] = {"resamples": 300}


def test_the_sentence_names_the_best_and_who_is_tied() -> None:
    sure = {"a": evidence(x="C" * 40, y="W" * 40), "b": evidence(x="C" * 40, y="W" * 40)}
    shown = answer(typed.score(sure, "accuracy", **SMALL))
    assert shown.text == "Ship x, if each benchmark counts the same."
    # Errors that nobody saw are a share u of both benchmarks alike: u = z sqrt(2 u (1 - u) / (40 - 1 + 1/2)) / 2, so that
    # u = z²/(79 + z²). z is that of 97.5%, as one of two runs was chosen.
    z = NormalDist().inv_cdf(1 - 0.025 / 2)
    low = 1 - z**2 / (79 + z**2)
    assert shown.advice == (
        f"x has the best mean accuracy over 2 benchmarks, 1.000 [{low:.3f}, 1.000], significantly better than y."
    )
    three = {name: evidence(x="C" * 40, y="W" * 40, z="W" * 40) for name in "ab"}
    assert answer(typed.score(three, "accuracy", **SMALL)).advice.endswith("significantly better than every other run.")
    tied = {"a": evidence(x="CCW", y="CWW"), "b": evidence(x="CWW", y="CWW")}
    assert "not significantly different from y." in answer(typed.score(tied, "accuracy", **SMALL)).advice
    alone = typed.score({"a": evidence(x="CW")}, "accuracy", ci=None, **SMALL)
    assert answer(alone).text == "x has a mean accuracy of 0.500 over 1 benchmark."
    unmarked = typed.score(tied, "accuracy", mark=False, **SMALL)
    assert answer(unmarked).text.endswith("no tests were made.")


def test_the_advice_says_where_another_run_is_better() -> None:
    suite = {"a": evidence(x="C" * 40, y="W" * 40), "b": evidence(x="CCCWWW", y="CCCCWW")}
    said = answer(typed.score(suite, "accuracy", **SMALL))
    assert said.more == (
        "x has the best accuracy on 1 of 2 benchmarks; better on others: y on b (0.667 against 0.500). Single benchmarks "
        "are not tested.",
        "The interval above holds for the best of 2 runs; each interval in the tables is for its run alone.",
    )
    tied = {"a": evidence(x="CCW", y="CWW"), "b": evidence(x="CWW", y="CWW")}
    assert answer(typed.score(tied, "accuracy", **SMALL)).text.startswith("These benchmarks do not tell x and y apart")
    undefined = {"a": evidence(x="UU", y="UU")}
    assert answer(typed.score(undefined, "precision_answered", **SMALL)).text.startswith("The mean of")


def page_of(suite: dict[str, Evidence], tmp_path: Path, measure: str = "c@1") -> str:
    nescio.report(suite, measure, output=tmp_path / "suite.html", **SMALL)
    return (tmp_path / "suite.html").read_text(encoding="utf-8")


def advised(page: str) -> str:
    heading = re.search(r'<h1 id="sentence">(.*?)</h1>', page)[1]  # type: ignore[index]
    return html.unescape(re.sub("<[^>]*>", "", heading))


def test_a_run_that_is_mostly_wrong_or_worse_than_silence_is_not_shipped(tmp_path: Path) -> None:
    """x: 15 of 40 right, 25 wrong on a; 10 of 20 answers wrong on b, 20 silent: (25/40 + 10/40)/2 = .4375 of all
    questions wrong, of (1 + .5)/2 = .75 answered: more than half."""
    bad = {
        "a": evidence(x="C" * 15 + "W" * 25, y="W" * 40),
        "b": evidence(x="C" * 10 + "W" * 10 + "U" * 20, y="W" * 40),
    }
    assert advised(page_of(bad, tmp_path)) == (
        "x is the best of these, but most of its answers are wrong, each benchmark counted alike: do not ship it."
    )
    alone = {"a": evidence(x="CWW"), "b": evidence(x="CWW")}
    assert advised(page_of(alone, tmp_path)) == (
        "Do not ship x: most of its answers are wrong, each benchmark counted alike."
    )
    # At t = .75 an error costs 3: (24 - 3·16)/40 < 0, which silence earns; .4 of the answers are wrong.
    dear = {"a": evidence(x="C" * 24 + "W" * 16, y="W" * 40), "b": evidence(x="C" * 24 + "W" * 16, y="W" * 40)}
    assert advised(page_of(dear, tmp_path, "penalty(t=0.75)")) == (
        "x is the best of these, but never answering scores more by penalty(t=0.75), each benchmark counted alike: "
        "do not ship it."
    )
    assert advised(page_of(dear, tmp_path)) == "Ship x, if each benchmark counts the same."
    silent = {"a": evidence(x="UUU", y="UUU"), "b": evidence(x="UUU", y="UUU")}
    assert advised(page_of(silent, tmp_path)) == "There is nothing to ship: x answered no question."


def test_a_run_is_shipped_only_if_a_gate_on_the_suite_could_pass(tmp_path: Path) -> None:
    """Of 100 questions, x lacks 20 on b, which count as unanswered."""
    words, files = {"C": "correct", "W": "incorrect", "U": "unanswered"}, {}
    for name, of_x in (("a", "C" * 90 + "W" * 10), ("b", "C" * 75 + "W" * 5)):
        rows = [
            f"{run},q{q},{words[letter]}"
            for run, letters in (("x", of_x), ("y", "C" * 40 + "W" * 60))
            for q, letter in enumerate(letters)
        ]
        files[name] = tmp_path / f"{name}.csv"
        files[name].write_text("\n".join(["run,question,outcome", *rows]))

    def shown(**how: Any) -> str:
        nescio.report(files, "c@1", output=tmp_path / "suite.html", **SMALL, **how)
        return advised((tmp_path / "suite.html").read_text(encoding="utf-8"))

    lacks = "20 questions that x lacks may be wrong, and count as unanswered"
    assert shown(missing="unanswered") == f"Ship nothing yet: {lacks}."
    gate = nescio.compare(files, "c@1", baseline="y", run="x", fail_on_regression=True, missing="unanswered").gates[0]
    assert gate.status == 3
    assert lacks in gate.said
    # By precision 60/65 against 140/200, but x has fewer right answers.
    quiet = {name: evidence(x="C" * 60 + "W" * 5 + "U" * 135, y="C" * 140 + "W" * 60) for name in "ab"}
    hidden = "precision does not show that right answers fell from 70% to 30% of the questions"
    assert advised(page_of(quiet, tmp_path, "precision")).startswith(f"Ship nothing yet: {hidden}")
    assert advised(page_of(quiet, tmp_path, "accuracy")) == "Ship y, if each benchmark counts the same."
    assert shown(missing="own").startswith("Ship nothing yet: no decision can rest on the questions that all runs have")


def test_a_row_of_the_heat_map_has_a_scale_of_its_own() -> None:
    suite = {"easy": evidence(x="CCCC", y="CCCW", z="CCWW"), "hard": evidence(x="WWWW", y="CWWW", z="CCWW")}
    page = suite_page(typed.score(suite, "accuracy", **SMALL), title="T")
    shades = [float(shade) for shade in re.findall(r"--shade: ([\d.]+)", page)]
    # The runs stand in the order of their means: y and z have .5, x too; each row from its worst to its best.
    assert sorted(shades[:3]) == [0.0, 0.5, 1.0]
    assert sorted(shades[3:]) == [0.0, 0.5, 1.0]
    lower = typed.score({"a": evidence(x="CCWW", y="CCCC")}, "simpleqa.incorrect", **SMALL)  # lower is better
    rows = re.findall(r"--shade: ([\d.]+)\">([\d.]+)", suite_page(lower, title="T"))
    assert {value: shade for shade, value in rows} == {"0.500": "0.0", "0.000": "1.0"}


def test_the_page_holds_the_means_and_names_no_folder(tmp_path: Path) -> None:
    written = nescio.report(SUITE, output=tmp_path / "suite.html", **SMALL)
    board = written.html.partition('<table class="board">')[2].partition("</table>")[0]
    means = {run: float(value) for run, value in re.findall(r"<bdi>([^<]*)</bdi></th><td[^>]*>([\d.]+)", board)}
    assert means == pytest.approx({row.run: row.value for row in written.scores if row.measure == "c@1"}, abs=5e-4)
    ends = [float(end) for end in re.findall(r"<span>([\d.]+)</span>", board)]
    places = [
        [float(x) / 100 for x in strip] for strip in re.findall(r"--at: (.*?)%; --low: (.*?)%; --high: (.*?)%", board)
    ]
    drawn = [[ends[0] + x * (ends[1] - ends[0]) for x in (at, low, high)] for at, low, high in places]
    rows = sorted((row for row in written.scores if row.measure == "c@1"), key=lambda row: -row.value)
    assert drawn == [pytest.approx([row.value, row.low, row.high], abs=1e-3) for row in rows]
    runs = {HOSTILE[0]: "CCW", HOSTILE[1]: "CWW"}
    nescio.report({name: evidence(**runs) for name in HOSTILE[3:8]}, "accuracy", output=tmp_path / "h.html", **SMALL)
    assert not re.search("<img|<b |<iframe", (tmp_path / "h.html").read_text(encoding="utf-8"))
    assert str(SUITE.parent) not in written.html  # also where a note names a file
    assert len(marks(tmp_path / "suite.html")) == sum(
        {row.benchmark: row.n for row in written.scores.tables["benchmarks"]}.values()
    )
