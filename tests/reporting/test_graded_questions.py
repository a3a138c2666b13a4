"""Questions of logs that hold graded scores alone: texts, scores, bars, orders and means against the raw files."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.pipeline import Options, load
from nescio.reporting.page.graded import graded_scores
from nescio.reporting.page.report_data import gather
from tests.browser import Opened
from tests.reporting.conftest import assert_accessible, make
from tests.reporting.test_hints import spread
from tests.reporting.test_page_browser import assert_count, search

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
EXAMPLES = Path(__file__).parents[2] / "examples"
POLYMER = SHARED / "logs" / "lm_eval" / "polymer_tg_mae_infinity"
MATRIX = SHARED / "trec_matrices" / "adhoc8_ap.csv"
SHOWN = (
    "[...document.querySelectorAll('.grid-body .row')].filter((r) => r.style.display !== 'none')"
    ".sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)"
    ".map((r) => [...r.querySelectorAll('.cell')].map((c) => (c.querySelector('bdi') ?? c).textContent))"
)


def samples() -> list[dict[str, Any]]:
    (path,) = POLYMER.glob("samples_*.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture(scope="module")
def polymer_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not POLYMER.is_dir():
        pytest.skip("../shared/data/logs is not here")
    return make(tmp_path_factory.mktemp("polymer") / "page.html", POLYMER)


@pytest.fixture(scope="module")
def matrix_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not MATRIX.is_file():
        pytest.skip("../shared/data/trec_matrices is not here")
    return make(tmp_path_factory.mktemp("matrix") / "page.html", MATRIX)


def matrix() -> tuple[list[str], list[list[float]]]:
    """Runs, and the scores of each topic."""
    with MATRIX.open(newline="") as file:
        runs, *rows = csv.reader(file)
    return runs, [[float(cell) for cell in row] for row in rows]


def test_a_log_of_scores_shows_question_gold_answer_and_score(polymer_page: Path, visit: Any) -> None:
    """Of each document what the file holds; an infinite error, which no mean can take, is said beside the answer."""
    opened: Opened = visit(polymer_page, viewport={"width": 1440, "height": 1600})
    page = opened.page
    assert_count(page, "All 24 questions")
    rows = {name: cells for name, *cells in page.evaluate(SHOWN)}
    finite = 0
    for sample in samples():
        name = f"polymer_tg_prediction/{sample['doc_id']}"
        page.locator(".grid-body .row:visible", has=page.locator(f"bdi:text-is('{name}')")).click()
        page.locator("#detail h3", has_text=name).wait_for()
        page.wait_for_function("name => document.querySelector('#detail h3').textContent === name", arg=name)
        text = " ".join(page.inner_text("#detail").split())
        assert " ".join(sample["doc"]["question"].split()) in text
        assert f"Gold: {sample['target']}" in text
        assert sample["resps"][0][0].strip() in text
        if math.isfinite(sample["mae"]):
            finite += 1
            score = float(page.inner_text("#detail td[data-label]"))
            assert score == pytest.approx(sample["mae"], rel=1e-5)
            assert float(rows[name][-1]) == pytest.approx(sample["mae"], abs=0.05)
        else:
            assert page.inner_text("#detail td[data-label]") == "no score"
            assert "mae is infinite: left out" in text
    assert finite == 7
    opened.assert_quiet()


def test_nothing_is_offered_that_needs_outcomes(polymer_page: Path, visit: Any) -> None:
    opened: Opened = visit(polymer_page)
    page = opened.page
    assert not page.is_visible("#f-show")
    assert not page.is_visible("#f-agree")
    assert page.locator("#f-sort option").all_inner_texts() == [
        "original order",
        "lowest score first",
        "highest score first",
    ]
    page.select_option("#f-runs .who", label="gpt-4o-mini")
    page.select_option("#f-runs .what", label="no score")
    assert_count(page, "17 of 24 questions")
    page.select_option("#f-runs .what", label="scored")
    assert_count(page, "7 of 24 questions")
    page.select_option("#f-sort", "low")
    finite = sorted(sample["mae"] for sample in samples() if math.isfinite(sample["mae"]))
    shown = [float(cells[-1]) for cells in page.evaluate(SHOWN)]
    assert shown == pytest.approx(finite, abs=0.05)
    page.locator("#own", has_text=f"{sum(finite) / len(finite):.1f}").wait_for()
    opened.assert_quiet()
    again: Opened = visit(polymer_page, page.url.partition(".html")[2])
    assert_count(again.page, "7 of 24 questions")


@pytest.mark.slow
def test_bars_and_orders_of_a_matrix_are_those_of_its_file(matrix_page: Path, visit: Any) -> None:
    """The bars of 129 runs; of the presets none means anything of scores."""
    _, rows = matrix()
    means = {str(i): sum(row) / len(row) for i, row in enumerate(rows, 1)}
    opened: Opened = visit(matrix_page, viewport={"width": 1200, "height": 1400})
    page = opened.page
    assert not page.is_visible("#f-show")
    tenths = Counter(int(mean * 10) for mean in means.values())
    bars = page.locator("#f-bars button").all()
    assert len(bars) == 10
    for i, bar in enumerate(bars):
        assert bar.get_attribute("aria-label") == (
            f"{tenths[i]} questions with a mean score of {i / 10:.3f} to {(i + 1) / 10:.3f}"
        )
        bar.click()
        assert_count(page, f"{tenths[i]} of 50 questions")
        bar.click()
    page.select_option("#f-sort", "low")
    shown = page.evaluate(SHOWN)
    assert [name for name, *_ in shown] == sorted(means, key=lambda name: means[name])[: len(shown)]
    for name, mean, *_ in spread(shown):
        assert float(mean) == pytest.approx(means[name], abs=0.0006)
    page.select_option("#f-sort", "apart")
    apart = {str(i): max(row) - min(row) for i, row in enumerate(rows, 1)}
    widest = [apart[name] for name, *_ in page.evaluate(SHOWN)]
    assert widest == sorted(apart.values(), reverse=True)[: len(widest)]
    opened.assert_quiet()


@pytest.mark.slow
def test_cells_of_a_matrix_and_the_order_of_one_run(matrix_page: Path, visit: Any) -> None:
    runs, rows = matrix()
    opened: Opened = visit(matrix_page, viewport={"width": 1200, "height": 1400})
    page = opened.page
    heads = page.locator(".grid-head .cell[data-run]").all()
    columns = [head.get_attribute("title") for head in heads]
    assert sorted(columns) == sorted(runs)
    for name, _, *cells in spread(page.evaluate(SHOWN)):
        own = dict(zip(columns, cells, strict=True))
        for run in spread(runs):
            assert float(own[run]) == pytest.approx(rows[int(name) - 1][runs.index(run)], abs=0.00051), (name, run)
    page.select_option("#f-of", label="run2")
    page.select_option("#f-sort", "high")
    at = runs.index("run2")
    best = [rows[int(name) - 1][at] for name, *_ in page.evaluate(SHOWN)]
    assert best == sorted((row[at] for row in rows), reverse=True)[: len(best)]
    scores = nescio.score(MATRIX, ci=None)
    page.locator("#own tbody tr").nth(len(runs) - 1).wait_for()
    line = page.locator("#own tbody tr", has_text="run2").first.inner_text().split()
    assert float(line[1]) == pytest.approx(scores.value(line[0], "mean(adhoc8_ap)"), abs=0.0006)
    opened.assert_quiet()


def test_several_scores_of_an_answer_and_the_one_that_the_grid_shows(visit: Any, tmp_path: Path) -> None:
    """Half of ragas's metrics failed in this file: the grid begins with the first that has a number, and the address
    keeps another choice."""
    (table,) = (SHARED / "logs2026" / "ragas").glob("*.csv") if SHARED.is_dir() else (None,)
    if table is None:
        pytest.skip("../shared/data is not here")
    with table.open(newline="", encoding="utf-8") as file:
        held = {row["user_input"]: row for row in csv.DictReader(file)}
    opened: Opened = visit(make(tmp_path / "page.html", table))
    page = opened.page
    assert page.locator("#f-score").evaluate("it => it.selectedOptions[0].text") == "mean(context_precision)"
    for name, *cells in page.evaluate(SHOWN):
        value = held[name]["context_precision"]
        assert cells[-1] == (f"{float(value):.3f}" if value else "?")
    page.select_option("#f-score", label="mean(context_recall)")
    for name, *cells in page.evaluate(SHOWN):
        value = held[name]["context_recall"]
        assert (cells[-1] == f"{float(value):.3f}") if value else not cells[-1].replace("•", "").replace("?", "")
    assert "score=mean%28context_recall%29" in page.url
    search(page, "Reims")
    page.locator(".grid-body .row:visible").first.click()
    page.locator("#detail .several").first.wait_for()
    assert "mean(context_precision) 1" in " ".join(page.inner_text("#detail .several").split())
    opened.assert_quiet()


@pytest.mark.slow
def test_one_click_leads_to_the_lowest_scores(matrix_page: Path, visit: Any) -> None:
    runs, rows = matrix()
    opened: Opened = visit(matrix_page, viewport={"width": 1200, "height": 1400})
    page = opened.page
    links = page.locator("a.read")
    best = max(range(len(runs)), key=lambda r: sum(row[r] for row in rows))
    assert links.all_inner_texts() == [f"the lowest scores of {runs[best]}", "where the runs are furthest apart"]
    links.first.click()
    page.locator("#detail:not([hidden])").wait_for()
    lowest = sorted(range(len(rows)), key=lambda i: rows[i][best])
    assert [name for name, *_ in page.evaluate(SHOWN)][:10] == [str(i + 1) for i in lowest[:10]]
    assert page.inner_text("#detail h3") == str(lowest[0] + 1)
    opened.assert_quiet()


@pytest.mark.parametrize(
    ("files", "options", "expected"),
    [
        (["ap.csv"], {}, ["mean(ap)"]),
        (["key.txt", "runs/first.txt", "assessor.txt"], {}, ["nuggets.F", "nuggets.NR", "nuggets.NP"]),
        (["developset", "student-run.response"], {}, ["read.recall", "read.precision", "read.AutSent"]),
        (["outcomes.csv"], {}, []),  # of outcomes the marks say it all
    ],
)
def test_scores_are_of_measures_that_are_means_of_questions(
    files: list[str], options: dict[str, Any], expected: list[str]
) -> None:
    loaded = load([EXAMPLES / name for name in files], Options(texts=True, **options))
    report = gather(loaded, ci=None)
    scores, notes = graded_scores(loaded, report.runs, report.measures)
    assert list(scores) == expected
    assert notes == ()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (375, "dark")])
def test_scores_are_accessible(polymer_page: Path, visit: Any, width: int, scheme: str) -> None:
    opened: Opened = visit(polymer_page, viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
    assert_accessible(opened.page)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width


def test_scores_stand_below_an_outcome_and_gold_answers_once(tmp_path: Path, visit: Any) -> None:
    table = tmp_path / "f1.csv"
    table.write_text(
        "run,question,outcome,gold,prediction,f1\n"
        + "".join(f"mine,q{i},{'incorrect' if i % 2 else 'correct'},{'AB'[i % 2]},A,{i / 10}\n" for i in range(10))
    )
    opened: Opened = visit(make(tmp_path / "page.html", table, "-m", "accuracy", "-m", "mean(f1)"))
    page = opened.page
    page.locator(".grid-body .row:visible", has=page.locator("bdi:text-is('q3')")).click()
    page.locator("#detail td.words").wait_for()
    assert page.inner_text("#detail td.text small") == "mean(f1) 0.3"
    assert page.inner_text("#detail").count("Gold: B") == 1
    assert "gold: B" not in page.inner_text("#detail")
    assert page.locator(".grid-body .scored").count() == 0  # cells are outcomes
    opened.assert_quiet()


def test_two_runs_of_graded_scores_have_their_questions_beside_their_difference(tmp_path: Path, visit: Any) -> None:
    """What changed between two runs of the examples: the questions furthest apart, from the file."""
    with (EXAMPLES / "ap.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    named = next(name for name in rows[0] if name not in ("dense", "both", "bm25"))
    page_ = make(tmp_path / "diff.html", EXAMPLES / "ap.csv", "--baseline", "bm25", "--run", "dense")
    opened: Opened = visit(page_)
    page = opened.page
    assert "The score of each run on each of the 50 questions, before and after." in page.inner_text("#questions")
    page.select_option("#f-sort", "apart")
    apart = {row[named]: abs(float(row["dense"]) - float(row["bm25"])) for row in rows}
    shown = page.evaluate(SHOWN)
    assert [apart[name] for name, *_ in shown] == sorted(apart.values(), reverse=True)[: len(shown)]
    for name, _, old, new in shown:
        (row,) = (row for row in rows if row[named] == name)
        assert (float(old), float(new)) == (
            pytest.approx(float(row["bm25"]), abs=0.00051),
            pytest.approx(float(row["dense"]), abs=0.00051),
        )
    opened.assert_quiet()
