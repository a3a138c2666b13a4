"""The published site in a real browser: quiet, accessible, and fitting, wide and narrow, light and dark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nescio
from tests.browser import AXE

from . import made
from .test_check import defective
from .test_score import judged_qa, systems, two_languages

__all__ = ["two_languages"]  # a fixture of the other file
SIZES = [
    (1440, "light"),
    pytest.param(1440, "dark", marks=pytest.mark.slow),
    pytest.param(768, "light", marks=pytest.mark.slow),
    pytest.param(768, "dark", marks=pytest.mark.slow),
    pytest.param(375, "light", marks=pytest.mark.slow),
    (375, "dark"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of two runs, and the page of a defective one beside it."""
    folder = tmp_path_factory.mktemp("site")
    campaign = judged_qa(folder)
    nescio.campaign.score(campaign, resamples=100)
    nescio.campaign.publish(campaign)
    nescio.campaign.check(campaign, [defective("qa", folder)], page=campaign / "site" / "faults.html")
    rows = [{"id": f"t{i}", "strings": [f"fact 0 of {i}", "noise"]} for i in range(4)]
    nuggets = made.nuggets(folder / "nuggets")
    made.lines(folder / "nuggets" / "alpha" / "r.jsonl", rows)
    nescio.campaign.intake(nuggets, [folder / "nuggets" / "alpha"])
    nescio.campaign.score(nuggets, resamples=100)
    nescio.campaign.publish(nuggets)
    (nuggets / "site" / "topics" / "t1.html").rename(campaign / "site" / "topics" / "nuggets.html")
    return campaign / "site"


@pytest.fixture
def ave_site(two_languages: Path, tmp_path: Path) -> Path:
    """A site of answer validation in two languages, whose tables are the widest."""
    qa = systems(tmp_path / "en.csv", 6, {"gamma_qa1": "135", "beta_qa": "13"})
    nescio.campaign.score(two_languages, ranking=[f"EN={qa}"], resamples=100)
    nescio.campaign.publish(two_languages)
    return two_languages / "site"


@pytest.mark.parametrize(("width", "scheme"), SIZES)
@pytest.mark.parametrize(
    "name", ["index.html", "topics/q4.html", "../returns/alpha/index.html", "faults.html", "topics/nuggets.html"]
)
def test_a_page_is_quiet_accessible_and_fits(name: str, width: int, scheme: str, site: Path, visit: Any) -> None:
    assert_fits(visit((site / name).resolve(), viewport={"width": width, "height": 900}, color_scheme=scheme), width)


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_the_tables_of_answer_validation_fit(width: int, scheme: str, ave_site: Path, visit: Any) -> None:
    opened = visit(ave_site / "index.html", viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert opened.page.locator("table").count() >= 14
    assert_fits(opened, width)


def assert_fits(opened: Any, width: int) -> None:
    page = opened.page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("h1").count() == 1
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] }).then((all) => all.violations)")
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
    opened.assert_quiet()


def test_a_topic_is_reached_from_the_index_and_leads_back(site: Path, visit: Any) -> None:
    page = visit(site / "index.html").page
    page.click("a:has-text('q4')")
    assert page.inner_text("h1") == "q4"
    page.click(".crumbs a")
    assert not page.locator("a:has-text('Alpha University')").count()  # returns are not public
