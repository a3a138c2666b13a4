"""How fast a large report opens and filters, in a real browser, and how large it is.

    python benchmarks/report_page.py [--questions 100000] [--runs 10] [--keep FOLDER]

Makes outcomes with the words of questions and answers, writes the page, and opens it in Chromium: until the page is
complete, until a preset, a search of words and a condition have been applied, and until one run is emphasised.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

# Sets a control, and returns after how many seconds the page is laid out again.
CHANGED = """([place, value, event]) => {
  const began = performance.now(), it = document.getElementById(place);
  it.value = value;
  it.dispatchEvent(new Event(event, { bubbles: true }));
  document.getElementById('grid').offsetHeight;
  return (performance.now() - began) / 1000;
}"""


def write(path: Path, questions: int, runs: int) -> None:
    """Write a table of runs with confidences and words, as Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    writer: Any = None
    for r in range(runs):
        skill = 0.4 + 0.4 * (r + 1) / runs
        sure = rng.random(questions)
        right = rng.random(questions) < skill * (0.6 + 0.8 * sure) / 1.2
        outcome = np.where(sure < 0.1, "unanswered", np.where(right, "correct", "incorrect"))
        table = pa.table(
            {
                "run": [f"run-{r:03}"] * questions,
                "question": [f"q{i:06}" for i in range(questions)],
                "outcome": outcome,
                "confidence": sure.round(3),
                "question_text": [
                    f"What is said of number {i} in the text on topic {i % 97}?" for i in range(questions)
                ],
                "gold": [f"It is {i % 1000}." for i in range(questions)],
                "prediction": [
                    f"The text says that it is {i * (r + 1) % 1000}, as run {r} sees it." for i in range(questions)
                ],
            }
        )
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()


def measure(page: Path) -> dict[str, float]:
    """Open a page and say how many seconds each thing takes."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    seconds: dict[str, float] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
        tab.set_default_timeout(120_000)
        began = time.perf_counter()
        tab.goto(page.as_uri(), wait_until="load")
        tab.wait_for_selector(".grid-body .row:visible" if tab.locator("#grid").count() else "#board")
        seconds["opened, as seen from outside"] = time.perf_counter() - began
        entry = "performance.getEntriesByType('navigation')[0]"
        seconds["page complete, by its own clock"] = tab.evaluate(f"{entry}.domComplete") / 1000
        for name, (place, value, event) in {
            "preset: confidently wrong": ("f-show", "sure", "input"),
            "preset: all runs wrong": ("f-show", "all", "input"),
            "runs: at least one unanswered": ("f-agree", "silent", "input"),
            "order: fewest right first": ("f-sort", "hard", "input"),
            "one run emphasised": ("highlight", "0", "change"),
        }.items():
            if tab.locator(f"#{place}").count():
                seconds[name] = tab.evaluate(CHANGED, [place, value, event])
        if tab.locator("#f-search").count():
            tab.evaluate("() => document.getElementById('f-reset').click()")
            for name in ("search of a word, the first", "search of a word, the next"):
                tab.fill("#f-search", "" if name.endswith("first") else "text on topic 1")
                tab.wait_for_timeout(500)
                before = tab.inner_text("#f-count")
                began = time.perf_counter()
                tab.fill("#f-search", "number 4242" if name.endswith("first") else "topic 13")
                while tab.inner_text("#f-count") == before:
                    time.sleep(0.01)
                seconds[name] = time.perf_counter() - began
        browser.close()
    return seconds


def main() -> None:
    """Measure and print."""
    from nescio.reporting import page as pages

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    folder = asked.keep or Path(tempfile.mkdtemp())
    folder.mkdir(exist_ok=True)
    table, page = folder / "table.parquet", folder / "page.html"
    write(table, asked.questions, asked.runs)
    began = time.perf_counter()
    data = pages.gather([table], resamples=1000)
    page.write_text(pages.page(data, texts=pages.texts_of(data.loaded)), encoding="utf-8")
    print(f"{asked.questions:,} questions, {asked.runs} runs: page made in {time.perf_counter() - began:.1f} s")
    print(f"size {page.stat().st_size / 1e6:.1f} MB")
    for name, value in measure(page).items():
        print(f"{name:34} {value:6.2f} s")


if __name__ == "__main__":
    main()
