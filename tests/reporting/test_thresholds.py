"""The sliders of the page against `nescio tune` and `nescio score`."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest

import nescio
from nescio.reporting import page as pages
from nescio.reporting.page.sentence import advice
from tests.browser import Opened
from tests.reporting.conftest import THREE, make, outcome_table

SHARED = Path(__file__).parents[2].parent / "shared" / "data"


def figures(row: Any) -> dict[str, str]:
    return {cell.get_attribute("data-is"): cell.inner_text() for cell in row.locator("[data-is]").all()}


def test_a_slider_gives_the_figures_of_tune_and_score(tmp_path: Path, visit: Any) -> None:
    table = outcome_table(tmp_path / "three.csv", THREE, confidence=True)
    opened: Opened = visit(make(tmp_path / "page.html", table))
    page = opened.page
    scores = nescio.score(table, ["c@1", "coverage", "penalty(t=0.75)"], resamples=100)
    for row in page.locator("#thresholds tbody tr").all():
        run = row.locator("th").inner_text()
        shown = figures(row)
        assert float(shown["c1"]) == pytest.approx(scores.value(run, "c@1"), abs=0.0005)
        assert float(shown["penalty"]) == pytest.approx(scores.value(run, "penalty(t=0.75)"), abs=0.0005)
        assert shown["answered"] == f"{100 * scores.value(run, 'coverage'):.1f}%"
        made = tmp_path / f"{run}.csv"
        tuned = nescio.tune(table, run=run, resamples=100, output=made)
        row.locator("button:has-text('tuned')").click()
        shown = figures(row)
        assert float(shown["threshold"]) == pytest.approx(tuned.threshold)
        assert shown["answered"] == f"{100 * tuned.rows[0].coverage:.1f}%"
        assert shown["risk"] == f"{100 * tuned.rows[0].risk:.1f}%"
        again = nescio.score(made, ["c@1", "penalty(t=0.75)"], resamples=100)
        assert float(shown["c1"]) == pytest.approx(again.value(run, "c@1"), abs=0.0005)
        assert float(shown["penalty"]) == pytest.approx(again.value(run, "penalty(t=0.75)"), abs=0.0005)
        said = row.locator("td.text").inner_text()
        assert f"c@1 {tuned.rows[0].value:.3f}; answers {tuned.rows[0].coverage_held_out:.1%}" in said
    page.fill("#t-price", "0.5")
    first = page.locator("#thresholds tbody tr").first
    correct, incorrect = (int(figures(first)[name]) for name in ("correct", "incorrect"))
    assert float(figures(first)["penalty"]) == pytest.approx((correct - incorrect) / 300, abs=0.0005)
    page.evaluate(
        "(() => "
        "{ const all = document.getElementById('t-all'); all.value = 50; all.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    for row in page.locator("#thresholds tbody tr").all():
        assert float(figures(row)["answered"][:-1]) == pytest.approx(50, abs=2)
    opened.assert_quiet()


def test_the_headline_ends_in_what_to_do(tmp_path: Path) -> None:
    # The sure half of `keen` is right and the other wrong: a threshold pays, and it is better than `dull` by far.
    table = outcome_table(tmp_path / "two.csv", {"keen": "C" * 120 + "W" * 80, "dull": "CWWWW" * 40}, confidence=True)
    said = advice(pages.gather([table], resamples=200))
    found = re.fullmatch(
        r"Ship keen at threshold ([\d.]+): it answered (\d+)% of held-out questions, and (\d+)% of these wrongly \(at most "
        r"([\d.]+)% on others like them, with 95% confidence, chosen out of 2\)\.",
        said,
    )
    assert found, said
    assert 0.4 < float(found[1]) < 0.5  # the 120th confidence is 0.99 - 0.9 · 119/200 = 0.4545
    assert int(found[3]) <= float(found[4])
    plain = outcome_table(tmp_path / "plain.csv", {"keen": "C" * 120 + "W" * 80, "dull": "CWWWW" * 40})
    # 80 of 200 wrong, the better of two runs: the upper bound of Clopper and Pearson at 97.5% is that quantile of
    # Beta(81, 120)
    from scipy.stats import beta

    upper = beta.ppf(0.975, 81, 120)
    assert advice(pages.gather([plain], resamples=200)) == (
        f"Ship keen as it is: it answers 100%, and 40% of its answers are wrong (at most {math.ceil(100 * upper)}% on "
        "others like them, with 95% confidence, chosen out of 2)."
        " Given a confidence for each answer, nescio also says above which confidence to answer."
    )
    level = outcome_table(tmp_path / "level.csv", {"one": "CCW" * 20, "two": "WCC" * 20})
    assert (
        "one and two are not told apart here (p = 1.00); `nescio plan FILES -m c@1 --run one --baseline two` says how "
        "many questions would."
    ) in advice(pages.gather([level], resamples=200))


@pytest.mark.slow
def test_real_runs_have_sliders(tmp_path: Path, visit: Any) -> None:
    files = [SHARED / "pan20" / "truth.jsonl", *sorted((SHARED / "pan20").glob("runs/*/*"))]
    if not files[0].is_file():
        pytest.skip("../shared/data/pan20 is not here")
    opened: Opened = visit(make(tmp_path / "page.html", *files, "-m", "c@1"))
    page = opened.page
    assert page.locator("#thresholds tbody tr").count() == 9
    # As given, boenninghoff20-small is first; each at its own threshold it is not, as `nescio tune` says too.
    said = page.inner_text(".advice")
    assert said.startswith(
        "With each run at its own threshold, weerasinghe20-large is ahead of boenninghoff20-small. Ship weerasinghe20-large "
        "at threshold 0.9"
    )
    two = [file for file in files if "runs" not in file.parts or file.parent.name.startswith(("boenn", "weera"))]
    pair = nescio.tune_pair(two, baseline="boenninghoff20-small", run="weerasinghe20-large", resamples=200)
    assert pair.comparison.verdict == "better"
    tuned = pair.rows[1]
    assert f"answered {tuned.coverage_held_out:.0%} of held-out questions, and {tuned.risk_held_out:.0%} of" in said
    opened.assert_quiet()
