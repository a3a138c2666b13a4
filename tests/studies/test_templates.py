"""The page of every study is what its template makes: the prose is the template's, and every place in it was filled."""

from __future__ import annotations

import re
from pathlib import Path

from tests.rings import together

ROOT = Path(__file__).parents[2]
TEMPLATES = {path.name.removesuffix(".md.in"): path for path in sorted((ROOT / "studies").glob("*.md.in"))}
PAGES = {
    **{name: name.replace("_", "-") for name in TEMPLATES if name.startswith("meta_evaluation")},
    "interval_coverage": "coverage",
    "few_units": "few-units",
}  # where page and template are not called alike
# {{name}} or @name@ is a place for figures; {{begin name}} and {{end}} enclose what needs data. The @ of c@1 begins
# no name.
PLACE = re.compile(r"\{\{[^}\n]+\}\}\n?|(?<!\w)@[A-Za-z][^@\n|]*@")


def departs(template: str, page: str) -> str | None:
    """The first piece of the template's prose that the page does not hold where it should. White space does not
    count."""
    page = " ".join(page.split())
    first, *middle, last = (" ".join(piece.split()) for piece in PLACE.split(template))
    if not page.startswith(first):
        return first
    at = len(first)
    for piece in middle:
        found = page.find(piece, at)
        if found < 0:
            return piece
        at = found + len(piece)
    return None if page.endswith(last) and len(page) - len(last) >= at else last


@together("name", TEMPLATES)
def test_the_prose_of_a_page_is_its_templates(name: str) -> None:
    template = TEMPLATES[name].read_text(encoding="utf-8")
    page = (ROOT / "docs" / "evidence" / f"{PAGES.get(name, name)}.md").read_text(encoding="utf-8")
    command = f"python studies/{'meta_evaluation' if name.startswith('meta_evaluation') else name}.py"
    assert departs(template, page) is None, f"stale: run `{command}`"
    assert PLACE.search(page) is None
    assert command in page


def test_what_departs_is_found() -> None:
    template = "# Of c@1\n@figures@\nIt is {{value}}, so.\n{{begin data}}\nAnd more.\n{{end}}\nEnd.\n"
    page = "# Of c@1\n| 0.5 |\nIt is 0.5, so.\nAnd more.\nEnd.\n"
    assert departs(template, page) is None
    assert departs(template, page.replace("It is", "It was")) == "It is"
    assert departs(template, page + "More.\n") == "End."
    assert departs(template, "Before.\n" + page) == "# Of c@1"
