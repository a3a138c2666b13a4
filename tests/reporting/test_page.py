"""The page in process: what it says and draws, that it is whole in itself, and that nothing in the data can act in it."""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.reporting import diagrams, page
from nescio.reporting.numbers import number, signed
from nescio.reporting.page.commands import Commands
from nescio.reporting.page.confidence import MOST_PANELS, POINTS_BEYOND
from nescio.reporting.page.figure import Figure
from nescio.reporting.page.figures import all_figures, penalty_figure, strata_figure
from nescio.reporting.page.pairs import rank_figure
from nescio.reporting.page.report_data import MOST_BROKEN_DOWN, ReportData
from nescio.reporting.page.sentence import answer
from tests.reporting.files import (
    EXAMPLES,
    HOSTILE,
    MANY,
    THREE,
    assert_inside,
    embedded,
    hostile_files,
    make,
    outcome_table,
    said_by,
    written,
)

TWIN = "W" + THREE["modest"][1:]  # differs from modest in one question


class Elements(HTMLParser):
    """The elements of a page, as a browser would find them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.all: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.all.append((tag, dict(attrs)))


def facts(tmp_path: Path, runs: dict[str, str], *, confidence: bool = False, **options: Any) -> ReportData:
    table = outcome_table(tmp_path / "runs.csv", runs, confidence=confidence)
    return page.gather([table], **{"resamples": 100, **options})


# --- Sentences, whose figures are the subject of test_statements.py.


def test_sentence_names_the_best_and_who_is_not_told_apart(tmp_path: Path) -> None:
    # modest: C = 150, U = 100 of 300, so c@1 = (150 + 100 · 150/300)/300 = 200/300.
    said = answer(facts(tmp_path, {**THREE, "twin": TWIN}))
    assert said.text == "Ship modest as it is, or twin."
    assert said.advice.startswith("modest is best by c@1, 0.667 [")
    assert (
        "]; not significantly different from twin. modest answers 67%, and 25% of its answers are wrong" in said.advice
    )
    assert said.more[0] == "modest got 50.0% of 300 questions right and 16.7% wrong, and left 33.3% unanswered."
    said = answer(facts(tmp_path, {"one": "CCW" * 20, "two": "WCC" * 20}))
    assert said.advice.startswith("one is best by c@1, tied with two, 0.667 [")
    # bold: 160/300 = 0.533 by both; modest 150/300 and c@1 0.667.
    said = answer(facts(tmp_path, {"bold": "C" * 160 + "W" * 140, "modest": THREE["modest"]}))
    assert said.name == "modest"
    assert "]; significantly different from the other run. modest answers" in said.advice
    assert "accuracy, which counts an abstention as a wrong answer, bold would be first (0.533)" in said.more[1]
    assert answer(facts(tmp_path, {"alone": "CWU" * 10})).advice.startswith("alone scores 0.444 [")


def test_what_has_no_questions_or_nothing_that_counts_has_a_page(tmp_path: Path) -> None:
    rows = ["icia,237,156,107", "uaic,236,264,0"]
    counted = page.gather([written(tmp_path / "counts.csv", "run,correct,incorrect,unanswered", rows)], resamples=200)
    # Peñas & Rodrigo, ACL 2011, Table 3
    assert answer(counted).advice.startswith("icia has the best c@1, 0.575 [")
    text = page.page(counted)
    assert "a counts table has no questions" in text
    assert 'id="grid"' not in text
    silent = facts(tmp_path, {"mute": "UUU", "also": "UUU"}, measures=["precision"])
    assert answer(silent).text == "There is nothing to ship: no question was answered."
    assert answer(silent).advice == "precision is undefined for every run, because nothing could be counted."
    assert "undefined" in page.page(silent)
    text = make(tmp_path / "page.html", EXAMPLES / "ap.csv").read_text()
    assert 'id="figure-outcomes"' not in text
    assert "The score of each run on each of the 50 questions." in text


def test_too_many_questions_have_no_browser_and_a_note(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    small = facts(tmp_path, {"a": "CWU", "b": "CCC"})
    for limit, words in (("MOST_QUESTIONS", "3 questions are more"), ("MOST_CELLS", "6 outcomes are more")):
        with monkeypatch.context() as patched:
            patched.setattr(f"nescio.reporting.page.browser.{limit}", 2)
            text = page.page(small)
        assert words in text
        assert 'id="grid"' not in text
        assert 'href="#questions"' not in text


def penalty_words(tmp_path: Path, *rows: str) -> str:
    table = written(tmp_path / "counts.csv", "run,correct,incorrect,unanswered", rows)
    figure = penalty_figure(page.gather([table], resamples=100, ci=None))
    assert figure
    return figure.words


def test_the_price_above_which_another_run_or_silence_wins(tmp_path: Path) -> None:
    """penalty(t) = C/n - s W/n with s = t/(1-t): 0.6 - 0.4 s = 0.5 - 0.1 s at s = 1/3, which is t = 1/4; C - W s = 0 at
    t = C/(C+W): bold 60/100, careful 50/60 = 0.833. At t = 0.9, where the chart ends, bold earns 0.6 - 9 * 0.4 = -3."""
    both = ("bold,60,40,0", "careful,50,10,40")
    cut = " The axis is truncated at -0.5."
    said = "The best run is bold from t = 0.00 to 0.25; careful from t = 0.25 to 0.83. For higher t, never answering beats every run"
    assert penalty_words(tmp_path, *both) == f"{said}.{cut}"
    assert penalty_words(tmp_path, *both, "mute,0,0,100") == f"{said} that answers.{cut}"
    # Ahead of careful only where both lie below silence: 0.5 - 0.1 s = 0.1 - 0.05 s at s = 8, t = 0.889,
    # precision 10/15.
    assert "timid" not in penalty_words(tmp_path, *both, "timid,10,5,85")
    # Nothing wrong, so nothing to pay at any price; and no curve below -0.5: at t = 0.9 ok has 0.9 - 9 * 0.1 = 0.
    assert penalty_words(tmp_path, "sure,9,0,91", "ok,90,10,0") == (
        # 0.9 - 0.1 s = 0.09 at s = 8.1, t = 8.1/9.1
        "The best run is ok from t = 0.00 to 0.89; sure from t = 0.89 to 1.00."
    )
    assert penalty_words(tmp_path, "wrong,0,1,99") == "No run earns more than a system that never answers."
    assert penalty_words(tmp_path, "a,4,996,0").startswith("Above t = 0.00 never answering beats every run.")
    assert "to 0.9996. For higher t" in penalty_words(tmp_path, "a,9996,4,0")


def figures_of(report: ReportData) -> dict[str, Figure]:
    figures, missing = all_figures(report)
    assert missing == ()
    return {figure.name: figure for figure in figures}


def test_tips_say_what_the_data_says(tmp_path: Path) -> None:
    """Of each chart, what stands under the mouse: the figures of a row of its data."""
    figures = figures_of(facts(tmp_path, THREE, confidence=True))
    said: dict[str, Callable[[dict[str, Any]], str]] = {
        "intervals": lambda row: (
            f"{row['run']}: c@1 {number(row['value'])} [{number(row['low'])}, {number(row['high'])}]"
        ),
        "gain": lambda row: f"{row['run']}: accuracy {number(row['accuracy'])}, c@1 {number(row['c_at_1'])}",
        "ranks": lambda row: f"{row['run']}: c@1 {number(row['value'])}, rank {row['low']} to {row['high']}",
        "reliability": lambda row: f"{row['run']}: of {row['n']:,} answers with confidence {row['confidence']:.2f}",
    }
    for name, tip in said.items():
        drawn = (
            said_by(figures[name].draw(760))
            if not figures[name].panels
            else "".join(said_by(draw()) for _, draw in figures[name].panels)
        )
        assert figures[name].rows
        for row in figures[name].rows:
            assert tip(row) in drawn, (name, tip(row))
    pairs = said_by(figures["pairs"].draw(760))
    for row in figures["pairs"].rows:
        assert f"{row['run']} against {row['baseline']}: {signed(row['difference'])} [" in pairs or (
            f"{row['baseline']} against {row['run']}: {signed(-row['difference'])} [" in pairs
        )
    counts = {row["run"]: (row["correct"], row["incorrect"], row["unanswered"]) for row in figures["outcomes"].rows}
    assert counts == {"modest": (150, 50, 100), "guesser": (150, 150, 0), "weak": (50, 200, 50)}
    outcomes = said_by(figures["outcomes"].draw(760))
    assert "modest: 100 of 300 unanswered (33.3%)" in outcomes
    # modest: C = 150, W = 50 of 300, so (150 - 50 s)/300 with s = t/(1-t).
    for row in figures["penalty"].rows:
        if row["run"] == "modest" and row["t"] < 1:
            assert row["value"] == pytest.approx((150 - 50 * row["t"] / (1 - row["t"])) / 300, abs=1e-6)


def test_repeating_gives_the_marked_penalties_and_every_curve(tmp_path: Path) -> None:
    table = outcome_table(tmp_path / "sure.csv", THREE, confidence=True)
    commands = Commands((str(table),), (), ("--resamples", "100"))
    figures = figures_of(page.gather([table], resamples=100, commands=commands))
    curves = [shlex.split(line)[3:5] for line in figures["risk"].command.splitlines()]
    assert curves == [["--run", "modest"], ["--run", "guesser"], ["--run", "weak"]]
    words = shlex.split(figures["penalty"].command)
    measures = [name for word, name in pairwise(words) if word == "-m"]
    assert measures == [f"penalty(t={t})" for t in ("0", "0.25", "0.5", "0.75", "0.9")]


def test_parts_say_what_is_grey_and_keep_equal_runs_apart(tmp_path: Path) -> None:
    figure = strata_figure(facts(tmp_path, {f"run{i}": "CWU" * 4 for i in range(8)}, by="topic"))
    assert figure
    assert figure.words.endswith(" Grey: 2 other runs; names and intervals are in the table.")
    dots = [mark.attributes["cy"] for mark in figure.draw(320).marks if mark.tip]
    first = [round(y, 3) for y in dots if y < min(dots) + 41]  # those of the first part
    assert len(set(first)) == 7  # six runs and the others
    few = strata_figure(facts(tmp_path, THREE, by="topic"))
    assert few
    assert few.words.endswith(" Intervals are in the table.")
    assert "Grey" not in few.words


def test_a_bar_joins_neighbours_that_are_not_told_apart(tmp_path: Path) -> None:
    """The guesser is 50 questions worse than modest by c@1 (0.667 against 0.5), weak far behind."""
    figure = rank_figure(facts(tmp_path, {**THREE, "twin": TWIN}))
    assert figure is not None
    assert figure.words == "1 bar over 4 runs: modest to twin. 2 runs without a bar."
    bars = {row["run"]: row["bars"] for row in figure.rows}
    assert bars["modest"] == bars["twin"]
    assert len({bars["modest"], bars["guesser"], bars["weak"]}) == 3
    for width in (320, 760):
        assert_inside(figure.draw(width))
    assert rank_figure(facts(tmp_path, {"a": "CW", "b": "CC"})) is None
    # Each run is right on four questions fewer than the one before. A step of one has p = 2 · 2^-4, of two 2 · 2^-8, of
    # three 2 · 2^-12; by Holm .375, .039 and .003, so that neighbours alone are alike.
    stairs = {f"r{i}": "C" * (90 - 4 * i) + "W" * (10 + 4 * i) for i in range(4)}
    figure = rank_figure(facts(tmp_path, stairs, measures=["accuracy"]))
    assert figure is not None
    assert figure.words.startswith("3 bars over 4 runs: r0 to r1; r1 to r2; r2 to r3. Every run is under a bar.")
    assert [row["bars"] for row in figure.rows] == ["1", "1 2", "2 3", "3"]


@pytest.mark.parametrize("many", [3, 60])
def test_many_runs_keep_their_distance(many: int) -> None:
    rows = [
        {"label": f"{i} run with a long name {i}", "run": str(i), "value": 0.9 - i / 1000, "tip": "t"}
        for i in range(many)
    ]
    bars = [
        {"first": i, "last": i + 1, "lane": i % 2, "tip": "b", "runs": [str(i), str(i + 1)]} for i in range(many - 1)
    ]
    for width in (320, 760):
        chart = diagrams.critical_difference(rows, bars, width, "c@1")
        labels = [mark.attributes for mark in chart.marks if " run" in mark.text]
        places = sorted(label["y"] for label in labels)
        assert len(places) == many
        assert min(b - a for a, b in pairwise(places)) >= 15  # a line of 12 pixel type
        assert_inside(chart)
        assert labels[0]["x"] < 0.75 * width


def test_of_many_runs_the_best_have_bands_and_categories(tmp_path: Path) -> None:
    """110 of 120 questions are answered, each with its own confidence; the right answers are the most confident ones, so
    that of the first k answers k - right are wrong."""
    table = outcome_table(tmp_path / "many.csv", MANY, confidence=True)
    report = page.gather([table], ["c@1"], resamples=100)
    figure = next(figure for figure in all_figures(report)[0] if figure.name == "risk")
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in figure.rows:
        rows.setdefault(row["run"], []).append(row)
    assert len(rows) == len(MANY)
    for place, (run, own) in enumerate(rows.items()):
        assert ("low" in own[0]) == (place < MOST_PANELS)
        assert len(own) == (110 if place < MOST_PANELS else POINTS_BEYOND)
        right = MANY[f"vendor-model-family-{run}-instruct"].count("C")  # the page leaves out what all names share
        for row in own:
            k = round(row["coverage"] * 120)
            assert row["risk"] == pytest.approx(max(0, k - right) / k)
            assert place >= MOST_PANELS or row["low"] <= row["risk"] <= row["high"]
    assert f"the others with {POINTS_BEYOND} points each and without a band" in figure.words
    parts = {(row.run, row.stratum): row for row in nescio.score(table, ["c@1"], by="topic", resamples=100)}
    for run in report.runs[:MOST_BROKEN_DOWN]:
        for topic in ("red", "green", "blue"):
            shown, part = report.row(run, "c@1", topic), parts[run, topic]
            assert shown is not None
            assert (shown.value, shown.low, shown.high) == (part.value, part.low, part.high)
    assert report.row(report.runs[MOST_BROKEN_DOWN], "c@1", "red") is None


def test_without_intervals_there_is_no_band(tmp_path: Path) -> None:
    text = page.page(facts(tmp_path, {"a": "CWU" * 20, "b": "CCW" * 20}, confidence=True, ci=None))
    assert "intervals at each coverage" not in text
    assert "Risk over coverage" in text


# --- The file.


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("three")
    table = outcome_table(folder / "three.csv", THREE, confidence=True)
    return make(folder / "page.html", table, "--by", "topic").read_text(encoding="utf-8")


def test_page_is_whole_small_and_forbids_the_network(three: str) -> None:
    assert len(three) < 2_000_000
    elements = Elements(three).all
    loads = [
        (tag, name)
        for tag, a in elements
        for name in ("src", "href", "data", "srcset")
        if a.get(name) and not str(a[name]).startswith(("#", "data:"))
    ]
    assert loads == []
    assert not re.search(r"@import|url\((?!#)", three)
    policy = next(str(a["content"]) for tag, a in elements if tag == "meta" and a.get("http-equiv"))
    script = re.search(r"<script>(.*?)</script>", three, re.DOTALL)
    assert script
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{digest}';")
    ids = [a["id"] for _, a in elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert [tag for tag, a in elements if tag == "script"] == ["script", "script"]
    assert not [name for _, a in elements for name in a if name.startswith("on")]
    # A line may end before a value, and not within its interval.
    advice = three.partition('<p class="advice">')[2].partition("</p>")[0]
    interval = advice[advice.index("[") - 1 : advice.index("]")]
    assert (interval.count(" "), interval.count("\u00a0")) == (0, 2)


def test_every_figure_has_words_data_and_a_command(three: str) -> None:
    figures = re.findall(r'<figure class="figure[^"]*" id="figure-(\w+)">(.*?)</figure>', three, re.DOTALL)
    named = "outcomes gain penalty ranks pairs risk reliability strata"
    assert [name for name, _ in figures] == named.split()
    data = embedded(three)
    for name, inside in figures:
        assert len(re.sub("<[^>]*>", "", re.findall(r'<p id="words-.*?</p>', inside, re.DOTALL)[0])) > 30
        assert re.search(r"<code>nescio \w+ \S*three.csv", inside)
        assert inside.count("<svg") == (3 if name == "reliability" else 2)  # a panel a run, or two widths
        assert re.search('data-(tip|line)="', inside)
        assert data[name]["rows"]
    words = re.sub(r"\s+", " ", three)
    for said in (
        "Bold values are the best in their column, significantly or not.",
        "with these exceptions: for penalty(t), the command gives only the marked values of t; for risk over coverage, "
        "the command gives every point",
        "; for reliability, the command gives the calibration error but not the bins. The signature",
    ):
        assert said in words
    assert "--seed" not in three  # not given, so no command needs it
    assert "--resamples 500" in three


def test_hostile_data_makes_no_element(tmp_path: Path) -> None:
    files = hostile_files(tmp_path)
    for more in (["--by", "topic", "--title", HOSTILE[0]], ["--baseline", files[1].stem]):
        text = make(tmp_path / "page.html", *files, *more).read_text(encoding="utf-8")
        elements = Elements(text).all
        scripts = [a.get("type") for tag, a in elements if tag == "script" and a.get("type") != "text/plain"]
        assert scripts == ["application/json", None]
        assert not {"img", "iframe", "object", "embed"} & {tag for tag, _ in elements}
        assert not [name for _, a in elements for name in a if name.startswith("on")]
        assert not set("\x00\x07\x1b\u202e\u2067") & set(text)
        assert len(text) < 2_000_000
        assert "of questions and answers are cut to 4,000 characters in this page" in text
    title = 'a"; * { } </style>'
    table = outcome_table(tmp_path / "runs.csv", {"a": "CWU"})
    style = make(tmp_path / "page.html", table, "--title", title).read_text(encoding="utf-8").partition("@page")[2]
    assert (
        '"a\\000022\\00003b\\000020\\00002a\\000020\\00007b\\000020\\00007d\\000020\\00003c\\00002fstyle\\00003e'
        in style
    )


def test_every_mark_of_a_figure_is_within_it(tmp_path: Path) -> None:
    report = facts(tmp_path, THREE, by="topic")
    for figure in (*figures_of(report).values(), *figures_of(facts(tmp_path, THREE, confidence=True)).values()):
        assert_inside(figure.draw(320))
    small = facts(tmp_path, {"a": "CWU" * 4, "b": "CCU" * 4})
    one, other = (page.page(small) for _ in range(2))
    assert "url(#penalty-760-clip1)" in one
    assert one == other


def test_the_figure_of_stakes_holds_what_its_command_prints() -> None:
    table = EXAMPLES / "stakes.csv"
    figure = all_figures(page.gather([table], resamples=100))[0][1]
    assert (figure.name, figure.command) == ("stakes", "nescio lab stakes FILES")
    drawn = {(row["run"], round(row["t"], 9)): row["value"] for row in figure.rows if row["policy"] == "as asked"}
    printed = {(row.run, round(row.target, 9)): row.normalised for row in nescio.lab.stakes(table).rows}
    assert drawn == pytest.approx(printed)
