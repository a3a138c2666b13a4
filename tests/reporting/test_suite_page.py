"""The page of a suite: its sentence, its heat map, and that nothing in the data acts in it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nescio
from nescio.data.evidence import Evidence
from nescio.reporting.page.suite import answer, suite_page
from tests.browser import AXE
from tests.suites import typed

from ..comparison.runs import evidence
from .conftest import HOSTILE

SUITE = Path(__file__).parents[2] / "examples" / "suite" / "suite.toml"
SMALL: dict[str, Any] = {"resamples": 300}


def test_the_sentence_names_the_best_and_who_is_tied() -> None:
    sure = {"a": evidence(x="C" * 40, y="W" * 40), "b": evidence(x="C" * 40, y="W" * 40)}
    said = answer(typed.score(sure, "accuracy", **SMALL)).text
    low = 0.025 ** (1 / 80)  # all of 80 right: the exact bound of Clopper & Pearson, of 95% and two sides
    assert said == (
        f"x has the best mean accuracy over 2 benchmarks, 1.000 [{low:.3f}, 1.000], "
        "significantly better than every other run."
    )
    tied = {"a": evidence(x="CCW", y="CWW"), "b": evidence(x="CWW", y="CWW")}
    assert "not significantly different from y." in answer(typed.score(tied, "accuracy", **SMALL)).text
    alone = typed.score({"a": evidence(x="CW")}, "accuracy", ci=None, **SMALL)
    assert answer(alone).text == "x has a mean accuracy of 0.500 over 1 benchmark."
    unmarked = typed.score(tied, "accuracy", mark=False, **SMALL)
    assert answer(unmarked).text.endswith("no tests were made.")


def test_a_row_of_the_heat_map_has_a_scale_of_its_own() -> None:
    suite = {"easy": evidence(x="CCCC", y="CCCW", z="CCWW"), "hard": evidence(x="WWWW", y="CWWW", z="CCWW")}
    page = suite_page(typed.score(suite, "accuracy", **SMALL), title="T")
    shades = [float(shade) for shade in re.findall(r"--shade: ([\d.]+)", page)]
    # The runs stand in the order of their means: y and z have .5, x too; each row from its worst to its best.
    assert sorted(shades[:3]) == [0.0, 0.5, 1.0]
    assert sorted(shades[3:]) == [0.0, 0.5, 1.0]


def test_lower_is_better_turns_the_colours_round() -> None:
    suite = {"a": evidence(x="CCWW", y="CCCC")}
    page = suite_page(typed.score(suite, "simpleqa.incorrect", **SMALL), title="T")
    rows = re.findall(r"--shade: ([\d.]+)\">([\d.]+)", page)
    assert {value: shade for shade, value in rows} == {"0.500": "0.0", "0.000": "1.0"}


def hostile() -> dict[str, Evidence]:
    return {name: evidence(**{HOSTILE[0]: "CCW", HOSTILE[1]: "CWW", HOSTILE[2]: "WWW"}) for name in HOSTILE[3:8]}


def test_names_do_nothing_in_a_page(tmp_path: Path, visit: Any) -> None:
    page = tmp_path / "suite.html"
    nescio.report(hostile(), "accuracy", output=page, title=HOSTILE[0], **SMALL)
    assert "<img" not in page.read_text(encoding="utf-8")
    opened = visit(page)
    opened.assert_quiet()
    assert opened.page.evaluate("window.pwned") is None


def test_the_page_of_a_suite_fits_a_telephone(tmp_path: Path, visit: Any) -> None:
    written = nescio.report(SUITE, output=tmp_path / "suite.html", **SMALL)
    opened = visit(written.page, viewport={"width": 400, "height": 800})
    opened.assert_quiet()
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 400
    assert opened.page.locator("table.heat").count() == 2
    assert opened.page.locator("td.highest").count() == 2
    names = opened.page.locator("table.board tbody th").all()
    assert all(name.bounding_box()["width"] >= 100 for name in names)  # not a letter a line
    opened.page.evaluate(AXE.read_text(encoding="utf-8"))
    found = opened.page.evaluate("axe.run(document, { resultTypes: ['violations'] }).then((all) => all.violations)")
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
