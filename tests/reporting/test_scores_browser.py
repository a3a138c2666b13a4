"""Hints over charts, and graded scores, in a browser: at ten places each what the data and the files have there."""

from __future__ import annotations

import csv
import json
import math
import re
import struct
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from nescio.reporting.numbers import number
from tests.reporting.acting import assert_count, assert_text, in_sight, look, still
from tests.reporting.files import EXAMPLES, SHARED, embedded, inflated, make, rows_of, written

pytestmark = pytest.mark.slow
PageOf = Callable[[str], Path]
Show = Callable[..., Any]


def spread(items: Sequence[Any]) -> list[Any]:
    """Ten of the items, from the first to the last."""
    return [items[round(i * (len(items) - 1) / 9)] for i in range(10)] if items else []


# --- Hints over charts.


def pixel(plot: Any, x: float, y: float) -> tuple[float, float]:
    """Where the place (x, y) of a chart is on the screen, by the numbers at its axes."""
    flat: dict[int, list[tuple[float, float]]] = {}
    upright: dict[int, list[tuple[float, float]]] = {}
    for text, across, down, right in look(plot, "texts"):
        plain = text.replace("\u2212", "-").strip()
        if re.fullmatch(r"-?[\d.]+%?", plain):
            value = float(plain.rstrip("%")) / (100 if plain.endswith("%") else 1)
            flat.setdefault(round(down), []).append((value, across))
            upright.setdefault(round(right), []).append((value, down))
    places = []
    for lines, value in ((flat, x), (upright, y)):
        axis = max(lines.values(), key=len)
        (low, at_low), (high, at_high) = min(axis), max(axis)
        places.append(at_low + (at_high - at_low) / (high - low) * (value - low))
    return places[0], places[1]


def risk_tip(row: dict[str, Any]) -> str:
    wrong = f"{row['risk']:.1%} of these wrong [{row['low']:.1%}, {row['high']:.1%}]"
    return f"{row['run']}, threshold {row['threshold']:.6g}: answers {row['coverage']:.1%}, {wrong}"


def penalty_tip(row: dict[str, Any]) -> str:
    return f"{row['run']}: penalty(t={row['t']:g}) = {number(row['value'])}"


@pytest.mark.parametrize("width", [1200, 375])
@pytest.mark.parametrize(
    ("name", "tip", "across", "up"),
    [("risk", risk_tip, "coverage", "risk"), ("penalty", penalty_tip, "t", "value")],
)
def test_mouse_and_keys_are_told_what_the_data_says(
    name: str, tip: Callable[[dict[str, Any]], str], across: str, up: str, width: int, page_of: PageOf, show: Show
) -> None:
    """On one chart of three runs, and on a panel for each of four."""
    for kind in ("three", "four"):
        page = show(kind, viewport={"width": width, "height": 1600})
        rows = [row for row in rows_of(embedded(page_of(kind))[name]) if row[up] is not None and row[up] >= -0.5]
        places = {tip(row): (row[across], row[up]) for row in rows}
        plot = page.locator(f"#figure-{name} .plot")
        panels = {panel.locator("p").inner_text(): panel for panel in plot.locator(".panel").all()}
        for row in spread(rows):
            chart = panels[row["run"]] if panels else plot
            x, y = pixel(chart, row[across], row[up])
            still(page)
            page.mouse.move(x, y)
            text = page.inner_text("#tip")
            if text not in places:  # the point at which a run itself decided lies on its line
                assert re.search(r"answered [\d.]+%, and [\d.]+% of these were wrong", text), (text, tip(row))
                continue
            shown = pixel(chart, *places[text])
            assert abs(shown[0] - x) + abs(shown[1] - y) < 3, (text, tip(row))
        plot.focus()
        page.keyboard.press("End")
        tips = [page.inner_text("#tip")]
        for _ in range(10):
            page.keyboard.press("ArrowLeft")
            tips.append(page.inner_text("#tip"))
        at = [places[text][0] for text in tips]  # from the right end of the last line towards its left
        assert at == sorted(at, reverse=True), tips
        assert len(set(tips)) == 11
        page.keyboard.press("ArrowUp")
        other = page.inner_text("#tip")
        assert re.split("[,:]", other)[0] != re.split("[,:]", tips[-1])[0]
        assert places[other][0] == pytest.approx(at[-1], abs=0.06)


# --- Graded scores alone.


