"""The report of published runs against their files: bands, categories, difficulty, presets and sliders, at ten places
each."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import nescio
from tests.browser import Opened
from tests.reporting.conftest import make
from tests.reporting.test_hints import INTO_SIGHT, Axes, spread
from tests.reporting.test_page_browser import assert_count

pytestmark = pytest.mark.slow

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
TRUTH = SHARED / "pan20" / "truth.jsonl"
MMLU = SHARED / "mmlu_pro" / "outcomes.parquet"
RIGHT, WRONG, SILENT = 1, 0, -1


@dataclass(frozen=True)
class Answers:
    """What runs did, read from the files by hand: states and confidences, shape (runs, questions)."""

    runs: Sequence[str]
    questions: Sequence[str]
    state: Any
    sure: Any

    def of(self, run: str) -> tuple[Any, Any]:
        i = self.runs.index(run)
        return self.state[i], self.sure[i]


def pan() -> Answers:
    """A value above 0.5 says that the authors are the same, one of 0.5 says nothing; the farther, the surer."""
    truth = {row["id"]: row["same"] for row in map(json.loads, TRUTH.read_text().splitlines())}
    runs = sorted(path.parent.name for path in (SHARED / "pan20").glob("runs/*/*"))
    state, sure = np.full((len(runs), len(truth)), SILENT), np.full((len(runs), len(truth)), np.nan)
    places = {name: i for i, name in enumerate(truth)}
    for r, run in enumerate(runs):
        for row in map(json.loads, next((SHARED / "pan20" / "runs" / run).iterdir()).read_text().splitlines()):
            value = row["value"][0] if isinstance(row["value"], list) else row["value"]
            at = places[row["id"]]
            if value != 0.5:
                state[r, at] = RIGHT if (value > 0.5) == truth[row["id"]] else WRONG
                sure[r, at] = max(value, 1 - value)
    return Answers(runs, list(truth), state, sure)


def mmlu() -> Answers:
    rows = duckdb.execute(f"SELECT run, question, outcome FROM '{MMLU}'").fetchall()
    words = {"correct": RIGHT, "incorrect": WRONG, "unanswered": SILENT}
    runs, questions = (list(dict.fromkeys(row[i] for row in rows)) for i in (0, 1))
    at = [{name: i for i, name in enumerate(names)} for names in (runs, questions)]
    state = np.full((len(runs), len(questions)), SILENT)
    for run, question, outcome in rows:
        state[at[0][run], at[1][question]] = words[outcome]
    return Answers(runs, questions, state, np.full(state.shape, np.nan))


@pytest.fixture(scope="module")
def pan_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not TRUTH.is_file():
        pytest.skip("../shared/data/pan20 is not here")
    files = sorted((SHARED / "pan20").glob("runs/*/*"))
    return make(tmp_path_factory.mktemp("pan20") / "page.html", TRUTH, *files, "-m", "c@1")


@pytest.fixture(scope="module")
def mmlu_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not MMLU.is_file():
        pytest.skip("../shared/data/mmlu_pro is not here")
    return make(tmp_path_factory.mktemp("mmlu_pro") / "page.html", MMLU, "-m", "c@1")


@pytest.fixture(scope="module", params=[pan, mmlu])
def published(request: pytest.FixtureRequest) -> tuple[Path, Answers]:
    page: Path = request.getfixturevalue(f"{request.param.__name__}_page")
    return page, request.param()


def test_bands_stand_where_the_data_says(pan_page: Path, visit: Any) -> None:
    """Each band is a closed line: along one edge to the right, along the other one back."""
    page = visit(pan_page, viewport={"width": 1200, "height": 1600}).page
    own = page.evaluate("JSON.parse(document.getElementById('data').textContent).risk")
    rows = [dict(zip(own["columns"], row, strict=True)) for row in own["rows"]]
    seen = 0
    for panel in page.locator("#figure-risk .panel").all():
        run, _ = panel.locator("p").inner_text(), panel.evaluate(INTO_SIGHT)
        places = panel.evaluate(
            """(panel) => { const path = [...panel.querySelectorAll('path')].find((p) => p.getAttribute('opacity') === '0.18');
              const n = path.getAttribute('d').match(/-?\\d*\\.?\\d+/g).map(Number), m = path.getScreenCTM();
              return n.flatMap((x, i) => i % 2 ? [] : [[m.a * x + m.e, m.d * n[i + 1] + m.f]]); }"""
        )
        axes, band = Axes.of(panel), [row for row in rows if row["run"] == run]
        assert len(places) == 2 * len(band)
        for row in spread(band):
            for edge in ("low", "high"):
                x, y = axes.pixel(row["coverage"], row[edge])
                assert min(abs(a - x) + abs(b - y) for a, b in places) < 2, (run, row)
                seen += 1
    assert seen == 9 * 10 * 2


def test_categories_are_those_of_score_and_the_better_the_darker(mmlu_page: Path, visit: Any) -> None:
    page = visit(mmlu_page).page
    scores = {(row.run, row.stratum): row for row in nescio.score(MMLU, ["c@1"], by="category", resamples=500)}
    runs = page.locator("#heat thead th[data-run] button").all()
    names = [run.get_attribute("title") or run.inner_text() for run in runs]
    cells = []
    for line in page.locator("#heat tbody tr").all():
        category, n = line.locator("th").inner_text(), line.locator("td").first.inner_text()
        for run, cell in zip(names, line.locator("td.heated").all(), strict=True):
            row = scores[run, category]
            assert f"{row.n:,}" == n
            text, interval = cell.inner_text().split("\n")[0], cell.locator("small").inner_text()
            shade = float(re.search(r"--shade: ([\d.]+)", cell.get_attribute("style"))[1])  # type: ignore[index]
            cells.append((row, text, interval, shade))
    assert len(cells) == 14 * 12
    for row, text, interval, _ in spread(cells):
        assert (text, interval) == (f"{row.value:.3f}", f"[{row.low:.3f}, {row.high:.3f}]")
    by_value = [shade for *_, shade in sorted(cells, key=lambda cell: cell[0].value)]
    assert by_value == sorted(by_value)


def test_bars_of_difficulty_count_the_questions(published: tuple[Path, Answers], visit: Any) -> None:
    path, answers = published
    right = (answers.state == RIGHT).sum(axis=0)
    opened: Opened = visit(path)
    page = opened.page
    for bar in spread(page.locator("#f-bars button").all()):
        label = bar.get_attribute("aria-label")
        found = re.fullmatch(r"([\d,]+) questions? that (\d+)(?:–(\d+))? of (\d+) runs got right", label)
        assert found, label
        low, high = int(found[2]), int(found[3] or found[2])
        many = int(((right >= low) & (right <= high)).sum())
        assert found[1] == f"{many:,}"
        assert int(found[4]) == len(answers.runs)
        bar.click()
        assert_count(page, f"{many:,} of {len(answers.questions):,} questions")
        bar.click()
    opened.assert_quiet()


def presets(answers: Answers) -> Mapping[tuple[str, str], Any]:
    """Of each preset and run which questions it shows, as a mask."""
    wrong = answers.state == WRONG
    only = (wrong.sum(axis=0) == 1) & (answers.state == RIGHT).any(axis=0)
    masks = {("all", ""): wrong.all(axis=0), ("only", ""): only}
    for run in spread(list(answers.runs)):
        masks["only", run] = only & (answers.of(run)[0] == WRONG)
        if not np.isnan(answers.sure).all():
            masks["sure", run] = answers.of(run)[0] == WRONG
    return masks


def test_presets_are_queries_on_the_files(published: tuple[Path, Answers], visit: Any) -> None:
    path, answers = published
    opened: Opened = visit(path, viewport={"width": 1200, "height": 1400})
    page, n = opened.page, len(answers.questions)
    for (preset, run), mask in presets(answers).items():
        page.select_option("#f-show", preset)
        page.select_option("#f-of", label=run or "any run")
        assert_count(page, f"{int(mask.sum()):,} of {n:,} questions")
        shown = page.evaluate(
            "[...document.querySelectorAll('.grid-body .row')].filter((r) => r.style.display !== 'none')"
            ".sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((r) => r.querySelector('.name bdi').textContent)"
        )
        places = [answers.questions.index(name) for name in shown]
        assert mask[places].all()
        if preset == "sure":  # the surest of all its errors, in order
            sure = answers.of(run)[1].astype(np.float32)
            assert list(sure[places]) == sorted(sure[mask], reverse=True)[: len(places)]
    opened.assert_quiet()


def test_sliders_count_what_is_sure_enough(pan_page: Path, visit: Any) -> None:
    """At ten places of each slider: who is at least as sure as the threshold is counted in the files."""
    answers = pan()
    opened: Opened = visit(pan_page)
    page, n = opened.page, len(answers.questions)
    scores = nescio.score([TRUTH, *sorted((SHARED / "pan20").glob("runs/*/*"))], ["c@1", "coverage"], resamples=100)
    held = page.evaluate("JSON.parse(document.getElementById('data').textContent).thresholds")
    exact = {one["run"]: one["points"] for one in held}
    for row in page.locator("#thresholds tbody tr").all():
        run = row.locator("th").inner_text()
        state, sure = answers.of(run)

        def figures(row: Any = row) -> dict[str, str]:
            return {cell.get_attribute("data-is"): cell.inner_text() for cell in row.locator("[data-is]").all()}

        as_given = figures()
        assert float(as_given["c1"]) == pytest.approx(scores.value(run, "c@1"), abs=0.0005)
        assert as_given["answered"] == f"{100 * scores.value(run, 'coverage'):.1f}%"
        slider = row.locator("input")
        last = int(slider.get_attribute("max"))
        for place in {round(i * last / 9) for i in range(10)}:
            slider.evaluate(
                "(it, v) => { it.value = v; it.dispatchEvent(new Event('input', { bubbles: true })); }", place
            )
            said = figures()
            threshold = exact[run][place][0]  # of which six digits are shown
            if threshold is None:
                assert said["threshold"] == "answers nothing"
            else:
                assert float(said["threshold"]) == pytest.approx(threshold, rel=1e-5)
            given = sure >= (np.inf if threshold is None else threshold)
            right, wrong = int((given & (state == RIGHT)).sum()), int((given & (state == WRONG)).sum())
            assert said["correct"] == f"{right:,}"
            assert said["incorrect"] == f"{wrong:,}"
            assert said["unanswered"] == f"{n - right - wrong:,}"
            assert float(said["c1"]) == pytest.approx((right + (n - right - wrong) * right / n) / n, abs=0.0006)
            if right + wrong:  # a tie such as 6.25 is rounded up by the browser
                assert float(said["risk"].rstrip("%")) == pytest.approx(100 * wrong / (right + wrong), abs=0.0500001)
            else:
                assert said["risk"] == "–"
    opened.assert_quiet()


@pytest.mark.parametrize("run", ["boenninghoff20-small", "weerasinghe20-large"])
def test_the_tuned_threshold_is_that_of_tune(pan_page: Path, visit: Any, run: str) -> None:
    page = visit(pan_page).page
    tuned = nescio.tune([TRUTH, *(SHARED / "pan20" / "runs" / run).iterdir()], resamples=100)
    row = page.locator("#thresholds tbody tr", has=page.locator("th", has_text=run))
    row.locator("button:has-text('tuned')").click()
    said = {cell.get_attribute("data-is"): cell.inner_text() for cell in row.locator("[data-is]").all()}
    assert float(said["threshold"]) == pytest.approx(tuned.threshold, rel=1e-5)
    assert said["answered"] == f"{100 * tuned.rows[0].coverage:.1f}%"
    assert said["risk"] == f"{100 * tuned.rows[0].risk:.1f}%"
    assert f"c@1 {tuned.rows[0].value:.3f}; answers {tuned.rows[0].coverage_held_out:.1%}" in row.inner_text()
