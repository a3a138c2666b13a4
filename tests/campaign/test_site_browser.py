"""The published site in a real browser: quiet, accessible, and fitting, wide and narrow, light and dark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nescio

from . import made
from .browsing import SIZES, assert_fits
from .test_check import defective
from .test_score import judged_qa, systems, two_languages

__all__ = ["two_languages"]  # a fixture of the other file
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of two runs, and the page of a defective one beside it."""
    folder = tmp_path_factory.mktemp("site")
    campaign = judged_qa(folder)
    nescio.campaign.score(campaign, resamples=100)
    nescio.campaign.publish(campaign)
    nescio.campaign.check(campaign, [defective("qa", folder)], page=campaign / "site" / "faults.html")
    nuggets = made.nuggets(folder / "nuggets")
    rows = [{"id": f"t{i}", "strings": [f"fact 0 of {i}", "noise"]} for i in range(4)]
    made.lines(folder / "nuggets" / "alpha" / "r.jsonl", rows)
    nescio.campaign.intake(nuggets, [folder / "nuggets" / "alpha"])
    nescio.campaign.score(nuggets, resamples=100)
    nescio.campaign.publish(nuggets)
    (nuggets / "site" / "topics" / "t1.html").rename(campaign / "site" / "topics" / "nuggets.html")
    return campaign / "site"


def assert_sound(path: Path, visit: Any, tables: int = 0) -> None:
    for width, scheme in SIZES:
        opened = visit(path.resolve(), viewport={"width": width, "height": 900}, color_scheme=scheme)
        assert opened.page.locator("table").count() >= tables
        assert_fits(opened.page, width)
        opened.assert_quiet()


@pytest.mark.parametrize(
    "name", ["index.html", "topics/q4.html", "../returns/alpha/index.html", "faults.html", "topics/nuggets.html"]
)
def test_a_page_is_quiet_accessible_and_fits(name: str, site: Path, visit: Any) -> None:
    assert_sound(site / name, visit)


def test_the_tables_of_answer_validation_fit(two_languages: Path, tmp_path: Path, visit: Any) -> None:
    """In two languages, whose tables are the widest."""
    qa = systems(tmp_path / "en.csv", 6, {"gamma_qa1": "135", "beta_qa": "13"})
    nescio.campaign.score(two_languages, ranking=[f"EN={qa}"], resamples=100)
    nescio.campaign.publish(two_languages)
    assert_sound(two_languages / "site" / "index.html", visit, 14)


def test_a_topic_is_reached_from_the_index_and_leads_back(site: Path, visit: Any) -> None:
    page = visit(site / "index.html").page
    page.click("a:has-text('q4')")
    assert page.inner_text("h1") == "q4"
    page.click(".crumbs a")
    assert not page.locator("a:has-text('Alpha University')").count()  # returns are not public