def test_a_log_of_scores_shows_question_gold_answer_and_score(show: Show) -> None:
    """Of each document what the file holds; an infinite error, which no mean can take, is said beside the answer."""
    page = show("polymer", viewport={"width": 1440, "height": 1600})
    (path,) = (SHARED / "logs" / "lm_eval" / "polymer_tg_mae_infinity").glob("samples_*.jsonl")
    samples = [json.loads(text) for text in path.read_text().splitlines()]
    assert_count(page, "All 24 questions")
    rows = {name: cells for name, *cells in look(page, "cells")}
    for sample in samples:
        name = f"polymer_tg_prediction/{sample['doc_id']}"
        page.locator(".grid-body .row:visible", has=page.locator(f"bdi:text-is('{name}')")).click()
        assert_text(page, "#detail h3", name)
        page.locator("#detail td.words").wait_for()
        text = " ".join(page.inner_text("#detail").split())
        assert " ".join(sample["doc"]["question"].split()) in text
        assert f"Gold: {sample['target']}" in text
        assert sample["resps"][0][0].strip() in text
        score = page.inner_text("#detail td[data-label]")
        if math.isfinite(sample["mae"]):
            assert float(score) == pytest.approx(sample["mae"], rel=1e-5)
            assert float(rows[name][-1]) == pytest.approx(sample["mae"], abs=0.05)
        else:
            assert score == "no score"
            assert "mae is infinite: left out" in text
    finite = sorted(sample["mae"] for sample in samples if math.isfinite(sample["mae"]))
    assert not page.is_visible("#f-show")
    assert not page.is_visible("#f-agree")
    orders = ["original order", "lowest score first", "highest score first"]
    assert page.locator("#f-sort option").all_inner_texts() == orders
    page.select_option("#f-runs .who", label="gpt-4o-mini")
    page.select_option("#f-runs .what", label="no score")
    assert_count(page, "17 of 24 questions")
    page.select_option("#f-runs .what", label="scored")
    assert_count(page, f"{len(finite)} of 24 questions")
    page.select_option("#f-sort", "low")
    assert [float(cells[-1]) for cells in look(page, "cells")] == pytest.approx(finite, abs=0.05)
    page.locator("#own", has_text=f"{sum(finite) / len(finite):.1f}").wait_for()
    again = show("polymer", page.url.partition(".html")[2])
    assert_count(again, "7 of 24 questions")


def test_bars_orders_and_cells_of_graded_scores_are_those_of_their_file(show: Show, tmp_path: Path) -> None:
    """Three runs on 50 topics."""
    with (EXAMPLES / "ap.csv").open(newline="") as file:
        _, *runs = next(csv.reader(file))
        rows = {name: dict(zip(runs, map(float, values), strict=True)) for name, *values in csv.reader(file)}
    means = {name: sum(row.values()) / len(row) for name, row in rows.items()}
    apart = {name: max(row.values()) - min(row.values()) for name, row in rows.items()}
    page = show(make(tmp_path / "page.html", EXAMPLES / "ap.csv"), viewport={"width": 1200, "height": 1400})
    assert not page.is_visible("#f-show")
    tenths = Counter(int(mean * 10) for mean in means.values())
    for i, bar in enumerate(page.locator("#f-bars button").all()):
        scores = f"a mean score of {i / 10:.3f} to {(i + 1) / 10:.3f}"
        assert bar.get_attribute("aria-label") == f"{tenths[i]} questions with {scores}"
        bar.click()
        assert_count(page, f"{tenths[i]} of 50 questions")
        bar.click()
    columns = [head.get_attribute("title") for head in page.locator(".grid-head .cell[data-run]").all()]
    assert sorted(columns) == sorted(runs)
    for name, mean, *cells in spread(look(page, "cells")):
        assert float(mean) == pytest.approx(means[name], abs=0.0006)
        assert [float(cell) for cell in cells] == pytest.approx([rows[name][run] for run in columns], abs=0.00051)
    for order, key, last in (("low", means, False), ("apart", apart, True)):
        page.select_option("#f-sort", order)
        values = [key[name] for name in in_sight(page)]
        assert values == sorted(key.values(), reverse=last)[: len(values)], order
    first = max(runs, key=lambda run: sum(row[run] for row in rows.values()))
    links = page.locator("a.read")
    assert links.all_inner_texts() == [f"the lowest scores of {first}", "where the runs are furthest apart"]
    links.first.click()
    page.locator("#detail:not([hidden])").wait_for()
    lowest = sorted(row[first] for row in rows.values())
    assert [rows[name][first] for name in in_sight(page)[:10]] == lowest[:10]
    assert rows[page.inner_text("#detail h3")][first] == lowest[0]


def test_scores_stand_beside_outcomes_and_the_grid_shows_one_of_several(tmp_path: Path, show: Show) -> None:
    rows = [f"mine,q{i},{'incorrect' if i % 2 else 'correct'},{'AB'[i % 2]},A,{i / 10}" for i in range(10)]
    table = written(tmp_path / "f1.csv", "run,question,outcome,gold,prediction,f1", rows)
    page = show(make(tmp_path / "page.html", table, "-m", "accuracy", "-m", "mean(f1)"))
    page.locator(".grid-body .row:visible", has=page.locator("bdi:text-is('q3')")).click()
    page.locator("#detail td.words").wait_for()
    assert page.inner_text("#detail td.text small") == "mean(f1) 0.3"
    assert page.inner_text("#detail").count("Gold: B") == 1
    assert page.locator(".grid-body .scored").count() == 0  # cells are outcomes
    path = make(tmp_path / "nuggets.html", *[EXAMPLES / name for name in ("key.txt", "runs/first.txt", "assessor.txt")])
    page = show(path)
    page.select_option("#f-score", "nuggets.NR")
    assert "score=nuggets.NR" in page.url
    recall = next(one for one in embedded(path)["browser"]["graded"] if one["name"] == "nuggets.NR")
    cells = [cells[-1] for cells in look(page, "cells")]
    assert cells == [f"{value:.3f}" for (value,) in struct.iter_unpack("<f", inflated(recall["values"]))]
